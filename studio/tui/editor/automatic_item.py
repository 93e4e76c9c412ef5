"""The dash that Enter writes: if the author types it again, it counts once.

Whether the cursor is after such a dash is read from the undo history, so that undo, redo and other edits need no code
of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text.patterns import lazy
from engine.text.spans import difference
from studio.tui.editor.source_edit import SourceEdit

if TYPE_CHECKING:
    from studio.tui.editor.line_break import LineBreak
    from studio.tui.editor.source_area import SourceArea

_DASH = lazy(" *-")
"""The text after automatic indentation when the next space completes a dash."""

_TWO_DASHES = lazy("--")
"""The text there when the next dash completes a separator."""


def remember(area: SourceArea, made: LineBreak) -> None:
    """Store the line break that Enter made in the newest edit."""
    edit = area.history.undo_stack[-1][-1]
    if isinstance(edit, SourceEdit):
        edit.line_break = made


def is_behind_dash(area: SourceArea) -> bool:
    """Whether the cursor is right after a dash that Enter wrote, with nothing typed since."""
    made = _line_break(area)
    return made is not None and made.begins == made.item == _before_cursor(area)


def may_take(area: SourceArea, character: str) -> bool:
    """Whether `take` may do anything now: for a dash or a space before any text of a line."""
    return character in " -" and not _before_cursor(area).strip(" \t-")


def take(area: SourceArea, character: str | None) -> bool:
    """Turn `- ` typed after automatic indentation into the item that Enter prepared, and `---` into a separator.

    `character` is being typed. Returns whether it completed one of these: then it was inserted, and its replacement is
    a step of undo of its own, so that undo gives what was typed.
    """
    if area.read_only or not area.selection.is_empty or character not in (" ", "-"):
        return False
    made = _line_break(area)
    if made is None or made.item is None:
        return False
    before = _before_cursor(area)
    typed = before.removeprefix(made.begins)
    if character == " " and _DASH.fullmatch(typed):
        instead = made.item
    elif character == "-" and _TWO_DASHES.fullmatch(typed):
        instead = "---"
    else:
        return False
    area.insert(character)
    offset = area.document.line_offset(area.cursor_location[0])
    area.apply_edits([difference(before + character, instead, offset)])
    return True


def _before_cursor(area: SourceArea) -> str:
    row, column = area.cursor_location
    return area.document[row][:column]


def _line_break(area: SourceArea) -> LineBreak | None:
    """The line break with which Enter began the cursor's line, if only dashes and spaces were typed since."""
    before = _before_cursor(area)
    if before.strip(" \t-"):
        return None
    for batch in reversed(area.history.undo_stack):
        for edit in reversed(batch):
            made = edit.line_break if isinstance(edit, SourceEdit) else None
            if made is not None:
                return made if before.startswith(made.begins) else None
            if edit.text not in ("-", " "):
                return None
    return None
