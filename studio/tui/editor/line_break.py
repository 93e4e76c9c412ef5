"""Edits of lines as an author types: Enter and Backspace with indentation and dashes, comments, pasted lines.

After a point, the next line starts the next point of the same list. A `- ` typed there counts as that dash, and where
no list can be, as the dash of the list around it: `- - x` would be an alternative path, and `- x` below `text: y` a
part of that text. Before the closing quote of a value, Enter leaves the value whole.

Whether the cursor is after a dash that Enter wrote is read from the undo history, so that undo, redo and other edits
need no code of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.text.patterns import lazy
from engine.text.record import Record, replace
from engine.text.spans import difference
from studio.tui.editor.source_edit import SourceEdit
from studio.tui.editor.yaml_line import (
    ANYWHERE,
    BLANKS,
    STEP,
    Line,
    Within,
    block_around,
    levels_around,
    line_below,
    lines_around,
    read_line,
    rows_above,
    within,
)

if TYPE_CHECKING:
    from studio.tui.editor.source_area import SourceArea


_LEADING_TABS = lazy(r"^[ \t]*\t[ \t]*", re.MULTILINE)


def toggle_comments(lines: Sequence[str]) -> list[str]:
    """`lines` as comments; if all of them are comments, without the marker. Blank lines stay as they are."""
    filled = [line for line in lines if line.strip()]
    if filled and all(line.lstrip().startswith("#") for line in filled):
        return [re.sub(r"^(\s*)# ?", r"\1", line) for line in lines]
    indent = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
    return [f"{line[:indent]}# {line[indent:]}" if line.strip() else line for line in lines]


def leading_tabs_to_spaces(text: str) -> str:
    """Pasted text with LF as its line ends, and with spaces for tabs that YAML refuses as indentation."""
    text = with_line_ends(text, "\n")
    return _LEADING_TABS.sub(lambda match: match.group().replace("\t", STEP), text) if "\t" in text else text


def with_line_ends(text: str, newline: str) -> str:
    """Pasted text with the document's line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", newline)


_LEAD = lazy(r" *(?:- +)*")
_CLOSING = lazy(r"""(?:["']|(?<![\[{,][ \t])(?<![\[{,])(?=[ \t]*[\]}]))[ \t\]}]*(?:(?<=[ \t])#.*)?""")
"""What closes a value, and a comment. A bracket that closes nothing yet is none: items follow there."""


class LineBreak(Record):
    """The beginning of the next line; with `replaces`, the new text of the line itself, which is not broken.

    `item` is the beginning of the line that replaces a `- ` typed next; None to leave that as typed. With `behind`, the
    next line begins behind the whole line and not at the cursor.
    """

    begins: str
    replaces: bool = False
    item: str | None = None
    behind: bool = False


def break_line(lines: Sequence[str], row: int, column: int | None) -> LineBreak:
    """What Enter does at `column` of line `row` (None if it replaces a selection)."""
    line = lines[row]
    here = read_line(line)
    if column is None:
        return LineBreak(" " * here.indent)
    blanks = len(line) - len(line.lstrip(BLANKS))
    if within(lines, row, blanks) is Within.BLOCK_TEXT:
        return LineBreak(line[: min(column, blanks)])
    if column <= blanks:
        return LineBreak(line[:column], item=None if line.strip(BLANKS) else _item_around(lines, row, None, column))
    if column < here.ends:
        if not _is_before_closing(lines, row, column):
            return _in_the_middle(lines, row, column, here)
        return replace(_at_the_end(lines, row, here), behind=True)
    match within(lines, row, len(line)):
        case Within.FLOW:
            opens = here.text[-1:] in ("[", "{")
            return LineBreak(" " * here.value_column + (STEP if opens else ""))
        case Within.QUOTES:
            return LineBreak(" " * here.value_column)
        case Within.STRUCTURE | Within.BLOCK_TEXT:
            return _at_the_end(lines, row, here)


def step_back(lines: Sequence[str], row: int, column: int) -> LineBreak | None:
    """What Backspace makes of the blanks and dashes before `column` of line `row`: those of the level around.

    None if they are not all before its text, in quotes or brackets, and where a lone dash holds what is below. Behind a
    dash, the blanks before the text go with it.
    """
    line, rest = lines[row], lines[row][column:]
    begins = line.removesuffix(rest.lstrip(BLANKS)) if line[:column].endswith("-") and rest.strip() else line[:column]
    behind = line[len(begins) :]
    if not begins or not _LEAD.fullmatch(begins) or (behind.startswith(" ") and behind.strip()):
        return None
    state = within(lines, row, column) if line.strip() else Within.STRUCTURE
    if state in (Within.QUOTES, Within.FLOW) or (state is Within.BLOCK_TEXT and column > block_around(lines, row)[0]):
        return None
    here, under = read_line(begins), line_below(lines, row)
    if not here.dashes:
        around = next((line for _, line in lines_around(lines, row, column)), None)
        levels = () if around is None else (around.indent, *around.dashes, around.column)
        return LineBreak(" " * max((level for level in levels if level < column), default=0), replaces=True)
    if under.ends and not behind.strip() and under.indent > here.dashes[-1]:
        return None
    made = _end_list(lines, row, here, "- ")
    goes_on = under.ends and under.indent > read_line(made.begins).indent
    return LineBreak(line[: here.dashes[-1]], replaces=True) if goes_on else made


def is_behind_colon(lines: Sequence[str], row: int, column: int) -> bool:
    """Whether only a blank is between the colon of a key and its value at `column`: without it they are one text."""
    begins, value = lines[row][:column], lines[row][column:]
    is_colon = begins.endswith(": ") and read_line(begins).text.endswith(":")
    return is_colon and value[:1].strip() != "" and within(lines, row, column) in (Within.STRUCTURE, Within.FLOW)


def _is_before_closing(lines: Sequence[str], row: int, column: int) -> bool:
    """Whether nothing but the closing quote and brackets of a value that ends on the line is behind the cursor."""
    if _CLOSING.fullmatch(lines[row], column) is None:
        return False
    return (
        within(lines, row, column) in (Within.QUOTES, Within.FLOW)
        and within(lines, row, len(lines[row])) is Within.STRUCTURE
    )


def _in_the_middle(lines: Sequence[str], row: int, column: int, here: Line) -> LineBreak:
    if here.dashes and lines[row][column:].lstrip(BLANKS).startswith("- "):
        return LineBreak(" " * here.indent)
    if within(lines, row, column) is not Within.STRUCTURE:
        return LineBreak(" " * here.value_column)
    begins = here.column if read_line(lines[row][column:]).key is not None else here.value_column
    return LineBreak(" " * begins, item=_item_around(lines, row, read_line(lines[row][:column]), begins))


def _at_the_end(lines: Sequence[str], row: int, here: Line) -> LineBreak:
    under = line_below(lines, row)
    holds_below = under.ends > 0 and bool(here.dashes) and under.indent > here.dashes[-1]
    if here.is_lone_dash and here.ends <= here.column:
        goes_on = under.dashes[:1] == here.dashes[-1:]
        if holds_below or (goes_on and len(here.dashes) > 1):
            return LineBreak(" " * under.indent)
        return LineBreak(" " * here.indent, replaces=True) if goes_on else _end_list(lines, row, here)
    if here.opens:
        return LineBreak(_opened(here, under))
    inner = LineBreak(" " * here.column, item=_item_around(lines, row, here, here.column))
    if here.is_whole_point:
        return inner if holds_below else _next_item(here.dashes[-1])
    if here.is_blank or here.dashes or here.key is not None:
        return inner
    point = next((line for _, line in lines_around(lines, row, here.indent)), None)
    if point is not None and point.dashes and (point.is_whole_point or (point.is_check and point.opens)):
        return _next_item(point.dashes[-1])
    if point is not None and point.key is not None and point.value[:1] in ("'", '"'):
        return LineBreak(" " * point.column, item=inner.item)
    return inner


def _next_item(dash: int) -> LineBreak:
    item = " " * dash + "- "
    return LineBreak(item, item=item)


def _opened(here: Line, under: Line) -> str:
    """The indentation of what `here` opens: that of the line below, if this belongs to it already."""
    if here.key is None and here.dashes:
        return " " * here.column
    is_under = under.indent > here.column or (under.indent == here.column and under.dashes)
    if under.ends and is_under and not here.begins_block_text:
        return " " * under.indent
    return " " * here.column + STEP


def _end_list(lines: Sequence[str], row: int, here: Line, behind_path: str = "- - ") -> LineBreak:
    """Remove the last dash of `here` and continue what is around its list.

    Behind a path that is the next path, or what `behind_path` begins; behind an argument the next point.
    """
    *around, level = levels_around(lines, row, here)
    if not around:
        return LineBreak(" " * level.column, replaces=True)
    holder, lists = around[-1], [each.column for each in around if each.is_list]
    if holder.name is not None and not (holder.name.startswith("$") and lists):
        return LineBreak(" " * holder.column, replaces=True, item=_item_around(lines, row, None, holder.column))
    outer = lists[-1]
    is_path = holder.is_list and len(here.dashes) == 1
    item = lines[row][:outer].ljust(outer) + (behind_path if is_path else "- ")
    return LineBreak(item, replaces=True, item=item)


def _item_around(lines: Sequence[str], row: int, here: Line | None, column: int) -> str | None:
    """The beginning of the next item of the list around `column`, below line `row`; None if a list can be at `column`.

    `here` is that line, or None to ignore it.
    """
    if here is None or here.is_blank:
        row, here = next(rows_above(lines, row, ANYWHERE), (0, read_line("")))
    if here.opens and not here.begins_block_text:
        last = here.levels[-1].column
        if last < column or (last == column and not here.dashes):
            return None
    dashes = [level.column for level in levels_around(lines, row, here) if level.is_list and level.column <= column]
    return " " * dashes[-1] + "- " if dashes and dashes[-1] != column else None


def remember_break(area: SourceArea, made: LineBreak) -> None:
    """Store the line break that Enter made in the newest edit."""
    edit = area.history.undo_stack[-1][-1]
    if isinstance(edit, SourceEdit):
        edit.line_break = made


def is_behind_dash(area: SourceArea) -> bool:
    """Whether the cursor is right after a dash that Enter wrote, with nothing typed since."""
    made = _line_break(area)
    return made is not None and made.begins == made.item == _before_cursor(area)


def may_be_dash(area: SourceArea, character: str) -> bool:
    """Whether `take` may do anything now: for a dash or a space before any text of a line."""
    return character in " -" and not _before_cursor(area).strip(" \t-")


def take_dash(area: SourceArea, character: str | None) -> bool:
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
    if character == " " and typed.lstrip(" ") == "-":
        instead = made.item
    elif character == "-" and typed == "--":
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
