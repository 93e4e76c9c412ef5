"""Literals that a right answer misses by its format alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.point_function import Checked, Subject
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules.functions.literal_forms import plain_form
from tests.engine.rule_reports import fixed, found, only
from tests.thoroughness import tried

SLUG = "format-fragile-literal"


def asked(point: str, prompt: str = "q", ideal: str = "") -> str:
    written = f"  ideal: |\n    {ideal}\n" if ideal else ""
    return f"- id: p\n  prompt: {prompt}\n{written}  should:\n    - Says it\n    - {point}\n"


@pytest.mark.parametrize(
    ("literal", "ideal", "form"),
    [
        ("30 days", "You get 30 **days**.", "30 **days**"),
        ("30 days", "You get **30** days.", "**30** days"),
        ("30 days", "You get 30\u00a0days.", "30 days"),
        ("1967-1970", "From 1967–1970.", "1967–1970"),
        ("KES 5000", "It costs KES 5,000.", "KES 5,000"),
        ("5,000", "It costs 5000.", "5000"),
        ("the 'right'", "It is the ‘right’.", "the ‘right’"),
        ("x2", "It is x².", "x²"),
        ("x=5", "So x = 5.", "x = 5"),
        ("50%", "It is 50 %.", "50 %"),
        ("CO2", "It is CO₂.", "CO₂"),
        ("pay now", "Please pay\n    now.", "pay now"),
    ],
)
def test_an_ideal_that_is_missed_by_its_format_is_quoted(literal: str, ideal: str, form: str) -> None:
    text = asked(f'$contains: "{literal}"', ideal=ideal)
    assert only(text, SLUG).message == f"the ideal writes “{form}”, which is not found"


def test_an_ideal_that_is_missed_by_its_format_is_reported_once(javascript: JavaScript) -> None:
    text = asked("$contains: 30 days", ideal="You get 30 **days**.")
    assert len(found(text, SLUG, javascript)) == 1
    assert found(text, "ideal-fails", javascript) == []


@pytest.mark.parametrize(
    ("point", "ideal"),
    [
        ("$contains: 30 days", "You get 31 days."),
        ("$contains: 30 days", "You get 30 days, **no** more."),
        ("$contains_any_of: [30 days, '30']", "You get 30 **days**."),
        ("$not_contains: 30 days", "You get 30 **days**."),
        ("$starts_with: 30 days", "You get 30 **days**."),
        ("$tool_called: x", "x"),
    ],
)
def test_an_ideal_that_passes_or_fails_by_its_words_is_no_matter_of_format(point: str, ideal: str) -> None:
    assert found(asked(point, ideal=ideal), SLUG) == []


@pytest.mark.parametrize("literal", ["\u200fNo", "30\u00a0days", "soft\u00adly"])
def test_what_nobody_sees_is_reported_as_that_alone(literal: str, javascript: JavaScript) -> None:
    text = asked(f"$contains: {literal}", ideal="No, 30 days, softly.")
    assert [len(found(text, slug, javascript)) for slug in (SLUG, "ideal-fails", "invisible-character")] == [0, 0, 1]


def test_the_sign_of_a_pattern_is_reported_as_that_alone(javascript: JavaScript) -> None:
    text = asked("$starts_with: ^Yes", ideal="Yes, it is.")
    assert [len(found(text, slug, javascript)) for slug in (SLUG, "ideal-fails", "pattern-in-literal")] == [0, 0, 1]


@pytest.mark.parametrize("point", ["$icontains: can't", "$contains: KES 5000", "$icontains: CO2"])
def test_nothing_is_said_of_a_form_that_the_ideal_does_not_show(point: str) -> None:
    assert found(asked(point), SLUG) == []
    assert found(asked(point, ideal="It can't be KES 5000 of CO2."), SLUG) == []


@pytest.mark.parametrize(
    ("before", "ideal", "after"),
    [
        ("$icontains: can't stop # c", "I can’t stop.", "$imatches: 'can[''’]t[\\s*_]+stop' # c"),
        ("$contains: CO2", "Too much CO₂.", "$matches: 'CO[2₂]'"),
        ("$starts_with: I'm", "I’m sorry.", "$matches: '^I[''’]m'"),
        ("$contains_all_of: [I'm, so.]", "I’m so.", "$matches_all_of: ['I[''’]m', 'so\\.']"),
        (
            '$icontains_any_of: ["I can\'t", no, "I won\'t"]',
            "I can’t.",
            """$icontains_any_of: ["I can't", "I can’t", no, "I won't"]""",
        ),
        (
            "$contains_any_of:\n        - I can't # c\n        - sorry",
            "I can’t.",
            "$contains_any_of:\n        - I can't # c\n        - 'I can’t'\n        - sorry",
        ),
    ],
)
def test_both_forms_are_accepted(before: str, ideal: str, after: str) -> None:
    assert fixed(asked(before, ideal=ideal), SLUG) == asked(after, ideal=ideal)


FORMS = [("30 days", "30 **days**"), ("1967-1970", "1967–1970"), ("KES 5000", "KES 5,000"), ("don't", "don’t"),
         ("x=5", "x = 5"), ("50%", "50 %"), ("CO2", "CO₂")]  # fmt: skip


@pytest.mark.parametrize(("literal", "form"), FORMS)
@pytest.mark.parametrize("name", ["contains", "icontains"])
def test_the_pattern_that_is_offered_finds_both_forms(
    name: str, literal: str, form: str, javascript: JavaScript
) -> None:
    after = parse(fixed(asked(f"${name}: {literal}", ideal=f"It is {form}."), SLUG))
    call = after.blueprint.prompts[0].points()[1].function
    assert isinstance(call, FunctionCall)
    for answer in (literal, form):
        [result] = functions.run([call], Subject(f"Say {answer} now"), javascript)
        assert isinstance(result, Checked)
        assert result.extent == 1


@settings(max_examples=tried(50, 300), deadline=None)
@given(st.text(max_size=40))
def test_a_plain_form_has_a_place_for_each_character_and_is_plain(text: str) -> None:
    plain = plain_form(text)
    assert len(plain.text) == len(plain.places)
    assert list(plain.places) == sorted(plain.places)
    assert all(0 <= place < len(text) for place in plain.places)
    assert "  " not in plain.text
