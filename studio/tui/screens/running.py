"""Beginning runs on the blueprint screen: of one prompt, of all, of what follows a turn; and what is asked before."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Prompt
from engine.evaluation.candidates import Candidate
from engine.evaluation.sources import AnswerSource, IdealSource, WrittenSource
from studio.session.checking import Analysis
from studio.session.run import Edited, Run
from studio.session.run_queue import UnderWay
from studio.tui.screens.choosing import Choosing
from studio.tui.screens.evaluating import Evaluating
from studio.tui.screens.side import RESPONSE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from engine.blueprint import Blueprint
    from engine.evaluation.answer_stream import Resolve
    from engine.evaluation.events import Event
    from engine.judging.panel import Panel
    from engine.store import PromptPlace
    from studio.tui.screens.blueprint import BlueprintScreen
    from studio.tui.screens.calling import Allowed, Calling
    from studio.tui.screens.planning import Planning

Place: TypeAlias = "Callable[[Prompt], PromptPlace]"
Written: TypeAlias = "Callable[[PromptPlace], str]"
"""The author's own answer to a prompt, "" where there is none."""


@dataclass(frozen=True, slots=True)
class _Permit:
    """What runs that begin together may do: which hosts they may call, and who answers within their cap."""

    planning: Planning
    allowed: Allowed
    models: Resolve


class Running:
    """Begins the runs of one file. What comes of them is for `UnderWay` to tell."""

    def __init__(
        self,
        screen: BlueprintScreen,
        choosing: Choosing,
        evaluating: Evaluating,
        calling: Calling,
        under_way: UnderWay,
        *,
        place: Place,
        written: Written,
        begun: Callable[[Sequence[Run]], None],
    ) -> None:
        """`begun` is called with runs that begin together."""
        self._screen = screen
        self._choosing = choosing
        self._evaluating = evaluating
        self._calling = calling
        self._under_way = under_way
        self._place = place
        self._written = written
        self._begun = begun

    def choose(self, analysis: Analysis, offset: int, *, then_run: bool = False) -> None:
        """Ask where answers come from."""
        prompt = analysis.prompt_at(offset)
        self._screen.run_worker(self._choose(analysis, prompt, then_run=then_run), group="answers", exclusive=True)

    async def _choose(self, analysis: Analysis, prompt: Prompt | None, *, then_run: bool) -> None:
        answers = await self._choosing.ask(analysis, prompt)
        if answers is None:
            return
        if any(isinstance(source, WrittenSource) for source in answers.sources):
            self._screen.show_tab(RESPONSE)
        elif then_run and prompt is not None:
            chosen = self._choosing.candidates(analysis.parsed.blueprint.header)
            await self._start(analysis, self._runs(analysis, [prompt], chosen))

    def run_or_stop(self, analysis: Analysis, offset: int, *, fresh: bool = False) -> None:
        """Run the prompt at `offset` with every candidate; where anything goes on, stop that.

        `fresh` asks models anew, whatever they answered before.
        """
        if self._under_way.stop():
            return
        prompt = analysis.prompt_at(offset)
        if prompt is None:
            self._screen.notify("Put the cursor into a prompt: F5 runs it.", timeout=3, markup=False)
            return
        if self._choosing.answers is None and prompt.ideal is None:
            self.choose(analysis, offset, then_run=True)
            return
        runs = self._runs(analysis, [prompt], self._choosing.candidates(analysis.parsed.blueprint.header))
        self._begin(analysis, [replace(run, fresh=fresh) for run in runs])

    def run_all_or_stop(self, analysis: Analysis) -> None:
        """Run every prompt with the candidate that is shown; where anything goes on, stop that."""
        if self._under_way.stop():
            return
        candidate = self._choosing.candidate(analysis.parsed.blueprint.header)
        prompts = analysis.parsed.blueprint.prompts
        runnable = [prompt for prompt in prompts if self._has_answer(prompt, candidate.source)]
        if left_out := len(prompts) - len(runnable):
            what = "ideal" if isinstance(candidate.source, IdealSource) else "answer of yours"
            said = "1 prompt has" if left_out == 1 else f"{left_out} prompts have"
            self._screen.notify(f"{said} no {what}, and no score from it.", timeout=5, markup=False)
        self._begin(analysis, self._runs(analysis, runnable, (candidate,)))

    def go_on(
        self, analysis: Analysis, prompt: Prompt, run: Run, begun: tuple[str, ...], edited: Edited | None
    ) -> None:
        """Ask the candidate of `run` for the turns that follow `begun`, of which some may be `edited`.

        Why they ended stands in the `begun_stops` of `run`.
        """
        new = self.run_of(analysis, prompt, run.candidate)
        new = replace(new, begun=begun, begun_stops=run.begun_stops, edited=edited, fresh=True)
        self._begin(analysis, [new])

    def judge_or_stop(self, analysis: Analysis, run: Run | None) -> None:
        """Ask the judges about what is open in an answer that is there; where anything goes on, stop that.

        The answer stays, whoever gave it: nobody is asked for another.
        """
        if self._under_way.stop():
            return
        if run is None or run.response is None or run.running:
            self._screen.notify("There is no answer to judge yet: F5 runs the prompt.", timeout=3, markup=False)
        elif run.response.withheld:
            told = "This answer was withheld by the provider's safety filter: it is not judged. F5 asks again."
            self._screen.notify(told, timeout=5, markup=False)
        elif self._choosing.judges_as is None:
            self._screen.notify("Choose judges first: w in the result.", timeout=3, markup=False)
        else:
            again = replace(run, running=True, recalled=False, failed=None)
            self._screen.run_worker(self._start_judging(analysis, again), group="run", exclusive=True)

    def look_ahead(self, analysis: Analysis, offset: int | None) -> None:
        """Show what a run of the prompt at `offset` would send, or of all where that is None. Nothing is sent."""
        blueprint = analysis.parsed.blueprint
        prompt = None if offset is None else analysis.prompt_at(offset)
        if prompt is not None:
            runs = self._runs(analysis, [prompt], self._choosing.candidates(blueprint.header))
        else:
            runs = self._runs(analysis, blueprint.prompts, (self._choosing.candidate(blueprint.header),))
        self._screen.run_worker(self._look_ahead(blueprint, runs), group="answers", exclusive=True)

    async def _look_ahead(self, blueprint: Blueprint, runs: Sequence[Run]) -> None:
        await asyncio.to_thread(importlib.import_module, "studio.tui.screens.planning")
        from studio.tui.screens.consent import show_plan
        from studio.tui.screens.planning import Planning

        panel = self._choosing.panel(blueprint)
        planning = await Planning.of(blueprint, runs, panel, None, self._evaluating, only_show=True)
        await show_plan(self._screen.app, planning.plan)

    def run_of(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> Run:
        """A run of `prompt`, about to begin."""
        place = self._place(prompt)
        if isinstance(candidate.source, WrittenSource):
            candidate = replace(candidate, source=WrittenSource(self._written(place)))
        return Run(place, prompt, prompt.span.of(analysis.parsed.text), analysis.revision, candidate)

    def _runs(self, analysis: Analysis, prompts: Iterable[Prompt], chosen: Iterable[Candidate]) -> list[Run]:
        several = tuple(chosen)
        return [self.run_of(analysis, prompt, candidate) for prompt in prompts for candidate in several]

    def _has_answer(self, prompt: Prompt, source: AnswerSource) -> bool:
        match source:
            case IdealSource():
                return prompt.ideal is not None
            case WrittenSource():
                return bool(self._written(self._place(prompt)).strip())
            case _:
                return True

    def _begin(self, analysis: Analysis, runs: Sequence[Run]) -> None:
        self._screen.run_worker(self._start(analysis, runs), group="run", exclusive=True)

    async def _start(self, analysis: Analysis, runs: Sequence[Run]) -> None:
        """Begin `runs` if the author lets everybody have what would be sent."""
        blueprint = analysis.parsed.blueprint
        panel = self._choosing.panel(blueprint)
        permit = await self._permit(blueprint, runs, panel)
        if permit is None:
            return

        def evaluate(run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
            events = self._evaluating.run(run, blueprint, panel, permit.allowed, stop, permit.models)
            return permit.planning.counted(events)

        self._begun(runs)
        self._under_way.start(runs, evaluate)

    async def _start_judging(self, analysis: Analysis, run: Run) -> None:
        """Begin to judge the answer of `run`, if the author lets the judges have what would be sent."""
        blueprint = analysis.parsed.blueprint
        panel = self._choosing.panel(blueprint)
        if panel is None or run.response is None:
            return
        there = replace(run, candidate=replace(run.candidate, source=WrittenSource(run.response.subject)))
        permit = await self._permit(blueprint, [there], panel)
        if permit is None:
            return

        def evaluate(run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
            events = self._evaluating.judged(run, blueprint, panel, permit.allowed, stop, permit.models)
            return permit.planning.counted(events)

        self._begun([run])
        self._under_way.start([run], evaluate)

    async def _permit(self, blueprint: Blueprint, runs: Sequence[Run], panel: Panel | None) -> _Permit | None:
        """What the author lets `runs` do; None where they are not to begin."""
        await asyncio.to_thread(importlib.import_module, "studio.tui.screens.planning")  # it takes longer than a frame
        from studio.tui.screens.consent import may_run, may_run_with, must_ask
        from studio.tui.screens.planning import Planning

        app, many = self._screen.app, len({run.place for run in runs}) > 1
        prompts = list({run.place: run.prompt for run in runs}.values())
        unasked = await self._calling.unasked(blueprint, prompts)
        decided: dict[str, bool] = {}
        if unasked:
            planning = await Planning.of(blueprint, runs, panel, None, self._evaluating)
            if must_ask(app, planning.plan, many=many):
                services = await may_run_with(app, planning.plan, unasked, many=many)
                if services is None:
                    return None
                decided = {host.name: services for host in unasked}
        allowed = await self._calling.allowed(blueprint, prompts, decided)
        if allowed is None:
            return None
        planning = await Planning.of(blueprint, runs, panel, allowed.hosts, self._evaluating)
        if not decided and not await may_run(app, planning.plan, many=many):
            return None
        models = planning.providers(self._screen.app.settings)
        return _Permit(planning, replace(allowed, count=planning.count), models)
