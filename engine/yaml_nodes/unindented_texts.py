"""Prose that belongs to the text of a key above it, but is indented too little."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text import Span, TextEdit
from engine.yaml_nodes.key_names import ANY_KEY, KEY_LINE, key_column
from engine.yaml_nodes.slips import MOST_MOVED, Line, Lines, Slip

_BLOCK_HEADER = re.compile(r".*(?::|-)[ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?\Z")
_KEY_WITH_TEXT = re.compile(r"(?P<margin> *)(?P<dashes>(?:-[ ]+)*)[\w$]+:(?=[ \t]|\Z)")


def unindented_texts(lines: Lines, index: int) -> Iterator[Slip]:
    """Prose that belongs to the text of the key above, but is indented too little."""
    line = lines.lines[index]
    if _is_item_or_key(line):
        return
    above = _text_above(lines, index)
    if above is None:
        return
    head, target = above
    first = head + 1
    while first < index and (lines.lines[first].column < 0 or lines.lines[first].column >= target):
        first += 1
    end = _end_of_prose(lines, index)
    moved = [each for each in lines.lines[first:end] if each.column >= 0]
    by = target - min((each.column for each in moved), default=target)
    if by <= 0 or end - first > MOST_MOVED:
        return
    if any(each.column == target for each in moved):
        moved = [each for each in moved if each.column < target]
    # the lines keep their own indentation within the block
    edits = tuple(TextEdit(Span(each.start, each.start), " " * by) for each in moved)
    count = f" ({len(moved)} lines)" if len(moved) > 1 else ""
    message = f"indent this block{count}: it is the text of {_name_of(lines.lines[head])} above"
    yield Slip(moved[0].content, message, "indent this block", edits)


def _text_above(lines: Lines, index: int) -> tuple[int, int] | None:
    """The line whose key has the text that goes on at `index`, and the column of that text."""
    text_column = -1
    for other in range(index - 1, -1, -1):
        line = lines.lines[other]
        if line.column < 0:
            continue
        key = _KEY_WITH_TEXT.match(line.written)
        if key is not None and (_is_item_or_key(line) or key["dashes"]):
            column = key_column(key) + 2
            is_block = _BLOCK_HEADER.match(line.written) is not None
            if not is_block and not line.written[key.end() :].strip() and text_column < 0:
                return other, column
            return other, text_column if is_block and text_column >= column else column
        if line.is_item:
            column = line.column + 2
            return other, text_column if text_column >= column else column
        text_column = line.column
    return None


def _end_of_prose(lines: Lines, index: int) -> int:
    """The index after the last line of prose from `index` on: up to the next key or item, and the blanks before it."""
    end = index + 1
    while end < len(lines.lines) and not _is_item_or_key(lines.lines[end]):
        end += 1
    while end > index + 1 and lines.lines[end - 1].column < 0:
        end -= 1
    return end


def _is_item_or_key(line: Line) -> bool:
    """Whether the line is an item, a key of a blueprint, a separator, or a mark of a merge conflict."""
    return (
        line.is_item or line.is_conflict or line.written.startswith("---") or KEY_LINE.match(line.written) is not None
    )


def _name_of(line: Line) -> str:
    key = ANY_KEY.match(line.written)
    return "the item" if key is None else f"`{key['name']}`"
