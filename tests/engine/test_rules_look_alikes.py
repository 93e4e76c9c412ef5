"""Texts that resemble a fault of wording and are right as written, beside the faults that they resemble."""

from __future__ import annotations

import pytest

from tests.engine.rule_reports import found, only, should


@pytest.mark.parametrize("what", ["Handles missing values", "Validates", "Copes with an empty list", "Opens the file"])
def test_errors_that_a_program_reports_are_no_vague_fault(what: str) -> None:
    assert found(should("Names it", f"{what} without errors"), "ambiguous-negative") == []


@pytest.mark.parametrize("things", ["pros and cons", "Anna and Ben", "“stings” and “pollen”", "stings or pollen"])
def test_two_things_that_are_one_or_that_leave_nothing_open_are_fine(things: str) -> None:
    assert found(should("Names it", f"Does not mention {things}"), "ambiguous-negative") == []


@pytest.mark.parametrize(
    "text",
    [
        "Is not without a warning",
        "Not without a warning",
    ],
)
def test_not_without_is_two_negatives(text: str) -> None:
    assert "two negatives" in only(should("Names it", text), "ambiguous-negative").message


@pytest.mark.parametrize("text", ["Says that it is not without risk", "Does not name a dose without a warning"])
def test_not_and_without_in_what_an_answer_says_are_fine(text: str) -> None:
    assert found(should("Names it", text), "ambiguous-negative") == []


@pytest.mark.parametrize("text", ["Explains nothing", "Justifies no part of it", "Explains it in the field “why”"])
def test_a_bare_result_goes_with_no_explanation_or_one_inside_it(text: str) -> None:
    assert found(should("Returns JSON only", text), "exclusive-points") == []


@pytest.mark.parametrize("sign", ["[laughs]", "[pause]", "[sobs]", "[coughing]", "[music]"])
def test_a_sign_of_a_transcript_is_no_placeholder(sign: str) -> None:
    text = f"- prompt: 'What of this? I told her, and {sign} she left.'\n  should:\n    - Names it\n"
    assert found(text, "unfilled-placeholder") == []
