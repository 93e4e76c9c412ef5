"""Runs of a prompt, of all, of one criterion: starting them, who answers and judges, and trying what they scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.tui.messages import drop_all
from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.tui.session_screen import SessionScreen


def run(studio: SessionScreen) -> None:
    """Run what is shown: the prompt under the cursor, or the criterion whose answers are seen; or stop the run."""
    drop_all(studio)  # messages stand over the score of the run that begins
    if Pane.ANSWERS in studio.halves.panes:
        studio.begin(_run_criterion(studio))  # a second time stops it: not in the place of the first
        return
    studio.show_result()
    studio.session.with_runs(lambda runs: runs.run_or_stop())


async def _run_criterion(studio: SessionScreen) -> None:
    runs = await studio.checked_runs()
    await runs.criterion.again()


def run_all(studio: SessionScreen) -> None:
    """Run every prompt, or stop the runs."""
    drop_all(studio)
    studio.session.with_runs(lambda runs: runs.run_all_or_stop())


def run_fresh(studio: SessionScreen) -> None:
    """Run the prompt under the cursor with a fresh answer, or stop the run."""
    drop_all(studio)
    studio.session.with_runs(lambda runs: runs.run_or_stop(fresh=True))


async def choose_answers(studio: SessionScreen) -> None:
    """Choose where answers come from."""
    runs = await studio.session.ready()
    if await runs.choose_answers() is not None and runs.selection.is_writing:
        studio.open_pane(Pane.ANSWER)


async def what_if(studio: SessionScreen) -> None:
    """Try changes on the shown result."""
    runs = await studio.session.ready()
    if await runs.what_if.begin():
        studio.panes.show(runs)
        studio.open_pane(Pane.CRITERIA)


async def target(studio: SessionScreen) -> None:
    """Ask for the score that was expected, and show what it takes."""
    runs = await studio.session.ready()
    await runs.expected.ask_or_clear()
    if runs.expected.wanted is not None and studio.panes.criteria is not None:
        studio.panes.show(runs)
        studio.panes.criteria.select("target:summary")
