"""A vertical stack of texts laid out at one width: which row belongs to which text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, repeat

from engine.blueprint import RenderAs
from engine.text.record import Record
from engine.text.spans import Span
from studio.tui.panes.rendering import Row, TextLayout, lay_out


class Passage(Record):
    """One text. `head` is the line above it, as pairs of a string and an ink; empty for no such line.

    Passages with the same `key` are the same passage with another text.
    """

    key: str
    text: str
    head: tuple[tuple[str, str], ...] = ()
    render_as: RenderAs = RenderAs.PLAINTEXT
    evidence: tuple[Span, ...] = ()


class Stack(Record):
    """Passages at one width, with an empty row between them. `tops` has the first row of each, and at its end the row
    where the next one would begin."""

    passages: tuple[Passage, ...] = ()
    texts: tuple[TextLayout, ...] = ()
    tops: tuple[int, ...] = (0,)

    @classmethod
    def of(cls, passages: Sequence[Passage], width: int, before: Stack) -> Stack:
        """`passages` laid out at `width` cells. Reuses the layouts of `before` where possible."""
        texts = tuple(
            lay_out(passage.text, passage.render_as, passage.evidence, width, was)
            for passage, was in before.beside(passages)
        )
        heights = [
            bool(passage.head) + (text.height if passage.text else 0) + 1
            for passage, text in zip(passages, texts, strict=True)
        ]
        return cls(tuple(passages), texts, (0, *accumulate(heights)))

    def beside(self, passages: Sequence[Passage]) -> Iterator[tuple[Passage, TextLayout | None]]:
        """Each of `passages` with the layout at the same index here, None past the end."""
        return zip(passages, chain(self.texts, repeat(None)), strict=False)

    def costs(self, passages: Sequence[Passage], width: int) -> int:
        """How many code points must be read to lay out `passages`."""
        return sum(
            len(passage.text) if was is None else was.costs(passage.text, passage.evidence, width)
            for passage, was in self.beside(passages)
        )

    def shows(self, passages: Sequence[Passage], width: int) -> bool:
        """Whether this is the stack of `passages` at `width`."""
        return self.passages == tuple(passages) and all(text.width == width for text in self.texts)

    @property
    def height(self) -> int:
        """The number of rows."""
        return max(self.tops[-1] - 1, 0)

    def index_at(self, y: int) -> int:
        """The index of the passage on row `y`. The gap below a passage belongs to it."""
        return min(max(bisect_right(self.tops, y) - 1, 0), max(len(self.passages) - 1, 0))

    def bounds(self, index: int) -> tuple[int, int]:
        """The first row of a passage, and the row after its last."""
        return self.tops[index], self.tops[index + 1] - 1

    def is_head(self, y: int) -> bool:
        """Whether row `y` is the head of a passage."""
        index = self.index_at(y)
        return bool(self.passages) and y == self.tops[index] and bool(self.passages[index].head)

    def text_row(self, y: int) -> Row | None:
        """The row of a text at `y`; None for a head or a gap."""
        if not self.passages or y >= self.height:
            return None
        index = self.index_at(y)
        start, end = self.bounds(index)
        row = y - start - bool(self.passages[index].head)
        return self.texts[index].row(row) if row >= 0 and y < end else None
