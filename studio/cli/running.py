"""Evaluating prompts for the command line: every prompt × source × variant, with progress on stderr."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from engine.blueprint import Blueprint, Prompt
from engine.conversation import Variant, variants
from engine.evaluation import AnswerSource, Failed, FixtureSource, ModelSource, Scored, evaluate, source_key
from engine.evaluation.export import Entry, unique_keys
from engine.javascript import JavaScript
from engine.text import visible

AT_ONCE = 64
"""How many prompts are under way at the same time. How many are asked of one provider at once is that one's limit."""


@dataclass(frozen=True, slots=True)
class _Job:
    prompt: Prompt
    prompt_key: str
    source: AnswerSource
    variant: Variant

    @property
    def key(self) -> str:
        return source_key(self.source) + self.variant.suffix


def evaluate_all(blueprint: Blueprint, prompts: Sequence[Prompt], sources: Sequence[AnswerSource]) -> list[Entry]:
    """The outcome of every prompt with every source, in that order. Blocks until all are there."""
    jobs = list(_jobs(blueprint, prompts, sources))
    with JavaScript() as javascript:
        return asyncio.run(_all(blueprint, jobs, javascript))


def _jobs(blueprint: Blueprint, prompts: Sequence[Prompt], sources: Sequence[AnswerSource]) -> Iterator[_Job]:
    keys = unique_keys(blueprint.prompts)
    for prompt in prompts:
        for source in sources:
            for variant in variants(blueprint.header) if _is_of_a_model(source) else (Variant(),):
                yield _Job(prompt, keys[prompt.index], source, variant)


def _is_of_a_model(source: AnswerSource) -> bool:
    return isinstance(source, ModelSource) or (isinstance(source, FixtureSource) and source.model is not None)


async def _all(blueprint: Blueprint, jobs: Sequence[_Job], javascript: JavaScript) -> list[Entry]:
    free = asyncio.Semaphore(AT_ONCE)
    done = 0

    async def one(job: _Job) -> Entry:
        nonlocal done
        async with free:
            outcome = await _outcome(blueprint, job, javascript)
        done += 1
        state = "failed" if isinstance(outcome, Failed) else "scored"
        click.echo(visible(f"{done} of {len(jobs)}: {job.prompt_key} · {job.key} · {state}"), err=True)
        return Entry(job.prompt, job.prompt_key, job.key, outcome, job.variant.suffix)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(job)) for job in jobs]
    return [task.result() for task in tasks]


async def _outcome(blueprint: Blueprint, job: _Job, javascript: JavaScript) -> Scored | Failed:
    outcome: Scored | Failed | None = None
    async for event in evaluate(job.prompt, blueprint, job.source, javascript=javascript, variant=job.variant):
        if isinstance(event, Scored | Failed):
            outcome = event
    if outcome is None:
        raise RuntimeError("an evaluation ended without an outcome")
    return outcome


def tell_recipients(blueprint: Blueprint, named: Sequence[AnswerSource]) -> None:
    """Who will receive the prompts, before the first one is sent."""
    models = [source for source in named if isinstance(source, ModelSource)]
    if not models:
        return
    from engine.providers import resolve
    from engine.providers.chat import ProviderError

    for source in models:
        try:
            provider, _ = resolve(source.model, source.base_url, blueprint.header.models)
        except ProviderError:
            continue  # the run itself tells of it, for each prompt
        click.echo(visible(f"Prompts for {source.model} go to {provider.recipient}."), err=True)


def failed(entry: Entry) -> bool:
    """Whether a request failed, or a check could not run."""
    if isinstance(entry.outcome, Failed):
        return True
    return any(assessment.error is not None for assessment in entry.outcome.assessments)
