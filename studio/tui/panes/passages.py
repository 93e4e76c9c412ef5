"""A list of texts to read: passages under headings, one of them selected, or one without a heading."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from typing import ClassVar, cast

from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.selection import Selection
from textual.strip import Strip

from engine.blueprint import RenderAs
from engine.text.record import Record
from engine.text.spans import Span, visible
from studio.tui.editor.find_bar import find_all
from studio.tui.editor.painting import Look, Stroke, paint
from studio.tui.panes.rendering import INKS, TextLayout, lay_out
from studio.tui.paragraphs import Line
from studio.tui.tall_list import DIM, STRONG, TallList

_HEAVY = 6_000
"""From this many code points on, text is laid out off the event loop: it would take too much of a frame."""
_FENCES = "```", "~~~"


class Passage(Record):
    """One text, and the lines above it. Passages with the same `key` are the same passage with another text."""

    key: str
    text: str
    heads: tuple[Line, ...] = ()
    render_as: RenderAs = RenderAs.PLAINTEXT
    evidence: tuple[Span, ...] = ()

    @property
    def needs_lexer(self) -> bool:
        """Whether it has highlighted code, for which a lexer may have to be imported."""
        fenced = self.render_as is RenderAs.MARKDOWN and any(fence in self.text for fence in _FENCES)
        return fenced or self.render_as is RenderAs.HTML


class Drawn(Sequence[Line]):
    """A passage laid out: the lines above it, and the rows of its text."""

    def __init__(self, passage: Passage, text: TextLayout) -> None:
        self.passage = passage
        self.text = text
        self.above = len(passage.heads)
        """How many lines stand above the text."""

    def __len__(self) -> int:
        return self.above + (self.text.height if self.passage.text else 0)

    def __getitem__(self, part: int) -> Line:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.passage.heads[part] if part < self.above else ()


class Passages(TallList[Passage]):
    """What is read stays in place: only another text, evidence that is brought, and words that are found move it. The
    end is followed while it is in view and the text grows. The filter lights its words."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*(f"passages--{ink}" for ink in INKS), "passages--lit"}
    DEFAULT_CSS = "\n".join(
        (
            "Passages > .passages--lit { background: $row-selected; text-style: bold; }",
            *(f"Passages > .passages--{ink} {{ {look}; }}" for ink, look in INKS.items()),
            "Passages.-closest > .passages--found { color: $ink-closest; }",
        )
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._texts: dict[str, TextLayout] = {}
        self._grows = self._follows = self._starts = self._brings = False
        self._hits: Sequence[tuple[int, Span]] = ()
        """The places that are found: a passage by its index, and a span of its text. The one at `_hit` is lit."""
        self._hit = 0
        self._strips: LRUCache[tuple[Look, int], Strip] = LRUCache(512)

    # --- What is shown

    def read(self, passages: tuple[Passage, ...], *, grows: bool = False, at: int = 0) -> None:
        """Show `passages`; `grows`: text is being added to the one at index `at`.

        Other ones than before, by the key of the first, are read from the start, or from the one at index `at`.
        """
        before = self._all[0].key if self._all else None
        self._grows = grows
        if passages and passages[0].key != before:
            self._starts, self._texts = True, {}
        follows = self._starts or (grows and self._is_at_end)
        if passages != self._all:
            self.show(passages, selected=passages[at].key if follows and passages else None)

    def bring_evidence(self) -> None:
        """Bring the first evidence into view, once it is laid out."""
        self._brings = True
        self._keep_in_view()

    @property
    def is_laid_out(self) -> bool:
        """Whether what is drawn is what is to be read."""
        return bool(self._drawn) and [each.passage for each in self._drawn] == [*self.rows]

    @property
    def _drawn(self) -> Sequence[Drawn]:
        return cast("Sequence[Drawn]", self._laid.lines)

    def key(self, row: Passage) -> str:
        return row.key

    def draw(self, row: Passage, width: int, most: int | None) -> Drawn:
        text = lay_out(row.text, row.render_as, row.evidence, width - 1, self._texts.get(row.key))
        self._texts[row.key] = text
        return Drawn(row, text)

    def takes_long(self, rows: Sequence[Passage], width: int) -> bool:
        """Whether many code points must be read anew, or a lexer."""
        costs = [(each, self._cost(each, width - 1)) for each in rows]
        return sum(cost for _, cost in costs) > _HEAVY or any(cost and each.needs_lexer for each, cost in costs)

    def _cost(self, row: Passage, width: int) -> int:
        before = self._texts.get(row.key)
        return len(row.text) if before is None else before.costs(row.text, row.evidence, width)

    # --- Where it is read

    @property
    def _is_at_end(self) -> bool:
        return self.scroll_offset.y >= self.max_scroll_y

    def _resize(self) -> None:
        """Set the size, and note whether the end was in view."""
        self._follows = self._grows and self._is_at_end
        super()._resize()

    def _keep_in_view(self) -> None:
        """Go where it is read next; otherwise nothing moves."""
        if self._follows:
            self._follows = False
            self._scroll(self.max_scroll_y)
        if not self.is_laid_out:
            return
        if self._starts:
            self._starts = False
            self._scroll(0)
            self._go_to(self.at)
        if self._brings:
            self._brings = False
            places = ((at, min(each.evidence)) for at, each in enumerate(self.rows) if each.evidence)
            if (place := next(places, None)) is not None:
                self._reveal(*place)

    def _reveal(self, index: int, span: Span) -> None:
        """Scroll no further than brings a place into view."""
        drawn = self._drawn[index]
        first, last = (drawn.text.row_of(offset) for offset in (span.start, max(span.end - 1, span.start)))
        self._scroll_to_see(self._top(index) + drawn.above + first, self._top(index) + drawn.above + last + 1)

    def _scroll_to_see(self, first: int, end: int) -> None:
        self._scroll(min(max(self.scroll_offset.y, end - self._room), first))

    def _go_to(self, at: int, *, from_end: bool = False) -> None:
        """Select a passage; of one that is taller than the view, its start or its end is seen."""
        self.at = at
        first, end = self._top(self.at), self._top(self.at + 1)
        self._scroll_to_see(max(first, end - self._room) if from_end else first, end)

    def action_move(self, by: int) -> None:
        """Scroll by a row while part of the selected passage is out of view; then go to the next passage."""
        top, first, end = self.scroll_offset.y, self._top(self.at), self._top(self.at + 1)
        is_unseen = end > top + self._room if by > 0 else first < top
        if is_unseen or not 0 <= self.at + by < len(self.rows):
            self._scroll(top + by)
        else:
            self._go_to(self.at + by, from_end=by < 0)

    def action_page(self, by: int) -> None:
        """Scroll by a page. The selection moves with it, so that it stays in view."""
        self._scroll(self.scroll_offset.y + by * max(self._room - 1, 1))
        top = self.scroll_offset.y
        first, last = (bisect_right(self._laid.tops, line) - 1 for line in (top, top + self._room - 1))
        self.at = min(max(self.at, first), last)

    def action_move_to(self, at: int) -> None:
        """To the beginning (0) or the end (-1)."""
        self._go_to(at if at >= 0 else len(self.rows) - 1, from_end=at < 0)

    def action_more(self) -> None:
        """The next page."""
        self.action_page(1)

    def action_choose(self) -> None:
        """A click on the selected passage does nothing more."""

    # --- Finding

    def _found(self) -> Sequence[Passage]:
        return self._all

    def _show(self, selected: Hashable = None) -> None:
        self._hits = [(at, span) for at, each in enumerate(self._all) for span in find_all(each.text, self.filter)]
        self._hit = self._hit % len(self._hits) if self._hits else 0
        super()._show(selected)
        if self._hits and self.is_laid_out:
            self._reveal(*self._hits[self._hit])

    def on_key(self, event: events.Key) -> None:
        """Go to the next place that was found, or to the one before."""
        if self._is_filtering and event.key in ("enter", "down", "up"):
            event.stop()
            event.prevent_default()
            self._hit += -1 if event.key == "up" else 1
            self._show()

    def _filter_line(self) -> Line | None:
        if not self._is_filtering:
            return None
        count = f"{self._hit + 1} of {len(self._hits)}" if self._hits else "not found" if self.filter else ""
        keys = f"▌  {count}   Enter next · ↑ back · Esc ends"
        return (("/ ", DIM), (visible(self.filter), STRONG), (keys, DIM))

    # --- Painting

    def _row_strip(self, at: int, part: int) -> Strip:
        drawn, width = self._drawn[at], self.scrollable_content_region.width
        is_selected = at == self.at and drawn.above > 0
        bar = ("▌" if self.has_focus else "▏") if is_selected else " "
        if part < drawn.above:
            line = drawn[part]
            style = self._style("") + self._style("list--selected") if is_selected and line else self._style("")
            return self._strip(line, style, bar if line else " ")
        row, lit = drawn.text.row(part - drawn.above), self._lit_columns(at, part - drawn.above)
        strokes = [Stroke(start, end, self._ink(inks)) for start, end, inks in row.line.strokes]
        if lit is not None:
            strokes.append(Stroke(*lit, self._ink("lit")))
        base = self._style("")
        gutter = (("▌" if lit else bar, base + self._style("list--focus")), (row.before, base + self._ink("dim")))
        within = tuple(each for each in strokes if each.start < row.end and each.end > row.start)
        look = Look(row.line.body, row.start, row.end, row.indent, gutter, base, within)
        if (strip := self._strips.get((look, width))) is None:
            strip = self._strips[look, width] = paint(look, 0, width)
        return strip

    def _lit_columns(self, at: int, row: int) -> tuple[int, int] | None:
        """The columns of a row that are lit."""
        index, span = self._hits[self._hit] if self._hits and self.is_laid_out else (-1, Span(0, 0))
        return self._drawn[at].text.columns_of(row, span) if index == at else None

    def _ink(self, inks: str) -> Style:
        """The style of one or several inks."""
        return sum((self._style(f"passages--{ink}") for ink in inks.split()), Style())

    def notify_style_update(self) -> None:
        """Drop the rows made with the former colours."""
        self._strips.clear()
        super().notify_style_update()

    # --- Selecting text with the mouse

    def render_line(self, y: int) -> Strip:
        """Paint one line of the pane, and what the mouse selected of it."""
        at, strip = y + self.scroll_offset.y, super().render_line(y)
        if y < self._top_lines:
            return strip
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(at)) is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            parts = strip.divide([start, strip.cell_length if end < 0 else end, strip.cell_length])
            strip = Strip.join([part.apply_style(style) if number == 1 else part for number, part in enumerate(parts)])
        return strip.apply_offsets(0, at)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that the mouse selected, as drawn."""
        parts = ((at, part) for at, each in enumerate(self._drawn) for part in range(len(each)))
        rows = [self._row_strip(at, part).text.rstrip() for at, part in parts]
        return selection.extract("\n".join([""] * self._top_lines + rows)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selected text."""
        self.refresh()
