"""The notes on a score, and why Weval may store another."""

from __future__ import annotations

from collections.abc import Iterator

from engine.scoring.explanation import Explanation
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import Cell, ResultRow
from studio.tui.panes.sections.parts import heading


def note_rows(_: ResultView, explanation: Explanation) -> Iterator[ResultRow]:
    """The notes on this score, then why Weval stores another."""
    notes = (*explanation.notes, *explanation.weval.reasons)
    if not notes:
        return
    yield heading("notes", "Notes")
    for number, note in enumerate(notes):
        yield ResultRow(f"note:{number}", note, lead=(Cell("  "),), detail_source=(Cell(note),))
