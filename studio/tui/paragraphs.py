"""Text in several lines of a list: wrapped at a width, with the meaning of each piece."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size

from engine.text.spans import visible
from studio.tui.editor.wrapping import wrapping
from studio.tui.pieces import Piece

Line: TypeAlias = tuple[Piece, ...]
_LEAST = 8
"""Cells that text keeps, however much stands beside it."""


def cells(line: Sequence[Piece]) -> int:
    """How wide a line is."""
    return sum(cell_len(text) for text, _ in line)


def paragraph(
    text: str | Sequence[Piece], width: int, *, ink: str = "", most: int | None = None, less: int = 0
) -> list[Line]:
    """`text`, which may be untrusted, in lines of at most `width` cells, the first of `less` less; at least one line.

    Of more than `most` lines, the last one ends with an ellipsis.
    """
    pieces = [(text, ink)] if isinstance(text, str) else text
    whole = [(" ".join(visible(each).split("\n")).replace("\t", " "), of) for each, of in pieces]
    taken = min(less, max(width - _LEAST, 0))
    whole = [("—" * taken, ""), *whole]  # may be broken after: a word that has no room beside it goes below
    body = "".join(each for each, _ in whole)
    cut = wrapping(body, max(width, _LEAST))
    bounds = [cut.bounds(number, len(body)) for number in range(cut.rows)]
    bounds[0] = taken, bounds[0][1]
    rows = cut.rows if most is None else min(cut.rows, max(most, 1))
    lines = [_part(whole, start, start + len(body[start:end].rstrip())) for start, end in bounds[:rows]]
    if rows < cut.rows:
        start, end = bounds[rows - 1]
        room = width - 1 - taken * (rows == 1)
        shown = set_cell_size(body[start:end].rstrip(), max(min(cell_len(body[start:end].rstrip()), room), 0))
        lines[-1] = (*_part(whole, start, start + len(shown.rstrip())), ("…", whole[-1][1]))
    return lines


def _part(pieces: Sequence[Piece], start: int, end: int) -> Line:
    """The columns from `start` up to `end` of pieces that stand one after the other."""
    tops = accumulate((len(text) for text, _ in pieces), initial=0)
    parts = ((text[max(start - at, 0) : max(end - at, 0)], ink) for (text, ink), at in zip(pieces, tops, strict=False))
    return tuple((part, ink) for part, ink in parts if part)


def beside(
    lead: Sequence[Piece], text: str | Sequence[Piece], tail: Sequence[Piece], width: int, *, most: int | None = None
) -> list[Line]:
    """A paragraph between `lead` and `tail`, which stand on its first line; below, the text goes on under the tail."""
    ahead, behind = cells(lead), cells(tail) + bool(tail)
    lines = paragraph(text, width - ahead, most=most, less=behind)
    first = (*lead, *lines[0], (" " * max(width - ahead - cells(lines[0]) - cells(tail), 0), ""), *tail)
    return [first, *((((" " * ahead), ""), *line) for line in lines[1:])]
