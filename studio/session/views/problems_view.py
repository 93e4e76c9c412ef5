"""The view of the problems pane and the editor: all problems of the file, in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass

from engine.diagnostics import Diagnostic
from engine.text import Position
from studio.session.analysis import Analysis


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """A diagnostic and its start."""

    diagnostic: Diagnostic
    position: Position

    @property
    def place(self) -> str:
        """Line and column, from 1."""
        return f"{self.position.line + 1}:{self.position.column + 1}"


@dataclass(frozen=True, slots=True)
class ProblemsView:
    """The problems of the text at `revision`."""

    revision: int
    rows: tuple[ProblemRow, ...]


def problems_view(analysis: Analysis) -> ProblemsView | None:
    """The problems of `analysis`; None if it is not checked yet."""
    if analysis.diagnostics is None:
        return None
    rows = zip(analysis.diagnostics, analysis.positions, strict=True)
    return ProblemsView(analysis.revision, tuple([ProblemRow(*row) for row in rows]))
