"""Why the score is low: what to do about it, by what acting would gain."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.explanation import Explanation
from engine.text import Span
from studio.panes.result_view import Cell, Ink, ResultRow, ResultView, hundred
from studio.panes.sections.parts import heading


def advice_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """Whether to mend the rubric or the answer, then what to do, by what it gains."""
    if not explanation.advice and explanation.against_ideal is None:
        return
    yield heading("why", "Why low")
    if explanation.against_ideal is not None:
        yield ResultRow(
            "ideal", explanation.against_ideal, lead=(Cell("    "),), detail=(Cell(explanation.against_ideal),)
        )
    for number, advice in enumerate(explanation.advice, 1):
        gain = f"+{hundred(advice.gain)}"
        can = [Cell(f"adds {hundred(advice.gain)}: {hundred(advice.after)} then", Ink.DIM)]
        mendable = advice.span is not None and any(_touch(advice.span, span) for span in view.fixable)
        if mendable:
            can.append(Cell("f  mend this in the blueprint", Ink.YOURS))
        yield ResultRow(
            key=f"advice:{advice.text}",
            text=advice.text,
            lead=(Cell(f"{number:2}  ", Ink.DIM),),
            tail=(Cell(gain.rjust(8), Ink.MET), *((Cell("  f fix", Ink.YOURS),) if mendable else ())),
            target=advice.span,
            mendable=mendable,
            detail=(Cell(advice.text), *can),
        )


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end
