"""The cursor of the YAML reader: its position, how it skips white space, and how it refuses a text."""

from __future__ import annotations

import re
from typing import Final

from engine.text.spans import Span
from engine.yaml.nodes import Node

END: Final = "\0"
"""Marks the end of the text; a text that contains this character is refused."""
_WHITE = re.compile(r"[ \t]+")
_SPACES = re.compile(r" *")
_COMMENT = re.compile(r"#[^\n\r\0]*")
_BREAKS = re.compile(r"\r?\n(?:[ \t]*+\r?\n)*+")
"""A line break, and the blank lines below it."""


class Refusal(Exception):
    """js-yaml refuses the text: its `reason`, the `offset` that it names, and the part of the node read so far.

    `opening` is the offset of the quote or bracket still open there. `node_start` is where the last node outside
    brackets begins; `multiline_quote` is the last quoted text that spans several lines, if any.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset
        self.partial: Node | None = None
        self.opening: int | None = None
        self.node_start = offset
        self.multiline_quote: Span | None = None

    def shifted(self, by: int) -> Refusal:
        """The same refusal, without the part that was read, in a text that begins `-by` code points further on."""
        other = Refusal(self.reason, self.offset + by)
        other.opening = None if self.opening is None else self.opening + by
        other.node_start = self.node_start + by
        other.multiline_quote = None if self.multiline_quote is None else self.multiline_quote.shifted(by)
        return other


def _ended(text: str, end: int) -> str:
    """`text` with a line break and `END` at its `end`."""
    if text.startswith(END, end) and text.endswith(("\n", "\r"), 0, end):
        return text
    text = text[:end]
    return text + END if text.endswith(("\n", "\r")) else f"{text}\n{END}"


class Cursor:
    """A position in a text.

    The position is `pos`. `line_start`, `indent` and `tab` describe its line: where it begins, the number of spaces at
    its beginning (as of the last line break), and the first tab between tokens, -1 if there was none. `last` is the end
    of the last token.
    """

    __slots__ = (
        "_limit",
        "_multiline_quote",
        "_node_start",
        "_text",
        "end",
        "indent",
        "last",
        "line_start",
        "pos",
        "tab",
    )

    def __init__(self, text: str, start: int, end: int) -> None:
        """A cursor at the start of `text[start:end]`; `start` begins a line.

        A text with `END` there behind a line break is not copied (`engine.yaml.pieces.ended_texts`).
        """
        self._limit: int = min(end, len(text))
        self._text: str = _ended(text, end)
        self.pos: int = start + (start == 0 and text.startswith("\ufeff"))
        self.line_start: int = self.pos
        self.end: int = self._limit if self._text is text else len(self._text) - 1
        self.indent: int = 0
        self.tab: int = -1
        self.last: int = self.pos
        self._node_start: int = self.pos
        self._multiline_quote: Span | None = None

    def _refusal(self, reason: str, opening: int | None = None) -> Refusal:
        refusal = Refusal(reason, self.pos)
        refusal.opening = opening
        refusal.node_start = min(self._node_start, self.pos)
        refusal.multiline_quote = self._multiline_quote
        return refusal

    def _line_break(self) -> None:
        """Skip one line break, if there is one."""
        if self._text.startswith("\r\n", self.pos):
            self.pos += 2
        elif self._text[self.pos] in "\n\r":
            self.pos += 1
        else:
            return
        self.line_start = self.pos
        self.tab = -1

    def _skip(self, comments: bool = True) -> int:
        """Skip white space, line breaks and, if `comments`, comments; returns the number of line breaks."""
        text = self._text
        breaks = 0
        while (character := text[self.pos]) in " \t\n\r#":
            if character in " \t":
                white = _WHITE.match(text, self.pos)
                assert white is not None
                if self.tab < 0:
                    self.tab = text.find("\t", self.pos, white.end())
                self.pos = white.end()
                character = text[self.pos]
            if comments and character == "#":
                comment = _COMMENT.match(text, self.pos)
                assert comment is not None
                self.pos = comment.end()
                character = text[self.pos]
            if character not in "\n\r":
                break
            breaks += self._line_breaks()
            self._count_indent()
        return breaks

    def _line_breaks(self) -> int:
        """Skip the line break here and the blank lines below it; returns how many line breaks that are."""
        blank = _BREAKS.match(self._text, self.pos)
        if blank is None:
            self._line_break()
            return 1
        self.line_start = self.pos = blank.end()
        self.tab = -1
        return self._text.count("\n", blank.start(), blank.end())

    def _count_indent(self) -> None:
        spaces = _SPACES.match(self._text, self.pos)
        assert spaces is not None
        self.pos = spaces.end()
        self.indent = self.pos - self.line_start
