"""`studio explain`: scores of prompts and of a result file, with their arithmetic, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from engine.blueprint import Header, Point
from engine.evaluation.events import Failed, answer_json
from engine.evaluation.headline import headline, overall
from engine.evaluation.published import Match
from engine.evaluation.result_json import Entry, as_read, bounds_json, dumps, expected_json, explanation_json, tools_of
from engine.evaluation.tool_use import tool_use_json
from engine.evidence.prompt_evidence import PromptEvidence, prompt_evidence
from engine.functions.v8 import JavaScript
from engine.report.blocks import Block, Heading, Line, Notes, Section
from engine.scoring.explanation import Explanation, bounds_text, point_label, points_text, stored_text, weight_text
from engine.study.result_files import (
    ExplainedFile,
    ExplainedResult,
    PresentBlueprint,
    PromptCost,
    explain_result,
    prompt_costs,
)
from engine.text.spans import count
from engine.yaml.nodes import Data
from studio.cli.frame import Unusable, finish, refuse, wrapped
from studio.cli.inputs import mark_results_shown, of_result, read_blueprint
from studio.cli.options import Explain, Limits, OptionsApproval, report_others
from studio.cli.output import arithmetic, as_text, circular_text_of, evidence, expected, picked, score, table, tools
from studio.cli.runs import evaluate_all, failed, runs_of
from studio.session.evaluator import Launch


def explain_blueprint(file: Path, asked: Explain) -> NoReturn:
    """Run prompts, and print their scores. Raises `Unusable`."""
    blueprint = read_blueprint(file)
    refuse("BLUEPRINT")
    parsed = blueprint.parsed
    header, target = parsed.blueprint.header, asked.target
    sources = asked.sources(file)
    launch = Launch(parsed.blueprint, runs_of(parsed, blueprint.chosen(asked.prompt_ids), sources), None)
    evaluated = evaluate_all(launch, OptionsApproval(Limits(), asked), asked)
    entries = [] if evaluated is None else [*evaluated.entries]
    for prompt, why in blueprint.not_run(asked.prompt_ids):
        entries += [Entry(prompt, prompt.id, each.key, Failed(why)) for each in sources]
    entries = [as_read(entry) for entry in entries] if asked.is_json else entries
    report_others(each.outcome.explanation for each in entries if not isinstance(each.outcome, Failed))
    with JavaScript() as javascript:
        found = [(entry, _evidence(entry, javascript)) for entry in entries]
    if asked.is_json:
        text = dumps([_entry_json(*each, header, target) for each in found])
    else:
        text = wrapped(as_text(_entry(*each, header, target) for each in found))
    finish(text, code=int(blueprint.refused or any(map(failed, entries))))


def _evidence(entry: Entry, javascript: JavaScript) -> PromptEvidence | None:
    """What checks and judges found in the answer."""
    if isinstance(entry.outcome, Failed):
        return None
    points = entry.outcome.verdicts.items()
    reflections = {place: [each.reflection for _, each in point.verdicts] for place, point in points}
    return prompt_evidence(entry.prompt, entry.outcome.response, javascript, reflections)


def _entry(entry: Entry, found: PromptEvidence | None, header: Header, target: float | None) -> Block:
    match entry.outcome:
        case Failed() as failure:
            return _unscored(entry.prompt_key, entry.key, _problem(failure))
        case scored:
            explanation = scored.explanation
            children = (
                *arithmetic(explanation, circular_text_of(entry.prompt)),
                *expected(explanation, target),
                *evidence(found),
                *tools(tools_of(entry, scored, header)),
            )
            return score(f"{entry.prompt_key} · {entry.key}", headline(explanation, scored.response), children)


def _problem(failure: Failed) -> str:
    return " ".join(filter(None, (failure.title, failure.detail, failure.advice)))


def _unscored(prompt: str, key: str, problem: str | None) -> Block:
    return score(f"{prompt} · {key}", "not scored", [Line(problem or "")])


# --- Result files


def explain_results(file: Path, asked: Explain) -> NoReturn:
    """Print the scores in a result file, or its prompts by cost if there are several and none was named.

    Raises `Unusable`, for a target without a named prompt among several too.
    """
    explained = of_result(
        explain_result, file, asked.prompt_ids, asked.models, asked.blueprint, for_people=not asked.is_json
    )
    mark_results_shown(each.result for each in explained.results)
    if asked.is_json:
        text = dumps(results_json(explained, asked.target))
    else:
        text = wrapped(as_text(results_blocks(explained, asked.target)))
    finish(text, code=int(any(each.result.error is not None for each in explained.results)))


def results_blocks(explained: ExplainedFile, target: float | None = None) -> list[Block]:
    """The arithmetic of each result, or the prompts by cost. Raises `Unusable`."""
    if explained.named or len({each.result.bare_prompt.id for each in explained.results}) == 1:
        return [_result(each, explained.blueprint, target) for each in explained.results]
    if target is not None:
        raise Unusable("--target is about the score of one prompt: name it with --prompt.")
    return list(_by_cost(explained))


def _result(each: ExplainedResult, blueprint: PresentBlueprint | None, target: float | None) -> Block:
    result, explanation = each.result, each.explanation
    if explanation is None:
        return _unscored(result.bare_prompt.id, result.model, result.error)
    published = "no score published" if result.stored is None else f"{points_text(result.stored)} published"
    children = [*arithmetic(explanation), *expected(explanation, target)]
    if each.published is not None:
        adds_up = " (its criteria add up to this)" if each.published.reproduced else ""
        title = f"published: {stored_text(each.published.stored)}{adds_up}"
        children.append(Section((Heading(2, title), Notes(each.published.reasons))))
    if blueprint is not None:
        children.append(_beside(each, blueprint))
    head = f"{published}; our reading {headline(explanation, result.answer)}"
    return score(f"{result.bare_prompt.id} · {result.model}", head, children)


def _beside(each: ExplainedResult, blueprint: PresentBlueprint) -> Block:
    if each.matching is None:
        return Section((Heading(2, f"{blueprint.path.name} no longer has this prompt"),))
    prompt = each.matching.prompt
    now = f", where it is called {prompt.id}" if prompt.id != each.result.bare_prompt.id else ""
    title = f"in {blueprint.path.name} as it is now, from line {blueprint.parsed.line(prompt.span.start)}{now}"
    rows = [row for match in each.matching.matches for row in _rows(match, each, blueprint)]
    order = ["its criteria are in another order now; the score is the same"] if each.matching.reordered else []
    return Section((Heading(2, title), table(("line", "point"), rows, {0}), Notes(tuple(order))))


def _rows(match: Match, each: ExplainedResult, blueprint: PresentBlueprint) -> Iterator[tuple[str, str]]:
    point, since = _point_of(match, each), "; ".join(match.changes)
    if match.now is None or match.then is None:
        since = "no longer in the blueprint" if match.now is None else "new, and not judged then"
    yield "–" if match.now is None else str(blueprint.parsed.line(point.span.start)), point_label(point)
    if since:
        yield "", since


def _point_of(match: Match, each: ExplainedResult) -> Point:
    """The point as it is now; one that is gone as it was then."""
    prompt, place = (each.matching and each.matching.prompt, match.now)
    if prompt is None or place is None:
        prompt, place = each.result.prompt, match.then
    assert place is not None
    return prompt.points()[place]


def _by_cost(explained: ExplainedFile) -> Iterator[Block]:
    costs = prompt_costs(explained.results)
    models = len({each.result.model for each in explained.results})
    run = "" if explained.file.timestamp is None else f", run {explained.file.timestamp}"
    title = " ".join((explained.file.title or explained.file.path.name).split())
    yield Line(f"{title}: {count(len(costs), 'prompt')}, {count(models, 'model')}{run}")
    total = overall(each_score for each in costs for each_score in each.scores)
    if total is not None:
        published = "" if all(each.result.ours for each in explained.results) else "published "
        yield Line(f"  mean of the {published}scores, by prompt weight: {total}")
    lowest = ", and the lowest score" if models > 1 else ""
    titles = ("costs", "score", "weight", f"prompts by what they cost{lowest}")
    rows = [_cost_row(each, explained.blueprint, several=models > 1) for each in costs]
    yield Section((table(titles, rows, {0, 1, 2}),))
    how = f"  studio explain {explained.file.path.name} --prompt ID shows why, criterion by criterion."
    yield Section((Line(how),))


def _cost_row(each: PromptCost, blueprint: PresentBlueprint | None, *, several: bool) -> tuple[str, ...]:
    line = f" (line {blueprint.parsed.line(each.present.span.start)})" if blueprint and each.present else ""
    parts = [f"{each.lowest[1].figure} {each.lowest[0]}"] if several and each.lowest is not None else []
    parts += [f"{each.failed} not scored"] if each.failed else []
    parts += [each.headline.details] if each.headline is not None and each.headline.details else []
    name = f"{' '.join(each.prompt.id.split())}{line}{': ' if parts else ''}{'; '.join(parts)}"
    costs = "–" if each.costs is None else bounds_text(each.costs.low, each.costs.high)
    return costs, "–" if each.headline is None else each.headline.figure, weight_text(each.prompt.weight), name


# --- JSON: docs/machine-readable.md, "studio explain"


def _score_json(
    prompt: str, key: str, stored: float | None, error: str | None, explanation: Explanation | None, **more: Data
) -> dict[str, Data]:
    return {
        "prompt": prompt,
        "key": key,
        "stored": stored,
        "error": error or None,
        **more,
        "bounds": None if explanation is None else bounds_json(explanation.bounds),
        "explanation": None if explanation is None else explanation_json(explanation),
    }


def _entry_json(entry: Entry, found: PromptEvidence | None, header: Header, target: float | None) -> dict[str, Data]:
    if isinstance(entry.outcome, Failed):
        failed_json = _score_json(entry.prompt_key, entry.key, None, _problem(entry.outcome), None)
        return {**failed_json, "circular": None, **expected_json(None, target)}
    scored = entry.outcome
    use = tools_of(entry, scored, header)
    return {
        **_score_json(entry.prompt_key, entry.key, None, None, scored.explanation),
        "circular": circular_text_of(entry.prompt) or None,
        **expected_json(scored.explanation, target),
        **({} if found is None else {"evidence": found.as_json()}),
        **answer_json(scored.response),
        **({} if use is None else {"toolUse": tool_use_json(use)}),
    }


def results_json(explained: ExplainedFile, target: float | None = None) -> Data:
    """One object for each prompt and model, in the order of the file. Shares of 1, lines from 1."""
    costs = {each.prompt.id: each.costs for each in prompt_costs(explained.results)}
    known = {name: None if found is None or not found.closed else found.low for name, found in costs.items()}
    return [
        _result_json(each, explained.blueprint, known[each.result.bare_prompt.id], target) for each in explained.results
    ]


def _result_json(
    each: ExplainedResult, blueprint: PresentBlueprint | None, costs: float | None, target: float | None
) -> dict[str, Data]:
    result, found = each.result, each.published
    return {
        **_score_json(result.bare_prompt.id, result.model, result.stored, result.error, each.explanation, costs=costs),
        **expected_json(each.explanation, target),
        **({} if result.answer is None else answer_json(result.answer)),
        "published": None if found is None else picked(found, "computed", "reproduced", "told=reasons"),
        "blueprint": None if blueprint is None else _blueprint_json(each, blueprint),
    }


def _blueprint_json(each: ExplainedResult, blueprint: PresentBlueprint) -> Data:
    found = each.matching
    return {
        "file": str(blueprint.path),
        **picked(found, "prompt=prompt.id"),
        "line": None if found is None else blueprint.parsed.line(found.prompt.span.start),
        "reordered": found is not None and found.reordered,
        "points": [] if found is None else [_match_json(match, each, blueprint) for match in found.matches],
    }


def _match_json(match: Match, each: ExplainedResult, blueprint: PresentBlueprint) -> Data:
    point = _point_of(match, each)
    is_gone, is_new = match.now is None, match.then is None
    return {
        "point": point_label(point),
        "line": None if is_gone else blueprint.parsed.line(point.span.start),
        "state": "gone" if is_gone else "new" if is_new else "changed" if match.changes else "same",
        "changes": [*match.changes],
        "extent": None if match.then is None else each.result.assessments[match.then].extent,
    }
