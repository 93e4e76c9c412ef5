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
from tests.engine.rule_reports import fixed
from tests.thoroughness import tried

SLUG = "format-fragile-literal"


def asked(point: str, prompt: str = "q", ideal: str = "") -> str:
    written = f"  ideal: |\n    {ideal}\n" if ideal else ""
    return f"- id: p\n  prompt: {prompt}\n{written}  should:\n    - Says it\n    - {point}\n"


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
