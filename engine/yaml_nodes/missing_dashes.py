"""Items of a list without their dash."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine.text import Span, TextEdit
from engine.yaml_nodes.key_names import ANY_KEY, KEY_LINE, POINT_KEYS, PROMPT_KEYS, key_column
from engine.yaml_nodes.slips import Lines, Slip

_SENTENCE = re.compile(r"[^\w$]*(?P<first>\w)")
"""The first letter of an item that is no check."""


def missing_dashes(lines: Lines, index: int) -> Iterator[Slip]:
    """An item without its dash: this line between items, or the first line of the list that this item continues."""
    line = lines.lines[index]
    if line.is_item:
        first = _first_of_block(lines, index)
        if first is not None and not lines.lines[first].is_item:
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
    if key is None and ANY_KEY.match(line.written) is not None:
        return
    first, items = line.written[line.column], list(open_items(lines, index))
    if (first.islower() or first.isdigit()) and any(_begins_sentence(lines, item) for item in items):
        return  # the middle of that sentence
    for item in sorted(items, key=lambda item: lines.lines[item].column != line.column):
        has_key = KEY_LINE.match(lines.lines[item].written) is not None
        if has_key is (key is not None) and (key is None or _repeats(lines, item, index, key["name"])):
            yield without_dash(lines, index, lines.lines[item].column)


def _begins_sentence(lines: Lines, item: int) -> bool:
    begun = _SENTENCE.match(lines.lines[item].written)
    return begun is not None and begun["first"].isupper()


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
