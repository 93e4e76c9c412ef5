"""The dash that Enter writes, typed again by the author: the typed one counts as the automatic one.

Whether the cursor stands behind such a dash is read from the undo history, so that undo, redo and any other edit need
no further word about it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.text import difference
from studio.tui.editor.source_edit import SourceEdit

if TYPE_CHECKING:
    from studio.tui.editor.line_break import LineBreak
    from studio.tui.editor.source_area import SourceArea

_DASH = re.compile(" *-")
"""The text behind automatic indentation when the next space completes a dash."""

_TWO_DASHES = re.compile("--")
"""The text there when the next dash completes a separator."""


def remember(area: SourceArea, made: LineBreak) -> None:
    """Store in the newest edit what Enter began the line with."""
    edit = area.history.undo_stack[-1][-1]
    if isinstance(edit, SourceEdit):
        edit.line_break = made


def is_behind_dash(area: SourceArea) -> bool:
    """Whether the cursor is right behind a dash that Enter wrote, with nothing typed since."""
    made = _line_break(area)
    return made is not None and made.begins == made.item == _before_cursor(area)


def take(area: SourceArea, character: str | None) -> bool:
    """Take `- ` that is typed behind automatic indentation as the item that this stands for, and `---` as a separator.

    `character` is the one that is being typed. Whether it was that: then it is in the text, and what it stands for
    instead is a step of undo for itself, so that undo gives what was typed.
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
    """What Enter began the cursor's line with, if only dashes and spaces were typed since."""
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
