"""What a problem does to a score: one answer on the rubric as it is, and as it was meant. The engine computes both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from engine.blueprint import Path, Point, Prompt
from engine.evaluation.point_assessment import assess
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.scoring.assessment import Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.text.diagnostics import Severity
from engine.text.spans import Span, apply_edits
from tests.corpus_report.demonstrations import Answer, Demonstration, demonstration
from tests.precision.reports import Found


@dataclass(frozen=True, slots=True)
class Effect:
    """All reports of one rule in one prompt.

    `before` and `after` are scores, 0–1. `in_words` counts the criteria that no check decides.
    """

    reports: tuple[Found, ...]
    shown_by: Demonstration
    before: float
    after: float
    in_words: int

    @property
    def slug(self) -> str:
        """The rule that reports."""
        return self.reports[0].slug

    @property
    def change(self) -> float:
        """How far the score moves, from 0 to 1."""
        return abs(self.after - self.before)


@dataclass(frozen=True, slots=True)
class Example:
    """The prompt on which a kind of problem changes the score most, and in how many prompts it changes it at all."""

    effect: Effect
    prompts: int


def examples(effects: Iterable[Effect]) -> list[Example]:
    """One example a rule, those with the largest change first; equal changes by the number of prompts, then by name.

    Within a rule, the first prompt in the order of files of those with the largest change. Rules that change no score
    are left out.
    """
    by_rule: dict[str, list[Effect]] = {}
    for one in effects:
        if one.change > 0:
            by_rule.setdefault(one.slug, []).append(one)
    chosen = [Example(max(here, key=lambda one: one.change), len(here)) for here in by_rule.values()]
    return sorted(chosen, key=lambda one: (-one.effect.change, -one.prompts, one.effect.slug))


def effects(found: Iterable[Found], javascript: JavaScript) -> Iterator[Effect]:
    """The effects of the errors and warnings that lie in a prompt with points, in the order of files."""
    worse = [one for one in found if one.level is not Severity.HINT]
    for _, reports in groupby(worse, lambda one: one.file):
        groups: dict[tuple[int, str], list[Found]] = {}
        for one in reports:
            for prompt in _prompts_of(one):
                groups.setdefault((prompt.index, one.slug), []).append(one)
        for (index, _), here in groups.items():
            if (effect := _effect(index, tuple(here), javascript)) is not None:
                yield effect


def _prompts_of(report: Found) -> list[Prompt]:
    """The prompts in which the report or one of its related places lies."""
    spans = spans_of(report)
    prompts = report.parsed.blueprint.prompts
    return [one for one in prompts if one.points() and any(_holds(one.span, span) for span in spans)]


def spans_of(report: Found) -> tuple[Span, ...]:
    """The places of the report."""
    return (report.diagnostic.span, *(one.span for one in report.diagnostic.related))


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start < outer.end


def _effect(index: int, reports: tuple[Found, ...], javascript: JavaScript) -> Effect | None:
    """None where no answer shows the effect, or the fixes do not go together."""
    parsed = reports[0].parsed
    old = next(one for one in parsed.blueprint.prompts if one.index == index)
    fixed = _fixed(parsed, reports)
    new = None if fixed is None else next((one for one in fixed.blueprint.prompts if one.index == index), None)
    shown_by = demonstration(reports[0].slug, has_fix=new is not None)
    if shown_by is None:
        return None
    scores = _Scores(old, new, [span for one in reports for span in spans_of(one)], javascript)
    both = scores.of(shown_by.kind)
    if both is None:
        return None
    in_words = sum(point.text is not None for point in old.points())
    return Effect(reports, shown_by, *both, in_words)


def _fixed(parsed: Parsed, reports: Iterable[Found]) -> Parsed | None:
    """The file with the first fix of every report; None where one has no fix, they overlap, or it is YAML no more."""
    fixes = [one.diagnostic.fixes for one in reports]
    if not all(fixes):
        return None
    edits = sorted({edit for one in fixes for edit in one[0].edits}, key=lambda edit: edit.span)
    if any(one.span.end > other.span.start for one, other in pairwise(edits)):
        return None
    after = parse(apply_edits(parsed.text, edits), parsed.path)
    return None if after.tree.error is not None else after


class _Scores:
    """Scores one prompt before (`old`) and after the fixes (`new`); `reported` are the places of the reports."""

    def __init__(self, old: Prompt, new: Prompt | None, reported: list[Span], javascript: JavaScript) -> None:
        self._old = old
        self._new = new
        self._reported = frozenset(_key(point) for point in _points_at(old, reported))
        self._javascript = javascript

    def of(self, kind: Answer) -> tuple[float, float] | None:
        """The scores before and after, 0–1; None where the answer or the fix is missing, or no point is reported."""
        match kind:
            case Answer.IDEAL:
                return self._of_ideal()
            case Answer.LOSES_REPORTED:
                return self._where_lost(self._reported)
            case Answer.HIGHEST_LEVEL:
                return self._where_lost(self._all_but_one())
            case Answer.EMPTY:
                return self._of_nothing()
            case Answer.BREAKS_ONE_PATH:
                return self._with_fix(self._first_forbidden_path())
            case Answer.MISSES_REPORTED:
                return self._with_fix(self._reported)
            case Answer.MEETS_ONE:
                return self._with_fix(self._all_but_one())

    def _all_but_one(self) -> frozenset[str]:
        """The reported points but one of them."""
        return self._reported - {min(self._reported, default="")}

    def _of_ideal(self) -> tuple[float, float] | None:
        if not self._old.ideal or (self._new is not None and not self._new.points()):
            return None
        if self._new is not None:
            return self._written(self._old, self._old.ideal), self._written(self._new, self._old.ideal)
        if not self._reported:
            return None
        return self._written(self._old, self._old.ideal), self._written(self._old, self._old.ideal, self._reported)

    def _of_nothing(self) -> tuple[float, float]:
        def empty(assessment: Assessment) -> float:
            return assessment.extent if assessment.extent is not None else float(assessment.placed.inverted)

        assessed = {_key(one.point): empty(one) for one in assess(self._old, "", self._javascript)}
        before = _score(self._old, lambda point: assessed[_key(point)])
        return before, _score(self._old, lambda point: 0.0 if _key(point) in self._reported else assessed[_key(point)])

    def _where_lost(self, lost: frozenset[str]) -> tuple[float, float] | None:
        return (_score(self._old, lambda point: float(_key(point) not in lost)), 1.0) if lost else None

    def _with_fix(self, lost: frozenset[str]) -> tuple[float, float] | None:
        if self._new is None or not lost:
            return None

        def extent(point: Point) -> float:
            return float(_key(point) not in lost)

        return _score(self._old, extent), _score(self._new, extent)

    def _first_forbidden_path(self) -> frozenset[str]:
        entries = () if self._old.should_not is None else self._old.should_not.entries
        path = next((one for one in entries if isinstance(one, Path)), None)
        return frozenset() if path is None else frozenset(map(_key, path.points))

    def _written(self, prompt: Prompt, answer: str, passed: frozenset[str] = frozenset()) -> float:
        """The most that `answer` can earn: checks run, but for those that count as `passed`; words count as met."""
        assessed = {_key(one.point): one.extent for one in assess(prompt, answer, self._javascript)}

        def extent(point: Point) -> float:
            known = assessed[_key(point)]
            return 1.0 if known is None or _key(point) in passed else known

        return _score(prompt, extent)


def _points_at(prompt: Prompt, spans: Sequence[Span]) -> Iterator[Point]:
    """The points in one of these spans, and those of a path whose dashes are in one."""
    for rubric in prompt.rubrics:
        for entry in rubric.entries:
            points = entry.points if isinstance(entry, Path) else (entry,)
            here = [point for point in points if any(_overlap(point.span, span) for span in spans)]
            is_path_at = isinstance(entry, Path) and any(_overlap(entry.span, span) for span in spans)
            yield from points if is_path_at and not here else here


def _overlap(one: Span, other: Span) -> bool:
    return one.start < max(other.end, other.start + 1) and other.start < max(one.end, one.start + 1)


def _key(point: Point) -> str:
    """What a point asks for, the same before and after a fix that moves it."""
    return point.text if point.text is not None else repr(point.function)


def _score(prompt: Prompt, extent: Callable[[Point], float]) -> float:
    """The score of `prompt`, 0–1, with this extent, after inversion, of each point."""
    score = explain(prompt, [Assessment(placed, extent(placed.point)) for placed in place(prompt)]).score
    assert score is not None, "every point has an extent"
    return score
