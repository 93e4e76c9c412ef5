"""Trying fixes in memory, and applying those that work to a whole text, as `studio check --fix` does.

A trial reads the text once more and checks what changed, so it never runs at a keystroke: it tells whether the problems
are gone, and which are new. Fixes are tried together first, and in halves where that fails, so a file whose fixes all
work costs only one more check. Each change is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.parsing import Parsed, parse
from engine.rules.checker import Checker, identity
from engine.rules.registry import ALL
from engine.rules.rule import grouped
from engine.rules.selection import EVERYTHING, REFUSED_BY_WEVAL, RuleSelection, for_weval
from engine.rules.suppression import as_intended
from engine.text import Diagnostic, Fix, Record, Severity, Span, TextEdit, lazy, replace
from engine.text.spans import Carrier, LineIndex, apply_edits, changed_lines
from engine.yaml.trial import lost_row

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript
    from engine.study.case_reader import GoodAnswers


_NUMBER = lazy(r"\d+")


class FixedProblem(Record):
    """A problem and the fix to try."""

    diagnostic: Diagnostic
    fix: Fix


class FixOutcome(Record):
    """A text after one or several fixes.

    `remaining` holds the problems that should have been fixed and are still reported. `new` holds the problems that
    were not reported before, of the level of the fixed ones or above; where problems remain, also those that only a
    YAML error had hidden. Their spans refer to `parsed.text`. `unreadable` is True if the text is not valid YAML any
    more, `refused` if Weval refuses it and did not before. `origin` is the text that later safe fixes must conserve,
    `lost` the line of it, from 1, that these do not; 0 for none.
    """

    parsed: Parsed
    diagnostics: tuple[Diagnostic, ...]
    remaining: tuple[Diagnostic, ...] = ()
    new: tuple[Diagnostic, ...] = ()
    unreadable: bool = False
    refused: bool = False
    origin: str = ""
    lost: int = 0

    @property
    def cures(self) -> bool:
        """Whether the fixes work: the problems are gone, none of their level or above is new, and no line is lost."""
        return not (self.remaining or self.new or self.unreadable or self.refused or self.lost)

    @property
    def text(self) -> str:
        """The text after the fixes."""
        return self.parsed.text

    @property
    def objection(self) -> str:
        """Why the fixes do not work, in one line for authors; "" where they do."""
        reported = self.remaining or self.new
        if not reported and self.unreadable:
            return "the file cannot be read as YAML afterwards"
        if not reported and self.refused:
            return "Weval refuses the file afterwards"
        if not reported:
            return f"line {self.lost} would be lost, joined to another or moved" if self.lost else ""
        first = reported[0]
        line = LineIndex(self.text).position(first.span.start).line + 1
        others = f" and {len(reported) - 1} more" if len(reported) > 1 else ""
        if self.remaining:
            return f"the problem stays{others}: line {line}: {first.message}"
        return f"brings a new {first.severity.value}{others}: line {line}: {first.slug}: {first.message}"


class FixTrial:
    """Tries fixes on one text. Blocks; not safe for several threads at once.

    With `javascript`, the rules that need V8 take part too. `selection` says which rules count and at which level. With
    `weval`, a flagged problem counts as an error.
    """

    def __init__(
        self,
        text: str,
        path: Path | None = None,
        javascript: JavaScript | None = None,
        *,
        selection: RuleSelection = EVERYTHING,
        collections: Path | None = None,
        weval: bool = False,
        good_answers: GoodAnswers | None = None,
    ) -> None:
        """`collections` is the folder of the model collections; by default any `models` above the file."""
        self._checker = Checker(selection.rules(), collections, good_answers)
        self._selection = selection
        self._javascript = javascript
        self._weval = weval
        self.parsed: Parsed = parse(text, path)
        self._origin = text
        self.diagnostics: tuple[Diagnostic, ...] = self._check(self.parsed)
        self._later = frozenset(rule.code for rule in ALL if rule.needs_javascript and self._checker.has_untried)
        """The rules whose reports may be late, as not everything was tried for them before any fix."""

    @property
    def text(self) -> str:
        """The text, after the fixes that were accepted."""
        return self.parsed.text

    def find(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """The problem of this text that equals `diagnostic`, which comes from an earlier check of the same text."""
        return next((one for one in self.diagnostics if identity(one) == identity(diagnostic)), None)

    def outcome(self, diagnostic: Diagnostic, fix: Fix) -> FixOutcome:
        """The outcome of `fix`. `diagnostic` may come from an earlier check of the same text."""
        return self.outcome_of([FixedProblem(self.find(diagnostic) or diagnostic, fix)])

    def outcome_of(self, problems: Sequence[FixedProblem], level: Severity | None = None) -> FixOutcome:
        """The outcome of several fixes together. Raises `ValueError` where their edits overlap.

        No problem of `level` or above may be new; by default, the lowest level of `problems`.
        """
        edits = [edit for problem in problems for edit in problem.fix.edits]
        parsed = parse(apply_edits(self.text, edits), self.parsed.path)
        after = self._check(parsed)
        fixed = [problem.diagnostic for problem in problems]
        rank = max((each.severity.rank for each in fixed), default=0) if level is None else level.rank
        suspects = [each for each in after if each.severity.rank <= rank]
        remaining, new = _compare(self.diagnostics, fixed, suspects, edits)
        new = tuple(one for one in new if one.code not in self._later)
        if new and not remaining and self.parsed.tree.error is not None:
            new = self._without_hidden(new, edits)
        unreadable = parsed.tree.error is not None and self.parsed.tree.error is None
        is_refused = parsed.weval.refusal is not None
        if self.parsed.weval.refusal is not None:  # the next refusal is not a new one
            new = tuple(one for one in new if one.slug != REFUSED_BY_WEVAL)
            is_refused = False
        origin = self._origin if all(problem.fix.safe for problem in problems) else parsed.text
        lost = self._lost(origin, parsed.text)
        return FixOutcome(parsed, after, remaining, new, unreadable, is_refused, origin, lost)

    def _lost(self, origin: str, after: str) -> int:
        """The line, from 1, that `after` does not conserve, of this text or of the one before all fixes; 0 for none.

        JSON has no rows: its lines begin nothing.
        """
        for before in () if origin == after or self.parsed.tree.is_json else (self.text, origin):
            if (lost := lost_row(before, after)) is not None:
                return LineIndex(before).position(lost.start).line + 1
        return 0

    def _without_hidden(self, new: Iterable[Diagnostic], edits: Sequence[TextEdit]) -> tuple[Diagnostic, ...]:
        """`new` without the problems that only a YAML error had hidden.

        These are the problems that are also reported when the edited lines are blank.
        """
        text = self.text
        lines = LineIndex(text)
        rows = {
            row
            for edit in edits
            for row in range(lines.position(edit.span.start).line, lines.position(edit.span.end).line + 1)
        }
        spans = [lines.line_span(row) for row in rows]
        blanks = [TextEdit(span, " " * (span.end - span.start)) for span in spans]
        hidden = self._check(parse(apply_edits(text, blanks), self.parsed.path))
        known = _by_code([one for one in hidden if not any(_touch(one.span, span) for span in spans)], edits)
        return tuple(_without_known(new, known, _is_unmoved))

    def copy(self) -> FixTrial:
        """An independent trial of the same text."""
        return copy(self)

    def accept(self, outcome: FixOutcome) -> None:
        """Accept `outcome`: its text is the text of this trial from now on."""
        self.parsed, self.diagnostics, self._origin = outcome.parsed, outcome.diagnostics, outcome.origin

    def _check(self, parsed: Parsed) -> tuple[Diagnostic, ...]:
        found = self._selection.reported(self._checker.check(parsed, self._javascript))
        return tuple(for_weval(one) for one in found) if self._weval else found


def _compare(
    before: Iterable[Diagnostic],
    fixed: Sequence[Diagnostic],
    suspects: Iterable[Diagnostic],
    edits: Sequence[TextEdit],
) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """The `suspects`, reported after the fixes, that are remaining problems of `fixed`, and those that are new.

    Two reports are the same problem if they have the same rule and either the same message or the same place, moved by
    the edits. Each problem from before matches at most one from after; problems that were not fixed match first. A
    report of several places that covers fewer of them now is neither remaining nor new.
    """
    own = set(map(identity, fixed))
    others = _by_code((each for each in before if identity(each) not in own), edits)
    for is_same in (_is_unmoved, _is_at_its_place, _has_its_message):
        suspects = _without_known(suspects, others, is_same)
    to_fix = _by_code(fixed, edits)
    remaining: list[Diagnostic] = []
    new: list[Diagnostic] = []
    for each in suspects:
        candidates = to_fix.get(each.code, [])
        original = next((one for one in candidates if _is_at_its_place(one, each) or _has_its_message(one, each)), None)
        if original is not None and not _has_fewer_places(original, each):
            remaining.append(each)
        elif original is None and not any(_is_one_of_its_places(one, each) for one in candidates):
            new.append(each)
    return tuple(remaining), tuple(new)


def _by_code(diagnostics: Iterable[Diagnostic], edits: Sequence[TextEdit]) -> dict[str, list[Diagnostic]]:
    """Problems from before the fixes by their codes, with their spans moved to the text after them."""
    carrier = Carrier(edits)

    def carried(each: Diagnostic) -> Diagnostic:
        related = tuple(replace(one, span=carrier.carry(one.span)) for one in each.related)
        return replace(each, span=carrier.carry(each.span), related=related)

    return grouped((each.code, carried(each)) for each in diagnostics)


def _without_known(
    suspects: Iterable[Diagnostic],
    known: dict[str, list[Diagnostic]],
    is_same: Callable[[Diagnostic, Diagnostic], bool],
) -> list[Diagnostic]:
    """`suspects` without those that match a problem of `known`, no less severe; each match is removed from `known`."""
    left: list[Diagnostic] = []
    for each in suspects:
        candidates = [one for one in known.get(each.code, ()) if one.severity.rank <= each.severity.rank]
        match = next((one for one in candidates if is_same(one, each)), None)
        if match is None:
            left.append(each)
        else:
            known[each.code].remove(match)
    return left


def _is_unmoved(known: Diagnostic, after: Diagnostic) -> bool:
    return known.message == after.message and _touch(known.span, after.span)


def _is_at_its_place(known: Diagnostic, after: Diagnostic) -> bool:
    return _touch(known.span, after.span)


def _has_its_message(known: Diagnostic, after: Diagnostic) -> bool:
    return _NUMBER.sub("0", known.message) == _NUMBER.sub("0", after.message)


def _has_fewer_places(known: Diagnostic, after: Diagnostic) -> bool:
    """Whether `after` is the same report of fewer places, by its related places or by the numbers in its message."""
    if len(after.related) != len(known.related):
        return len(after.related) < len(known.related)
    numbers, before = ([int(number) for number in _NUMBER.findall(each.message)] for each in (after, known))
    return _has_its_message(known, after) and numbers < before


def _is_one_of_its_places(known: Diagnostic, after: Diagnostic) -> bool:
    return len(after.related) < len(known.related) and any(_touch(one.span, after.span) for one in known.related)


def _touch(one: Span, other: Span) -> bool:
    return one == other or (one.start < max(other.end, other.start + 1) and other.start < max(one.end, one.start + 1))


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

    def undoing(
        self, carry: Callable[[int], int | None], slice_of: Callable[[int, int], str]
    ) -> tuple[TextEdit, ...] | None:
        """The edits that undo this fix; None if the text there has changed since.

        `carry` maps an offset of the text after all fixes to the present text, `slice_of` gives the text between two
        offsets of that.
        """
        edits: list[TextEdit] = []
        for edit in self.edits:
            start = carry(edit.span.start)
            end = (start or 0) + len(edit.inserted)
            if start is None or slice_of(start, end) != edit.inserted:
                return None
            edits.append(TextEdit(Span(start, end), edit.removed))
        return tuple(edits)


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


_Step: TypeAlias = tuple[Sequence[FixedProblem], FixOutcome]
"""Fixes that were tried together, and their outcome."""


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
        left = {identity(each.diagnostic) for each in self.left}
        for diagnostic in self._trial.diagnostics:
            is_due = diagnostic.severity is severity and identity(diagnostic) not in left
            if is_due and (fix := self._select(diagnostic)) is not None:
                yield FixedProblem(diagnostic, fix)

    def _apply_some(self, problems: Sequence[FixedProblem]) -> None:
        """Apply the first of `problems`, halving their number until they work; leave a single one that fails."""
        outcome = self._trial.outcome_of(problems)
        while not outcome.cures and len(problems) > 1:
            problems = problems[: len(problems) // 2]
            outcome = self._trial.outcome_of(problems)
        steps = [(problems, outcome)] if outcome.cures else self._with_next(problems, outcome)
        for fixed, after in steps:
            self.note(fixed)
            self._trial.accept(after)
        if not steps:
            self.left.append(LeftFix(problems[0].diagnostic, problems[0].fix, outcome.objection))

    def _with_next(self, problems: Sequence[FixedProblem], outcome: FixOutcome) -> Sequence[_Step]:
        """These fixes followed by the fixes of the problems that they bring; empty where a new problem remains.

        A quoted check with a backslash in double quotes needs this: it is readable only after its first fix.
        """
        steps = [(problems, outcome)]
        trial, level = self._trial, problems[0].diagnostic.severity
        while not (last := steps[-1][1]).cures and len(steps) < _STEP_LIMIT:
            trial = trial.copy()
            trial.accept(last)
            found = [(each, self._select(each)) for each in last.new]
            following = apart(FixedProblem(each, fix) for each, fix in found if fix is not None)
            if last.remaining or len(following) < len(found) or not found:
                return ()
            steps.append((following, trial.outcome_of(following, level)))
        return steps if last.cures else ()

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
    """Those of `problems` whose edits touch no edit of an earlier one; edits side by side do not touch."""
    chosen: list[FixedProblem] = []
    taken: set[int] = set()
    for problem in problems:
        places = [place for edit in problem.fix.edits for place in _places(edit.span)]
        if taken.isdisjoint(places):
            chosen.append(problem)
            taken.update(places)
    return chosen


def _places(span: Span) -> Iterable[int]:
    """The characters of `span` and the gaps between them, numbered in turn; the one gap of an empty span."""
    return range(2 * span.start + 1, 2 * span.end) or (2 * span.start,)


def _applied(problem: FixedProblem, text: str, lines: LineIndex, carrier: Carrier) -> AppliedFix:
    """The record of the fix of `problem`, one of the fixes whose edits of `text` are those of `carrier`."""
    own = sorted(problem.fix.edits, key=lambda edit: edit.span)
    made = tuple(AppliedEdit(carrier.written(edit), edit.span.of(text), edit.text) for edit in own)
    diagnostic = replace(problem.diagnostic, span=carrier.carry(problem.diagnostic.span), related=(), fixes=())
    return AppliedFix(diagnostic, problem.fix, made, tuple(_changed_lines(own, text, lines, carrier)))


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


def _changed_lines(edits: Sequence[TextEdit], text: str, lines: LineIndex, carrier: Carrier) -> Iterator[ChangedLines]:
    """The lines of `text` that the edits of one fix, which are in order, change."""
    first, last = lines.position(edits[0].span.start).line, lines.position(edits[-1].span.end).line
    piece = Span(lines.line_span(first).start, lines.line_span(last).end)
    before = piece.of(text)
    old, new = _lines_of(before), _lines_of(apply_edits(before, (edit.shifted(-piece.start) for edit in edits)))
    for each in changed_lines(old, new):
        start = lines.line_span(min(first + each.low, last)).start
        offset = carrier.carry(Span(start, start)).start
        yield ChangedLines(offset, tuple(old[each.low : each.high]), tuple(new[each.new_low : each.new_high]))


def _lines_of(text: str) -> list[str]:
    index = LineIndex(text)
    return [index.line(number) for number in range(index.line_count)]
