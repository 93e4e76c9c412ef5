"""Lines as most of them are, `key: value` or `- item`, each told by one regular expression.

What is read here is what the grammar of `engine.yaml_nodes.reader` would read, in less time; where a line is in any way
unusual, nothing is, and the grammar reads it token by token.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from engine.text import Span
from engine.yaml_nodes.cursor import END
from engine.yaml_nodes.leaves import BLANK
from engine.yaml_nodes.nodes import Node, Pair, ScalarNode, Style
from engine.yaml_nodes.pairing import Pairing, Pairs
from engine.yaml_nodes.schema import MAY_BE_TYPED, plain

_KEY: Final = r"""([^ \t\r\n,\[\]{}\#&*!|>'"%@`?:.<\-\0][^\t\r\n:\#]*+)(?<!\ )"""
_QUOTED: Final = r"""(?:"([^"]*+)"|'([^']*+)'(?!'))[ ]*+\r?\n[ ]*+"""
_PLAIN: Final = r"""([^ \t\r\n,\[\]{}\#&*!|>'"%@`?:\-\0][^\n]*+)\n[ ]*+"""
_BLOCK: Final = r"([|>][+\-]?)(?=[ ]*+\r?\n)"
_VALUE: Final = rf"{_QUOTED}|{_PLAIN}|{_BLOCK}"

PAIR: Final = re.compile(rf"{_KEY}:(?:[ ]++(?:{_VALUE})|(?:[ ]++\#[^\n]*+)?[ ]*+\r?\n[ ]*+)", re.VERBOSE)
"""A key and its value, if that is on the line; up to the text of the next, but with a block scalar's header."""
ITEM: Final = re.compile(rf"-[ ]++(?![ \t\r\n\#\0])(?:{_VALUE})?", re.VERBOSE)
"""The dash of an item, and the item if it is a scalar; up to the text of the next line, but as for `PAIR`."""
_NO_TEXT: Final = re.compile(r"(?:(?:#[^\n]*+)?\r?\n *+)*+")
"""Comments and empty lines, from a line's text on."""
_NOT_ONE_TEXT: Final = re.compile(r":(?![^ \t])|[ \t]#")

_BLANK_OR_COMMENT: Final = f"{BLANK}#"
_IN_DOUBLE, _IN_SINGLE, _PLAIN_TEXT, _HEADER = 1, 2, 3, 4
"""The groups of `ITEM`; those of `PAIR` are one more, behind the key."""


class Lines(Pairing):
    """Reads the pairs and items of block collections as long as their lines are usual ones."""

    __slots__ = ()

    @abstractmethod
    def _below(self, parent: int, *, as_value: bool) -> Node | None:
        """The node that begins at the cursor in a block, below a collection at column `parent`."""

    def _usual_pairs(self, column: int, pairs: Pairs) -> bool:
        """Read pairs up to one that is written unusually. Answers whether the mapping ends. Raises `Refusal`."""
        text = self._text
        while self._is_usual and self.tab < 0 and (match := PAIR.match(text, self.pos)) is not None:
            kind = match.lastindex
            name = match[1]
            start = self.pos
            colon = start + len(name)
            key = ScalarNode(Span(start, colon), plain(name) if name[0] in MAY_BE_TYPED else name, name, Style.PLAIN)
            if kind == 1 or kind == _HEADER + 1:
                pairs.implicit(key)
                self.last = colon + 1
                if kind == _HEADER + 1:
                    value = self._usual_block(match.start(_HEADER + 1), column)
                else:
                    value = self._value_below(match.end(), column)
                pairs.done(value or self._nothing(colon + 1))
                if text[self.pos] in _BLANK_OR_COMMENT:
                    self._skip()
                if self.indent > column and text[self.pos] != END:
                    raise self._refusal("bad indentation of a mapping entry")
            else:
                value = self._usual_scalar(match, 1, column)
                if value is None:
                    return False
                pairs.found.append(Pair(key, value))
                pairs.detected = True
            if self.indent < column or text[self.pos] == END:
                return True
        return False

    def _usual_items(self, column: int, items: list[Node]) -> bool:
        """Read items up to one that is written unusually. Answers whether the list ends. Raises `Refusal`."""
        text = self._text
        while self._is_usual and self.tab < 0 and (match := ITEM.match(text, self.pos)) is not None:
            kind = match.lastindex
            item = None if kind is None or kind == _HEADER else self._usual_scalar(match, 0, column)
            if item is None:
                dash, line = self.pos, self.line_start
                self.last = dash + 1
                if kind == _HEADER:
                    item = self._usual_block(match.start(kind), column)
                else:
                    self.pos = match.end() if kind is None else match.start(kind) - (kind != _PLAIN_TEXT)
                    item = self._below(column, as_value=False)
                    if item is None:
                        self.pos = dash
                        return False
                items.append(item)
                if text[self.pos] in _BLANK_OR_COMMENT:
                    self._skip()
                if (self.line_start == line or self.indent > column) and text[self.pos] != END:
                    raise self._refusal("bad indentation of a sequence entry")
            else:
                items.append(item)
            if self.indent < column or text[self.pos] == END:
                return True
        return False

    def _usual_scalar(self, match: re.Match[str], before: int, column: int) -> ScalarNode | None:
        """The scalar in a group behind `before` others; None where it is more, or less, than the rest of its line."""
        text, kind = self._text, match.lastindex
        assert kind is not None
        written = match[kind]
        start, end = match.span(kind)
        if kind - before == _PLAIN_TEXT:
            line_start = end + 1
            written = written.rstrip(" \t\r")
            if (":" in written or "#" in written) and _NOT_ONE_TEXT.search(written) is not None:
                return None
            end = start + len(written)
            value = plain(written) if written[0] in MAY_BE_TYPED else written
            style = Style.PLAIN
        else:
            start, end = start - 1, end + 1
            line_start = end + 1 if text[end] == "\n" else text.find("\n", end) + 1
            if "\n" in written or (kind - before == _IN_DOUBLE and "\\" in written):
                return None
            value = written
            style = Style.SINGLE if kind - before == _IN_SINGLE else Style.DOUBLE
        behind = match.end()
        if text[behind] in _BLANK_OR_COMMENT:
            behind, line_start = self._behind_no_text(behind)
        if behind - line_start > column or text[behind] == "\t":
            return None
        self.pos, self.line_start, self.indent = behind, line_start, behind - line_start
        self.last, self._began = end, start
        return ScalarNode(Span(start, end), value, written, style)

    def _value_below(self, behind: int, column: int) -> Node | None:
        """The value of a key at `column` behind which the line ends, `behind` being where the next one's text begins.

        None where there is no value.
        """
        text = self._text
        line_start = text.rfind("\n", 0, behind) + 1
        if text[behind] in _BLANK_OR_COMMENT:
            behind, line_start = self._behind_no_text(behind)
        self.pos = self._began = behind
        self.line_start, self.indent = line_start, behind - line_start
        if text[behind] == "\t":
            self._skip()
        is_list = text[self.pos] == "-" and text[self.pos + 1] in BLANK
        if self.indent > column or (self.indent == column and is_list and self.tab < 0):
            return self._below(column, as_value=True)
        return None

    def _behind_no_text(self, at: int) -> tuple[int, int]:
        """Where the next text begins, from the text of a line at `at` on, and where its line does."""
        passed = _NO_TEXT.match(self._text, at)
        assert passed is not None
        return passed.end(), self._text.rfind("\n", 0, passed.end()) + 1

    def _usual_block(self, start: int, column: int) -> Node:
        self.pos = self._began = start
        return self._block_scalar(start, column + 1, None)
