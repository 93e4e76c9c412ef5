"""`studio explain RESULT.json`: a published score, where it comes from, and what changed in the blueprint since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from engine.blueprint import Prompt
from engine.evaluation.answer_notes import answer_json, answer_notes
from engine.evaluation.coverage_result import bounds_json, explanation_json
from engine.evaluation.headline import headline
from engine.evaluation.published_match import Match, Matching, matched, prompt_today
from engine.evaluation.published_score import ScoreComparison, compare_score
from engine.evaluation.results import ResultFile, StoredResult, UnusableResult, read_result_file
from engine.parsing import Parsed
from engine.scoring import Explanation, explain, to_fixed
from engine.scoring.explanation_text import point_label, points_text, weight_text
from engine.text import LineIndex, visible
from engine.yaml_nodes.nodes import Data
from studio.cli.score_text import explained_text
from studio.cli.unusable import Unusable

_WIDEST = 46
_MOST_LISTED = 20


@dataclass(frozen=True, eq=False)
class ExplainedResult:
    """One prompt × model of a result file. `today` is its prompt as it is now, None where it is in no blueprint."""

    result: StoredResult
    today: Prompt | None

    @cached_property
    def explanation(self) -> Explanation | None:
        """The arithmetic of the verdicts in the file; None where there are none."""
        if self.result.error is not None:
            return None
        explanation = explain(self.result.prompt, self.result.assessments)
        answer = self.result.answer
        notes = () if answer is None else answer_notes(answer, self.result.assessments)
        return replace(explanation, notes=(*notes, *explanation.notes))

    @cached_property
    def published(self) -> ScoreComparison | None:
        """The published score, held against its own points."""
        return None if self.explanation is None else compare_score(self.result, self.explanation)

    @cached_property
    def matching(self) -> Matching | None:
        """The points beside those of today."""
        return None if self.today is None else matched(self.result, self.today)

    @property
    def score(self) -> float | None:
        """The published score, or what its points come to where the file has none; None where there is neither."""
        if self.result.stored is not None:
            return self.result.stored
        return None if self.explanation is None else self.explanation.score


@dataclass(frozen=True, slots=True)
class Today:
    """The blueprint as it is now."""

    path: Path
    parsed: Parsed
    lines: LineIndex = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", LineIndex(self.parsed.text))

    def line(self, offset: int) -> int:
        """The line, from 1, of an offset."""
        return self.lines.position(offset).line + 1


@dataclass(frozen=True, slots=True)
class ExplainedFile:
    """What was asked of a result file, and whether one prompt was named."""

    file: ResultFile
    results: tuple[ExplainedResult, ...]
    today: Today | None
    named: bool


def explain_result(
    path: Path, prompt_ids: Sequence[str], models: Sequence[str], blueprint: Path | None
) -> ExplainedFile:
    """The results of the file at `path` that are asked for. Raises `click.UsageError`."""
    try:
        file = read_result_file(path)
    except UnusableResult as error:
        raise Unusable(f"{path}: {error}") from error
    today = _today(file, blueprint)
    chosen = [
        result
        for result in file.results
        if (not prompt_ids or result.bare_prompt.id in prompt_ids) and (not models or result.model in models)
    ]
    if not chosen:
        raise Unusable(f"There is no such result in {path}. There are: {_there(file)}.")
    return ExplainedFile(file, tuple(_explained(chosen, today)), today, bool(prompt_ids))


def _there(file: ResultFile) -> str:
    keys = sorted({f"{result.bare_prompt.id} · {result.model}" for result in file.results})
    more = len(keys) - _MOST_LISTED
    return ", ".join(keys[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def _today(file: ResultFile, named: Path | None) -> Today | None:
    from engine.parsing import parse
    from engine.workspace import CannotOpen, open_file
    from engine.workspace.published_files import blueprint_of

    path = named or blueprint_of(file)
    if path is None:
        return None
    try:
        text = open_file(path).text
    except CannotOpen as error:
        raise Unusable(f"{path}: {error.title} {error.advice}".strip()) from error
    return Today(path, parse(text, path))


def _explained(results: Sequence[StoredResult], today: Today | None) -> Iterator[ExplainedResult]:
    prompts: dict[str, Prompt | None] = {}
    for result in results:
        if today is not None and result.bare_prompt.id not in prompts:
            prompts[result.bare_prompt.id] = prompt_today(result, today.parsed.blueprint)
        yield ExplainedResult(result, prompts.get(result.bare_prompt.id))


# As text


def as_text(explained: ExplainedFile) -> str:
    """What is printed: the prompts by what they cost, where none was named, else the arithmetic of each."""
    if not explained.named and len({each.result.bare_prompt.id for each in explained.results}) > 1:
        return visible("\n".join(_by_cost(explained))) + "\n"
    return "\n".join(_one(each, explained.today) for each in explained.results)


def _one(each: ExplainedResult, today: Today | None) -> str:
    title = " ".join(f"{each.result.bare_prompt.id} · {each.result.model}".split())
    if each.explanation is None:
        return visible(f"{title}: not scored\n  {each.result.error}\n")
    lines = list(_published(each))
    if today is not None:
        lines += _beside(each, today)
    explained = explained_text(title, _headline(each.result, each.explanation), each.explanation)
    return f"{explained}\n" + visible("\n".join(lines)) + ("\n" if lines else "")


def _headline(result: StoredResult, explanation: Explanation) -> str:
    """`38.0 published; our reading 37.5`: the score that everybody saw, and beside it the one that is explained."""
    score = "no score published" if result.stored is None else f"{points_text(result.stored)} published"
    return f"{score}; our reading {headline(explanation, result.answer)}"


def _published(each: ExplainedResult) -> Iterator[str]:
    """What stands in the file, and whether its own points add up to that."""
    if each.published is None:
        return
    adds_up = " (its points add up to this)" if each.published.reproduced else ""
    yield ""
    yield f"  published: {to_fixed(each.published.stored, 2)}{adds_up}"
    yield from (f"    {words}" for words in each.published.reasons)


def _beside(each: ExplainedResult, today: Today) -> Iterator[str]:
    yield ""
    if each.matching is None:
        yield f"  {today.path.name} no longer has this prompt"
        return
    prompt = each.matching.prompt
    now = f", where it is called {prompt.id}" if prompt.id != each.result.bare_prompt.id else ""
    yield f"  in {today.path.name} as it is now, from line {today.line(prompt.span.start)}{now}"
    yield f"  {'line':>6}  {'point':<{_WIDEST}}  since then"
    for match in each.matching.matches:
        line, label, since = _row(match, each, today)
        yield f"  {line:>6}  {label:<{_WIDEST}}  {since}".rstrip()
    if each.matching.reordered:
        yield "    its points are in another order now; the score is the same"


def _row(match: Match, each: ExplainedResult, today: Today) -> tuple[str, str, str]:
    assert each.matching is not None
    if match.now is None:
        assert match.then is not None
        return "–", _cut(point_label(each.result.prompt.points()[match.then])), "no longer in the blueprint"
    point = each.matching.prompt.points()[match.now]
    since = "new, and not judged then" if match.then is None else "; ".join(match.changes)
    return str(today.line(point.span.start)), _cut(point_label(point)), since


def _cut(label: str) -> str:
    return label if len(label) <= _WIDEST else f"{label[: _WIDEST - 1]}…"


# By cost


@dataclass(frozen=True, slots=True)
class _Cost:
    """A prompt over all models: the mean of its published scores, and what it costs of the mean over all prompts."""

    prompt: Prompt
    score: float | None
    costs: float
    lowest: tuple[str, float] | None
    failed: int
    today: Prompt | None


def _costs(results: Sequence[ExplainedResult]) -> list[_Cost]:
    """The prompts, the one that costs most first. Prompts without a score cost nothing, and come last."""
    by_prompt: dict[str, list[ExplainedResult]] = {}
    for each in results:
        by_prompt.setdefault(each.result.bare_prompt.id, []).append(each)
    scored = {name: [score for each in group if (score := each.score) is not None] for name, group in by_prompt.items()}
    weights = sum(group[0].result.bare_prompt.weight for name, group in by_prompt.items() if scored[name])
    costs = [_cost(group, scored[name], weights) for name, group in by_prompt.items()]
    return sorted(costs, key=lambda each: (each.score is None, -each.costs))


def _cost(group: Sequence[ExplainedResult], scores: Sequence[float], weights: float) -> _Cost:
    first = group[0]
    mean = sum(scores) / len(scores) if scores else None
    known = [(each.result.model, each.score) for each in group if each.score is not None]
    return _Cost(
        first.result.bare_prompt,
        mean,
        0.0 if mean is None else (1 - mean) * first.result.bare_prompt.weight / weights,
        min(((model, score) for model, score in known), key=lambda one: one[1], default=None),
        sum(each.result.error is not None for each in group),
        first.today,
    )


def _by_cost(explained: ExplainedFile) -> Iterator[str]:
    costs = _costs(explained.results)
    models = len({each.result.model for each in explained.results})
    run = "" if explained.file.timestamp is None else f", run {explained.file.timestamp}"
    title = " ".join((explained.file.title or explained.file.path.name).split())
    yield f"{title}: {_count(len(costs), 'prompt')}, {_count(models, 'model')}{run}"
    scored = [each for each in costs if each.score is not None]
    if scored:
        weights = sum(each.prompt.weight for each in scored)
        mean = sum((each.score or 0.0) * each.prompt.weight for each in scored) / weights
        yield f"  mean of the published scores, by prompt weight: {points_text(mean)}"
    yield ""
    yield f"  {'prompts by what they cost':<{_WIDEST}} {'costs':>6} {'score':>6} {'weight':>7}  lowest"
    for each in costs:
        yield _cost_line(each, explained.today, several=models > 1).rstrip()
    yield ""
    yield f"  studio explain {explained.file.path.name} --prompt ID shows why, point by point."


def _count(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"


def _cost_line(each: _Cost, today: Today | None, *, several: bool) -> str:
    line = f" (line {today.line(each.today.span.start)})" if today and each.today else ""
    name = " ".join(each.prompt.id.split())
    room = _WIDEST - len(line)
    label = f"{name if len(name) <= room else name[: room - 1] + '…'}{line}"
    score = "–" if each.score is None else points_text(each.score)
    lowest = f"{points_text(each.lowest[1])} {each.lowest[0]}" if several and each.lowest is not None else ""
    failed = f"{'; ' if lowest else ''}{each.failed} not scored" if each.failed else ""
    weight = weight_text(each.prompt.weight)
    return f"  {label:<{_WIDEST}} {points_text(each.costs):>6} {score:>6} {weight:>7}  {lowest}{failed}"


# As JSON


def as_data(explained: ExplainedFile) -> Data:
    """One object for each prompt and model, in the order of the file. Shares of 1, lines from 1."""
    costs = {each.prompt.id: each.costs for each in _costs(explained.results)}
    return [_entry(each, explained.today, costs[each.result.bare_prompt.id]) for each in explained.results]


def _entry(each: ExplainedResult, today: Today | None, costs: float) -> dict[str, Data]:
    reasons: list[Data] = [] if each.published is None else [*each.published.reasons]
    return {
        "prompt": each.result.bare_prompt.id,
        "key": each.result.model,
        "stored": each.result.stored,
        "error": each.result.error,
        "costs": costs,
        "bounds": None if each.explanation is None else bounds_json(each.explanation.bounds),
        "explanation": None if each.explanation is None else explanation_json(each.explanation),
        **({} if each.result.answer is None else answer_json(each.result.answer)),
        "published": None
        if each.published is None
        else {"computed": each.published.computed, "reproduced": each.published.reproduced, "told": reasons},
        "blueprint": None if today is None else _blueprint(each, today),
    }


def _blueprint(each: ExplainedResult, today: Today) -> dict[str, Data]:
    if each.matching is None:
        return {"file": str(today.path), "prompt": None, "line": None, "reordered": False, "points": []}
    return {
        "file": str(today.path),
        "prompt": each.matching.prompt.id,
        "line": today.line(each.matching.prompt.span.start),
        "reordered": each.matching.reordered,
        "points": [_match(match, each, today) for match in each.matching.matches],
    }


def _match(match: Match, each: ExplainedResult, today: Today) -> dict[str, Data]:
    assert each.matching is not None
    now = None if match.now is None else each.matching.prompt.points()[match.now]
    then = None if match.then is None else each.result.prompt.points()[match.then]
    point = now or then
    assert point is not None
    return {
        "point": point_label(point, longest=10_000),
        "line": None if now is None else today.line(now.span.start),
        "state": "gone" if now is None else "new" if then is None else "changed" if match.changes else "same",
        "changes": [*match.changes],
        "extent": None if match.then is None else each.result.assessments[match.then].extent,
    }
