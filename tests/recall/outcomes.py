"""What the rules report of a case, held against what is wanted of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import ALL, Checker, Rule
from engine.rules.selection import EVERYTHING
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import LineIndex, Span, visible
from tests.recall.cases import Case, Half, Tier

LEAST_FOUND = 0.90
"""The least share of faults, those of which a warning or an error is wanted, that is to be found."""

MOST_FALSE = 0.02
"""The largest share of clean look-alikes of which may be warned."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many of `cases` are `counted`: found, or warned of."""

    cases: int
    counted: int

    @property
    def share(self) -> float | None:
        """From 0 to 1; None where there is no case."""
        return self.counted / self.cases if self.cases else None


def count(outcomes: Iterable[Outcome], tier: Tier) -> Count:
    """The faults of this tier and how many are found; of clean texts, how many are warned of."""
    here = [one for one in outcomes if one.case.tier is tier]
    return Count(len(here), sum(one.is_warned_of if tier is Tier.CLEAN else one.is_found for one in here))


def table(outcomes: Sequence[Outcome], halves: Sequence[Half]) -> Iterator[str]:
    """A Markdown table: a row a category and half, and the sums of each half."""
    yield "| category | half | faults | found | | hints wanted | found | | clean | warned of | |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for category in sorted({one.case.category for one in outcomes}):
        for half in halves:
            yield _row(category, half, [one for one in outcomes if one.case.category == category])
    for half in halves:
        yield _row("**all**", half, outcomes)


def _row(name: str, half: Half, outcomes: Iterable[Outcome]) -> str:
    here = [one for one in outcomes if one.case.half is half]
    cells = [name.replace("_", " "), half.replace("_", " ")]
    for tier in Tier:
        counts = count(here, tier)
        share = "" if counts.share is None else f"{counts.share:.0%}"
        cells += [str(counts.cases), str(counts.counted), share]
    return f"| {' | '.join(cells)} |"


def bars(outcomes: Sequence[Outcome], halves: Sequence[Half]) -> Iterator[str]:
    """One line a half: the sums against the bars."""
    for half in halves:
        here = [one for one in outcomes if one.case.half is half]
        found, false = count(here, Tier.PROBLEM), count(here, Tier.CLEAN)
        yield (
            f"{half.replace('_', ' ')}: {_against(found, f'at least {LEAST_FOUND:.0%} of faults found')}; "
            f"{_against(false, f'at most {MOST_FALSE:.0%} of clean texts warned of')}"
        )


def _against(counts: Count, bar: str) -> str:
    share = "none" if counts.share is None else f"{counts.share:.1%}"
    return f"{counts.counted} of {counts.cases} ({share}, the bar is {bar})"


def missed(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The faults that were not found and the clean texts that were warned of, with what was reported instead."""
    for one in outcomes:
        case = one.case
        if one.is_warned_of if case.tier is Tier.CLEAN else not one.is_found:
            wanted = "clean, warned of" if case.tier is Tier.CLEAN else f"{' or '.join(case.slugs)} ({case.tier})"
            yield f"=== {case.category}/{case.id}: {wanted}"
            yield f"    {case.why}"
            yield from (f"  {_mark(number, one)} {visible(line)}" for number, line in _numbered(case.blueprint))
            for report in one.reported:
                if case.tier is not Tier.CLEAN or report.level is not Severity.HINT:
                    places = ", ".join(map(str, sorted(report.lines)[:4]))
                    yield f"    reported {report.slug} ({report.level}) at {places}: {visible(report.message)}"
            yield ""


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    return enumerate(text.rstrip("\n").split("\n"), 1)


def _mark(number: int, outcome: Outcome) -> str:
    return f"{'>' if number in outcome.wanted_lines else ' '} {number:>3}"


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
