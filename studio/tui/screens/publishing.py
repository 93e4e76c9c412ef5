"""Result files on the blueprint screen: a published one opened, and what was run written as one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from engine.text import visible
from engine.workspace.output_places import place_warning, results_folder
from studio.session.answer_choice import Answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.evaluation.export import Entry
    from engine.parsing import Parsed
    from studio.session.result_export import Export
    from studio.session.run import Run
    from studio.tui.screens.blueprint import BlueprintScreen
    from studio.tui.screens.trying import Trying


async def open_published(screen: BlueprintScreen, trying: Trying, path: Path) -> None:
    """Show the result file at `path` for every prompt, after asking whose answers where there are several."""
    from studio.tui.dialogs.result_file import ask_for_model, read_for_author

    file = await read_for_author(screen.app, path)
    source = None if file is None else await ask_for_model(screen.app, file)
    if source is not None and screen.analysis is not None:
        trying.choosing.take(Answers((source,)))
        trying.running.run_all_or_stop(screen.analysis)


async def export_results(screen: BlueprintScreen, trying: Trying, collections: Path | None) -> None:
    """Write all that was run of this file as one of Weval's result files, where the author says."""
    analysis = screen.analysis
    if analysis is None:
        return
    entries = entries_of(analysis.parsed, trying)
    if not entries:
        screen.notify("There is no result to export yet: F5 runs a prompt, F6 all.", timeout=4, markup=False)
        return
    path = screen.keeping.file.path
    export = await asyncio.to_thread(_export, screen, analysis.parsed, entries, path, collections)
    folder = results_folder(path)
    out = await _ask_where(screen, export, folder, path)
    if out is None:
        return
    try:
        if out.parent == folder:
            await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        written = await asyncio.to_thread(export.write, out)
    except OSError as error:
        screen.notify(f"{out} cannot be written: {error.strerror or error}.", severity="error", markup=False)
        return
    screen.notify(f"The results are in {visible(str(written))}.", timeout=8, markup=False)


def _export(
    screen: BlueprintScreen, parsed: Parsed, entries: Sequence[Entry], path: Path, collections: Path | None
) -> Export:
    from studio.session.result_export import export

    return export(parsed, entries, path, screen.app.javascript, collections=collections)


async def _ask_where(screen: BlueprintScreen, export: Export, folder: Path, blueprint: Path) -> Path | None:
    """Where to write: `folder` is offered. Below `blueprints/` only after the author was told what that means."""
    from studio.tui.dialogs.ask import Ask, AskText, Choice

    said = "Weval's name for it stands there. A folder gets the file under that name."
    if folder != blueprint.absolute().parent:
        said += f" {blueprint.name} lies below blueprints/, where Weval would run it: this place is outside."
    answer = await screen.app.push_screen_wait(AskText("Export the results", said, str(folder / export.name)))
    if answer is None:
        return None
    out = Path(answer).expanduser()
    out = out if out.is_absolute() else folder / out
    warning = place_warning(out, blueprint)
    if warning is not None:
        outside = folder / (export.name if out.is_dir() else out.name)
        choices = [
            Choice("outside", "Write it outside", str(outside)),
            Choice("there", "Write it there all the same", str(out)),
            Choice("nothing", "Write nothing"),
        ]
        place = await screen.app.push_screen_wait(Ask("Weval would run this file", warning, choices))
        if place not in ("outside", "there"):
            return None
        out = outside if place == "outside" else out
    if not out.is_file():
        return out
    choices = [Choice("overwrite", "Replace it"), Choice("stay", "Write nothing")]
    question = Ask(out.name, "There is a file of this name already.", choices)
    return out if await screen.app.push_screen_wait(question) == "overwrite" else None


def entries_of(parsed: Parsed, trying: Trying) -> list[Entry]:
    """What was run of the prompts that are still there and has come to an end, in the order of the file."""
    from engine.evaluation.prompt_keys import unique_keys

    keys = unique_keys(parsed.blueprint.prompts)
    places = {trying.place(prompt).prompt: prompt for prompt in reversed(parsed.blueprint.prompts)}
    found = [
        _entry(run, keys[prompt.index])
        for prompt in parsed.blueprint.prompts
        if places[trying.place(prompt).prompt] is prompt  # prompts that share an id share their runs
        for run in trying.under_way.of(trying.place(prompt))
    ]
    return [entry for entry in found if entry is not None]


def _entry(run: Run, prompt_key: str) -> Entry | None:
    """The run as it stands in a result file; None while it goes on."""
    from engine.evaluation.events import AllJudged, Scored
    from engine.evaluation.export import Entry

    suffix = run.candidate.variant.suffix
    if run.running:
        return None
    if run.failed is not None:
        return Entry(run.prompt, prompt_key, run.candidate.key, run.failed, suffix)
    if run.response is None or run.explanation is None:
        return None
    scored = Scored(run.response, run.assessments, run.explanation)
    if not run.judgements:
        return Entry(run.prompt, prompt_key, run.candidate.key, scored, suffix)
    from engine.judging.consensus import Consensus

    said = {index: Consensus(judgements) for index, judgements in run.judgements.items()}
    return Entry(run.prompt, prompt_key, run.candidate.key, scored, suffix, AllJudged(scored, said, run.agreement))
