"""The blueprint as a whole, for the result of its header: put together anew only where something of it is another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.model_collections import DEFAULT, Collections, UnusableCollection, is_collection
from studio.tui.panes.overview.view import ModelGroup, Overview, PromptStanding, author_of, model_name, references_of

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.yaml_nodes.nodes import Data
    from studio.session.checking import Analysis
    from studio.session.run import Run
    from studio.session.run_queue import UnderWay
    from studio.tui.screens.blueprint import BlueprintScreen


class Overseeing:
    """What there is to show of one blueprint. Its collections are read beside the event loop."""

    def __init__(
        self, screen: BlueprintScreen, under_way: UnderWay, newest: Callable[[Prompt, str], Run | None]
    ) -> None:
        """`newest` finds the run of a prompt that counts, with the candidate of a key."""
        self._screen = screen
        self._under_way = under_way
        self._newest = newest
        self._blueprint: Blueprint | None = None
        self._made_of: tuple[object, ...] = ()
        self._made: Overview | None = None
        self._standings: dict[int, tuple[Prompt, Run | None, PromptStanding]] = {}
        self._listed: tuple[Data, ...] | None = None
        self._groups: tuple[ModelGroup, ...] = ()

    def of(self, analysis: Analysis, key: str, answers: str) -> Overview:
        """The overview for the candidate with `key`, which the screen calls `answers`."""
        blueprint = analysis.parsed.blueprint
        self._read_models(blueprint.header.models)
        made_of = self._under_way.version, self._under_way.running, key, answers, self._groups
        if self._made is None or blueprint is not self._blueprint or made_of != self._made_of:
            self._blueprint, self._made_of = blueprint, made_of
            self._made = self._overview(blueprint, key, answers)
        return self._made

    def _overview(self, blueprint: Blueprint, key: str, answers: str) -> Overview:
        header = blueprint.header
        return Overview(
            header.title or "",
            header.description or "",
            author_of(header),
            references_of(header),
            self._groups,
            tuple([self._standing(prompt, self._newest(prompt, key)) for prompt in blueprint.prompts]),
            answers,
            header.span,
            going=self._under_way.running,
            names_models=bool(header.models),
        )

    def _standing(self, prompt: Prompt, run: Run | None) -> PromptStanding:
        found = self._standings.get(prompt.index)
        if found is None or found[0] is not prompt or found[1] is not run:
            found = self._standings[prompt.index] = prompt, run, _standing(prompt, run)
        return found[2]

    def _read_models(self, models: tuple[Data, ...]) -> None:
        if models != self._listed:
            self._listed = models
            self._screen.run_worker(self._group(models), group="overseeing", exclusive=True)

    async def _group(self, models: tuple[Data, ...]) -> None:
        there = Collections(self._screen.keeping.file.path, self._screen.collections)
        groups = await asyncio.to_thread(grouped, models or DEFAULT, there)
        if groups != self._groups:
            self._groups = groups
            self._screen.runs_changed()


def grouped(models: Sequence[Data], there: Collections) -> tuple[ModelGroup, ...]:
    """`models` with what their collections list."""
    groups: list[ModelGroup] = []
    for model in models:
        name = model_name(model)
        if not (isinstance(model, str) and is_collection(model)):
            groups.append(ModelGroup((name,)))
            continue
        try:
            groups.append(ModelGroup(tuple(there.members(name)), name))
        except UnusableCollection as error:
            groups.append(ModelGroup((), name, str(error)))
    return tuple(groups)


def _standing(prompt: Prompt, run: Run | None) -> PromptStanding:
    headline = None if run is None else run.headline
    if run is None:
        state = "not run"
    elif run.running:
        state = "runs …"
    elif run.failed is not None:
        state = "withheld" if run.failed.withheld else "failed"
    else:
        state = "no points"
    failed = run is not None and run.failed is not None and not run.failed.stopped
    return PromptStanding(prompt.index + 1, prompt.id, prompt.weight, prompt.span, headline, state, failed)
