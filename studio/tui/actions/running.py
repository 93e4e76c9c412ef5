"""Actions that run a prompt, all, or one criterion: who answers and judges, what it costs, and trying what scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.tui.messages import drop_all
from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.tui.session_screen import SessionScreen


def run(studio: SessionScreen) -> None:
    """Runs the prompt under the cursor with the answers chosen (F9); with all answers on the screen, the criterion on
    these answers. While it runs, the same key stops it; what has arrived stays."""
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
    """Runs every prompt with the answers chosen (F9); where several variants are chosen, with the one shown. While
    anything runs, the same key stops it; what has arrived stays."""
    drop_all(studio)
    studio.session.with_runs(lambda runs: runs.run_all_or_stop())


def run_fresh(studio: SessionScreen) -> None:
    """Sends the request to the model again. F5 uses the cached answer to the same request and sends nothing."""
    drop_all(studio)
    studio.session.with_runs(lambda runs: runs.run_or_stop(fresh=True))


def judge(studio: SessionScreen) -> None:
    """Asks the chosen judges (w) about open criteria in words and verdicts before this edit. The answer stays."""
    studio.session.with_runs(lambda runs: runs.judge_or_stop())


def plan(studio: SessionScreen) -> None:
    """Shows who would receive what, in how many requests, at what cost and how long, and the cap. Sends nothing."""
    studio.session.with_runs(lambda runs: runs.preview(all_prompts=False))


def plan_all(studio: SessionScreen) -> None:
    """Shows who would receive what, in how many requests, at what cost and how long, and the cap. Sends nothing."""
    studio.session.with_runs(lambda runs: runs.preview(all_prompts=True))


async def choose_answers(studio: SessionScreen) -> None:
    """The ideal, your own answer, a test answer, a fixtures file, or models, with the key that each of them needs.
    Space marks several sources and variants. Remembered for this file."""
    runs = await studio.session.ready()
    if await runs.configuration.ask() is not None and runs.selection.is_writing:
        studio.open_pane(Pane.ANSWER)


def choose_judges(studio: SessionScreen) -> None:
    """You alone, the blueprint's judges (the default judges if it names none), as documented or as on Weval today, or
    any one model. Remembered for this file."""
    studio.session.with_runs(lambda runs: runs.choose_judges())


def next_variant(studio: SessionScreen) -> None:
    """Where several answer sources or variants were chosen, shows the answer and the result of the next one."""
    studio.session.with_runs(lambda runs: runs.configuration.show_next())


def original(studio: SessionScreen) -> None:
    """Undoes your changes to this answer."""
    studio.session.with_runs(lambda runs: runs.edits.undo())


async def what_if(studio: SessionScreen) -> None:
    """Another verdict, another weight, a criterion off, all of a way required, a check loosened: the score, and those
    of all labelled answers, follow each key. Nothing is written until you apply it; Esc forgets it."""
    runs = await studio.session.ready()
    await runs.what_if.begin()
    studio.panes.show(runs)
    studio.open_pane(Pane.CRITERIA)


async def target(studio: SessionScreen) -> None:
    """Asks what score you expected, and lists the smallest sets of criteria that an answer has to meet for it, and
    what no answer can reach. Pressed again, takes the list away."""
    runs = await studio.session.ready()
    await runs.expected.ask_or_clear()
    if runs.expected.wanted is not None and studio.panes.criteria is not None:
        studio.panes.show(runs)
        studio.panes.criteria.select("target:summary")
