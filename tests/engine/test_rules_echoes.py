"""Checks that an answer passes which only repeats the question."""

from __future__ import annotations

import json

import pytest

from engine.diagnostics import Severity
from tests.engine.rule_reports import found, only

SLUG = "echoed-literal"


def asked(prompt: str, *points: str) -> str:
    listed = "".join(f"    - {point}\n" for point in points)
    return f"- id: p\n  prompt: {json.dumps(prompt)}\n  should:\n{listed}"


@pytest.mark.parametrize(
    ("prompt", "point"),
    [
        ("What does Article 21 protect?", "$contains: Article 21"),
        ("What does article 21 protect?", "$icontains: Article 21"),
        ("Compare rents in Porto and Lisbon.", "$contains_all_of: [Porto, Lisbon]"),
        ("Who pays for the roof?", "$icontains_any_of: [landlord, roof]"),
        ("I rent.\n\nIt is cold.\n\nWho pays for the roof?", "$icontains_word: roof"),
    ],
)
def test_a_check_for_words_of_the_question_is_a_hint_with_its_worth(prompt: str, point: str) -> None:
    one = only(asked(prompt, point, "Says who"), SLUG)
    assert one.severity is Severity.HINT
    assert one.message.endswith("an answer that only repeats it earns 50 points of 100")


@pytest.mark.parametrize(
    ("prompt", "point"),
    [
        ("Is it copper or brass?", "$icontains: brass"),
        ("Which of copper, brass and tin is an alloy?", "$icontains: brass"),
        ("Which is it? A) copper B) brass", "$icontains: brass"),
        ("Say <TRUE> <FALSE> as it is.", "$contains: 'TRUE'"),
        ("Use the word gravity in a sentence.", "$icontains: gravity"),
        ("The Tana flows through Garissa.\n\nWhere does it flow?", "$icontains: Garissa"),
        ("What does Article 21 protect?", "$not_contains: Article 21"),
        ("What does Article 21 protect?", "$contains_all_of: [Article 21, liberty]"),
        ("What does Article 21 protect?", "$starts_with: Article 21"),
        ("What does it protect?", "$contains: protection"),
        ("What does it protect?", "$icontains: it"),
        ("Who wrote it? Answer: Achebe", "$contains: Achebe"),
    ],
)
def test_what_a_right_answer_has_to_repeat_or_adds_is_left_alone(prompt: str, point: str) -> None:
    assert found(asked(prompt, point), SLUG) == []


def test_less_than_half_of_the_score_is_left_alone() -> None:
    assert found(asked("Who pays for the roof?", "$contains: roof", "Says who", "Says when"), SLUG) == []


def test_a_forbidden_word_of_the_question_is_left_alone() -> None:
    text = asked("Who pays for the roof?", "Says who") + "  should_not:\n    - $contains: roof\n"
    assert found(text, SLUG) == []
