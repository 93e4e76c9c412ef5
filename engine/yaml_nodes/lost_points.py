"""Points at the margin of the prompts: the list of points of the prompt above, without its indentation."""

from __future__ import annotations

import re
from typing import Final

from engine.record import Record
from engine.text import Span, TextEdit
from engine.yaml_nodes.key_names import KEY_LINE, LIST_KEYS, key_column
from engine.yaml_nodes.line_spans import line_end
from engine.yaml_nodes.rows import line_at

_ITEM: Final = re.compile(r"-[ \t]+\S")
_ITEM_OR_KEY: Final = re.compile(r"-|[ ]*[\w$]+:(?:\s|$)")
_MOST_POINTS: Final = 100
"""How many points are looked for above and below the item."""


class LostPoints(Record):
    """Points at the margin: the first of them, their key above, the edits that indent them, and the end of the last."""

    first: Span
    key: str
    edits: tuple[TextEdit, ...]
    end: int

    @property
    def title(self) -> str:
        """What the edits do."""
        return "indent this point" if len(self.edits) == 1 else f"indent these {len(self.edits)} points"

    @property
    def message(self) -> str:
        """What is wrong with the points."""
        they = "it does" if len(self.edits) == 1 else "they do"
        return f"{self.title}: at the margin of the prompts, {they} not belong to `{self.key}` above"


def lost_points(text: str, offset: int) -> LostPoints | None:
    """The points around the line at `offset`, an item of text at the margin; None if it has none.

    The key of the list is the last line of a prompt above, which has no value yet.
    """
    item = line_at(text, offset)
    above, opening = _points_beside(text, item, -1) if begins_point(text, offset) else ([], "")
    key = KEY_LINE.match(opening)
    if key is None or key_column(key) < 2 or key["name"] not in LIST_KEYS or opening[key.end() :].strip():
        return None
    below, behind = _points_beside(text, item, 1)
    if behind and _ITEM_OR_KEY.match(behind) is None:
        return None  # the last point has several lines, or is far away
    points, margin = [*reversed(above), item, *below], " " * (key_column(key) + 2)
    edits = tuple(TextEdit(Span(point.start, point.start), margin) for point in points)
    return LostPoints(points[0], key["name"], edits, points[-1].end)


def _points_beside(text: str, line: Span, step: int) -> tuple[list[Span], str]:
    """The points at the margin above `line`, or below it for a positive `step`, and the line behind them."""
    points: list[Span] = []
    while 0 <= (edge := line.start - 1 if step < 0 else line.end + 1) < len(text):
        line = line_at(text, edge)
        written = line.of(text)
        if len(points) == _MOST_POINTS:
            return points, "?"  # too far away
        if _is_point(written):
            points.append(line)
        elif written.strip() and not written.lstrip().startswith("#"):
            return points, written
    return points, ""


def begins_point(text: str, offset: int) -> bool:
    """Whether the line at `offset` is an item at the margin that no prompt begins with."""
    return _is_point(text[offset : line_end(text, offset)])


def _is_point(written: str) -> bool:
    """Whether a line is an item at the margin that no prompt begins with."""
    return _ITEM.match(written) is not None and KEY_LINE.match(written) is None
