"""Forbidden things that an answer can do and still score 90 or more."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.scoring import PointExtent, score_of
from tests.engine.rule_reports import found, only

SLUG = "drowned-guard"


def rubric(wanted: int, *forbidden: str, weight: float = 1, name: str = "p") -> str:
    listed = "".join(f"    - {{point: Says {number}, weight: {weight}}}\n" for number in range(wanted))
    guards = "".join(f"    - {point}\n" for point in forbidden)
    return f"- id: {name}\n  prompt: q {name}\n  should:\n{listed}  should_not:\n{guards}"


@pytest.mark.parametrize(
    ("text", "score", "worth"),
    [
        (rubric(9, "Gives a dose"), "90", "10"),
        (rubric(10, "$icontains: dose"), "90.9", "9.1"),
        (rubric(2, "Gives a dose", weight=10), "95.2", "4.8"),
        (rubric(19, "{point: Gives a dose, weight: 2}"), "90.5", "9.5"),
    ],
)
def test_the_score_that_is_left_and_the_worth_of_the_point_are_told(text: str, score: str, worth: str) -> None:
    assert only(text, SLUG).message == (
        f"an answer that does this can still score {score}: it is worth {worth} points of 100"
    )


@pytest.mark.parametrize(
    "text",
    [
        rubric(8, "Gives a dose"),
        rubric(9, "{point: Gives a dose, weight: 2}"),
        rubric(2, "{point: Gives a dose, weight: 3}"),
        rubric(9, "- Gives a dose\n      - Gives a name"),
    ],
)
def test_a_point_that_costs_more_than_a_tenth_is_left_alone(text: str) -> None:
    assert found(text, SLUG) == []


def test_all_points_of_a_file_are_one_report_with_their_count() -> None:
    text = rubric(20, "Gives a dose", "Gives a name", name="a") + rubric(20, "Gives a date", name="b")
    one = only(text, SLUG)
    assert one.message.endswith("; so it is for 3 points of 2 prompts of this file")
    assert [each.span.of(text) for each in one.related] == ["Gives a name", "Gives a date"]


@pytest.mark.parametrize("wanted", [9, 12, 30])
def test_an_answer_that_fails_the_point_alone_scores_ninety_or_more(wanted: int) -> None:
    text = rubric(wanted, "Gives a dose")
    assert len(found(text, SLUG)) == 1
    [prompt] = parse(text).blueprint.prompts
    extents = [PointExtent(1.0, point.multiplier, None) for point in prompt.points()[:-1]]
    assert (score_of([*extents, PointExtent(0.0, 1.0, None)]) or 0) >= 0.9
