"""Published scores as JSON."""

from __future__ import annotations

from engine.evaluation.events import answer_json
from engine.evaluation.published import Match
from engine.evaluation.result_json import bounds_json, expected_json, explanation_json
from engine.scoring.explanation_text import point_label
from engine.yaml.nodes import Data
from studio.cli.explained_results import ExplainedFile, ExplainedResult, PresentBlueprint, prompt_costs


def as_data(explained: ExplainedFile, target: float | None = None) -> Data:
    """One object for each prompt and model, in the order of the file. Shares of 1, lines from 1.

    `target` is a score that was expected, 0–100.
    """
    costs = {each.prompt.id: each.costs for each in prompt_costs(explained.results)}
    known = {name: None if found is None or not found.closed else found.low for name, found in costs.items()}
    return [_entry(each, explained.blueprint, known[each.result.bare_prompt.id], target) for each in explained.results]


def _entry(
    each: ExplainedResult, blueprint: PresentBlueprint | None, costs: float | None, target: float | None
) -> dict[str, Data]:
    reasons: list[Data] = [] if each.published is None else [*each.published.reasons]
    return {
        "prompt": each.result.bare_prompt.id,
        "key": each.result.model,
        "stored": each.result.stored,
        "error": each.result.error,
        "costs": costs,
        "bounds": None if each.explanation is None else bounds_json(each.explanation.bounds),
        "explanation": None if each.explanation is None else explanation_json(each.explanation),
        **expected_json(each.explanation, target),
        **({} if each.result.answer is None else answer_json(each.result.answer)),
        "published": None
        if each.published is None
        else {"computed": each.published.computed, "reproduced": each.published.reproduced, "told": reasons},
        "blueprint": None if blueprint is None else _blueprint(each, blueprint),
    }


def _blueprint(each: ExplainedResult, blueprint: PresentBlueprint) -> dict[str, Data]:
    if each.matching is None:
        return {"file": str(blueprint.path), "prompt": None, "line": None, "reordered": False, "points": []}
    return {
        "file": str(blueprint.path),
        "prompt": each.matching.prompt.id,
        "line": blueprint.line(each.matching.prompt.span.start),
        "reordered": each.matching.reordered,
        "points": [_match(match, each, blueprint) for match in each.matching.matches],
    }


def _match(match: Match, each: ExplainedResult, blueprint: PresentBlueprint) -> dict[str, Data]:
    assert each.matching is not None
    now = None if match.now is None else each.matching.prompt.points()[match.now]
    then = None if match.then is None else each.result.prompt.points()[match.then]
    point = now or then
    assert point is not None
    return {
        "point": point_label(point),
        "line": None if now is None else blueprint.line(now.span.start),
        "state": "gone" if now is None else "new" if then is None else "changed" if match.changes else "same",
        "changes": [*match.changes],
        "extent": None if match.then is None else each.result.assessments[match.then].extent,
    }
