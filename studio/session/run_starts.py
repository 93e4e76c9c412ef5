"""Starting runs: what the author starts, its plan, its approval, and its events."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from engine.asking.planned import PlannedRuns
from engine.blueprint import Blueprint, Prompt
from engine.evaluation.sources import AnswerSource, Candidate, IdealSource, WrittenSource
from engine.text.record import Record, replace
from studio.session.allowed_services import ServiceAccess
from studio.session.analysis import Analysis
from studio.session.evaluator import Evaluator, Permit, job_of
from studio.session.parts import Part
from studio.session.run import Edited, Run
from studio.session.run_configuration import AnswerChoice
from studio.session.run_queue import RunQueue

if TYPE_CHECKING:
    from engine.asking.spending import Cap
    from engine.evaluation.events import Event
    from engine.judging.panel import Panel
    from studio.session.run_consent import AuthorApproval
    from studio.session.session import Session

NO_PROMPTS = "This file has no prompt to run."


class RunStarts(Part):
    """Makes runs of the present text as they are configured, and starts them once they are approved."""

    def __init__(self, session: Session, launcher: RunLauncher, approval: AuthorApproval) -> None:
        super().__init__(session)
        self._launcher = launcher
        self._approval = approval

    def run_or_stop(self, *, fresh: bool = False) -> None:
        """Run the prompt under the cursor with every candidate; if anything is running, stop it.

        `fresh` asks models again, whatever is cached.
        """
        if not self.runs.queue.stop():
            self._start_launch(self._run(fresh=fresh))

    async def _run(self, *, fresh: bool) -> None:
        analysis = self.analysis
        prompt = self._prompt_to_run(analysis)
        if prompt is None:
            self.host.notify(NO_PROMPTS, seconds=3)
            return
        if prompt is not self.state.prompt:
            number = analysis.blueprint.prompts.index(prompt) + 1
            self.host.notify(f"The cursor is in no prompt: F5 runs prompt {number}, {prompt.id}.")
        if self.runs.configuration.answers is None and prompt.ideal is None:
            answers = await self.choose_answers(prompt)
            if answers is None or self.runs.selection.is_writing:
                return
        candidates = self.runs.configuration.candidates(analysis.header)
        await self.launch(
            analysis, [replace(run, fresh=fresh) for run in self._new_runs(analysis, [prompt], candidates)]
        )

    def _prompt_to_run(self, analysis: Analysis) -> Prompt | None:
        """The prompt under the cursor; in the header the one that was run last, else the first."""
        last = max(self.runs.selection.newest_runs, key=lambda run: run.started, default=None)
        prompts = analysis.blueprint.prompts
        again = (each for each in prompts if last is not None and analysis.place(each) == last.place)
        return self.state.prompt or next(again, prompts[0] if prompts else None)

    def run_all_or_stop(self) -> None:
        """Run every prompt with the candidate that is shown; if anything is running, stop it."""
        if not self.runs.queue.stop():
            self._start_launch(self._run_all())

    async def _run_all(self) -> None:
        analysis = self.analysis
        candidate = self.runs.configuration.candidate(analysis.header)
        prompts = analysis.blueprint.prompts
        if not prompts:
            self.host.notify(NO_PROMPTS, seconds=3)
            return
        runnable = [prompt for prompt in prompts if self.has_answer(analysis, prompt, candidate.source)]
        if left_out := len(prompts) - len(runnable):
            what = "ideal" if isinstance(candidate.source, IdealSource) else "answer of yours"
            these = "1 prompt has" if left_out == 1 else f"{left_out} prompts have"
            self.host.notify(f"{these} no {what}, and no score from it.")
        await self.launch(analysis, self._new_runs(analysis, runnable, (candidate,)))

    def judge_or_stop(self) -> None:
        """Have the open points of the answer that is shown judged; if anything is running, stop it.

        The answer stays: no other one is requested.
        """
        if self.runs.queue.stop():
            return
        run = self.runs.selection.run
        if run is None or run.response is None or run.running:
            self.host.notify("There is no answer to judge yet: F5 runs the prompt.", seconds=3)
        elif run.response.withheld:
            self.host.notify(
                "This answer was withheld by the provider's safety filter: it is not judged. F5 asks again."
            )
        elif self.runs.configuration.judges_as is None:
            self.host.notify("Choose judges first: w in the result.", seconds=3)
        else:
            again = replace(run, running=True, restored=False, failed=None)
            self._start_launch(self._judge(self.analysis, again))

    async def _judge(self, analysis: Analysis, run: Run) -> None:
        panel = self.runs.configuration.panel(analysis.blueprint)
        if panel is not None:
            await self.session.file.write_journal()
            await self._launcher.judge(Launch(analysis.blueprint, [run], panel))

    def _start_launch(self, launch: Coroutine[Any, Any, None]) -> None:
        """Prepare runs; the newest launch replaces one that is still being prepared, whichever it is of."""
        self.effect("launch", launch, exclusive=True)

    async def launch(self, analysis: Analysis, runs: Sequence[Run]) -> None:
        """Start `runs` once they are approved."""
        panel = self.runs.configuration.panel(analysis.blueprint)
        await self.session.file.write_journal()
        await self._launcher.run(Launch(analysis.blueprint, runs, panel))

    async def continue_run(self, prompt: Prompt, run: Run, prefilled: tuple[str, ...], edited: Edited | None) -> None:
        """Have the candidate of `run` generate the turns that follow `prefilled`, some of which may be `edited`."""
        analysis = self.analysis
        new = self.new_run(analysis, prompt, run.candidate)
        new = replace(new, prefilled=prefilled, prefilled_stops=run.prefilled_stops, edited=edited, fresh=True)
        await self.launch(analysis, [new])

    async def preview(self, *, all_prompts: bool) -> None:
        """Show what a run of the prompt under the cursor, or of all prompts, would send. Sends nothing."""
        analysis = self.analysis
        prompt = None if all_prompts else self._prompt_to_run(analysis)
        if prompt is not None:
            runs = self._new_runs(analysis, [prompt], self.runs.configuration.candidates(analysis.header))
        else:
            candidate = self.runs.configuration.candidate(analysis.header)
            runs = self._new_runs(analysis, analysis.blueprint.prompts, (candidate,))
        panel = self.runs.configuration.panel(analysis.blueprint)
        planned = await self._launcher.preview(Launch(analysis.blueprint, runs, panel))
        await self._approval.show(planned.plan)

    def new_run(self, analysis: Analysis, prompt: Prompt, candidate: Candidate) -> Run:
        """A run of `prompt` that has not started."""
        place = analysis.place(prompt)
        if isinstance(candidate.source, WrittenSource):
            candidate = replace(candidate, source=WrittenSource(self.runs.selection.written(place)))
        return Run(place, prompt, prompt.span.of(analysis.parsed.text), analysis.revision, candidate)

    def _new_runs(self, analysis: Analysis, prompts: Iterable[Prompt], chosen: Iterable[Candidate]) -> list[Run]:
        several = tuple(chosen)
        return [self.new_run(analysis, prompt, candidate) for prompt in prompts for candidate in several]

    def has_answer(self, analysis: Analysis, prompt: Prompt, source: AnswerSource) -> bool:
        """Whether there is an answer of `source` to `prompt`, or may be one."""
        match source:
            case IdealSource():
                return prompt.ideal is not None
            case WrittenSource():
                return bool(self.runs.selection.written(analysis.place(prompt)).strip())
            case _:
                return True

    async def choose_answers(self, prompt: Prompt | None = None) -> AnswerChoice | None:
        """Ask where answers come from (to `prompt`, else to the one under the cursor); None if the choice stays."""
        prompt = prompt or self.state.prompt
        chosen = await self.runs.configuration.ask(has_ideal=prompt is None or prompt.ideal is not None)
        if chosen is not None:
            self.runs.selection.close_all()
        return chosen


_LOADED_FIRST = "engine.asking.planned"
"""Loading this module takes longer than a frame, so it is loaded off the event loop."""


class Launch(Record):
    """Runs to start together. `panel` judges points in words; None for no judges."""

    blueprint: Blueprint
    runs: Sequence[Run]
    panel: Panel | None

    @property
    def is_of_several_prompts(self) -> bool:
        """Whether it runs several prompts."""
        return len({run.place for run in self.runs}) > 1


class Approved(Record):
    """What a launch may do: the services that it may ask, its cap, and its plan."""

    access: ServiceAccess
    cap: Cap
    planned: PlannedRuns


class Approval(Protocol):
    """Approves launches: the author in the studio, the options of a command."""

    async def approve(self, launch: Launch, plan: Planner) -> Approved | None:
        """What `launch` may do; None if it may not start. `plan` makes its plan, and can be called again."""
        ...


class Planner(Protocol):
    """Makes the plan of a launch whose checks may ask `hosts`; None for all hosts that they name."""

    async def __call__(self, hosts: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        """The plan. `keyless`: nothing will be sent, so no key is needed."""
        ...


class RunLauncher:
    """Starts runs of one file once they are approved."""

    def __init__(
        self, evaluator: Evaluator, queue: RunQueue, approval: Approval, on_start: Callable[[Sequence[Run]], None]
    ) -> None:
        """`on_start` is called with runs that start together."""
        self._evaluator = evaluator
        self._queue = queue
        self._approval = approval
        self._on_start = on_start

    async def run(self, launch: Launch) -> Approved | None:
        """Start the runs, each with a new answer; what they may do, None if they do not start."""
        approved = await self._approve(launch)
        if approved is not None:
            permit = _permit(launch, approved)

            def evaluate(run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
                return approved.planned.counted(self._evaluator.run(run, launch.blueprint, permit, stop))

            self._on_start(launch.runs)
            self._queue.start(launch.runs, evaluate)
        return approved

    async def judge(self, launch: Launch) -> Approved | None:
        """Start judging the present answers of the runs, and request no others; as `run` does."""
        there = [_as_written(run) for run in launch.runs]
        approved = await self._approve(replace(launch, runs=there))
        if approved is not None:
            permit = _permit(launch, approved)

            def evaluate(run: Run, stop: asyncio.Event) -> AsyncGenerator[Event]:
                return approved.planned.counted(self._evaluator.judge(run, launch.blueprint, permit, stop))

            self._on_start(launch.runs)
            self._queue.start(launch.runs, evaluate)
        return approved

    async def preview(self, launch: Launch) -> PlannedRuns:
        """The plan of a launch, of which nothing is sent."""
        return await self._plan(launch, None, keyless=True)

    async def _approve(self, launch: Launch) -> Approved | None:
        return await self._approval.approve(launch, partial(self._plan, launch))

    async def _plan(self, launch: Launch, hosts: Collection[str] | None, *, keyless: bool = False) -> PlannedRuns:
        await asyncio.to_thread(importlib.import_module, _LOADED_FIRST)
        jobs = [job_of(run, self._evaluator, launch.blueprint.header, launch.panel) for run in launch.runs]
        return await PlannedRuns.of(
            launch.blueprint, jobs, launch.panel, hosts, self._evaluator.cached(), keyless=keyless
        )


def _permit(launch: Launch, approved: Approved) -> Permit:
    planned = approved.planned
    planned.limit(approved.cap)
    return Permit(planned.models, launch.panel, replace(approved.access, counter=planned.spending))


def _as_written(run: Run) -> Run:
    """The run with its answer as a written source, so that the plan counts only its judging."""
    assert run.response is not None
    return replace(run, candidate=replace(run.candidate, source=WrittenSource(run.response.subject)))
