"""The list that completion shows beside the cursor. It never has the focus: the editor gets the keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.geometry import Offset, Region, Size
from textual.strip import Strip
from textual.widget import Widget

from engine.completion import Candidate
from studio.tui.pieces import Piece, fit

_ROWS = 8
"""How many candidates are visible at a time."""

_LEAST, _MOST = 30, 84
"""The least and the greatest width of a row within the border, in cells."""

_NARROW = 52
"""At this width or more the list becomes narrower before it moves left of the word."""

_GAP = 2
_CAUTION = "▲"
_KEYS = "Tab accepts · Esc closes"


class CompletionPopup(Widget, can_focus=False):
    """Candidates, one of them selected, with its summary and its example, if it has one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "popup--selected",
        "popup--dim",
        "popup--bar",
        "popup--warning",
        "popup--strong",
        "popup--doc",
    }

    DEFAULT_CSS = """
    CompletionPopup {
        overlay: screen;
        position: absolute;
        display: none;
        background: $panel;
        color: $foreground;
        border: solid $line-focus;
        border-subtitle-color: $ink-dim;
        & > .popup--selected { background: $row-selected; }
        & > .popup--dim { color: $ink-dim; }
        & > .popup--bar { color: $ink-focus; }
        & > .popup--warning { color: $ink-warning; }
        & > .popup--strong { text-style: bold; }
        & > .popup--doc { background: $surface; }
    }
    """

    def __init__(self, clicked: Callable[[], object]) -> None:
        """`clicked` is called after a click has selected a candidate."""
        super().__init__()
        self._clicked = clicked
        self._candidates: Sequence[Candidate] = ()
        self._selected = 0
        self._top = 0
        self._rows = 0
        self._place = Region()

    @property
    def candidate(self) -> Candidate | None:
        """The selected candidate."""
        return self._candidates[self._selected] if self._candidates else None

    def show(self, candidates: Sequence[Candidate], word: Offset, room: Size, selected: int) -> None:
        """List `candidates` beside the word at `word`, on a screen of the size `room`, with number `selected` selected.

        The list is below the word if there is room, otherwise above it; never off the screen.
        """
        self._candidates = candidates
        self._selected = selected
        below, above = room.height - 1 - (word.y + 1), word.y - 1  # the first and the last row are lines of their own
        wanted = min(len(candidates), _ROWS) + self._doc_rows + 2
        height = min(wanted, max(below, above))
        self._rows = max(1, height - 2 - self._doc_rows)
        self._top = 0
        self._bring_into_view()
        x = max(0, word.x - 2)
        most = min(_MOST + 2, max(room.width - x, _NARROW), room.width)
        before = min(self._place.width, most) if self.display else 0  # it does not become narrower under the eye
        width = before if before == most else max(before, min(self._width() + 2, most))
        x = min(x, room.width - width)
        y = word.y + 1 if height <= below else word.y - height
        self.border_subtitle = f"{len(candidates)} · {_KEYS}" if len(candidates) > self._rows else _KEYS
        self._put(Region(x, y, width, height))

    def _put(self, place: Region) -> None:
        """Move to `place`. The screen is laid out again, the costly part, only for another place."""
        if self.display and place == self._place:
            self.refresh()
            return
        self._place = place
        self.absolute_offset = place.offset
        self.styles.width, self.styles.height = place.size
        self.display = True
        self.refresh(layout=True)

    def hide(self) -> None:
        """Hide the list."""
        self._candidates = ()
        self.display = False

    def move(self, by: int) -> None:
        """Select another candidate: a single step wraps around, a page stops at the ends."""
        last = len(self._candidates) - 1
        there = self._selected + by
        self._selected = there % (last + 1) if abs(by) == 1 else max(0, min(there, last))
        self._bring_into_view()
        self.refresh()

    @property
    def page(self) -> int:
        """How many rows a page moves."""
        return max(1, self._rows - 1)

    @property
    def _doc_rows(self) -> int:
        return 2 if any(each.example for each in self._candidates) else 1

    def _width(self) -> int:
        rows = (cell_len(each.label) + _GAP + cell_len(each.argument) + 3 for each in self._candidates)
        summaries = (cell_len(each.summary) + cell_len(each.caution) + 4 for each in self._candidates)
        examples = (cell_len(each.example) + 2 for each in self._candidates)
        return min(_MOST, max(_LEAST, *rows, *summaries, *examples))

    def _bring_into_view(self) -> None:
        self._top = max(self._selected - self._rows + 1, min(self._top, self._selected))

    def on_click(self, event: events.Click) -> None:
        """Accept the clicked candidate."""
        event.stop()
        at = self._top + event.y - 1
        if 1 <= event.y <= self._rows and at < len(self._candidates):
            self._selected = at
            self._clicked()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move through the candidates with the wheel."""
        event.stop()
        self.move(min(3, len(self._candidates) - 1 - self._selected))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move through the candidates with the wheel."""
        event.stop()
        self.move(-min(3, self._selected))

    def render_line(self, y: int) -> Strip:
        """One candidate, or a line on the selected one."""
        width, candidate = self.content_size.width, self.candidate
        if candidate is None:
            return Strip.blank(width, self.rich_style)
        if y >= self._rows:
            return self._strip(_explained(candidate, y - self._rows, width), "popup--doc", width)
        index = self._top + y
        if index >= len(self._candidates):
            return Strip.blank(width, self.rich_style)
        is_selected = index == self._selected
        pieces = _row(self._candidates[index], width, max(cell_len(each.label) for each in self._candidates))
        bar = "▌" if is_selected else " "
        return self._strip([(bar, "popup--bar"), *pieces], "popup--selected" if is_selected else "", width)

    def _strip(self, pieces: Sequence[Piece], ground: str, width: int) -> Strip:
        base = self.rich_style
        if ground:
            base += self.get_component_rich_style(ground, partial=True)
        segments = [
            Segment(text, base + self.get_component_rich_style(name, partial=True) if name else base)
            for text, name in pieces
        ]
        return Strip(segments).adjust_cell_length(width, base)


def _row(candidate: Candidate, width: int, labels: int) -> list[Piece]:
    """The label, the argument in its own column, and a mark if there is a caution."""
    mark = f" {_CAUTION} " if candidate.caution else ""
    column = min(labels, max(width - 14, width // 2)) + _GAP
    label = set_cell_size(fit(candidate.label, column - 1), column)
    rest = width - 1 - column - len(mark)
    return [(label, ""), (set_cell_size(fit(candidate.argument, rest), rest), "popup--dim"), (mark, "popup--warning")]


def _explained(candidate: Candidate, line: int, width: int) -> list[Piece]:
    if line == 1:
        return [(f" {fit(candidate.example, width - 2)}", "popup--dim")]
    caution = f"{_CAUTION} {candidate.caution} " if candidate.caution else ""
    return [(" ", ""), (caution, "popup--warning"), (fit(candidate.summary, width - 2 - cell_len(caution)), "")]
