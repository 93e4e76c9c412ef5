"""The dialog of repeats: how far they have come, then how far scores vary."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.text.spans import visible
from studio.session.repeats import Repeats
from studio.tui.dialogs.ask import Dialog


class RepeatsDialog(Dialog[None]):
    """Shows what `repeats` shows. Escape stops repeats that run, else it closes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q", "stop_or_close", "Close", show=False)]
    DEFAULT_CSS = """
    RepeatsDialog > .dialog { width: 100; }
    RepeatsDialog VerticalScroll { height: auto; max-height: 80vh; padding: 1; scrollbar-size-vertical: 1; }
    RepeatsDialog #repeats-text { height: auto; }
    """

    def __init__(self, repeats: Repeats) -> None:
        super().__init__()
        self._repeats = repeats

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"), VerticalScroll():
            yield Static(id="repeats-text", markup=False)

    def on_mount(self) -> None:
        """Draw, and again whenever an answer is done."""
        self._unsubscribe = self._repeats.session.subscribe(lambda _before, _now: self._draw())
        self._draw()

    def on_unmount(self) -> None:
        """Follow the repeats no longer."""
        self._unsubscribe()

    def _draw(self) -> None:
        shown, dialog = self._repeats.shown, self.query_one(".dialog", Vertical)
        if shown is None:
            return
        dialog.border_title = Content(visible(f"Repeats · {shown.name}"))
        progress = self._repeats.progress
        dialog.border_subtitle = Content("Esc closes" if progress is None else "Esc stops")
        text = f"answers: {progress}" if progress else "\n".join(shown.lines) or "Comparing the scores …"
        self.query_one("#repeats-text", Static).update(Content(visible(text)))

    def action_stop_or_close(self) -> None:
        """Stop what runs; if nothing does, close."""
        if not self._repeats.stop():
            self.dismiss(None)
