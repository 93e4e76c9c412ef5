"""The engine's `evaluate`, given what the studio has: V8, the author's grades, and what judges said before."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.conversation import Variant
from engine.evaluation.events import Event, Response
from engine.evaluation.sources import AnswerSource, ControlSource, IdealSource, ModelSource
from engine.store import PromptPlace, StoreUnavailable
from studio.session.cache import Kept
from studio.session.run import Run

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from engine.evaluation.answer_stream import Resolve
    from engine.evaluation.judge_assessment import Judges
    from engine.evaluation.service_assessment import Services
    from engine.judging.consensus import Consensus
    from engine.judging.judgement import Judgement
    from engine.judging.panel import Panel
    from engine.planning import Before
    from engine.providers.chat import Stop
    from engine.scoring.assessment import Criterion, Grade
    from engine.scoring.explanation import IdealScore
    from studio.tui.screens.blueprint import BlueprintScreen
    from studio.tui.screens.calling import Allowed, Calling


class Evaluating:
    """Evaluates for one screen. Trouble with the database is told, and stops nothing."""

    def __init__(self, screen: BlueprintScreen, calling: Calling) -> None:
        self._screen = screen
        self._calling = calling
        self._kept = Kept(lambda: screen.app.store, self._tell)

    async def run(
        self,
        run: Run,
        blueprint: Blueprint,
        panel: Panel | None,
        allowed: Allowed,
        stop: asyncio.Event,
        models: Resolve,
    ) -> AsyncGenerator[Event]:
        """The events of a new run: `panel` is asked about points in words where there is one, services as `allowed`.

        It is kept as it goes. A model is asked only for what it did not answer before, unless the run is `fresh`.
        `models` finds models and judges, and ends the run where its cap is reached.
        """
        judges = None if panel is None else self._judges(panel, blueprint, models)
        fresh = run.fresh or run.prompt.no_cache
        events = self._evaluate(
            run.place,
            run.prompt,
            blueprint,
            run.source,
            providers=self._kept.providers(blueprint, models, fresh=fresh)
            if isinstance(run.source, ModelSource)
            else None,
            variant=run.candidate.variant,
            judges=judges,
            stop=stop,
            begun=run.begun,
            begun_stops=run.begun_stops,
            services=await self._calling.services(blueprint, run.prompt, allowed),
        )
        async with aclosing(self._recorded(run, events, stop)) as recorded:
            async for event in recorded:
                if panel is not None:
                    await self._keep(event)
                yield event

    async def judged(
        self, run: Run, blueprint: Blueprint, panel: Panel, allowed: Allowed, stop: asyncio.Event, models: Resolve
    ) -> AsyncGenerator[Event]:
        """The events of having `panel` judge what is open in the answer of `run`. It is kept as it goes."""
        from engine.evaluation.prompt_evaluation import judge_again

        assert run.response is not None
        events = judge_again(
            run.prompt,
            run.answered,
            run.response,
            javascript=self._screen.app.javascript,
            header=blueprint.header,
            grades=partial(self.grades, run.place),
            ideal=await self._ideal(run.place, run.prompt, blueprint, run.answered),
            judges=self._judges(panel, blueprint, models),
            said=partial(_said, run) if run.judgements else None,
            stop=stop,
            services=await self._calling.services(blueprint, run.prompt, allowed),
        )
        async with aclosing(self._recorded(run, events, stop)) as recorded:
            async for event in recorded:
                await self._keep(event)
                yield event

    def _recorded(self, run: Run, events: AsyncGenerator[Event], stop: asyncio.Event) -> AsyncGenerator[Event]:
        candidate = replace(run.candidate, source=run.answered)
        return self._kept.recorded(events, run.place, run.prompt, candidate, stop)

    async def again(self, run: Run, blueprint: Blueprint) -> AsyncGenerator[Event]:
        """The events of holding the answer of `run` against the rubric of today, asking nobody.

        What judges said of criteria that are still there holds, as long as the answer is the same.
        """
        from engine.evaluation.prompt_evaluation import judge_again

        assert run.response is not None
        said = partial(_said, run) if run.judgements else None
        services = await self._calling.services(blueprint, run.prompt, None)
        source = run.answered
        if run.past is None and isinstance(source, IdealSource | ControlSource):
            events = self._evaluate(run.place, run.prompt, blueprint, source, said=said, services=services)
        else:
            events = judge_again(
                run.prompt,
                source,
                run.response,
                javascript=self._screen.app.javascript,
                header=blueprint.header,
                grades=partial(self.grades, run.place),
                ideal=await self._ideal(run.place, run.prompt, blueprint, source),
                said=said,
                services=services,
            )
        async with aclosing(events):
            async for event in events:
                yield event

    async def _evaluate(
        self,
        place: PromptPlace,
        prompt: Prompt,
        blueprint: Blueprint,
        source: AnswerSource,
        *,
        providers: Resolve | None = None,
        variant: Variant | None = None,
        judges: Judges | None = None,
        said: partial[Mapping[str, Consensus]] | None = None,
        stop: asyncio.Event | None = None,
        begun: Sequence[str] = (),
        begun_stops: Sequence[Stop | None] = (),
        services: Services | None = None,
    ) -> AsyncGenerator[Event]:
        from engine.evaluation.prompt_evaluation import evaluate

        events = evaluate(
            prompt,
            blueprint,
            source,
            javascript=self._screen.app.javascript,
            providers=providers,
            grades=partial(self.grades, place),
            variant=variant,
            stop=stop,
            prefilled=begun,
            prefilled_stops=begun_stops,
            ideal=await self._ideal(place, prompt, blueprint, source),
            judges=judges,
            said=said,
            services=services,
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def _ideal(
        self, place: PromptPlace, prompt: Prompt, blueprint: Blueprint, source: AnswerSource
    ) -> IdealScore | None:
        """What the ideal scores on the same rubric, where another answer is judged: is it the rubric, or the answer?"""
        if isinstance(source, IdealSource) or prompt.ideal is None:
            return None
        from engine.evaluation.ideal import ideal_score

        return await ideal_score(
            prompt,
            blueprint,
            javascript=self._screen.app.javascript,
            grades=partial(self.grades, place),
            said=await asyncio.to_thread(self._kept.said_of_ideal, place, prompt.ideal),
            services=await self._calling.services(blueprint, prompt, None),
        )

    # --- What is kept

    def before(self) -> Before:
        """What is kept, for a plan. It blocks."""
        from engine.planning import Before

        return Before(self._kept.answer, self._judgement)

    def _judges(self, panel: Panel, blueprint: Blueprint, models: Resolve) -> Judges:
        from engine.evaluation.judge_assessment import Judges

        return Judges(panel, blueprint.header, models, self._judgement)

    def _judgement(self, key: str) -> Judgement | None:
        try:
            return self._screen.app.store.judgement(key)
        except StoreUnavailable as error:
            self._tell(error)
            return None

    async def _keep(self, event: Event) -> None:
        from engine.judging.judge_runner import JudgeAnswered  # here, as only runs with judges load it

        if isinstance(event, JudgeAnswered) and not event.judgement.reused:
            try:
                await asyncio.to_thread(self._screen.app.store.save_judgement, event.judgement)
            except StoreUnavailable as error:
                self._tell(error)

    def grades(self, place: PromptPlace, subject: str) -> Mapping[Criterion, Grade]:
        """The author's grades; called off the event loop."""
        try:
            return self._screen.app.store.grades(place, subject)
        except StoreUnavailable as error:
            self._tell(error)
            return {}

    def _tell(self, error: StoreUnavailable) -> None:
        self._screen.call_later(self._screen.notify, str(error), severity="warning", markup=False)


def _said(run: Run, response: Response) -> Mapping[str, Consensus]:
    """What judges said of the criteria of `run`, where `response` is still the answer that they judged."""
    from engine.judging.consensus import Consensus

    if run.response is None or response.subject != run.response.subject:
        return {}
    points = run.prompt.points()
    return {
        text: Consensus(judgements)
        for index, judgements in run.judgements.items()
        if index < len(points) and (text := points[index].text) is not None and index not in run.waiting
    }
