"""The traps of YAML: backslashes, tabs, comments that cut a text short."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.rules.fixes import fix_text
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import apply_edits

HEAD = "- id: a\n  prompt: Say hello.\n"


def of(slug: str, text: str, path: Path | None = None) -> list[Diagnostic]:
    return [found for found in check(parse(text, path)) if found.slug == slug]


def point(written: str) -> str:
    return f"{HEAD}  should:\n    - {written}\n"


# backslash-in-double-quotes


def test_an_escape_that_yaml_does_not_know_is_marked_alone() -> None:
    text = point(r'$matches: "a\d"')
    [found] = check(parse(text))
    assert (found.slug, found.severity, found.span.of(text)) == (
        "backslash-in-double-quotes", Severity.ERROR, r"\d",
    )  # fmt: skip


def test_single_quotes_mend_it() -> None:
    assert fix_text(point('$matches: "it\'s \\d"'), None).text == point(r"$matches: 'it''s \d'")


def test_every_pattern_of_a_prompt_is_mended() -> None:
    text = point('$matches: "\\d"\n    - $matches: "\\w"')
    assert fix_text(text, None).text == point("$matches: '\\d'\n    - $matches: '\\w'")


def test_beside_another_escape_the_backslash_is_written_twice() -> None:
    assert fix_text(point(r'$matches: "\d\n"'), None).text == point(r'$matches: "\\d\n"')


def test_a_word_boundary_that_became_a_backspace_is_a_warning() -> None:
    text = point(r'$matches: "\bhello\b"')
    [found] = of("backslash-in-double-quotes", text)
    assert (found.severity, found.span.of(text)) == (Severity.WARNING, r"\b")
    assert "backspace" in found.message
    assert fix_text(text, None).text == point(r"$matches: '\bhello\b'")


@pytest.mark.parametrize(
    "written", [r'"two\nlines"', r'"a \"word\""', r'"\u00e9"', r'"[\f\v]"', r"'\bhello'", r"\bhello"]
)
def test_an_escape_that_means_what_it_says_is_fine(written: str) -> None:
    assert of("backslash-in-double-quotes", point(f"$matches: {written}")) == []


def test_in_json_every_lone_backslash_is_written_twice() -> None:
    text = '{"prompts": [{"id": "a", "prompt": "b", "should": [{"$matches": "\\d\\\\d"}, {"$matches": "\\w\\n"}]}]}'
    mended = fix_text(text, Path("a.json")).text
    assert mended == text.replace('"\\d', '"\\\\d').replace('"\\w', '"\\\\w')


def test_a_check_that_an_error_cuts_off_is_not_called_empty() -> None:
    assert [found.slug for found in check(parse(point(r'$matches: "\d"')))] == ["backslash-in-double-quotes"]


# tab-indent


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("- id: a\n  prompt: b\n  should:\n\t- c\n\t- d\n", "- id: a\n  prompt: b\n  should:\n  - c\n  - d\n"),
        ("- id: a\n\tprompt: b\n\tshould:\n\t\t- c\n", "- id: a\n  prompt: b\n  should:\n    - c\n"),
        ("-\tid: a\n\tprompt: b\n", "- id: a\n  prompt: b\n"),
        ("- id: a\n  prompt: |\n\tb\n", "- id: a\n  prompt: |\n    b\n"),
    ],
)
def test_spaces_take_the_place_of_all_tabs_of_the_prompt(text: str, mended: str) -> None:
    [found] = [each for each in check(parse(text)) if each.severity is Severity.ERROR]
    assert found.slug == "tab-indent"
    assert found.span.of(text).startswith("\t")
    assert apply_edits(text, found.fixes[0].edits) == mended


def test_a_tab_within_a_text_is_fine() -> None:
    assert of("tab-indent", "- id: a\n  prompt: one\ttwo\n  should:\n    - c\td\n") == []


# comment-ate-text


@pytest.mark.parametrize(
    ("text", "lost", "mended"),
    [
        (point("Ranks it #1 of all"), "#1 of all", point("'Ranks it #1 of all'")),
        (point("Uses the tag #safe  # for now"), "#safe  # for now", point("'Uses the tag #safe'  # for now")),
        (point("It's #1"), "#1", point("'It''s #1'")),
        (point("- Ranks it #1\n      - Says why"), "#1", point("- 'Ranks it #1'\n      - Says why")),
        (
            point("point: Ranks it #1\n      weight: 2 #half"),
            "#1",
            point("point: 'Ranks it #1'\n      weight: 2 #half"),
        ),
        (point("$contains: We're #1"), "#1", point("$contains: 'We''re #1'")),
        ("- id: a\n  prompt: Who is #1?\n  should: [b]\n", "#1?", "- id: a\n  prompt: 'Who is #1?'\n  should: [b]\n"),
        ("- id: a\n  ideal: It is #1\n  prompt: b\n", "#1", "- id: a\n  ideal: 'It is #1'\n  prompt: b\n"),
        ("- id: a\n  messages:\n    - user: Is it #1\n", "#1", "- id: a\n  messages:\n    - user: 'Is it #1'\n"),
    ],
)
def test_a_text_that_a_comment_cuts_is_told_and_quoted_whole(text: str, lost: str, mended: str) -> None:
    [found] = of("comment-ate-text", text)
    assert (found.severity, found.span.of(text)) == (Severity.WARNING, lost)
    assert not found.fixes[0].safe
    after = apply_edits(text, found.fixes[0].edits)
    assert after == mended
    assert of("comment-ate-text", after) == []


@pytest.mark.parametrize(
    "text",
    [
        point("Names Nairobi # the capital"),
        point("Names Nairobi #TODO a second city"),
        point("'Ranks it #1'"),
        point('"Ranks it #1"'),
        point("Ranks it number#1"),
        "- id: a\n  prompt: |\n    Who is #1?\n",
        "- id: a #1\n  prompt: b\n",
        "models:\n  - openai:gpt-4o #fast\n---\n- id: a\n  prompt: b\n",
        "title: a\ntags:\n  - one #two\n---\n- id: a\n  prompt: b\n",
        "#1 of many\n- id: a\n  prompt: b\n",
    ],
)
def test_an_ordinary_comment_is_fine(text: str) -> None:
    assert of("comment-ate-text", text) == []
