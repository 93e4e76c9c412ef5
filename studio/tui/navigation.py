"""Messages with which a screen asks the application for another screen."""

from __future__ import annotations

from textual.message import Message

from engine.files.open_files import OpenedFile
from engine.text.spans import Span


class OpenFile(Message):
    """Open a file in place of the present screen, with this text `selected`, or where it was left last."""

    def __init__(self, file: OpenedFile, selected: Span | None = None) -> None:
        super().__init__()
        self.file = file
        self.selected = selected
