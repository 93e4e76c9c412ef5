"""Two result files compared, prompt by prompt."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Header, Role
from engine.evaluation.headline import Headline, overall
from engine.evaluation.results import ResultFile, StoredResult
from engine.evaluation.verdicts import StoredJudgements
from engine.judging.panel import Approach, Panel, panel
from engine.parsing import parse
from engine.scoring.assessment import Assessment, Bounds
from engine.study.matrix import mean_of
from engine.study.pairing import match_prompts
from engine.study.scored_answer import Side, shown_to_judges
from engine.study.two_runs import (
    Combination,
    TwoRuns,
    UnjudgedAnswer,
    assessed,
    unjudged_answers,
)
from engine.text.record import Record

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner


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
    def is_holistic(self) -> bool:
        """Whether any of its judges saw all criteria at once, as the default judges do."""
        return any(judge.approach is Approach.HOLISTIC for judge in self.panel.judges) or not self.panel.judges

    def side(self, result: StoredResult) -> Side:
        """One result as a side of a comparison."""
        shown = shown_to_judges(
            result.assessments, self.header.description, result.bare_prompt.messages, is_holistic=self.is_holistic
        )
        turns = (content for role, content in result.history if role is Role.ASSISTANT)
        return Side((*turns, result.response or ""), result.assessments, shown)


class ComparedResult(Record, eq=False):
    """One prompt × model in both files. `name` and `model` are those of the new file.

    `runs` is None if one of the two has no score, for the reason in `problem`.
    """

    name: str
    model: str
    weight: float
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


_Results: TypeAlias = tuple[StoredResult, StoredResult]


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
        found = [(each.weight, each.runs) for each in self.results if each.runs is not None]
        if not found:
            return None
        difference = mean_of([(weight, runs.difference) for weight, runs in found])
        return (
            None
            if difference is None
            else Mean(
                overall((weight, runs.scores[Combination.OLD]) for weight, runs in found),
                overall((weight, runs.scores[Combination.NEW]) for weight, runs in found),
                difference,
            )
        )

    @property
    def missing(self) -> int:
        """How many verdicts are missing."""
        return sum(len(places) for each in self.results if each.runs for places in each.runs.missing.values())

    @property
    def unjudged(self) -> list[tuple[ResultVersion, list[UnjudgedAnswer]]]:
        """What judges could be asked, with the version whose rubrics and judges they are of."""
        every = [
            (each.runs, (each.old.prompt, each.new.prompt), (each.old.answer, each.new.answer))
            for each in self.results
            if each.runs is not None
        ]
        both = zip((self.old, self.new), unjudged_answers(every), strict=True)
        return [(version, answers) for version, answers in both if answers]


class MissingVerdicts(Record):
    """Where assessments come from that neither file has: from checks and from verdicts that `stored` finds.

    `fills_own`: what the files lack themselves is filled too.
    """

    javascript: Callable[[], TaskRunner]
    stored: StoredJudgements | None = None
    fills_own: bool = False

    def fill(self, runs: TwoRuns, versions: tuple[ResultVersion, ResultVersion], results: _Results) -> TwoRuns:
        """`runs` of two `results`, the old and the new one, with what is found. Blocks while checks run."""

        def lookup(of: Combination, places: Collection[int]) -> Sequence[Assessment] | None:
            version, answer = versions[of.has_new_rubric], results[of.has_new_answer].answer
            if answer is None:
                return None
            prompt = results[of.has_new_rubric].prompt
            return assessed(prompt, version.header, version.panel, answer, places, self.javascript(), self.stored)

        return runs.completed(lookup, fills_own=self.fills_own)


def compare_results(
    old: ResultFile,
    new: ResultFile,
    missing: MissingVerdicts | None = None,
    *,
    models: Mapping[str, str] | None = None,
    prompts: Sequence[str] = (),
) -> ResultComparison:
    """Compare the results of two files.

    A model of the new file is paired with the one of the same key, or with that in `models`, by keys of the new file.
    Prompts are paired as in versions of a blueprint (`engine.study.pairing`): ids that Weval makes change with the
    rubric. `prompts` limits the comparison to these ids of the new file. Blocks while checks run.
    """
    before, after = ResultVersion(old), ResultVersion(new)
    paired = match_prompts(old.prompts, new.prompts).pairs
    pairs = {new.prompts[other].id: old.prompts[one].id for one, other in paired}
    partners = models if models is not None else {model: model for model in new.models if model in old.models}
    stored = {(each.bare_prompt.id, each.model): each for each in old.results}
    found: list[ComparedResult] = []
    only_new: list[tuple[str, str]] = []
    used: set[tuple[str, str]] = set()
    for result in new.results:
        name = result.bare_prompt.id
        if (prompts and name not in prompts) or (models is not None and result.model not in models):
            continue
        key = pairs.get(name, ""), partners.get(result.model, "")
        partner = stored.get(key)
        if partner is None:
            only_new.append((name, result.model))
            continue
        used.add(key)
        found.append(_compared(before, after, partner, result, missing))
    wanted = {pairs[name] for name in prompts if name in pairs} if prompts else None
    only_old = [
        key
        for key in stored
        if key not in used and (wanted is None or key[0] in wanted) and (models is None or key[1] in models.values())
    ]
    return ResultComparison(before, after, tuple(found), tuple(only_old), tuple(only_new))


def _compared(
    before: ResultVersion, after: ResultVersion, old: StoredResult, new: StoredResult, missing: MissingVerdicts | None
) -> ComparedResult:
    prompt = new.bare_prompt
    problem = next((f"{which} result: {each.error}" for which, each in (("old", old), ("new", new)) if each.error), "")
    if not problem and not (old.assessments and new.assessments):
        problem = "one of the two has no points"
    if problem:
        return ComparedResult(prompt.id, new.model, prompt.weight, old, new, None, problem)
    runs = TwoRuns(before.side(old), after.side(new))
    filled = runs if missing is None else missing.fill(runs, (before, after), (old, new))
    return ComparedResult(prompt.id, new.model, prompt.weight, old, new, filled)
