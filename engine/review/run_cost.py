"""What a run of a blueprint with its own models and judges would cost, by the planner. Nothing is sent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.blueprint import Blueprint
from engine.evaluation.sources import ModelSource, candidates
from engine.judging.panel import JudgesAs, panel
from engine.models import resolve
from engine.models.prices import own_prices
from engine.planning import Job, RunPlan, plan, service_shares
from engine.record import Record
from engine.yaml_nodes.nodes import Data


class RunCost(Record):
    """The plan of a run: `responses` answers by `models` models, judged by the judges of the blueprint."""

    models: int
    responses: int
    plan: RunPlan


def run_cost(blueprint: Blueprint, models: Sequence[Data]) -> RunCost | None:
    """The plan of a run of all prompts by `models`, with collections expanded. None without models. Blocks.

    The judges are those that Weval has today where the blueprint names none.
    """
    ids = [model for each in models if (model := _id(each))]
    if not ids:
        return None
    header = blueprint.header
    jobs = [
        Job(prompt, candidate.source, candidate.variant)
        for prompt in blueprint.prompts
        for model in ids
        for candidate in candidates(ModelSource(model), header)
    ]
    planned = plan(
        blueprint,
        jobs,
        panel(header, JudgesAs.WEVAL_TODAY),
        providers=partial(resolve, custom=header.models, keyless=True),
        own=own_prices(),
        services=service_shares(blueprint, jobs, keyless=True),
        keyless=True,
    )
    return RunCost(len(ids), len(jobs), planned)


def _id(model: Data) -> str:
    found = model.get("id") if isinstance(model, dict) else model
    return found if isinstance(found, str) else ""
