"""Points at the margin of the prompts: the list of points of the prompt above, without its indentation."""

from __future__ import annotations

import re
from typing import Final

from engine.record import Record
from engine.text import Span, TextEdit
from engine.yaml_nodes.key_names import KEY_LINE, LIST_KEYS, key_column
from engine.yaml_nodes.line_spans import line_end, line_start

_ITEM: Final = re.compile(r"-[ \t]+\S")
_MOST_POINTS: Final = 100
"""How many points are looked for above the item."""


class LostPoints(Record):
    """Points at the margin: the first of them, their key above, the edits that indent them, and the end of the last."""

    first: Span
    key: str
    edits: tuple[TextEdit, ...]
    end: int


def lost_points(text: str, piece: Span) -> LostPoints | None:
    """The points that end with the item of text with which `piece`, an item at the margin, begins; None if it has none.

    The key of the list is the last line of a prompt above, which has no value yet.
    """
    last = Span(piece.start, line_end(text, piece.start))
    if not _is_point(last.of(text)):
        return None
    points = [last]
    start = piece.start
    while start > 0 and len(points) <= _MOST_POINTS:
        start = line_start(text, start - 1)
        line = Span(start, line_end(text, start))
        written = line.of(text)
        if not written.strip() or written.lstrip().startswith("#"):
            continue
        if _is_point(written):
            points.append(line)
            continue
        key = KEY_LINE.match(written)
        column = 0 if key is None else key_column(key)
        if key is None or key["name"] not in LIST_KEYS or written[key.end() :].strip() or column < 2:
            return None
        edits = tuple(TextEdit(Span(each.start, each.start), " " * (column + 2)) for each in reversed(points))
        return LostPoints(points[-1], key["name"], edits, last.end)
    return None


def begins_point(text: str, offset: int) -> bool:
    """Whether the line at `offset` is an item at the margin that no prompt begins with."""
    return _is_point(text[offset : line_end(text, offset)])


def _is_point(written: str) -> bool:
    """Whether a line is an item at the margin that no prompt begins with."""
    return _ITEM.match(written) is not None and KEY_LINE.match(written) is None
