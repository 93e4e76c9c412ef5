"""The usual lines of blueprints, `key: value` and `- item`, each matched by one regular expression.

The result is that of the grammar in `engine.yaml.reader`, in less time: without these patterns the
longest file of the corpus takes 18 ms to read instead of 5, and diagnostics follow a keystroke noticeably later. Any
other line is left to the grammar.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from engine.text.pacing import give_way
from engine.text.spans import Span
from engine.yaml.cursor import END
from engine.yaml.flow_collections import PairReader, Pairs
from engine.yaml.nodes import Node, Pair, ScalarNode, Style
from engine.yaml.scalar_text import BadScalar, block_text, double_quoted, single_quoted
from engine.yaml.scalars import BLANK, SEPARATOR
from engine.yaml.schema import MAY_BE_TYPED, plain

_KEY: Final = r"""([^ \t\r\n,\[\]{}\#&*!|>'"%@`?:.<\-\0][^\t\r\n:\#]*+)(?<!\ )"""
_ENDED: Final = r"[ ]*+\r?\n([ ]*+)"
_DOUBLE_QUOTED: Final = rf'"([^"\0]*+(?:(?<=\\)"[^"\0]*+)*+)"{_ENDED}'
_SINGLE_QUOTED: Final = rf"'([^'\0]*+(?:''[^'\0]*+)*+)'{_ENDED}"
_PLAIN_TEXT: Final = r"""([^ \t\r\n,\[\]{}\#&*!|>'"%@`?:\-\0][^\n]*+)\n([ ]*+)"""
_BLOCK_TEXT: Final = r"""
    ([|>][+\-]?)[ ]*+\r?\n
    ((?P<margin>[ ]++)[^\t\r\n][^\n]*+\n(?:(?P=margin)[^\n]*+\n|[ ]*+\r?\n)*+)([ ]*+)"""
_VALUE: Final = rf"{_DOUBLE_QUOTED}|{_SINGLE_QUOTED}|{_PLAIN_TEXT}|{_BLOCK_TEXT}"

PAIR: Final = re.compile(rf"{_KEY}:(?:[ ]++(?:{_VALUE})|(?:[ ]++\#[^\n]*+)?{_ENDED})", re.VERBOSE)
"""A key with its value, if the value is on the line or a block that begins there; up to the text of the next line."""
ITEM: Final = re.compile(rf"(-[ ]++)(?![ \t\r\n\#\0])(?:(?![\w$]++:[ ])(?:{_VALUE})|())", re.VERBOSE)
"""The dash of an item, with the item if it is a scalar; up to the text of the next line."""
_BLANK_LINES: Final = re.compile(r"(?:(?:#[^\n]*+)?\r?\n *+)*+")
"""Comments and empty lines, from the text of a line on."""
_ENDS_PLAIN_TEXT: Final = re.compile(r":(?![^ \t])|[ \t]#")

_BLANK_OR_COMMENT: Final = frozenset(f"{BLANK}#")
_HEADER, _WRITTEN, _MARGIN = 8, 9, 10
"""The groups of a block."""
_DOUBLE, _SINGLE, _PLAIN, _BLOCK, _OTHER = 3, 5, 7, 11, 12
"""The last groups of `PAIR` and `ITEM`: the spaces before the next text. The group before each holds the value.

`_OTHER` has no such group: the value is on the lines below, or the item has to be read by the grammar.
"""


class LinePatterns(PairReader):
    """Reads the pairs and items of block collections as long as their lines match the patterns."""

    __slots__ = ()

    @abstractmethod
    def _below(self, parent: int, *, as_value: bool) -> Node | None:
        """The node at the cursor in a block, below a collection at column `parent`."""

    def _usual_pairs(self, column: int, pairs: Pairs) -> bool:
        """Read pairs up to one that no pattern matches; returns whether the mapping ends. Raises `Refusal`."""
        if not self._is_usual:
            return False
        text, found = self._text, pairs.found
        while self.tab < 0:
            start = self.pos
            match = PAIR.match(text, start)
            if match is None:
                return self._at_separator()
            kind, name = match.lastindex or 0, match[1]
            colon = start + len(name)
            typed = plain(name) if name[0] in MAY_BE_TYPED else name
            key = ScalarNode(Span(start, colon), typed, name, Style.PLAIN)
            if kind < _BLOCK:
                value = self._usual_scalar(match, kind, column)
                if value is None:
                    return False
                self._count(2, start)
                found.append(Pair(key, value))
            else:
                pairs.key = key
                self.last = colon + 1
                self._count(2 if kind == _BLOCK else 1, start)
                value = self._usual_block(match, column) if kind == _BLOCK else self._value_below(match, column)
                found.append(Pair(key, value or self._nothing(colon + 1)))
                pairs.key = None
                if text[self.pos] in _BLANK_OR_COMMENT:
                    self._skip()
                if self.indent > column and text[self.pos] != END:
                    raise self._refusal("bad indentation of a mapping entry")
            if self.indent < column:
                return True
        return False

    def _at_separator(self) -> bool:
        """Whether the document ends here."""
        if self.pos != self.line_start or SEPARATOR.match(self._text, self.pos) is None:
            return False
        self._node_start = self.pos
        return True

    def _usual_items(self, column: int, items: list[Node]) -> bool:
        """Read items up to one that no pattern matches; returns whether the list ends. Raises `Refusal`."""
        if not self._is_usual:
            return False
        text = self._text
        while self.tab < 0 and (match := ITEM.match(text, self.pos)) is not None:
            give_way()
            kind = match.lastindex or 0
            item = self._usual_scalar(match, kind, column) if kind < _BLOCK else None
            if item is None:
                dash, line = self.pos, self.line_start
                self.last = dash + 1
                if kind == _BLOCK:
                    self._count(1, dash)
                    item = self._usual_block(match, column)
                else:
                    self.pos = match.end(1)
                    item = self._below(column, as_value=False)
                    if item is None:
                        self.pos = dash
                        return False
                if text[self.pos] in _BLANK_OR_COMMENT:
                    self._skip()
                if (self.line_start == line or self.indent > column) and text[self.pos] != END:
                    items.append(item)
                    raise self._refusal("bad indentation of a sequence entry")
            else:
                self._count(1, item.span.start)
            items.append(item)
            if self.indent < column:
                return True
        return False

    def _usual_scalar(self, match: re.Match[str], kind: int, column: int) -> ScalarNode | None:
        """The scalar of `match`; None if the scalar does not end where the match does."""
        text = self._text
        written = match[kind - 1]
        line_start, behind = match.span(kind)
        if text[behind] in _BLANK_OR_COMMENT:
            behind, line_start = self._after_blank_lines(behind)
            if text[behind] == "\t":
                return None
        indent = behind - line_start
        if indent > column:
            return None
        start = match.start(kind - 1)
        if kind == _PLAIN:
            value = written = written.rstrip(" \t\r")
            if (":" in written or "#" in written) and (": " in written or _ENDS_PLAIN_TEXT.search(written) is not None):
                return None
            if written[0] in MAY_BE_TYPED:
                value = plain(written)
            end = start + len(written)
            style = Style.PLAIN
        else:
            start -= 1
            end = start + len(written) + 2
            style = Style.DOUBLE if kind == _DOUBLE else Style.SINGLE
            if "\n" in written or ("\\" if kind == _DOUBLE else "'") in written:
                text = self._quoted_text(written, start, end)
                if text is None:
                    return None
                written = text
            value = written
        self.pos, self.line_start, self.indent = behind, line_start, indent
        self.last, self._node_start = end, start
        return ScalarNode(Span(start, end), value, written, style)

    def _quoted_text(self, written: str, start: int, end: int) -> str | None:
        """The text of the quoted scalar, with line breaks or escapes, at `start`; None unless it ends at `end`."""
        if self._text[start] == "'" and "\n" not in written:
            return written.replace("''", "'")
        read = double_quoted if self._text[start] == '"' else single_quoted
        try:
            scalar = read(self._text, start, self.line_start)
        except BadScalar:
            return None
        if scalar.end != end:
            return None
        if scalar.line_start != self.line_start:
            self._multiline_quote = Span(start, end)
        return scalar.text

    def _value_below(self, match: re.Match[str], column: int) -> Node | None:
        """The value on the lines below a key at `column`; None if there is none."""
        text = self._text
        line_start, behind = match.span(_OTHER)
        if text[behind] in _BLANK_OR_COMMENT:
            behind, line_start = self._after_blank_lines(behind)
        self.pos, self.line_start, self.indent = behind, line_start, behind - line_start
        if text[behind] == "\t":
            self._skip()
        self._node_start = self.pos
        if self.indent > column or (
            self.indent == column and self.tab < 0 and text[self.pos] == "-" and text[self.pos + 1] in BLANK
        ):
            return self._below(column, as_value=True)
        return None

    def _after_blank_lines(self, at: int) -> tuple[int, int]:
        """Where the next text after comments and empty lines from `at` on begins, and where its line does."""
        passed = _BLANK_LINES.match(self._text, at)
        assert passed is not None
        return passed.end(), self._text.rfind("\n", 0, passed.end()) + 1

    def _usual_block(self, match: re.Match[str], column: int) -> Node:
        start = self._node_start = match.start(_HEADER)
        header, written, margin = match.group(_HEADER, _WRITTEN, _MARGIN)
        if len(margin) <= column:
            self.pos = start
            return self._block_scalar(start, column + 1, None)
        value = block_text(written, margin, header)
        last = self._text.find("\n", match.start(_WRITTEN) + len(written.rstrip(" \t\r\n")))
        self.last = last - (self._text[last - 1] == "\r")
        self.line_start, self.pos = match.span(_BLOCK)
        self.indent = self.pos - self.line_start
        self.tab = -1
        return ScalarNode(Span(start, self.last), value, value, Style.LITERAL if header[0] == "|" else Style.FOLDED)
