"""The section “Why low”: what to change, by what each change would gain."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from engine.scoring.explanation import Explanation, bounds_text, points_text
from engine.text.spans import Span
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, Ink, ResultRow
from studio.tui.panes.sections.parts import heading

_EVIDENCE = "evidence: "
"""How the sentence begins; a row leaves it out below its heading, which says it."""


def advice_rows(view: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """The evidence on the rubric or the answer, then the changes, the largest gain first."""
    if not explanation.advice and explanation.against_ideal is None and not view.circular:
        return
    is_evidence = explanation.against_ideal is not None and explanation.against_ideal.startswith(_EVIDENCE)
    yield heading("why", "Why low", text="evidence, then changes" if is_evidence else "")
    if explanation.against_ideal is not None:
        short = explanation.against_ideal.removeprefix(_EVIDENCE)
        yield ResultRow("ideal", short, lead=(Cell("  "),), detail_source=(Cell(explanation.against_ideal),))
    if view.circular:
        yield ResultRow(
            "circular", view.circular, lead=(Cell("  "),), ink=Ink.WARNING, detail_source=(Cell(view.circular),)
        )
    fixes = _Fixable(view.fixable)
    for number, advice in enumerate(explanation.advice, 1):
        gain = points_text(advice.gain)
        after = bounds_text(advice.after.low, advice.after.high)
        detail = [Cell(f"adds {gain}: {after} then", Ink.DIM)]
        has_fix = advice.span is not None and fixes.touches(advice.span)
        if has_fix:
            detail.append(Cell("f  fix this in the blueprint", Ink.YOURS))
        yield ResultRow(
            key=f"advice:{advice.text}",
            text=advice.text,
            lead=(Cell(f"{number:2}  ", Ink.DIM),),
            tail=(Cell(f"+{gain}".rjust(8), Ink.MET), *((Cell("  f fix", Ink.YOURS),) if has_fix else ())),
            target=advice.span,
            fixable=has_fix,
            detail_source=(Cell(advice.text), *detail),
        )


class _Fixable:
    """The places that have a fix, indexed for many look-ups."""

    def __init__(self, spans: Sequence[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._last_ends = list(accumulate((span.end for span in ordered), max))

    def touches(self, span: Span) -> bool:
        """Whether any of them touches `span`."""
        before = bisect_right(self._starts, span.end)
        return before > 0 and self._last_ends[before - 1] >= span.start
