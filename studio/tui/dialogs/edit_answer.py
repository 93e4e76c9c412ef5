"""An editor for an answer. Closing it accepts the changes, so nothing typed is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from engine.text.spans import visible
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

    def __init__(
        self,
        title: str,
        text: str,
        draft: str | None = None,
        typed: Callable[[str], None] = lambda _text: None,
        accepting: str = "accepts the text and scores it again",
    ) -> None:
        """Shows `draft` if there is one, else `text`; `typed` is called with each text that is typed.

        `accepting` says what accepting the text does.
        """
        super().__init__()
        self._accepting = accepting
        self._title = title
        self._text = text
        self._draft = draft
        self._typed = typed
        self._reported = text if draft is None else draft

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(self._title))
            of_before = "" if self._draft is None else "As you left it when the studio ended · "
            dialog.border_subtitle = Content(f"{of_before}Ctrl+S or Esc {self._accepting}")
            yield PlainEditor()

    def on_mount(self) -> None:
        """Load the text and focus the editor."""
        editor = self.query_one(PlainEditor)
        editor.load(self._reported)
        editor.focus()

    @property
    def is_unfinished(self) -> bool:
        return self.query_one(PlainEditor).text_out() != self._text

    def on_plain_editor_edited(self, event: PlainEditor.Edited) -> None:
        """Pass on what is typed, but not the text that was loaded."""
        event.stop()
        text = self.query_one(PlainEditor).text_out()
        if text != self._reported:
            self._reported = text
            self._typed(text)

    def give_up(self) -> None:
        self._typed(self._text)

    def action_accept(self) -> None:
        """Answer with the text."""
        text = self.query_one(PlainEditor).text_out()
        self.dismiss(None if text == self._text else text)
