"""The table of shares per kind, of one, two and three slips in a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.slips.operators import Kind
from tests.slips.trials import Verdict


@dataclass(slots=True)
class Shares:
    """How many slips of a kind were made, reported at their line, with their cause, and fixed."""

    made: int = 0
    reported: int = 0
    named: int = 0
    fixed: int = 0

    def add(self, verdict: Verdict) -> None:
        """Count one slip."""
        self.made += 1
        self.reported += verdict.reported
        self.named += verdict.named
        self.fixed += verdict.fixed

    def __add__(self, other: Shares) -> Shares:
        return Shares(
            self.made + other.made,
            self.reported + other.reported,
            self.named + other.named,
            self.fixed + other.fixed,
        )


Row = tuple[Kind, tuple[Shares, ...]]


def table(rows: Sequence[Row], slips: Sequence[int]) -> Iterator[str]:
    """The lines of the table, in Markdown, and the totals."""
    numbers = {1: "one slip", 2: "two slips", 3: "three slips"}
    heads = " | ".join(f"{numbers.get(count, str(count))}: reported, named, fixed" for count in slips)
    yield f"| kind | {heads} |"
    yield "|---|" + "---|" * len(slips)
    for kind, shares in rows:
        yield f"| {kind.name} | {' | '.join(_cell(each, kind) for each in shares)} |"
    for due, name in ((True, "all kinds with a fix"), (False, "kinds without a fix")):
        chosen = [shares for kind, shares in rows if kind.fix is due]
        if chosen:
            totals = [sum((row[index] for row in chosen), Shares()) for index in range(len(slips))]
            yield f"| **{name}** | {' | '.join(_shares(each, due=due) for each in totals)} |"


def _cell(shares: Shares, kind: Kind) -> str:
    if not shares.made:
        return "no place"
    fixed = str(shares.fixed) if kind.fix else "–"
    return f"{shares.reported}, {shares.named}, {fixed} of {shares.made}"


def _shares(shares: Shares, *, due: bool) -> str:
    if not shares.made:
        return "no place"
    parts = [100 * count / shares.made for count in (shares.reported, shares.named, shares.fixed)]
    reported, named, fixed = (f"{part:.1f}%" for part in parts)
    return f"{reported}, {named}, {fixed if due else '–'} of {shares.made}"
