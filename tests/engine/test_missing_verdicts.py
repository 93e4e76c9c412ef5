"""A judge asked in vain and a judge still to be asked: what either leaves of the score, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.evaluation.events import Response, Scored
from engine.evaluation.headline import Headline, headline, overall
from engine.evaluation.verdicts import consensus_assessment, is_open
from engine.judging.judgement import Consensus
from engine.judging.verdict import NOT_ASKED, NoVerdict, Reading, Reason, Verdict, WevalReading
from engine.scoring.assessment import Assessment, Bounds
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.study.case import outcome_of
from engine.study.case_reader import read_cases
from engine.text.record import replace
from tests.engine.builders import prompt, text
from tests.engine.test_judging_panel import judgement, verdict
from tests.many_cases import every

FAILED = NoVerdict(Reason.FAILED, "gave no verdict")
DECLINED = NoVerdict(Reason.DECLINED, "declined to judge")
ONE = prompt([text("one")])


def agreed(*readings: Reading, stands_in: Reading | None = None) -> Consensus:
    """The readings of judges a, b, c …, then that of the backup, if it was asked."""
    given = [judgement(name, reading) for name, reading in zip("abcdef", readings, strict=False)]
    backup = [] if stands_in is None else [replace(judgement("z", stands_in), stands_in=True)]
    return Consensus((*given, *backup))


def judged(rubric: Prompt, *points: Consensus | None) -> Explanation:
    """The explanation with these judgements; None for a point that nobody was asked about."""
    assessments = [
        Assessment(placed) if point is None else consensus_assessment(placed, point)
        for placed, point in zip(place(rubric), points, strict=True)
    ]
    return explain(rubric, assessments)


@every(
    ("readings", "score", "bounds", "said"),
    [
        ((verdict(0), verdict(1)), 0.5, (0.5, 0.5), "50.0"),
        ((verdict(0), verdict(1), FAILED), 0.5, (0.33, 0.67), "50.0, between 33 and 67, c failed on 1 criterion"),
        ((verdict(0), DECLINED, FAILED), 0.0, (0.0, 0.67), "0.0, between 0 and 67, b and c failed on 1 criterion"),
        ((FAILED, DECLINED), None, (0.0, 1.0), "not judged yet, no judge could judge 1 criterion"),
        ((verdict(0), verdict(1), NOT_ASKED), None, (0.33, 0.67), "33–67, 0 of 1 criterion judged"),
        ((verdict(0), FAILED, NOT_ASKED), None, (0.0, 0.67), "0–67, 0 of 1 criterion judged"),
        ((FAILED, NOT_ASKED), None, (0.0, 1.0), "not judged yet"),
        ((NOT_ASKED,), None, (0.0, 1.0), "not judged yet"),
    ],
)
def test_a_missing_verdict_is_anything_from_0_to_1(
    readings: Sequence[Reading], score: float | None, bounds: tuple[float, float], said: str
) -> None:
    explanation = judged(ONE, agreed(*readings))
    assert (explanation.score, (explanation.bounds.low, explanation.bounds.high)) == (score, pytest.approx(bounds))
    assert str(headline(explanation)) == said


def test_failed_is_not_open() -> None:
    (failed,) = judged(ONE, agreed(FAILED, DECLINED)).assessments
    (waits,) = judged(ONE, agreed(verdict(1), NOT_ASKED)).assessments
    (partly,) = judged(ONE, agreed(verdict(1), FAILED)).assessments
    assert [(each.failed, each.open, each.assessed) for each in (failed, waits, partly)] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    assert all(is_open(each) for each in (failed, waits, partly)), "judges are asked about all of them"
    assert [each.error for each in (failed, waits, partly)] == [
        "a gave no verdict; b declined to judge",
        None,
        "b gave no verdict",
    ]


def test_the_backup_makes_up_for_judges_that_failed() -> None:
    explanation = judged(ONE, agreed(FAILED, DECLINED, stands_in=verdict(1)))
    assert str(headline(explanation)) == "100.0"
    assert "a gave no verdict" in explanation.assessments[0].detail
    assert str(headline(judged(ONE, agreed(FAILED, stands_in=DECLINED)))).startswith("not judged yet, no judge could")


def test_what_weval_stores_is_known_once_nothing_is_open() -> None:
    two = prompt([text("one"), text("two")])
    assert judged(two, agreed(verdict(0.5)), None).weval.stored is None
    assert judged(two, agreed(verdict(0.5)), agreed(verdict(1), NOT_ASKED)).weval.stored is None
    assert judged(two, agreed(verdict(0), verdict(1), FAILED), agreed(FAILED)).weval.stored == 0.5


def test_the_judge_that_failed_is_named_in_notes_and_detail() -> None:
    explanation = judged(ONE, agreed(verdict(0), verdict(1), FAILED))
    assert explanation.notes == (
        "c failed: 1 criterion counts by the mean of the other judges.",
        "With the missing verdicts, the score would be between 33 and 67.",
    )
    assert "c gave no verdict" in explanation.assessments[0].detail


def test_a_blueprint_is_as_sure_as_its_prompts() -> None:
    whole = headline(judged(ONE, agreed(verdict(1))))
    partly = headline(judged(ONE, agreed(verdict(0), verdict(1), FAILED)))
    failed = headline(judged(ONE, agreed(FAILED)))
    waits = headline(judged(ONE, agreed(verdict(0), verdict(1), NOT_ASKED)))

    def told(*prompts: Headline) -> str:
        return str(overall((1, each) for each in prompts))

    assert told(whole, partly) == "75.0, between 66.5 and 83.5, c failed on 1 criterion"
    assert told(whole, failed) == "100.0, between 50 and 100, no judge could judge 1 criterion"
    assert told(whole, waits) == "66.5–83.5, 1 of 2 criteria judged"
    assert told(failed, failed) == "not judged yet, no judge could judge 2 criteria"


# Laws

READINGS = st.lists(
    st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.none(), st.just("pending")), min_size=1, max_size=4
)
WEIGHTS = st.floats(0.1, 10).map(lambda weight: round(weight, 1))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Prompt, list[list[float | str | None]]]:
    """A rubric with required criteria, paths and inverted points, and the readings of its judges."""
    should = [
        text("a", weight=draw(WEIGHTS)),
        text("b"),
        [text("c"), text("d", weight=draw(WEIGHTS))],
        [text("e")],
    ]
    of = prompt(should[: draw(st.integers(1, 4))], [text("f", weight=draw(WEIGHTS))] if draw(st.booleans()) else [])
    return of, [draw(READINGS) for _ in of.points()]


def reading(value: float | str | None) -> Reading:
    return FAILED if value is None else NOT_ASKED if isinstance(value, str) else Verdict(value, None, "")


def score_with(of: Prompt, given: Sequence[Sequence[float | str | None]], extents: Sequence[float]) -> float:
    """The score if the missing verdicts were these, in turn."""
    missing = iter(extents)
    filled = [[each if isinstance(each, float) else next(missing) for each in readings] for readings in given]
    explanation = judged(of, *(agreed(*map(reading, each)) for each in filled))
    assert explanation.bounds.closed
    return explanation.bounds.low


@given(cases(), st.data())
def test_the_bounds_hold_every_way_the_missing_judges_could_have_answered_and_both_are_reached(
    case: tuple[Prompt, list[list[float | str | None]]], data: st.DataObject
) -> None:
    of, given = case
    explanation = judged(of, *(agreed(*map(reading, each)) for each in given))
    missing = sum(not isinstance(each, float) for readings in given for each in readings)
    low, high = explanation.bounds.low, explanation.bounds.high
    extents = data.draw(st.lists(st.floats(0, 1), min_size=missing, max_size=missing))
    assert low - 1e-9 <= score_with(of, given, extents) <= high + 1e-9
    inverted = [
        placed.inverted
        for placed, readings in zip(place(of), given, strict=True)
        for each in readings
        if not isinstance(each, float)
    ]
    assert score_with(of, given, [float(each) for each in inverted]) == pytest.approx(low, abs=1e-9)
    assert score_with(of, given, [float(not each) for each in inverted]) == pytest.approx(high, abs=1e-9)
    shown = headline(explanation)
    if shown.score is not None:
        assert low - 1e-9 <= shown.score <= high + 1e-9
    costs = [point.cost for group in explanation.groups() for point in group.points]
    if None not in costs:
        assert sum(cost or 0.0 for cost in costs) == pytest.approx(
            1 - explanation.settled.high if explanation.score is not None else 0.0, abs=1e-9
        )


def test_what_weval_stores_goes_by_its_own_reading_of_each_reply() -> None:
    otherwise = replace(verdict(0), on_weval=WevalReading(1.0))
    unread = replace(verdict(0.5), on_weval=WevalReading(None))
    only_there = replace(DECLINED, on_weval=WevalReading(0.25))
    for readings, there in [
        ((otherwise, verdict(1)), 1.0),
        ((unread, verdict(1)), 1.0),
        ((verdict(1), only_there), 0.63),
        ((only_there,), 0.25),
        ((otherwise, verdict(0)), 0.5),
    ]:
        explanation = judged(ONE, agreed(*readings))
        assert explanation.weval.stored == there
        assert explanation.weval.reasons == ("Weval reads other verdicts in replies of judges, as the criteria say.",)
    avoided = prompt(should_not=[text("one")])
    assert judged(avoided, agreed(otherwise)).weval.stored == 0.0
    assert judged(ONE, agreed(verdict(1))).weval.reasons == ()


def test_a_case_that_waits_for_no_judge_does_not_say_that_it_does() -> None:
    by_score, by_point = read_cases(
        "version: 1\ncases:\n  - {prompt: p, answer: x, score: [0, 50]}\n  - {prompt: p, answer: y, fails: one}\n"
    )[0].cases
    points = [scored(agreed(verdict(0), verdict(1), each)) for each in (FAILED, NOT_ASKED)]
    assert [outcome_of(by_score, ONE, each).why for each in points] == [
        "scores 50.0, between 33 and 67 (c failed on 1 criterion), and 0–50 is wanted",
        "scores 33–67 until all criteria are judged, and 0–50 is wanted",
    ]
    assert [outcome_of(by_point, ONE, each).why for each in points] == [
        "“one” is not judged by c",
        "“one” is not judged",
    ]


@every(
    ("low", "high", "figure", "whole"),
    [
        (0.4999, 0.5001, "50.0", "50"),
        (0.498, 0.502, "50.0, between 49.8 and 50.2", "50"),
        (0.33, 0.67, "50.0, between 33 and 67", "50 (33–67)"),
    ],
)
def test_bounds_that_print_alike_are_one_number(low: float, high: float, figure: str, whole: str) -> None:
    shown = Headline(Bounds(low, high), 2, 2, mean=0.5)
    assert (shown.figure, shown.whole_figure) == (figure, whole)


def test_a_prompt_that_no_judge_could_judge_says_so_wherever_its_score_stands() -> None:
    shown = headline(judged(ONE, agreed(FAILED, DECLINED)))
    assert shown.is_failed
    assert shown.by_itself == "not judged yet (no judge could judge 1 criterion)"
    assert not any(headline(judged(ONE, each)).is_failed for each in (agreed(NOT_ASKED), agreed(verdict(1), FAILED)))


def scored(point: Consensus) -> Scored:
    explanation = judged(ONE, point)
    return Scored(Response("x", ()), explanation.assessments, explanation)
