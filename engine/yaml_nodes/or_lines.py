"""Lines `OR` between the items of a list, where alternative paths were meant: lists within the list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.patterns import lazy
from engine.text import Span, TextEdit
from engine.yaml_nodes.slips import Line, Lines, Slip, SlipRule

OR_LINE = lazy(
    r"""^(?:[^\w\n$]|_)*
    (?P<word>or|oder|ou|(?<!-[ ])o|eller|oppure|lub|veya|atau|или|або|أو|או|或|或者|または|もしくは|또는)
    (?:[^\w\n]|_)*$""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
"""A line with this word alone, whatever signs are around it."""
TITLE = "alternative paths: the points above it, or those below it"


def or_slip(lines: Lines, index: int) -> Iterator[Slip]:
    """The slip of a line `OR` at `index`, with the edits that make paths of what it and its like part in their list."""
    line = lines.lines[index]
    found = OR_LINE.match(line.written)
    column = None if found is None else _column_of_list(lines, index)
    if found is None or (column is None and not line.is_item):
        return
    edits = () if column is None or line.written.startswith("- -", line.column) else _paths(lines, index, column)
    yield Slip(line.content, message_on(found), TITLE if edits else "", edits, SlipRule.OR_BETWEEN_POINTS)


def message_on(line: re.Match[str]) -> str:
    """The message on a line that `OR_LINE` matches."""
    return f"`{line['word'].upper()}` is no part of a list: write alternative paths, each a list in the list"


def _column_of_list(lines: Lines, index: int) -> int | None:
    """The column of the items above the line `index`, in a list of lists of those that are no further right than it."""
    found, above = None, lines.above(index)
    while above is not None and (found is None or lines.lines[above].column >= found):
        line, above = lines.lines[above], lines.above(above)
        if line.is_item and (found is None or line.column < found):
            found = line.column
        if found is not None and found <= lines.lines[index].column:
            break
    return found


def _paths(lines: Lines, index: int, column: int) -> tuple[TextEdit, ...]:
    """The edits that make a path of each run of items at `column` around the line `index`; none if there is only one.

    Nor if one of them is a path already.
    """
    first = last = index
    while first and _is_within(lines.lines[first - 1], column):
        first -= 1
    while last + 1 < len(lines.lines) and _is_within(lines.lines[last + 1], column):
        last += 1
    edits: list[TextEdit] = []
    paths, begins = 0, True
    for line in lines.lines[first : last + 1]:
        if OR_LINE.match(line.written):
            end = lines.text.find("\n", line.span.end) + 1 or len(lines.text)
            edits.append(TextEdit(Span(line.start, end), ""))
            begins = True
        elif begins and line.is_item and line.column == column:
            if line.written.startswith("- ", column + 2):
                return ()
            edits.append(TextEdit(Span(line.start + column, line.start + column), "- "))
            paths, begins = paths + 1, False
        elif not line.is_blank:
            edits.append(TextEdit(Span(line.start, line.start), "  "))
    return tuple(edits) if paths > 1 else ()


def _is_within(line: Line, column: int) -> bool:
    is_item = line.column == column and line.is_item
    return line.is_blank or line.column > column or is_item or OR_LINE.match(line.written) is not None
