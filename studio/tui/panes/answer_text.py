"""The text of one answer with a lit passage. The author moves through it by sentences."""

from __future__ import annotations

from rich.cells import cell_len
from textual import events
from textual.message import Message

from engine.text.spans import Span
from studio.tui.editor.wrapping import line_cells
from studio.tui.panes.passages import Passage, Passages

_BAR = 1
"""Cells before the text."""


class AnswerText(Passages, can_focus=False):
    """One answer. Text does not move when another passage is lit."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "AnswerText > .passages--found { color: $ink-yours; }"

    class Pointed(Message):
        """The mouse is at the sentence with this number; `extends` while it is dragged."""

        def __init__(self, text: AnswerText, sentence: int, *, extends: bool) -> None:
            super().__init__()
            self.text = text
            self.sentence = sentence
            self.extends = extends

        @property
        def control(self) -> AnswerText:
            """The answer."""
            return self.text

    def __init__(self) -> None:
        super().__init__()
        self._sentences: tuple[Span, ...] = ()
        self._is_pointing = False

    def show_answer(self, passage: Passage, sentences: tuple[Span, ...]) -> None:
        """Show an answer with its sentences. One that is shown already stays where it is."""
        self._sentences = sentences
        self.read((passage,))

    def is_in_view(self, offset: int) -> bool:
        """Whether the row of `offset` is on the screen."""
        if not self.is_laid_out:
            return True
        row, top = self._drawn[0].text.row_of(offset), self.scroll_offset.y
        return top <= row < top + self.scrollable_content_region.height

    # --- The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Select the sentence there."""
        event.stop()
        self._is_pointing = self._point(event, extends=event.shift)
        if self._is_pointing:
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the passage while a button is held."""
        if self._is_pointing:
            self._point(event, extends=True)

    def on_mouse_up(self) -> None:
        """End the passage."""
        self._is_pointing = False
        self.release_mouse()

    def _point(self, event: events.MouseEvent, *, extends: bool) -> bool:
        sentence = self._sentence_at(event.x, event.y + self.scroll_offset.y)
        if sentence is not None:
            self.post_message(self.Pointed(self, sentence, extends=extends))
        return sentence is not None

    def _sentence_at(self, x: int, y: int) -> int | None:
        """The sentence at these cells, or the last one on that row before them; None if the row shows none."""
        text = self._drawn[0].text if self.is_laid_out else None
        if text is None or y >= text.height:
            return None
        row = text.row(y)
        cells = line_cells(row.line.body)
        ahead = _BAR + cell_len(row.before) + row.indent - cells.cell(row.start)
        found: int | None = None
        for number, sentence in enumerate(self._sentences):
            columns = text.columns_of(y, sentence)
            if columns is not None and (found is None or ahead + cells.cell(columns[0]) <= x):
                found = number
        return found
