"""Evaluating runs with V8, the author's grades, cached answers and cached verdicts."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.events import Event, Response
from engine.evaluation.sources import AnswerSource, ControlSource, IdealSource, ModelSource
from engine.store import PromptPlace
from studio.session.allowed_services import NO_ACCESS, ServiceAccess, services_for
from studio.session.cache import Cache
from studio.session.run import Run

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from engine.evaluation.judge_assessment import EarlierVerdicts, Judges
    from engine.evaluation.point_assessment import Grades
    from engine.javascript import JavaScript
    from engine.judging.consensus import Consensus
    from engine.judging.panel import Panel
    from engine.planning import CacheLookup
    from engine.providers.chat import Resolve
    from engine.scoring.explanation import IdealScore

GradeLookup: TypeAlias = "Callable[[PromptPlace, str], Grades]"
"""The grades of an answer, the subject text, to a prompt. Called in threads; may block."""


class IdealScores:
    """The scores of ideals in runs that start together, each computed once for all answers to a prompt."""

    def __init__(self) -> None:
        self._found: dict[int, IdealScore | None] = {}
        self._locks = defaultdict[int, asyncio.Lock](asyncio.Lock)

    async def of(self, prompt: Prompt, score: Callable[[], Awaitable[IdealScore | None]]) -> IdealScore | None:
        """The score of the ideal of `prompt`, computed by `score` at the first call."""
        async with self._locks[prompt.index]:
            if prompt.index not in self._found:
                self._found[prompt.index] = await score()
            return self._found[prompt.index]


@dataclass(frozen=True, slots=True)
class Permit:
    """What runs that start together may send, and what they share.

    `models` resolves models and judges, and ends a run at its cap. `panel` judges points in words; None for no judges.
    `access` limits the services that checks ask.
    """

    models: Resolve
    panel: Panel | None = None
    access: ServiceAccess = NO_ACCESS
    ideals: IdealScores = field(default_factory=IdealScores)


class Evaluator:
    """Evaluates runs of one file. Errors of the database stop none of them."""

    def __init__(
        self,
        cache: Cache,
        javascript: Callable[[], JavaScript],
        *,
        judge_again: bool = False,
        stored_verdicts: bool = False,
        grades: GradeLookup | None = None,
    ) -> None:
        """`judge_again` ignores cached verdicts.

        With `stored_verdicts`, those that any run has on the answer of a new run count. Looking for them blocks.

        `grades` finds the grades of an answer that count in its score, by default the author's in the database. Those
        of an ideal always count.
        """
        self._cache = cache
        self._javascript = javascript
        self._judge_again = judge_again
        self._stored_verdicts = stored_verdicts
        self._grades = cache.grades if grades is None else grades

    def cached(self) -> CacheLookup:
        """The cache in the form that a plan needs; its functions block."""
        from engine.planning import CacheLookup

        return CacheLookup(self._cache.answer, self._judgement)

    def grades(self, place: PromptPlace, subject: str) -> Grades:
        """The grades of an answer that count in its score. Blocks."""
        return self._grades(place, subject)

    async def run(self, run: Run, blueprint: Blueprint, permit: Permit, stop: asyncio.Event) -> AsyncGenerator[Event]:
        """The events of a new run, which is saved as they arrive.

        A model gets only requests that are not cached, unless the run is `fresh`.
        """
        from engine.evaluation.prompt_evaluation import evaluate

        is_fresh = run.fresh or run.prompt.no_cache
        is_model = isinstance(run.source, ModelSource)
        events = evaluate(
            run.prompt,
            blueprint,
            run.source,
            javascript=self._javascript(),
            providers=self._cache.providers(blueprint, permit.models, fresh=is_fresh) if is_model else None,
            grades=partial(self.grades, run.place),
            variant=run.candidate.variant,
            stop=stop,
            prefilled=run.prefilled,
            prefilled_stops=run.prefilled_stops,
            ideal=await self._ideal(run, blueprint, run.source, permit.ideals),
            judges=self._judges(permit),
            earlier_verdicts=partial(self._known_verdicts, run) if self._stored_verdicts else None,
            services=await services_for(blueprint, run.prompt, self._cache, permit.access),
        )
        async with aclosing(self._saved(run, blueprint, events, stop)) as saved:
            async for event in saved:
                yield event

    async def judge(self, run: Run, blueprint: Blueprint, permit: Permit, stop: asyncio.Event) -> AsyncGenerator[Event]:
        """The events of judging the open points of the answer of `run`, which is saved as they arrive."""
        from engine.evaluation.prompt_evaluation import rescore

        assert run.response is not None
        events = rescore(
            run.prompt,
            run.answered,
            run.response,
            javascript=self._javascript(),
            header=blueprint.header,
            grades=partial(self.grades, run.place),
            ideal=await self._ideal(run, blueprint, run.answered, permit.ideals),
            judges=self._judges(permit),
            earlier_verdicts=partial(_verdicts, run) if run.judgements else None,
            stop=stop,
            services=await services_for(blueprint, run.prompt, self._cache, permit.access),
        )
        async with aclosing(self._saved(run, blueprint, events, stop)) as saved:
            async for event in saved:
                yield event

    async def rescore(self, run: Run, blueprint: Blueprint) -> AsyncGenerator[Event]:
        """The events of scoring the answer of `run` by the rubric of its prompt. Sends nothing.

        Verdicts on criteria that still exist count, as long as the answer is the same.
        """
        from engine.evaluation.prompt_evaluation import evaluate, rescore

        assert run.response is not None
        source = run.answered
        verdicts = partial(_verdicts, run) if run.judgements else None
        services = await services_for(blueprint, run.prompt, self._cache, None)
        grades = partial(self.grades, run.place)
        ideal = await self._ideal(run, blueprint, source, IdealScores())
        javascript = self._javascript()
        if run.past is None and isinstance(source, IdealSource | ControlSource):
            events = evaluate(
                run.prompt,
                blueprint,
                source,
                javascript=javascript,
                grades=grades,
                ideal=ideal,
                earlier_verdicts=verdicts,
                services=services,
            )
        else:
            events = rescore(
                run.prompt,
                source,
                run.response,
                javascript=javascript,
                header=blueprint.header,
                grades=grades,
                ideal=ideal,
                earlier_verdicts=verdicts,
                services=services,
            )
        async with aclosing(events):
            async for event in events:
                yield event

    async def _saved(
        self, run: Run, blueprint: Blueprint, events: AsyncGenerator[Event], stop: asyncio.Event
    ) -> AsyncGenerator[Event]:
        """The events of `run`, each saved before it is passed on."""
        candidate = replace(run.candidate, source=run.answered)
        recorded = self._cache.recorded(events, run.place, run.prompt, candidate, stop, blueprint.header)
        async with aclosing(recorded):
            async for event in recorded:
                await self._save_verdict(event)
                yield event

    async def _save_verdict(self, event: Event) -> None:
        judgement = getattr(event, "judgement", None)  # only runs with judges load the class of this event
        if judgement is not None and not judgement.reused:
            await asyncio.to_thread(self._cache.save_judgement, judgement)

    async def _ideal(
        self, run: Run, blueprint: Blueprint, source: AnswerSource, ideals: IdealScores
    ) -> IdealScore | None:
        """The score of the ideal on the same rubric; None if the answer is the ideal, or there is none."""
        if isinstance(source, IdealSource) or run.prompt.ideal is None:
            return None
        return await ideals.of(
            run.prompt, partial(self._ideal_score, run.place, run.prompt, run.prompt.ideal, blueprint)
        )

    async def _ideal_score(
        self, place: PromptPlace, prompt: Prompt, ideal: str, blueprint: Blueprint
    ) -> IdealScore | None:
        from engine.evaluation.ideal import ideal_score

        return await ideal_score(
            prompt,
            blueprint,
            javascript=self._javascript(),
            grades=partial(self._cache.grades, place),
            earlier_verdicts=await asyncio.to_thread(self._cache.ideal_verdicts, place, ideal),
            services=await services_for(blueprint, prompt, self._cache, None),
        )

    def _judges(self, permit: Permit) -> Judges | None:
        if permit.panel is None:
            return None
        from engine.evaluation.judge_assessment import Judges

        return Judges(permit.panel, permit.models, self._judgement)

    def _known_verdicts(self, run: Run, response: Response) -> EarlierVerdicts:
        return self._cache.known_verdicts(run.place, run.source.key, response.subject)

    def _judgement(self, key: str):
        return None if self._judge_again else self._cache.judgement(key)


def _verdicts(run: Run, response: Response) -> Mapping[str, Consensus]:
    """The verdicts on the criteria of `run`; {} if `response` is not the answer that was judged."""
    from engine.judging.consensus import Consensus

    if run.response is None or response.subject != run.response.subject:
        return {}
    points = run.prompt.points()
    return {
        text: Consensus(judgements)
        for index, judgements in run.judgements.items()
        if index < len(points) and (text := points[index].text) is not None and index not in run.waiting
    }
