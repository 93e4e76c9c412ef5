"""Exporting results as a result file of Weval, under the name that Weval would give it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from engine.evaluation.events import AllJudged, Scored
from engine.evaluation.result_json import NO_LABEL, Entry, dumps, result_json, stamp, viewer_config
from engine.evaluation.sources import unique_keys
from engine.files.open_files import write_author_file
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, reading, weval_config, weval_values
from engine.parsing.model_collections import DEFAULT, PUBLISHED, Collections, expand
from engine.parsing.normalised_form import CannotHash, content_hash
from engine.study.file_places import place_warning, results_folder
from engine.text.record import Record
from engine.text.spans import visible
from engine.yaml.nodes import Data
from studio.session.analysis import Analysis
from studio.session.host import Choice, Choose, EnterText, Host, Severity
from studio.session.run import Run
from studio.session.run_selection import RunSelection

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


class Export(Record):
    """A result file before it is written: its text, and the name that Weval would give it.

    `remark` says why the run has no label, where the author can change that.
    """

    name: str
    text: str
    remark: str = ""

    def write(self, out: Path) -> Path:
        """Write it to `out`, or under its own name if that is a folder; the path of the file. Raises `OSError`."""
        path = out / self.name if out.is_dir() else out
        write_author_file(path, self.text.encode("utf-8"))
        return path


def export(
    parsed: Parsed,
    entries: Sequence[Entry],
    path: Path,
    javascript: JavaScript,
    *,
    collections: Path | None = None,
    when: datetime | None = None,
    more: Mapping[str, Data] | None = None,
) -> Export:
    """The result file for `entries` of the blueprint at `path`. Blocks. `when` is the time of the run, by default now.

    `more` are further keys of the result.
    `collections` is the folder of the model collections, where it is not any `models` above the file.
    """
    when = when or datetime.now(UTC)
    config = weval_config(parsed) if parsed.weval.ok else reading(parsed)
    models, unknown = _models(config, Collections(path, collections))
    label = None if unknown else _run_label(weval_values(parsed) or config, models, javascript)
    data = result_json(
        parsed.blueprint, config, entries, path=path.absolute(), when=when, run_label=label, models=models
    )
    assert isinstance(data, dict)
    remark = f"The run has no label. {unknown}" if unknown else ""
    return Export(result_name(label, when), dumps({**data, **(more or {})}), remark)


def result_name(run_label: str | None, when: datetime) -> str:
    """`RUNLABEL_TIMESTAMP_comparison.json` (000, part 3): the time in UTC to the millisecond, with `-` for `:` and `.`.

    A run without a label, for which Weval has no content hash, is called `run`.
    """
    label = _NOT_IN_NAMES.sub("-", run_label or "").strip("-.") or NO_LABEL
    return f"{label}_{stamp(when)}_comparison.json"


def _models(config: Data, collections: Collections) -> tuple[list[Data], str]:
    """The models of `config` with collections expanded, and why a run with them has no label; "" for one that has.

    A collection that is not there stays as written. Weval's own are labelled by their names.
    """
    models = config.get("models", list(DEFAULT)) if isinstance(config, dict) else None
    found = expand(models if isinstance(models, list) else (), collections.members)
    unknown = (why for name, why in found.unusable.items() if name not in PUBLISHED)
    return [*found.models, *found.unusable], next(unknown, "")


def _run_label(config: Data, models: list[Data], javascript: JavaScript) -> str | None:
    """The content hash of what Weval's loader makes of `config`, by which Weval labels a run; None for none."""
    if config is None:
        return None
    try:
        return content_hash(viewer_config(config, models), javascript)
    except CannotHash:
        return None


async def export_results(
    analysis: Analysis,
    selection: RunSelection,
    path: Path,
    javascript: Callable[[], JavaScript],
    host: Host,
    *,
    collections: Path | None = None,
) -> None:
    """Write all results of the blueprint at `path` as a result file of Weval, to a place that the author chooses."""
    entries = entries_of(analysis, selection)
    if not entries:
        host.notify("There is no result to export yet: F5 runs a prompt, F6 all.", seconds=4)
        return
    made = await asyncio.to_thread(
        lambda: export(analysis.parsed, entries, path, javascript(), collections=collections)
    )
    folder = await asyncio.to_thread(results_folder, path)
    text = "Weval's name for it stands there. A folder gets the file under that name."
    out = await ask_where(host, made.name, EnterText("Export the results", text, ""), folder, path)
    if out is None:
        return
    try:
        if out.parent == folder:
            await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        written = await asyncio.to_thread(made.write, out)
    except OSError as error:
        host.notify(f"{out} cannot be written: {error.strerror or error}.", Severity.ERROR)
        return
    host.notify(visible(f"The results are in {written}. {made.remark}".rstrip()), seconds=8)


async def ask_where(host: Host, name: str, question: EnterText, folder: Path, blueprint: Path) -> Path | None:
    """Where to write a file called `name`: `folder` is offered. Below `blueprints/` only if the author confirms.

    `question` has the title and the text of the dialog.
    """
    text = question.text
    if folder != blueprint.absolute().parent:
        text += f" {blueprint.name} is below blueprints/, where Weval would run it; this folder is outside."
    answer = await host.ask(EnterText(question.title, text, str(folder / name)))
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


def entries_of(analysis: Analysis, selection: RunSelection) -> list[Entry]:
    """The finished runs of the prompts that still exist, in the order of the file."""
    prompts = analysis.blueprint.prompts
    keys = unique_keys(prompts)
    first = {analysis.place(prompt): prompt for prompt in reversed(prompts)}
    found = [
        entry_of(run, keys[prompt.index])
        for prompt in prompts
        if first[analysis.place(prompt)] is prompt  # prompts that share an id share their runs
        for run in selection.of_prompt(analysis.place(prompt))
    ]
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
    scored = Scored(run.response, run.assessments, run.explanation)
    if not (run.judgements or run.judged):
        return Entry(run.prompt, prompt_key, run.candidate.key, scored, suffix)
    from engine.judging.judgement import Consensus

    verdicts = {index: Consensus(judgements) for index, judgements in run.judgements.items()}
    return Entry(run.prompt, prompt_key, run.candidate.key, scored, suffix, AllJudged(scored, verdicts, run.agreement))
