"""The stored answers of all models to the prompt that is shown, by its present rubric: evidence beside its result."""

from __future__ import annotations

from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.sources import ModelSource
from engine.store import rubric_digest
from studio.session.parts import Part
from studio.session.run import Run
from studio.session.stored_runs import stored_runs

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import Store
    from studio.session.analysis import Analysis

_NAME = "stored models"
_REST_SECONDS = 0.4
"""How long the rubric rests before stored answers are scored by it."""


class StoredModels(Part):
    """Reads the newest stored answer of each model, once for each rubric of a prompt. Nothing is sent."""

    def of(self, prompt: Prompt) -> tuple[Run, ...]:
        """The scored answers, as far as they are known; () before they are read."""
        return self.beside(_NAME, prompt.index, _key(prompt)) or ()

    def follow(self, analysis: Analysis, prompt: Prompt) -> None:
        """Read the answers to `prompt` once its rubric rests."""
        self.find(_NAME, prompt.index, _key(prompt), partial(self._read, analysis, prompt), rest=_REST_SECONDS)

    async def _read(self, analysis: Analysis, prompt: Prompt) -> tuple[Run, ...] | None:
        of_models = partial(_of_models, self.state.path, analysis.parsed.text, prompt)
        runs = await self.session.stored(of_models, None)
        return None if runs is None else tuple([await self._scored(run, analysis) for run in runs])

    async def _scored(self, run: Run, analysis: Analysis) -> Run:
        async with aclosing(self.runs.evaluator.rescore(run, analysis.blueprint)) as events:
            async for event in events:
                run = run.after(event)
        return run


def _of_models(path: Path, text: str, prompt: Prompt, store: Store) -> list[Run]:
    return [run for run in stored_runs(path, text, prompt, store) if isinstance(run.source, ModelSource)]


def _key(prompt: Prompt) -> str:
    return f"{prompt.index} {prompt.id} {rubric_digest(prompt)}"
