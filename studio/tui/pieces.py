"""Text on one line, which is cut at its width, what it means, and what a click on it does."""

from __future__ import annotations

from typing import TypeAlias

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.style import Style

from engine.text.spans import visible

Piece: TypeAlias = tuple[str, str]
"""A string and the component class that styles it ("" for the list's own style)."""


def fit(text: str, width: int) -> str:
    """`text` on one line of at most `width` cells, with an ellipsis where it is cut. `text` may be untrusted."""
    line = visible(text).replace("\n", " ").replace("\t", " ")
    if cell_len(line) <= width:
        return line
    return set_cell_size(line, max(width - 1, 0)).rstrip() + "…" if width > 0 else ""


def clickable(text: Content, action: str | tuple[str, tuple[str, ...]]) -> Content:
    """`text` on which a click runs an action of its widget: as Textual writes actions, or a name with its arguments."""
    return text.stylize(Style.from_meta({"@click": action}))
