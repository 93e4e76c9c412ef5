"""Wrapping of results at the width of the terminal."""

from __future__ import annotations

import re
import shutil
import sys

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from engine.models.secret import without_keys

_BEFORE_LAST_COLUMN = re.compile(r".* {2,}(?=\S)")
"""All of a line up to its last gap of two blanks or more, its indentation included."""
_HANGING = 2


def wrapped(text: str) -> str:
    """`text` for stdout: in a terminal each line is wrapped below its last column; on a pipe it stays one line.

    Keys in it are starred out.
    """
    text = without_keys(text)
    if not sys.stdout.isatty():
        return text
    console = Console(width=shutil.get_terminal_size().columns)
    return "\n".join(piece for line in text.split("\n") for piece in _pieces(line, console))


def _pieces(line: str, console: Console) -> list[str]:
    if cell_len(line) <= console.width:
        return [line]
    found = _BEFORE_LAST_COLUMN.match(line)
    lead = "" if found is None else found[0]
    if not 0 < (margin := cell_len(lead)) <= console.width // 2:
        margin, lead = len(line) - len(line.lstrip()) + _HANGING, ""
    pieces = [each.plain.rstrip() for each in Text(line[len(lead) :]).wrap(console, console.width - margin)]
    return [f"{' ' * margin if number else lead}{each}" for number, each in enumerate(pieces)]
