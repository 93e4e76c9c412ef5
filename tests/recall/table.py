"""The table of recall, and the cases that were missed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.text.diagnostics import Severity
from engine.text.spans import visible
from tests.recall.cases import Half, Tier
from tests.recall.outcomes import Outcome

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
