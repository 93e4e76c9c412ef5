"""Files with results and answers: written where the author wants them, and chosen as where answers come from.

Results are written as a result file of Weval, under the name that Weval would give it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine.blueprint import unique_keys
from engine.evaluation.events import Scored
from engine.evaluation.result_json import Entry, export
from engine.evaluation.sources import FixtureRequest, FixtureSource, StoredSource
from engine.files.open_files import write_named
from engine.scoring.explanation import whole
from engine.study.file_places import place_warning, results_folder
from engine.text.record import replace
from engine.text.spans import count, visible
from engine.yaml.nodes import Data
from studio.session.host import (
    Choice,
    Choose,
    Host,
    NotDone,
    Severity,
    Unusable,
    answer_to,
    ask_until,
    choose,
    enter,
)

if TYPE_CHECKING:
    from engine.evaluation.fixtures import FixturesFile
    from engine.evaluation.results import ResultFile, StoredResult
    from engine.store import PromptPlace
    from studio.session.run import Run
    from studio.session.runs import Runs

Value = TypeVar("Value")


async def export_results(runs: Runs) -> None:
    """Write all results as a result file of Weval, to a place that the author chooses."""
    analysis, host, path = runs.analysis, runs.host, runs.state.path
    entries = _entries(runs)
    if not entries:
        raise NotDone("There is no result to export yet: F5 runs a prompt, F6 all.")
    javascript, collections = runs.resources.javascript, runs.session.collections_folder
    made = await asyncio.to_thread(
        lambda: export(analysis.parsed, entries, path, javascript(), collections=collections)
    )

    out = await ask_where(host, "export", "Export the results", made.name, path)
    written = await write_there(out, made.name, made.text, path)
    host.notify(visible(f"The results are in {written}. {made.remark}".rstrip()), seconds=8)


async def write_there(out: Path, name: str, text: str, blueprint: Path) -> Path:
    """Write a file to a place that was asked for, a folder gets it as `name`; its path. Raises `NotDone`."""

    def write() -> Path:
        if out.parent == (folder := results_folder(blueprint)):
            folder.mkdir(parents=True, exist_ok=True)
        return write_named(out, name, text)

    try:
        return await asyncio.to_thread(write)
    except OSError as error:
        raise NotDone(f"{out} cannot be written: {error.strerror or error}.", Severity.ERROR, seconds=5) from error


async def ask_where(host: Host, asked: str, title: str, name: str, blueprint: Path) -> Path:
    """Where to write a file called `name`, by the question `asked` of `questions.toml`. Raises `NotDone`.

    The results folder is offered; below `blueprints/` only if the author confirms.
    """
    folder = await asyncio.to_thread(results_folder, blueprint)
    question = enter(asked, title, str(folder / name))
    if folder != blueprint.absolute().parent:
        outside = f" {blueprint.name} is below blueprints/, where Weval would run it; this folder is outside."
        question = replace(question, text=f"{question.text}{outside}")
    out = folder / Path(await answer_to(host, question)).expanduser()
    warning = await asyncio.to_thread(place_warning, out, blueprint)
    if warning is not None:
        outside = folder / (name if await asyncio.to_thread(out.is_dir) else out.name)
        title = "Weval would run this file"
        question = choose("run by Weval", title, why=warning, outside=str(outside), there=str(out))
        place = await answer_to(host, question)
        if place == "nothing":
            raise NotDone
        out = outside if place == "outside" else out
    if await asyncio.to_thread(out.is_file) and await host.ask(choose("replace results", out.name)) != "overwrite":
        raise NotDone
    return out


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


_FILES = "*_comparison.json"


async def ask_for_result(host: Host, beside: Path) -> StoredSource:
    """The published answers that the author chooses. `beside` is the open blueprint. Raises `NotDone`."""
    return await _ask_for_model(host, await ask_for_file(host, beside))


async def ask_for_file(host: Host, beside: Path) -> ResultFile:
    """The result file that the author chooses. `beside` is the open blueprint. Raises `NotDone`."""
    question = enter("published", "A published result", await asyncio.to_thread(_newest, beside))
    return await ask_until(host, question, lambda written: _read(beside.parent / Path(written).expanduser()))


async def _ask_for_model(host: Host, file: ResultFile) -> StoredSource:
    """The answers of one model in `file`; asks the author if it has several."""
    if len(file.models) == 1:
        return StoredSource(file.path, file.models[0])
    by_model: dict[str, list[StoredResult]] = {model: [] for model in file.models}
    for result in file.results:
        by_model[result.model].append(result)
    choices = [Choice(str(place), model, _detail(by_model[model])) for place, model in enumerate(file.models)]
    run = f", run {file.timestamp}" if file.timestamp else ""
    chosen = await answer_to(host, Choose(f"Whose answers? {file.path.name}", f"{file.title or ''}{run}", choices))
    return StoredSource(file.path, file.models[int(chosen)])


async def ask_for_source(host: Host, path: Path) -> StoredSource:
    """The results of a model in the file at `path`; if it has several models, the author is asked which.

    Raises `NotDone` if the file cannot be used.
    """
    try:
        file = await _read(path)
    except Unusable as error:
        raise NotDone(str(error), Severity.ERROR, seconds=8) from error
    return await _ask_for_model(host, file)


async def _read(path: Path) -> ResultFile:
    """The result file at `path`. Raises `Unusable`."""
    from engine.evaluation.published import cached_result_file  # here, as it brings what reads result files
    from engine.evaluation.results import UnusableResult

    return await _usable(path, cached_result_file, UnusableResult)


async def _usable(path: Path, read: Callable[[Path], Value], refusal: type[Exception]) -> Value:
    """What `read` makes of the file at `path`. Raises `Unusable` where that raises a `refusal`."""
    try:
        return await asyncio.to_thread(read, path)
    except refusal as error:
        raise Unusable(f"{path.name}: {error}") from error


def _detail(results: Sequence[StoredResult]) -> str:
    """`mean 62 over 12 prompts, 1 without a score`: the published scores, by prompt weight."""
    scored = [(each.stored, each.bare_prompt.weight) for each in results if each.stored is not None]
    missing = len(results) - len(scored)
    without = f", {missing} without a score" if missing else ""
    if not scored:
        return f"no score of {len(results)} prompts"
    mean = sum(score * weight for score, weight in scored) / sum(weight for _, weight in scored)
    return f"mean {whole(mean)} over {count(len(scored), 'prompt')}{without}"


def _newest(blueprint: Path) -> str:
    """The newest result file beside a blueprint or in its results folder; "" if there is none. Blocks."""
    files = (file for folder in {blueprint.parent, results_folder(blueprint)} for file in folder.glob(_FILES))
    try:
        found = max(files, key=lambda path: path.stat().st_mtime, default=None)
    except OSError:
        return ""
    return "" if found is None else found.name if found.parent == blueprint.parent else str(found)


_NOBODY = "default"


async def ask_for_saved(host: Host, beside: Path, named: Sequence[Data]) -> FixtureSource:
    """The saved answers that the author chooses. Raises `NotDone` if they cancel.

    `beside` is the open blueprint, `named` its models, which entries that end in `*` may match.
    """
    from engine.evaluation.fixtures import UnusableFixtures, read_fixtures  # here, as it brings pydantic

    async def read(written: str) -> tuple[Path, FixturesFile]:
        path = beside.parent / Path(written).expanduser()
        return path, await _usable(path, read_fixtures, UnusableFixtures)

    found = await ask_until(host, enter("saved answers", "Saved answers", placeholder="fixtures.yml"), read)
    return await _ask_whose(host, *found, [name for name in named if isinstance(name, str)])


async def _ask_whose(host: Host, path: Path, file: FixturesFile, named: Iterable[str]) -> FixtureSource:
    models = models_in(file, named)
    if not models:
        return FixtureSource(path)
    by_nobody = sum(answers.default is not None for answers in file.responses.values())
    said = f"`default`: {count(by_nobody, 'prompt')}"
    choices = [Choice(_NOBODY, "No model in particular", said)] if by_nobody else []
    choices += [Choice(str(place), model, count(number, "prompt")) for place, (model, number) in enumerate(models)]
    chosen = await answer_to(host, Choose(f"Whose answers? {path.name}", "The file has answers by model.", choices))
    return FixtureSource(path, None if chosen == _NOBODY else models[int(chosen)][0])


def models_in(file: FixturesFile, named: Iterable[str]) -> list[tuple[str, int]]:
    """The models that the file has answers of, each with the number of prompts.

    These are the models that it names, and those of `named` that one of its entries with `*` matches.
    """
    from engine.evaluation.fixtures import matching_entry

    written = {name: None for answers in file.responses.values() for name in answers.by_model if not name.endswith("*")}
    counts = [
        (model, sum(matching_entry(answers, FixtureRequest(model)) is not None for answers in file.responses.values()))
        for model in dict.fromkeys((*written, *named))
    ]
    return [(model, number) for model, number in counts if number]
