"""YAML highlighting by tree-sitter: parsed incrementally, asked only for the lines that are on the screen."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import textual
import tree_sitter_yaml
from tree_sitter import Language, Parser, Query, QueryCursor

from studio.editor.document import Replacement, SourceDocument
from studio.editor.lines import LineStarts

_MARGIN = 60
"""Lines asked about above and below the one that is painted."""

_MOST = 60_000
"""Bytes asked about at once; a line longer than that, such as a file without line ends, is not highlighted."""


class Highlight(NamedTuple):
    """Columns `start` up to `end` of one line are of the kind `name`, a capture of the highlight query."""

    start: int
    end: int
    name: str


@lru_cache(maxsize=1)
def _yaml() -> tuple[Language, Query]:
    language = Language(tree_sitter_yaml.language())
    query = Path(textual.__file__).parent / "tree-sitter" / "highlights" / "yaml.scm"
    return language, Query(language, query.read_text(encoding="utf-8"))


def _encode(line: str) -> bytes:
    return line.encode("utf-8", "surrogatepass") + b"\n"


class Syntax:
    """The syntax tree of one document.

    The parser gets every line end as LF, so that its rows are the document's rows whatever the file's line ends are.
    """

    def __init__(self, document: SourceDocument) -> None:
        language, self._query = _yaml()
        self._document = document
        encoded = [_encode(line) for line in document.lines]
        self._bytes = bytearray(b"".join(encoded))
        self._starts = LineStarts(map(len, encoded))
        self._parser = Parser(language)
        self._tree = self._parser.parse(self._bytes)
        self._rows: dict[int, list[Highlight]] = {}
        self._known = range(0)

    @property
    def source(self) -> bytes:
        """What the parser was given: the text in UTF-8, each line ended by LF."""
        return bytes(self._bytes)

    def follow(self, lines: Replacement) -> None:
        """Take over the lines with which the document replaced `lines`."""
        encoded = [_encode(line) for line in self._document.lines[lines.first : lines.first + lines.rows]]
        new = b"".join(encoded)
        start, old_end = self._starts.start(lines.first), self._starts.start(lines.after)
        old = bytes(self._bytes[start:old_end])
        kept = _common_prefix(old, new)
        self._tree.edit(
            start_byte=start + kept,
            old_end_byte=old_end,
            new_end_byte=start + len(new),
            start_point=(lines.first + old.count(b"\n", 0, kept), kept - old.rfind(b"\n", 0, kept) - 1),
            old_end_point=(lines.after, 0),
            new_end_point=(lines.first + lines.rows, 0),
        )
        self._bytes[start:old_end] = new
        self._starts.replace(lines.first, lines.after, [len(line) for line in encoded])
        self._tree = self._parser.parse(self._bytes, self._tree)
        self._known = range(0)

    def on(self, row: int) -> list[Highlight]:
        """The highlights of `row`, outer before inner, and what a scalar is after its being a string."""
        if row not in self._known:
            self._ask(row)
        return self._rows.get(row, [])

    def _ask(self, row: int) -> None:
        top, bottom = max(0, row - _MARGIN), min(row + _MARGIN, self._document.line_count)
        if self._size(top, bottom) > _MOST:
            top, bottom = row, row + 1
        self._known = range(top, bottom)
        self._rows = self._highlights(top, bottom) if self._size(top, bottom) <= _MOST else {}

    def _size(self, top: int, bottom: int) -> int:
        """Bytes of the rows from `top` up to `bottom`."""
        return self._starts.start(bottom) - self._starts.start(top)

    def _highlights(self, top: int, bottom: int) -> dict[int, list[Highlight]]:
        cursor = QueryCursor(self._query)
        cursor.set_point_range((top, 0), (bottom, 0))
        rows: dict[int, list[Highlight]] = {}
        for name, nodes in cursor.captures(self._tree.root_node).items():
            for node in nodes:
                (first, start), (last, end) = node.start_point, node.end_point
                for at in range(max(first, top), min(last + 1, bottom)):
                    line = self._document[at]
                    from_column = _column(line, start) if at == first else 0
                    to_column = _column(line, end) if at == last else len(line)
                    if from_column < to_column:
                        rows.setdefault(at, []).append(Highlight(from_column, to_column, name))
        for highlights in rows.values():
            highlights.sort(key=lambda one: (one.start - one.end, not one.name.startswith("string")))
        return rows


def _column(line: str, byte: int) -> int:
    """The column at which UTF-8 byte number `byte` of `line` stands."""
    if line.isascii():
        return min(byte, len(line))
    return len(line.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "replace"))


def _common_prefix(old: bytes, new: bytes) -> int:
    """How many bytes both begin with, whole characters only."""
    length = min(len(old), len(new))
    same = bisect_left(range(length), True, key=lambda at: old[: at + 1] != new[: at + 1])
    while same and same < len(new) and new[same] & 0xC0 == 0x80:
        same -= 1
    return same
