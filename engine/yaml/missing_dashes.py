"""Items without their dash, lists of prompts without the `---` before them, and prose where none can stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from engine.text.spans import Span, TextEdit
from engine.yaml.key_names import ANY_KEY, HEADER_KEYS, KEY_LINE, LIST_KEYS, POINT_KEYS, PROMPT_KEYS, key_column
from engine.yaml.line_slips import SEPARATOR
from engine.yaml.rows import WORD, behind_signs
from engine.yaml.slips import MOST_MOVED, Line, Lines, Slip, line_end

_PROSE = re.compile(r"[^\W_][^:]*(?:\w|[.!?…)\"'”’])[ \t]*\Z")
"""A line that begins with a letter or a digit and has no colon."""
_MOST_LINES = 20


def prose_above(lines: Lines, index: int) -> Iterator[Slip]:
    """The prose at the beginning of the document whose first key or item at the margin is on the line `index`."""
    found = _prose_above(lines, index)
    if found:
        count = f"these {len(found)} lines are" if len(found) > 1 else "this line is"
        message = f"{count} neither a key nor a comment: put `# ` before {'each' if len(found) > 1 else 'it'}"
        edits = tuple(TextEdit(Span(each.start, each.start), "# ") for each in found)
        yield Slip(found[0].content, message, "make it a comment", edits)


def has_only_prose_above(lines: Lines, index: int) -> bool:
    """Whether prose is all that the document has above the line `index`."""
    return bool(_prose_above(lines, index))


def _prose_above(lines: Lines, index: int) -> list[Line]:
    line = lines.lines[index]
    if line.column != 0 or not (line.is_item or KEY_LINE.match(line.written)):
        return []
    found: list[Line] = []
    for _, above in lines.upward(index):
        if above.column != 0 or len(found) == _MOST_LINES or _PROSE.match(above.written) is None:
            return []
        found.append(above)
    return found[::-1]


_WORDS = re.compile(r"[^\w$!]*(?:\"?!\w+[^\w$]*)?(?:(?:text|point):[^\w$]*)?(?P<first>\w)")
"""The beginning of an item that is no check, up to the first letter of its words."""


def missing_dashes(lines: Lines, index: int) -> Iterator[Slip]:
    """An item without its dash: this line between items, or the first line of a list, or of the one of this item."""
    line = lines.lines[index]
    if line.is_item:
        first = _first_of_block(lines, index)
        if first is not None and not lines.lines[first].is_item and not _goes_on(lines, first):
            yield without_dash(lines, first, line.column)
        return
    yield from _among_items(lines, index)
    above = lines.above(index)
    below = next((each for each in lines.lines[index + 1 :] if not each.is_blank), None)
    if above is not None and below is not None and below.is_item and _begins_list(lines.lines[above]):
        yield without_dash(lines, index, below.column)
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
    least: int | None = None
    for other, line in lines.upward(index):
        if least is None or line.column < least:
            least = line.column
            if line.is_item:
                yield other


def _first_of_block(lines: Lines, index: int) -> int | None:
    """The first line of the list that the item at `index` continues; None if that list has its dash."""
    column = lines.lines[index].column
    first: int | None = None
    for other, line in lines.upward(index):
        if line.column < column:
            break
        if line.column == column and (line.is_item or KEY_LINE.match(line.written) is not None):
            return None if line.is_item else first
        first = other
    return first


_PROMPT_LINE = re.compile(r"^-[ ]+(?:id|prompt|promptText|messages):(?=\s)", re.MULTILINE)
_LIST_ABOVE = re.compile(
    r"^(?:-(?=[ \t\r\n])|[^\s#][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*+\Z)", re.MULTILINE
)
"""An item at the margin, or a key that the lines below are the list of."""
_FURTHER_KEY = re.compile(r"^[^\s#-]", re.MULTILINE)
"""A line at the margin that is no item: a separator above the list would cut it off from its document."""
_PROMPTS = re.compile(r"prompts:[ \t]*(?:#.*)?\Z")


def missing_separators(lines: Lines, index: int) -> Iterator[Slip]:
    """A list of prompts at the margin below something else: a header, a prompt without its dash, indented prompts."""
    first = min((above for above, _ in lines.upward(index)), default=None)
    if first is not None and behind_signs(lines.text, lines.lines[first].span) > lines.lines[first].start:
        return  # an item, or what is meant as one
    if first is not None and _is_key_of_prompts(lines.lines[first].written):
        yield without_dash(lines, first, 0)
    column = _column_of_prompts(lines, index)
    if column:
        yield _outside_prompts(lines, index, column)
    line = lines.lines[index]
    message = "a list starts here, but the lines above are not a list: put `---` on a line of its own between them"
    yield Slip(line.content, message, "put `---` before it", (TextEdit(Span(line.start, line.start), "---\n"),))


def separator_below_head(text: str, piece: Span) -> Slip | None:
    """The first prompt of `piece` that begins a list at the margin, if `---` has to stand before it; else None.

    It has to where the lines above are neither a list nor a prompt without its dash, do not end in another sign for
    `---`, and no key follows the list.
    """
    found = _PROMPT_LINE.search(text, piece.start, piece.end)
    if found is None or _FURTHER_KEY.search(text, found.start(), piece.end) is not None:
        return None
    written = text[piece.start : found.start()]
    if not written.strip() or _LIST_ABOVE.search(written) or _is_prompt(written):
        return None
    lines = Lines(text[: line_end(text, found.start())], found.start())
    above = lines.above(lines.at)
    if (
        above is None
        or has_only_prose_above(lines, lines.at)
        or _column_of_prompts(lines, lines.at)
        or SEPARATOR.match(lines.lines[above].content.of(text))
    ):
        return None
    return [None, *missing_separators(lines, lines.at)][-1]


def _is_prompt(written: str) -> bool:
    """Whether `written` begins with a key of a prompt, and its other lines are indented as the keys of an item."""
    first, *below = written.rstrip().lstrip("\r\n").split("\n")
    return _is_key_of_prompts(first) and bool(below) and all(line.startswith("  ") for line in below if line.strip())


def _is_key_of_prompts(written: str) -> bool:
    """Whether a line begins with a key that a prompt has, and no header but for `id`, without a dash."""
    key = KEY_LINE.match(written)
    return key is not None and not key["dashes"] and key["name"] in PROMPT_KEYS - HEADER_KEYS | {"id"}


def _outside_prompts(lines: Lines, index: int, column: int) -> Slip:
    """The slip of a list at the margin, whose items belong at `column` to the list of `prompts` above."""
    line, end = lines.lines[index], _end_of_list(lines, index)
    by = "1 space" if column == 1 else f"{column} spaces"
    message = f"this starts too far left to belong to `prompts`: indent it by {by} like the items above"
    moved = [each for each in lines.lines[index:end] if each.column >= 0] if end - index <= MOST_MOVED else []
    edits = tuple(TextEdit(Span(each.start, each.start), " " * column) for each in moved)
    return Slip(line.content, message, f"indent {'it' if len(moved) == 1 else 'these lines'} by {by}", edits)


def _end_of_list(lines: Lines, index: int) -> int:
    """The index after the last line that belongs to the list at the margin that begins at `index`."""
    below = range(index + 1, len(lines.lines))
    ends = (other for other in below if lines.lines[other].column == 0 and not lines.lines[other].is_item)
    return next(ends, len(lines.lines))


def _column_of_prompts(lines: Lines, index: int) -> int:
    """The column of the items of `prompts` if the line at `index` follows them; else 0."""
    column = 0
    for _, line in lines.upward(index):
        if line.column > 0 and line.is_item:
            column = line.column
        elif line.column == 0:
            return column if _PROMPTS.match(line.written) is not None else 0
    return 0
