"""Actions that go somewhere: to a pane, a prompt, a problem, to where the author typed; and what Esc closes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.session.analysis import Analysis
    from studio.tui.session_screen import SessionScreen


def outline(studio: SessionScreen) -> None:
    """The prompts of this file, with their problems and last scores. From there, F2 goes back to the text."""
    studio.open_pane(Pane.TEXT if studio.outline.has_focus else Pane.OUTLINE)


def problems(studio: SessionScreen) -> None:
    """All problems of this file, in a drawer below; F3 again, or Esc, closes it."""
    if not studio.close_problems():
        studio.open_problems()


def result(studio: SessionScreen) -> None:
    """The criteria of the prompt under the cursor: what each earned and costs, and what each judge says. From there,
    the same key goes to the answer."""
    studio.open_pane(Pane.ANSWER if studio.halves.focused is Pane.CRITERIA else Pane.CRITERIA)


def next_pane(studio: SessionScreen) -> None:
    """In the order of the line at the top."""
    panes = list(Pane)
    studio.open_pane(panes[(panes.index(studio.halves.focused) + 1) % len(panes)])


def previous_prompt(studio: SessionScreen) -> None:
    """Shows the prompt before this one, in all panes."""
    studio.step_to_prompt(-1)


def next_prompt(studio: SessionScreen) -> None:
    """Shows the prompt after this one, in all panes."""
    studio.step_to_prompt(1)


def zoom(studio: SessionScreen) -> None:
    """Shows the pane with the keys alone; the same key, or Esc, shows its neighbours again. In a list z does it."""
    studio.halves.zoom()


def back_to_text(studio: SessionScreen) -> None:
    """Closes what is open first, one thing at a time."""
    is_closed = studio.close_problems() or _drop_what_if(studio) or studio.halves.end_zoom()
    if not (is_closed or _close_of_run(studio)):
        studio.open_pane(Pane.TEXT)


def _drop_what_if(studio: SessionScreen) -> bool:
    runs = studio.session.runs
    if runs is None or studio.session.state.tried is None or studio.halves.focused is not Pane.CRITERIA:
        return False
    runs.what_if.drop()
    return True


def _close_of_run(studio: SessionScreen) -> bool:
    """End blind grading, take marks back, or close the run of another time, from a pane that shows them."""
    runs, pane = studio.session.runs, studio.halves.focused
    if runs is None or pane is Pane.TEXT:
        return False
    unmarks = pane in (Pane.ANSWERS, Pane.ANSWER)
    return runs.blind.end() or (unmarks and runs.criterion.unmark()) or runs.selection.close()


def previous_problem(studio: SessionScreen) -> None:
    """Moves the cursor to the problem before it; from the first one to the last."""
    _step_to_problem(studio, forwards=False)


def next_problem(studio: SessionScreen) -> None:
    """Moves the cursor to the problem after it; from the last one to the first."""
    _step_to_problem(studio, forwards=True)


def _step_to_problem(studio: SessionScreen, *, forwards: bool) -> None:
    analysis = studio.session.state.analysis
    if analysis is None or analysis.diagnostics is None:
        studio.run_worker(_step_once_known(studio, forwards=forwards))
    else:
        _step(studio, analysis, forwards=forwards)


async def _step_once_known(studio: SessionScreen, *, forwards: bool) -> None:
    _step(studio, await studio.session.known(), forwards=forwards)


def _step(studio: SessionScreen, analysis: Analysis, *, forwards: bool) -> None:
    editor = studio.editor
    carried = (editor.carry(each.span.start, analysis.revision) for each in analysis.diagnostics or ())
    starts = sorted({start for start in carried if start is not None})
    if not starts:
        studio.tell("There are no problems to go to.")
        return
    here = editor.cursor_offset
    index = bisect_right(starts, here) if forwards else bisect_left(starts, here) - 1
    studio.go_to(starts[index % len(starts)], editor.revision)


def last_typed(studio: SessionScreen) -> None:
    """After going to a problem, a criterion or another prompt."""
    place = studio.editor.typed_at
    if place is None:
        studio.tell("You have typed nothing yet.")
    else:
        studio.go_to(place, studio.editor.revision)
