"""The stored answers of all models to the prompt that is shown, by its present rubric: evidence beside its result."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.sources import ModelSource
from engine.store import StoreUnavailable, rubric_digest
from studio.session.changes import Change
from studio.session.evaluator import Evaluator
from studio.session.run import Run
from studio.session.session_context import SessionContext
from studio.session.stored_runs import stored_runs

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import Store
    from studio.session.analysis import Analysis

_REST_SECONDS = 0.4
"""How long the rubric rests before stored answers are scored by it."""


class StoredModels:
    """Reads the newest stored answer of each model, once for each rubric of a prompt. Nothing is sent."""

    def __init__(self, context: SessionContext, evaluator: Evaluator) -> None:
        self._context = context
        self._evaluator = evaluator
        self._wanted = ""
        self._found: dict[int, tuple[str, tuple[Run, ...]]] = {}

    def of(self, prompt: Prompt) -> tuple[Run, ...]:
        """The scored answers, as far as they are known; () before they are read."""
        key, runs = self._found.get(prompt.index, ("", ()))
        return runs if key == _key(prompt) else ()

    def follow(self, analysis: Analysis, prompt: Prompt) -> None:
        """Read the answers to `prompt` once its rubric rests."""
        key = _key(prompt)
        if key != self._wanted:
            self._wanted = key
            self._context.tasks.start("stored models", self._read(analysis, prompt, key), exclusive=True)

    async def _read(self, analysis: Analysis, prompt: Prompt, key: str) -> None:
        if self._found.get(prompt.index, ("", ()))[0] == key:
            return
        await asyncio.sleep(_REST_SECONDS)
        path, text = self._context.document.path, analysis.parsed.text
        try:
            store = await asyncio.to_thread(self._context.resources.store)
            runs = await asyncio.to_thread(partial(_of_models, path, text, prompt, store))
        except StoreUnavailable as error:
            self._context.database_messages.report(error)
            return
        self._found[prompt.index] = key, tuple([await self._scored(run, analysis) for run in runs])
        if runs:
            self._context.changes.publish(Change.RUNS)

    async def _scored(self, run: Run, analysis: Analysis) -> Run:
        async with aclosing(self._evaluator.rescore(run, analysis.blueprint)) as events:
            async for event in events:
                run = run.after(event)
        return run


def _of_models(path: Path, text: str, prompt: Prompt, store: Store) -> list[Run]:
    return [run for run in stored_runs(path, text, prompt, store) if isinstance(run.source, ModelSource)]


def _key(prompt: Prompt) -> str:
    return f"{prompt.index} {prompt.id} {rubric_digest(prompt)}"
