"""Closing a screen that lies over others."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Result = TypeVar("Result")


class ClosesOnce(ModalScreen[Result]):
    """A screen over others that takes itself away, and never what lies below it.

    A second Enter, typed before the first has closed the screen, would otherwise close the next one: Textual takes away
    whichever is on top.
    """

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with `result`; where it is closed already, nothing happens."""
        return super().dismiss(result) if self.is_active else AwaitComplete.nothing()
