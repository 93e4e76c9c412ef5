"""Slips among points: keys below a point that is plain text, and points at the margin of the prompts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Final

from engine.text.record import Record
from engine.text.spans import Span, TextEdit
from engine.yaml.key_names import KEY_LINE, LIST_KEYS, POINT_KEYS, key_column
from engine.yaml.line_spans import line_end
from engine.yaml.quoting import begins_check, in_quotes
from engine.yaml.rows import line_at
from engine.yaml.slips import Line, Lines, Slip, SlipRule

_ITEM = re.compile(r" *(?:-[ \t]+)+(?P<text>[^\s-].*)\Z")
_TEXT = re.compile(r"(?:text|point)[ \t:：=;]")
"""A point that has its `text:`, or has it without its colon."""
_PROMPT_ITEM = re.compile(r" *-[ ]+(?:id|prompt|promptText|messages):(?=\s|\Z)")


def keys_under_text(lines: Lines, index: int) -> Iterator[Slip]:
    """The slip of the key at the line `index`, if it is one of a point that is plain text; with each way to fix it."""
    name = _point_key(lines.lines[index])
    if name is None or name in ("text", "point"):
        return
    keys, above = _keys_above(lines, index)
    continued: list[Line] = []
    while above is not None and not lines.lines[above].is_item and not lines.lines[above].is_structure:
        continued.append(lines.lines[above])
        above = lines.above(above)
    if above is None:
        return
    point = lines.lines[above]
    item = _ITEM.match(point.written)
    if item is None or begins_check(item["text"]) or _TEXT.match(item["text"]) or _stands_among_prompts(lines, point):
        return
    keys += _keys_below(lines, index)
    text = Span(point.start + item.start("text"), point.start + item.end("text"))
    margins = tuple(_indented(keys, continued, column=item.start("text")))
    message = f"a point with a `{name}` needs `text:`"
    ways = [TextEdit(Span(text.start, text.start), "text: ")]
    if not continued:
        ways.append(TextEdit(text, f"text: {in_quotes(item['text'].rstrip())}"))
    for edit in ways:
        yield Slip(lines.lines[index].content, message, "write `text:`", (edit, *margins), SlipRule.KEY_UNDER_TEXT)


def _point_key(line: Line) -> str | None:
    """The key of a point with which a line begins that is no item; None without one."""
    key = KEY_LINE.match(line.written)
    return key["name"] if key is not None and not key["dashes"] and key["name"] in POINT_KEYS else None


def _keys_above(lines: Lines, index: int) -> tuple[list[Line], int | None]:
    """The key at `index` with those of the point right above it, and the index of the line above them."""
    keys = [lines.lines[index]]
    above = lines.above(index)
    while above is not None and _point_key(lines.lines[above]) is not None:
        keys.append(lines.lines[above])
        above = lines.above(above)
    return keys, above


def _keys_below(lines: Lines, index: int) -> list[Line]:
    """The keys of the point right below the line `index`, in its column."""
    column = lines.lines[index].column
    below = lines.lines[index + 1 :]
    return list(takewhile(lambda line: _point_key(line) is not None and line.column == column, below))


def _stands_among_prompts(lines: Lines, item: Line) -> bool:
    """Whether an item is in a list of prompts: then it is indented too little."""
    return any(each.column == item.column and _PROMPT_ITEM.match(each.written) for each in lines.lines)


def _indented(keys: Iterable[Line], continued: Iterable[Line], *, column: int) -> Iterator[TextEdit]:
    """The edits that line up the keys at `column`, and indent the other lines of the text deeper."""
    for key in keys:
        if key.column != column:
            yield TextEdit(Span(key.start, key.start + key.column), " " * column)
    for line in continued:
        if line.column <= column:
            yield TextEdit(Span(line.start, line.start), "  ")


_POINT: Final = re.compile(r"-[ \t]+\S")
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
    return _POINT.match(written) is not None and KEY_LINE.match(written) is None
