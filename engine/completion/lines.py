"""The structure of block YAML, read from single lines: it may be half written, and only what is needed is looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

LOOK_BACK = 300
"""So many lines are looked at above the cursor, and below it; what lies further away is taken as it mostly is."""

LONGEST = 4000
"""Lines of more characters than these hold nothing that is completed."""

_REACH = 24_000
"""And no more characters than these."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_DASHES = re.compile(r"(?:-[ \t]+|-$)*")
_KEY = re.compile(
    r"""(?:"(?P<double>[^"]*)"
    |'(?P<single>[^']*)'
    |(?P<plain>[^\s"'\#\[\]{}&*!|>%@`,-][^\#]*?|-[^\s\#][^\#]*?))
    \s*:(?=\s|$)""",
    re.VERBOSE,
)
_NOTHING = re.compile(r"\s*(?:[&!]\S*\s*)*(?:#.*)?")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of block YAML: the columns of its dashes and of its content, and its key where it begins with one.

    `value` is what stands behind the key, or the whole content where there is none; `value_column` where that begins.
    """

    dashes: tuple[int, ...]
    column: int
    key: str | None
    value: str
    value_column: int

    @property
    def first(self) -> int:
        """The column of the first dash or, where there is none, of the content."""
        return self.dashes[0] if self.dashes else self.column

    @property
    def opens(self) -> bool:
        """Whether its key, or its last dash, has nothing behind it yet, so that lines below belong to it."""
        return (self.key is not None or bool(self.dashes)) and _NOTHING.fullmatch(self.value) is not None


def read_line(text: str) -> Line:
    """The structure of one line, which is given without its end."""
    indent = len(text) - len(text.lstrip(" "))
    match = _DASHES.match(text, indent)
    column = indent if match is None else match.end()
    dashes = tuple(at for at in range(indent, column) if text[at] == "-")
    key = _KEY.match(text, column)
    if key is None:
        return Line(dashes, column, None, text[column:], column)
    name = key["double"] or key["single"] or key["plain"] or ""
    after = key.end()
    at = after + len(text[after:]) - len(text[after:].lstrip())
    return Line(dashes, column, name, text[at:], at)


def is_blank(text: str) -> bool:
    """Whether a line holds nothing but perhaps a comment."""
    stripped = text.lstrip()
    return not stripped or stripped.startswith("#")


def is_marker(text: str) -> bool:
    """Whether a line divides documents."""
    return text[:3] in ("---", "...") and not text[3:4].strip()


def line_start(text: str, offset: int) -> int:
    """Where the line of `offset` begins: behind an LF, CRLF or CR."""
    start = text.rfind("\n", 0, offset) + 1
    return max(start, text.rfind("\r", start, offset) + 1)


def line_end(text: str, offset: int) -> int:
    """Where the line of `offset` ends, its own line end left out."""
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    lone = text.find("\r", offset, end)
    return end if lone < 0 else lone


def lines_above(text: str, start: int) -> Iterator[tuple[int, str]]:
    """The lines above the one that begins at `start`, the nearest first, each with where it begins; not too many."""
    reach = max(0, start - _REACH)
    lines = _split(text, reach, start)[:-1]
    return islice(reversed(lines if reach == 0 else lines[1:]), LOOK_BACK)


def lines_below(text: str, end: int) -> Iterator[str]:
    """The lines below the one that ends at `end`, the nearest first; not too many."""
    reach = min(len(text), end + _REACH)
    lines = _split(text, end, reach)[1:]
    return (line for _, line in islice(lines if reach == len(text) else lines[:-1], LOOK_BACK))


def _split(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """The lines of a part of `text`, each with where it begins."""
    part = text[start:end]
    lines: list[tuple[int, str]] = []
    if "\r" in part:
        for match in _LINE_END.finditer(part):
            lines.append((start, part[start - end + len(part) : match.start()]))
            start = end - len(part) + match.end()
        return [*lines, (start, part[start - end + len(part) :])]
    for line in part.split("\n"):
        lines.append((start, line))
        start += len(line) + 1
    return lines
