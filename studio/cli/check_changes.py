"""The changes of `studio check --fix`, place by place, and the fixes that it left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.models.secret import without_keys
from engine.rules.fixes import ChangedLines, FixedText
from engine.text.spans import LineIndex, visible

_MOST_LINES = 8
"""How many lines of one place are shown before and after its fix."""


def changes_of(name: Path, outcome: FixedText) -> Iterator[str]:
    """For each changed place, in the order of the text: `file:line slug: title`, then the lines before and after.

    Line numbers are those of the text after all fixes. One line for each fix that was left out follows.
    """
    index = LineIndex(outcome.text)
    rows = [(place, applied) for applied in outcome.changes for place in applied.lines]
    for place, applied in sorted(rows, key=lambda row: row[0].offset):
        line = index.position(place.offset).line + 1
        yield _line(f"{name}:{line} {applied.diagnostic.slug}: {applied.fix.title}")
        yield from _before_and_after(place)
    for left in outcome.left:
        line = index.position(left.diagnostic.span.start).line + 1
        yield _line(f"{name}:{line} {left.diagnostic.slug}: not applied, “{left.fix.title}” {left.objection}")


def _before_and_after(place: ChangedLines) -> Iterator[str]:
    for sign, lines in (("-", place.before), ("+", place.after)):
        yield from (f"  {sign} {_line(line)}".rstrip() for line in lines[:_MOST_LINES])
        if len(lines) > _MOST_LINES:
            yield f"  {sign} … {len(lines) - _MOST_LINES} more"


def _line(text: str) -> str:
    return visible(without_keys(" ".join(text.split("\n"))))
