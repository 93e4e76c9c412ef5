"""Where the lines of a text begin, kept up to date through edits at a cost that does not grow with the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate


class LineStarts:
    """The running total of line sizes, in whatever unit the sizes have.

    What lies below the last edit is not rewritten by an edit: one pending shift stands for all of it. Moving on to
    edit elsewhere settles the shift for the lines in between, so the cost of an edit is its distance from the last.
    """

    __slots__ = ("_settled", "_shift", "_starts")

    def __init__(self, sizes: Iterable[int]) -> None:
        self._starts = list(accumulate(sizes, initial=0))
        self._settled = len(self._starts)
        self._shift = 0

    def start(self, row: int) -> int:
        """The total of the sizes of all lines before `row`; for the number of lines, the total of all."""
        start = self._starts[row]
        return start + self._shift if row >= self._settled else start

    @property
    def total(self) -> int:
        """The total of all sizes."""
        return self.start(len(self._starts) - 1)

    def row(self, position: int) -> int:
        """The last line that begins at or before `position`. `0 <= position <= total`."""
        lines = len(self._starts) - 1
        settled = min(self._settled, lines)
        if settled < lines and position >= self._starts[settled] + self._shift:
            return bisect_right(self._starts, position - self._shift, settled, lines) - 1
        return bisect_right(self._starts, position, 0, settled) - 1

    def replace(self, first: int, after: int, sizes: Sequence[int]) -> None:
        """Put lines of `sizes` (at least one) in the place of the lines from `first` up to, not including, `after`."""
        self._settle(after)
        old_end = self._starts[after] + self._shift
        begins = list(accumulate(sizes, initial=self._starts[first]))
        self._starts[first:after] = begins[:-1]
        self._settled = first + len(sizes)
        self._shift += begins[-1] - old_end

    def _settle(self, row: int) -> None:
        """Move the border between shifted and pending entries to `row`."""
        for index in range(self._settled, row):
            self._starts[index] += self._shift
        for index in range(row, min(self._settled, len(self._starts))):
            self._starts[index] -= self._shift
        self._settled = row
