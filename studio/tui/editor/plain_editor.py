"""A text area for prose: the source area without YAML, gutter and diagnostics."""

from __future__ import annotations

from dataclasses import dataclass

from studio.tui.editor.painted_area import PaintedArea


class PlainEditor(PaintedArea):
    """An editor for text that an author types or pastes, such as an answer.

    Long lines are wrapped. Control characters are made visible and never sent to the terminal; `text_out` returns them
    unchanged. Tab moves the focus to the next pane.
    """

    @dataclass
    class Edited(PaintedArea.Edited):
        """The text changed and is painted; `revision` is the newest, which several edits may have led to."""

    @dataclass
    class CursorMoved(PaintedArea.CursorMoved):
        """The cursor has moved, or its offset has changed because text before it changed."""

    def __init__(
        self, text: str = "", *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(text, name=name, id=id, classes=classes)
        self.tab_behavior = "focus"
        self.highlight_cursor_line = False
