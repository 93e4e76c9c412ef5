"""Which lines two texts have in common, at a cost that is nearly linear for long texts.

Short texts are compared by the longest blocks that they share. That is quadratic, so in long ones the lines that occur
once in each text are matched first, as in a patience diff, and only short gaps between them are compared so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple

_MOST_PAIRS = 1_000_000
"""How many pairs of lines, in all, may be in gaps that are compared by blocks: some tenths of a second."""


class Change(NamedTuple):
    """The lines `low` to `high` of the old text, without the last, became `new_low` to `new_high` of the new one."""

    low: int
    high: int
    new_low: int
    new_high: int


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The changes that turn `old` into `new`, ascending, with lines in common between any two of them."""
    changes: list[Change] = []
    low = new_low = 0
    for start, new_start, length in [*_blocks(old, new), (len(old), len(new), 0)]:
        if (start, new_start) != (low, new_low):
            changes.append(Change(low, start, new_low, new_start))
        low, new_low = start + length, new_start + length
    return changes


_Block = tuple[int, int, int]
"""Equal lines: their start in the old and in the new text, and their number."""


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[_Block]:
    if len(old) * len(new) <= _MOST_PAIRS:
        yield from _shared(old, new)
        return
    prefix = _common(zip(old, new, strict=False))
    rest = min(len(old), len(new)) - prefix
    suffix = _common(zip(reversed(old[len(old) - rest :]), reversed(new[len(new) - rest :]), strict=True))
    end, new_end = len(old) - suffix, len(new) - suffix
    pairs = _MOST_PAIRS
    low, new_low = 0, 0
    for line, new_line in [*((each, each) for each in range(prefix)), *_unique(old, new, prefix, end, new_end)]:
        size = (line - low) * (new_line - new_low)
        if 0 < size <= pairs:
            pairs -= size
            yield from _shifted(_shared(old[low:line], new[new_low:new_line]), low, new_low)
        yield line, new_line, 1
        low, new_low = line + 1, new_line + 1
    if 0 < (end - low) * (new_end - new_low) <= pairs:
        yield from _shifted(_shared(old[low:end], new[new_low:new_end]), low, new_low)
    if suffix:
        yield end, new_end, suffix


def _shared(old: Sequence[str], new: Sequence[str]) -> Iterable[_Block]:
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _shifted(blocks: Iterable[_Block], by: int, new_by: int) -> Iterator[_Block]:
    return ((start + by, new_start + new_by, length) for start, new_start, length in blocks)


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    """The number of equal pairs before the first that differs."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _unique(old: Sequence[str], new: Sequence[str], start: int, end: int, new_end: int) -> list[tuple[int, int]]:
    """The longest ascending series of lines that occur once in each text, as pairs of numbers."""
    counts, new_counts = Counter(old[start:end]), Counter(new[start:new_end])
    places = {line: number for number, line in enumerate(new[start:new_end], start) if new_counts[line] == 1}
    lines = enumerate(old[start:end], start)
    return _ascending([(number, places[line]) for number, line in lines if counts[line] == 1 and line in places])


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest series of `pairs`, which ascend by their first numbers, that ascends by the second ones too."""
    ends: list[int] = []
    indexes: list[int] = []
    before: list[int] = []
    for index, (_, number) in enumerate(pairs):
        place = bisect_left(ends, number)
        ends[place : place + 1] = [number]
        indexes[place : place + 1] = [index]
        before.append(indexes[place - 1] if place else -1)
    series: list[tuple[int, int]] = []
    index = indexes[-1] if indexes else -1
    while index >= 0:
        series.append(pairs[index])
        index = before[index]
    return series[::-1]
