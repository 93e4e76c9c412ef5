"""Applying fixes to a whole text, as `studio check --fix` does, with a record of each change.

A fix is applied only if it works (`engine.rules.fixes.fix_trial`). All are tried together first, and in halves where
that fails, so a file whose fixes all work costs only one more check.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.parsing import Parsed
from engine.rules.fixes.fix_trial import FixedProblem, FixOutcome, FixTrial
from engine.rules.selection import EVERYTHING, RuleSelection
from engine.rules.suppression import as_intended
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.record import Record, replace
from engine.text.spans import Carrier, LineIndex, Span, TextEdit, apply_edits

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript

_STEP_LIMIT = 4
"""How many fixes may follow one another, each for the problems that the last one brought."""

Select: TypeAlias = Callable[[Diagnostic], Fix | None]
"""Chooses the fix of a problem to apply; None for none."""


class ChangedLines(Record):
    """Neighbouring lines that a fix changed, before and after, without line breaks.

    `offset` is the start of the first of them in the text after all fixes.
    """

    offset: int
    before: tuple[str, ...]
    after: tuple[str, ...]


class AppliedEdit(Record):
    """An edit that replaced `removed` by `inserted`, at `span` of the text after all fixes."""

    span: Span
    removed: str
    inserted: str


class AppliedFix(Record):
    """A fix that was applied, its problem, and what it changed. Offsets refer to the text after all fixes."""

    diagnostic: Diagnostic
    fix: Fix
    edits: tuple[AppliedEdit, ...]
    lines: tuple[ChangedLines, ...]

    def undoing(self, text: str) -> tuple[TextEdit, ...] | None:
        """The edits that undo this fix in the text after all fixes; None where a later fix wrote there."""
        if any(edit.span.of(text) != edit.inserted for edit in self.edits):
            return None
        return tuple(TextEdit(edit.span, edit.removed) for edit in self.edits)


class LeftFix(Record):
    """A fix that was not applied, and the reason. Spans refer to the text after all fixes."""

    diagnostic: Diagnostic
    fix: Fix
    objection: str


class FixedText(Record):
    """A text after its fixes: those applied, those left because they do not work, and the remaining problems."""

    parsed: Parsed
    changes: tuple[AppliedFix, ...]
    left: tuple[LeftFix, ...]
    remaining: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        """The text after the fixes."""
        return self.parsed.text

    @property
    def applied(self) -> int:
        """How many fixes were applied."""
        return len(self.changes)


def fix_text(
    text: str,
    path: Path | None,
    javascript: JavaScript | None = None,
    *,
    selection: RuleSelection = EVERYTHING,
    collections: Path | None = None,
    weval: bool = False,
) -> FixedText:
    """Apply the safe fixes of errors and warnings that work, until none is left.

    `collections` is the folder of the model collections; by default any `models` above the file. With `weval`, a
    flagged problem counts as an error. `remaining` has the problems of the fixed text that `selection` reports.
    """
    return apply_fixes(
        FixTrial(text, path, javascript, selection=selection, collections=collections, weval=weval), safe_fix
    )


def safe_fix(diagnostic: Diagnostic) -> Fix | None:
    """The safe fix of an error or a warning. Hints are matters of style: their fixes are applied one at a time."""
    if diagnostic.severity is Severity.HINT:
        return None
    return next((fix for fix in diagnostic.fixes if fix.safe), None)


def same_choice(chosen: Fix, of: Diagnostic, trial: FixTrial) -> Select:
    """Selects, for each problem of the rule of `of` in the text of `trial`, the fix that corresponds to `chosen`.

    That is the fix with the same title, or else the fix at the same position among as many fixes, where titles name
    what they write (`call it a-2`). A `chosen` that is not a fix of `of` is the comment that marks it as intended.
    """
    others = [fix.safe for fix in of.fixes]
    is_comment = chosen not in of.fixes
    place = next((number for number, fix in enumerate(of.fixes) if fix == chosen), None)

    def select(diagnostic: Diagnostic) -> Fix | None:
        if diagnostic.code != of.code:
            return None
        if is_comment:
            return next(iter(as_intended(trial.parsed.tree, diagnostic.span, diagnostic.slug)), None)
        same = next((fix for fix in diagnostic.fixes if fix.title == chosen.title and fix.safe == chosen.safe), None)
        if same is not None or place is None or [fix.safe for fix in diagnostic.fixes] != others:
            return same
        other = diagnostic.fixes[place]
        return other if other.title.split()[:2] == chosen.title.split()[:2] else None

    return select


def apply_fixes(trial: FixTrial, select: Select) -> FixedText:
    """Apply the fixes that `select` chooses and that work to the text of `trial`, until none is left. Blocks.

    Problems of one level are fixed together, errors first. Fixes that touch the same place wait for each other. Each
    round leaves fewer problems of its level and no more above it, so the rounds end.
    """
    run = _Run(trial, select)
    while run.round():
        pass
    return FixedText(trial.parsed, tuple(run.applied), tuple(run.left), trial.diagnostics)


def apply_one(trial: FixTrial, diagnostic: Diagnostic, fix: Fix) -> FixedText:
    """Apply one fix that an author chose to the text of `trial`, whether it works or not. Blocks."""
    problem = FixedProblem(trial.find(diagnostic) or diagnostic, fix)
    outcome = trial.outcome_of([problem])
    run = _Run(trial, lambda _: None)
    run.note([problem])
    trial.accept(outcome)
    return FixedText(trial.parsed, tuple(run.applied), (), trial.diagnostics)


class _Step(Record):
    """Fixes that were tried together, and their outcome."""

    problems: Sequence[FixedProblem]
    outcome: FixOutcome


class _Run:
    """Applies fixes in batches and records them."""

    def __init__(self, trial: FixTrial, select: Select) -> None:
        self._trial = trial
        self._select = select
        self.applied: list[AppliedFix] = []
        self.left: list[LeftFix] = []

    def round(self) -> bool:
        """Apply all fixes that work; True if there were any. Fixes that were left are tried again in each round."""
        self.left = []
        count = len(self.applied)
        for severity in Severity:
            while wanted := apart(self._wanted(severity)):
                self._apply_some(wanted)
        return len(self.applied) > count

    def _wanted(self, severity: Severity) -> Iterable[FixedProblem]:
        left = {(each.diagnostic.code, each.diagnostic.span, each.diagnostic.message) for each in self.left}
        for diagnostic in self._trial.diagnostics:
            if diagnostic.severity is not severity or (diagnostic.code, diagnostic.span, diagnostic.message) in left:
                continue
            fix = self._select(diagnostic)
            if fix is not None:
                yield FixedProblem(diagnostic, fix)

    def _apply_some(self, problems: Sequence[FixedProblem]) -> None:
        """Apply the first of `problems`, halving their number until they work; leave a single one that fails."""
        outcome = self._trial.outcome_of(problems)
        while not outcome.cures and len(problems) > 1:
            problems = problems[: len(problems) // 2]
            outcome = self._trial.outcome_of(problems)
        steps = [_Step(problems, outcome)] if outcome.cures else self._with_next(problems, outcome)
        for step in steps:
            self.note(step.problems)
            self._trial.accept(step.outcome)
        if not steps:
            self.left.append(LeftFix(problems[0].diagnostic, problems[0].fix, outcome.objection))

    def _with_next(self, problems: Sequence[FixedProblem], outcome: FixOutcome) -> Sequence[_Step]:
        """These fixes followed by the fixes of the problems that they bring; empty where a new problem remains.

        A quoted check with a backslash in double quotes needs this: it is readable only after its first fix.
        """
        steps = [_Step(problems, outcome)]
        trial, level = self._trial, problems[0].diagnostic.severity
        while not steps[-1].outcome.cures and len(steps) < _STEP_LIMIT:
            last = steps[-1].outcome
            trial = trial.after(last)
            found = [(each, self._select(each)) for each in last.new]
            following = apart(FixedProblem(each, fix) for each, fix in found if fix is not None)
            if last.remaining or len(following) < len(found) or not found:
                return ()
            steps.append(_Step(following, trial.outcome_of(following, level)))
        return steps if steps[-1].outcome.cures else ()

    def note(self, problems: Sequence[FixedProblem]) -> None:
        """Record what the fixes of `problems` change, and move the earlier records to the text after them."""
        text = self._trial.text
        lines = LineIndex(text)
        carrier = Carrier(edit for problem in problems for edit in problem.fix.edits)
        self.applied = [_carried(each, carrier) for each in self.applied]
        self.left = [
            replace(each, diagnostic=replace(each.diagnostic, span=carrier.carry(each.diagnostic.span)))
            for each in self.left
        ]
        self.applied += [_applied(problem, text, lines, carrier) for problem in problems]


def apart(problems: Iterable[FixedProblem]) -> Sequence[FixedProblem]:
    """Those of `problems` whose edits touch no edit of an earlier one."""
    chosen: list[FixedProblem] = []
    taken: list[Span] = []
    for problem in problems:
        spans = [edit.span for edit in problem.fix.edits]
        if not any(_touches(span, taken) for span in spans):
            chosen.append(problem)
            for span in spans:
                insort(taken, span)
    return chosen


def _touches(span: Span, taken: Sequence[Span]) -> bool:
    """Whether `span` overlaps or equals one of `taken`, which are sorted and do not overlap.

    Adjacent edits, which are common in brackets, do not touch.
    """
    at = bisect_left(taken, span)
    following = takewhile(lambda other: other.start <= span.end, map(taken.__getitem__, range(at, len(taken))))
    return any(_touch(span, other) for other in chain(_last_before(taken, at), following))


def _last_before(taken: Sequence[Span], at: int) -> Iterator[Span]:
    """The spans before the index `at`, backwards, up to one that is not empty: no earlier one reaches beyond it."""
    for index in range(at - 1, -1, -1):
        yield taken[index]
        if taken[index].start < taken[index].end:
            return


def _touch(one: Span, other: Span) -> bool:
    return (one.start < other.end and other.start < one.end) or one == other


def _applied(problem: FixedProblem, text: str, lines: LineIndex, carrier: Carrier) -> AppliedFix:
    """The record of the fix of `problem`, one of the fixes whose edits of `text` are those of `carrier`."""
    own = sorted(problem.fix.edits, key=_start)
    made = tuple(AppliedEdit(carrier.written(edit), edit.span.of(text), edit.text) for edit in own)
    diagnostic = replace(problem.diagnostic, span=carrier.carry(problem.diagnostic.span), related=(), fixes=())
    changed = tuple(_changed_lines(group, text, lines, carrier) for group in _neighbours(own, lines))
    return AppliedFix(diagnostic, problem.fix, made, changed)


def _carried(applied: AppliedFix, carrier: Carrier) -> AppliedFix:
    """`applied` with its offsets moved by further edits."""
    return replace(
        applied,
        diagnostic=replace(applied.diagnostic, span=carrier.carry(applied.diagnostic.span)),
        edits=tuple(replace(edit, span=carrier.carry(edit.span)) for edit in applied.edits),
        lines=tuple(
            replace(each, offset=carrier.carry(Span(each.offset, each.offset)).start) for each in applied.lines
        ),
    )


def _start(edit: TextEdit) -> Span:
    return edit.span


def _neighbours(edits: Iterable[TextEdit], lines: LineIndex) -> Iterable[list[TextEdit]]:
    """The edits of one fix in order, grouped where they change the same or adjacent lines."""
    group: list[TextEdit] = []
    last = 0
    for edit in edits:
        if group and lines.position(edit.span.start).line > last + 1:
            yield group
            group = []
        group.append(edit)
        last = lines.position(edit.span.end).line
    if group:
        yield group


def _changed_lines(group: Sequence[TextEdit], text: str, lines: LineIndex, carrier: Carrier) -> ChangedLines:
    """The lines of `text` that the edits of `group` change, without unchanged lines at both ends."""
    first = lines.position(group[0].span.start).line
    last = lines.position(group[-1].span.end).line
    piece = Span(lines.line_span(first).start, lines.line_span(last).end)
    before = piece.of(text)
    after = apply_edits(before, [edit.shifted(-piece.start) for edit in group])
    old, new = _lines_of(before), _lines_of(after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    start = lines.line_span(min(first + head, last)).start
    offset = carrier.carry(Span(start, start)).start
    return ChangedLines(offset, tuple(old[head : len(old) - tail]), tuple(new[head : len(new) - tail]))


def _lines_of(text: str) -> list[str]:
    index = LineIndex(text)
    return [index.line(number) for number in range(index.line_count)]
