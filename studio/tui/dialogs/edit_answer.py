"""An editor for an answer. Closing it accepts the changes, so nothing typed is lost."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from engine.text import visible
from studio.tui.dialogs.ask import Dialog
from studio.tui.editor import PlainEditor


class EditAnswer(Dialog[str]):
    """Answers with the new text, or None if it is unchanged."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,escape", "accept", "Accept", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    EditAnswer > .dialog { width: 100; height: 80%; }
    EditAnswer PlainEditor { height: 1fr; background: $surface; scrollbar-size: 0 1; }
    """

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(self._title))
            dialog.border_subtitle = Content("Ctrl+S or Esc accepts the text and scores it again")
            yield PlainEditor()

    def on_mount(self) -> None:
        """Load the text and focus the editor."""
        editor = self.query_one(PlainEditor)
        editor.load(self._text)
        editor.focus()

    @property
    def is_unfinished(self) -> bool:
        return self.query_one(PlainEditor).text_out() != self._text

    def action_accept(self) -> None:
        """Answer with the text."""
        text = self.query_one(PlainEditor).text_out()
        self.dismiss(None if text == self._text else text)
