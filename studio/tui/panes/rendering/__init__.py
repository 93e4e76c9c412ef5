"""Lays out an answer: formatted by `render_as`, with each drawn character mapped to its place in the answer."""

from studio.tui.panes.rendering.formatted_line import INKS
from studio.tui.panes.rendering.text_layout import Row, TextLayout, lay_out

__all__ = ["INKS", "Row", "TextLayout", "lay_out"]
