"""Items of a list without their dash."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from engine.text import Span, TextEdit
from engine.yaml_nodes.key_names import ANY_KEY, KEY_LINE, LIST_KEYS, POINT_KEYS, PROMPT_KEYS, key_column
from engine.yaml_nodes.rows import WORD
from engine.yaml_nodes.slips import Line, Lines, Slip

_WORDS = re.compile(r"[^\w$!]*(?:\"?!\w+[^\w$]*)?(?:(?:text|point):[^\w$]*)?(?P<first>\w)")
"""The beginning of an item that is no check, up to the first letter of its words."""


def missing_dashes(lines: Lines, index: int) -> Iterator[Slip]:
    """An item without its dash: this line between items, or the first line of the list that this item continues."""
    line = lines.lines[index]
    if line.is_item:
        first = _first_of_block(lines, index)
        if first is not None and not lines.lines[first].is_item and not _goes_on(lines, first):
            yield without_dash(lines, first, line.column)
        return
    yield from _among_items(lines, index)
    above = lines.above(index)
    if above is not None and _begins_prompt_of(lines, above, index):
        yield without_dash(lines, above, line.column - 2)


def _among_items(lines: Lines, index: int) -> Iterator[Slip]:
    """A line that is one more item of an open list: a text in a list of texts, a repeated key in a list of prompts."""
    line = lines.lines[index]
    key = KEY_LINE.match(line.written)
    if key is None and (ANY_KEY.match(line.written) is not None or WORD.search(line.written) is None):
        return
    if _goes_on(lines, index):
        return
    for item in sorted(open_items(lines, index), key=lambda item: lines.lines[item].column != line.column):
        has_key = KEY_LINE.match(lines.lines[item].written) is not None
        if has_key is (key is not None) and (key is None or _repeats(lines, item, index, key["name"])):
            yield without_dash(lines, index, lines.lines[item].column)


def _goes_on(lines: Lines, index: int) -> bool:
    """Whether a line is the middle of a sentence: in lower case below an item that begins one, or as most items do."""
    first = lines.lines[index].written[lines.lines[index].column]
    if not (first.islower() or first.isdigit()) or KEY_LINE.match(lines.lines[index].written) is not None:
        return False
    listed = takewhile(lambda other: not _begins_list(lines.lines[other]), range(index - 1, -1, -1))
    begun = [found for each in listed if lines.lines[each].is_item and (found := _first_letter(lines, each))]
    open_above = (_first_letter(lines, item) for item in open_items(lines, index))
    return any(map(str.isupper, open_above)) or 2 * sum(map(str.isupper, begun)) >= len(begun) > 0


def _begins_list(line: Line) -> bool:
    key = KEY_LINE.match(line.written)
    return key is not None and key["name"] in LIST_KEYS


def _first_letter(lines: Lines, item: int) -> str:
    """The first letter of an item that is no check, else ""."""
    begun = _WORDS.match(lines.lines[item].written)
    return "" if begun is None else begun["first"]


def _begins_prompt_of(lines: Lines, above: int, index: int) -> bool:
    """Whether a prompt begins at the line `above`, without its dash, and goes on with the key two columns deeper."""
    if lines.lines[above].column != lines.lines[index].column - 2 or KEY_LINE.match(lines.lines[index].written) is None:
        return False
    key = KEY_LINE.match(lines.lines[above].written)
    return key is not None and not key["dashes"] and key["name"] in PROMPT_KEYS - POINT_KEYS


def _repeats(lines: Lines, item: int, index: int, name: str) -> bool:
    """Whether the item that begins at the line `item` has a key `name` above the line `index` already."""
    column = -1
    for line in lines.lines[item:index]:
        key = KEY_LINE.match(line.written)
        if key is None:
            continue
        column = key_column(key) if column < 0 else column
        if key["name"] == name and key_column(key) == column:
            return True
    return False


def without_dash(lines: Lines, index: int, column: int) -> Slip:
    """The slip of the line at `index`, which begins an item at `column`."""
    line = lines.lines[index]
    what = "a new item" if KEY_LINE.match(line.written) is None else "a new prompt"
    edits = (TextEdit(Span(line.start, line.start + line.column), " " * column + "- "),)
    return Slip(line.content, f"put `- ` before this: {what} of the list starts here", "add the dash", edits)


def open_items(lines: Lines, index: int) -> Iterable[int]:
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
    """The first line of the list that the item at `index` continues; None if that list has its dash."""
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
