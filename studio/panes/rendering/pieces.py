"""What a formatted line is made of."""

from __future__ import annotations

from typing import NamedTuple

INKS = {
    "strong": "text-style: bold",
    "emphasis": "text-style: italic",
    "struck": "text-style: strike",
    "heading": "text-style: bold; color: $ink-focus",
    "code": "color: $ink-partly",
    "link": "text-style: underline",
    "dim": "color: $ink-dim",
    "keyword": "color: $ink-focus",
    "string": "color: $ink-met",
    "number": "color: $ink-estimate",
    "name": "color: $ink-hint",
    "comment": "color: $ink-dim; text-style: italic",
    "found": "color: $ink-met; text-style: bold",
}
"""How formatting looks, by the names that pieces give it; a piece may have several names, divided by a space."""


class Piece(NamedTuple):
    """Code points `start` up to `end` of a text.

    They are drawn as they are, or, where that is not None, as `shown`: nothing for a mark of formatting.
    """

    start: int
    end: int
    ink: str = ""
    shown: str | None = None


class Line(NamedTuple):
    """One line of a text: code points `start` up to `end`, which its pieces cover without gaps.

    `lead` is drawn before it and `again`, as wide, before what of it is wrapped. `fenced` tells that it belongs to a
    block of code, its first and last line included.
    """

    start: int
    end: int
    pieces: tuple[Piece, ...]
    lead: str = ""
    again: str = ""
    fenced: bool = False
