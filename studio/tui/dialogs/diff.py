"""The changes of a fix as the lines of a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from engine.text import LineIndex, Span, TextEdit, apply_edits, visible

_CONTEXT = 2
_MOST_LINES = 400
"""How many lines of a diff are shown."""
_INKS = {"+": "$ink-met", "-": "$ink-unmet", "@": "$ink-dim", " ": ""}


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line. `sign` is `+`, `-`, a space, or `@` for the line number above a hunk; `text` has no line break."""

    sign: str
    text: str


def unified(text: str, edits: Sequence[TextEdit]) -> list[DiffLine]:
    """The lines that `edits` change, with two lines of context. The cost grows with their span, not with the text."""
    if not edits:
        return []
    index = LineIndex(text)
    first = max(index.position(min(edit.span.start for edit in edits)).line - _CONTEXT, 0)
    last = min(index.position(max(edit.span.end for edit in edits)).line + _CONTEXT, index.line_count - 1)
    piece = Span(index.line_span(first).start, index.line_span(last).end)
    before = piece.of(text)
    after = apply_edits(before, [edit.shifted(-piece.start) for edit in edits])
    lines: list[DiffLine] = []
    for line in list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=_CONTEXT, lineterm=""))[2:]:
        if line.startswith("@@"):
            start = int(line.split()[1].lstrip("-").split(",")[0])
            lines.append(DiffLine("@", f"line {first + start}"))
        else:
            lines.append(DiffLine(line[0], line[1:]))
    return lines


def drawn(lines: Sequence[DiffLine]) -> Content:
    """The lines as they are shown: coloured by their signs, and cut after many."""
    shown = [
        Content.styled(f"{' ' if line.sign == '@' else line.sign} {visible(line.text)}", _INKS[line.sign])
        for line in lines[:_MOST_LINES]
    ]
    if len(lines) > _MOST_LINES:
        shown.append(Content.styled(f"  … {len(lines) - _MOST_LINES} lines more", "$ink-dim"))
    return Content("\n").join(shown)
