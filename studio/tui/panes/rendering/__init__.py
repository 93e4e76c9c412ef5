"""An answer as lines to draw: formatted as `render_as` says, each letter still knowing its place in the answer."""

from studio.tui.panes.rendering.layout import Row
from studio.tui.panes.rendering.pieces import INKS
from studio.tui.panes.rendering.typeset import Typeset, typeset

__all__ = ["INKS", "Row", "Typeset", "typeset"]
