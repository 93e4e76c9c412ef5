"""Applying fixes to a whole text, as `studio check --fix` does, and what they changed, place by place.

A fix is applied only where it cures (`engine.rules.fixes.trial`): several are tried together first, and by halves where
that brings something new, so that a file whose fixes all cure costs one check more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.diagnostics import Diagnostic, Fix, Severity
from engine.parsing import Parsed
from engine.record import Record, replace
from engine.rules.fixes.trial import FixedProblem, FixOutcome, FixTrial
from engine.rules.selection import EVERYTHING, RuleSelection
from engine.rules.suppression import as_intended
from engine.text import LineIndex, Span, TextEdit, apply_edits, carry_span

if TYPE_CHECKING:
    from engine.javascript import JavaScript

_MOST_STEPS = 4
"""How many fixes one behind the other may be needed until nothing that they bring is left."""

Select: TypeAlias = Callable[[Diagnostic], Fix | None]
"""Which fix of a problem is to be applied; None where it is to be left."""


class ChangedLines(Record):
    """Neighbouring lines that a fix changed, without line breaks: those that differ, as they were and as they became.

    `offset` is where the first of them begins in the text after all fixes.
    """

    offset: int
    before: tuple[str, ...]
    after: tuple[str, ...]


class AppliedEdit(Record):
    """`removed` gave way to what `span` covers in the text after all fixes. `inserted` is what the edit wrote there."""

    span: Span
    removed: str
    inserted: str


class AppliedFix(Record):
    """A fix that was applied: of which problem, and what it changed. Offsets are those of the text after all fixes."""

    diagnostic: Diagnostic
    fix: Fix
    edits: tuple[AppliedEdit, ...]
    lines: tuple[ChangedLines, ...]

    def undoing(self, text: str) -> tuple[TextEdit, ...] | None:
        """The edits that take this one fix back in the text after all fixes; None where a later one wrote there."""
        if any(edit.span.of(text) != edit.inserted for edit in self.edits):
            return None
        return tuple(TextEdit(edit.span, edit.removed) for edit in self.edits)


class LeftFix(Record):
    """A fix that was asked for and left, and what speaks against it. Spans are those of the text after all fixes."""

    diagnostic: Diagnostic
    fix: Fix
    objection: str


class FixedText(Record):
    """A text after its fixes: what was applied, what was left since it does not cure, and what is still reported."""

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
    choice: RuleSelection = EVERYTHING,
    collections: Path | None = None,
    weval: bool = False,
) -> FixedText:
    """Apply the safe fixes of errors and warnings that cure, again and again until none is left.

    `collections` is the folder of the model collections, where it is not any `models` above the file. With `weval` a
    flagged problem counts as an error. `remaining` is what `choice` tells of the text after the fixes.
    """
    return apply_fixes(FixTrial(text, path, javascript, choice=choice, collections=collections, weval=weval), safe_fix)


def safe_fix(diagnostic: Diagnostic) -> Fix | None:
    """The safe fix of an error or a warning. Hints are matters of style: their fixes are applied one at a time."""
    if diagnostic.severity is Severity.HINT:
        return None
    return next((fix for fix in diagnostic.fixes if fix.safe), None)


def same_choice(chosen: Fix, of: Diagnostic, trial: FixTrial) -> Select:
    """For each report of the rule of `of` in the text of `trial`: the fix that stands for the same choice as `chosen`.

    That is the one with the same title, else the one at the same place among as many, where titles name what they
    write (`call it a-2`). Where `chosen` is no fix of `of`, it is the comment that says "as intended".
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
    """Apply to the text of `trial` the fixes that `select` takes and that cure, until none is left; blocks.

    Problems of one level are fixed together, errors first. Fixes that touch one place wait for each other. Each
    round leaves fewer problems of its level and no more above it, so that there is a last one.
    """
    run = _Run(trial, select)
    while run.round():
        pass
    return FixedText(trial.parsed, tuple(run.applied), tuple(run.left), trial.diagnostics)


def apply_one(trial: FixTrial, diagnostic: Diagnostic, fix: Fix) -> FixedText:
    """Apply one fix that an author chose to the text of `trial`, whether it cures or not; blocks."""
    problem = FixedProblem(trial.find(diagnostic) or diagnostic, fix)
    outcome = trial.outcome_of([problem])
    run = _Run(trial, lambda _: None)
    run.note([problem])
    trial.take(outcome)
    return FixedText(trial.parsed, tuple(run.applied), (), trial.diagnostics)


class _Step(Record):
    """Fixes that are tried together, and what they make of the text."""

    problems: Sequence[FixedProblem]
    outcome: FixOutcome


class _Run:
    """Fixes applied one batch after the other."""

    def __init__(self, trial: FixTrial, select: Select) -> None:
        self._trial = trial
        self._select = select
        self.applied: list[AppliedFix] = []
        self.left: list[LeftFix] = []

    def round(self) -> bool:
        """Apply what can be applied; whether anything was. What is left is tried anew in each round."""
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
        """Apply the first of `problems`, as many as cure together by halves; where it is but one, leave it."""
        outcome = self._trial.outcome_of(problems)
        while not outcome.cures and len(problems) > 1:
            problems = problems[: len(problems) // 2]
            outcome = self._trial.outcome_of(problems)
        steps = [_Step(problems, outcome)] if outcome.cures else self._with_next(problems, outcome)
        for step in steps:
            self.note(step.problems)
            self._trial.take(step.outcome)
        if not steps:
            self.left.append(LeftFix(problems[0].diagnostic, problems[0].fix, outcome.objection))

    def _with_next(self, problems: Sequence[FixedProblem], outcome: FixOutcome) -> Sequence[_Step]:
        """These fixes, and then those of all that they bring, where nothing is new in the end; else nothing.

        A quoted check with a backslash in double quotes is such a case: it is read at all only after its first fix.
        """
        steps = [_Step(problems, outcome)]
        trial, level = self._trial, problems[0].diagnostic.severity
        while not steps[-1].outcome.cures and len(steps) < _MOST_STEPS:
            last = steps[-1].outcome
            trial = trial.after(last)
            found = [(each, self._select(each)) for each in last.new]
            following = apart(FixedProblem(each, fix) for each, fix in found if fix is not None)
            if last.remaining or len(following) < len(found) or not found:
                return ()
            steps.append(_Step(following, trial.outcome_of(following, level)))
        return steps if steps[-1].outcome.cures else ()

    def note(self, problems: Sequence[FixedProblem]) -> None:
        """Note what the fixes of `problems` change in the text before them, and carry along what was noted so far."""
        text = self._trial.text
        lines = LineIndex(text)
        edits = [edit for problem in problems for edit in problem.fix.edits]
        self.applied = [_carried(each, edits) for each in self.applied]
        self.left = [
            replace(each, diagnostic=replace(each.diagnostic, span=carry_span(each.diagnostic.span, edits)))
            for each in self.left
        ]
        self.applied += [_applied(problem, text, lines, edits) for problem in problems]


def apart(problems: Iterable[FixedProblem]) -> Sequence[FixedProblem]:
    """Those of `problems` whose edits touch no place of an earlier one's."""
    chosen: list[FixedProblem] = []
    for problem in problems:
        edits = problem.fix.edits
        if not any(_touch(one, other) for taken in chosen for one in taken.fix.edits for other in edits):
            chosen.append(problem)
    return chosen


def _touch(one: TextEdit, other: TextEdit) -> bool:
    """Whether two edits overlap, or write at one place. Those side by side do not: in brackets most fixes are."""
    overlap = one.span.start < other.span.end and other.span.start < one.span.end
    return overlap or one.span == other.span


def _applied(problem: FixedProblem, text: str, lines: LineIndex, edits: Sequence[TextEdit]) -> AppliedFix:
    """The fix of `problem`, as one of those that make `edits` on `text`."""
    own = sorted(problem.fix.edits, key=_start)
    made = tuple(AppliedEdit(_written(edit, edits), edit.span.of(text), edit.text) for edit in own)
    diagnostic = replace(problem.diagnostic, span=carry_span(problem.diagnostic.span, edits), related=(), fixes=())
    changed = tuple(_changed_lines(group, text, lines, edits) for group in _neighbours(own, lines))
    return AppliedFix(diagnostic, problem.fix, made, changed)


def _carried(applied: AppliedFix, edits: Sequence[TextEdit]) -> AppliedFix:
    """`applied` in the text after further `edits`."""
    return replace(
        applied,
        diagnostic=replace(applied.diagnostic, span=carry_span(applied.diagnostic.span, edits)),
        edits=tuple(replace(edit, span=carry_span(edit.span, edits)) for edit in applied.edits),
        lines=tuple(
            replace(each, offset=carry_span(Span(each.offset, each.offset), edits).start) for each in applied.lines
        ),
    )


def _written(edit: TextEdit, edits: Sequence[TextEdit]) -> Span:
    """Where the text of `edit` stands after all `edits`, of which it is one."""
    ahead = sum(len(other.text) - (other.span.end - other.span.start) for other in edits if (other.span < edit.span))
    start = edit.span.start + ahead
    return Span(start, start + len(edit.text))


def _start(edit: TextEdit) -> Span:
    return edit.span


def _neighbours(edits: Iterable[TextEdit], lines: LineIndex) -> Iterable[list[TextEdit]]:
    """The edits of one fix in their order, those together that change the same lines or the next."""
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


def _changed_lines(group: Sequence[TextEdit], text: str, lines: LineIndex, edits: Sequence[TextEdit]) -> ChangedLines:
    """The lines of `text` that the edits of `group` change, without those that stay at both ends."""
    first = lines.position(group[0].span.start).line
    last = lines.position(group[-1].span.end).line
    piece = Span(lines.line_span(first).start, lines.line_span(last).end)
    before = piece.of(text)
    after = apply_edits(before, [edit.shifted(-piece.start) for edit in group])
    old, new = _lines_of(before), _lines_of(after)
    ahead = 0
    while ahead < min(len(old), len(new)) and old[ahead] == new[ahead]:
        ahead += 1
    behind = 0
    while behind < min(len(old), len(new)) - ahead and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    start = lines.line_span(min(first + ahead, last)).start
    offset = carry_span(Span(start, start), edits).start
    return ChangedLines(offset, tuple(old[ahead : len(old) - behind]), tuple(new[ahead : len(new) - behind]))


def _lines_of(text: str) -> list[str]:
    index = LineIndex(text)
    return [index.line(number) for number in range(index.line_count)]
