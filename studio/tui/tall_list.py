"""The list of all panes: rows as tall as their text, one of them selected, and below them what belongs to it.

Nothing unfolds, so an arrow moves no row. Only rows in view are painted.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engine.text.record import Record
from engine.text.spans import visible
from studio.tui.key_bindings import Placed
from studio.tui.paragraphs import Line, paragraph
from studio.tui.pieces import Piece

Row = TypeVar("Row")
_MOST_AT_ONCE = 150
"""More rows than these are laid out off the event loop: it would take too much of a frame."""
_FOOT = 0.6
"""The share of a pane that the foot takes at most while rows are out of view."""
_INKS = {
    "dim": "color: $ink-dim",
    "strong": "text-style: bold",
    "error": "color: $ink-error",
    "warning": "color: $ink-warning",
    "hint": "color: $ink-hint",
    "met": "color: $ink-met",
    "partly": "color: $ink-partly",
    "unmet": "color: $ink-unmet",
    "yours": "color: $ink-yours",
    "closest": "color: $ink-closest",
    "focus": "color: $ink-focus",
    "line": "color: $line-focus",
    "selected": "background: $row-selected",
}
DIM, STRONG, ERROR, WARNING, HINT, MET, PARTLY, UNMET, YOURS, CLOSEST, FOCUS, LINE, SELECTED = (
    f"list--{ink}" for ink in _INKS
)
"""What styles a piece of a line."""


def rule(width: int) -> Line:
    """The thin line between what stands above or below a list and its rows."""
    return (("─" * width, LINE),)


def lowest_first(score: float | None) -> tuple[bool, float]:
    """What rows are sorted by with the lowest score first, and those without one last."""
    return score is None, score or 0.0


class _Laid(Record):
    """Rows at one width: the lines of each, and the first line of each with the number of all at the end."""

    lines: tuple[Sequence[Line], ...] = ()
    tops: tuple[int, ...] = (0,)

    @property
    def height(self) -> int:
        return self.tops[-1]


class TallList(Placed, ScrollView, Generic[Row], can_focus=True):
    """A list of rows. Subclasses say how a row is drawn, what identifies it, and what stands below the list."""

    LEAST: ClassVar[int] = 0
    """Lines that a row keeps where not all rows have room; 0 where rows are never cut."""
    FILTERS: ClassVar[str] = ""
    """Words that the filter takes beside those of rows."""
    ORDERS: ClassVar[Mapping[str, Callable[[Any], Any] | None]] = {}
    """What gives rows their places, by the name of the order; None leaves them as they are given. The first is used
    until the author sorts."""
    HEADS: ClassVar[int] = 0
    """So many of the first rows are not sorted."""
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"list--{ink}" for ink in _INKS}
    DEFAULT_CSS = "\n".join(
        (
            "TallList { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; scrollbar-gutter: stable;"
            " background: $background; height: 1fr; }",
            *(f"TallList > .list--{ink} {{ {look}; }}" for ink, look in _INKS.items()),
        )
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "move_to(0)", "First", show=False),
        Binding("end", "move_to(-1)", "Last", show=False),
        Binding("slash", "filter", "Filter", show=False),
        Binding("space", "more", "More", show=False),
    ]
    at: reactive[int] = reactive(0)
    """The index of the selected row among those that are shown."""

    class Selected(Message):
        """Another row was selected, by key or click."""

    class Chosen(Selected):
        """The selected row was chosen: by Enter, or a click on the selected row."""

    def __init__(self, empty: str = "", *, id: str | None = None) -> None:
        """`empty` is shown while there are no rows: the next step for the author, in one line."""
        super().__init__(id=id)
        self._empty = empty
        self._all: Sequence[Row] = ()
        self.rows: Sequence[Row] = ()
        """The rows that are shown: all, or those that the filter finds."""
        self._laid = _Laid()
        self._known: dict[Hashable, tuple[Row, int, int | None, Sequence[Line]]] = {}
        self._heads: Sequence[Line] = ()
        self._foot: Sequence[Line] = ()
        self._foot_at = 0
        self.filter = ""
        """The words that rows are filtered by, "" for none."""
        self._is_filtering = False
        self.order = next(iter(self.ORDERS), "")
        """What the rows are sorted by, of `ORDERS`."""
        self._places: Mapping[Hashable, int] = {}
        self._is_laying_out = False
        self._styles_of: dict[str, Style] = {}

    # --- What subclasses say

    def draw(self, row: Row, width: int, most: int | None) -> Sequence[Line]:
        """The lines of a row, at most so many; None for all. Called off the event loop where there are many rows."""
        raise NotImplementedError

    def key(self, row: Row) -> Hashable:
        """What identifies a row across refreshes."""
        return row  # pyright: ignore[reportReturnType]

    def is_selectable(self, row: Row) -> bool:
        """Whether the row can be selected; headings cannot."""
        return True

    def facets(self, row: Row) -> str:
        """What the filter looks for: the words of a row, and what is true of it, such as `failing`."""
        return ""

    def head(self, width: int) -> Sequence[Line]:
        """What stands above the list, and stays there."""
        return ()

    def takes_long(self, rows: Sequence[Row], width: int) -> bool:
        """Whether laying out `rows` takes too much of a frame."""
        return sum(self._drawn_before(row, width, None) is None for row in rows) > _MOST_AT_ONCE

    def foot(self, row: Row, width: int) -> Sequence[Line]:
        """What belongs to the selected row, below the list and a rule."""
        return ()

    def least_foot(self, width: int) -> int:
        """How many lines the foot takes at least, whichever row is selected: rows that are cut leave these free."""
        return 0

    @property
    def acts(self) -> Mapping[str, bool]:
        """Of actions that may have nothing to act on, by their ids: whether they have something."""
        return {}

    @property
    def idle_actions(self) -> frozenset[str]:
        """The ids of the actions that have nothing to act on."""
        acts = {"sort": len(self._all) > self.HEADS + 1, **self.acts}
        return frozenset(id for id, does in acts.items() if not does)

    # --- Rows

    @property
    def row(self) -> Row | None:
        """The selected row."""
        return self.rows[self.at] if 0 <= self.at < len(self.rows) else None

    @property
    def is_cut(self) -> bool:
        """Whether the selected row has more lines than are shown."""
        laid, row = self._laid.lines, self.row
        return row is not None and self.at < len(laid) and len(laid[self.at]) < len(self.draw(row, self._width, None))

    def show(self, rows: Sequence[Row], *, empty: str | None = None, selected: Hashable = None) -> None:
        """Show `rows`. The selected one stays selected, and its line stays where it is; `selected` is the key of
        another one to select."""
        if empty is not None:
            self._empty = empty
        if rows is self._all and selected is None:
            return
        self._all = rows
        if self._by is not None and self._places.keys() != {self.key(row) for row in rows}:
            self.put_in_order()
        self._show(selected)

    def _show(self, selected: Hashable = None) -> None:
        before = self.row
        wanted = selected if selected is not None else None if before is None else self.key(before)
        held = self._top(self.at) - self.scroll_offset.y
        self.rows = self._found()
        at = next((n for n, row in enumerate(self.rows) if self.key(row) == wanted), min(self.at, len(self.rows) - 1))
        self.set_reactive(TallList.at, self.validate_at(at))
        self._lay_out()
        if before is not None and selected is None:
            self._scroll(self._top(self.at) - held)
        self._keep_in_view()
        self.draw_foot()

    def select(self, key: Hashable) -> bool:
        """Select the row with this key, without posting `Selected`; whether there is one."""
        at = next((n for n, row in enumerate(self.rows) if self.key(row) == key), None)
        if at is None:
            return False
        if at != self.at:
            with self.prevent(TallList.Selected):
                self.at = at
        return True

    def action_choose(self) -> None:
        """Choose the selected row."""
        if self.row is not None:
            self.post_message(self.Chosen())

    # --- The order

    def action_sort(self) -> None:
        """Sort by the next of the orders."""
        orders = [*self.ORDERS]
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]
        self.put_in_order()
        self._show()
        self.notify(f"Sorted {self.order}.", timeout=4, markup=False)

    def put_in_order(self) -> None:
        """Set the places of rows by the order. They keep them until rows come or go: no verdict and no grade moves
        one."""
        by = self._by
        rows = [] if by is None else [*self._all[: self.HEADS], *sorted(self._all[self.HEADS :], key=by)]
        self._places = {self.key(row): place for place, row in enumerate(rows)}

    @property
    def _by(self) -> Callable[[Row], Any] | None:
        """What gives a row its place; None for rows that stand as they are given."""
        return self.ORDERS.get(self.order)

    # --- The filter

    def action_filter(self) -> None:
        """Take the words to filter by."""
        self._is_filtering = True
        self._show()

    def end_filter(self) -> bool:
        """Show all rows again; whether some were left out."""
        was = bool(self.filter) or self._is_filtering
        self.filter, self._is_filtering = "", False
        if was:
            self._show()
        return was

    def _found(self) -> Sequence[Row]:
        wanted = self.filter.casefold().split()
        rows = self._all
        if self._by is not None:
            rows = sorted(rows, key=lambda row: self._places[self.key(row)])
        if not wanted:
            return rows
        return [row for row in rows if all(word in self.facets(row).casefold() for word in wanted)]

    def on_key(self, event: events.Key) -> None:
        """Type the words to filter by; Escape shows all rows again."""
        if not self._is_filtering and not (self.filter and event.key == "escape"):
            return
        match event.key:
            case "enter":
                self._is_filtering = False
            case "escape":
                self.end_filter()
            case "backspace":
                self.filter = self.filter[:-1]
            case _ if event.is_printable and event.character:
                self.filter += event.character
            case _:
                return
        event.stop()
        event.prevent_default()
        self._show()

    def _filter_line(self) -> Line | None:
        """The words of the filter, in the place of the first line of the head."""
        if not self.filter and not self._is_filtering:
            return None
        cursor = "▌" if self._is_filtering else ""
        if not self.filter and self.FILTERS:
            return (("/ ", DIM), (cursor, STRONG), (f"  {self.FILTERS}", DIM))
        found, every = (sum(bool(self.facets(row)) for row in rows) for rows in (self.rows, self._all))
        count = f"{found} of {every}"
        return (("/ ", DIM), (f"{visible(self.filter)}{cursor}", STRONG), (f"  {count} · Esc shows all", DIM))

    # --- Laying out

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width - 1

    @property
    def _top_lines(self) -> int:
        return len(self._heads)

    @property
    def _foot_lines(self) -> int:
        """How many lines the foot takes: all, unless rows would be out of view."""
        height = self.scrollable_content_region.height
        free = max(height - self._laid.height - self._top_lines, int(height * _FOOT))
        return min(len(self._foot), free)

    @property
    def _room(self) -> int:
        """How many lines there are for rows."""
        return max(self.scrollable_content_region.height - self._top_lines - self._foot_lines, 1)

    def _top(self, at: int) -> int:
        return self._laid.tops[at] if 0 <= at < len(self._laid.tops) else 0

    def _lay_out(self) -> None:
        width = self._width
        if width <= 0:
            return
        self.draw_head()
        if not self.takes_long(self.rows, width):
            self._take(self._laid_out(self.rows, width, self.scrollable_content_region.height))
        elif not self._is_laying_out:
            self._is_laying_out = True
            self.run_worker(self._lay_out_in_thread(), group="laying-out")

    async def _lay_out_in_thread(self) -> None:
        """Lay out until what is wanted is shown. Of rows that change meanwhile, each layout is shown."""
        try:
            rows: Sequence[Row] | None = None
            while rows is not self.rows and self._width > 0:
                rows, size = self.rows, self.scrollable_content_region.size
                laid = await asyncio.to_thread(self._laid_out, rows, size.width - 1, size.height)
                if size != self.scrollable_content_region.size:
                    rows = None
                elif [*map(self.key, rows)] == [*map(self.key, self.rows)]:
                    self._take(laid)
                    self._keep_in_view()
                    self.draw_foot()
        finally:
            self._is_laying_out = False

    def _laid_out(self, rows: Sequence[Row], width: int, height: int) -> _Laid:
        """The lines of all rows: whole if they fit or are never cut; otherwise the least, and more while lines are
        free."""
        lines = whole = [self._lines_of(row, width, None) for row in rows]
        room = height - self.least_foot(width)
        if self.LEAST and sum(map(len, lines)) > room:
            pairs = zip(rows, whole, strict=True)
            lines = [each if len(each) <= self.LEAST else self._lines_of(row, width, self.LEAST) for row, each in pairs]
            spare = room - sum(map(len, lines))
            for number, row in enumerate(rows):
                if spare > 0 and len(lines[number]) < len(whole[number]):
                    spare += len(lines[number])
                    lines[number] = self._lines_of(row, width, min(len(whole[number]), spare))
                    spare -= len(lines[number])
        return _Laid(tuple(lines), (0, *accumulate(map(len, lines))))

    def _lines_of(self, row: Row, width: int, most: int | None) -> Sequence[Line]:
        lines = self._drawn_before(row, width, most)
        if lines is None:
            lines = self.draw(row, width, most)
            self._known[self.key(row), most is None] = row, width, most, lines
        return lines

    def _drawn_before(self, row: Row, width: int, most: int | None) -> Sequence[Line] | None:
        known = self._known.get((self.key(row), most is None))
        return known[3] if known is not None and known[1:3] == (width, most) and known[0] == row else None

    def _take(self, laid: _Laid) -> None:
        self._laid = laid
        if len(self._known) > 4 * len(self.rows) + 64:
            self._known.clear()
        self._resize()
        self.refresh()

    def _resize(self) -> None:
        """Set the virtual size for the rows. Not by the reactive, which would lay out the whole screen again."""
        height = max(self._laid.height + self._top_lines + self._foot_lines, 1)
        size = Size(self.scrollable_content_region.width, height)
        if size != self.virtual_size:
            self.set_reactive(TallList.virtual_size, size)  # pyright: ignore[reportArgumentType]
            self._scroll_update(size)

    def on_resize(self) -> None:
        """Lay out for the new size."""
        self._lay_out()
        self.draw_foot()

    def draw_again(self) -> None:
        """Draw all rows again, where what they are drawn from changed beside them."""
        self._known.clear()
        self._lay_out()
        self.draw_foot()

    def draw_foot(self) -> None:
        """Draw anew what belongs to the selected row."""
        row = self.row
        foot = () if row is None or self._width <= 0 else self.foot(row, self._width)
        self._foot = (rule(self._width), *foot) if foot else ()
        self._foot_at = 0
        self._resize()
        self._keep_in_view()
        self.refresh()

    def draw_head(self) -> None:
        """Draw anew what stands above the list."""
        line, head = self._filter_line(), self.head(self._width)
        self._heads = head if line is None else (line, *head[1:])
        self._resize()
        self.refresh()

    # --- Moving

    def validate_at(self, at: int) -> int:
        """The nearest row that can be selected; of two, the one below."""
        count = len(self.rows)
        at = max(0, min(at, count - 1))
        near = (place for away in range(count) for place in (at + away, at - away) if 0 <= place < count)
        return next((place for place in near if self.is_selectable(self.rows[place])), at)

    def watch_at(self) -> None:
        """Bring the selection into view, and report it."""
        if not self.is_mounted:
            return
        self.draw_foot()
        if self.rows:
            self.post_message(self.Selected())

    def _scroll(self, y: int) -> None:
        if self.is_attached:
            self.scroll_to(y=max(y, 0), animate=False, force=True, immediate=True)

    def _keep_in_view(self) -> None:
        """Scroll until the selected row and the headings right above it are in view, from the first line if they are
        taller."""
        if not self.rows or not self._laid.lines or self._width <= 0:
            return
        first, end = self.at, self._top(self.at + 1)
        while first and not self.is_selectable(self.rows[first - 1]):
            first -= 1
        if end > self.scroll_offset.y + self._room:
            self._scroll(end - self._room)
        if self._top(first) < self.scroll_offset.y:
            self._scroll(self._top(first))

    def action_move(self, by: int) -> None:
        """To the next line of a row that is taller than the pane, else to the next row that can be selected."""
        top, room = self.scroll_offset.y, self._room
        if (by > 0 and self._top(self.at + 1) > top + room) or (by < 0 and self._top(self.at) < top):
            self._scroll(top + by)
            return
        at = self.at + by
        while 0 <= at < len(self.rows):
            if self.is_selectable(self.rows[at]):
                self.at = at
                return
            at += by

    def action_page(self, by: int) -> None:
        """One page up or down."""
        line = self._top(self.at) + by * max(self._room - 1, 1)
        at = bisect_right(self._laid.tops, max(line, 0)) - 1
        self.at = at if at != self.at else self.at + by

    def action_move_to(self, at: int) -> None:
        """To the first (0) or last (-1) row."""
        self.at = at if at >= 0 else len(self.rows) - 1

    def action_more(self) -> None:
        """The next page of the foot; from its end, the first."""
        shown = self._foot_lines
        self._foot_at = 0 if self._foot_at + shown >= len(self._foot) else self._foot_at + max(shown - 1, 1)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click selects; on the selected row it chooses."""
        at = self.row_at(event.y)
        if at is not None:
            if at == self.at:
                self.action_choose()
            self.at = at

    def row_at(self, y: int) -> int | None:
        """The index of the row that is painted on this line of the pane; None where there is none to select."""
        line = y - self._top_lines
        if not 0 <= line < self._room:
            return None
        at = bisect_right(self._laid.tops, line + self.scroll_offset.y) - 1
        return at if at < len(self.rows) and self.is_selectable(self.rows[at]) else None

    # --- Painting

    def render_line(self, y: int) -> Strip:
        """Paint one line of the pane."""
        if y < self._top_lines:
            return self._strip(self._heads[y], self._style(""), " ")
        y -= self._top_lines
        line, room = y + self.scroll_offset.y, self._room
        below = min(self._laid.height - self.scroll_offset.y, room)  # where the foot begins
        if not self.rows:
            return self._nothing(y)
        if y < below:
            at = bisect_right(self._laid.tops, line) - 1
            return self._row_strip(at, line - self._laid.tops[at])
        number = y - below + self._foot_at
        if y - below < self._foot_lines and number < len(self._foot):
            return self._strip(self._foot[number], self._style(""), " ")
        return Strip.blank(self.scrollable_content_region.width, self._style(""))

    def _nothing(self, y: int) -> Strip:
        text = "Nothing here has these words." if self.filter else self._empty
        lines = paragraph(text, self._width, ink=DIM) if text else []
        return self._strip(lines[y] if y < len(lines) else (), self._style(""), " ")

    def _row_strip(self, at: int, part: int) -> Strip:
        is_selected = at == self.at and self.is_selectable(self.rows[at])
        style = self._style("") + self._style(SELECTED) if is_selected else self._style("")
        bar = ("▌" if self.has_focus else "▏") if is_selected else " "
        return self._strip(self._laid.lines[at][part], style, bar)

    def _strip(self, line: Iterable[Piece], base: Style, bar: str) -> Strip:
        pieces = ((bar, FOCUS), *line)
        segments = [Segment(text, base + self._style(ink) if ink else base) for text, ink in pieces]
        return Strip(segments).adjust_cell_length(self.scrollable_content_region.width, base)

    def _style(self, ink: str) -> Style:
        """The style of a component class, "" for that of the list. Looking one up takes as long as painting a line."""
        if ink not in self._styles_of:
            self._styles_of[ink] = self.get_component_rich_style(ink, partial=True) if ink else self.rich_style
        return self._styles_of[ink]

    def notify_style_update(self) -> None:
        """Drop the styles of the former colours."""
        self._styles_of.clear()
        super().notify_style_update()
