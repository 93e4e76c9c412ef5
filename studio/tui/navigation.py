"""From one screen to another: screens ask for it, the application does it."""

from __future__ import annotations

from textual.message import Message

from engine.workspace import OpenedFile


class OpenFile(Message):
    """A file is to be opened in the place of the present screen."""

    def __init__(self, file: OpenedFile) -> None:
        super().__init__()
        self.file = file
