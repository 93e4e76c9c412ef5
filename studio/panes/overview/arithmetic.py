"""The arithmetic of the blueprint's score: the mean of its prompts' scores by their weights (002, prompt `weight`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studio.panes.overview.view import Overview, Total
from studio.panes.result_view import Cell, Ink, ResultRow
from studio.panes.sections.parts import COSTS_WIDTH, heading

_MOST_TERMS = 8
"""A mean of more prompts than these is told by its two sums."""
_MOST_NAMED = 40
_NAME_WIDTH = 18


def total_rows(view: Overview) -> Iterator[ResultRow]:
    """The two sums and their quotient, then what takes no part in them; none before anything is scored."""
    total = view.total
    if total.score is None:
        return
    count = "1 prompt" if len(total.scored) == 1 else f"{len(total.scored)} prompts"
    weighs = any(each.weight != 1 for each in total.scored)
    yield heading("total", "Arithmetic", said=f"from {len(total.scored)} of {len(view.prompts)} prompts")
    yield _step("sum", "scores × weights" if weighs else "scores", _terms(total, weighs=weighs), _number(total.points))
    if weighs:
        yield _step("weights", "weights", f"of {count}", _number(total.weights))
    else:
        yield _step("weights", "prompts", "each with weight 1", _number(total.weights))
    working = f"{_number(total.points)} ÷ {_number(total.weights)}"
    yield _step("mean", "their mean", working, f"{total.score:.1f}", Ink.STRONG)
    if left := len(view.prompts) - len(total.scored):
        said = "1 prompt has" if left == 1 else f"{left} prompts have"
        named = [f"{each.number}  {each.id}: {each.state}" for each in view.prompts if each.figure is None]
        yield _note("left", f"{said} no score, and no part in this", named)
    if total.so_far:
        said = "1 score" if total.so_far == 1 else f"{total.so_far} scores"
        named = [
            f"{each.number}  {each.id}: {each.figure}"
            for each in total.scored
            if each.figure is not None and each.figure.so_far
        ]
        yield _note("open", f"{said} with points that are not judged (?)", named)


def _terms(total: Total, *, weighs: bool) -> str:
    if len(total.scored) > _MOST_TERMS:
        return f"the sum over {len(total.scored)} prompts"
    figures = [(each.figure.score, each.weight) for each in total.scored if each.figure is not None]
    return " + ".join(f"{score}×{weight:g}" if weighs else f"{score}" for score, weight in figures)


def _step(key: str, name: str, working: str, result: str, ink: Ink = Ink.PLAIN) -> ResultRow:
    return ResultRow(
        f"total:{key}",
        working,
        lead=(Cell(f"  {name:<{_NAME_WIDTH}}"),),
        tail=(Cell(result.rjust(COSTS_WIDTH), ink),),
        ink=Ink.DIM,
        told=(Cell(name, Ink.STRONG), Cell(f"{working} = {result}" if " " in working else result)),
    )


def _note(key: str, said: str, named: Sequence[str]) -> ResultRow:
    """A note on some prompts, which its detail names."""
    more = [f"and {len(named) - _MOST_NAMED} more"] if len(named) > _MOST_NAMED else []
    told = (Cell(said, Ink.STRONG), *(Cell(each) for each in (*named[:_MOST_NAMED], *more)))
    return ResultRow(f"total:{key}", said, lead=(Cell("  "),), ink=Ink.DIM, told=told)


def _number(number: float) -> str:
    """With at most two decimals, and no more than it has."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
