"""What it takes to close the missing verdicts of a comparison: the questions for judges, and what these cost."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from engine.blueprint import Blueprint, Header, Prompt
from engine.comparison.corners import FourCorners
from engine.evaluation.events import Response
from engine.evaluation.sources import WrittenSource
from engine.judging.panel import Panel
from engine.models import resolve
from engine.models.prices import OwnPrices
from engine.planning import CacheLookup, Job, RunPlan, plan
from engine.planning.amounts import Requests, total
from engine.planning.cached_results import NOTHING_CACHED
from engine.planning.plan_text import dollars_range, requests_text
from engine.record import Record


class OpenCorner(Record):
    """One answer by one rubric, of which judges would be asked about the points at `places`."""

    prompt: Prompt
    response: Response
    places: frozenset[int]


def open_corners(
    corners: FourCorners, prompts: tuple[Prompt, Prompt], responses: tuple[Response | None, Response | None]
) -> tuple[tuple[bool, OpenCorner], ...]:
    """The corners with missing verdicts that judges can give, each with whether its rubric is the new one.

    `prompts` and `responses` are the old and the new one.
    """
    places: dict[tuple[bool, bool], set[int]] = {}
    for each in corners.missing:
        prompt = prompts[each.new_rubric]
        if prompt.points()[each.index].text is not None:
            places.setdefault((each.new_answer, each.new_rubric), set()).add(each.index)
    return tuple(
        (new_rubric, OpenCorner(prompts[new_rubric], response, frozenset(found)))
        for (new_answer, new_rubric), found in places.items()
        if (response := responses[new_answer]) is not None
    )


def jobs_of(corners: Iterable[OpenCorner]) -> list[Job]:
    """The jobs of judging the open points of corners, for a plan."""
    return [
        Job(
            each.prompt,
            WrittenSource(each.response.subject),
            thread=each.response.thread,
            settled=frozenset(range(len(each.prompt.points()))) - each.places,
        )
        for each in corners
    ]


def closing_plan(
    header: Header,
    panel: Panel,
    corners: Iterable[OpenCorner],
    *,
    own: OwnPrices | None = None,
    cache: CacheLookup = NOTHING_CACHED,
) -> RunPlan:
    """What judges of one version would be sent to close `corners`. Sends nothing, and blocks while it reads `cache`."""
    jobs = jobs_of(corners)
    blueprint = Blueprint(header, tuple(each.prompt for each in jobs))
    providers = partial(resolve, custom=header.models, keyless=True)
    return plan(blueprint, jobs, panel, providers=providers, own=own, cache=cache, keyless=True)


def price_text(plans: Iterable[RunPlan]) -> str:
    """`12 requests, about $0.012, at most $0.08`; "" if there is nothing that a judge could close."""
    found = [each for each in plans if each.requests.most]
    if not found:
        return ""
    requests = sum((each.requests for each in found), Requests())
    known = [each.dollars for each in found if each.dollars is not None]
    unpriced = dict.fromkeys(name for each in found for name in each.unpriced)
    parts = [requests_text(requests)]
    if known:
        dollars = total(known)
        parts.append(dollars_range(dollars) if dollars.most > 0 else "free")
    if unpriced:
        parts.append(f"the price of {', '.join(unpriced)} is not known")
    return ", ".join(parts)
