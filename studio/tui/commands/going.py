"""Going somewhere: to the next pane, back to the text, from problem to problem, to where the author typed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.session.analysis import Analysis
    from studio.tui.session_screen import SessionScreen


def next_pane(studio: SessionScreen) -> None:
    """Go to the next pane, in the order of the strip."""
    panes = list(Pane)
    studio.open_pane(panes[(panes.index(studio.halves.focused) + 1) % len(panes)])


def back_to_text(studio: SessionScreen) -> None:
    """Close what is open, one thing at a time; then go to the text."""
    is_closed = studio.close_problems() or _drop_what_if(studio) or studio.halves.end_zoom()
    if not (is_closed or _end_blind(studio) or _unmark(studio) or _close_run(studio)):
        studio.open_pane(Pane.TEXT)


def _drop_what_if(studio: SessionScreen) -> bool:
    runs = studio.session.runs
    if runs is None or studio.session.state.tried is None or studio.halves.focused is not Pane.CRITERIA:
        return False
    runs.what_if.drop()
    return True


def _close_run(studio: SessionScreen) -> bool:
    runs = studio.session.runs
    return runs is not None and studio.halves.focused is not Pane.TEXT and runs.selection.close()


def _end_blind(studio: SessionScreen) -> bool:
    runs = studio.session.runs
    return runs is not None and studio.halves.focused is not Pane.TEXT and runs.blind.end()


def _unmark(studio: SessionScreen) -> bool:
    runs = studio.session.runs
    return runs is not None and studio.halves.focused in (Pane.ANSWERS, Pane.ANSWER) and runs.criterion.unmark()


def step_to_problem(studio: SessionScreen, *, forwards: bool) -> object:
    """Go to the problem after the cursor, or before it; from the last one to the first, and back."""
    analysis = studio.session.state.analysis
    if analysis is None or analysis.diagnostics is None:
        return studio.run_worker(_step_once_known(studio, forwards=forwards))
    return _step(studio, analysis, forwards=forwards)


async def _step_once_known(studio: SessionScreen, *, forwards: bool) -> None:
    _step(studio, await studio.session.known(), forwards=forwards)


def _step(studio: SessionScreen, analysis: Analysis, *, forwards: bool) -> None:
    editor = studio.editor
    carried = (editor.carry(each.span.start, analysis.revision) for each in analysis.diagnostics or ())
    starts = sorted({start for start in carried if start is not None})
    if not starts:
        studio.notify("There are no problems to go to.", timeout=3, markup=False)
        return
    here = editor.cursor_offset
    index = bisect_right(starts, here) if forwards else bisect_left(starts, here) - 1
    studio.go_to(starts[index % len(starts)], editor.revision)


def last_typed(studio: SessionScreen) -> None:
    """Go back to where the author typed last, from a problem or a fix."""
    place = studio.editor.typed_at
    if place is None:
        studio.notify("You have typed nothing yet.", timeout=3, markup=False)
    else:
        studio.go_to(place, studio.editor.revision)
