"""A scrolling view of texts to read: several under headings, one of them selected, or one without a heading.

It draws only the rows in view.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from engine.blueprint import RenderAs
from engine.text.record import Record
from engine.text.spans import Span
from studio.tui.editor.painting import Look, Stroke, paint
from studio.tui.panes.rendering import INKS, Row, TextLayout, lay_out
from studio.tui.paragraphs import Line

_HEAVY = 6_000
"""From this many code points on, text is laid out off the event loop: it would take too much of a frame."""
_FENCES = "```", "~~~"
GUTTER = 1
"""Cells before a text, for the bar of what is selected or lit."""


class Passage(Record):
    """One text. `head` is the line above it, empty for none; its inks are those of formatted text.

    Passages with the same `key` are the same passage with another text.
    """

    key: str
    text: str
    head: Line = ()
    render_as: RenderAs = RenderAs.PLAINTEXT
    evidence: tuple[Span, ...] = ()

    @property
    def needs_lexer(self) -> bool:
        """Whether it has highlighted code, for which a lexer may have to be imported."""
        fenced = self.render_as is RenderAs.MARKDOWN and any(fence in self.text for fence in _FENCES)
        return fenced or self.render_as is RenderAs.HTML

    def laid_out(self, width: int, before: TextLayout | None) -> TextLayout:
        """Its text at `width` cells. Reuses what it can of its layout `before`."""
        return lay_out(self.text, self.render_as, self.evidence, width, before)


class _Laid(Record):
    """Passages at one width, with an empty row between them. `tops` has the first row of each, and at its end the row
    where the next one would begin."""

    passages: tuple[Passage, ...] = ()
    texts: tuple[TextLayout, ...] = ()
    tops: tuple[int, ...] = (0,)

    @classmethod
    def of(cls, passages: tuple[Passage, ...], width: int, before: _Laid) -> _Laid:
        """`passages` laid out at `width` cells. Reuses the layouts of `before` where possible."""
        known = before.by_key()
        texts = tuple(
            lay_out(each.text, each.render_as, each.evidence, width, known.get(each.key)) for each in passages
        )
        heights = [
            bool(each.head) + (text.height if each.text else 0) + 1 for each, text in zip(passages, texts, strict=True)
        ]
        return cls(passages, texts, (0, *accumulate(heights)))

    def by_key(self) -> dict[str, TextLayout]:
        """The layout of each passage."""
        return {passage.key: text for passage, text in zip(self.passages, self.texts, strict=True)}

    def is_heavy(self, passages: Iterable[Passage], width: int) -> bool:
        """Whether laying out `passages` after these takes too long for the event loop."""
        known = self.by_key()
        costs = [
            (each, len(each.text) if was is None else was.costs(each.text, each.evidence, width))
            for each, was in ((each, known.get(each.key)) for each in passages)
        ]
        return sum(cost for _, cost in costs) > _HEAVY or any(cost and each.needs_lexer for each, cost in costs)

    def shows(self, passages: tuple[Passage, ...], width: int) -> bool:
        """Whether these are `passages` at `width`."""
        return self.passages == passages and all(text.width == width for text in self.texts)

    @property
    def key(self) -> str:
        """What identifies these texts as a whole."""
        return self.passages[0].key if self.passages else ""

    @property
    def height(self) -> int:
        return max(self.tops[-1] - 1, 0)

    def index_at(self, y: int) -> int:
        """The index of the passage on row `y`. The gap below a passage belongs to it."""
        return min(max(bisect_right(self.tops, y) - 1, 0), max(len(self.passages) - 1, 0))

    def bounds(self, index: int) -> tuple[int, int]:
        """The first row of a passage, and the row after its last."""
        return (self.tops[index], self.tops[index + 1] - 1) if index < len(self.passages) else (0, 0)

    def text_top(self, index: int) -> int:
        """The first row of the text of a passage."""
        return self.tops[index] + bool(self.passages[index].head)

    def rows_of(self, index: int, span: Span) -> tuple[int, int]:
        """The first row that shows `span` of a passage, and the row after the last."""
        top, text = self.text_top(index), self.texts[index]
        return top + text.row_of(span.start), top + text.row_of(max(span.end - 1, span.start)) + 1

    def text_row(self, y: int) -> Row | None:
        """The row of a text at `y`; None for a heading or a gap."""
        index = self.index_at(y)
        if y >= self.height or not self.text_top(index) <= y < self.bounds(index)[1]:
            return None
        return self.texts[index].row(y - self.text_top(index))


class Passages(ScrollView, can_focus=True):
    """Shows passages. What is read stays in place while they change; the end is followed while it is in view and they
    grow."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"passages--{ink}" for ink in INKS),
        *(f"passages--{each}" for each in ("selected", "lit", "bar", "yours")),
    }
    DEFAULT_CSS = "\n".join(
        (
            "Passages { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; background: $background;"
            " height: 1fr; }",
            "Passages > .passages--selected { background: $row-selected; }",
            "Passages > .passages--lit { background: $row-selected; text-style: bold; }",
            "Passages > .passages--bar { color: $ink-focus; }",
            "Passages > .passages--yours { color: $ink-yours; }",
            *(f"Passages > .passages--{ink} {{ {look}; }}" for ink, look in INKS.items()),
            "Passages.-closest > .passages--found { color: $ink-closest; }",
        )
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "Up", show=False),
        Binding("down,j", "step(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("home", "first", "First", show=False),
        Binding("end", "last", "Last", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.passages: tuple[Passage, ...] = ()
        """The passages last given to `show`."""
        self.selected = 0
        """The index of the selected passage."""
        self.lit: tuple[int, Span] | None = None
        """The place that is lit: a passage by its index, and a span of its text."""
        self._laid = _Laid()
        self._grows = False
        self._is_laying_out = False
        self._brings_evidence = False
        self._strips: LRUCache[tuple[Look, int], Strip] = LRUCache(512)
        self._styles_of: dict[str, Style] = {}

    # --- The passages

    def show(self, passages: Iterable[Passage], *, grows: bool = False, at: int = 0) -> None:
        """Show `passages`. Other ones than before, by the key of the first, are shown from their start, with the one at
        index `at` selected and in view.

        `grows`: text is being added. A long text is laid out off the event loop; until then, the earlier one stays.
        """
        before, self.passages = self.passages, tuple(passages)
        if [each.key for each in before[:1]] != [each.key for each in self.passages[:1]]:
            self.selected = at
            self.lit = None
        self.selected = max(0, min(self.selected, len(self.passages) - 1))
        self._grows = grows
        self._brings_evidence = False
        self._lay_out()

    def bring_evidence(self) -> None:
        """Bring the first evidence into view, once it is laid out."""
        self._brings_evidence = True
        self._show_evidence()

    def light(self, span: Span | None, *, index: int = 0, follow: Span | None = None) -> None:
        """Light a place in the passage with this index, None for none. `follow` in it is brought into view."""
        self.lit = None if span is None else (index, span)
        if follow is not None and self.is_laid_out:
            self._reveal(*self._laid.rows_of(index, follow))
        self.refresh()

    @property
    def is_laid_out(self) -> bool:
        """Whether what is drawn is what was given to `show`."""
        return bool(self._laid.texts) and self._laid.passages == self.passages

    @property
    def _text_width(self) -> int:
        return self.scrollable_content_region.width - GUTTER - 1

    def _lay_out(self) -> None:
        """Lay out the passages: now if that is cheap, otherwise off the event loop, one layout after the other."""
        width = self._text_width
        if width <= 0 or self._is_laying_out:
            return
        if self._laid.is_heavy(self.passages, width):
            self._is_laying_out = True
            self.run_worker(self._lay_out_in_thread(), group="laying-out")
        else:
            self._take(_Laid.of(self.passages, width, self._laid))

    async def _lay_out_in_thread(self) -> None:
        """Lay out until what is wanted is shown. Of texts that grow meanwhile, each layout is shown."""
        try:
            while (width := self._text_width) > 0 and not self._laid.shows(self.passages, width):
                laid = await asyncio.to_thread(_Laid.of, self.passages, width, self._laid)
                if [each.key for each in laid.passages] == [each.key for each in self.passages]:
                    self._take(laid)
        finally:
            self._is_laying_out = False

    def _take(self, laid: _Laid) -> None:
        was_at_end = self.scroll_offset.y >= self.max_scroll_y
        before, self._laid = self._laid, laid
        self._resize()
        if laid.key != before.key:
            self._scroll(0)
            self._reveal(*laid.bounds(self.selected))
        elif self._grows and was_at_end:
            self._scroll(self.max_scroll_y)
        self._show_evidence()
        self.refresh()

    def _show_evidence(self) -> None:
        if self._brings_evidence and self.is_laid_out:
            self._brings_evidence = False
            places = ((index, min(each.evidence)) for index, each in enumerate(self.passages) if each.evidence)
            if (place := next(places, None)) is not None:
                self._reveal(*self._laid.rows_of(*place))

    def _resize(self) -> None:
        """Set the virtual size for the rows. Not by the reactive, which would lay out the whole screen again."""
        size = Size(self.scrollable_content_region.width, max(self._laid.height, 1))
        if size != self.virtual_size:
            self.set_reactive(Passages.virtual_size, size)  # pyright: ignore[reportArgumentType]
            self._scroll_update(size)

    def on_resize(self) -> None:
        """Wrap for the new width."""
        self._resize()
        self._lay_out()

    # --- Moving

    @property
    def _height(self) -> int:
        return self.scrollable_content_region.height

    def _scroll(self, y: int) -> None:
        self.scroll_to(y=y, animate=False, force=True, immediate=True)

    def _reveal(self, first: int, end: int) -> None:
        """Scroll no further than brings the rows from `first` up to `end` into view, at need without the last of
        them."""
        top = self.scroll_offset.y
        self._scroll(min(max(top, end - self._height), first))

    def select(self, index: int, *, from_end: bool = False) -> None:
        """Select a passage and bring it into view; of one that is taller than the view, its start or its end."""
        self.selected = max(0, min(index, len(self.passages) - 1))
        first, end = self._laid.bounds(self.selected)
        self._reveal(max(first, end - self._height) if from_end else first, end)
        self.refresh()

    def action_step(self, by: int) -> None:
        """Scroll by a row while part of the selected passage is out of view; then go to the next passage."""
        top, (first, end) = self.scroll_offset.y, self._laid.bounds(self.selected)
        is_unseen = end > top + self._height if by > 0 else first < top
        if is_unseen or not 0 <= self.selected + by < len(self.passages):
            self._scroll(top + by)
        else:
            self.select(self.selected + by, from_end=by < 0)

    def action_page(self, by: int) -> None:
        """Scroll by a page. The selection moves with it, so that it stays in view."""
        self._scroll(max(self.scroll_offset.y + by * max(self._height - 1, 1), 0))
        top = self.scroll_offset.y
        first, last = self._laid.index_at(top), self._laid.index_at(top + self._height - 1)
        self.selected = min(max(self.selected, first), last)
        self.refresh()

    def action_first(self) -> None:
        """To the beginning."""
        self.select(0)

    def action_last(self) -> None:
        """To the end."""
        self.select(len(self.passages) - 1, from_end=True)

    def on_click(self, event: events.Click) -> None:
        """A click selects."""
        self.selected = self._laid.index_at(event.y + self.scroll_offset.y)
        self.refresh()

    # --- Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        at = y + self.scroll_offset.y
        strip = self._row(at)
        selection = self.text_selection
        span = None if selection is None else selection.get_span(at)
        if span is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            parts = strip.divide([start, strip.cell_length if end < 0 else end, strip.cell_length])
            strip = Strip.join([part.apply_style(style) if number == 1 else part for number, part in enumerate(parts)])
        return strip.apply_offsets(0, at)

    def _row(self, y: int) -> Strip:
        laid, width, base = self._laid, self.scrollable_content_region.width, self._style("")
        if y >= laid.height:
            return Strip.blank(width, base)
        index, row = laid.index_at(y), laid.text_row(y)
        head = laid.passages[index].head
        is_selected = bool(head) and index == self.selected
        bar = ("▌" if self.has_focus else "▏") if is_selected and y < laid.bounds(index)[1] else " "
        if row is not None:
            return self._text(row, self._lit_at(index, y), bar, width)
        if not head or y > laid.tops[index]:
            return Strip([Segment(bar, base + self._style("bar"))]).adjust_cell_length(width, base)
        if is_selected:
            base += self._style("selected")
        segments = [Segment(text, base + self._style(inks)) for text, inks in ((bar, "bar"), *head)]
        return Strip(segments).adjust_cell_length(width, base)

    def _lit_at(self, index: int, y: int) -> tuple[int, int] | None:
        """The columns of the row `y` of a passage that are lit."""
        if self.lit is None or self.lit[0] != index or not self.is_laid_out:
            return None
        return self._laid.texts[index].columns_of(y - self._laid.text_top(index), self.lit[1])

    def _text(self, row: Row, lit: tuple[int, int] | None, bar: str, width: int) -> Strip:
        base = self._style("")
        strokes = [Stroke(start, end, self._style(inks)) for start, end, inks in row.line.strokes]
        if lit is not None:
            strokes.append(Stroke(*lit, self._style("lit")))
        gutter = (("▌" if lit else bar, "bar"), (row.before, "dim"))
        before = tuple((text, base + self._style(inks)) for text, inks in gutter if text)
        within = tuple(each for each in strokes if each.start < row.end and each.end > row.start)
        look = Look(row.line.body, row.start, row.end, row.indent, before, base, within)
        if (strip := self._strips.get((look, width))) is None:
            strip = self._strips[look, width] = paint(look, 0, width)
        return strip

    def _style(self, inks: str) -> Style:
        """The style of one or several inks, "" for that of the view. Cached: looking one up takes as long as painting a
        row."""
        if (found := self._styles_of.get(inks)) is None:
            names = [f"passages--{ink}" for ink in inks.split()]
            styles = [self.get_component_rich_style(name, partial=True) for name in names]
            found = self._styles_of[inks] = sum(styles, Style()) if inks else self.rich_style
        return found

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that the mouse selected, as drawn."""
        first = 0 if selection.start is None else selection.start.y
        last = self._laid.height - 1 if selection.end is None else min(selection.end.y, self._laid.height - 1)
        rows = ["" if y < first else self._row(y).text.rstrip() for y in range(last + 1)]
        return selection.extract("\n".join(rows)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selected text."""
        self.refresh()

    def notify_style_update(self) -> None:
        """Drop the styles and rows made with the former colours."""
        self._strips.clear()
        self._styles_of.clear()
        super().notify_style_update()
