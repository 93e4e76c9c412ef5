"""Choosing files with answers: published results, and saved answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.sources import FixtureRequest, FixtureSource, StoredSource
from engine.scoring.explanation import whole
from engine.study.file_places import results_folder
from engine.text.spans import count
from engine.yaml.nodes import Data
from studio.session.host import Choice, Choose, EnterText, Host, Severity, Unusable, ask_until

if TYPE_CHECKING:
    from engine.evaluation.fixtures import FixturesFile
    from engine.evaluation.results import ResultFile, StoredResult


_HELP = "The path of a result file of Weval, such as LABEL_TIME_comparison.json."


async def ask_for_result(host: Host, beside: Path) -> StoredSource | None:
    """The published answers that the author chose; None if they cancelled. `beside` is the open blueprint."""
    file = await ask_for_file(host, beside)
    return None if file is None else await _ask_for_model(host, file)


async def ask_for_file(host: Host, beside: Path) -> ResultFile | None:
    """The result file that the author chose; None if they cancelled. `beside` is the open blueprint."""
    question = EnterText("A published result", _HELP, await asyncio.to_thread(_newest, beside))
    return await ask_until(host, question, lambda written: _read(_path(written, beside)))


def _path(written: str, beside: Path) -> Path:
    path = Path(written).expanduser()
    return path if path.is_absolute() else beside.parent / path


async def _ask_for_model(host: Host, file: ResultFile) -> StoredSource | None:
    """The answers of one model in `file`; asks the author if it has several."""
    if len(file.models) == 1:
        return StoredSource(file.path, file.models[0])
    by_model: dict[str, list[StoredResult]] = {model: [] for model in file.models}
    for result in file.results:
        by_model[result.model].append(result)
    choices = [Choice(str(place), model, _detail(by_model[model])) for place, model in enumerate(file.models)]
    run = f", run {file.timestamp}" if file.timestamp else ""
    chosen = await host.ask(Choose(f"Whose answers? {file.path.name}", f"{file.title or ''}{run}", choices))
    return None if chosen is None else StoredSource(file.path, file.models[int(chosen)])


async def ask_for_source(host: Host, path: Path) -> StoredSource | None:
    """The results of a model in the file at `path`; if it has several models, the author is asked which.

    None if they cancelled, or the file cannot be used, which they are told.
    """
    try:
        file = await _read(path)
    except Unusable as error:
        host.notify(str(error), Severity.ERROR, seconds=8)
        return None
    return await _ask_for_model(host, file)


async def _read(path: Path) -> ResultFile:
    """The result file at `path`. Raises `Unusable`."""
    from engine.evaluation.published import cached_result_file  # here, as it brings what reads result files
    from engine.evaluation.results import UnusableResult

    try:
        return await asyncio.to_thread(cached_result_file, path)
    except UnusableResult as error:
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
    """The newest result file of a blueprint; "" if there is none."""
    found = result_files(blueprint)
    if not found:
        return ""
    return found[-1].name if found[-1].parent == blueprint.parent else str(found[-1])


def result_files(blueprint: Path) -> Sequence[Path]:
    """The result files beside a blueprint or in its results folder, the newest last. Blocks."""
    folders = {blueprint.parent, results_folder(blueprint)}
    try:
        return sorted(
            (file for folder in folders for file in folder.glob("*_comparison.json")),
            key=lambda path: path.stat().st_mtime,
        )
    except OSError:
        return ()


_SAVED_HELP = "The path of a fixtures file: answers by prompt id."
_NOBODY = "default"


async def ask_for_saved(host: Host, beside: Path, named: Sequence[Data]) -> FixtureSource | None:
    """The saved answers that the author chose; None if they cancelled.

    `beside` is the open blueprint, `named` its models, which entries that end in `*` may match.
    """
    question = EnterText("Saved answers", _SAVED_HELP, placeholder="fixtures.yml")
    read = await ask_until(host, question, lambda written: _read_fixtures(_path(written, beside)))
    return None if read is None else await _ask_whose(host, *read, [name for name in named if isinstance(name, str)])


async def _read_fixtures(path: Path) -> tuple[Path, FixturesFile]:
    """The fixtures at `path`. Raises `Unusable`."""
    from engine.evaluation.fixtures import UnusableFixtures, read_fixtures  # here, as it brings pydantic

    try:
        return path, await asyncio.to_thread(read_fixtures, path)
    except UnusableFixtures as error:
        raise Unusable(f"{path.name}: {error}") from error


async def _ask_whose(host: Host, path: Path, file: FixturesFile, named: Iterable[str]) -> FixtureSource | None:
    models = models_in(file, named)
    if not models:
        return FixtureSource(path)
    by_nobody = sum(answers.default is not None for answers in file.responses.values())
    said = f"`default`: {count(by_nobody, 'prompt')}"
    choices = [Choice(_NOBODY, "No model in particular", said)] if by_nobody else []
    choices += [Choice(str(place), model, count(number, "prompt")) for place, (model, number) in enumerate(models)]
    chosen = await host.ask(Choose(f"Whose answers? {path.name}", "The file has answers by model.", choices))
    if chosen is None:
        return None
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
