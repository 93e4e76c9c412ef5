"""An answer as lines to draw: formatted as `render_as` says, each letter still knowing its place in the answer."""

from studio.tui.panes.rendering.formatted_line import INKS
from studio.tui.panes.rendering.text_layout import Row, TextLayout, lay_out

__all__ = ["INKS", "Row", "TextLayout", "lay_out"]
