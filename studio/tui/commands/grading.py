"""All answers of one criterion: going from one to another, grading them blind, and making cases of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.tui.session_screen import SessionScreen


async def all_answers(studio: SessionScreen) -> None:
    """Show all answers, with what judges say of the selected criterion, or else of the one at the cursor."""
    await _open(studio, _selected(studio))


def _selected(studio: SessionScreen) -> int | None:
    """The criterion that is selected among the criteria, where these have the keys."""
    return studio.session.state.row[0] if studio.halves.focused is Pane.CRITERIA else None


async def _open(studio: SessionScreen, point: int | None) -> bool:
    runs = await studio.checked_runs()
    found = await runs.criterion.open(point, studio.session.state.cursor)
    if found:
        studio.open_pane(Pane.ANSWERS)
    return found


async def step_to_criterion(studio: SessionScreen, by: int) -> None:
    """Show all answers with what judges say of a neighbouring criterion. The selected and marked ones stay."""
    current = (await studio.session.ready()).criterion.current
    if current is not None and current.found is not None:
        index = current.found.index + by
        if 0 <= index < len(current.found.prompt.points()):
            await _open(studio, index)


async def grade_blind(studio: SessionScreen) -> None:
    """Hide the names and verdicts of all answers, to be graded; or show them again, with the agreement."""
    runs = await studio.session.ready()
    is_there = Pane.ANSWERS in studio.halves.panes
    if runs.blind.end() or not (is_there or await _open(studio, _selected(studio))):
        return
    if (current := runs.criterion.current) is None or not current.can_grade:
        _tell(studio, "Select a criterion in words: its answers are graded blind.")
        return
    await runs.blind.begin()
    studio.halves.put(Pane.ANSWERS, Pane.ANSWER)


async def next_ungraded(studio: SessionScreen) -> None:
    """Go to the next answer without a grade; blind, also to one to another criterion of the file."""
    runs, answers = await studio.session.ready(), studio.panes.answers
    if answers is None:
        return
    if answers.answer is not None:
        runs.blind.skip(answers.answer.key)
    if answers.go_to_ungraded():
        return
    found = runs.blind.next()
    if found is None:
        _tell(studio, "Each answer has a grade." + " h shows the verdicts." * (runs.blind.sitting is not None))
        return
    point, pair = found
    studio.show_text_at(point.point.span.start, studio.session.state.text.revision)
    if await _open(studio, point.index):
        runs.criterion.select(pair.subject)
        studio.draw_panes()
        answers.select(pair.subject)


async def earlier_wording(studio: SessionScreen) -> None:
    """Write an earlier wording into the text again, as one step of undo."""
    runs = await studio.checked_runs()
    change = None if _is_blind(studio) else await runs.criterion.take_back()
    if change is not None:
        studio.apply(change)


def choose_known(studio: SessionScreen) -> None:
    """Choose the answers on which criteria are judged."""
    if not _is_blind(studio):
        studio.session.with_runs(lambda runs: runs.criterion.choose_answers())


def make_case(studio: SessionScreen) -> None:
    """Make a case of the answer that is read: of the selected one of all answers, else of the run's."""
    runs = studio.session.runs
    if not _is_blind(studio):
        answer = runs.criterion.read_answer() if runs is not None and studio.halves.has_answers else None
        studio.session.with_runs(lambda runs: runs.cases.make(answer))


def _is_blind(studio: SessionScreen) -> bool:
    """Whether names and verdicts are hidden; the author is told."""
    is_blind = studio.session.runs is not None and studio.session.runs.blind.sitting is not None
    if is_blind:
        _tell(studio, "Names and verdicts are hidden while you grade blind: h shows them.")
    return is_blind


def _tell(studio: SessionScreen, message: str) -> None:
    studio.notify(message, timeout=4, markup=False)
