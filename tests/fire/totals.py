"""The totals of all recorded runs: a Markdown table with one row for each figure, to which a run is added.

The table is its own store. Rows of other harnesses, and the text around the table, stay as they are.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from engine.files.atomic import write_atomically
from engine.text.record import replace
from tests.fire.figures import Figures

PAGE = Path(__file__).with_name("totals.md")
"""The page that holds the totals."""
HEADER = ("harness", "what", "seeds", "rounds", "goal met", "last result", "goal")
_NO_GOAL = ""


class NoTable(Exception):
    """The page has no table of totals."""


@dataclass(frozen=True, slots=True)
class Total:
    """All recorded runs of one figure. `rounds` is their sum; `met` of `runs` runs reached the goal."""

    harness: str
    what: str
    seeds: frozenset[int]
    rounds: int
    met: int
    runs: int
    result: str
    goal: str

    @property
    def key(self) -> tuple[str, str]:
        """What tells one total from another."""
        return (self.harness, self.what)


def totals_of(figures: Figures) -> list[Total]:
    """The rows of one run as totals of their own."""
    return [
        Total(
            figures.harness,
            row.what,
            frozenset({figures.seed}),
            figures.rounds,
            int(row.met is True),
            int(row.met is not None),
            row.result,
            row.goal,
        )
        for row in figures.rows
    ]


def added(before: Iterable[Total], new: Iterable[Total]) -> list[Total]:
    """`before` with `new` counted in, sorted by harness; the figures of a harness keep their order."""
    rows = {total.key: total for total in before}
    for total in new:
        old = rows.get(total.key)
        rows[total.key] = total if old is None else _sum(old, total)
    return sorted(rows.values(), key=lambda total: total.harness)


def _sum(old: Total, new: Total) -> Total:
    return replace(
        new,
        seeds=old.seeds | new.seeds,
        rounds=old.rounds + new.rounds,
        met=old.met + new.met,
        runs=old.runs + new.runs,
    )


# --- The page


def record(page: Path, all_figures: Iterable[Figures]) -> None:
    """Count `all_figures` into the table of `page`, alone even if several runs end at once. Raises `NoTable`."""
    new = [total for figures in all_figures for total in totals_of(figures)]
    with _alone(page.parent):
        before, rows, after = split(page.read_text("utf-8"))
        write_atomically(page, (before + "\n".join(table(added(rows, new))) + after).encode())


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def split(text: str) -> tuple[str, list[Total], str]:
    """The text before the table, its rows, and the text after it. Raises `NoTable`."""
    before, header, rest = text.partition(_line(HEADER))
    if not header:
        raise NoTable("the page has no table of totals")
    lines = [line for line in rest.split("\n\n", 1)[0].splitlines() if line]
    rows = [_total(line) for line in lines[1:]]
    return before, rows, rest.removeprefix("\n" + "\n".join(lines))


def table(totals: Iterable[Total]) -> Iterator[str]:
    """The lines of the table."""
    yield _line(HEADER)
    yield _line("---" for _ in HEADER)
    for total in totals:
        met = f"{total.met} of {total.runs}" if total.runs else _NO_GOAL
        seeds = ", ".join(_ranges(sorted(total.seeds)))
        yield _line((total.harness, total.what, seeds, f"{total.rounds:,}", met, total.result, total.goal))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _total(line: str) -> Total:
    harness, what, seeds, rounds, met, result, goal = (cell.strip() for cell in line.strip("|").split("|"))
    reached, _, runs = met.partition(" of ")
    return Total(
        harness,
        what,
        frozenset(_numbers(seeds)),
        int(rounds.replace(",", "")),
        int(reached or 0),
        int(runs or 0),
        result,
        goal,
    )


def _ranges(numbers: list[int]) -> Iterator[str]:
    """`1–3`, `7`: consecutive numbers joined."""
    starts = [number for index, number in enumerate(numbers) if index == 0 or numbers[index - 1] != number - 1]
    ends = [end for end, start in pairwise([*numbers, None]) if start != (end or 0) + 1]
    for start, end in zip(starts, ends, strict=True):
        yield str(start) if start == end else f"{start}–{end}"


def _numbers(text: str) -> Iterator[int]:
    for part in text.split(", "):
        first, _, last = part.partition("–")
        yield from range(int(first), int(last or first) + 1)
