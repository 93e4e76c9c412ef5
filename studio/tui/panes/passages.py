"""A scrolling view of wrapped texts, each under a heading. It draws only visible rows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from engine.blueprint import RenderAs
from engine.text.record import Record
from engine.text.spans import Span
from studio.tui.editor.painting import Look, Stroke, paint
from studio.tui.panes.rendering import INKS, Row
from studio.tui.panes.stack import Passage, Stack
from studio.tui.row_list import fit

_HEAVY = 6_000
"""From this many code points on, text is laid out off the event loop: it would take too much of a frame."""
_FENCES = "```", "~~~"


class _Follow(Record):
    """Where the view scrolls after layout: with `grows` to the end, if that was in view, or to the start."""

    grows: bool = False
    from_start: bool = False


class Passages(ScrollView, can_focus=True):
    """Shows passages, with or without a selected one. The view keeps its place while they grow, and follows their end
    only while that is in view."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"passages--{ink}" for ink in INKS),
        "passages--selected",
        "passages--bar",
        "passages--yours",
        "passages--generating",
    }
    DEFAULT_CSS = "\n".join(
        (
            "Passages { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; background: $background; }",
            "Passages > .passages--selected { background: $row-selected; }",
            "Passages > .passages--bar { color: $ink-focus; }",
            "Passages > .passages--yours { color: $ink-yours; }",
            "Passages > .passages--generating { color: $ink-hint; }",
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

    class Selected(Message):
        """Another passage was selected."""

    def __init__(self, *, selects: bool, id: str | None = None) -> None:
        """With `selects`, one of the passages is selected; otherwise it is a text to read."""
        super().__init__(id=id)
        self._selects = selects
        self._stack = Stack()
        self._wanted: tuple[Passage, ...] = ()
        self._selected = 0
        self._follow = _Follow()
        self._is_laying_out = False
        self._bring: Span | None = None
        self._strips: LRUCache[tuple[Look, int], Strip] = LRUCache(512)
        self._styles_of: dict[str, Style] = {}

    # --- The passages

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages last given to `show`."""
        return self._wanted

    @property
    def selected(self) -> int:
        """The index of the selected passage."""
        return self._selected

    def show(self, passages: Sequence[Passage], *, grows: bool = False, from_start: bool = False) -> None:
        """Show `passages`. Selection and scroll position stay, or with `from_start` go to the start.

        `grows`: text is being appended, and the view follows the end if that is in view. A long text is laid out off
        the event loop; until then, the earlier one stays.
        """
        before = self._wanted[self._selected].key if self._selected < len(self._wanted) else None
        keys = [passage.key for passage in passages]
        if from_start or before is None:
            self._selected = 0
        elif before in keys:
            self._selected = keys.index(before)
        self._selected = max(0, min(self._selected, len(passages) - 1))
        self._wanted = tuple(passages)
        self._bring = None
        self._lay_out(grows=grows, from_start=from_start)

    def bring_into_view(self, span: Span) -> None:
        """Scroll to where `span` of the first passage begins, once it is laid out."""
        self._bring = span
        if self._stack.passages == self._wanted:
            self._show_span()

    def _lay_out(self, *, grows: bool = False, from_start: bool = False) -> None:
        """Lay out the wanted passages: now if that is cheap, otherwise off the event loop, one after the other."""
        self._follow = _Follow(grows=grows, from_start=from_start or self._follow.from_start)
        width = self._text_width
        if width <= 0:
            return
        heavy = self._stack.costs(self._wanted, width) > _HEAVY or any(map(_needs_lexer, self._wanted))
        if not heavy:
            self._show_stack(Stack.of(self._wanted, width, self._stack))
        elif not self._is_laying_out:
            self._is_laying_out = True
            self.run_worker(self._lay_out_in_thread(), group="laying-out")

    async def _lay_out_in_thread(self) -> None:
        """Lay out until the wanted passages are shown. Of those requested meanwhile, only the newest are laid out."""
        try:
            while self._text_width > 0 and not self._stack.shows(self._wanted, self._text_width):
                wanted, before = self._wanted, self._stack
                stack = await asyncio.to_thread(Stack.of, wanted, self._text_width, before)
                is_of_same = [each.key for each in wanted] == [each.key for each in self._wanted]
                if self._stack is before and (wanted is self._wanted or (is_of_same and not self._follow.from_start)):
                    self._show_stack(stack)
        finally:
            self._is_laying_out = False

    def _show_stack(self, stack: Stack) -> None:
        follow, self._follow = self._follow, _Follow()
        end_in_view = self.scroll_offset.y >= self.max_scroll_y
        self._stack = stack
        self._resize()
        if follow.from_start:
            self._scroll(0)
        elif follow.grows and end_in_view:
            self._scroll(self.max_scroll_y)
        if stack.passages == self._wanted:
            self._show_span()
        else:
            self._follow = follow
        self.refresh()

    def _show_span(self) -> None:
        if self._bring is not None and self._stack.texts:
            at = self._stack.texts[0].row_of(self._bring.start) + bool(self._stack.passages[0].head)
            self._bring = None
            self._scroll(max(at - 3, 0))

    def _scroll(self, y: int) -> None:
        self.scroll_to(y=y, animate=False, force=True, immediate=True)

    def _resize(self) -> None:
        """Set the virtual size for the rows. Not by the reactive, which would lay out the whole screen again."""
        size = Size(self.scrollable_content_region.width, max(self._stack.height, 1))
        if size != self.virtual_size:
            self.set_reactive(Passages.virtual_size, size)  # pyright: ignore[reportArgumentType]
            self._scroll_update(size)

    @property
    def _text_width(self) -> int:
        return self.scrollable_content_region.width - 1 - self._selects

    def on_resize(self) -> None:
        """Wrap for the new width."""
        self._resize()
        self._lay_out()

    # --- Moving

    def select(self, index: int) -> None:
        """Select a passage, and bring its head into view."""
        index = max(0, min(index, len(self._wanted) - 1))
        if index != self._selected:
            self._selected = index
            self.post_message(self.Selected())
        if index < len(self._stack.passages):
            top, end = self._stack.bounds(index)
            height = self.scrollable_content_region.height
            if top < self.scroll_offset.y or end - top >= height:
                self._scroll(top)
            elif end > self.scroll_offset.y + height:
                self._scroll(end - height)
        self.refresh()

    def action_step(self, by: int) -> None:
        """Scroll by a row while part of the selected passage is out of view; then go to the next passage."""
        top, bottom = self.scroll_offset.y, self.scroll_offset.y + self.scrollable_content_region.height
        start, end = self._stack.bounds(self._selected) if self._selected < len(self._stack.passages) else (0, 0)
        unseen = end > bottom if by > 0 else start < top
        if not self._selects or unseen:
            self._scroll(top + by)
        else:
            self._step_to(self._selected + by)

    def _step_to(self, index: int) -> None:
        """Go to a neighbour; backwards to its end, if it is longer than the view."""
        backwards = index < self._selected
        self.select(index)
        start, end = self._stack.bounds(self._selected) if self._stack.passages else (0, 0)
        height = self.scrollable_content_region.height
        if backwards and end - start >= height:
            self._scroll(end - height)

    def action_page(self, by: int) -> None:
        """Scroll by a page. The selection moves with it, so that it stays in view."""
        height = self.scrollable_content_region.height
        self._scroll(max(self.scroll_offset.y + by * max(height - 1, 1), 0))
        first, last = (
            self._stack.index_at(self.scroll_offset.y),
            self._stack.index_at(self.scroll_offset.y + height - 1),
        )
        self._select_in_view(min(max(self._selected, first), last))

    def _select_in_view(self, index: int) -> None:
        if index != self._selected:
            self._selected = index
            self.post_message(self.Selected())
            self.refresh()

    def action_first(self) -> None:
        """To the beginning."""
        self._select_in_view(0)
        self._scroll(0)

    def action_last(self) -> None:
        """To the end."""
        self._select_in_view(max(len(self._wanted) - 1, 0))
        self._scroll(self.max_scroll_y)

    def on_click(self, event: events.Click) -> None:
        """A click selects."""
        if self._selects and self._stack.passages:
            self._select_in_view(self._stack.index_at(event.y + self.scroll_offset.y))

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
        width = self.scrollable_content_region.width
        base = self._base
        stack = self._stack
        if y >= stack.height:
            return Strip.blank(width, base)
        is_selected = self._selects and stack.index_at(y) == self._selected
        bar = (("▌" if self.has_focus else "▏") if is_selected and y < stack.bounds(self._selected)[1] else " ", "bar")
        gutter = (bar,) if self._selects else ()
        if stack.is_head(y):
            return self._head(stack.passages[stack.index_at(y)], gutter, width, is_selected=is_selected)
        row = stack.text_row(y)
        if row is None:
            return Strip.blank(width, base)
        return self._text(row, gutter, width)

    def _text(self, row: Row, gutter: tuple[tuple[str, str], ...], width: int) -> Strip:
        base = self._base
        strokes = [Stroke(start, end, self._style(ink)) for start, end, ink in row.line.strokes]
        before = tuple((text, base + self._style(ink)) for text, ink in (*gutter, (row.before, "dim")) if text)
        within = tuple(each for each in strokes if each.start < row.end and each.end > row.start)
        look = Look(row.line.body, row.start, row.end, row.indent, before, base, within)
        if (strip := self._strips.get((look, width))) is None:
            strip = self._strips[look, width] = paint(look, 0, width)
        return strip

    def _head(self, passage: Passage, gutter: tuple[tuple[str, str], ...], width: int, *, is_selected: bool) -> Strip:
        base = self._base + self._style("selected") if is_selected else self._base
        room = width - len(gutter)
        segments = [Segment(text, base + self._style(ink)) for text, ink in gutter]
        for text, ink in passage.head:
            shown = fit(text, room)
            room -= cell_len(shown)
            segments.append(Segment(shown, base + self._style(ink)))
        return Strip(segments).adjust_cell_length(width, base)

    @property
    def _base(self) -> Style:
        if "" not in self._styles_of:
            self._styles_of[""] = self.rich_style
        return self._styles_of[""]

    def _style(self, inks: str) -> Style:
        """The style of one or several inks. Cached: looking one up takes as long as painting a row."""
        if (found := self._styles_of.get(inks or " ")) is None:
            names = [f"passages--{ink}" for ink in inks.split()]
            found = sum((self.get_component_rich_style(name, partial=True) for name in names), Style())
            self._styles_of[inks or " "] = found
        return found

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that the mouse selected, as drawn."""
        first = 0 if selection.start is None else selection.start.y
        last = self._stack.height - 1 if selection.end is None else min(selection.end.y, self._stack.height - 1)
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


def _needs_lexer(passage: Passage) -> bool:
    """Whether it has highlighted code, which may need a lexer to be imported."""
    fenced = passage.render_as is RenderAs.MARKDOWN and any(fence in passage.text for fence in _FENCES)
    return fenced or passage.render_as is RenderAs.HTML
