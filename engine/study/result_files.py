"""Result files: their scores beside their own points and the present blueprint, and two files beside each other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from engine.asking.planner import UnjudgedAnswer
from engine.blueprint import Header, Prompt, Role
from engine.evaluation.events import answer_notes
from engine.evaluation.headline import Headline, headline, overall
from engine.evaluation.pairing import match_prompts
from engine.evaluation.published import Matching, ScoreComparison, compare_score, matched, prompt_today
from engine.evaluation.published_files import blueprint_of
from engine.evaluation.results import ResultFile, StoredResult, UnusableResult, read_result_file
from engine.files.open_files import CannotOpen, open_file
from engine.judging.panel import Approach, Panel, panel
from engine.parsing import Parsed, parse
from engine.scoring.assessment import Bounds
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.study.matrix import costs_of, mean_of
from engine.study.two_runs import Combination, ComparedRun, MissingVerdicts, TwoRuns, unjudged_answers
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


# --- Two result files


class ResultVersion(Record, eq=False, dict=True):
    """A result file with the header of the blueprint that was run, as far as the file has it."""

    file: ResultFile

    @cached_property
    def header(self) -> Header:
        """The header of the blueprint that was run."""
        config = self.file.config
        written = {key: value for key, value in config.items() if key != "prompts"} if isinstance(config, dict) else {}
        return parse(json.dumps({**written, "prompts": []}, default=str), Path("config.json")).blueprint.header

    @cached_property
    def panel(self) -> Panel:
        """Its judges."""
        return panel(self.header)

    @cached_property
    def _is_holistic(self) -> bool:
        """Whether any of its judges saw all criteria at once, as the default judges do."""
        return any(judge.approach is Approach.HOLISTIC for judge in self.panel.judges) or not self.panel.judges

    def run(self, result: StoredResult) -> ComparedRun:
        """One result as a run to compare."""
        turns = (content for role, content in result.history if role is Role.ASSISTANT)
        return ComparedRun(
            (*turns, result.response or ""),
            result.assessments,
            result.prompt,
            self.header,
            self.panel,
            result.answer,
            self._is_holistic,
        )


class ComparedResult(Record, eq=False):
    """One prompt × model in both files. `runs` is None if one of the two has no score, for the reason in `problem`."""

    old: StoredResult
    new: StoredResult
    runs: TwoRuns | None
    problem: str = ""


class Mean(Record):
    """A mean over all compared results, by the weights of the prompts: the scores, and their difference.

    `old` and `new` are of the scores as Weval stores them, as everywhere; the difference is of unrounded scores.
    """

    old: Headline | None
    new: Headline | None
    difference: Bounds


class ResultComparison(Record, eq=False, dict=True):
    """All that two files have in common, and what only one of them has (prompt and model)."""

    old: ResultVersion
    new: ResultVersion
    results: tuple[ComparedResult, ...]
    only_old: tuple[tuple[str, str], ...]
    only_new: tuple[tuple[str, str], ...]

    @cached_property
    def mean(self) -> Mean | None:
        """The means over the results that have a score in both files; None without one."""
        found = [(each.new.bare_prompt.weight, each.runs) for each in self.results if each.runs is not None]
        difference = mean_of([(weight, runs.difference) for weight, runs in found])
        old, new = (
            overall((weight, runs.scores[of]) for weight, runs in found) for of in (Combination.OLD, Combination.NEW)
        )
        return None if difference is None else Mean(old, new, difference)

    @property
    def missing(self) -> int:
        """How many verdicts are missing."""
        return sum(len(places) for each in self.results if each.runs for places in each.runs.missing.values())

    @property
    def unjudged(self) -> list[tuple[ComparedRun, list[UnjudgedAnswer]]]:
        """What judges could be asked, of each file with a run that has its header and judges."""
        return unjudged_answers(each.runs for each in self.results if each.runs is not None)


def compare_results(
    old: ResultFile,
    new: ResultFile,
    missing: MissingVerdicts,
    *,
    models: Mapping[str, str] | None = None,
    prompts: Sequence[str] = (),
) -> ResultComparison:
    """Compare the results of two files.

    A model of the new file is paired with the one of the same key, or with that in `models`, by keys of the new file.
    Prompts are paired as in versions of a blueprint (`engine.evaluation.pairing`): ids that Weval makes change with the
    rubric. `prompts` limits the comparison to these ids of the new file. Blocks while checks run.
    """
    before, after = ResultVersion(old), ResultVersion(new)
    paired = match_prompts(old.prompts, new.prompts).pairs
    pairs = {new.prompts[other].id: old.prompts[one].id for one, other in paired}
    partners = models if models is not None else {model: model for model in new.models if model in old.models}
    wanted = {pairs.get(name) for name in prompts}
    olds = {
        (each.bare_prompt.id, each.model): each
        for each in old.results
        if (not prompts or each.bare_prompt.id in wanted) and (models is None or each.model in models.values())
    }
    found: list[ComparedResult] = []
    only_new: list[tuple[str, str]] = []
    for result in new.results:
        name = result.bare_prompt.id
        if (prompts and name not in prompts) or (models is not None and result.model not in models):
            continue
        partner = olds.pop((pairs.get(name, ""), partners.get(result.model, "")), None)
        if partner is None:
            only_new.append((name, result.model))
        else:
            found.append(_compared(before, after, partner, result, missing))
    return ResultComparison(before, after, tuple(found), tuple(olds), tuple(only_new))


def _compared(
    before: ResultVersion, after: ResultVersion, old: StoredResult, new: StoredResult, missing: MissingVerdicts
) -> ComparedResult:
    problem = next((f"{which} result: {each.error}" for which, each in (("old", old), ("new", new)) if each.error), "")
    if not problem and not (old.assessments and new.assessments):
        problem = "one of the two has no criteria"
    runs = None if problem else missing.fill(before.run(old), after.run(new))
    return ComparedResult(old, new, runs, problem)
