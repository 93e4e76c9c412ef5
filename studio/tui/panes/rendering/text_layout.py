"""The layout of a text at one width, line by line, with its evidence marked.

Appending text costs its last block, marking evidence its lines.
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

_LEAST = 8
"""Cells that a line keeps for its text, however much stands before it."""


class Drawn(NamedTuple):
    """A line as it is drawn at one width, its `evidence` in brackets, so that it shows without colour too.

    `body` is made of `pieces`, which begin at `columns` of it; the last of these is its end.
    """

    line: Line
    evidence: tuple[Span, ...]
    pieces: tuple[Piece, ...]
    columns: tuple[int, ...]
    body: str
    wrap: Wrapping

    @classmethod
    def of(cls, text: str, line: Line, evidence: tuple[Span, ...], width: int) -> Drawn:
        """`line` of `text` at `width` cells."""
        pieces = tuple(_with_evidence(line, evidence)) if evidence else line.pieces
        shown = [text[each.start : each.end] if each.shown is None else each.shown for each in pieces]
        body = "".join(shown)
        wrap = wrapping(body, max(width - cell_len(line.lead), _LEAST))
        return cls(line, evidence, pieces, (0, *accumulate(map(len, shown))), body, wrap)

    @property
    def strokes(self) -> Iterator[tuple[int, int, str]]:
        """The columns of the body, from and up to, that have an ink."""
        places = zip(self.pieces, pairwise(self.columns), strict=True)
        return ((start, end, piece.ink) for piece, (start, end) in places if piece.ink and start < end)

    def column_of(self, offset: int) -> int:
        """The column of the body that shows the code point at `offset` of the text."""
        at = bisect_right(self.pieces, offset, key=lambda piece: piece.end)
        is_within = at < len(self.pieces) and self.pieces[at].shown is None
        return self.columns[at] + (max(offset - self.pieces[at].start, 0) if is_within else 0)


def apart(evidence: Sequence[Span], length: int) -> list[Span]:
    """`evidence` in order, without spans that overlap an earlier one or lie outside a text of that length."""
    spans: list[Span] = []
    for span in sorted(evidence):
        if span.end <= length and (not spans or span.start >= spans[-1].end):
            spans.append(span)
    return spans


def _within(line: Line, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Those of `spans`, which are apart, of which a part or a bracket stands in `line`. Where a line was cut, a bracket
    stands on one side only."""
    first = bisect_right(spans, line.start - 1, key=lambda span: span.end)
    last = bisect_right(spans, line.end, key=lambda span: span.start)
    return tuple(
        span
        for span in spans[first:last]
        if (span.start < line.end or not line.cut_behind)
        and (span.end > line.start or span.start == line.start or not line.cut_before)
    )


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


class Row(Record):
    """One row: columns `start` up to `end` of a line's body, set in by `indent` cells beside what stands `before`."""

    line: Drawn
    before: str
    start: int
    end: int
    indent: int


class TextLayout(Record):
    """`text` as its format wants it, with `evidence`, in rows of `width` cells. `tops` has the first row of each line
    and, at its end, the number of all rows."""

    text: str
    render_as: RenderAs
    evidence: tuple[Span, ...]
    width: int
    laid: tuple[tuple[Block, tuple[Drawn, ...]], ...]
    drawn: tuple[Drawn, ...]
    tops: tuple[int, ...]

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self.tops[-1]

    def row(self, y: int) -> Row:
        """Row `y`, from 0."""
        index = bisect_right(self.tops, y) - 1
        line, part = self.drawn[index], y - self.tops[index]
        start, end = line.wrap.bounds(part, len(line.body))
        return Row(line, line.line.again if part else line.line.lead, start, end, line.wrap.indent if part else 0)

    def columns_of(self, y: int, span: Span) -> tuple[int, int] | None:
        """The columns of the row `y` that show `span`, within those that the row has; None if it shows none of it."""
        row = self.row(y)
        line = row.line.line
        if span.end <= line.start or span.start >= max(line.end, line.start + 1):
            return None
        first, last = (row.line.column_of(at) for at in (max(span.start, line.start), min(span.end, line.end)))
        start, end = max(first, row.start), min(last, row.end)
        return (start, end) if start < end or not row.line.body else None

    def row_of(self, offset: int) -> int:
        """The row that shows the code point at `offset`."""
        index = max(bisect_right(self.drawn, offset, key=lambda drawn: drawn.line.start) - 1, 0)
        line = self.drawn[index]
        return self.tops[index] + line.wrap.part(line.column_of(offset))

    def costs(self, text: str, evidence: tuple[Span, ...], width: int) -> int:
        """How many code points must be read to show `text` instead."""
        if (text, evidence, width) == (self.text, self.evidence, self.width):
            return 0
        return len(text) - (self.laid[-1][0].start if self.grows_to(text, evidence, width) else 0)

    def grows_to(self, text: str, evidence: tuple[Span, ...], width: int) -> bool:
        """Whether `text` only continues this text."""
        return width == self.width and not evidence and not self.evidence and text.startswith(self.text)


def lay_out(
    text: str, render_as: RenderAs, evidence: Sequence[Span], width: int, before: TextLayout | None = None
) -> TextLayout:
    """`text` laid out. Reuses blocks and lines of `before` where possible."""
    spans, separate = tuple(evidence), apart(evidence, len(text))
    known: dict[int, Drawn] = {}
    laid: list[tuple[Block, tuple[Drawn, ...]]] = []
    found: Iterable[Block]
    if before is None or before.render_as is not render_as:
        found = blocks(text, render_as)
    elif text == before.text:
        if spans == before.evidence and width == before.width:
            return before
        found = [block for block, _ in before.laid]
        known = {each.line.start: each for each in before.drawn if width == before.width}
    elif before.grows_to(text, spans, width):
        *laid, (last, _) = before.laid
        found = blocks(text, render_as, last.start, last.opened)
    else:
        found = blocks(text, render_as)
    for block in found:
        lines: list[Drawn] = []
        for line in block.lines:
            within, was = _within(line, separate), known.get(line.start)
            lines.append(was if was and was.evidence == within else Drawn.of(text, line, within, width))
        laid.append((block, tuple(lines)))
    drawn = tuple(line for _, lines in laid for line in lines)
    return TextLayout(
        text, render_as, spans, width, tuple(laid), drawn, (0, *accumulate(each.wrap.rows for each in drawn))
    )
