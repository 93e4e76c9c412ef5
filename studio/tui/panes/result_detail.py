"""The detail below the list of a result: the selected row in full, or its Markdown."""

from __future__ import annotations

from functools import lru_cache

from textual.content import Content

from engine.blueprint import RenderAs
from engine.text.spans import visible
from studio.tui.panes.rendering import INKS as MARKDOWN_INKS
from studio.tui.panes.rendering import Row, lay_out
from studio.tui.panes.result_row import Ink, ResultRow

_INKS = {
    Ink.PLAIN: "",
    Ink.DIM: "$ink-dim",
    Ink.STRONG: "bold",
    Ink.ERROR: "$ink-error",
    Ink.WARNING: "$ink-warning",
    Ink.MET: "$ink-met",
    Ink.PARTLY: "$ink-partly",
    Ink.UNMET: "$ink-unmet",
    Ink.YOURS: "$ink-yours",
    Ink.CLOSEST: "$ink-closest",
}
_STYLES = {
    name: " ".join(part.partition(":")[2].strip() for part in look.split(";")) for name, look in MARKDOWN_INKS.items()
}
"""The inks of Markdown as styles of a `Content`."""
_LONGEST = 20_000
"""How many code points of Markdown are shown; more than 40 screens."""


def detail_content(row: ResultRow, width: int) -> Content:
    """The detail of `row`. Its Markdown is laid out in lines of at most `width` cells."""
    lines = [Content.styled(visible(cell.text), _INKS[cell.ink]) for cell in row.detail]
    return Content("\n").join([*lines, *(_markdown(row.prose[:_LONGEST], width) if row.prose else ())])


@lru_cache(maxsize=4)
def _markdown(text: str, width: int) -> tuple[Content, ...]:
    laid = lay_out(text.strip("\n"), RenderAs.MARKDOWN, (), width)
    return tuple(_drawn(laid.row(y)) for y in range(laid.height))


def _drawn(row: Row) -> Content:
    """One row with its formatting as styles. Its text is never parsed as markup."""
    content = Content.assemble((visible(row.before), "$ink-dim"), " " * row.indent)
    at = row.start
    for start, end, ink in row.line.strokes:
        start, end = max(start, row.start), min(end, row.end)
        if start < end:
            styles = " ".join(_STYLES[name] for name in ink.split())
            content = Content.assemble(
                content, visible(row.line.body[at:start]), (visible(row.line.body[start:end]), styles)
            )
            at = end
    return Content.assemble(content, visible(row.line.body[at : row.end]))
