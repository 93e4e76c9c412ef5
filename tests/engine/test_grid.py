"""Grids: spreads, costs and totals with their bounds, and differences whose parts add up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.evaluation.sources import compared_models
from engine.scoring.assessment import AssessedBy, Assessment, Bounds, ChangedPart, StoredJudgement
from engine.scoring.sums import PointExtent, groups_of, place
from engine.study.matrix import (
    MEAN,
    NOT_RUN,
    AnswerState,
    ColumnDifference,
    Matrix,
    PromptRow,
    RowOrder,
    ScoredAnswer,
    column_difference,
    criteria_of,
    in_order,
    point_costs,
    row_difference,
    spread_of,
    under_judge,
)
from engine.study.matrix_view import MatrixCell, with_extremes
from engine.text.record import replace
from tests.engine.builders import assessed, check, prompt, text
from tests.engine.short_cases import assert_says, data_of
from tests.expected import present
from tests.many_cases import every

SHORT = prompt([text("A"), text("B")])
FAILED = ScoredAnswer(AnswerState.FAILED)
WITHHELD = ScoredAnswer(AnswerState.WITHHELD)
EXTENTS = st.none() | st.sampled_from([0.0, 0.25, 0.33, 0.5, 0.67, 1.0])
WEIGHTS = st.sampled_from([0.5, 1.0, 3.0])
BLOCK = st.lists(
    st.builds(text, st.sampled_from("ABCD"), WEIGHTS)
    | st.lists(st.builds(text, st.sampled_from("ABCD"), WEIGHTS), min_size=1, max_size=3),
    max_size=4,
)


def answer(extents: list[float | None], of: Prompt = SHORT, *, is_cut: bool = False) -> ScoredAnswer:
    return ScoredAnswer(AnswerState.SCORED, lambda: assessed(of, extents), is_cut=is_cut)


def row(*answers: ScoredAnswer, name: str = "p", weight: float = 1.0) -> PromptRow:
    return PromptRow(name, 1, weight, answers)


def grid(*rows: PromptRow) -> Matrix:
    return Matrix(tuple(f"m{at}" for at in range(len(rows[0].answers))), rows)


@st.composite
def answers_to(draw: st.DrawFn, of: Prompt) -> ScoredAnswer:
    size = len(of.points())
    return answer(draw(st.lists(EXTENTS, min_size=size, max_size=size)), of)


@st.composite
def grids(draw: st.DrawFn) -> Matrix:
    rows: list[PromptRow] = []
    columns = draw(st.integers(2, 4))
    for number in range(draw(st.integers(1, 4))):
        of = prompt(draw(BLOCK), draw(BLOCK))
        cells = [draw(answers_to(of) | st.sampled_from([NOT_RUN, FAILED])) for _ in range(columns)]
        rows.append(row(*cells, name=f"p{number}", weight=draw(WEIGHTS)))
    return grid(*rows)


# Verdicts that are carried over


def carried(extents: list[float | None]) -> ScoredAnswer:
    """An answer to `SHORT` whose first verdict is carried over."""
    first, second = assessed(SHORT, extents)
    old = replace(first, by=AssessedBy.JUDGE, carried_over=(ChangedPart.CRITERIA,))
    verdicts = [[StoredJudgement("strict", each, "")] for each in extents]
    return ScoredAnswer(AnswerState.SCORED, lambda: (old, second), lambda: verdicts)


def test_a_verdict_from_before_an_edit_counts_and_is_marked() -> None:
    assert carried([1.0, 0.0]).bounds == Bounds(0.5, 0.5)
    assert under_judge(carried([1.0, 0.0]), "strict").bounds == Bounds(0.5, 0.5)
    assert (carried([1.0, 0.0]).marks, answer([1.0, 0.0]).marks) == ("*", "")


# Spread, cost, order and totals


@every(
    ("scores", "spread"),
    [
        ([(0.2, 0.2), (0.9, 0.9)], (0.7, 0.7)),
        ([(0.2, 0.6), (0.9, 0.9)], (0.3, 0.7)),
        ([(0.0, 1.0), (0.5, 0.5)], (0.0, 0.5)),
        ([(0.0, 1.0), (0.0, 1.0)], (0.0, 1.0)),
    ],
)
def test_a_spread_lies_between_the_least_and_the_greatest_possible(
    scores: list[tuple[float, float]], spread: tuple[float, float]
) -> None:
    found = present(spread_of([Bounds(*each) for each in scores]))
    assert (found.low, found.high) == pytest.approx(spread)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted), min_size=2, max_size=5), st.data())
def test_a_spread_holds_every_completion(ranges: list[list[float]], data: st.DataObject) -> None:
    scores = [data.draw(st.floats(low, high)) for low, high in ranges]
    spread = present(spread_of([Bounds(low, high) for low, high in ranges]))
    assert spread.low - 1e-9 <= max(scores) - min(scores) <= spread.high + 1e-9


@given(grids())
def test_the_costs_of_the_rows_add_up_to_100_less_the_mean_of_the_rows(made: Matrix) -> None:
    costs = [cost for each in made.rows if (cost := made.cost(each)) is not None]
    means = [(each.weight, each.mean) for each in made.rows if each.mean is not None]
    if means:
        low = sum(weight * mean.low for weight, mean in means) / sum(weight for weight, _ in means)
        assert sum(cost.high for cost in costs) == pytest.approx(1 - low)


@every(
    ("keys", "models"),
    [
        (("ideal", "openai:a", "control:echo", "b"), (1, 3)),
        (("published:ideal", "published:openai:a", "openai:a"), (1, 2)),
        (("ideal", "openai:a"), ()),
        (("response", "fixtures", "ideal"), ()),
    ],
)
def test_the_ideal_written_answers_and_test_answers_are_no_models(
    keys: tuple[str, ...], models: tuple[int, ...]
) -> None:
    assert compared_models(keys) == models


def test_criteria_that_only_one_rubric_has_are_rows_of_their_own() -> None:
    older, newer = prompt([text("A")]), prompt([text("B"), text("A")])
    found = criteria_of(row(answer([1.0], older), answer([0.0, 0.5], newer)))
    assert [(each.placed.point.text, [one and one.extent for one in each.assessments]) for each in found] == [
        ("A", [1.0, 0.5]),
        ("B", [None, 0.0]),
    ]


# The cases of `matrix_cases.txt`


def span(of: Bounds | None) -> str:
    return "nothing" if of is None else f"{of.low:.4g}" if of.closed else f"{of.low:.4g}–{of.high:.4g}"


def figures(spread: Bounds | None, costs: Bounds | None) -> str:
    return f"spread {span(spread)}, costs {span(costs)}"


def answer_from(written: Any) -> ScoredAnswer:
    match written:
        case str():
            return ScoredAnswer(AnswerState(written))
        case {"cut": extents}:
            return answer(extents, is_cut=True)
        case {"no judge": extents}:
            found = [replace(each, by=AssessedBy.JUDGE, error="no judge") for each in assessed(SHORT, extents)]
            return ScoredAnswer(AnswerState.SCORED, lambda: found)
        case extents:
            return answer(extents)


def row_from(name: str, written: dict[str, Any]) -> PromptRow:
    answers = tuple(map(answer_from, written["answers"]))
    return PromptRow(name, 1, written.get("weight", 1.0), answers, models=tuple(written.get("models", ())))


def of_row(made: Matrix, row: PromptRow) -> Iterator[str]:
    cells = with_extremes([MatrixCell(span(each)) for each in row.bounds], row)
    marked = [f"{cell.text}{' best' * cell.is_best}{' worst' * cell.is_worst}" for cell in cells]
    yield f"{row.name}: {', '.join(marked)}; {figures(row.spread, made.cost(row))}, mean {span(row.mean)}"
    for each in criteria_of(row):
        yield f"  {each.placed.point.text}: {each.standing or 'open'}, {figures(each.spread, each.costs)}"
    for column in range(len(row.answers)):
        found = row_difference(row, column, MEAN)
        if found is not None:
            parts = ", ".join(map(span, found.by_criterion.values()))
            yield f"  m{column} less the others: {span(found.difference)} of {parts}"


def told(_: str, written: str) -> Iterator[str]:
    """All figures of a matrix of answers to the criteria A and B, each by its extents."""
    made = grid(*(row_from(*each) for each in data_of(written).items()))
    for each in made.rows:
        yield from of_row(made, each)
    for name, total in zip(made.columns, made.totals, strict=True):
        counted = f"{total.scored} scored, {total.failed} failed, {total.withheld} withheld, {total.cut} cut"
        yield f"{name}: {total.headline}, with all {span(total.bounded)}; {counted} for {span(total.cut_cost)}"
    yield f"standings: {', '.join(f'{count} {each}' for each, count in made.standings.items()) or 'none'}"
    if len(made.rows) > 1:
        for order in RowOrder:
            yield f"by {order}: {', '.join(each.name for each in in_order(made.rows, order, made.cost))}"


def test_a_matrix_is_told_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("matrix_cases.txt"), told, pytestconfig)


# Differences


@given(grids(), st.booleans())
def test_the_parts_of_the_criteria_add_up_to_the_difference_of_the_prompt(made: Matrix, against_mean: bool) -> None:
    for each in column_difference(made, 0, MEAN if against_mean else 1).prompts:
        parts = each.by_criterion.values()
        assert sum(part.low for part in parts) == pytest.approx(each.difference.low, abs=1e-9)
        assert sum(part.high for part in parts) == pytest.approx(each.difference.high, abs=1e-9)


@given(grids())
def test_the_parts_of_the_prompts_add_up_to_the_difference_of_the_means(made: Matrix) -> None:
    found = column_difference(made, 0, 1)
    pairs = [(each, each.answers[0].bounds, each.answers[1].bounds) for each in made.rows]
    both = [(each.weight, one, other) for each, one, other in pairs if one is not None and other is not None]
    weights = sum(weight for weight, _, _ in both)
    assert len(found.prompts) + len(found.left_out) == len(made.rows)
    if found.total is not None:
        low = sum(weight * (one.low - other.high) for weight, one, other in both) / weights
        assert found.total.low == pytest.approx(low)


@given(grids(), st.data())
def test_a_difference_holds_every_completion(made: Matrix, data: st.DataObject) -> None:
    for each in made.rows:
        total = column_difference(grid(each), 0, 1).total
        if total is not None:
            one, other = (completed(each.answers[at], data) for at in (0, 1))
            assert total.low - 1e-9 <= one - other <= total.high + 1e-9


def completed(of: ScoredAnswer, data: st.DataObject) -> float:
    points = [
        PointExtent(data.draw(st.floats(0, 1)) if each.extent is None else each.extent, each.multiplier, each.path_id)
        for each in of.points
    ]
    return present(groups_of(points).score)


@given(grids())
def test_the_differences_from_the_mean_of_two_are_those_from_the_other(made: Matrix) -> None:
    two = grid(*[replace_answers(each) for each in made.rows])
    assert _totals(column_difference(two, 0, MEAN)) == _totals(column_difference(two, 0, 1))


def replace_answers(each: PromptRow) -> PromptRow:
    return PromptRow(each.name, each.number, each.weight, each.answers[:2])


def _totals(of: ColumnDifference) -> object:
    return of.total and (pytest.approx(of.total.low), pytest.approx(of.total.high))


# Each judge alone


def test_the_score_under_one_judge_leaves_its_missing_verdicts_open() -> None:
    of = prompt([text("A"), text("B"), check("icontains", "x")], [text("C")])
    verdicts = ([("one", 1.0), ("two", 0.0)], [("two", 0.5)], [], [("one", 0.25), ("two", 1.0)])

    def read() -> tuple[Assessment, ...]:
        return tuple(
            Assessment(placed, 1.0, AssessedBy.HUMAN, published=tuple(StoredJudgement(*each, "") for each in given))
            for placed, given in zip(place(of), verdicts, strict=True)
        )

    made = grid(row(ScoredAnswer(AnswerState.SCORED, read)))
    assert made.judges == ("one", "two")
    assert [each.extent for each in made.under("one").rows[0].answers[0].assessments] == [1.0, None, 1.0, 0.75]
    assert [each.extent for each in made.under("two").rows[0].answers[0].assessments] == [0.0, 0.5, 1.0, 0.0]


@given(st.data())
def test_costs_add_up_to_100_less_each_bound(data: st.DataObject) -> None:
    of = prompt(data.draw(BLOCK), data.draw(BLOCK))
    made = data.draw(answers_to(of))
    if made.bounds is not None:
        costs = point_costs(made.points)
        assert sum(each.low for each in costs) == pytest.approx(1 - made.bounds.high)
        assert sum(each.high for each in costs) == pytest.approx(1 - made.bounds.low)
