"""Slips of layout: blocks too far left or right, text that is not indented, an item without its dash."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from engine.text import Span, TextEdit
from engine.yaml_nodes.key_names import HEADER_KEYS, KEY_LINE, POINT_KEYS, PROMPT_KEYS
from engine.yaml_nodes.slips import Line, Lines, Slip

_BLOCK_HEADER = re.compile(r".*(?::|-)[ \t]+(?P<sign>[|>])[-+0-9]*[ \t]*(?:#.*)?\Z")
_KEY_WITH_TEXT = re.compile(r"(?P<margin> *)(?P<dashes>(?:-[ ]+)*)[\w$]+:(?=[ \t]|\Z)")
_ANY_KEY = re.compile(r"(?P<margin> *)(?P<dashes>(?:-[ ]+)*)(?P<name>[\"']?[\w$]+[\"']?):(?=\s|\Z)")
_PROMPTS = re.compile(r"prompts:[ \t]*(?:#.*)?\Z")
MOST_MOVED: Final = 300
"""How many lines one fix may indent."""


def margin_slips(lines: Lines, index: int) -> Iterator[Slip]:
    """The slips of layout that may be why reading stops at the line `index`, the likeliest first."""
    line = lines.lines[index]
    if line.column < 0:
        return
    if line.column == 0 and _is_prompt_item(line):
        yield from _missing_separator(lines, index)
        return
    slips = [_unindented_text, _missing_dash, _moved_block]
    if any(lines.lines[other].column == line.column for other in _open_items(lines, index)):
        slips = [_missing_dash, _unindented_text, _moved_block]
    for each in slips:
        yield from each(lines, index)


# Prompts


def _is_prompt_item(line: Line) -> bool:
    """Whether the line is an item that begins with a key of prompts."""
    key = KEY_LINE.match(line.written)
    return key is not None and bool(key["dashes"]) and key["name"] in PROMPT_KEYS


def _missing_separator(lines: Lines, index: int) -> Iterator[Slip]:
    """A list of prompts at the margin below something else: a header, a prompt without its dash, indented prompts."""
    line = lines.lines[index]
    first = _first_of_document(lines, index)
    key = None if first is None else KEY_LINE.match(lines.lines[first].written)
    if (
        first is not None
        and key is not None
        and not key["dashes"]
        and key["name"] in PROMPT_KEYS - HEADER_KEYS | {"id"}
    ):
        yield from _with_dash(lines, first, 0)
    listed = _indent_of_prompts(lines, index)
    if listed:
        end = _end_of_list(lines, index)
        moved = [each for each in lines.lines[index:end] if each.column >= 0]
        message = "this starts too far left to belong to `prompts`: indent it by "
        message += ("1 space" if listed == 1 else f"{listed} spaces") + " like the items above"
        edits = tuple(TextEdit(Span(each.start, each.start), " " * listed) for each in moved)
        yield Slip(line.content, message, f"indent it by {listed}", edits if end - index <= MOST_MOVED else ())
    message = "a list starts here, but the lines above are not a list: put `---` on a line of its own between them"
    yield Slip(line.content, message, "put `---` before it", (TextEdit(Span(line.start, line.start), "---\n"),))


def _first_of_document(lines: Lines, index: int) -> int | None:
    first: int | None = None
    for other in range(index - 1, -1, -1):
        line = lines.lines[other]
        if line.written.startswith("---"):
            break
        if line.column >= 0 and not line.written.lstrip().startswith("#"):
            first = other
    return first


def _end_of_list(lines: Lines, index: int) -> int:
    """The index after the last line that belongs to the list at the margin that begins at `index`."""
    for other in range(index + 1, len(lines.lines)):
        line = lines.lines[other]
        if line.column == 0 and not line.is_item:
            return other
    return len(lines.lines)


def _indent_of_prompts(lines: Lines, index: int) -> int:
    """The column of the items of `prompts` if the line at `index` follows them; else 0."""
    column = 0
    for other in range(index - 1, -1, -1):
        line = lines.lines[other]
        if line.column > 0 and line.is_item:
            column = line.column
        elif line.column == 0 and not line.written.startswith("#"):
            return column if _PROMPTS.match(line.written) is not None else 0
    return 0


# Text below a key


def _unindented_text(lines: Lines, index: int) -> Iterator[Slip]:
    """Prose that belongs to the text of the key above, but is indented too little."""
    line = lines.lines[index]
    if _is_expected(line):
        return
    above = _text_above(lines, index)
    if above is None:
        return
    head, target = above
    first = head + 1
    while first < index and (lines.lines[first].column < 0 or lines.lines[first].column >= target):
        first += 1
    for end in _ends_of_prose(lines, index):
        moved = [each for each in lines.lines[first:end] if each.column >= 0]
        if not moved or end - first > MOST_MOVED:
            return
        by = target - min(each.column for each in moved)
        if by <= 0:
            return
        if any(each.column == target for each in moved):
            moved = [each for each in moved if each.column < target]
        # the lines keep their own indentation within the block
        edits = tuple(TextEdit(Span(each.start, each.start), " " * by) for each in moved)
        count = f" ({len(moved)} lines)" if len(moved) > 1 else ""
        name = _name_of(lines.lines[head])
        message = f"indent this block{count}: it is the text of {name} above"
        yield Slip(moved[0].content, message, "indent this block", edits)


def _text_above(lines: Lines, index: int) -> tuple[int, int] | None:
    """The line whose key has the text that goes on at `index`, and the column of that text."""
    text_column = -1
    for other in range(index - 1, -1, -1):
        line = lines.lines[other]
        if line.column < 0:
            continue
        key = _KEY_WITH_TEXT.match(line.written)
        if key is not None and (_is_expected(line) or key["dashes"]):
            column = len(key["margin"]) + len(key["dashes"]) + 2
            is_block = _BLOCK_HEADER.match(line.written) is not None
            if not is_block and not line.written[key.end() :].strip() and text_column < 0:
                return other, column
            return other, text_column if is_block and text_column >= column else column
        if line.is_item:
            column = line.column + 2
            return other, text_column if text_column >= column else column
        text_column = line.column
    return None


def _ends_of_prose(lines: Lines, index: int) -> Iterator[int]:
    """The index after the last line of prose from `index` on: up to the next key or item, or up to the next blank."""
    end = index + 1
    while end < len(lines.lines) and not _is_expected(lines.lines[end]):
        end += 1
    while end > index + 1 and lines.lines[end - 1].column < 0:
        end -= 1
    yield end


def _is_expected(line: Line) -> bool:
    """Whether the line is an item, a key of a blueprint, or a separator."""
    return line.is_item or line.written.startswith("---") or KEY_LINE.match(line.written) is not None


def _name_of(line: Line) -> str:
    key = _ANY_KEY.match(line.written)
    return "the item" if key is None else f"`{key['name']}`"


# Dashes


def _missing_dash(lines: Lines, index: int) -> Iterator[Slip]:
    """An item without its dash: this line between items, or the first line of the list that this item continues."""
    line = lines.lines[index]
    key = KEY_LINE.match(line.written)
    if not line.is_item and (key is not None or _ANY_KEY.match(line.written) is None):
        for other in _open_items(lines, index):
            above = KEY_LINE.match(lines.lines[other].written)
            if (above is None) == (key is None) and (key is None or _repeats(lines, other, index, key["name"])):
                yield from _with_dash(lines, index, lines.lines[other].column)
    over = lines.above(index)
    if key is not None and over is not None and lines.lines[over].column == line.column - 2 and not line.is_item:
        first_key = KEY_LINE.match(lines.lines[over].written)
        if first_key is not None and not first_key["dashes"] and first_key["name"] in PROMPT_KEYS - POINT_KEYS:
            yield from _with_dash(lines, over, line.column - 2)
    if line.is_item:
        first = _first_of_block(lines, index)
        if first is not None and not lines.lines[first].is_item:
            yield from _with_dash(lines, first, line.column)


def _repeats(lines: Lines, item: int, index: int, name: str) -> bool:
    """Whether the item that begins at the line `item` has a key `name` above the line `index` already."""
    column = -1
    for line in lines.lines[item:index]:
        key = KEY_LINE.match(line.written)
        if key is None:
            continue
        column = _content(key) if column < 0 else column
        if key["name"] == name and _content(key) == column:
            return True
    return False


def _with_dash(lines: Lines, index: int, column: int) -> Iterator[Slip]:
    line = lines.lines[index]
    what = "a new item" if KEY_LINE.match(line.written) is None else "a new prompt"
    edits = (TextEdit(Span(line.start, line.start + line.column), " " * column + "- "),)
    yield Slip(line.content, f"put `- ` before this: {what} of the list starts here", "add the dash", edits)


def _open_items(lines: Lines, index: int) -> Iterable[int]:
    """The last item of each list that is open above `index`, the innermost first."""
    least = None
    for other in range(index - 1, -1, -1):
        line = lines.lines[other]
        if line.is_blank or (least is not None and line.column >= least):
            continue
        if line.written.startswith("---"):
            return
        least = line.column
        if line.is_item:
            yield other


def _first_of_block(lines: Lines, index: int) -> int | None:
    """The first line of the list that the item at `index` continues, if that line has no dash; else None."""
    column = lines.lines[index].column
    first: int | None = None
    for other in range(index - 1, -1, -1):
        line = lines.lines[other]
        if line.is_blank:
            continue
        if line.written.startswith("---") or line.column < column:
            break
        if line.column == column and (line.is_item or KEY_LINE.match(line.written) is not None):
            return None if line.is_item else first
        first = other
    return first


# Blocks


def _moved_block(lines: Lines, index: int) -> Iterator[Slip]:
    """A key or an item, with its block, that is too far left or right for the lines above."""
    line = lines.lines[index]
    if not line.is_item and KEY_LINE.match(line.written) is None:
        return
    kind = "`-`" if line.is_item else "key"
    for column in _columns(lines, index):
        by = column - line.column
        if by == 0:
            continue
        for end in _ends(lines, index, column):
            moved = [each for each in lines.lines[index:end] if each.column >= 0]
            if end - index > MOST_MOVED:
                continue
            edits = tuple(_indented(each, by) for each in moved)
            side = "left" if by > 0 else "right"
            count = "1 space" if abs(by) == 1 else f"{abs(by)} spaces"
            message = f"this {kind} stands {count} too far {side}: it lines up with nothing above"
            title = f"indent it by {column}" if len(moved) == 1 else f"indent these {len(moved)} lines by {column}"
            yield Slip(line.content, message, title, edits)


def _indented(line: Line, by: int) -> TextEdit:
    if by > 0:
        return TextEdit(Span(line.start, line.start), " " * by)
    return TextEdit(Span(line.start, line.start + min(-by, line.column)), "")


def _columns(lines: Lines, index: int) -> list[int]:
    """The columns at which the line may have been meant, the likeliest first."""
    line = lines.lines[index]
    key = KEY_LINE.match(line.written)
    found: list[int] = []
    least = None
    previous: Line | None = None
    for other in range(index - 1, -1, -1):
        above = lines.lines[other]
        if above.is_blank:
            continue
        if above.written.startswith("---"):
            found.append(0)
            break
        if not (above.is_item or KEY_LINE.match(above.written)) or (least is not None and above.column > least):
            continue
        least = above.column
        opened = _ANY_KEY.match(above.written)
        content = above.column + (2 if above.is_item else 0) if opened is None else _content(opened)
        if line.is_item:
            if above.is_item and _is_prompt_item(above) == _is_prompt_item(line):
                found.append(above.column)
            if opened is not None and not above.written[opened.end() :].strip(" \t"):
                found += [content + 2, content] if previous is None else []
        else:
            found.append(content)
        previous = above
    name = None if key is None or line.is_item else key["name"]
    if name is not None and name in PROMPT_KEYS and name not in POINT_KEYS | HEADER_KEYS:
        found.sort(key=lambda column: not _has_prompt_key(lines, index, column))
    return list(dict.fromkeys(found))


def _content(key: re.Match[str]) -> int:
    return len(key["margin"]) + len(key["dashes"])


def _has_prompt_key(lines: Lines, index: int, column: int) -> bool:
    """Whether a key of a prompt stands at `column` above `index`."""
    for other in range(index - 1, -1, -1):
        key = KEY_LINE.match(lines.lines[other].written)
        if key is not None and _content(key) == column:
            return key["name"] in PROMPT_KEYS
    return False


def _ends(lines: Lines, index: int, column: int) -> Iterator[int]:
    """Where the block that was moved with the line may end, the likeliest first."""
    own = lines.lines[index].column
    beside = index + 1  # with the lines beside it, up to one that stands where it should
    for other in range(index + 1, len(lines.lines)):
        each = lines.lines[other]
        if each.column < 0:
            continue
        if each.column < min(own, column) or (
            own < column and each.column == column and _is_beside(lines, index, each)
        ):
            break
        if own > column and each.column < own:
            break
        beside = other + 1
    block = lines.block(index, own)
    ends = [beside, block] if own < column and beside < block else [block, beside]
    short = index + 1  # the line with those deeper than where it should be
    for other in range(index + 1, len(lines.lines)):
        each = lines.lines[other]
        if each.column < 0:
            continue
        if each.column <= max(own, column):
            break
        short = other + 1
    ends += [short, index + 1]
    return iter(dict.fromkeys(ends))


def _is_beside(lines: Lines, index: int, line: Line) -> bool:
    """Whether `line` is the same kind as the line at `index`: an item, or a key of a blueprint."""
    if lines.lines[index].is_item:
        return line.is_item
    return not line.is_item and KEY_LINE.match(line.written) is not None
