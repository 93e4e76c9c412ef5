"""Writing results as a result file of Weval, under the name that Weval would give it, where the author wants it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import unique_keys
from engine.evaluation.events import Scored
from engine.evaluation.result_json import Entry, export
from engine.files.open_files import write_named
from engine.study.file_places import place_warning, results_folder
from engine.text.record import replace
from engine.text.spans import visible
from studio.session.host import Choice, Choose, EnterText, Host, Severity

if TYPE_CHECKING:
    from engine.store import PromptPlace
    from studio.session.run import Run
    from studio.session.runs import Runs

_TEXT = "Weval's name for it stands there. A folder gets the file under that name."


async def export_results(runs: Runs) -> None:
    """Write all results as a result file of Weval, to a place that the author chooses."""
    analysis, host, path = runs.analysis, runs.host, runs.state.path
    entries = _entries(runs)
    if not entries:
        host.notify("There is no result to export yet: F5 runs a prompt, F6 all.", seconds=4)
        return
    javascript, collections = runs.resources.javascript, runs.session.collections_folder
    made = await asyncio.to_thread(
        lambda: export(analysis.parsed, entries, path, javascript(), collections=collections)
    )
    out = await ask_where(host, made.name, "Export the results", _TEXT, path)
    written = None if out is None else await write_there(host, out, made.name, made.text, path)
    if written is not None:
        host.notify(visible(f"The results are in {written}. {made.remark}".rstrip()), seconds=8)


async def ask_where(host: Host, name: str, title: str, text: str, blueprint: Path) -> Path | None:
    """Where to write a file called `name`: the results folder is offered. Below `blueprints/` only if the author
    confirms. `title` and `text` are those of the dialog.
    """
    folder = await asyncio.to_thread(results_folder, blueprint)
    if folder != blueprint.absolute().parent:
        text += f" {blueprint.name} is below blueprints/, where Weval would run it; this folder is outside."
    answer = await host.ask(EnterText(title, text, str(folder / name)))
    if answer is None:
        return None
    out = Path(answer).expanduser()
    out = out if out.is_absolute() else folder / out
    warning = await asyncio.to_thread(place_warning, out, blueprint)
    if warning is not None:
        outside = folder / (name if await asyncio.to_thread(out.is_dir) else out.name)
        choices = [
            Choice("outside", "Write it outside", str(outside)),
            Choice("there", "Write it there anyway", str(out)),
            Choice("nothing", "Write nothing"),
        ]
        place = await host.ask(Choose("Weval would run this file", warning, choices))
        if place not in ("outside", "there"):
            return None
        out = outside if place == "outside" else out
    if not await asyncio.to_thread(out.is_file):
        return out
    choices = [Choice("overwrite", "Replace it"), Choice("stay", "Write nothing")]
    replaces = Choose(out.name, "There is a file of this name already.", choices)
    return out if await host.ask(replaces) == "overwrite" else None


async def write_there(host: Host, out: Path, name: str, text: str, blueprint: Path) -> Path | None:
    """Write `text` to `out`, or into it under `name` if it is a folder; the path of the file.

    None if it cannot be written, which the author is told.
    """

    def write() -> Path:
        if out.parent == results_folder(blueprint):
            out.parent.mkdir(parents=True, exist_ok=True)
        return write_named(out, name, text)

    try:
        return await asyncio.to_thread(write)
    except OSError as error:
        host.notify(f"{out} cannot be written: {error.strerror or error}.", Severity.ERROR)
        return None


def _entries(runs: Runs) -> list[Entry]:
    """The finished runs of the prompts that still exist, in the order of the file."""
    analysis, prompts = runs.analysis, runs.analysis.blueprint.prompts
    keys = unique_keys(prompts)
    first: dict[PromptPlace, str] = {}
    for prompt in prompts:  # those that share an id share their runs
        first.setdefault(analysis.place(prompt), keys[prompt.index])
    found = (entry_of(run, key) for place, key in first.items() for run in runs.selection.of_prompt(place))
    return [entry for entry in found if entry is not None]


def entry_of(run: Run, prompt_key: str) -> Entry | None:
    """The run as an entry of a result file; None while it is in progress."""
    suffix = run.candidate.variant.suffix
    if run.running:
        return None
    if run.failed is not None:
        return Entry(run.prompt, prompt_key, run.candidate.key, run.failed, suffix)
    if run.response is None or run.explanation is None:
        return None
    scored = Scored(run.response, run.assessments, run.explanation, agreement=run.agreement, judged=run.judged)
    if run.judgements:
        from engine.judging.judgement import Consensus  # here: only runs with judges load it

        verdicts = {index: Consensus(judgements) for index, judgements in run.judgements.items()}
        scored = replace(scored, verdicts=verdicts, judged=True)
    return Entry(run.prompt, prompt_key, run.candidate.key, scored, suffix)
