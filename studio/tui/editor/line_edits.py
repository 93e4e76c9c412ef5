"""Edits of whole lines: comments, and the indentation and line ends of pasted text. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from studio.tui.editor.yaml_line import STEP

_MARGIN = re.compile("^[ \t\u00a0\u202f\u3000\u200b\ufeff]+", re.MULTILINE)
_SPACES = {"\t": STEP, "\u200b": "", "\ufeff": ""}


def toggle_comments(lines: Sequence[str]) -> list[str]:
    """`lines` as comments; if all of them are comments, without the marker. Blank lines stay as they are."""
    filled = [line for line in lines if line.strip()]
    if filled and all(line.lstrip().startswith("#") for line in filled):
        return [re.sub(r"^(\s*)# ?", r"\1", line) for line in lines]
    indent = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
    return [f"{line[:indent]}# {line[indent:]}" if line.strip() else line for line in lines]


def with_plain_margins(text: str) -> str:
    """Pasted text with LF as its line ends, and with spaces for all else that stands for them before a line's text."""
    text = with_line_ends(text, "\n")
    return _MARGIN.sub(lambda match: "".join(_SPACES.get(each, " ") for each in match.group()), text)


def with_line_ends(text: str, newline: str) -> str:
    """Pasted text with the document's line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", newline)
