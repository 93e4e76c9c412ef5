"""Two result files compared, prompt by prompt: where the difference of their scores comes from."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Header, Prompt, Role
from engine.comparison.corner_check import CornerCheck
from engine.comparison.corners import Cause, FourCorners, Side, shown_to_judges
from engine.comparison.joint_intervals import Interval
from engine.comparison.scored_answer import own_headlines
from engine.evaluation.headline import Headline, overall
from engine.evaluation.results import ResultFile, StoredResult
from engine.evaluation.verdicts import StoredJudgements
from engine.judging.panel import Approach, Panel, panel
from engine.parsing import parse
from engine.record import Record
from engine.scoring.assessment import Assessment

if TYPE_CHECKING:
    from engine.javascript.tasks import TaskRunner


@dataclass(frozen=True, eq=False)
class ResultVersion:
    """A result file with the header of the blueprint that was run, as far as the file has it."""

    file: ResultFile
    header: Header = field(init=False)
    panel: Panel = field(init=False)

    def __post_init__(self) -> None:
        config = self.file.config
        written = {key: value for key, value in config.items() if key != "prompts"} if isinstance(config, dict) else {}
        parsed = parse(json.dumps({**written, "prompts": []}, default=str), Path("config.json"))
        object.__setattr__(self, "header", parsed.blueprint.header)
        object.__setattr__(self, "panel", panel(parsed.blueprint.header))

    @cached_property
    def is_holistic(self) -> bool:
        """Whether any of its judges saw all criteria at once, as the default judges do."""
        return any(judge.approach is Approach.HOLISTIC for judge in self.panel.judges) or not self.panel.judges

    def side(self, result: StoredResult) -> Side:
        """One result as a side of a comparison."""
        shown = shown_to_judges(
            result.assessments, self.header.description, result.bare_prompt.messages, is_holistic=self.is_holistic
        )
        return Side(_answer(result), result.assessments, shown)


def _answer(result: StoredResult) -> tuple[str, ...]:
    turns = tuple(content for role, content in result.history if role is Role.ASSISTANT)
    return (*turns, result.response or "")


class ComparedResult(Record, eq=False):
    """One prompt × model in both files. `name` and `model` are those of the new file.

    `corners` is None if one of the two has no score, for the reason in `problem`.
    """

    name: str
    model: str
    weight: float
    old: StoredResult
    new: StoredResult
    corners: FourCorners | None
    problem: str = ""


class Mean(Record):
    """A mean over all compared results, by the weights of the prompts: the scores, the difference and its causes.

    `old` and `new` are of the scores as Weval stores them, as everywhere; the others are of unrounded scores, so that
    the causes add up to the difference.
    """

    old: Headline | None
    new: Headline | None
    total: Interval
    parts: Mapping[Cause, Interval]


class ResultComparison(Record, eq=False, dict=True):
    """All that two files have in common, and what only one of them has (prompt and model)."""

    old: ResultVersion
    new: ResultVersion
    results: tuple[ComparedResult, ...]
    only_old: tuple[tuple[str, str], ...]
    only_new: tuple[tuple[str, str], ...]

    @cached_property
    def mean(self) -> Mean | None:
        """The means over the results that have a score in both files; None without one.

        Unknown verdicts of different results are independent, so the interval of a sum is the sum of the intervals.
        """
        found = [(each.weight, each.corners) for each in self.results if each.corners is not None]
        if not found:
            return None
        own = [(weight, own_headlines(corners)) for weight, corners in found]
        return Mean(
            overall((weight, old) for weight, (old, _) in own),
            overall((weight, new) for weight, (_, new) in own),
            _mean([(weight, corners.total) for weight, corners in found]),
            {cause: _mean([(weight, corners.parts[cause]) for weight, corners in found]) for cause in Cause},
        )


def _mean(parts: Sequence[tuple[float, Interval]]) -> Interval:
    weights = sum(weight for weight, _ in parts)
    return Interval(
        sum(weight * each.low for weight, each in parts) / weights,
        sum(weight * each.high for weight, each in parts) / weights,
    )


class MissingCorners:
    """Fills the corners that neither file has, with checks and stored verdicts."""

    def __init__(
        self, javascript: Callable[[], TaskRunner], stored: StoredJudgements | None = None, *, fills_own: bool = False
    ) -> None:
        """Without `stored`, verdicts on these corners stay unknown. `fills_own`: what the files lack themselves is
        filled too."""
        self._javascript = javascript
        self._stored = stored
        self._fills_own = fills_own

    def of(
        self, version: ResultVersion, rubric: StoredResult, answer: StoredResult, wanted: Collection[int]
    ) -> Sequence[Assessment] | None:
        """The answer of one result by the rubric of another one, which is of `version`. Blocks.

        Verdicts are looked up for the points at the places `wanted`.
        """
        if answer.answer is None or not wanted:
            return None
        check = CornerCheck(version.header, version.panel, self._javascript, self._stored)
        return check.assessments(rubric.prompt, answer.answer, wanted)

    def filled(self, version: ResultVersion, result: StoredResult, side: Side, wanted: Collection[int]) -> Side:
        """`side`, that of `result`, with stored verdicts on criteria without one in the file. Blocks."""
        found = self.of(version, result, result, wanted) if self._fills_own else None
        return side if found is None else side.filled(found)


def compare_results(
    old: ResultFile,
    new: ResultFile,
    missing: MissingCorners | None = None,
    *,
    models: Mapping[str, str] | None = None,
    prompts: Sequence[str] = (),
) -> ResultComparison:
    """Compare the results of two files.

    A model of the new file is paired with the one of the same key, or with that in `models`, by keys of the new file.
    Prompts are paired by their ids, else by their user messages: ids that Weval makes change with the rubric.
    `prompts` limits the comparison to these ids of the new file. Blocks while checks run.
    """
    before, after = ResultVersion(old), ResultVersion(new)
    pairs = _paired_prompts(old, new)
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
    before: ResultVersion, after: ResultVersion, old: StoredResult, new: StoredResult, missing: MissingCorners | None
) -> ComparedResult:
    prompt = new.bare_prompt
    problem = next((f"{which} result: {each.error}" for which, each in (("old", old), ("new", new)) if each.error), "")
    if not problem and not (old.assessments and new.assessments):
        problem = "one of the two has no points"
    if problem:
        return ComparedResult(prompt.id, new.model, prompt.weight, old, new, None, problem)
    corners = FourCorners(before.side(old), after.side(new))
    if missing is not None and any(corners.own_places):
        on_old, on_new = corners.own_places
        filled = missing.filled(before, old, corners.old, on_old), missing.filled(after, new, corners.new, on_new)
        corners = FourCorners(*filled)
    if missing is not None and any(each.new_answer is not each.new_rubric for each in corners.missing):
        on_old, on_new = corners.missing_places
        mixed = missing.of(before, old, new, on_old), missing.of(after, new, old, on_new)
        corners = FourCorners(corners.old, corners.new, mixed)
    return ComparedResult(prompt.id, new.model, prompt.weight, old, new, corners)


def _paired_prompts(old: ResultFile, new: ResultFile) -> dict[str, str]:
    """The id of each prompt of the old file, by that of the new one."""
    ids = {prompt.id for prompt in old.prompts}
    pairs = {prompt.id: prompt.id for prompt in new.prompts if prompt.id in ids}
    left: dict[Hashable, list[str]] = {}
    for prompt in old.prompts:
        if prompt.id not in pairs:
            left.setdefault(_messages(prompt), []).append(prompt.id)
    asked: dict[Hashable, list[str]] = {}
    for prompt in new.prompts:
        if prompt.id not in pairs:
            asked.setdefault(_messages(prompt), []).append(prompt.id)
    for messages, names in asked.items():
        before = left.get(messages, [])
        if messages and len(names) == len(before) == 1:
            pairs[names[0]] = before[0]
    return pairs


def _messages(prompt: Prompt) -> tuple[str, ...]:
    return tuple(" ".join(each.content.split()) for each in prompt.messages if each.role is Role.USER and each.content)
