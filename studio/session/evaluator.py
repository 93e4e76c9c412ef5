"""Evaluating runs with V8, the author's grades, cached answers and cached verdicts."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.asking.exchanges import CacheLookup, Job
from engine.blueprint import Blueprint, Header, Prompt
from engine.blueprint.conversation import ThreadTurn, subject_text
from engine.evaluation.events import Event, Response
from engine.evaluation.prompt_evaluation import evaluate, ideal_score, rescore
from engine.evaluation.sources import AnswerSource, ControlSource, IdealSource, ModelSource
from engine.evaluation.verdicts import Judges, KnownVerdicts, is_open
from engine.judging.judge_prompt import questions
from engine.judging.panel import JudgesAs, Panel, panel
from engine.store import PromptPlace
from engine.study.case_scoring import recorded_in, recorded_verdicts
from engine.text.record import Record, field, replace
from studio.session.allowed_services import NO_ACCESS, ServiceAccess, services_for
from studio.session.cache import Cache
from studio.session.run import Run

if TYPE_CHECKING:
    from engine.evaluation.point_assessment import Grades
    from engine.functions.v8 import JavaScript
    from engine.judging.judge_runner import JudgementLookup
    from engine.models.chat import Resolve
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


class Permit(Record):
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
        judges_as: Callable[[], JudgesAs | None] = lambda: None,
        judge_again: bool = False,
        grades: GradeLookup | None = None,
    ) -> None:
        """`judges_as` is the panel whose verdicts count, None for the documented one. `judge_again`: judges are asked
        whatever is cached.

        `grades` finds those that count in the score of an answer, by default the author's in the database.
        """
        self._cache = cache
        self._javascript = javascript
        self._judges_as = judges_as
        self._judge_again = judge_again
        self.grades: GradeLookup = cache.grades if grades is None else grades

    def cached(self) -> CacheLookup:
        """The cached answers in the form that a plan needs. Blocks."""
        return CacheLookup(self._cache.answer)

    def verdicts(
        self, run: Run, header: Header, panel: Panel | None
    ) -> Callable[[tuple[ThreadTurn, ...]], JudgementLookup] | None:
        """Finds what `panel` has said of an answer to the prompt of `run`; None where it is asked whatever it said."""
        known = self._known(run.place, run.prompt, header, panel, run)
        is_again = panel is None or panel.rounds > 1 or self._judge_again
        return None if known is None or is_again else lambda on: known(Response(subject_text(on), on)).cached

    def counted_panel(self, header: Header) -> Panel:
        """The judges whose verdicts count where none are asked."""
        return panel(header, self._judges_as() or JudgesAs.DOCUMENTED)

    async def run(self, run: Run, blueprint: Blueprint, permit: Permit, stop: asyncio.Event) -> AsyncGenerator[Event]:
        """The events of a new run, which is saved as they arrive.

        A model gets only requests that are not cached, unless the run is `fresh`.
        """
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
            verdicts=self._known(run.place, run.prompt, blueprint.header, permit.panel),
            services=await services_for(blueprint, run.prompt, self._cache, permit.access),
        )
        async with aclosing(self._saved(run, blueprint, events, stop)) as saved:
            async for event in saved:
                yield event

    async def judge(self, run: Run, blueprint: Blueprint, permit: Permit, stop: asyncio.Event) -> AsyncGenerator[Event]:
        """The events of judging the open points of the answer of `run`, which is saved as they arrive."""
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
            verdicts=self._known(run.place, run.prompt, blueprint.header, permit.panel, run),
            stop=stop,
            services=await services_for(blueprint, run.prompt, self._cache, permit.access),
        )
        async with aclosing(self._saved(run, blueprint, events, stop)) as saved:
            async for event in saved:
                yield event

    async def rescore(self, run: Run, blueprint: Blueprint, panel: Panel | None = None) -> AsyncGenerator[Event]:
        """The events of scoring the answer of `run` by the rubric of its prompt. Sends nothing.

        Verdicts of `panel` count, by default of the one that would be asked.
        """
        assert run.response is not None
        source = run.answered
        if run.past is None and isinstance(source, IdealSource | ControlSource):
            score = partial(evaluate, run.prompt, blueprint, source)
        else:
            score = partial(rescore, run.prompt, source, run.response, header=blueprint.header)
        events = score(
            javascript=self._javascript(),
            grades=partial(self.grades, run.place),
            ideal=await self._ideal(run, blueprint, source, IdealScores()),
            verdicts=self._known(run.place, run.prompt, blueprint.header, panel, run),
            services=await services_for(blueprint, run.prompt, self._cache, None),
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
                judgement = getattr(event, "judgement", None)  # only runs with judges load the class of this event
                if judgement is not None and not judgement.reused:
                    await asyncio.to_thread(self._cache.save_judgement, judgement)
                yield event

    async def _ideal(
        self, run: Run, blueprint: Blueprint, source: AnswerSource, ideals: IdealScores
    ) -> IdealScore | None:
        """The score of the ideal on the same rubric; None if the answer is the ideal, or there is none."""
        if isinstance(source, IdealSource) or run.prompt.ideal is None:
            return None
        return await ideals.of(run.prompt, partial(self._ideal_score, run.place, run.prompt, blueprint))

    async def _ideal_score(self, place: PromptPlace, prompt: Prompt, blueprint: Blueprint) -> IdealScore | None:
        return await ideal_score(
            prompt,
            blueprint,
            javascript=self._javascript(),
            grades=partial(self.grades, place),
            verdicts=self._known(place, prompt, blueprint.header),
            services=await services_for(blueprint, prompt, self._cache, None),
        )

    def _judges(self, permit: Permit) -> Judges | None:
        if permit.panel is None:
            return None
        return Judges(permit.panel, permit.models, self._judge_again or permit.panel.rounds > 1)

    def _known(
        self, place: PromptPlace, prompt: Prompt, header: Header, panel: Panel | None = None, run: Run | None = None
    ) -> Callable[[Response], KnownVerdicts] | None:
        """The verdicts on an answer to `prompt`: stored ones, those that the case file records, and those of `run`.

        None without criteria.
        """
        if all(point.text is None for point in prompt.points()):
            return None

        def known(response: Response) -> KnownVerdicts:
            judges = panel or self.counted_panel(header)
            is_same = run and run.response and run.response.subject == response.subject
            own = run.judgements.values() if run and is_same else ()
            stored = partial(self._cache.judgements, place)
            asked = questions(prompt, response.thread, header.description).values()
            recorded = recorded_verdicts(recorded_in(Path(place.blueprint)), asked, judges)
            return KnownVerdicts.on(prompt, header, response, judges, stored, recorded, chain(*own))

        return known


def job_of(run: Run, evaluator: Evaluator, header: Header, panel: Panel | None) -> Job:
    """The job of a run: an answer, or judging the open points of an existing one by `panel`."""
    settled = (index for index, each in enumerate(run.assessments) if not is_open(each) and not each.carried_over)
    return Job(
        run.prompt,
        run.source,
        run.candidate.variant,
        run.prefilled,
        None if run.response is None else run.response.thread,
        run.fresh or run.prompt.no_cache,
        frozenset(settled),
        partial(evaluator.grades, run.place),
        evaluator.verdicts(run, header, panel),
    )
