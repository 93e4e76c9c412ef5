"""The arithmetic of a score, as the documents describe it and as the platform does it."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.scoring.assessment import AssessedBy, Assessment, Bounds, OnWeval
from engine.scoring.explanation import Explanation, IdealScore, StepKind
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import PointExtent, aggregate, groups_of, place, to_fixed
from engine.text.record import replace
from tests.engine.builders import assessed, check, prompt, text
from tests.many_cases import every
from tests.world import golden

WORKED = prompt([text("A"), text("B"), text("C"), [text("1A"), text("1B")], [text("2A"), text("2B")]])
WORKED_EXTENTS = [1.0, 0.75, 0.5, 0.2, 0.0, 0.0, 0.0]

WIREFRAME = prompt(
    [
        text("Names the three-part test"),
        text("Says that offence is no ground"),
        text("Gives an example from case law"),
        [check("icontains", "covenant")],
        [check("icontains", "proportionate")],
    ]
)


def wireframe() -> Explanation:
    return explain(WIREFRAME, assessed(WIREFRAME, [1.0, 0.75, 0.5, 0.0, 0.0]))


def from_data(fields: dict[str, Any]) -> PointExtent:
    """One entry of `pointAssessments` as Weval reads it: no `coverageExtent` is left out, a null one counts 0."""
    extent = float(fields["coverageExtent"] or 0) if "coverageExtent" in fields else None
    multiplier = fields.get("multiplier")
    return PointExtent(extent, 1.0 if multiplier is None else float(multiplier), fields.get("pathId"))


@every("row", golden("aggregate"), ids=lambda row: row["id"])
def test_aggregate_answers_as_the_platform_does(row: dict[str, Any]) -> None:
    assert aggregate(map(from_data, row["assessments"])) == row["score"]


@every("row", [row for row in golden("aggregate") if row["assessments"]], ids=lambda row: row["id"])
def test_a_stored_average_has_two_decimals(row: dict[str, Any]) -> None:
    assert float(to_fixed(row["score"], 2)) == row["avgCoverageExtent"]


@every("row", golden("tofixed"), ids=lambda row: row["x"])
def test_decimals_are_rounded_as_javascript_does(row: dict[str, Any]) -> None:
    assert (to_fixed(row["x"], 2), to_fixed(row["x"], 3)) == (row["f2"], row["f3"])


@pytest.mark.parametrize("extents", [(math.nan, 0.5), (0.5, math.nan)])
def test_a_path_that_is_no_number_poisons_the_score_wherever_it_stands(extents: tuple[float, float]) -> None:
    assert math.isnan(aggregate(PointExtent(extent, 1.0, f"path_{at}") for at, extent in enumerate(extents)))


def test_numbers_without_a_fixed_form_are_refused() -> None:
    with pytest.raises(ValueError):
        to_fixed(float("nan"), 2)


def test_the_documents_worked_example_scores_42_5_percent() -> None:
    assert explain(WORKED, assessed(WORKED, WORKED_EXTENTS)).score == pytest.approx(0.425)


def test_the_documents_weights_example_scores_87_5_percent() -> None:
    weighted = prompt([text("Critical requirement", 3), text("Standard point")])
    assert explain(weighted, assessed(weighted, [1.0, 0.5])).score == 0.875


def test_path_ids_of_should_are_those_of_the_worked_example() -> None:
    assert [placed.path_id for placed in place(WORKED)] == [None, None, None, "path_3", "path_3", "path_4", "path_4"]


def test_alternatives_of_should_not_are_counted_in_their_own_block() -> None:
    both = prompt([text("a"), [text("b")]], [[text("c")], text("d"), [text("e")]])
    assert [placed.path_id for placed in place(both)] == [None, "path_1", "not_path_0", None, "not_path_2"]


def test_the_steps_come_in_the_order_of_the_algorithm_with_their_numbers() -> None:
    steps = explain(WORKED, assessed(WORKED, WORKED_EXTENTS)).steps
    assert [(step.kind, step.label, step.working) for step in steps] == [
        (StepKind.REQUIRED_MEAN, "required points", "(1.00 + 0.75 + 0.50) ÷ 3"),
        (StepKind.PATH_MEAN, "path 1", "(0.20 + 0.00) ÷ 2"),
        (StepKind.PATH_MEAN, "path 2", "(0.00 + 0.00) ÷ 2"),
        (StepKind.BEST_PATH, "best path: path 1", "max(0.10, 0.00)"),
        (StepKind.COMBINED, "mean of required points and best path", "(0.75 + 0.10) ÷ 2"),
        (StepKind.STORED, "Weval stores", "0.425 to two decimals"),
    ]


def test_weights_show_in_the_working() -> None:
    weighted = prompt([text("Critical requirement", 3), text("Standard point")])
    assert explain(weighted, assessed(weighted, [1.0, 0.5])).steps[0].working == "(1.00×3 + 0.50×1) ÷ 4"


def test_the_working_of_a_long_list_tells_the_two_sums() -> None:
    long = prompt([text(str(number)) for number in range(9)])
    working = explain(long, assessed(long, [1.0] * 4 + [0.5] * 5)).steps[0].working
    assert working == "6.50 ÷ 9, the sums over 9 points"


def test_the_wireframe_scores_37_5_from_75_and_0() -> None:
    explanation = wireframe()
    assert explanation.required is not None
    assert (explanation.required.score, explanation.paths[0].score, explanation.score) == (0.75, 0.0, 0.375)


def test_the_wireframe_is_stored_by_weval_as_0_38() -> None:
    assert (wireframe().weval.stored, wireframe().weval.reasons) == (0.38, ())


def test_the_gain_of_a_point_is_what_meeting_it_alone_would_add() -> None:
    explanation = wireframe()
    assert explanation.required is not None
    gains = [point.gain for point in explanation.required.points if point.gain is not None]
    assert [to_fixed(gain * 100, 1) for gain in gains] == ["0.0", "4.2", "8.3"]


def test_the_gain_of_a_path_is_what_meeting_all_of_it_would_add() -> None:
    assert [path.gain for path in wireframe().paths] == [0.5, 0.5]


def test_advice_ranks_by_what_acting_would_gain() -> None:
    assert [advice.text for advice in wireframe().advice] == [
        "meet one path: up to 87.5",
        "“Gives an example from case law” in full → 45.8",
        "flatten the paths → 45.0",
        "“Says that offence is no ground” in full → 41.7",
    ]


def test_flattening_is_not_advised_where_a_path_holds_several_points() -> None:
    advice = explain(WORKED, assessed(WORKED, WORKED_EXTENTS)).advice
    assert not any("flatten" in each.text for each in advice)


def test_advice_for_should_not_is_to_keep_clear_of_it() -> None:
    rude = prompt(should_not=[text("is rude")])
    assert [advice.text for advice in explain(rude, assessed(rude, [0.25])).advice] == ["avoid “is rude” → 100.0"]


def test_advice_for_an_alternative_of_should_not_is_to_keep_clear_of_it() -> None:
    rude = prompt([text("answers")], [[text("is rude"), text("is dismissive")]])
    best = explain(rude, assessed(rude, [1.0, 0.0, 0.5])).advice[0]
    assert best.text == "avoid all of path 1: up to 100.0"


def ideal(low: float, high: float, judged: int = 5) -> IdealScore:
    figure = f"{low * 100:g}" if low == high else f"{low * 100:g}–{high * 100:g}"
    return IdealScore(Bounds(low, high), judged, figure, "" if low == high else "3 of 5 points judged")


@every(
    ("ideal", "verdict"),
    [
        (ideal(1, 1), "evidence: look at the answer, as the ideal scores 100 on this rubric"),
        (
            ideal(0.5, 0.5),
            "evidence: look at the answer and the rubric, as the ideal scores 50 on this rubric, more than this answer",
        ),
        (
            ideal(0.375, 0.375),
            "evidence: look at the rubric, as the ideal scores 37.5 on this rubric, no more than this answer",
        ),
        (
            ideal(0.5, 1),
            "evidence: look at the answer, as the ideal scores 50–100 on this rubric (3 of 5 points judged), more than "
            "this answer",
        ),
        (
            ideal(0.5, 0.75),
            "evidence: look at the answer and the rubric, as the ideal scores 50–75 on this rubric (3 of 5 points "
            "judged), more than this answer",
        ),
        (
            ideal(0, 0.25),
            "evidence: look at the rubric, as the ideal scores 0–25 on this rubric (3 of 5 points judged), no more "
            "than this answer",
        ),
        (
            ideal(0.25, 0.75),
            "the ideal scores 25–75 on this rubric (3 of 5 points judged): no evidence on the rubric or the answer "
            "until all points of both are judged",
        ),
        (
            ideal(0, 1, judged=0),
            "the ideal's score on this rubric is not known: run the ideal, and grade or judge it",
        ),
    ],
)
def test_the_ideals_score_is_evidence_on_the_rubric_or_the_answer(ideal: IdealScore, verdict: str) -> None:
    assert explain(WIREFRAME, assessed(WIREFRAME, [1, 0.75, 0.5, 0, 0]), ideal).against_ideal == verdict


def test_an_answer_that_scores_100_is_not_held_against_the_ideal() -> None:
    assert explain(WIREFRAME, assessed(WIREFRAME, [1, 1, 1, 1, 1]), ideal(1, 1)).against_ideal is None


@given(
    extents=st.lists(st.sampled_from([None, 0.0, 0.5, 1.0]), min_size=5, max_size=5),
    bounds=st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.sampled_from([0.0, 0.25, 0.5, 1.0])).map(sorted),
)
def test_nothing_is_said_of_the_ideal_that_a_verdict_to_come_could_contradict(
    extents: list[float | None], bounds: list[float]
) -> None:
    low, high = bounds
    explanation = explain(WIREFRAME, assessed(WIREFRAME, extents), ideal(low, high))
    said = explanation.against_ideal or ""
    assert ("look at the answer" in said) <= (low >= 1 or low > explanation.bounds.high)
    assert ("look at the rubric" in said) <= (high <= explanation.bounds.low)
    assert ("and the rubric" in said) <= (high < 1)


def test_unassessed_points_are_left_out_and_open_the_bounds() -> None:
    explanation = explain(WIREFRAME, assessed(WIREFRAME, [1.0, None, None, 1.0, 0.0]))
    assert (explanation.score, explanation.bounds) == (1.0, Bounds((1 / 3 + 1) / 2, 1.0))


def test_a_group_without_any_verdict_takes_no_part() -> None:
    explanation = explain(WIREFRAME, assessed(WIREFRAME, [None, None, None, 1.0, 0.0]))
    assert explanation.required is not None
    assert (explanation.required.score, explanation.score, explanation.bounds) == (None, 1.0, Bounds(0.5, 1.0))


def test_bounds_are_closed_once_every_point_is_assessed() -> None:
    assert wireframe().bounds == Bounds(0.375, 0.375)


def test_nothing_assessed_gives_no_score() -> None:
    explanation = explain(WIREFRAME, assessed(WIREFRAME, [None] * 5))
    assert (explanation.score, explanation.weval.stored, explanation.bounds) == (None, None, Bounds(0.0, 1.0))


def broken_check_beside_a_good_one() -> Explanation:
    two = prompt([check("contains", "a"), check("contians", "b")])
    good, bad = place(two)
    return explain(
        two,
        [
            Assessment(good, 1.0, AssessedBy.FUNCTION),
            Assessment(bad, 0.0, AssessedBy.FUNCTION, error="there is no function contians"),
        ],
    )


def test_a_check_that_errored_counts_0() -> None:
    assert broken_check_beside_a_good_one().score == 0.5


def test_weval_leaves_an_error_out_and_the_explanation_says_so() -> None:
    weval = broken_check_beside_a_good_one().weval
    assert weval.stored == 1.0
    assert "left out of the mean on Weval" in weval.reasons[0]


def test_a_point_that_no_judge_could_judge_is_no_check_that_failed() -> None:
    of = prompt(should=[text("a"), [text("b")], [text("c")]])
    first, second, third = assessed(of, [1, None, None])
    failed = [replace(each, by=AssessedBy.JUDGE, error="the judge timed out") for each in (second, third)]
    weval = explain(of, [first, *failed]).weval
    assert weval.unrounded == 0.5
    assert weval.reasons == ("A group in which no point could be judged counts 0 on Weval and is still averaged in.",)


def test_weval_stores_0_where_no_judge_could_judge_at_all() -> None:
    of = prompt([text("a")])
    (failed,) = assessed(of, [None])
    weval = explain(of, [replace(failed, by=AssessedBy.JUDGE, error="the judge timed out")]).weval
    assert weval.stored == 0
    assert weval.reasons == ("A group in which no point could be judged counts 0 on Weval and is still averaged in.",)


def test_a_tie_of_half_a_hundredth_is_rounded_as_weval_adds_up_functions_first() -> None:
    weighted = [(0.25, 0.3), (0.67, 0.5), (0.75, 0.3), (1, 0.5), (0, 1), (0, 1), (0, 0.1), (1, 0.1)]
    points = [
        text(f"t{at}", weight) if at < 3 else check("contains", f"c{at}", weight)
        for at, (_, weight) in enumerate(weighted)
    ]
    of = prompt(points)
    assert explain(of, assessed(of, [extent for extent, _ in weighted])).weval.stored == 0.32  # 0.33 as written


def test_weval_leaves_out_a_check_that_it_does_not_know() -> None:
    two = prompt([check("contains", "a"), check("imatches_all_of", ["b"])])
    first, second = assessed(two, [1.0, 0.0])
    weval = explain(two, [first, replace(second, on_weval=OnWeval.ERROR)]).weval
    assert (weval.stored, len(weval.reasons)) == (1.0, 1)


def test_a_check_that_gives_nan_spoils_the_whole_score_on_weval() -> None:
    two = prompt([check("contains", "a"), check("js", "NaN")])
    first, second = assessed(two, [1.0, 0.0])
    weval = explain(two, [first, replace(second, error="returned NaN", on_weval=OnWeval.NAN)]).weval
    assert (weval.stored, weval.reasons) == (
        None,
        ("A check gives NaN, which on Weval makes the whole score no number.",),
    )


def test_weval_puts_equal_path_ids_of_both_blocks_into_one_group() -> None:
    both = prompt([[text("a")]], [[text("b")]])
    explanation = explain(both, assessed(both, [1.0, 0.0]))
    assert (explanation.score, explanation.weval.stored) == (1.0, 0.5)
    assert explanation.weval.reasons[0].startswith(
        "Weval merges paths of should and should_not into one, path 1 with path 2; documented, and here, "
    )


def test_the_paths_that_weval_merges_have_their_numbers_of_the_screen() -> None:
    both = prompt([[text("a")], [text("b")]], [text("x"), [text("c")]])
    reason = explain(both, assessed(both, [0.0, 0.25, 1.0, 1.0])).weval.reasons[0]
    assert "path 2 with path 3;" in reason


def test_a_met_alternative_of_should_not_is_named_with_the_path_that_forgives_it() -> None:
    alternatives = prompt([text("answers")], [[text("is rude")], [text("is evasive")]])
    notes = explain(alternatives, assessed(alternatives, [1.0, 0.0, 1.0])).notes
    assert notes == (
        "The response meets path 1 of should_not, which the documents call a failure. As only the best "
        "path counts, path 2 with 100.0 forgives it. If the alternative that is met decided instead, the "
        "score would be 50.0.",
    )


def test_a_prompt_without_points_says_that_nothing_is_scored() -> None:
    assert explain(prompt(), ()).notes == ("This prompt has no points: nothing is scored.",)


def test_a_prompt_with_only_an_ideal_says_what_weval_would_do() -> None:
    (note,) = explain(prompt(ideal="Paris"), ()).notes
    assert note.endswith("Weval would have a model draw points from the ideal.")


def test_an_assessment_too_few_is_refused() -> None:
    with pytest.raises(ValueError):
        explain(WORKED, assessed(WORKED, WORKED_EXTENTS)[:-1])


# Laws

EXTENTS = st.floats(0, 1)
WEIGHTS = st.floats(0.1, 10)
PATHS = st.sampled_from([None, None, "path_1", "path_2", "not_path_1"])
POINTS = st.lists(st.builds(PointExtent, EXTENTS, WEIGHTS, PATHS), min_size=1, max_size=8)
BLOCK = st.lists(
    st.one_of(
        st.builds(text, st.just("p"), WEIGHTS),
        st.lists(st.builds(text, st.just("p"), WEIGHTS), min_size=1, max_size=2),
    ),
    max_size=3,
)
PROMPTS = st.builds(prompt, BLOCK, BLOCK)


@given(POINTS)
def test_a_score_lies_between_0_and_1(points: list[PointExtent]) -> None:
    assert 0 <= aggregate(points) <= 1


@given(POINTS, st.data())
def test_a_score_never_falls_when_an_extent_rises(points: list[PointExtent], data: st.DataObject) -> None:
    place_of_one = data.draw(st.integers(0, len(points) - 1))
    raised = data.draw(st.floats(points[place_of_one].extent or 0, 1))
    better = [*points]
    better[place_of_one] = PointExtent(raised, points[place_of_one].multiplier, points[place_of_one].path_id)
    assert aggregate(better) >= aggregate(points)


@given(POINTS, st.randoms(use_true_random=False))
def test_a_score_is_indifferent_to_the_order_of_points(points: list[PointExtent], random: Any) -> None:
    shuffled = random.sample(points, len(points))
    assert aggregate(shuffled) == pytest.approx(aggregate(points))


@given(POINTS)
def test_where_everything_is_assessed_both_readings_agree(points: list[PointExtent]) -> None:
    assert groups_of(points).score == aggregate(points)


@settings(deadline=None)
@given(PROMPTS, st.data())
def test_bounds_hold_the_score_of_every_completion_and_both_are_reached(some: Prompt, data: st.DataObject) -> None:
    count = len(some.points())
    extents = data.draw(st.lists(st.one_of(st.none(), EXTENTS), min_size=count, max_size=count))
    bounds = explain(some, assessed(some, extents)).bounds
    open_places = [place for place, extent in enumerate(extents) if extent is None]
    scores = []
    for choice in product((0.0, 0.4, 1.0), repeat=min(len(open_places), 4)):
        filled = dict(zip(open_places, (*choice, *choice[-1:] * len(open_places)), strict=False))
        completed = [filled.get(place, extent) for place, extent in enumerate(extents)]
        scores.append(explain(some, assessed(some, completed)).score or 0.0)
    assert (min(scores), max(scores)) == (bounds.low, bounds.high)


@settings(deadline=None)
@given(PROMPTS, st.data())
def test_a_partial_score_lies_within_its_bounds(some: Prompt, data: st.DataObject) -> None:
    count = len(some.points())
    extents = data.draw(st.lists(st.one_of(st.none(), EXTENTS), min_size=count, max_size=count))
    explanation = explain(some, assessed(some, extents))
    low, high = explanation.bounds.low, explanation.bounds.high
    assert explanation.score is None or low - 1e-9 <= explanation.score <= high + 1e-9


@settings(deadline=None)
@given(PROMPTS, st.data())
def test_a_gain_comes_true_once_the_point_is_met(some: Prompt, data: st.DataObject) -> None:
    count = len(some.points())
    extents = data.draw(st.lists(st.one_of(st.none(), EXTENTS), min_size=count, max_size=count))
    given_ones = assessed(some, extents)
    explanation = explain(some, given_ones)
    gains = {id(point.assessment): point.gain for group in explanation.groups() for point in group.points}
    for place_of_one, one in enumerate(given_ones):
        met = explain(some, assessed(some, [*extents[:place_of_one], 1.0, *extents[place_of_one + 1 :]])).bounds
        rise = None if one.extent is None else pytest.approx(max(met.low - explanation.bounds.low, 0.0))
        assert gains[id(one)] == rise


def test_while_points_are_open_a_point_gains_within_the_bounds() -> None:
    four = prompt([text("a"), text("b"), text("c"), text("d")])
    explanation = explain(four, assessed(four, [0.0, 1.0, None, None]))
    (point, *_) = explanation.groups()[0].points
    assert (explanation.bounds, point.met) == (Bounds(0.25, 0.75), Bounds(0.5, 1.0))
    assert point.gain == 0.25
    assert [advice.text for advice in explanation.advice] == ["“a” in full → 50–100"]


def test_a_gain_is_not_certain_while_an_open_point_of_its_path_can_take_it_back() -> None:
    some = prompt([[text("a"), text("b"), text("c")], [text("d"), text("e"), text("f")]])
    explanation = explain(some, assessed(some, [0.0, 1.0, 1.0, 0.0, 1.0, None]))
    behind = explanation.paths[1].points[0]
    assert explanation.bounds.closed
    assert behind.gain == 0.0


def test_once_nothing_is_open_a_gain_leads_to_one_score() -> None:
    point = wireframe().groups()[0].points[1]
    assert point.met.low == point.met.high == pytest.approx(0.375 + (point.gain or 0))


@given(st.lists(st.tuples(st.none() | st.floats(0, 1), st.sampled_from([None, 0, 1])), min_size=2, max_size=7))
def test_no_advice_promises_more_than_can_come_out_of_it(points: list[tuple[float | None, int | None]]) -> None:
    """Acting, and then judging what is open as well or as badly as can be, lies at the bounds that were told."""
    paths: list[list[Any]] = [[], []]
    entries: list[Any] = []
    extents: list[float | None] = []
    for extent, path in sorted(points, key=lambda each: -1 if each[1] is None else each[1]):
        (entries if path is None else paths[path]).append(text(f"p{len(extents)}"))
        extents.append(extent)
    rubric = prompt([*entries, *(path for path in paths if path)])
    explanation = explain(rubric, assessed(rubric, extents))
    placed = [point for group in explanation.groups() for point in group.points]
    for index, point in enumerate(placed):
        met = [1.0 if place == index and each is not None else each for place, each in enumerate(extents)]
        for unknown, told in ((0.0, point.met.low), (1.0, point.met.high)):
            after = explain(rubric, assessed(rubric, [unknown if each is None else each for each in met])).score
            assert told == pytest.approx(after or 0.0)
