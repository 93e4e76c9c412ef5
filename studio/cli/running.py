"""Evaluating prompts for the command line: every prompt × source × variant, with progress on stderr."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any

import click

from engine.blueprint import Blueprint, Prompt
from engine.conversation import Variant
from engine.evaluation import (
    AllJudged,
    AnswerSource,
    Failed,
    IdealSource,
    JudgingBegan,
    ModelSource,
    PointAssessed,
    Scored,
    evaluate,
)
from engine.evaluation.answer_notes import answer_marks
from engine.evaluation.candidates import Candidate, candidates
from engine.evaluation.export import Entry
from engine.evaluation.prompt_keys import unique_keys
from engine.javascript import JavaScript
from engine.scoring.explanation_text import point_label
from engine.text import visible

if TYPE_CHECKING:
    from engine.evaluation.service_assessment import Services
    from engine.planning import Job
    from engine.scoring.explanation import IdealScore
    from studio.cli.judging import Judging
    from studio.cli.keeping import Keeping
    from studio.cli.planning import Planning

AT_ONCE = 64
"""How many prompts are under way at the same time. How many are asked of one provider at once is that one's limit."""


class Stopped(click.ClickException):
    """The author ended the run with Ctrl+C: exit code 1, as not everything was scored."""

    def __init__(self) -> None:
        super().__init__("Stopped.")

    def show(self, file: IO[Any] | None = None) -> None:
        """Say what became of the run."""
        click.echo("\nStopped. Answers so far are cached: run it again to continue from here.", err=True)


@dataclass(frozen=True, slots=True)
class _Job:
    prompt: Prompt
    prompt_key: str
    candidate: Candidate

    @property
    def source(self) -> AnswerSource:
        return self.candidate.source

    @property
    def variant(self) -> Variant:
        return self.candidate.variant

    @property
    def title(self) -> str:
        return f"{self.prompt_key} · {self.candidate.key}"


def evaluate_all(
    blueprint: Blueprint,
    prompts: Sequence[Prompt],
    sources: Sequence[AnswerSource],
    keeping: Keeping,
    planning: Planning,
    judging: Judging | None = None,
    services: Services | None = None,
) -> list[Entry]:
    """The outcome of every prompt with every source, in that order. Blocks until all are there.

    Each answer is kept as it arrives, and found again by the next run, also where this one is interrupted. `planning`
    counts what is sent, and ends the run at its cap. `services` say whom checks may ask; without, they stay open.
    """
    jobs = list(_jobs(blueprint, prompts, sources))
    counted = None if services is None else replace(services, count=planning.spending.count_request)
    try:
        with JavaScript() as javascript:
            return asyncio.run(_all(blueprint, jobs, javascript, keeping, planning, judging, counted))
    except KeyboardInterrupt as interrupt:
        raise Stopped from interrupt


def wanted(
    blueprint: Blueprint, prompts: Sequence[Prompt], sources: Sequence[AnswerSource], keeping: Keeping
) -> list[Job]:
    """The answers of `evaluate_all`, for its plan."""
    from engine.planning import Job

    return [
        Job(job.prompt, job.source, job.variant, fresh=keeping.fresh(job.prompt))
        for job in _jobs(blueprint, prompts, sources)
    ]


def points_to_judge(blueprint: Blueprint, prompts: Sequence[Prompt], sources: Sequence[AnswerSource]) -> int:
    """How many points in words judges would be asked about, counted over all answers."""
    from engine.judging import points_in_words

    jobs = _jobs(blueprint, prompts, sources)
    return sum(
        points_in_words(job.prompt)
        for job in jobs
        if not (isinstance(job.source, IdealSource) and job.prompt.ideal is None)
    )


def _jobs(blueprint: Blueprint, prompts: Sequence[Prompt], sources: Sequence[AnswerSource]) -> Iterator[_Job]:
    keys = unique_keys(blueprint.prompts)
    for prompt in prompts:
        for source in sources:
            for candidate in candidates(source, blueprint.header):
                yield _Job(prompt, keys[prompt.index], candidate)


async def _all(
    blueprint: Blueprint,
    jobs: Sequence[_Job],
    javascript: JavaScript,
    keeping: Keeping,
    planning: Planning,
    judging: Judging | None,
    services: Services | None,
) -> list[Entry]:
    free = asyncio.Semaphore(AT_ONCE)
    ideals: dict[int, asyncio.Task[IdealScore | None]] = {}
    done = 0

    async def one(job: _Job) -> Entry:
        nonlocal done
        async with free:
            end = await _end(blueprint, job, javascript, keeping, planning, judging, services, await ideal_of(job))
        done += 1
        planning.heard(end)
        judged = end if isinstance(end, AllJudged) else None
        outcome = end.scored if isinstance(end, AllJudged) else end
        click.echo(visible(f"{done} of {len(jobs)}: {job.title} · {_state(outcome)}"), err=True)
        return Entry(job.prompt, job.prompt_key, job.candidate.key, outcome, job.variant.suffix, judged)

    async def ideal_of(job: _Job) -> IdealScore | None:
        """What the ideal of the same prompt scores, worked out once for all who answer it."""
        if isinstance(job.source, IdealSource):
            return None
        if job.prompt.index not in ideals:
            ideals[job.prompt.index] = group.create_task(keeping.ideal(blueprint, job.prompt, javascript, services))
        return await ideals[job.prompt.index]

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(job)) for job in jobs]
    return [task.result() for task in tasks]


def _state(outcome: Scored | Failed) -> str:
    if isinstance(outcome, Failed):
        return "withheld by the provider's safety filter" if outcome.withheld else "failed"
    marks = "".join(f", {mark}" for mark in answer_marks(outcome.response))
    return f"scored{marks}" + (" · cached answer, 0 requests" if outcome.response.reused else "")


async def _end(
    blueprint: Blueprint,
    job: _Job,
    javascript: JavaScript,
    keeping: Keeping,
    planning: Planning,
    judging: Judging | None,
    services: Services | None,
    ideal: IdealScore | None,
) -> Scored | AllJudged | Failed:
    end: Scored | AllJudged | Failed | None = None
    waiting, told = 0, 0
    models = planning.providers
    judges = None if judging is None else judging.judges(models)
    events = evaluate(
        job.prompt,
        blueprint,
        job.source,
        javascript=javascript,
        providers=keeping.providers(blueprint, job.prompt, models) if isinstance(job.source, ModelSource) else None,
        variant=job.variant,
        ideal=ideal,
        judges=judges,
        services=services,
    )
    async for event in keeping.recorded(events, job.prompt, job.candidate):
        if judging is not None:
            judging.hear(event)
        match event:
            case Scored() | AllJudged() | Failed():
                end = event
            case JudgingBegan(waiting=places):
                waiting = len(places)
            case PointAssessed():
                told += 1
                _tell_verdicts(job, event, f"{told} of {waiting}")
            case _:
                pass
    if end is None:
        raise RuntimeError("an evaluation ended without an outcome")
    return end


def _tell_verdicts(job: _Job, point: PointAssessed, which: str) -> None:
    told = f"{job.title} · point {which}: {point_label(point.assessment.point)}: {point.assessment.detail}"
    click.echo(visible(" ".join(told.split())), err=True)


def failed(entry: Entry) -> bool:
    """Whether a request failed, one to a judge included, a check could not run, or nobody judged a point."""
    if isinstance(entry.outcome, Failed):
        return True
    return any(assessment.error is not None for assessment in entry.outcome.assessments) or _a_judge_failed(entry)


def _a_judge_failed(entry: Entry) -> bool:
    if entry.judged is None:
        return False
    from engine.judging import Reason

    silent = [each.failure for point in entry.judged.points.values() for each in point.failed]
    return any(each is not None and each.reason in (Reason.FAILED, Reason.TIMED_OUT) for each in silent)
