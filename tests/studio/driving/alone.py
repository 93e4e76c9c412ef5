"""Widgets of the studio without the studio around them."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widget import Widget

from studio.tui.theme import DARK, THEMES


class Alone(App[None]):
    """These widgets alone on the screen, in the colours of the studio."""

    def __init__(self, *widgets: Widget) -> None:
        super().__init__()
        self._widgets = widgets
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK

    def compose(self) -> ComposeResult:
        yield from self._widgets
