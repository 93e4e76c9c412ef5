"""Rows of figures, and how they are printed."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tests.benchmarks.window import TooSlow


@dataclass(frozen=True, slots=True)
class Row:
    """One measured thing: figures in `unit`, and what they ought to be at the most."""

    what: str
    of: str
    unit: str
    median: float
    p95: float | None = None
    count: int = 1
    goal: str = ""
    met: bool | None = None


def row(what: str, of: str, unit: str, samples: Sequence[float], goal: tuple[float, float] | None = None) -> Row:
    """A row from samples; `goal` is the most that median and 95th percentile may be."""
    median, p95 = statistics.median(samples), percentile(samples, 0.95)
    met = None if goal is None else median <= goal[0] and p95 <= goal[1]
    told = "" if goal is None else f"≤ {goal[0]:g}" + (f" / {goal[1]:g}" if goal[1] < float("inf") else "")
    return Row(what, of, unit, median, p95, len(samples), told, met)


def attempt(
    what: str, of: str, unit: str, sample: Callable[[], Sequence[float]], goal: tuple[float, float] | None = None
) -> Row:
    """A row from what `sample` returns; where what it waits for never comes, a row without figures."""
    try:
        samples = sample()
    except TooSlow as error:
        print(f"{what}, {of}: {error}", file=sys.stderr)
        samples = (float("nan"),)
    return row(what, of, unit, samples, goal)


def percentile(samples: Sequence[float], share: float) -> float:
    """The sample below which `share` of all lie (the nearest one above)."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


HEADER = f"{'measured':<34} {'of':<22} {'median':>8} {'p95':>8}  {'unit':<5} {'n':>4}  {'goal':<12} met"


def line(one: Row) -> str:
    """One row as text."""
    digits = 2 if one.unit == "×" else 1
    median = f"{one.median:.{digits}f}"
    p95 = "" if one.p95 is None else f"{one.p95:.{digits}f}"
    met = {True: "yes", False: "NO", None: ""}[one.met]
    return (
        f"{one.what:<34} {one.of:<22} {median:>8} {p95:>8}  {one.unit:<5} {one.count:>4}  {one.goal:<12} {met}"
    ).rstrip()


def show(rows: Iterable[Row]) -> None:
    """Print each row as soon as it is measured."""
    for one in rows:
        print(line(one), flush=True)
