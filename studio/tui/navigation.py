"""Messages with which a screen asks the application for another screen."""

from __future__ import annotations

from textual.message import Message

from engine.files.open_files import OpenedFile


class OpenFile(Message):
    """Open a file in place of the present screen."""

    def __init__(self, file: OpenedFile) -> None:
        super().__init__()
        self.file = file
