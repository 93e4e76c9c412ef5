"""An answer cut at the places that points rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.record import Record
from engine.report.report import PointResult


class Piece(Record):
    """A piece of an answer, and whether the evidence of a point covers it.

    `ends` are the numbers of the points of which a piece of evidence ends here.
    """

    text: str
    is_evidence: bool
    ends: tuple[int, ...] = ()


def evidence_pieces(text: str, results: Sequence[PointResult]) -> Iterator[Piece]:
    """The pieces of `text` in order; joined, they are `text`. Evidence beyond its end is cut."""
    opened: dict[int, int] = {}
    closed: dict[int, set[int]] = {}
    for result in results:
        for span in result.evidence:
            end = min(span.end, len(text))
            if span.start < end:
                opened[span.start] = opened.get(span.start, 0) + 1
                closed.setdefault(end, set()).add(result.point.number)
                opened[end] = opened.get(end, 0) - 1
    depth = 0
    for start, end in pairwise(sorted({0, len(text), *opened})):
        depth += opened.get(start, 0)
        yield Piece(text[start:end], depth > 0, tuple(sorted(closed.get(end, ()))))
