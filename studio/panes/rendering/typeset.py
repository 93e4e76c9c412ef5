"""A text laid out for one width, which remembers enough that what is added to it costs only its own lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.blueprint import RenderAs
from engine.text import Span
from studio.panes.rendering.drawing import Drawn, apart, column_of, drawn, lines_of
from studio.panes.rendering.layout import Layout, laid_out
from studio.panes.rendering.pieces import Line


@dataclass(frozen=True, slots=True)
class Typeset:
    """`text` as its format wants it, with `evidence`, in lines of `width` cells."""

    text: str
    render_as: RenderAs
    evidence: tuple[Span, ...]
    width: int
    lines: tuple[Line, ...]
    drawn: tuple[Drawn, ...]
    layout: Layout

    def row_of(self, offset: int) -> int:
        """The row that shows the code point at `offset`."""
        index = self.layout.index_of(offset)
        column = column_of(self.lines[index], apart(self.evidence, len(self.text)), offset)
        return self.layout.tops[index] + self.layout.wraps[index].part(column)

    def costs(self, text: str, evidence: tuple[Span, ...], width: int) -> int:
        """How many code points would be looked at to show `text` instead."""
        if (text, evidence, width) == (self.text, self.evidence, self.width):
            return 0
        return len(text) - len(self.text) if self._grows_to(text, evidence, width) else len(text)

    def _grows_to(self, text: str, evidence: tuple[Span, ...], width: int) -> bool:
        """Whether `text` only continues this text. HTML is read as a whole."""
        alike = width == self.width and not evidence and not self.evidence and self.render_as is not RenderAs.HTML
        return alike and text.startswith(self.text)


def typeset(
    text: str, render_as: RenderAs, evidence: Sequence[Span], width: int, before: Typeset | None = None
) -> Typeset:
    """`text` laid out; what can be of it is taken from `before`."""
    spans = tuple(evidence)
    if before is None or before.render_as is not render_as:
        return _new(text, render_as, spans, width)
    if text == before.text:
        if spans == before.evidence and width == before.width:
            return before
        shown = before.drawn if spans == before.evidence else tuple(drawn(text, before.lines, spans))
        return Typeset(text, render_as, spans, width, before.lines, shown, laid_out(shown, width))
    if before._grows_to(text, spans, width):  # pyright: ignore[reportPrivateUsage]
        return _grown(text, before)
    return _new(text, render_as, spans, width)


def _new(text: str, render_as: RenderAs, spans: tuple[Span, ...], width: int) -> Typeset:
    lines = tuple(lines_of(text, render_as))
    shown = tuple(drawn(text, lines, spans))
    return Typeset(text, render_as, spans, width, lines, shown, laid_out(shown, width))


def _grown(text: str, before: Typeset) -> Typeset:
    """The last line of `before` and all code that ends there are read again, with what follows."""
    keep = len(before.lines) - 1
    while keep and before.lines[keep].fenced:
        keep -= 1
    lines = tuple(lines_of(text, before.render_as, before.lines[keep].start if before.lines else 0))
    shown = tuple(drawn(text, lines))
    return Typeset(
        text,
        before.render_as,
        (),
        before.width,
        before.lines[:keep] + lines,
        before.drawn[:keep] + shown,
        before.layout.followed_by(keep, laid_out(shown, before.width)),
    )
