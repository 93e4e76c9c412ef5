"""The blueprint as a whole, with the standing of each prompt: the result of its header."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.parsing.model_collections import DEFAULT, Collections, UnusableCollection, is_collection
from engine.text.spans import positions
from studio.session.parts import Part, selector
from studio.session.views.overview_view import (
    LastScore,
    ModelGroup,
    Overview,
    PromptStanding,
    author_of,
    model_name,
    references_of,
)

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.yaml.nodes import Data
    from studio.session.analysis import Analysis
    from studio.session.run import Run

_GROUPS = "header collections"


class BlueprintOverview(Part):
    """Makes the overview of the blueprint, and reads its collections off the event loop."""

    @selector(
        lambda of: of.state.analysis,
        lambda of: of.state.runs,
        lambda of: of.state.last,
        lambda of: of.state.choice,
        lambda of: of.state.cases,
        lambda of: of.state.found,
        lambda of: of.runs.queue.is_running,
    )
    def view(self) -> Overview:
        """The overview of the runs with the candidate that is shown."""
        analysis = self.analysis
        candidate = self.runs.configuration.candidate(analysis.header)
        return self._overview(
            analysis, candidate.key, candidate.label, self.state.cases.text, is_running=self.runs.queue.is_running
        )

    def follow(self, analysis: Analysis) -> None:
        """Read the collections of the header if its models changed."""
        models = analysis.header.models
        self.find(_GROUPS, None, models, partial(self._group, models))

    def _overview(self, analysis: Analysis, key: str, answers: str, cases: str, *, is_running: bool) -> Overview:
        header = analysis.header
        return Overview(
            header.title or "",
            header.description or "",
            author_of(header),
            references_of(header),
            self.beside(_GROUPS, None, header.models) or (),
            tuple([self._standing(analysis, *each, key) for each in enumerate(analysis.blueprint.prompts, 1)]),
            answers,
            header.span,
            is_running=is_running,
            names_models=bool(header.models),
            unread=_unread_lines(analysis),
            cases=cases,
        )

    def _standing(self, analysis: Analysis, number: int, prompt: Prompt, key: str) -> PromptStanding:
        run = self.runs.selection.newest(analysis.place(prompt), key)
        last = self.runs.last.score(analysis, prompt, key) if run is None else _last_score(run)
        return standing_of(number, prompt, run, last)

    async def _group(self, models: tuple[Data, ...]) -> tuple[ModelGroup, ...]:
        collections = Collections(self.state.path, self.session.collections_folder)
        return await asyncio.to_thread(grouped, models or DEFAULT, collections)


def _last_score(run: Run) -> LastScore | None:
    """What the answer of the last run scores now; None for a run of this session."""
    if run.last is None or run.headline is None:
        return None
    return LastScore(run.headline, run.last.began, is_comparable=True)


def _unread_lines(analysis: Analysis) -> tuple[int, ...]:
    """The lines, from 1, of the parts of the file that cannot be read."""
    places = positions(analysis.parsed.text, analysis.parsed.broken.unread)
    return tuple(place.line + 1 for place in places)


def grouped(models: Sequence[Data], collections: Collections) -> tuple[ModelGroup, ...]:
    """`models`, each collection with the models that it lists."""
    groups: list[ModelGroup] = []
    for model in models:
        name = model_name(model)
        if not (isinstance(model, str) and is_collection(model)):
            groups.append(ModelGroup((name,)))
            continue
        try:
            groups.append(ModelGroup(tuple(collections.members(name)), name))
        except UnusableCollection as error:
            groups.append(ModelGroup((), name, str(error)))
    return tuple(groups)


def standing_of(number: int, prompt: Prompt, run: Run | None, last: LastScore | None = None) -> PromptStanding:
    """The standing of `prompt`, the one of this number from 1, by its newest run, else by the last one before."""
    headline = None if run is None else run.headline
    if last is not None:
        headline = last.headline if last.is_comparable else None
        state = f"≠{last.headline.marked_whole_figure}"
    elif run is None:
        state = "not run"
    else:
        state = "runs …" if run.running else run.state
        headline = run.before if run.is_stopped else headline
    failed = run is not None and run.failed is not None and not run.failed.stopped
    return PromptStanding(number, prompt.id, prompt.weight, prompt.span, headline, state, failed, last)
