"""The prompts by what they cost the blueprint's score."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import overload

from engine.evaluation.headline import Headline
from engine.scoring.explanation import Bounds
from studio.session.views import figures
from studio.session.views.figures import ago
from studio.session.views.overview_view import Order, Overview, PromptStanding, Total
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import COLUMN_WIDTH, heading, score_ink

_SCORE_WIDTH = 9
_WEIGHT_WIDTH = 7
_COLUMNS = {Order.SCORE: "score", Order.COST: "costs"}
_HEADING = "prompts"


class PromptRows(Sequence[ResultRow]):
    """The heading, and one row for each prompt: its score and what it costs. Enter shows its result.

    A row is made on first access.
    """

    def __init__(self, view: Overview, prompts: Sequence[PromptStanding], order: Order) -> None:
        """`prompts` are those of `view` in `order`."""
        self._view = view
        self._prompts = prompts
        self._order = order
        self._total = view.total
        self._weighs = any(prompt.weight != 1 for prompt in prompts)
        self._digits = len(str(len(prompts)))
        self._made: dict[int, ResultRow] = {}

    def __len__(self) -> int:
        return len(self._prompts) + 1 if self._prompts else 0

    @overload
    def __getitem__(self, index: int) -> ResultRow: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[ResultRow]: ...

    def __getitem__(self, index: int | slice) -> ResultRow | Sequence[ResultRow]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        if (row := self._made.get(index)) is None:
            row = self._made[index] = self._row(self._prompts[index - 1]) if index else self._heading()
        return row

    def _heading(self) -> ResultRow:
        weight = (Cell("weight".rjust(_WEIGHT_WIDTH), Ink.DIM),) if self._weighs else ()
        score, costs = _column(Order.SCORE, self._order, _SCORE_WIDTH), _column(Order.COST, self._order, COLUMN_WIDTH)
        title = "Prompts ▾" if self._order is Order.FILE else "Prompts"
        return heading(_HEADING, title, (*weight, score, costs), "s sorts")

    def _row(self, prompt: PromptStanding) -> ResultRow:
        return _row(self._view, self._total, prompt, self._digits, weighs=self._weighs)


def order_at(row: ResultRow, from_right: int) -> Order | None:
    """The order for a click on `row`, `from_right` cells from its right edge; None for other rows."""
    if row.key != f"heading:{_HEADING}":
        return None
    if from_right < COLUMN_WIDTH:
        return Order.COST
    return Order.SCORE if from_right < COLUMN_WIDTH + _SCORE_WIDTH else Order.FILE


def _column(column: Order, order: Order, width: int) -> Cell:
    """The heading of a column, strong if the prompts are sorted by it."""
    mark, ink = ("▾", Ink.STRONG) if column is order else ("", Ink.DIM)
    return Cell(f"{mark}{_COLUMNS[column]}".rjust(width), ink)


def _row(view: Overview, total: Total, prompt: PromptStanding, digits: int, *, weighs: bool) -> ResultRow:
    headline, costs = prompt.headline, total.costs(prompt)
    score = f" {prompt.state if headline is None else headline.marked_whole_figure}".rjust(_SCORE_WIDTH)
    costly = costs is not None and costs[1] >= 0.05
    tail = [
        Cell(score, Ink.DIM if headline is None else _ink(headline)),
        Cell(f" {_costs(costs, is_short=True)}".rjust(COLUMN_WIDTH), Ink.PLAIN if costly else Ink.DIM),
    ]
    if weighs:
        tail.insert(0, Cell(f" {prompt.weight:g}".rjust(_WEIGHT_WIDTH), Ink.DIM))
    return ResultRow(
        f"prompt:{prompt.number}",
        prompt.id,
        lead=(Cell(f" {prompt.number:>{digits}}  ", Ink.DIM),),
        tail=tuple(tail),
        prompt=prompt.number,
        target=prompt.span,
        detail_source=partial(_detail, view, total, prompt),
    )


def _ink(headline: Headline) -> Ink:
    low, high = headline.whole_bounds
    return score_ink(low / 100) if low == high else Ink.YOURS


def _costs(costs: tuple[float, float] | None, *, is_short: bool = False) -> str:
    """`12.5`; while it is open, bounds: `0–16.5`, or `0–17` if `is_short`; `–` if nothing is known."""
    if costs is None:
        return "–"
    figure = Headline(Bounds(costs[0] / 100, costs[1] / 100), None, None)
    return figure.whole_figure if is_short and figure.is_open else figure.figure


def _after(total: Total, weight: float, headline: Headline) -> str:
    """The blueprint's score if one prompt scored 100 instead of its `headline`."""
    low, high = headline.counted
    bounds = (
        Bounds(
            (total.low + weight * (100 - low)) / total.weights / 100,
            (total.high + weight * (100 - high)) / total.weights / 100,
        )
        if total.weights > 0
        else Bounds(0.0, 1.0)
    )
    return Headline(bounds, None, None).figure


def _detail(view: Overview, total: Total, prompt: PromptStanding) -> tuple[Cell, ...]:
    cells = [Cell(prompt.id, Ink.STRONG)]
    costs, headline = total.costs(prompt), prompt.headline
    weight = f"weight {prompt.weight:g}"
    if prompt.last is not None:
        rubric = "" if prompt.last.is_comparable else ", by another rubric"
        cells.append(Cell(f"the last run, {ago(prompt.last.began, figures.now())}{rubric}", Ink.DIM))
    if prompt.last is not None and not prompt.last.is_comparable:
        then = prompt.last.headline.said("scored", prompt.last.headline.whole)
        cells.append(Cell(f"{weight} · {then} then: it is not in the score"))
    elif headline is None or costs is None or total.headline is None:
        cells.append(Cell(f"{weight} · {prompt.said}: it is not in the score"))
    elif costs[1] < 0.05:
        cells.append(Cell(f"{weight} · {headline.said('scores', headline.whole)}, costs nothing"))
    else:
        after = f"at 100 the blueprint would score {_after(total, prompt.weight, headline)}"
        cells.append(Cell(f"{weight} · {headline.said('scores', headline.whole)}"))
        cells.append(Cell(f"costs {_costs(costs)}: {after}"))
    cells.append(Cell(f"Enter  its result with {view.answers}", Ink.DIM))
    return tuple(cells)
