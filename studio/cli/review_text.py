"""A review as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.asking.run_plan import amounts
from engine.functions.function_text import count
from engine.report.review_findings import MOST_MODELS, MOST_RESPONSES, Location, RunCost, location_text
from engine.scoring.explanation_text import listed, points_text
from engine.text.diagnostics import Severity
from studio.cli.review_page import Review

_LONGEST = 100
_MOST_NAMED = 6


def as_text(review: Review) -> str:
    """The page of one blueprint."""
    lines = [str(review.path), f"  {summary(review)}"]
    for title, section in sections(review):
        lines += ["", f"  {title}", *(f"    {line}" for line in section)]
    return "\n".join(lines) + "\n"


def sections(review: Review) -> Iterator[tuple[str, list[str]]]:
    """The sections with their titles, as lines."""
    yield "Pitfalls", list(pitfall_lines(review)) or ["none"]
    yield "Rubric", list(rubric_lines(review)) or ["no points"]
    yield "Near-duplicate prompts", list(duplicate_lines(review)) or ["none"]
    yield "Scripts and hosts", list(code_lines(review)) or ["It runs no script and calls no service."]
    yield "What a run would cost", list(cost_lines(review))
    yield "Weval's evaluation of the pull request", list(pull_request_lines(review))
    yield "Links", list(link_lines(review))


def summary(review: Review) -> str:
    """`12 prompts · 40 points, 38 in words · 3 models`."""
    prompts = review.parsed.blueprint.prompts
    points = [point for prompt in prompts for point in prompt.points()]
    words = sum(point.function is None for point in points)
    ideals = sum(prompt.ideal is not None for prompt in prompts)
    parts = [
        count(len(prompts), "prompt"),
        f"{count(len(points), 'point')}, {words} in words",
        f"{ideals} with an ideal",
        *([] if review.cost is None else [count(review.cost.models, "model")]),
    ]
    return " · ".join(parts)


def pitfall_lines(review: Review) -> Iterator[str]:
    """The counts, then each error and warning; hints are counted only."""
    found = review.diagnostics
    counts = [(level, sum(each.severity is level for each in found)) for level in Severity]
    if not found:
        return
    yield ", ".join(count(number, level.value) for level, number in counts if number)
    for each in found:
        if each.severity is not Severity.HINT:
            fix = " · has a fix" if each.fixes else ""
            yield f"line {review.line(each.span.start)}: {each.severity.value}: {each.message} [{each.slug}]{fix}"


def rubric_lines(review: Review) -> Iterator[str]:
    """How many criteria cite a source, what failing one forbidden point leaves, and what repeating the prompt earns."""
    found = review.rubric
    if found.criteria:
        criteria = "1 criterion cites" if found.criteria == 1 else f"{found.criteria} criteria cite"
        yield f"{found.citing} of {criteria} a source"
    if found.guards:
        left = _figures([(each.left, review.line(each.point.span.start)) for each in found.guards])
        yield f"an answer that does what should_not names in one point, and all else right, gets {left}"
    if found.echoes:
        earned = _figures([(each.earns, review.line(each.prompt.span.start)) for each in found.echoes])
        yield f"an answer that repeats its prompt earns at least {earned}"


def _figures(scores: list[tuple[float, int]]) -> str:
    shown = [f"{points_text(score)} (line {line})" for score, line in scores[:_MOST_NAMED]]
    more = len(scores) - _MOST_NAMED
    return listed([*shown, f"no more than that in {more} others"] if more > 0 else shown)


def duplicate_lines(review: Review) -> Iterator[str]:
    """Each group with its prompts and how alike they are."""
    for group in review.duplicates:
        names = [f"{prompt.id} (line {review.line(prompt.span.start)})" for prompt in group.prompts[:_MOST_NAMED]]
        more = len(group.prompts) - _MOST_NAMED
        named = listed([*names, f"{more} more"] if more > 0 else names)
        alike = "ask the same" if group.is_exact else f"ask almost the same (at least {group.least:.0%} alike)"
        yield f"{named} {alike}"


def code_lines(review: Review) -> Iterator[str]:
    """Scripts, hosts, and models of the blueprint's own."""
    for script in review.code.scripts:
        code = " ".join(script.code.split())
        shown = code if len(code) <= _LONGEST else f"{code[:_LONGEST]} …"
        yield f"line {review.line(script.span.start)}: ${script.function} in {count(script.uses, 'point')}: {shown}"
    for host in review.code.hosts:
        sent = f", with what is in {listed(host.variables)}" if host.variables else ""
        calls = count(host.calls, "call")
        yield f"{listed(host.services)} {host.place}: {calls} for one answer to each prompt{sent}"
    for name in review.code.variable_services:
        yield f"service {name}: its address holds a variable, so whoever runs it decides where answers go"
    for model in review.code.models:
        sent = f", with what is in {listed(model.variables)}" if model.variables else ""
        yield f"model {model.id} at {model.url or 'no address'}: gets every prompt{sent}"


def cost_lines(review: Review) -> Iterator[str]:
    """The figures of a full run, and of the part that the pull request's evaluation takes."""
    yield from review.collection_problems
    if review.cost is None:
        yield "Unknown: no model of it is known."
        return
    yield from _run_lines(review.cost)
    if review.trimmed_cost is not None and review.pull_request.leaves_out:
        yield f"In the pull request: {_responses(review.trimmed_cost)}"
        yield from (f"  {row}" for row in amounts(review.trimmed_cost.plan))


def _run_lines(cost: RunCost) -> Iterator[str]:
    yield f"{_responses(cost)}, judged on {count(cost.plan.points, 'point')} in words"
    yield from (str(row) for row in amounts(cost.plan))


def _responses(cost: RunCost) -> str:
    return f"{count(cost.responses, 'answer')} by {count(cost.models, 'model')}"


def pull_request_lines(review: Review) -> Iterator[str]:
    """Whether the file is looked at, and what is left out of it."""
    found = review.pull_request
    yield location_text(found)
    if found.location is not Location.EVALUATED:
        yield "If it is evaluated:"
    if found.prompts:
        total = len(review.parsed.blueprint.prompts)
        yield f"leaves out {len(found.prompts)} of {count(total, 'prompt')}: {_names(found.prompts)}"
    if not found.core_known:
        yield f"takes {MOST_MODELS} models of CORE at most: which ones is unknown here (name the folder: --collections)"
    elif found.models:
        yield f"leaves out {count(len(found.models), 'model')}: {_names(found.models)}"
    if found.responses == 0:
        yield "asks no model: none of its models is in CORE"
    if found.temperatures:
        yield f"leaves out {count(len(found.temperatures), 'temperature')}: {_names(found.temperatures)}"
    if found.systems:
        yield f"leaves out {count(len(found.systems), 'system prompt')}: {_names(found.systems)}"
    if (found.responses or 0) > MOST_RESPONSES:
        yield f"stops after {MOST_RESPONSES} of {found.responses} responses"
    if not found.leaves_out and found.core_known and found.responses:
        yield "leaves nothing out"


def _names(names: tuple[str, ...]) -> str:
    shown = [" ".join(name.split())[:_LONGEST] for name in names[:_MOST_NAMED]]
    more = len(names) - _MOST_NAMED
    return listed([*shown, f"{more} more"] if more > 0 else shown)


def link_lines(review: Review) -> Iterator[str]:
    """What was found out about the links, those that are gone first; or how to find out."""
    if not review.links:
        yield "none"
        return
    states = review.link_states
    if states is None:
        hosts = len({link.host for link in review.links})
        addresses = "1 address" if len(review.links) == 1 else f"{len(review.links)} addresses"
        yield f"{addresses} at {count(hosts, 'host')}, not asked (--links asks them)"
        return
    for link in sorted(review.links, key=lambda each: states[each.url].verdict.rank):
        yield f"{link.url} · {states[link.url].detail} · cited in {_names(link.cited_in)}"
