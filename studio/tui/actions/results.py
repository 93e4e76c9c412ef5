"""Actions that show or write results: earlier runs, comparisons, the matrix, repeats, and files for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.session.host import RepeatsQuestion, answer_to
from studio.tui.window import Pane

if TYPE_CHECKING:
    from studio.tui.session_screen import SessionScreen


def export_results(studio: SessionScreen) -> None:
    """Writes all runs of this file as a Weval result file: beside it, above blueprints/, or to a path that you
    choose."""
    from studio.session.result_files import export_results as export

    studio.session.with_runs(export)


def report(studio: SessionScreen) -> None:
    """Writes one HTML file, or Markdown, for people who have no studio: what was asked, the newest answers with their
    evidence, points, costs, cases, and who judged. Nothing is sent."""
    from studio.session.report_results import write_report

    studio.session.with_runs(write_report)


async def repeat(studio: SessionScreen) -> None:
    """Has the prompt at the cursor answered several times, and each answer judged several times, past every cache. It
    shows how far scores vary by generation and by judging, apart. Requests and price are shown first."""
    await _repeat(studio, all_prompts=False)


async def repeat_all(studio: SessionScreen) -> None:
    """Has all prompts answered several times, and each answer judged several times, past every cache. It shows how far
    the scores of each prompt vary. Requests and price are shown first."""
    await _repeat(studio, all_prompts=True)


async def _repeat(studio: SessionScreen, *, all_prompts: bool) -> None:
    repeats = (await studio.checked_runs()).repeats
    await repeats.ask(all_prompts=all_prompts)
    await studio.session.host.ask(RepeatsQuestion(repeats))


async def compare(studio: SessionScreen) -> None:
    """With another model, an earlier run or a result file: what is due to the answer, to the rubric, or to another
    verdict on the same question, and the answers by words. Nothing is sent."""
    runs = await studio.session.ready()
    await studio.show_matrix(await runs.second.ask())


async def history(studio: SessionScreen) -> None:
    """Those of earlier sessions too, to be shown, scored by the present rubric, or to be compared. Nothing is sent."""
    runs = await studio.session.ready()
    chosen = await answer_to(studio.session.host, await runs.history.view())
    if chosen.is_compared:
        await studio.show_matrix(await runs.second.with_past(chosen.run))
    else:
        await runs.history.open(chosen.run)
        studio.open_pane(Pane.CRITERIA)


async def grid(studio: SessionScreen) -> None:
    """The matrix: scores of all prompts × all models that were run, or, with the cursor in a prompt, its criteria ×
    models: differences, each judge alone, what all pass or all fail. Nothing is sent."""
    await studio.show_matrix()
