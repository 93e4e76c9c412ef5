"""The changes of a fix as the lines of a unified diff."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from textual.content import Content

from engine.text.record import Record
from engine.text.spans import LineIndex, Span, TextEdit, apply_edits, changed_lines, visible

_CONTEXT = 2
_MOST_LINES = 400
"""How many lines of a diff are shown."""
_INKS = {"+": "$ink-met", "-": "$ink-unmet", "@": "$ink-dim", " ": ""}


class DiffLine(Record):
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
    return _hunks(before.splitlines(), after.splitlines(), first + 1)


def _hunks(old: Sequence[str], new: Sequence[str], first: int) -> list[DiffLine]:
    """The changes with their context; `first` is the number of the first old line."""
    lines: list[DiffLine] = []
    shown = 0
    for change, following in zip_longest(changes := changed_lines(old, new), changes[1:]):
        low = max(change.low - _CONTEXT, shown)
        if low > shown or not lines:
            lines.append(DiffLine("@", f"line {first + low}"))
        high = min(change.high + _CONTEXT, len(old) if following is None else following.low)
        lines += [DiffLine(" ", line) for line in old[low : change.low]]
        lines += [DiffLine("-", line) for line in old[change.low : change.high]]
        lines += [DiffLine("+", line) for line in new[change.new_low : change.new_high]]
        lines += [DiffLine(" ", line) for line in old[change.high : high]]
        shown = high
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
