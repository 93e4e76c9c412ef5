"""A published score as text: the arithmetic of each prompt, or the prompts by what they cost."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evaluation.headline import headline, overall
from engine.evaluation.published import Match
from engine.evaluation.results import StoredResult
from engine.functions.function_text import count
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_text import bounds_text, point_label, points_text, stored_text, weight_text
from engine.text.spans import visible
from studio.cli.explained_results import ExplainedFile, ExplainedResult, PresentBlueprint, PromptCost, prompt_costs
from studio.cli.frame import Unusable
from studio.cli.score_details import target_text
from studio.cli.score_text import explained_text


def as_text(explained: ExplainedFile, target: float | None = None) -> str:
    """The arithmetic of each result; the prompts by cost if there are several and none was named.

    `target` is a score that was expected, 0–100. Raises `Unusable` for one without a named prompt among several.
    """
    if not explained.named and len({each.result.bare_prompt.id for each in explained.results}) > 1:
        if target is not None:
            raise Unusable("--target is about the score of one prompt: name it with --prompt.")
        return visible("\n".join(_by_cost(explained))) + "\n"
    return "\n".join(_one(each, explained.blueprint, target) for each in explained.results)


def _one(each: ExplainedResult, blueprint: PresentBlueprint | None, target: float | None) -> str:
    title = " ".join(f"{each.result.bare_prompt.id} · {each.result.model}".split())
    if each.explanation is None:
        return visible(f"{title}: not scored\n  {each.result.error}\n")
    lines = list(_published(each))
    if blueprint is not None:
        lines += _beside(each, blueprint)
    explained = explained_text(title, _headline(each.result, each.explanation), each.explanation)
    expected = target_text(each.explanation, target)
    return f"{explained}{expected}\n" + visible("\n".join(lines)) + ("\n" if lines else "")


def _headline(result: StoredResult, explanation: Explanation) -> str:
    """`38.0 published; our reading 37.5`: the published score, and the one that is explained."""
    score = "no score published" if result.stored is None else f"{points_text(result.stored)} published"
    return f"{score}; our reading {headline(explanation, result.answer)}"


def _published(each: ExplainedResult) -> Iterator[str]:
    """The score in the file, and whether its own points add up to it."""
    if each.published is None:
        return
    adds_up = " (its points add up to this)" if each.published.reproduced else ""
    yield ""
    yield f"  published: {stored_text(each.published.stored)}{adds_up}"
    yield from (f"    {words}" for words in each.published.reasons)


def _beside(each: ExplainedResult, blueprint: PresentBlueprint) -> Iterator[str]:
    yield ""
    if each.matching is None:
        yield f"  {blueprint.path.name} no longer has this prompt"
        return
    prompt = each.matching.prompt
    now = f", where it is called {prompt.id}" if prompt.id != each.result.bare_prompt.id else ""
    yield f"  in {blueprint.path.name} as it is now, from line {blueprint.line(prompt.span.start)}{now}"
    yield f"  {'line':>6}  point"
    for match in each.matching.matches:
        line, label, since = _row(match, each, blueprint)
        yield f"  {line:>6}  {label}"
        if since:
            yield f"          {since}"
    if each.matching.reordered:
        yield "    its points are in another order now; the score is the same"


def _row(match: Match, each: ExplainedResult, blueprint: PresentBlueprint) -> tuple[str, str, str]:
    assert each.matching is not None
    if match.now is None:
        assert match.then is not None
        return "–", point_label(each.result.prompt.points()[match.then]), "no longer in the blueprint"
    point = each.matching.prompt.points()[match.now]
    since = "new, and not judged then" if match.then is None else "; ".join(match.changes)
    return str(blueprint.line(point.span.start)), point_label(point), since


def _by_cost(explained: ExplainedFile) -> Iterator[str]:
    costs = prompt_costs(explained.results)
    models = len({each.result.model for each in explained.results})
    run = "" if explained.file.timestamp is None else f", run {explained.file.timestamp}"
    title = " ".join((explained.file.title or explained.file.path.name).split())
    yield f"{title}: {count(len(costs), 'prompt')}, {count(models, 'model')}{run}"
    total = overall(score for each in costs for score in each.scores)
    if total is not None:
        published = "" if all(each.result.ours for each in explained.results) else "published "
        yield f"  mean of the {published}scores, by prompt weight: {total}"
    yield ""
    lowest = ", and the lowest score" if models > 1 else ""
    head = ("costs", "score", "weight", f"prompts by what they cost{lowest}")
    lines = [head, *(_cost_line(each, explained.blueprint, several=models > 1) for each in costs)]
    widths = [max(least, *(len(line[at]) for line in lines)) for at, least in enumerate((6, 6, 7))]
    for cost, score, weight, name in lines:
        yield f"  {cost:>{widths[0]}} {score:>{widths[1]}} {weight:>{widths[2]}}  {name}"
    yield ""
    yield f"  studio explain {explained.file.path.name} --prompt ID shows why, point by point."


def _cost_line(each: PromptCost, blueprint: PresentBlueprint | None, *, several: bool) -> tuple[str, str, str, str]:
    line = f" (line {blueprint.line(each.present.span.start)})" if blueprint and each.present else ""
    parts = [f"{each.lowest[1].figure} {each.lowest[0]}"] if several and each.lowest is not None else []
    parts += [f"{each.failed} not scored"] if each.failed else []
    parts += [each.headline.details] if each.headline is not None and each.headline.details else []
    name = f"{' '.join(each.prompt.id.split())}{line}{': ' if parts else ''}{'; '.join(parts)}"
    costs = "–" if each.costs is None else bounds_text(each.costs.low, each.costs.high)
    return costs, "–" if each.headline is None else each.headline.figure, weight_text(each.prompt.weight), name
