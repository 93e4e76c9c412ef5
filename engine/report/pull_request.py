"""What a run of a blueprint would cost, and what Weval's evaluation of a pull request leaves out. Nothing is sent.

The evaluation (platform.md, "Where a blueprint lives") takes the first 10 prompts, the first 5 models of the collection
CORE, the first 2 temperatures and the first 2 system prompts, and at most 100 responses. After the merge there are no
limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path

from engine.asking.exchanges import Job
from engine.asking.planner import plan, service_shares
from engine.asking.run_plan import RunPlan
from engine.blueprint import Blueprint
from engine.evaluation.sources import ModelSource, candidates
from engine.judging.panel import JudgesAs, panel
from engine.models.prices import own_prices
from engine.models.provider_registry import resolve
from engine.parsing.recognition import FOLDER
from engine.text.record import Record, replace
from engine.yaml.nodes import Data

MOST_PROMPTS, MOST_MODELS, MOST_TEMPERATURES, MOST_SYSTEMS, MOST_RESPONSES = 10, 5, 2, 2, 100
_USERS = "users"
_SUFFIXES = (".yml", ".yaml")


class Location(StrEnum):
    """Whether the evaluation of a pull request looks at the file."""

    EVALUATED = "evaluated"
    PASSED_OVER = "passed-over"
    REFUSED = "refused"
    OUTSIDE = "outside"


class PullRequest(Record):
    """What the evaluation of a pull request does with a blueprint.

    `author` is the name that its author must have, "" outside `blueprints/users/NAME/`. `prompts` are the ids that are
    left out; `models`, `temperatures` and `systems` are left out by their labels. `core_known` tells whether the
    members of CORE are known; without them `models` is empty and all others are unknown. `responses` is how many
    responses the rest needs, of which at most `MOST_RESPONSES` are asked for; None if the models are unknown.
    """

    location: Location
    author: str
    prompts: tuple[str, ...]
    models: tuple[str, ...]
    temperatures: tuple[str, ...]
    systems: tuple[str, ...]
    core_known: bool
    responses: int | None

    @property
    def leaves_out(self) -> bool:
        """Whether it leaves anything out."""
        trimmed = any((self.prompts, self.models, self.temperatures, self.systems))
        return trimmed or (self.responses or 0) > MOST_RESPONSES


def pull_request(path: Path, blueprint: Blueprint, models: Sequence[Data], core: Sequence[str] | None) -> PullRequest:
    """What the evaluation of a pull request with the file at `path` does.

    `models` are those of the blueprint with collections expanded, `core` the members of CORE, None if unknown.
    """
    location, author = _location(path)
    header, prompts = blueprint.header, blueprint.prompts
    kept = [] if core is None else [model for model in models if model in core][:MOST_MODELS]
    variants = max(min(len(header.temperatures), MOST_TEMPERATURES), 1) * max(min(len(header.systems), MOST_SYSTEMS), 1)
    return PullRequest(
        location,
        author,
        tuple(prompt.id for prompt in prompts[MOST_PROMPTS:]),
        () if core is None else tuple(_label(model) for model in models if model not in kept),
        tuple(f"{each:g}" for each in header.temperatures[MOST_TEMPERATURES:]),
        tuple("null" if each is None else each for each in header.systems[MOST_SYSTEMS:]),
        core is not None,
        None if core is None else min(len(prompts), MOST_PROMPTS) * len(kept) * variants,
    )


def trimmed(blueprint: Blueprint) -> Blueprint:
    """The part of `blueprint` that the evaluation takes, apart from its models."""
    header = blueprint.header
    header = replace(
        header, temperatures=header.temperatures[:MOST_TEMPERATURES], systems=header.systems[:MOST_SYSTEMS]
    )
    return Blueprint(header, blueprint.prompts[:MOST_PROMPTS])


def _location(path: Path) -> tuple[Location, str]:
    parts = path.absolute().parts
    if FOLDER not in parts[:-1]:
        return Location.OUTSIDE, ""
    below = parts[parts.index(FOLDER) + 1 :]
    if below[0] != _USERS or len(below) == 1:
        return Location.PASSED_OVER, ""
    if len(below) < 3 or path.suffix not in _SUFFIXES:
        return Location.REFUSED, ""
    return Location.EVALUATED, below[1]


def _label(model: Data) -> str:
    return str(model.get("id")) if isinstance(model, dict) else str(model)


_LOCATIONS = {
    Location.EVALUATED: "It is evaluated if the author of the pull request is {}.",
    Location.PASSED_OVER: (
        "It is passed over without a word: only blueprints/users/NAME/ is evaluated in a pull request."
    ),
    Location.REFUSED: "It is refused: in a pull request, files below blueprints/users/ must be users/NAME/FILE.yml.",
    Location.OUTSIDE: "It is not below a folder blueprints/, where Weval looks: put it into blueprints/users/NAME/.",
}


def location_text(found: PullRequest) -> str:
    """What becomes of the file, in a sentence."""
    return _LOCATIONS[found.location].format(found.author)


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
