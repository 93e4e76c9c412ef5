"""Find, replace and go to line: one row at the bottom of the editor that Escape closes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Label

from engine.text.spans import Span, TextEdit
from studio.tui.closing import ClosesOnce

if TYPE_CHECKING:
    from studio.tui.editor.blueprint_editor import BlueprintEditor


MOST_MATCHES = 5_000
"""How many matches are shown and stepped through: more would delay the keys."""


def find_all(text: str, wanted: str) -> list[Span]:
    """The spans of `wanted` in `text`, left to right, without overlaps.

    The search is case-sensitive if `wanted` has a capital letter.
    """
    return list(_matches(text, wanted, 0))


def find_most(text: str, wanted: str, start: int) -> tuple[list[Span], bool]:
    """As `find_all`, but at most `MOST_MATCHES`, and whether that are all; if not, the first at or after `start`.

    After the end of the text the search goes on at its beginning.
    """
    found = list(islice(_matches(text, wanted, 0), MOST_MATCHES + 1))
    if len(found) <= MOST_MATCHES:
        return found, True
    after = islice(_matches(text, wanted, start), MOST_MATCHES)
    return list(islice(chain(after, found), MOST_MATCHES)), False


def _matches(text: str, wanted: str, start: int) -> Iterator[Span]:
    if wanted:
        flags = re.NOFLAG if any(character.isupper() for character in wanted) else re.IGNORECASE
        yield from (Span(*match.span()) for match in re.compile(re.escape(wanted), flags).finditer(text, start))


class _Bar(ClosesOnce[None]):
    """One row over the bottom of the editor. A click elsewhere closes it."""

    DEFAULT_CSS = """
    _Bar {
        background: transparent;
        & > Horizontal { position: absolute; height: 1; background: $panel; padding: 0 1; }
        & Label { width: auto; color: $text-muted; margin: 0 1 0 0; }
        & Label.count { min-width: 12; text-align: right; margin: 0 2 0 1; color: $foreground; }
        & Input { width: 1fr; min-width: 8; height: 1; border: none; padding: 0 1; background: $background; }
        & Input:focus { border: none; background: $boost; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]

    def __init__(self, editor: BlueprintEditor) -> None:
        super().__init__()
        self._editor = editor
        self.styles.background = "transparent"  # whatever the app sets for its screens: the text stays visible

    def on_mount(self) -> None:
        """Move to the bottom of the editor."""
        self._place()
        self.query(Input).first().focus()

    def on_resize(self) -> None:
        """Follow the editor after its own layout."""
        self.call_after_refresh(self._place)

    def _place(self) -> None:
        region = self._editor.region
        bar = self.query_one(Horizontal)
        bar.styles.width = region.width
        bar.styles.offset = (region.x, max(0, region.bottom - 1))

    def on_click(self, event: events.Click) -> None:
        """A click beside the bar closes it."""
        if event.widget is self:
            self.action_close()

    def action_close(self) -> None:
        """Close the bar and return to the text."""
        self.dismiss()


class FindBar(_Bar):
    """Finds as you type; Enter and Down go to the next match, Up to the previous; Tab leads to the replacement."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,ctrl+f", "step(1)", "Next", show=False, priority=True),
        Binding("up", "step(-1)", "Previous", show=False, priority=True),
        Binding("ctrl+r", "replace_all", "Replace all", show=False, priority=True),
    ]

    def __init__(self, editor: BlueprintEditor, wanted: str) -> None:
        super().__init__(editor)
        self._wanted = wanted
        self._from = min(editor.offset_at(at) for at in editor.selection)
        self._found: Sequence[Span] = ()
        self._is_all = True
        self._current = 0

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Label("Find")
            yield Input(self._wanted, placeholder="Enter next · ↑ back", id="find")
            yield Label("", classes="count")
            yield Label("Replace")
            is_read_only = self._editor.read_only
            placeholder = "read-only" if is_read_only else "Enter one · Ctrl+R all"
            yield Input(placeholder=placeholder, id="replace", disabled=is_read_only)

    def on_mount(self) -> None:
        self._search()

    @on(Input.Changed, "#find")
    def _search(self) -> None:
        self._wanted = self.query_one("#find", Input).value
        self._found, self._is_all = find_most(self._editor.text_out(), self._wanted, self._from)
        before = bisect_left(self._found, self._from, key=lambda span: span.start) if self._is_all else 0
        self._current = before % max(1, len(self._found))
        self._show()

    @on(Input.Submitted, "#find")
    def _next(self) -> None:
        self.action_step(1)

    def action_step(self, by: int) -> None:
        """Go to the next match (1) or the previous one (-1), wrapping around the text."""
        if self._found:
            if not self._is_all and self._current + by >= len(self._found):
                self._from = self._found[-1].end
                self._search()
                return
            self._current = (self._current + by) % len(self._found)
            self._from = self._found[self._current].start
            self._show()

    @on(Input.Submitted, "#replace")
    def _replace(self, event: Input.Submitted) -> None:
        if not self._editor.is_refused() and self._found:
            span = self._found[self._current]
            self._editor.apply_edits([TextEdit(span, event.value)])
            self._from = span.start + len(event.value)
            self._search()

    def action_replace_all(self) -> None:
        """Replace all matches as one step of undo."""
        if not self._editor.is_refused() and self._found:
            new = self.query_one("#replace", Input).value
            found = self._found if self._is_all else find_all(self._editor.text_out(), self._wanted)
            self._editor.apply_edits([TextEdit(span, new) for span in found])
            self._search()

    def _show(self) -> None:
        count = self.query_one(".count", Label)
        if self._found:
            of = len(self._found) if self._is_all else f"over {MOST_MATCHES:,}"
            count.update(Content(f"{self._current + 1} of {of}"))
        else:
            count.update(Content("not found" if self._wanted else ""))
        self._editor.show_matches(self._found, self._current)

    def action_close(self) -> None:
        if self._found:
            self._editor.select_span(self._found[self._current])
        self._editor.show_matches((), 0)
        super().action_close()


class GoToLine(_Bar):
    """Asks for a line number and goes there."""

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Label(Content(f"Go to line (1–{self._editor.document.line_count})"))
            yield Input(type="integer", id="line")

    @on(Input.Submitted)
    def _go(self, event: Input.Submitted) -> None:
        if event.value.lstrip("+-").isdecimal():
            row = min(max(int(event.value) - 1, 0), self._editor.document.line_count - 1)
            self._editor.go_to(self._editor.offset_at((row, 0)))
        self.action_close()
