"""What the editor adds to what is typed: indentation, list items, comments. Pure functions on lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ITEM = re.compile(r"( *)((?:- +)*)(.*)")
_KEY = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'#][^#]*?) *:(?= |$)""")
_OPENS = re.compile(r"(?:.*[^\s]|)(?::|: *[|>][-+0-9]*|(?:^|- )[|>][-+0-9]*) *$")
_LEADING_TABS = re.compile(r"^[ \t]*\t[ \t]*", re.MULTILINE)
_LINE_END = re.compile(r"\r\n|\r|\n")

STEP = "  "
"""One step of indentation."""


def continue_line(line: str, column: int | None, below: str = "") -> tuple[str | None, str]:
    """What Enter does at `column` of `line` (None where it replaces a selection); `below` is the next line with text.

    Returns what the line becomes instead of being broken, or None, and what the new line begins with: the indentation,
    one step more after a key or block marker that opens something, or that of what it has opened already, and `- `
    after an item of plain text.
    """
    match = _ITEM.fullmatch(line)
    if match is None or column is None:
        return None, re.match(" *", line).group() if match is None else match.group(1)  # pyright: ignore[reportOptionalMemberAccess]
    indent, dashes, text = match.groups()
    if line.rstrip() == f"{indent}-" and column >= len(indent) + 1:
        return indent, ""
    if column <= len(indent):
        return None, line[:column]
    inner = indent + " " * len(dashes)
    if column < len(line.rstrip()):
        behind_is_an_item = dashes and line[column:].lstrip().startswith("- ")
        return None, indent if behind_is_an_item else inner
    if _OPENS.fullmatch(text) or (dashes and not text):
        if text.rstrip().endswith(":") and (opened := _opened(below, len(inner))) is not None:
            return None, opened
        return None, inner + STEP if text[:1] not in "|>" or not dashes else inner
    if dashes and not _KEY.match(text):
        return None, indent + dashes
    return None, inner


def _opened(below: str, column: int) -> str | None:
    """The indentation of what a key at `column` holds, if `below` is the first line of it."""
    indent = below[: len(below) - len(below.lstrip(" "))]
    is_item = below[len(indent) :].startswith("- ")
    return indent if below and (len(indent) > column or (len(indent) == column and is_item)) else None


def toggle_comments(lines: Sequence[str]) -> list[str]:
    """`lines` as comments, or where all of them are comments, without the marker. Blank lines stay as they are."""
    filled = [line for line in lines if line.strip()]
    if filled and all(line.lstrip().startswith("#") for line in filled):
        return [re.sub(r"^(\s*)# ?", r"\1", line) for line in lines]
    indent = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
    return [f"{line[:indent]}# {line[indent:]}" if line.strip() else line for line in lines]


def leading_tabs_to_spaces(text: str, newline: str) -> str:
    """Pasted text with the document's line ends, and with spaces for tabs that YAML refuses as indentation."""
    text = _LEADING_TABS.sub(lambda match: match.group().replace("\t", STEP), with_line_ends(text, "\n"))
    return text.replace("\n", newline)


def with_line_ends(text: str, newline: str) -> str:
    """Pasted text with the document's line ends."""
    return _LINE_END.sub(newline, text)
