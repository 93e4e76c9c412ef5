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

_FIRST_PART = 2000

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
    return islice(_upwards(text, start), LOOK_BACK)


def _upwards(text: str, end: int) -> Iterator[tuple[int, str]]:
    """Lines in parts that grow, since most who ask for them soon have enough."""
    last, size = max(0, end - _REACH), _FIRST_PART
    while end > last:
        begin = max(last, end - size)
        size *= 2
        if begin:
            begin = text.find("\n", begin, end - 1) + 1
        if begin or end < size:
            yield from reversed(_split(text, begin, end)[:-1])
            end = begin
        elif size > 2 * _REACH:
            return


def lines_below(text: str, end: int) -> Iterator[str]:
    """The lines below the one that ends at `end`, the nearest first; not too many."""
    for _ in range(LOOK_BACK):
        if end >= len(text):
            return
        start = end + (2 if text.startswith("\r\n", end) else 1)
        end = line_end(text, start)
        yield text[start:end]


def _split(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """The lines of a part of `text`, each with where it begins."""
    part = text[start:end]
    lines: list[tuple[int, str]] = []
    done = 0
    for match in _LINE_END.finditer(part):
        lines.append((start + done, part[done : match.start()]))
        done = match.end()
    return [*lines, (start + done, part[done:])]
