"""Edits of whole lines: comments, and the indentation and line ends of pasted text. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.text.patterns import lazy
from studio.tui.editor.yaml_line import STEP

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
