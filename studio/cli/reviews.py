"""`studio review`: one page a blueprint for who reviews contributions, as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TypeAlias

from engine.asking.run_plan import amounts
from engine.blueprint import Point, Prompt
from engine.evaluation.result_json import dumps
from engine.judging.panel import panel
from engine.parsing import Parsed
from engine.report import review_findings
from engine.report.blocks import Block, Heading, Line, Notes, Section, as_markdown, fence_of, inline
from engine.report.review_findings import (
    MOST_MODELS,
    MOST_RESPONSES,
    LinkState,
    LinkVerdict,
    Location,
    Review,
    RunCost,
    Suggestion,
    check_links,
    links_text,
)
from engine.rules import Checker
from engine.rules.selection import SettingsCache, with_form
from engine.scoring.explanation import listed, points_text
from engine.text.diagnostics import Severity
from engine.text.spans import count, one_line, visible
from engine.yaml.nodes import Data
from studio.cli.check_files import sentences
from studio.cli.frame import finish, report_once, tell
from studio.cli.inputs import read_blueprint, stored
from studio.cli.options import Reviewed
from studio.cli.output import as_text, picked

_VERSION = 1
States: TypeAlias = Mapping[str, LinkState]
"""What is known of links, by address, once they were asked."""
_LONGEST = 100
_MOST_NAMED = 6


def reviewed(files: Sequence[Path], asked: Reviewed) -> NoReturn:
    """Print the pages of all files; the exit code is 1 for a problem of the level, or a link that is gone.

    Raises `Unusable`.
    """
    reviews = [_reviewed(file, asked.collections) for file in files]
    states = _link_states(reviews) if asked.links else None
    problems = any(each.severity.rank <= asked.fail_on.rank for review in reviews for each in review.diagnostics)
    has_failed = problems or any(state.verdict is LinkVerdict.GONE for state in (states or {}).values())
    match asked.form:
        case "json":
            text = dumps([_review_json(review, states) for review in reviews])
        case "markdown":
            pages = (f"{as_markdown(_page(review, states))}\n{_suggestions(review)}" for review in reviews)
            text = "\n".join(pages)
        case "text":
            text = "\n".join(as_text(_page(review, states)) for review in reviews)
    finish(text, code=int(has_failed))


def _reviewed(file: Path, collections: Path | None) -> Review:
    """The page of one file. Raises `Unusable`."""
    parsed = read_blueprint(file).parsed
    selection = SettingsCache().of(file).selection
    with stored(report_once("Stored verdicts cannot be read")) as (resources, cache):
        javascript = resources.javascript()
        checker = Checker(selection.rules(), collections, cache.good_answers(file, panel))
        found = selection.reported(checker.check(parsed, javascript))
        return review_findings.review(file, parsed, with_form(parsed, found, selection), collections, javascript)


def _link_states(reviews: Sequence[Review]) -> States:
    links = list({link.url: link for review in reviews for link in review.links}.values())
    if links:
        hosts = sorted({link.host for link in links})
        tell(f"Asks {links_text(links)}, without content or keys: {', '.join(hosts)}")
    return check_links(links)


# --- Text and Markdown


def _page(review: Review, states: States | None) -> Iterator[Block]:
    """The page of one blueprint; what there is nothing to say of is left out."""
    yield Heading(1, f"Review of {review.path}")
    yield Line(_summary(review))
    sections = {
        "Pitfalls": list(_pitfalls(review)) or ["none"],
        "Rubric": list(_rubric(review)) or ["no criteria"],
        "Near-duplicate prompts": _duplicates(review),
        "Scripts and hosts": list(_code(review)) or ["It runs no script and calls no service."],
        "What a run would cost": _costs(review),
        "Weval's evaluation of the pull request": _pull_request(review),
        "Links": _links(review, states),
    }
    for title, lines in sections.items():
        if texts := tuple(lines):
            yield Section((Heading(2, title), Notes(texts)))


def _summary(review: Review) -> str:
    """`12 prompts · 40 points, 38 in words · 3 models`."""
    prompts = review.parsed.blueprint.prompts
    points = [point for prompt in prompts for point in prompt.points()]
    words = sum(point.function is None for point in points)
    ideals = sum(prompt.ideal is not None for prompt in prompts)
    parts = [
        count(len(prompts), "prompt"),
        f"{count(len(points), 'criterion', 'criteria')}, {words} in words",
        f"{ideals} with an ideal",
        *([] if review.cost is None else [count(review.cost.models, "model")]),
    ]
    return " · ".join(parts)


def _pitfalls(review: Review) -> Iterator[str]:
    """The counts, then each error and warning; hints are counted only."""
    found = review.diagnostics
    counts = [(level, sum(each.severity is level for each in found)) for level in Severity]
    if not found:
        return
    yield ", ".join(count(number, level.value) for level, number in counts if number)
    for each in found:
        if each.severity is not Severity.HINT:
            fix = " · has a fix" if each.fixes else ""
            line = review.parsed.line(each.span.start)
            yield f"line {line}: {each.severity.value}: {each.message} [{each.slug}]{fix}"


def _rubric(review: Review) -> Iterator[str]:
    """How many criteria cite a source, what failing one forbidden point leaves, and what repeating the prompt earns."""
    if review.criteria:
        yield f"{review.citing} of {count(review.criteria, 'criterion cites', 'criteria cite')} a source"
    if review.guards:
        left = _figures(review.parsed, review.guards)
        yield f"an answer that does what should_not names in one criterion, and all else right, gets {left}"
    if review.echoes:
        earned = _figures(review.parsed, review.echoes)
        yield f"an answer that repeats its prompt earns at least {earned}"


def _figures(parsed: Parsed, scored: Sequence[tuple[Point | Prompt, float]]) -> str:
    """`92.3 (line 40 and 4 more) and 75.0 (line 66)`: the scores by which `scored` is sorted, each once."""
    lines: dict[str, list[str]] = {}
    for each, score in scored:
        lines.setdefault(points_text(score), []).append(str(parsed.line(each.span.start)))
    texts = [f"{score} (line {_some(each, 1)})" for score, each in lines.items()]
    return _some(texts, rest=f"no more than that in {sum(map(len, [*lines.values()][_MOST_NAMED:]))} others")


def _some(texts: Sequence[str], most: int = _MOST_NAMED, *, rest: str = "") -> str:
    """The first of `texts` in a sentence, and how many others there are, or `rest`."""
    others = len(texts) - most
    return listed([*texts[:most], *([rest or f"{others} more"] if others > 0 else [])])


def _duplicates(review: Review) -> Iterator[str]:
    """Each group with its prompts and how alike they are."""
    for group in review.duplicates:
        named = _some([f"{prompt.id} (line {review.parsed.line(prompt.span.start)})" for prompt in group.prompts])
        alike = "ask the same" if group.is_exact else f"ask almost the same (at least {group.least:.0%} alike)"
        yield f"{named} {alike}"


def _code(review: Review) -> Iterator[str]:
    """Scripts, hosts, and models of the blueprint's own."""
    for script in review.scripts:
        line, code = review.parsed.line(script.span.start), one_line(script.code, _LONGEST)
        yield f"line {line}: ${script.function} in {count(script.uses, 'criterion', 'criteria')}: {code}"
    for host in review.hosts:
        sent = f", with what is in {listed(host.variables)}" if host.variables else ""
        calls = count(host.calls, "call")
        yield f"{listed(host.services)} {host.place}: {calls} for one answer to each prompt{sent}"
    for name in review.variable_services:
        yield f"service {name}: its address holds a variable, so whoever runs it decides where answers go"
    for model in review.own_models:
        sent = f", with what is in {listed(model.variables)}" if model.variables else ""
        yield f"model {model.id} at {model.url or 'no address'}: gets every prompt{sent}"


def _costs(review: Review) -> Iterator[str]:
    """The figures of a full run, and of the part that the pull request's evaluation takes."""
    yield from review.collection_problems
    if review.cost is None:
        yield "Unknown: no model of it is known."
        return
    yield f"{_responses(review.cost)}, judged on {count(review.cost.plan.points, 'criterion', 'criteria')} in words"
    yield from map(str, amounts(review.cost.plan))
    if review.trimmed_cost is not None and review.pull_request.leaves_out:
        yield f"In the pull request: {_responses(review.trimmed_cost)}"
        yield from (f"  {row}" for row in amounts(review.trimmed_cost.plan))


def _responses(cost: RunCost) -> str:
    return f"{count(cost.responses, 'answer')} by {count(cost.models, 'model')}"


def _pull_request(review: Review) -> Iterator[str]:
    """Whether the file is looked at, and what is left out of it."""
    found = review.pull_request
    yield review_findings.location_text(found)
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
    return _some([one_line(name, _LONGEST) for name in names])


def _links(review: Review, states: States | None) -> Iterator[str]:
    """What was found out about the links, those that are gone first; or how to find out."""
    if not review.links:
        return
    if states is None:
        yield f"{links_text(review.links)}, not asked (--links asks them)"
        return
    for link in sorted(review.links, key=lambda each: states[each.url].verdict.rank):
        yield f"{link.url} · {states[link.url].detail} · cited in {_names(link.cited_in)}"


# --- Suggestions to paste into the review of a pull request, as Markdown


def _suggestions(review: Review) -> str:
    """Nothing in the texts of a blueprint is read as Markdown."""
    found = [part for each in review.suggestions for part in _suggestion(each)]
    return "\n\n".join(["## Suggestions", *(found or ["none"])]) + "\n"


def _suggestion(suggestion: Suggestion) -> Iterator[str]:
    """A comment on its lines: the reason, and a block that the reviewed author can accept."""
    first, last = suggestion.first, suggestion.last
    yield f"### Line {first}" if first == last else f"### Lines {first}–{last}"
    yield inline(sentences(suggestion.diagnostic))
    if suggestion.title is not None and suggestion.lines is not None:
        yield inline(f"{suggestion.title[:1].upper()}{suggestion.title[1:]}:")
        text = "\n".join(suggestion.lines)
        fence = fence_of(text)
        if visible(text) == text:
            yield f"{fence}suggestion\n{text}\n{fence}" if text else f"{fence}suggestion\n{fence}"
        else:
            yield "The lines hold characters that are not drawn, so no block to accept can show them."


# --- JSON: docs/machine-readable.md, "studio review"


def _review_json(review: Review, states: States | None) -> Data:
    line = review.parsed.line
    return {
        "version": _VERSION,
        "file": str(review.path),
        "prompts": len(review.parsed.blueprint.prompts),
        "pitfalls": [
            {**picked(each, "slug", "severity"), "line": line(each.span.start), **picked(each, "message", "why")}
            for each in review.diagnostics
        ],
        "rubric": {
            **picked(review, "criteria", "citing"),
            "guards": [{"line": line(point.span.start), "left": left} for point, left in review.guards],
            "echoes": [{"prompt": prompt.id, "earns": earns} for prompt, earns in review.echoes],
        },
        "nearDuplicates": [
            {"prompts": [prompt.id for prompt in group.prompts], "likeness": group.least} for group in review.duplicates
        ],
        "scripts": [
            {"line": line(each.span.start), **picked(each, "function", "code", "points=uses")}
            for each in review.scripts
        ],
        "hosts": [picked(host, "host=recipient", "services", "calls", "variables") for host in review.hosts],
        **picked(review, "variable_services"),
        "ownModels": [picked(model, "id", "url", "variables") for model in review.own_models],
        "cost": _cost_json(review.cost),
        **picked(review, "collection_problems"),
        "pullRequest": _pull_request_json(review),
        "links": [
            {**picked(each, "url", "cited_in"), **picked(states and states[each.url], "state=verdict", "detail")}
            for each in review.links
        ],
        "suggestions": [
            picked(each, "diagnostic.slug", "firstLine=first", "lastLine=last", "title", "lines")
            for each in review.suggestions
        ],
    }


def _pull_request_json(review: Review) -> Data:
    found = review.pull_request
    named = picked(found, "prompts", "models", "temperatures", "systems")
    return {
        "location": found.location.value,
        "author": found.author or None,
        "leftOut": {**named, "models": named["models"] if found.core_known else None},
        "responses": found.responses,
        "cost": _cost_json(review.trimmed_cost),
    }


def _cost_json(cost: RunCost | None) -> Data:
    if cost is None:
        return None
    recipients: list[Data] = [recipient.name for recipient in cost.plan.recipients]
    figures = picked(cost.plan, "points", "requests", "tokens_in", "tokens_out", "dollars", "unpriced")
    return {**picked(cost, "models", "answers=responses"), **figures, "recipients": recipients}
