"""Prose above the first key or item of a document, where only a comment can stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text import Span, TextEdit
from engine.yaml_nodes.key_names import KEY_LINE
from engine.yaml_nodes.slips import Line, Lines, Slip

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
    for other in range(index - 1, -1, -1):
        above = lines.lines[other]
        if above.is_blank:
            continue
        if above.written.startswith("---"):
            break
        if above.column != 0 or len(found) == _MOST_LINES or _PROSE.match(above.written) is None:
            return []
        found.append(above)
    return found[::-1]
