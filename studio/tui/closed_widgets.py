"""Gives back what Textual keeps of closed widgets: 3 MB for each file that was open, if its screen is kept."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from textual.color import Color
from textual.dom import DOMNode
from textual.style import Style

from studio.tui.textual_internals import StylesCache

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
