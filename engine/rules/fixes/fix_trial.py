"""Trying fixes in memory: whether their problems are gone, and which problems are new.

A trial reads the text once more and checks what changed, so it never runs at a keystroke.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from engine.parsing import Parsed, parse
from engine.rules.checker import Checker
from engine.rules.registry import ALL
from engine.rules.selection import EVERYTHING, RuleSelection, for_weval
from engine.rules.weval_refusal import REFUSED_BY_WEVAL
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Carrier, LineIndex, Span, TextEdit, apply_edits
from engine.yaml.trial import lost_row

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript
    from engine.study.good_answers import GoodAnswers

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
        return next((one for one in self.diagnostics if _is_same_report(one, diagnostic)), None)

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

    def after(self, outcome: FixOutcome) -> FixTrial:
        """A copy of this trial that has accepted `outcome`."""
        other = self.copy()
        other.accept(outcome)
        return other

    def accept(self, outcome: FixOutcome) -> None:
        """Accept `outcome`: its text is the text of this trial from now on."""
        self.parsed, self.diagnostics, self._origin = outcome.parsed, outcome.diagnostics, outcome.origin

    def _check(self, parsed: Parsed) -> tuple[Diagnostic, ...]:
        found = self._selection.reported(self._checker.check(parsed, self._javascript))
        return tuple(for_weval(one) for one in found) if self._weval else found


class _Known(Record):
    """A problem from before the fixes, with its span and its related spans moved to the text after them."""

    diagnostic: Diagnostic
    span: Span
    others: tuple[Span, ...]


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
    known = [each for each in before if not any(_is_same_report(each, one) for one in fixed)]
    others = _by_code(known, edits)
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


def _by_code(diagnostics: Iterable[Diagnostic], edits: Sequence[TextEdit]) -> dict[str, list[_Known]]:
    known: dict[str, list[_Known]] = {}
    carrier = Carrier(edits)
    for each in diagnostics:
        others = tuple(carrier.carry(related.span) for related in each.related)
        known.setdefault(each.code, []).append(_Known(each, carrier.carry(each.span), others))
    return known


def _without_known(
    suspects: Iterable[Diagnostic], known: dict[str, list[_Known]], is_same: Callable[[_Known, Diagnostic], bool]
) -> list[Diagnostic]:
    """`suspects` without those that match a problem of `known`; each match is removed from `known`."""
    left: list[Diagnostic] = []
    for each in suspects:
        candidates = known.get(each.code, [])
        match = next((one for one in candidates if _is_no_worse(one, each) and is_same(one, each)), None)
        if match is None:
            left.append(each)
        else:
            candidates.remove(match)
    return left


def _is_no_worse(known: _Known, after: Diagnostic) -> bool:
    return known.diagnostic.severity.rank <= after.severity.rank


def _is_unmoved(known: _Known, after: Diagnostic) -> bool:
    return known.diagnostic.message == after.message and _touch(known.span, after.span)


def _is_at_its_place(known: _Known, after: Diagnostic) -> bool:
    return _touch(known.span, after.span)


def _has_its_message(known: _Known, after: Diagnostic) -> bool:
    return _NUMBER.sub("0", known.diagnostic.message) == _NUMBER.sub("0", after.message)


def _has_fewer_places(known: _Known, after: Diagnostic) -> bool:
    """Whether `after` is the same report of fewer places, by its related places or by the numbers in its message."""
    before = known.diagnostic
    if len(after.related) < len(before.related):
        return True
    numbers = [[int(number) for number in _NUMBER.findall(message)] for message in (before.message, after.message)]
    return _has_its_message(known, after) and len(after.related) == len(before.related) and numbers[1] < numbers[0]


def _is_one_of_its_places(known: _Known, after: Diagnostic) -> bool:
    return len(after.related) < len(known.others) and any(_touch(place, after.span) for place in known.others)


def _is_same_report(one: Diagnostic, other: Diagnostic) -> bool:
    return one.code == other.code and one.span == other.span and one.message == other.message


def _touch(one: Span, other: Span) -> bool:
    return one == other or (one.start < max(other.end, other.start + 1) and other.start < max(one.end, one.start + 1))
