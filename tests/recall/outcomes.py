"""What the rules report of a case, held against what is wanted of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import ALL, Checker, Rule
from engine.rules.selection import EVERYTHING
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import LineIndex, Span
from tests.recall.cases import Case, Tier


@dataclass(frozen=True, slots=True)
class Reported:
    """One diagnostic: `lines` are those that its span and its related places touch, from 1."""

    slug: str
    level: Severity
    lines: frozenset[int]
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case and what was reported of it."""

    case: Case
    reported: tuple[Reported, ...]

    @property
    def wanted_lines(self) -> frozenset[int]:
        """The lines, from 1, on one of which a report counts."""
        return lines_with(self.case.blueprint, self.case.at)

    @property
    def is_found(self) -> bool:
        """Whether a fault is reported by one of its rules, at its place, and at the level that is wanted."""
        return any(
            one.slug in self.case.slugs
            and (self.case.tier is Tier.HINT or one.level is not Severity.HINT)
            and one.lines & self.wanted_lines
            for one in self.reported
        )

    @property
    def is_warned_of(self) -> bool:
        """Whether there is any warning or error at all."""
        return any(one.level is not Severity.HINT for one in self.reported)


def outcomes(cases: Iterable[Case]) -> list[Outcome]:
    """Every case checked as `studio check` does without settings; see `rules_for`."""
    with JavaScript() as javascript:
        return [Outcome(case, tuple(reported(case, rules_for(case), javascript))) for case in cases]


def rules_for(case: Case) -> tuple[Rule, ...]:
    """The rules that are on by default; of a fault whose rules may be off, those too."""
    usual = EVERYTHING.rules()
    if case.tier is not Tier.HINT:
        return usual
    return tuple(
        rule.selected() if rule.slug in case.slugs else rule for rule in ALL if rule in usual or rule.slug in case.slugs
    )


def reported(case: Case, rules: Iterable[Rule], javascript: JavaScript) -> Iterator[Reported]:
    """What `rules` report of the case."""
    parsed = parse(case.blueprint, Path(f"{case.id}.yml"))
    lines = LineIndex(parsed.text)
    for one in Checker(rules).check(parsed, javascript):
        yield Reported(one.slug, one.severity, frozenset(_touched(one, lines)), one.message)


def _touched(diagnostic: Diagnostic, lines: LineIndex) -> Iterator[int]:
    for span in (diagnostic.span, *(related.span for related in diagnostic.related)):
        last = Span(span.start, max(span.start, span.end - 1))
        yield from range(lines.position(last.start).line + 1, lines.position(last.end).line + 2)


def lines_with(text: str, wanted: Iterable[str]) -> frozenset[int]:
    """The numbers, from 1, of the lines that hold one of the wanted texts."""
    return frozenset(number for number, line in enumerate(text.split("\n"), 1) if any(one in line for one in wanted))
