"""Actions on all answers of one criterion: going from one to another, grading them blind, and making cases of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.tui.session_screen import SessionScreen


async def all_answers(studio: SessionScreen) -> None:
    """The answers to this prompt, with what each judge says of one criterion: the selected one, or the one at the
    cursor. There F5 runs this criterion on these answers."""
    await _open_selected(studio)


async def _open_selected(studio: SessionScreen) -> None:
    """Open the criterion that is selected among the criteria, where these have the keys, or the one at the cursor."""
    from studio.session.views.overview_view import FileCriterion

    runs = await studio.checked_runs()
    criteria = studio.panes.criteria if studio.halves.focused is Pane.CRITERIA else None
    row = None if criteria is None else criteria.row
    if row is not None and isinstance(row.to, FileCriterion) and (place := runs.views.place_of(row.to)) is not None:
        studio.show_text_at(*place)
    await _open(studio, None if row is None else row.point)


async def _open(studio: SessionScreen, point: int | None) -> None:
    runs = await studio.checked_runs()
    await runs.criterion.open(point, studio.session.state.cursor)
    studio.open_pane(Pane.ANSWERS)


async def previous_criterion(studio: SessionScreen) -> None:
    """Shows what judges say of the criterion before. The selected and the marked answers stay."""
    await _step(studio, -1)


async def next_criterion(studio: SessionScreen) -> None:
    """Shows what judges say of the criterion after. The selected and the marked answers stay."""
    await _step(studio, 1)


async def _step(studio: SessionScreen, by: int) -> None:
    current = (await studio.session.ready()).criterion.current
    if current is not None and current.found is not None:
        index = current.found.index + by
        if 0 <= index < len(current.found.prompt.points()):
            await _open(studio, index)


async def grade_blind(studio: SessionScreen) -> None:
    """Hides names and verdicts of all answers, and shuffles them, until you have graded. h again, or Esc, shows them,
    and tells how far the judges agree with you."""
    runs = await studio.session.ready()
    is_there = Pane.ANSWERS in studio.halves.panes
    if runs.blind.end():
        return
    if not is_there:
        await _open_selected(studio)
    if (current := runs.criterion.current) is None or not current.can_grade:
        studio.tell("Select a criterion in words: its answers are graded blind.")
        return
    await runs.blind.begin()
    studio.halves.put(Pane.ANSWERS, Pane.ANSWER)


async def next_ungraded(studio: SessionScreen) -> None:
    """Selects the next answer that you have not graded. While you grade blind, it skips the one without a grade, and
    goes on through the file: first a random sample of 40 judged answers and criteria, then those on which judges
    differ or are undecided."""
    runs, answers = await studio.session.ready(), studio.panes.answers
    if answers is None:
        return
    if answers.answer is not None:
        runs.blind.skip(answers.answer.key)
    if answers.go_to_ungraded():
        return
    found = runs.blind.next()
    if found is None:
        studio.tell("Each answer has a grade." + " h shows the verdicts." * (runs.blind.sitting is not None))
        return
    point, pair = found
    studio.show_text_at(point.point.span.start, studio.session.state.text.revision)
    await _open(studio, point.index)
    runs.criterion.select(pair.subject)
    studio.draw_panes()
    answers.select(pair.subject)


async def earlier_wording(studio: SessionScreen) -> None:
    """Lists the wordings of this criterion with their verdicts, and writes the one that you choose into the text. Undo
    reverts it."""
    runs = await studio.checked_runs()
    if not _is_blind(studio):
        studio.apply(await runs.criterion.take_back())


def criterion_answers(studio: SessionScreen) -> None:
    """The ideal, the cases and stored answers of any model, for all criteria of this prompt; remembered."""
    if not _is_blind(studio):
        studio.session.with_runs(lambda runs: runs.criterion.choose_answers())


def make_case(studio: SessionScreen) -> None:
    """Labels the answer as good, bad, or bad in one way, and adds it to the cases of the blueprint; of a case, changes
    the label. `studio test` holds the rubric against them."""
    runs = studio.session.runs
    if not _is_blind(studio):
        answer = runs.criterion.read_answer() if runs is not None and studio.halves.has_answers else None
        studio.session.with_runs(lambda runs: runs.cases.make(answer))


def _is_blind(studio: SessionScreen) -> bool:
    """Whether names and verdicts are hidden; the author is told."""
    is_blind = studio.session.runs is not None and studio.session.runs.blind.sitting is not None
    if is_blind:
        studio.tell("Names and verdicts are hidden while you grade blind: h shows them.")
    return is_blind
