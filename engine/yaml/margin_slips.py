"""Slips of layout: blocks too far left or right, text that is not indented, an item without its dash.

Among points also keys below a point that is plain text, and points at the margin of the prompts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from engine.text.spans import Span, TextEdit
from engine.yaml.key_names import (
    ANY_KEY,
    HEADER_KEYS,
    KEY_LINE,
    LIST_KEYS,
    POINT_KEYS,
    PROMPT_KEYS,
    begins_prompt,
    key_column,
)
from engine.yaml.missing_dashes import missing_dashes, missing_separators, open_items, prose_above
from engine.yaml.quoting import begins_check, in_quotes
from engine.yaml.rows import line_at
from engine.yaml.slips import MOST_MOVED, Line, Lines, Slip, SlipRule, line_end

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


def moved_blocks(lines: Lines, index: int) -> Iterator[Slip]:
    """A key or an item, with its block, that is too far left or right for the lines above."""
    line = lines.lines[index]
    if not line.is_item and KEY_LINE.match(line.written) is None:
        return
    yield from _moved_item(lines, index)
    for column in _columns(lines, index):
        for end in _ends(lines, index, column) if column != line.column else ():
            if end - index <= MOST_MOVED:
                yield _moved(line, [each for each in lines.lines[index:end] if each.column >= 0], column)


def _moved_item(lines: Lines, index: int) -> Iterator[Slip]:
    """The prompt above this key of it, which stands as the keys of the other prompts do: its first line was moved."""
    column = lines.lines[index].column - 2
    prompts = [number for number, each in enumerate(lines.lines) if each.is_item and begins_prompt(each.written)]
    above = max((each for each in prompts if each < index), default=None)
    if above is None or lines.lines[above].column <= column or column < 0 or lines.lines[index].is_item:
        return
    if any(lines.lines[each].column == column for each in prompts) or (column == 0 and len(prompts) == 1):
        yield _moved(lines.lines[above], [each for each in lines.lines[above:index] if each.column >= 0], column)


def _moved(line: Line, block: Sequence[Line], column: int) -> Slip:
    """The slip of `line`, which belongs at `column` with the lines of its `block`."""
    by = column - line.column
    count = "1 space" if abs(by) == 1 else f"{abs(by)} spaces"
    side, other_side = ("left", "right") if by > 0 else ("right", "left")
    kind = "`-`" if line.is_item else "key"
    message = f"this {kind} stands {count} too far {side}: it lines up with nothing above"
    title = f"move {'it' if len(block) == 1 else f'these {len(block)} lines'} {count} to the {other_side}"
    return Slip(line.content, message, title, tuple(_indented(each, by) for each in block))


def _indented(line: Line, by: int) -> TextEdit:
    if by > 0:
        return TextEdit(Span(line.start, line.start), " " * by)
    return TextEdit(Span(line.start, line.start + min(-by, line.column)), "")


def _columns(lines: Lines, index: int) -> list[int]:
    """The columns at which the line may have been meant, the likeliest first."""
    line = lines.lines[index]
    enclosing = list(_enclosing(lines, index))
    found: list[int] = []
    for number, above in enumerate(enclosing):
        opened = ANY_KEY.match(above.written)
        content = above.column + (2 if above.is_item else 0) if opened is None else key_column(opened)
        if not line.is_item:
            found.append(content)
            continue
        if above.is_item and begins_prompt(above.written) == begins_prompt(line.written):
            found.append(above.column)
        opens_list = opened is not None and not above.written[opened.end() :].strip(" \t")
        if number == 0 and opens_list:
            found += [content + 2, content]
    if _begins_document(lines, index):
        found.append(0)
    key = KEY_LINE.match(line.written)
    if key is not None and not line.is_item and key["name"] in PROMPT_KEYS - POINT_KEYS - HEADER_KEYS:
        found.sort(key=lambda column: not _has_prompt_key(lines, index, column))
    return list(dict.fromkeys(found))


def _enclosing(lines: Lines, index: int) -> Iterator[Line]:
    """The items and keys above `index` in its document, the nearest first, each no deeper than the one before."""
    least: int | None = None
    for _, above in lines.upward(index):
        is_deeper = least is not None and above.column > least
        if not is_deeper and (above.is_item or KEY_LINE.match(above.written) is not None):
            least = above.column
            yield above


def _begins_document(lines: Lines, index: int) -> bool:
    """Whether a separator stands above `index`, with nothing at the margin between the two."""
    at_margin = (above for above in reversed(lines.lines[:index]) if above.column == 0 and not above.is_blank)
    nearest = next(at_margin, None)
    return nearest is not None and nearest.written.startswith("---")


def _has_prompt_key(lines: Lines, index: int, column: int) -> bool:
    """Whether the nearest key at `column` above `index` is one of a prompt."""
    keys = (KEY_LINE.match(above.written) for above in reversed(lines.lines[:index]))
    nearest = next((key for key in keys if key is not None and key_column(key) == column), None)
    return nearest is not None and nearest["name"] in PROMPT_KEYS


def _ends(lines: Lines, index: int, column: int) -> Sequence[int]:
    """The indices after the block that was moved with the line from `column`, the likeliest first."""
    own = lines.lines[index].column
    beside, block = _end_beside(lines, index, column), lines.block(index, own)
    likeliest = [beside, block] if own < column and beside < block else [block, beside]
    deeper_than_both = lines.block(index, max(own, column))
    return list(dict.fromkeys([*likeliest, deeper_than_both, index + 1]))


def _end_beside(lines: Lines, index: int, column: int) -> int:
    """The index after the lines that were moved with the line, up to one that stands where it should."""
    own = lines.lines[index].column
    end = index + 1
    for other in range(index + 1, len(lines.lines)):
        line = lines.lines[other]
        if line.column < 0:
            continue
        stands_right = own < column == line.column and _is_beside(lines, index, line)
        if stands_right or line.column < own:
            break
        end = other + 1
    return end


def _is_beside(lines: Lines, index: int, line: Line) -> bool:
    """Whether `line` is the same kind as the line at `index`: an item, or a key of a blueprint."""
    if lines.lines[index].is_item:
        return line.is_item
    return not line.is_item and KEY_LINE.match(line.written) is not None


def margin_slips(lines: Lines, index: int) -> Iterator[Slip]:
    """The slips of layout that may be why reading stops at the line `index`, the likeliest first."""
    line = lines.lines[index]
    if line.column < 0:
        return
    yield from prose_above(lines, index)
    if line.column == 0 and begins_prompt(line.written):
        yield from missing_separators(lines, index)
        return
    above = lines.above(index)
    is_value = above is not None and lines.lines[above].written.rstrip().endswith(":")
    is_item = not is_value and any(lines.lines[each].column == line.column for each in open_items(lines, index))
    likeliest = (missing_dashes, unindented_texts) if is_item else (unindented_texts, missing_dashes)
    for slips in (*likeliest, moved_blocks):
        yield from slips(lines, index)


_POINT_LINE = re.compile(r" *(?:-[ \t]+)+(?P<text>[^\s-].*)\Z")
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
    item = _POINT_LINE.match(point.written)
    if item is None or begins_check(item["text"]) or _TEXT.match(item["text"]) or _stands_among_prompts(lines, point):
        return
    keys += _keys_below(lines, index)
    text = Span(point.start + item.start("text"), point.start + item.end("text"))
    margins = tuple(_lined_up(keys, continued, column=item.start("text")))
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


def _lined_up(keys: Iterable[Line], continued: Iterable[Line], *, column: int) -> Iterator[TextEdit]:
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


def lost_points(text: str, offset: int) -> Slip | None:
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
    title, they = (
        ("indent this point", "it does") if len(edits) == 1 else (f"indent these {len(edits)} points", "they do")
    )
    message = f"{title}: at the margin of the prompts, {they} not belong to `{key['name']}` above"
    return Slip(points[0], message, title, edits)


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
