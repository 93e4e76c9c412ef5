"""The strip at the top: the file, the five panes with their keys, and the prompt that is shown with its score."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widget import Widget

from engine.text.spans import visible
from studio.session.views.outline_view import StatusView
from studio.tui.pieces import fit
from studio.tui.session_screen import studio_of
from studio.tui.window import Pane

_KEYS = {Pane.OUTLINE: "F2", Pane.CRITERIA: "Ctrl+R", Pane.ANSWERS: "Ctrl+K", Pane.TEXT: "Esc", Pane.ANSWER: ""}
_UNSAVED = " ● not saved", " ●"
_LEAST_NAME = 6


class PaneStrip(Widget):
    """Bright panes are seen, `▌` has the keys. The file's name is cut first, the score never."""

    DEFAULT_CSS = """
    PaneStrip { height: 1; background: $panel; color: $ink-dim; }
    """

    def __init__(self, view: StatusView) -> None:
        super().__init__()
        self._view = view
        self._seen: Collection[Pane] = ()
        self._focused = Pane.TEXT

    def show(self, view: StatusView) -> None:
        """Show the file and the prompt."""
        if view is not self._view:
            self._view = view
            self.refresh()

    def show_panes(self, seen: Collection[Pane], focused: Pane) -> None:
        """Say which panes are seen, and which has the keys."""
        if (seen, focused) != (self._seen, self._focused):
            self._seen, self._focused = seen, focused
            self.refresh()

    def render(self) -> Content:
        """`uk-foia.yml  Outline F2  Criteria Ctrl+R  All answers Ctrl+K  ▌Text Esc  Answer      ‹ 1 of 8 · 72.5 ›`."""
        right = self._right
        name, panes = self._fitted(self.size.width - right.cell_length - 1)
        pieces = [self._piece(pane, with_key=with_key) for pane, with_key in panes]
        left = Content.assemble(name, *pieces)
        gap = " " * max(self.size.width - left.cell_length - right.cell_length - 1, 1)
        return Content.assemble(left, gap, right)

    @property
    def _right(self) -> Content:
        return Content.assemble(("‹ ", "$ink-dim"), (self._view.where, "bold $foreground"), (" ›", "$ink-dim"))

    def _fitted(self, width: int) -> tuple[Content, list[tuple[Pane, bool]]]:
        """The file's name and whether the panes have their keys beside them, as there is room."""
        for with_keys in (True, False):
            panes = [(pane, with_keys) for pane in Pane]
            used = sum(self._piece(pane, with_key=with_keys).cell_length for pane, _ in panes)
            for unsaved in _UNSAVED:
                room = width - used - 1 - (cell_len(unsaved) if self._view.unsaved else 0) - cell_len(self._note)
                if room >= min(_LEAST_NAME, cell_len(self._view.name)) and (with_keys or room > 0):
                    return self._file(room, unsaved), panes
        return self._file(0, _UNSAVED[1]), [(pane, False) for pane in Pane]

    @property
    def _note(self) -> str:
        return f"  {visible(self._view.note)}" if self._view.note else ""

    def _file(self, room: int, unsaved: str) -> Content:
        name = fit(self._view.name, room) if room > 0 else ""
        return Content.assemble(
            (f" {name}", "bold $foreground"),
            (unsaved if self._view.unsaved else "", "$ink-yours"),
            (self._note if room > 0 else "", "$ink-warning"),
        )

    def _piece(self, pane: Pane, *, with_key: bool) -> Content:
        """` ▌Text Esc`."""
        bar = ("▌", "$ink-focus") if pane is self._focused else (" ", "")
        look = "bold $foreground" if pane is self._focused else "$foreground" if pane in self._seen else "$ink-dim"
        key = f" {_KEYS[pane]}" if with_key and _KEYS[pane] else ""
        return Content.assemble(" ", bar, (pane.value, look), (key, "$ink-dim"))

    def _columns(self) -> Iterator[tuple[Pane, int, int]]:
        """The columns of each pane's name."""
        name, panes = self._fitted(self.size.width - self._right.cell_length - 1)
        at = name.cell_length
        for pane, with_key in panes:
            end = at + self._piece(pane, with_key=with_key).cell_length
            yield pane, at, end
            at = end

    def on_click(self, event: events.Click) -> None:
        """Open the pane that was clicked, or step through the prompts."""
        start = self.size.width - self._right.cell_length - 1
        if event.x >= start:
            if event.x < start + 2:
                studio_of(self).step_to_prompt(-1)
            elif event.x >= self.size.width - 3:
                studio_of(self).step_to_prompt(1)
            return
        for pane, at, end in self._columns():
            if at <= event.x < end:
                studio_of(self).open_pane(pane)
