"""The text of one answer with a lit passage. The author moves through it by sentences."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip

from engine.text.spans import Span
from studio.tui.editor.line_cells import line_cells
from studio.tui.editor.painting import Look, Stroke, paint
from studio.tui.panes.passages import Passages
from studio.tui.panes.rendering import Row
from studio.tui.panes.stack import Passage

_BAR = 2
"""Cells beside the text: the bar of the passage, and a blank."""


class AnswerText(Passages, can_focus=False):
    """One answer. The lit passage has a bar beside its rows, and text does not move when another one is lit."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"answer-text--lit"}
    DEFAULT_CSS = """
    AnswerText > .answer-text--lit { background: $row-selected; text-style: bold; }
    AnswerText > .passages--found { color: $ink-yours; }
    """

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
        super().__init__(selects=False)
        self._lit: Span | None = None
        self._sentences: tuple[Span, ...] = ()
        self._is_pointing = False

    @property
    def _text_width(self) -> int:
        return super()._text_width - _BAR

    # --- The passage

    def show_answer(self, passage: Passage, sentences: tuple[Span, ...]) -> None:
        """Show an answer with its sentences. One that is shown already stays where it is."""
        self._sentences = sentences
        is_same = [each.key for each in self.passages] == [passage.key]
        if (passage,) != self.passages:
            self.show((passage,), from_start=not is_same)

    @property
    def lit(self) -> Span | None:
        """The passage that is lit."""
        return self._lit

    def light(self, span: Span | None, *, follow: Span | None = None) -> None:
        """Light a passage. The sentence at `follow` is brought into view, its beginning before its end."""
        self._lit = span
        if follow is not None and self._stack.texts and self._stack.passages == self._wanted:
            layout = self._stack.texts[0]
            self._keep_in_view(layout.row_of(follow.start), layout.row_of(max(follow.end - 1, follow.start)))
        self.refresh()

    def _keep_in_view(self, first: int, last: int) -> None:
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if last >= top + height:
            top = last - height + 1
        self._scroll(min(top, first))

    def is_in_view(self, offset: int) -> bool:
        """Whether the row of `offset` is on the screen."""
        if not self._stack.texts:
            return True
        row, top = self._stack.texts[0].row_of(offset), self.scroll_offset.y
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
        row = self._stack.text_row(y)
        if row is None:
            return None
        cells = line_cells(row.line.body)
        ahead = _BAR + cell_len(row.before) + row.indent - cells.cell(row.start)
        found: int | None = None
        for number, sentence in enumerate(self._sentences):
            columns = self._stack.texts[0].columns_of(y, sentence)
            if columns is not None and (found is None or ahead + cells.cell(columns[0]) <= x):
                found = number
        return found

    # --- Drawing

    def _row(self, y: int) -> Strip:
        row = self._stack.text_row(y)
        if row is None:
            return Strip.blank(self.scrollable_content_region.width, self._base)
        is_shown = self._stack.passages == self._wanted
        lit = None if self._lit is None or not is_shown else self._stack.texts[0].columns_of(y, self._lit)
        return self._painted(row, lit)

    def _painted(self, row: Row, lit: tuple[int, int] | None) -> Strip:
        base, width = self._base, self.scrollable_content_region.width
        strokes = [Stroke(start, end, self._style(ink)) for start, end, ink in row.line.strokes]
        if lit is not None:
            strokes.append(Stroke(*lit, self.get_component_rich_style("answer-text--lit", partial=True)))
        bar = ("  " if lit is None else "▌ ", base + self._style("bar"))
        before = (bar, (row.before, base + self._style("dim"))) if row.before else (bar,)
        within = tuple(each for each in strokes if each.start < row.end and each.end > row.start)
        look = Look(row.line.body, row.start, row.end, row.indent, before, base, within)
        if (strip := self._strips.get((look, width))) is None:
            strip = self._strips[look, width] = paint(look, 0, width)
        return strip
