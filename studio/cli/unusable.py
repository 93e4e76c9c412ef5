"""What a command cannot work with: a file, a name in it, a model. The way it is called was right."""

from __future__ import annotations

from click import ClickException

from engine.text import visible


class Unusable(ClickException):
    """Ends the command with exit code 2 and what it says, without how the command is called."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(visible(message))
