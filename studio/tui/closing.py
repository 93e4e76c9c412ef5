"""What closes leaves nothing behind: modal screens close only themselves, and closed widgets are kept by nobody."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

from textual.await_complete import AwaitComplete
from textual.color import Color
from textual.dom import DOMNode
from textual.events import Event, Mount
from textual.screen import ModalScreen, Screen
from textual.style import Style

from studio.tui.textual_internals import StylesCache

Result = TypeVar("Result")


class ClosesOnce(ModalScreen[Result]):
    """A modal screen that is dismissed once at most.

    A second Enter, typed before the first has closed the screen, would otherwise close the screen below: Textual
    removes whichever is on top.
    """

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with `result`, unless the screen is already closed; a screen that is still being built, once it is."""
        if not self.is_active:
            return AwaitComplete.nothing()
        if not self.is_mounted:
            self.call_later(self._dismiss_built, result)  # `on_mount` looks for the widgets that would be removed
            return AwaitComplete.nothing()
        closed = super().dismiss(result)
        hand_over_callbacks(self)
        self.workers.cancel_node(self)  # they would look for widgets that are being removed
        return closed

    def _dismiss_built(self, result: Result | None) -> None:
        self.dismiss(result)

    async def on_event(self, event: Event) -> None:
        """Handle `event`; a screen that is opened while the application ends is not begun: its widgets are gone."""
        if self.is_attached or not isinstance(event, Mount):
            await super().on_event(event)


def is_built(screen: Screen[Any]) -> bool:
    """Whether the screen has all its widgets. A screen that builds some of them later says so by `is_filling`."""
    return screen.is_mounted and not getattr(screen, "is_filling", False)


def hand_over_callbacks(closed: Screen[Any]) -> None:
    """Let the present screen call what waits for the next frame of a `closed` one.

    Textual hands each `call_after_refresh` to the screen on top, and forgets it with that screen: an edit just before a
    dialog closes would never be checked nor saved. Callbacks of the closed screen's own widgets are dropped.
    """
    for callback, owner in closed._callbacks:
        if getattr(owner, "screen", None) is not closed:
            closed.app.screen._invoke_later(callback, owner)


_WATCHERS = "__watchers"
"""Where Textual has the watchers of an object: by attribute, the node that watches and what it calls."""


def keep_no_paintings() -> None:
    """Let the styles of a widget's background not be cached by the widget, as Textual caches them: 1,024 closed
    widgets, with all that was painted of them."""
    StylesCache.get_inner_outer = staticmethod(_inner_outer)  # pyright: ignore[reportAttributeAccessIssue]


@lru_cache(1024)
def _inner_outer(base_background: Color, background: Color) -> tuple[Style, Style]:
    """The styles of a widget's inside and outside, as `StylesCache.get_inner_outer` computes them."""
    return Style(background=base_background + background), Style(background=base_background)


def stop_watching(watching: DOMNode, watched: DOMNode) -> None:
    """Forget what `watching` watches of `watched`. Textual does that only when the attribute next changes."""
    watchers: dict[str, list[tuple[DOMNode, Any]]] = getattr(watched, _WATCHERS, {})
    for of_attribute in watchers.values():
        of_attribute[:] = [each for each in of_attribute if each[0] is not watching]
