"""YAML highlighting by tree-sitter: parsed incrementally, queried only for the lines on the screen.

A parse of a long text is done in slices, between which keys are answered. Until the last one, what is new has no
highlights, or those of what it was put into; all other highlights move with the text.
"""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import textual
import tree_sitter_yaml
from tree_sitter import Language, Parser, Query, QueryCursor

from studio.tui.editor.line_starts import LineStarts
from studio.tui.editor.source_document import Replacement, SourceDocument

_MARGINS = (60, 15, 0)
"""Lines to query above and below the painted one: the largest margin that stays within `_MOST` bytes."""

_MOST = 24_000
"""The most bytes queried at once."""

_SPAN = 512
"""Columns whose highlights are cached together, so that a row of a very long line does not need the whole line."""

_LONG = 8 * _SPAN
"""Lines with more columns are queried in pieces of this many."""

_PARSED = 256 * _SPAN
"""Columns of a line that are parsed and highlighted: a scalar of megabytes would take the parser too long at each key.
"""


_AT_ONCE = 64_000
"""Bytes that are parsed at once, and not in slices."""

_LARGE = 8 * _AT_ONCE
"""Bytes of a text of which no slice is parsed with the edit: single steps of the parser take longer than a slice."""

_SLICE = 6000
"""Microseconds of one slice, of which a key may have to wait for one."""


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


def _slicing_parser(language: Language) -> Parser:
    """A parser that gives up after a slice, and goes on from there when it is called again with the same text."""
    parser = Parser(language)
    with warnings.catch_warnings():
        # What is to replace it, `progress_callback`, takes no bytes and leaks memory.
        warnings.simplefilter("ignore", DeprecationWarning)
        parser.timeout_micros = _SLICE  # pyright: ignore[reportDeprecated]
    return parser


def _encode(lines: Sequence[str]) -> tuple[bytes, list[int]]:
    """`lines` in UTF-8, each ended by LF, and the bytes of each."""
    lines = [line if len(line) <= _PARSED else _parsed_part(line) for line in lines]
    text = "\n".join((*lines, ""))
    if text.isascii():
        return text.encode(), [len(line) + 1 for line in lines]
    encoded = [line.encode("utf-8", "surrogatepass") + b"\n" for line in lines]
    return b"".join(encoded), [len(line) for line in encoded]


def _parsed_part(line: str) -> str:
    """The first part of a very long line; a quote that ends the line ends this too."""
    end = line.rstrip()[-1:]
    return line[:_PARSED] + (end if end in ("'", '"') else "")


class Syntax:
    """The syntax tree of one document.

    The parser gets every line end as LF, so that its rows are the document's rows whatever the file's line ends are.
    """

    def __init__(self, document: SourceDocument) -> None:
        language, self._query = _yaml()
        self._document = document
        encoded, sizes = _encode(document.lines)
        self._bytes = bytearray(encoded)
        self._starts = LineStarts(sizes)
        self._parser, self._slicing = Parser(language), _slicing_parser(language)
        self._tree = self._parser.parse(self._bytes)
        self._is_behind = False
        self._forget()

    @property
    def source(self) -> bytes:
        """The parser's input: the text in UTF-8, each line ended by LF, of very long ones the first part."""
        return bytes(self._bytes)

    @property
    def is_behind(self) -> bool:
        """Whether the text has changed since it was parsed: `catch_up` is to be called."""
        return self._is_behind

    def follow(self, lines: Replacement) -> None:
        """Take over the lines with which the document replaced `lines`. Afterwards it may be behind."""
        new, sizes = _encode(self._document.lines[lines.first : lines.first + lines.rows])
        start, old_end = self._starts.start(lines.first), self._starts.start(lines.after)
        old = bytes(self._bytes[start:old_end])
        unchanged = _common_prefix(old, new)
        self._tree.edit(
            start_byte=start + unchanged,
            old_end_byte=old_end,
            new_end_byte=start + len(new),
            start_point=(lines.first + old.count(b"\n", 0, unchanged), unchanged - old.rfind(b"\n", 0, unchanged) - 1),
            old_end_point=(lines.after, 0),
            new_end_point=(lines.first + lines.rows, 0),
        )
        self._bytes[start:old_end] = new
        self._starts.replace(lines.first, lines.after, sizes)
        self._slicing.reset()
        self._forget()
        is_quick = not self._is_behind and len(new) <= _AT_ONCE and len(self._bytes) <= _LARGE
        self._is_behind = True
        if is_quick:
            self.catch_up()

    def catch_up(self) -> None:
        """Parse on for one slice if it is behind."""
        if not self._is_behind:
            return
        parser = self._parser if len(self._bytes) <= _AT_ONCE else self._slicing
        try:
            self._tree = parser.parse(self._bytes, self._tree)
        except ValueError:  # the slice is over
            return
        self._is_behind = False
        self._forget()

    def _forget(self) -> None:
        self._known_rows = range(0)
        self._known_pieces: set[tuple[int, int]] = set()
        self._spans: dict[tuple[int, int], list[Highlight]] = {}

    def on(self, row: int, start: int = 0, end: int | None = None) -> list[Highlight]:
        """The highlights of `row` that touch the columns from `start` up to `end`, and perhaps some beside them.

        Outer ones come before inner ones; the type of a scalar comes after `string`.
        """
        last = len(self._document[row]) if end is None else end
        self._query_columns(row, start, last)
        spans = [self._spans.get((row, span), ()) for span in range(start // _SPAN, last // _SPAN + 1)]
        return list(spans[0]) if len(spans) == 1 else list(dict.fromkeys(one for span in spans for one in span))

    def _query_columns(self, row: int, start: int, end: int) -> None:
        """Query the highlights of these columns, unless they are known."""
        line = self._document[row]
        if len(line) <= _LONG:
            if row not in self._known_rows:
                self._query_rows(row)
            return
        for piece in range(start // _LONG, min(end, _PARSED) // _LONG + 1):
            if (row, piece) not in self._known_pieces:
                self._known_pieces.add((row, piece))
                columns = range(piece * _LONG, min((piece + 1) * _LONG, len(line)))
                start_point, end_point = (row, _byte(line, columns.start)), (row, _byte(line, columns.stop))
                self._take(start_point, end_point, range(row, row + 1), columns)

    def _query_rows(self, row: int) -> None:
        windows = (range(max(0, row - by), min(row + by + 1, self._document.line_count)) for by in _MARGINS)
        self._known_rows = next((rows for rows in windows if self._size(rows) <= _MOST), range(row, row + 1))
        self._take((self._known_rows.start, 0), (self._known_rows.stop, 0), self._known_rows, range(_LONG))

    def _size(self, rows: range) -> int:
        """Bytes of some rows."""
        return self._starts.start(rows.stop) - self._starts.start(rows.start)

    def _take(self, start: tuple[int, int], end: tuple[int, int], rows: range, columns: range) -> None:
        """Take over the highlights between two points of the parser that lie on `rows` and on `columns` of them."""
        cursor = QueryCursor(self._query)
        cursor.set_point_range(start, end)
        found: dict[tuple[int, int], list[Highlight]] = {}
        for name, nodes in cursor.captures(self._tree.root_node).items():
            for node in nodes:
                (first, from_byte), (last, to_byte) = node.start_point, node.end_point
                for row in range(max(first, rows.start), min(last + 1, rows.stop)):
                    line = self._document[row]
                    from_column = max(_column(line, from_byte) if row == first else 0, columns.start)
                    to_column = min(_column(line, to_byte) if row == last else len(line), columns.stop)
                    if from_column >= to_column:
                        continue
                    for span in range(from_column // _SPAN, (to_column - 1) // _SPAN + 1):
                        found.setdefault((row, span), []).append(Highlight(from_column, to_column, name))
        for highlights in found.values():
            highlights.sort(key=lambda one: (one.start - one.end, not one.name.startswith("string")))
        self._spans |= found


def _byte(line: str, column: int) -> int:
    """The UTF-8 byte of `line` at which `column` stands."""
    return column if line.isascii() else len(line[:column].encode("utf-8", "surrogatepass"))


def _column(line: str, byte: int) -> int:
    """The column at which UTF-8 byte number `byte` of `line` stands."""
    if line.isascii():
        return min(byte, len(line))
    return len(line.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "replace"))


def _common_prefix(old: bytes, new: bytes) -> int:
    """The length of the common prefix in bytes, whole characters only."""
    length = min(len(old), len(new))
    same = bisect_left(range(length), True, key=lambda at: old[: at + 1] != new[: at + 1])
    while same and same < len(new) and new[same] & 0xC0 == 0x80:
        same -= 1
    return same
