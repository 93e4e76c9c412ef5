"""The layout of a text at one width, block by block, with its evidence marked.

Appending text or marking evidence costs only its blocks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from rich.cells import cell_len

from engine.blueprint import RenderAs
from engine.text.record import Record
from engine.text.spans import Span
from studio.tui.editor.wrapping import Wrapping, wrapping
from studio.tui.panes.rendering.answer_blocks import blocks
from studio.tui.panes.rendering.formatted_line import Block, Line, Piece


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


_LEAST = 8
"""Cells that a line keeps for its text, however much stands before it."""


class Row(Record):
    """One row: columns `start` up to `end` of a line's body, set in by `indent` cells beside what stands `before`."""

    line: Drawn
    before: str
    start: int
    end: int
    indent: int


class LaidBlock(Record):
    """A block as it is drawn at one width, with the `evidence` that touches it.

    `tops` has the first row of each line, and behind the last one the number of rows.
    """

    block: Block
    evidence: tuple[Span, ...]
    lines: tuple[Drawn, ...]
    wraps: tuple[Wrapping, ...]
    tops: tuple[int, ...]

    @classmethod
    def of(cls, text: str, block: Block, evidence: tuple[Span, ...], width: int) -> LaidBlock:
        """`block` of `text` at `width` cells."""
        lines = tuple(drawn(text, block.lines, evidence))
        wraps = tuple([wrapping(line.body, max(width - cell_len(line.lead), _LEAST)) for line in lines])
        return cls(block, evidence, lines, wraps, (0, *accumulate(wrap.rows for wrap in wraps)))

    def row(self, y: int) -> Row:
        """Row `y`, from 0."""
        index = bisect_right(self.tops, y) - 1
        line, wrap = self.lines[index], self.wraps[index]
        part = y - self.tops[index]
        start, end = wrap.bounds(part, len(line.body))
        return Row(line, line.again if part else line.lead, start, end, wrap.indent if part else 0)

    def columns_of(self, y: int, span: Span) -> tuple[int, int] | None:
        """The columns of the drawn line on row `y` that show `span` of the text; None if that is not in the line."""
        index = bisect_right(self.tops, y) - 1
        line = self.block.lines[index]
        if span.end <= line.start or span.start >= max(line.end, line.start + 1):
            return None
        start, end = max(span.start, line.start), min(span.end, line.end)
        return column_of(line, self.evidence, start), column_of(line, self.evidence, end)

    def row_of(self, offset: int) -> int:
        """The row that shows the code point at `offset` of the text."""
        index = max(bisect_right(self.lines, offset, key=lambda line: line.start) - 1, 0)
        return self.tops[index] + self.wraps[index].part(column_of(self.block.lines[index], self.evidence, offset))


class TextLayout(Record):
    """`text` as its format wants it, with `evidence`, in lines of `width` cells. `tops` has the first row of each block
    and, at its end, the number of all rows."""

    text: str
    render_as: RenderAs
    evidence: tuple[Span, ...]
    width: int
    laid: tuple[LaidBlock, ...]
    tops: tuple[int, ...]

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self.tops[-1]

    @property
    def drawn(self) -> Iterator[Drawn]:
        """Every line as it is drawn."""
        return (line for laid in self.laid for line in laid.lines)

    def row(self, y: int) -> Row:
        """Row `y`, from 0."""
        index = bisect_right(self.tops, y) - 1
        return self.laid[index].row(y - self.tops[index])

    def columns_of(self, y: int, span: Span) -> tuple[int, int] | None:
        """The columns of the row `y` that show `span`, within those that the row has; None if it shows none of it."""
        index = bisect_right(self.tops, y) - 1
        found = self.laid[index].columns_of(y - self.tops[index], span)
        if found is None:
            return None
        row = self.row(y)
        start, end = max(found[0], row.start), min(found[1], row.end)
        return (start, end) if start < end or not row.line.body else None

    def row_of(self, offset: int) -> int:
        """The row that shows the code point at `offset`."""
        index = max(bisect_right(self.laid, offset, key=lambda laid: laid.block.start) - 1, 0)
        return self.tops[index] + self.laid[index].row_of(offset)

    def costs(self, text: str, evidence: tuple[Span, ...], width: int) -> int:
        """How many code points must be read to show `text` instead."""
        if (text, evidence, width) == (self.text, self.evidence, self.width):
            return 0
        return len(text) - (self.laid[-1].block.start if self.grows_to(text, evidence, width) else 0)

    def grows_to(self, text: str, evidence: tuple[Span, ...], width: int) -> bool:
        """Whether `text` only continues this text."""
        return width == self.width and not evidence and not self.evidence and text.startswith(self.text)


def lay_out(
    text: str, render_as: RenderAs, evidence: Sequence[Span], width: int, before: TextLayout | None = None
) -> TextLayout:
    """`text` laid out. Reuses blocks of `before` where possible."""
    spans = tuple(evidence)
    known: dict[int, LaidBlock] = {}
    unchanged: Sequence[LaidBlock] = ()
    found: Iterable[Block]
    if before is None or before.render_as is not render_as:
        found = blocks(text, render_as)
    elif text == before.text:
        if spans == before.evidence and width == before.width:
            return before
        found = [laid.block for laid in before.laid]
        known = {laid.block.start: laid for laid in before.laid if width == before.width}
    elif before.grows_to(text, spans, width):
        *unchanged, last = before.laid
        found = blocks(text, render_as, last.block.start, last.block.opened)
    else:
        found = blocks(text, render_as)
    separate = apart(spans, len(text))
    laid = list(unchanged)
    for block in found:
        touching, was = _touching(block, separate), known.get(block.start)
        laid.append(was if was and was.evidence == touching else LaidBlock.of(text, block, touching, width))
    tops = (0, *accumulate(each.tops[-1] for each in laid))
    return TextLayout(text, render_as, spans, width, tuple(laid), tops)


def _touching(block: Block, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Those of `spans`, which are apart and in order, that may show in `block`."""
    first = bisect_right(spans, block.start - 1, key=lambda span: span.end)
    last = bisect_right(spans, block.lines[-1].end, key=lambda span: span.start)
    return tuple(spans[first:last])
