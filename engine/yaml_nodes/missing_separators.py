"""Lists of prompts at the margin that lack the `---` before them, a dash above them, or their indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text import Span, TextEdit
from engine.yaml_nodes.key_names import HEADER_KEYS, KEY_LINE, PROMPT_KEYS
from engine.yaml_nodes.line_slips import SEPARATOR
from engine.yaml_nodes.line_spans import line_end
from engine.yaml_nodes.missing_dashes import without_dash
from engine.yaml_nodes.rows import behind_signs
from engine.yaml_nodes.slips import MOST_MOVED, Lines, Slip
from engine.yaml_nodes.stray_prose import has_only_prose_above

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
    first = _first_of_document(lines, index)
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


def _first_of_document(lines: Lines, index: int) -> int | None:
    """The index of the first line of the document above `index`; None if there is none."""
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


def _column_of_prompts(lines: Lines, index: int) -> int:
    """The column of the items of `prompts` if the line at `index` follows them; else 0."""
    column = 0
    for other in range(index - 1, -1, -1):
        line = lines.lines[other]
        if line.column > 0 and line.is_item:
            column = line.column
        elif line.column == 0 and not line.written.startswith("#"):
            return column if _PROMPTS.match(line.written) is not None else 0
    return 0
