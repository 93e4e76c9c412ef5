"""Choosing saved answers: a fixtures file, then a model if it has answers of several."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.sources import FixtureSource
from engine.yaml.nodes import Data
from studio.session.host import Choice, Choose, EnterText, Host

if TYPE_CHECKING:
    from engine.evaluation.fixtures import FixturesFile

_HELP = "The path of a fixtures file: answers by prompt id."
_NOBODY = "default"


async def ask_for_saved(host: Host, beside: Path, named: Sequence[Data]) -> FixtureSource | None:
    """The saved answers that the author chose; None if they cancelled.

    `beside` is the open blueprint, `named` its models, which entries that end in `*` may match.
    """
    text, typed = _HELP, ""
    while True:
        answer = await host.ask(EnterText("Saved answers", text, typed, "fixtures.yml"))
        if answer is None:
            return None
        path = Path(answer).expanduser()
        path = path if path.is_absolute() else beside.parent / path
        file = await _read(path)
        if not isinstance(file, str):
            return await _ask_whose(host, path, file, [name for name in named if isinstance(name, str)])
        text, typed = f"{file}\n{_HELP}", answer


async def _read(path: Path) -> FixturesFile | str:
    """The fixtures at `path`, or the error message."""
    from engine.evaluation.fixtures import UnusableFixtures, read_fixtures  # here, as it brings pydantic

    try:
        return await asyncio.to_thread(read_fixtures, path)
    except UnusableFixtures as error:
        return f"{path.name}: {error}"


async def _ask_whose(host: Host, path: Path, file: FixturesFile, named: Iterable[str]) -> FixtureSource | None:
    models = models_in(file, named)
    if not models:
        return FixtureSource(path)
    counts = [sum(answers.default is not None for answers in file.responses.values())]
    choices = [Choice(_NOBODY, "No model in particular", f"`default`: {_prompts(counts[0])}")] if counts[0] else []
    choices += [Choice(str(place), model, _prompts(count)) for place, (model, count) in enumerate(models)]
    chosen = await host.ask(Choose(f"Whose answers? {path.name}", "The file has answers by model.", choices))
    if chosen is None:
        return None
    return FixtureSource(path, None if chosen == _NOBODY else models[int(chosen)][0])


def models_in(file: FixturesFile, named: Iterable[str]) -> list[tuple[str, int]]:
    """The models that the file has answers of, each with the number of prompts.

    These are the models that it names, and those of `named` that one of its entries with `*` matches.
    """
    from engine.evaluation.fixtures import FixtureRequest, matching_entry

    written = {name: None for answers in file.responses.values() for name in answers.by_model if not name.endswith("*")}
    counts = [
        (model, sum(matching_entry(answers, FixtureRequest(model)) is not None for answers in file.responses.values()))
        for model in dict.fromkeys((*written, *named))
    ]
    return [(model, count) for model, count in counts if count]


def _prompts(count: int) -> str:
    return "1 prompt" if count == 1 else f"{count} prompts"
