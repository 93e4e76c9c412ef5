"""The engine's `evaluate` with what a session has: V8, the author's grades, cached answers and cached verdicts."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.events import Event, Response
from engine.evaluation.sources import AnswerSource, ControlSource, IdealSource, ModelSource
from engine.store import PromptPlace
from studio.session.allowed_services import NO_ACCESS, ServiceAccess, services_for
from studio.session.cache import Cache
from studio.session.run import Run

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from engine.evaluation.judge_assessment import Judges
    from engine.javascript import JavaScript
    from engine.judging.consensus import Consensus
    from engine.judging.panel import Panel
    from engine.planning import CacheLookup
    from engine.providers.chat import Resolve
    from engine.scoring.assessment import Criterion, Grade
    from engine.scoring.explanation import IdealScore


class IdealScores:
    """What the ideals score in runs that begin together: worked out once for all who answer a prompt."""

    def __init__(self) -> None:
        self._found: dict[int, IdealScore | None] = {}
        self._turns = defaultdict[int, asyncio.Lock](asyncio.Lock)

    async def of(self, prompt: Prompt, score: Callable[[], Awaitable[IdealScore | None]]) -> IdealScore | None:
        """What the ideal of `prompt` scores; by `score` where nobody wanted it yet."""
        async with self._turns[prompt.index]:
            if prompt.index not in self._found:
                self._found[prompt.index] = await score()
            return self._found[prompt.index]


@dataclass(frozen=True, slots=True)
class Permit:
    """What runs that begin together may do, and what they share.

    `models` finds models and judges, and ends a run where its cap is reached; `panel` judges points in words, nobody
    where it is None; checks ask services as far as `access` goes.
    """

    models: Resolve
    panel: Panel | None = None
    access: ServiceAccess = NO_ACCESS
    ideals: IdealScores = field(default_factory=IdealScores)


class Evaluator:
    """Evaluates runs of one file. Trouble with the database stops nothing."""

    def __init__(
        self,
        cache: Cache,
        javascript: Callable[[], JavaScript],
        *,
        judge_again: bool = False,
        counts_grades: bool = True,
    ) -> None:
        """`judge_again` asks judges also about what they judged before.

        `counts_grades`: the author's grades of an answer count in its score. Those of an ideal always count.
        """
        self._cache = cache
        self._javascript = javascript
        self._judge_again = judge_again
        self._counts_grades = counts_grades

    def cached(self) -> CacheLookup:
        """What is cached, for a plan; its functions block."""
        from engine.planning import CacheLookup

        return CacheLookup(self._cache.answer, self._judgement)

    def grades(self, place: PromptPlace, subject: str) -> Mapping[Criterion, Grade]:
        """The author's grades of an answer, as far as they count; blocks."""
        return self._cache.grades(place, subject) if self._counts_grades else {}

    async def run(self, run: Run, blueprint: Blueprint, permit: Permit, stop: asyncio.Event) -> AsyncGenerator[Event]:
        """The events of a new run, which is saved as it goes.

        A model is asked only for what is not cached, unless the run is `fresh`.
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
            services=await services_for(blueprint, run.prompt, self._cache, permit.access),
        )
        async with aclosing(self._saved(run, events, stop)) as saved:
            async for event in saved:
                yield event

    async def judge(self, run: Run, blueprint: Blueprint, permit: Permit, stop: asyncio.Event) -> AsyncGenerator[Event]:
        """The events of having the panel judge what is open in the answer of `run`, which is saved as it goes."""
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
        async with aclosing(self._saved(run, events, stop)) as saved:
            async for event in saved:
                yield event

    async def rescore(self, run: Run, blueprint: Blueprint) -> AsyncGenerator[Event]:
        """The events of scoring the answer of `run` by the rubric of its prompt, asking nobody.

        Verdicts on criteria that are still there hold, as long as the answer is the same.
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

    async def _saved(self, run: Run, events: AsyncGenerator[Event], stop: asyncio.Event) -> AsyncGenerator[Event]:
        """The events of `run`; what they say is saved before they are told."""
        candidate = replace(run.candidate, source=run.answered)
        recorded = self._cache.recorded(events, run.place, run.prompt, candidate, stop)
        async with aclosing(recorded):
            async for event in recorded:
                await self._keep_verdict(event)
                yield event

    async def _keep_verdict(self, event: Event) -> None:
        judgement = getattr(event, "judgement", None)  # the class of the event is loaded by runs with judges alone
        if judgement is not None and not judgement.reused:
            await asyncio.to_thread(self._cache.save_judgement, judgement)

    async def _ideal(
        self, run: Run, blueprint: Blueprint, source: AnswerSource, ideals: IdealScores
    ) -> IdealScore | None:
        """What the ideal scores on the same rubric, where another answer is judged: is it the rubric, or the answer?"""
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

    def _judgement(self, key: str):
        return None if self._judge_again else self._cache.judgement(key)


def _verdicts(run: Run, response: Response) -> Mapping[str, Consensus]:
    """The verdicts on the criteria of `run`, where `response` is still the answer that was judged."""
    from engine.judging.consensus import Consensus

    if run.response is None or response.subject != run.response.subject:
        return {}
    points = run.prompt.points()
    return {
        text: Consensus(judgements)
        for index, judgements in run.judgements.items()
        if index < len(points) and (text := points[index].text) is not None and index not in run.waiting
    }
