"""The arithmetic of the blueprint's score: the mean of its prompts' scores by their weights (002, prompt `weight`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.evaluation.headline import Headline
from engine.scoring.explanation import bounds_text
from studio.session.views.figures import from_prompts
from studio.session.views.overview_view import Overview, Total
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import COLUMN_WIDTH, heading

_MOST_TERMS = 8
"""With more prompts than this, the sum of scores is not written out."""
_MOST_NAMED = 40
_NAME_WIDTH = 18


def total_rows(view: Overview) -> Iterator[ResultRow]:
    """The two sums, their quotient, and the prompts left out of them. Empty before anything is scored."""
    total = view.total
    if total.headline is None or not total.weights > 0:
        return
    count = "1 prompt" if len(total.counted) == 1 else f"{len(total.counted)} prompts"
    points = _range(total.low, total.high)
    weighs = any(each.weight != 1 for each, _ in total.counted)
    yield heading("total", "Arithmetic", text=from_prompts(total.scored, view.prompt_count))
    yield _step("sum", "scores × weights" if weighs else "scores", _terms(total, weighs=weighs), points)
    if weighs:
        yield _step("weights", "weights", f"of {count}", _number(total.weights))
    else:
        yield _step("weights", "prompts", "each with weight 1", _number(total.weights))
    working = f"{points} ÷ {_number(total.weights)}"
    mean = bounds_text(total.low / total.weights / 100, total.high / total.weights / 100)
    yield _step("mean", "their mean", working, mean, Ink.STRONG)
    if left := view.prompt_count - len(total.counted):
        text = "1 prompt has" if left == 1 else f"{left} prompts have"
        named = [f"{each.number}  {each.id}: {each.said}" for each in view.prompts if not each.is_counted]
        named += [f"line {line}: cannot be read" for line in view.unread]
        yield _note("left", f"{text} no score: left out of the mean", named)
    if named := [f"{each.number}  {each.id}: {shown.whole}" for each, shown in total.counted if shown.is_open]:
        text = "1 score" if len(named) == 1 else f"{len(named)} scores"
        yield _note("open", f"{text} with points that are not judged", named)


def _terms(total: Total, *, weighs: bool) -> str:
    if len(total.counted) > _MOST_TERMS:
        return f"the sum over {len(total.counted)} prompts"
    figures = [(_term(headline), each.weight) for each, headline in total.counted]
    return " + ".join(f"{figure}×{weight:g}" if weighs else figure for figure, weight in figures)


def _term(headline: Headline) -> str:
    """A whole figure within a sum. Bounds are in parentheses."""
    low, high = headline.counted
    return f"{low}" if low == high else f"({low}–{high})"


def _step(key: str, name: str, working: str, result: str, ink: Ink = Ink.PLAIN) -> ResultRow:
    return ResultRow(
        f"total:{key}",
        working,
        lead=(Cell(f"  {name:<{_NAME_WIDTH}}"),),
        tail=(Cell(f" {result}".rjust(COLUMN_WIDTH), ink),),
        ink=Ink.DIM,
        detail_source=(Cell(name, Ink.STRONG), Cell(f"{working} = {result}" if " " in working else result)),
    )


def _note(key: str, text: str, named: Sequence[str]) -> ResultRow:
    """A note on some prompts, named in its detail."""
    more = [f"and {len(named) - _MOST_NAMED} more"] if len(named) > _MOST_NAMED else []
    cells = (Cell(text, Ink.STRONG), *(Cell(each) for each in (*named[:_MOST_NAMED], *more)))
    return ResultRow(f"total:{key}", text, lead=(Cell("  "),), ink=Ink.DIM, detail_source=cells)


def _range(low: float, high: float) -> str:
    return _number(low) if low == high else f"{_number(low)}–{_number(high)}"


def _number(number: float) -> str:
    """With at most two decimals, and no more than it has."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
