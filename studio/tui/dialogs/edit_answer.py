"""An editor for an answer. Closing it accepts the changes, so nothing typed is lost."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from studio.session.host import EditQuestion
from studio.tui.dialogs.ask import Dialog
from studio.tui.editor import PlainEditor


class EditAnswer(Dialog[str], asks=EditQuestion):
    """Answers with the new text, or None if it is unchanged."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,escape", "accept", "Accept", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    EditAnswer > .dialog { width: 100; height: 80%; }
    EditAnswer PlainEditor { height: 1fr; background: $surface; scrollbar-size: 0 1; }
    """

    def __init__(self, question: EditQuestion) -> None:
        of_before = "" if question.draft is None else "As you left it when the studio ended · "
        super().__init__(question.title, f"{of_before}Ctrl+S or Esc {question.accepting}")
        self._text = question.value
        self._typed = question.typed
        self._reported = question.value if question.draft is None else question.draft

    def content(self) -> ComposeResult:
        yield PlainEditor()

    def on_mount(self) -> None:
        """Load the text and focus the editor."""
        editor = self.query_one(PlainEditor)
        editor.load(self._reported)
        editor.focus()

    @property
    def is_unfinished(self) -> bool:
        return self.query_one(PlainEditor).text_out() != self._text

    def on_source_area_edited(self, event: PlainEditor.Edited) -> None:
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
