"""The error for a file, a name or a model that a command cannot use."""

from __future__ import annotations

from click import ClickException

from engine.text.spans import visible


class Unusable(ClickException):
    """Ends the command with exit code 2 and this message, without the usage line of a `click.UsageError`."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(visible(message))
