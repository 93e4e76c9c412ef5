"""Turns formatted lines into drawn ones, with the evidence marked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from engine.text.spans import Span
from studio.tui.panes.rendering.formatted_line import Line, Piece


class Drawn(NamedTuple):
    """One line as it is drawn: `body` with `strokes`, columns from and up to and an ink, and what stands before it.

    `start` and `end` are its place in the text.
    """

    start: int
    end: int
    body: str
    strokes: tuple[tuple[int, int, str], ...] = ()
    lead: str = ""
    again: str = ""


def drawn(text: str, lines: Iterable[Line], evidence: Sequence[Span] = ()) -> Iterator[Drawn]:
    """`lines` of `text` as drawn, with the evidence in brackets, so that it shows without colour too.

    Only the evidence that `apart` returns is marked.
    """
    spans = apart(evidence, len(text))
    first = 0
    for line in lines:
        while first < len(spans) and spans[first].end < line.start:
            first += 1
        until = first
        while until < len(spans) and spans[until].start <= line.end:
            until += 1
        yield _drawn(text, line, [span for span in spans[first:until] if _touches(line, span)])


def column_of(line: Line, evidence: Sequence[Span], offset: int) -> int:
    """The column of the drawn body of `line` that shows the code point at `offset`. `evidence` is `apart`."""
    spans = [span for span in evidence if _touches(line, span)]
    column = 0
    for piece in _pieces(line, spans):
        if piece.end > offset:
            return column + (max(offset - piece.start, 0) if piece.shown is None else 0)
        column += piece.end - piece.start if piece.shown is None else len(piece.shown)
    return column


def _touches(line: Line, span: Span) -> bool:
    """Whether `span`, or a bracket of it, stands in `line`. Where a line was cut, a bracket stands on one side only."""
    begins = span.start < line.end or (span.start == line.end and not line.cut_behind)
    ends = span.end > line.start or (span.end == line.start and not (line.cut_before and span.start < line.start))
    return begins and ends


def apart(evidence: Sequence[Span], length: int) -> list[Span]:
    """`evidence` in order, without spans that overlap an earlier one or lie outside a text of that length."""
    spans: list[Span] = []
    for span in sorted(evidence):
        if span.end <= length and (not spans or span.start >= spans[-1].end):
            spans.append(span)
    return spans


def _drawn(text: str, line: Line, spans: Sequence[Span]) -> Drawn:
    body: list[str] = []
    strokes: list[tuple[int, int, str]] = []
    column = 0

    def put(piece: str, ink: str) -> None:
        nonlocal column
        if ink and piece:
            strokes.append((column, column + len(piece), ink))
        body.append(piece)
        column += len(piece)

    for piece in _pieces(line, spans):
        put(text[piece.start : piece.end] if piece.shown is None else piece.shown, piece.ink)
    return Drawn(line.start, line.end, "".join(body), tuple(strokes), line.lead, line.again)


def _pieces(line: Line, spans: Sequence[Span]) -> Iterable[Piece]:
    """The pieces of `line` with the evidence in it. A bracket is a piece that shows itself and covers nothing."""
    return _with_evidence(line, spans) if spans else line.pieces


def _with_evidence(line: Line, spans: Sequence[Span]) -> Iterator[Piece]:
    """The pieces, cut where evidence begins and ends, with its brackets. Marks within evidence are drawn."""
    brackets: list[tuple[int, str]] = []
    for span in spans:
        brackets += [(span.start, "⟦")] if span.start >= line.start else []
        brackets += [(span.end, "⟧")] if span.end <= line.end else []
    waiting = deque(brackets)
    for piece in line.pieces:
        borders = [at for at, _ in brackets if piece.start < at < piece.end]
        for start, end in pairwise((piece.start, *borders, piece.end)):
            while waiting and waiting[0][0] <= start:
                yield Piece(start, start, "found", waiting.popleft()[1])
            if any(span.start < end and span.end > start for span in spans):
                yield Piece(start, end, f"{piece.ink} found".lstrip())
            elif borders:
                yield Piece(start, end, piece.ink)
            else:
                yield piece
    for at, bracket in waiting:
        yield Piece(at, at, "found", bracket)
