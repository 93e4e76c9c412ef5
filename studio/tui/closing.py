"""A modal screen that closes only itself."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Result = TypeVar("Result")


class ClosesOnce(ModalScreen[Result]):
    """A modal screen that is dismissed once at most.

    A second Enter, typed before the first has closed the screen, would otherwise close the screen below: Textual
    removes whichever is on top.
    """

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with `result`, unless the screen is already closed."""
        return super().dismiss(result) if self.is_active else AwaitComplete.nothing()
