"""The offsets at which lines begin, updated at each edit at a cost that hardly grows with the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

_CHUNK = 128
"""Lines in a chunk: about the square root of the lines of a long file."""


class LineStarts:
    """The running total of line sizes, in whatever unit the sizes have.

    Lines lie in chunks that hold the totals from the chunk's own beginning on, so that an edit rewrites the chunks it
    touches and one entry for each other chunk: with n lines, a look-up costs O(log n) and an edit O(√n).
    """

    __slots__ = ("_chunks", "_rows", "_totals")

    def __init__(self, sizes: Iterable[int]) -> None:
        self._chunks = _chunks(list(sizes))
        self._rows: list[int] = []
        self._totals: list[int] = []
        self._add_up(0)

    def start(self, row: int) -> int:
        """The total of the sizes of all lines before `row`; for the number of lines, the total of all."""
        chunk = bisect_right(self._rows, row, 0, len(self._chunks)) - 1
        return self._totals[chunk] + self._chunks[chunk][row - self._rows[chunk]]

    @property
    def total(self) -> int:
        """The total of all sizes."""
        return self._totals[-1]

    def row(self, position: int) -> int:
        """The last line that begins at or before `position`. `0 <= position <= total`."""
        chunk = bisect_right(self._totals, position, 0, len(self._chunks)) - 1
        starts = self._chunks[chunk]
        return self._rows[chunk] + bisect_right(starts, position - self._totals[chunk], 0, len(starts) - 1) - 1

    def replace(self, first: int, after: int, sizes: Sequence[int]) -> None:
        """Put lines of `sizes` (at least one) in the place of the lines from `first` up to, not including, `after`."""
        top = bisect_right(self._rows, first, 0, len(self._chunks)) - 1
        bottom = bisect_right(self._rows, after - 1, top, len(self._chunks)) - 1
        above = _sizes(self._chunks[top])[: first - self._rows[top]]
        below = _sizes(self._chunks[bottom])[after - self._rows[bottom] :]
        lines = [*above, *sizes, *below]
        if len(lines) < _CHUNK // 4 and bottom + 1 < len(self._chunks):
            bottom += 1
            lines += _sizes(self._chunks[bottom])
        self._chunks[top : bottom + 1] = _chunks(lines)
        self._add_up(top)

    def _add_up(self, first: int) -> None:
        """Recompute the first line and the total before each chunk from number `first` on."""
        rows, totals = self._rows[first : first + 1] or [0], self._totals[first : first + 1] or [0]
        chunks = self._chunks[first:]
        self._rows[first:] = accumulate([len(chunk) - 1 for chunk in chunks], initial=rows[0])
        self._totals[first:] = accumulate([chunk[-1] for chunk in chunks], initial=totals[0])


def _chunks(sizes: list[int]) -> list[list[int]]:
    """The sizes as chunks of running totals. A chunk splits at twice its size, so that typing seldom splits one."""
    if len(sizes) <= 2 * _CHUNK:
        return [list(accumulate(sizes, initial=0))]
    return [list(accumulate(sizes[at : at + _CHUNK], initial=0)) for at in range(0, len(sizes), _CHUNK)]


def _sizes(chunk: list[int]) -> list[int]:
    return [after - before for before, after in pairwise(chunk)]
