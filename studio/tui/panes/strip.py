"""The strip at the top: the file, the five panes with their keys, and the prompt that is shown with its score."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from engine.text.spans import visible
from studio.session.views.outline_view import StatusView
from studio.tui.pieces import clickable, fit
from studio.tui.session_screen import studio_of
from studio.tui.window import Pane

_KEYS = {Pane.OUTLINE: " F2", Pane.CRITERIA: " Ctrl+R", Pane.ANSWERS: " Ctrl+K", Pane.TEXT: " Esc"}
_LEAST_NAME = 6


class PaneStrip(Widget):
    """Bright panes are seen, `▌` has the keys. The file's name is cut first, the score never. A click opens a pane, or
    steps through the prompts."""

    DEFAULT_CSS = "PaneStrip { height: 1; background: $panel; color: $ink-dim; }"

    view: reactive[StatusView] = reactive(StatusView(""))
    """The file and the prompt."""
    seen: reactive[Collection[Pane]] = reactive(())
    """The panes that are seen."""
    focused: reactive[Pane] = reactive(Pane.TEXT)
    """The pane that has the keys."""

    def __init__(self, view: StatusView) -> None:
        super().__init__()
        self.auto_links = False
        self.view = view

    def render(self) -> Content:
        """`uk-foia.yml  Outline F2  Criteria Ctrl+R  All answers Ctrl+K  ▌Text Esc  Answer      ‹ 1 of 8 · 72.5 ›`."""
        back, on = (clickable(Content.styled(end, "$ink-dim"), f"step({by})") for end, by in (("‹ ", -1), (" ›", 1)))
        right = Content.assemble(back, (self.view.where, "bold $foreground"), on)
        left = self._left(self.size.width - right.cell_length - 1)
        return Content.assemble(left, " " * max(self.size.width - left.cell_length - right.cell_length - 1, 1), right)

    def _left(self, width: int) -> Content:
        """The file's name and the panes, with their keys beside them as there is room."""
        view, marks = self.view, (" ● not saved", " ●") if self.view.unsaved else ("",)
        note = f"  {visible(view.note)}" if view.note else ""
        with_keys, bare = (Content.assemble(*(self._piece(pane, keys) for pane in Pane)) for keys in (_KEYS, {}))
        for panes in (with_keys, bare):
            for mark in marks:
                room = width - panes.cell_length - 1 - cell_len(mark) - cell_len(note)
                if room >= max(min(_LEAST_NAME, cell_len(view.name)), 1):
                    return Content.assemble(self._file(fit(view.name, room), mark, note), panes)
        return Content.assemble(self._file("", marks[-1], ""), bare)

    def _file(self, name: str, mark: str, note: str) -> Content:
        return Content.assemble((f" {name}", "bold $foreground"), (mark, "$ink-yours"), (note, "$ink-warning"))

    def _piece(self, pane: Pane, keys: Mapping[Pane, str]) -> Content:
        """` ▌Text Esc`."""
        bar = ("▌", "$ink-focus") if pane is self.focused else (" ", "")
        look = "bold $foreground" if pane is self.focused else "$foreground" if pane in self.seen else "$ink-dim"
        key = keys.get(pane, "")
        return clickable(Content.assemble(" ", bar, (pane.value, look), (key, "$ink-dim")), f"open('{pane}')")

    def action_open(self, pane: str) -> None:
        """Open a pane."""
        studio_of(self).open_pane(Pane(pane))

    def action_step(self, by: int) -> None:
        """Step to a neighbouring prompt."""
        studio_of(self).step_to_prompt(by)
