"""What a harness returns, and how it is printed.

A harness is a module of this package with `run(seed, rounds) -> Figures`. The same seed and number of rounds make the
same attack; what the machine makes of it may differ where time is measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line: what was attacked, what came out, the figure to reach, and whether it was reached (None: no goal)."""

    what: str
    result: str
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """All that one harness found in `rounds` rounds with `seed`."""

    harness: str
    seed: int
    rounds: int
    rows: tuple[Figure, ...]

    @property
    def met(self) -> bool:
        """Whether no figure was missed."""
        return all(row.met is not False for row in self.rows)


HEADER = ("harness", "seed", "rounds", "what", "result", "goal", "met")
_MET = {True: "yes", False: "NO", None: ""}


def table(all_figures: Iterable[Figures]) -> str:
    """A Markdown table with one line for each figure."""
    lines = [HEADER, *(tuple("---" for _ in HEADER),)]
    for figures in all_figures:
        for row in figures.rows:
            place = (figures.harness, str(figures.seed), str(figures.rounds))
            lines.append((*place, row.what, row.result, row.goal, _MET[row.met]))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
