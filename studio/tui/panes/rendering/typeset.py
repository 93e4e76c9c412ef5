"""A text laid out for one width, block by block: what is added to it or lit up in it costs only the blocks it is in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from engine.blueprint import RenderAs
from engine.text import Span
from studio.tui.panes.rendering.blocks import blocks
from studio.tui.panes.rendering.drawing import Drawn, apart, column_of, drawn
from studio.tui.panes.rendering.layout import Layout, Row, laid_out
from studio.tui.panes.rendering.pieces import Block, Line


@dataclass(frozen=True, slots=True)
class Laid:
    """A block as it is drawn with the `evidence` that touches it, in rows."""

    block: Block
    evidence: tuple[Span, ...]
    drawn: tuple[Drawn, ...]
    layout: Layout


@dataclass(frozen=True, slots=True)
class Typeset:
    """`text` as its format wants it, with `evidence`, in lines of `width` cells. `tops` has the first row of each block
    and, at its end, the number of all rows."""

    text: str
    render_as: RenderAs
    evidence: tuple[Span, ...]
    width: int
    laid: tuple[Laid, ...]
    tops: tuple[int, ...]

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self.tops[-1]

    @property
    def lines(self) -> Iterator[Line]:
        """Every line as it was read."""
        return (line for laid in self.laid for line in laid.block.lines)

    @property
    def drawn(self) -> Iterator[Drawn]:
        """Every line as it is drawn."""
        return (line for laid in self.laid for line in laid.drawn)

    def row(self, y: int) -> Row:
        """Row `y`, from 0."""
        index = bisect_right(self.tops, y) - 1
        return self.laid[index].layout.row(y - self.tops[index])

    def rows(self) -> list[str]:
        """Every row as it reads."""
        return [row for laid in self.laid for row in laid.layout.text()]

    def row_of(self, offset: int) -> int:
        """The row that shows the code point at `offset`."""
        place = max(bisect_right(self.laid, offset, key=lambda laid: laid.block.start) - 1, 0)
        laid = self.laid[place]
        index = laid.layout.index_of(offset)
        column = column_of(laid.block.lines[index], laid.evidence, offset)
        return self.tops[place] + laid.layout.tops[index] + laid.layout.wraps[index].part(column)

    def costs(self, text: str, evidence: tuple[Span, ...], width: int) -> int:
        """How many code points would be looked at to show `text` instead."""
        if (text, evidence, width) == (self.text, self.evidence, self.width):
            return 0
        return len(text) - self._kept if self.grows_to(text, evidence, width) else len(text)

    @property
    def _kept(self) -> int:
        return self.laid[-1].block.start

    def grows_to(self, text: str, evidence: tuple[Span, ...], width: int) -> bool:
        """Whether `text` only continues this text."""
        return width == self.width and not evidence and not self.evidence and text.startswith(self.text)


def typeset(
    text: str, render_as: RenderAs, evidence: Sequence[Span], width: int, before: Typeset | None = None
) -> Typeset:
    """`text` laid out; what can be of it is taken from `before`."""
    spans = tuple(evidence)
    if before is None or before.render_as is not render_as:
        laid = _laid(text, blocks(text, render_as), spans, width)
    elif text == before.text:
        if spans == before.evidence and width == before.width:
            return before
        laid = _laid_again(text, before, spans, width)
    elif before.grows_to(text, spans, width):
        last = before.laid[-1].block
        added = _laid(text, blocks(text, render_as, last.start, last.opened), (), width)
        laid = (*before.laid[:-1], *added)
    else:
        laid = _laid(text, blocks(text, render_as), spans, width)
    tops = (0, *accumulate(each.layout.height for each in laid))
    return Typeset(text, render_as, spans, width, laid, tops)


def _laid(text: str, found: Iterable[Block], evidence: Sequence[Span], width: int) -> tuple[Laid, ...]:
    spans = apart(evidence, len(text))
    return tuple([_lay(text, block, _touching(block, spans), width) for block in found])


def _laid_again(text: str, before: Typeset, evidence: Sequence[Span], width: int) -> tuple[Laid, ...]:
    """The blocks of `before`, drawn again where their evidence is another, and wrapped again where the width is."""
    spans = apart(evidence, len(text))
    again: list[Laid] = []
    for laid in before.laid:
        touching = _touching(laid.block, spans)
        if touching != laid.evidence:
            again.append(_lay(text, laid.block, touching, width))
        elif width != before.width:
            again.append(Laid(laid.block, touching, laid.drawn, laid_out(laid.drawn, width)))
        else:
            again.append(laid)
    return tuple(again)


def _lay(text: str, block: Block, evidence: tuple[Span, ...], width: int) -> Laid:
    shown = tuple(drawn(text, block.lines, evidence))
    return Laid(block, evidence, shown, laid_out(shown, width))


def _touching(block: Block, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Those of `spans`, which are apart and in order, that may show in `block`."""
    first = bisect_right(spans, block.start - 1, key=lambda span: span.end)
    last = bisect_right(spans, block.lines[-1].end, key=lambda span: span.start)
    return tuple(spans[first:last])
