"""The scores of a result file, compared with their own points and with the present blueprint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from engine.blueprint import Prompt
from engine.evaluation.events import answer_notes
from engine.evaluation.headline import Headline, headline, overall
from engine.evaluation.published import Matching, ScoreComparison, compare_score, matched, prompt_today
from engine.evaluation.published_files import blueprint_of
from engine.evaluation.results import ResultFile, StoredResult, UnusableResult, read_result_file
from engine.files.open_files import CannotOpen, open_file
from engine.parsing import Parsed, parse
from engine.scoring.assessment import Bounds
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.study.matrix import costs_of, mean_of
from engine.text.record import Record, replace

_MOST_LISTED = 20


class ExplainedResult(Record, eq=False, dict=True):
    """One prompt × model of a result file. `present` is its prompt in the blueprint now, None if missing."""

    result: StoredResult
    present: Prompt | None

    @cached_property
    def explanation(self) -> Explanation | None:
        """The arithmetic of the verdicts in the file; None if there are none."""
        if self.result.error is not None:
            return None
        explanation = explain(self.result.prompt, self.result.assessments)
        answer = self.result.answer
        notes = () if answer is None else answer_notes(answer, self.result.assessments)
        return replace(explanation, notes=(*notes, *explanation.notes))

    @cached_property
    def published(self) -> ScoreComparison | None:
        """The published score compared with its own points; None without an explanation."""
        return None if self.explanation is None else compare_score(self.result, self.explanation)

    @cached_property
    def matching(self) -> Matching | None:
        """Its points matched with those of the present prompt; None if there is no such prompt."""
        return None if self.present is None else matched(self.result, self.present)

    @cached_property
    def headline(self) -> Headline | None:
        """The published score of a file of Weval, else the one that its points give; None if there is neither."""
        if self.result.stored is not None and not self.result.ours:
            return Headline(Bounds(self.result.stored, self.result.stored), None, None)
        shown = None if self.explanation is None else headline(self.explanation, self.result.answer)
        return shown if shown is not None and shown.is_scored else None


class PresentBlueprint(Record):
    """The blueprint of a result file in its present state."""

    path: Path
    parsed: Parsed


class ExplainedFile(Record):
    """The results that were selected from a file. `named`: by the ids of prompts."""

    file: ResultFile
    results: tuple[ExplainedResult, ...]
    blueprint: PresentBlueprint | None
    named: bool


def explain_result(
    path: Path, prompt_ids: Sequence[str], models: Sequence[str], blueprint: Path | None, *, for_people: bool
) -> ExplainedFile:
    """Select results from the file at `path`: of these prompts and models, all if none is named.

    `for_people` with verdicts from before an edit. Raises `UnusableResult`, also if there is no such result, or if the
    blueprint cannot be read.
    """
    file = read_result_file(path, for_people=for_people)
    present = _present_blueprint(file, blueprint)
    chosen = [
        result
        for result in file.results
        if (not prompt_ids or result.bare_prompt.id in prompt_ids) and (not models or result.model in models)
    ]
    if not chosen:
        keys = sorted({f"{result.bare_prompt.id} · {result.model}" for result in file.results})
        more = len(keys) - _MOST_LISTED
        there = ", ".join(keys[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
        raise UnusableResult(f"There is no such result. There are: {there}.")
    return ExplainedFile(file, tuple(_explained(chosen, present)), present, bool(prompt_ids))


def _present_blueprint(file: ResultFile, named: Path | None) -> PresentBlueprint | None:
    path = named or blueprint_of(file)
    if path is None:
        return None
    try:
        text = open_file(path).text
    except CannotOpen as error:
        raise UnusableResult(f"{path}: {error.title} {error.advice}".strip()) from error
    return PresentBlueprint(path, parse(text, path))


def _explained(results: Sequence[StoredResult], blueprint: PresentBlueprint | None) -> Iterator[ExplainedResult]:
    prompts: dict[str, Prompt | None] = {}
    for result in results:
        if blueprint is not None and result.bare_prompt.id not in prompts:
            prompts[result.bare_prompt.id] = prompt_today(result, blueprint.parsed.blueprint)
        yield ExplainedResult(result, prompts.get(result.bare_prompt.id))


class PromptCost(Record):
    """One prompt over all models: its score or their mean, and its cost in the mean over all prompts (0–1).

    `scores` are those of the models, each with its part of the weight of the prompt.
    """

    prompt: Prompt
    headline: Headline | None
    costs: Bounds | None
    scores: tuple[tuple[float, Headline], ...]
    lowest: tuple[str, Headline] | None
    failed: int
    present: Prompt | None


def prompt_costs(results: Sequence[ExplainedResult]) -> list[PromptCost]:
    """The prompts, the one that costs most first. Prompts without a score come last: what they cost is not known."""
    by_prompt: dict[str, list[ExplainedResult]] = {}
    for each in results:
        by_prompt.setdefault(each.result.bare_prompt.id, []).append(each)
    shown = [[each.headline for each in group if each.headline is not None] for group in by_prompt.values()]
    means = (mean_of([(1.0, each.counted_bounds) for each in known if not each.is_failed]) for known in shown)
    weights = (group[0].result.bare_prompt.weight for group in by_prompt.values())
    costs = costs_of(list(zip(weights, means, strict=True)))
    found = [_prompt_cost(group, cost) for group, cost in zip(by_prompt.values(), costs, strict=True)]
    nothing = Bounds(-1.0, -1.0)
    return sorted(found, key=lambda each: ((each.costs or nothing).low, (each.costs or nothing).high), reverse=True)


def _prompt_cost(group: Sequence[ExplainedResult], costs: Bounds | None) -> PromptCost:
    prompt = group[0].result.bare_prompt
    known = [(each.result.model, each.headline) for each in group if each.headline is not None]
    scores = tuple((prompt.weight / len(known), each) for _, each in known)
    mean = known[0][1] if len(known) == 1 else overall(scores)
    lowest = min(known, key=lambda one: one[1].counted, default=None)
    failed = sum(each.result.error is not None for each in group)
    return PromptCost(prompt, mean, costs, scores, lowest, failed, group[0].present)
