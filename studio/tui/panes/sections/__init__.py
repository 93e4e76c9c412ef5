"""The rows of a result, section by section. A section is one module with one function, and one line of `SECTIONS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.scoring.explanation import Explanation
from studio.session.views.result_view import ResultView
from studio.tui.panes.result_row import ResultRow
from studio.tui.panes.sections.advice_section import advice_rows
from studio.tui.panes.sections.arithmetic_section import arithmetic_rows
from studio.tui.panes.sections.candidates_section import candidate_rows
from studio.tui.panes.sections.cases_section import case_rows
from studio.tui.panes.sections.judges_section import judge_rows
from studio.tui.panes.sections.notes_section import note_rows
from studio.tui.panes.sections.paths_section import path_rows
from studio.tui.panes.sections.points import required_rows
from studio.tui.panes.sections.published_section import published_rows
from studio.tui.panes.sections.target_section import target_rows
from studio.tui.panes.sections.tools_section import tool_rows
from studio.tui.panes.sections.waterfall_section import waterfall_rows

Section = Callable[[ResultView, Explanation], Iterator[ResultRow]]
"""The rows of one section, its heading first; none to leave the section out."""


SECTIONS: tuple[Section, ...] = (
    required_rows,
    path_rows,
    published_rows,
    tool_rows,
    target_rows,
    advice_rows,
    case_rows,
    waterfall_rows,
    arithmetic_rows,
    judge_rows,
    note_rows,
)
"""All sections, in the order of the screen."""


def result_rows(view: ResultView) -> tuple[ResultRow, ...]:
    """All rows for `view`, with gaps between sections. Before anything is scored, only the candidates."""
    rows: list[ResultRow] = []
    rows += candidate_rows(view)
    if view.explanation is None:
        return tuple(rows)
    for section in SECTIONS:
        of_section = list(section(view, view.explanation))
        if rows and of_section:
            rows.append(ResultRow(f"gap:{of_section[0].key}", "", selectable=False))
        rows += of_section
    return tuple(rows)
