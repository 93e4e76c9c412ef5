"""The headline of a score: bounds first while points are open, and what else must be known."""

from __future__ import annotations

import random

import pytest

from engine.blueprint import Prompt, Role
from engine.blueprint.conversation import Stop, StopReason
from engine.evaluation.events import Response, ThreadTurn
from engine.evaluation.headline import _REMARKS, Headline, Remark, headline, overall
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment, Bounds
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from tests.many_cases import every
from tests.thoroughness import tried


def ended(reason: StopReason) -> Response:
    turn = ThreadTurn(Role.ASSISTANT, "Yes, bec", generated=True, stop=Stop(reason))
    return Response("Yes, bec", (turn,))


CUT = ended(StopReason.LENGTH)
FOUR = "[one, two, three, four]"


def prompt(should: str) -> Prompt:
    return parse(f"- id: p\n  prompt: Hello?\n  should: {should}\n").blueprint.prompts[0]


def judged(should: str, *extents: float | None, response: Response | None = None) -> Headline:
    one = prompt(should)
    assessments = [
        Assessment(placed, extent, None if extent is None else AssessedBy.JUDGE)
        for placed, extent in zip(place(one), extents, strict=True)
    ]
    return headline(explain(one, assessments), response)


def test_a_score_of_judged_points_is_one_number() -> None:
    assert str(judged("[one, two]", 0.5, 0.25)) == "37.5"


def test_the_bounds_come_first_while_points_are_open() -> None:
    assert str(judged("[{$word_count: 1}, a, b, c, d]", 1.0, None, None, None, None)) == "20–100, 1 of 5 points judged"


def test_a_bound_has_the_decimal_that_it_needs() -> None:
    assert str(judged(FOUR, 0.5, 0.0, None, 0.75)) == "31.3–56.3, 3 of 4 points judged"


def test_with_nothing_judged_there_is_no_figure() -> None:
    assert str(judged("[one]", None)) == judged("[one]", None).whole == "not judged yet"


def test_whole_numbers_are_rounded_as_weval_rounds_what_it_stores() -> None:
    assert judged("[one, two]", 0.5, 0.25).whole_figure == "38"


def test_whole_bounds_stay_bounds() -> None:
    assert judged(FOUR, 0.5, 0.0, None, 0.75).whole_figure == "31–56"


def test_a_prompt_without_points_has_no_figure() -> None:
    assert str(judged("[]")) == "–"


def test_an_open_point_that_changes_nothing_leaves_one_number() -> None:
    assert str(judged("[[one], [two]]", 1.0, None)) == "100.0, 1 of 2 points judged"


def test_a_point_that_its_judges_failed_on_is_not_judged() -> None:
    one = prompt("[one, two]")
    first, second = place(one)
    failed = Assessment(second, None, AssessedBy.JUDGE, "timed out")
    explanation = explain(one, [Assessment(first, 1.0, AssessedBy.JUDGE), failed])
    assert str(headline(explanation)) == "100.0, between 50 and 100, no judge could judge 1 point"


def test_a_check_that_could_not_run_is_reported() -> None:
    one = prompt('["$icontains: x", two]')
    first, second = place(one)
    failed = Assessment(first, 0.0, AssessedBy.FUNCTION, error="Unknown point function")
    explanation = explain(one, [failed, Assessment(second, 1.0, AssessedBy.HUMAN)])
    assert str(headline(explanation)) == "50.0, 1 check could not run"


@pytest.mark.parametrize("reason", [StopReason.LENGTH, StopReason.INTERRUPTED, StopReason.TOOL_CALL])
def test_a_figure_of_an_answer_that_was_cut_short_is_marked(reason: StopReason) -> None:
    assert judged("[one]", 0.5, response=ended(reason)).marked_whole_figure == "50¦"


def test_a_figure_of_an_answer_that_the_author_stopped_is_marked() -> None:
    assert judged("[one]", 0.5, response=Response("Yes, bec", (), complete=False)).marked_whole_figure == "50¦"


def test_a_figure_of_a_whole_answer_has_no_mark() -> None:
    assert judged("[one]", 0.5, response=ended(StopReason.STOP)).marked_whole_figure == "50"


def test_an_answer_that_is_cut_off_is_reported() -> None:
    assert str(judged("[one]", 1.0, response=CUT)) == "100.0, cut off at the token limit"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (StopReason.LENGTH, "cut off at the token limit"),
        (StopReason.INTERRUPTED, "cut off by the server"),
        (StopReason.TOOL_CALL, "stopped to call a tool"),
    ],
)
def test_an_answer_that_did_not_end_as_it_should_is_reported(reason: StopReason, words: str) -> None:
    assert str(judged("[one]", 1.0, response=ended(reason))) == f"100.0, {words}"


@pytest.mark.parametrize(
    "reason", [StopReason.STOP, StopReason.SEQUENCE, StopReason.REFUSAL, StopReason.NOT_GIVEN, StopReason.OTHER]
)
def test_an_answer_that_may_be_whole_has_no_remark(reason: StopReason) -> None:
    assert str(judged("[one]", 1.0, response=ended(reason))) == "100.0"


def test_an_answer_that_the_author_stopped_is_reported() -> None:
    stopped = Response("Yes, bec", (), complete=False)
    assert str(judged("[one]", 1.0, response=stopped)) == "100.0, stopped before its end"


def test_an_answer_that_thinks_aloud_is_reported() -> None:
    aloud = Response("<think>Hm.</think> Yes.", ())
    assert str(judged("[one]", 1.0, response=aloud)) == "100.0, with a think block"


@pytest.mark.parametrize("remark", list(Remark))
def test_every_remark_has_words_for_one_and_for_several(remark: Remark) -> None:
    one = Headline(Bounds(1.0, 1.0), None, None, ((remark, 1),))
    several = Headline(Bounds(1.0, 1.0), None, None, ((remark, 12),))
    expected = _REMARKS[remark][0].format(judges="a judge")
    assert (one.details, "12" in several.details, "{" in several.details) == (expected, True, False)


def test_several_prompts_come_to_the_mean_of_what_is_stored_by_weight() -> None:
    total = overall([(1, judged("[one]", 0.5)), (3, judged("[one]", 1.0))])
    assert total is not None
    assert total.figure == "87.5"


def test_an_open_prompt_opens_the_whole() -> None:
    total = overall([(1, judged("[one]", 1.0)), (1, judged("[one, two]", None, None))])
    assert str(total) == "50–100, 1 of 3 points judged"


def test_a_prompt_without_points_takes_no_part_in_the_whole() -> None:
    assert str(overall([(1, judged("[one]", 0.5)), (1, judged("[]"))])) == "50.0"


def test_nothing_scored_has_no_headline() -> None:
    assert overall([]) is None


def test_remarks_add_up() -> None:
    total = overall([(1, judged("[one]", 1.0, response=CUT)), (1, judged("[two]", 1.0, response=CUT))])
    assert str(total) == "100.0, 2 answers cut off at the token limit"


def _ends(text: str) -> list[float]:
    figure = text.split(",")[0]
    return [0.0, 100.0] if figure == "not judged yet" else [float(end) for end in figure.split("–")]


@every("seed", range(tried(60, 200)))
def test_whatever_is_judged_next_lies_within_the_headline(seed: int) -> None:
    """The law: a headline is never surer than what can still come out of it, on paths and in both blocks."""
    rng = random.Random(seed)
    should = rng.choice(
        [FOUR, "[one, [two], [three, four]]", "[[one, two], [three], [four]]", "[[one], two, three, four]"]
    )
    given = [rng.choice([None, None, 0.0, 0.25, 0.5, 0.75, 1.0]) for _ in range(4)]
    later = [rng.choice([0.0, 0.25, 0.5, 0.75, 1.0]) if each is None else each for each in given]
    before, after = judged(should, *given), judged(should, *later)
    low, *high = _ends(before.figure)
    assert low <= float(after.figure) <= (high or [low])[0]
    assert before.whole_bounds[0] <= after.whole_bounds[0] <= before.whole_bounds[1]
