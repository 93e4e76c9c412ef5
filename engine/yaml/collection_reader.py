"""Pairs and items, as js-yaml reads them: collections in brackets, and the usual lines of blocks.

The usual lines of blueprints, `key: value` and `- item`, are each matched by one regular expression. The result is that
of the grammar in `engine.yaml.reader`, in less time: without these patterns the longest file of the corpus takes 18 ms
to read instead of 5, and diagnostics follow a keystroke noticeably later. Any other line is left to the grammar.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from engine.text.pacing import give_way
from engine.text.spans import Span
from engine.yaml.nodes import (
    MERGE,
    Duplicate,
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    Style,
    duplicates,
    is_merge,
    resolved,
)
from engine.yaml.scalar_text import SEPARATOR, Refusal, block_text, quoted
from engine.yaml.scalars import BLANK, Scalars, Unfinished
from engine.yaml.schema import END, MAY_BE_TYPED, Unresolvable, as_ordinary_key, check, plain

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


class Pairs:
    """The pairs of one block mapping while it is read.

    `key` is the key whose value is still to be read; `explicit` is True after a `?`.
    """

    __slots__ = ("_reader", "explicit", "found", "key")

    def __init__(self, reader: CollectionReader) -> None:
        self._reader = reader
        self.key: Node | None = None
        self.found: list[Pair] = []
        self.explicit = False

    @property
    def detected(self) -> bool:
        """Whether a pair has been read, or the beginning of one."""
        return bool(self.found) or self.explicit or self.key is not None

    def begin_explicit(self) -> None:
        """Begin an explicit key (`?`); a key that is still open gets no value."""
        self.close()
        self.explicit = True

    def begin_implicit(self, key: Node) -> None:
        """Add `key:`; an explicit key that is still open gets no value."""
        self.close()
        self.explicit = False
        self.key = key

    def add(self, node: Node | None, at: int) -> None:
        """Add the node after a `?` or a `:`, None if there is none; `at` is where it would be."""
        if self.explicit:
            self.key = as_ordinary_key(node) if node is not None else None
            return
        empty = ScalarNode(Span(at, at), None, "", Style.PLAIN)
        key, self.key = self.key or empty, None
        self.found.append(self._reader.pair(key, node or empty))

    def close(self) -> None:
        """Complete the open key, if there is one, without a value."""
        if self.explicit or self.key is not None:
            self.found.append(self._reader.pair(self.key or self._empty(), self._empty()))
            self.key = None
            self.explicit = False

    def give_up(self, value: Node | None) -> None:
        """Complete the open key when reading stops; `value` is the part of its value read so far."""
        if self.key is not None:
            self.found.append(Pair(self.key, value or self._empty()))

    def _empty(self) -> ScalarNode:
        at = self._reader.last
        return ScalarNode(Span(at, at), None, "", Style.PLAIN)


class CollectionReader(Scalars):
    """Reads collections in brackets, and the pairs and items of blocks as long as their lines match the patterns.

    `duplicates` are the pairs whose key their mapping already has.
    """

    __slots__ = ("duplicates",)

    def __init__(self, text: str, start: int, end: int, known: Mapping[str, Node]) -> None:
        super().__init__(text, start, end, known)
        self.duplicates: list[Duplicate] = []

    @abstractmethod
    def _leaf(self, indent: int, *, in_flow: bool) -> Node | None:
        """The node at the cursor as a key or within brackets, where no block collection can begin."""

    @abstractmethod
    def _below(self, parent: int, *, as_value: bool) -> Node | None:
        """The node at the cursor in a block, below a collection at column `parent`."""

    def pair(self, key: Node, value: Node) -> Pair:
        """The pair of `key` and `value`. Raises `Refusal` if js-yaml refuses it."""
        key = self._partial_node(key)
        if is_merge(key):
            key, value = ScalarNode(key.span, MERGE, MERGE, Style.PLAIN), self._sources(value)
        pair = Pair(key, value)
        try:
            check(pair)
        except Unresolvable as error:
            raise self._refusal(error.reason) from error
        return pair

    def _partial_node(self, node: Node) -> Node:
        """`node`, or the part read so far where it is an alias of a collection still being read."""
        target = resolved(node)
        for unfinished in self._unfinished.values():
            if unfinished.placeholder is target:
                return unfinished.partial_node(node.span)
        return node

    def _sources(self, node: Node) -> Node:
        """`node`, the value of a merge key, with the parts read so far of collections still being read."""
        if not self._unfinished:
            return node
        node = self._partial_node(node)
        sources = resolved(node)
        if not isinstance(sources, SequenceNode):
            return node
        return SequenceNode(node.span, tuple(map(self._partial_node, sources.items)), True)

    def _reached(self, start: int, parts: Sequence[Node | Pair]) -> Span:
        """The span of a collection of which only `parts` were read."""
        return Span(start, max(self.last, start, parts[-1].span.end if parts else start))

    def _flow_collection(self, start: int, indent: int, tag: str | None, unfinished: Unfinished | None) -> Node:
        text = self._text
        in_mapping = text[self.pos] == "{"
        closing = "}" if in_mapping else "]"
        opening = self.pos
        items: list[Node] = []
        pairs: list[Pair] = []
        if unfinished is not None:
            unfinished.items, unfinished.pairs = items, pairs if in_mapping else None
        comma = True
        self.pos += 1
        self.last = self.pos
        try:
            while text[self.pos] != END:
                self._skip()
                character = text[self.pos]
                if character == closing:
                    self.pos += 1
                    self.last = self.pos
                    span = Span(start, self.pos)
                    if in_mapping:
                        mapping = MappingNode(span, tuple(pairs), True)
                        self.duplicates += duplicates(mapping.pairs)
                        return self._tagged(mapping, span, tag)
                    return self._tagged(SequenceNode(span, tuple(items), True), span, tag)
                if not comma:
                    raise self._refusal("missed comma between flow collection entries", opening)
                if character == ",":
                    raise self._refusal("expected the node content, but found ','")
                entry = self._flow_entry(indent, in_mapping)
                if isinstance(entry, Pair):
                    pairs.append(entry)
                else:
                    items.append(entry)
                self._skip()
                comma = text[self.pos] == ","
                if comma:
                    self.pos += 1
            raise self._refusal("unexpected end of the stream within a flow collection", opening)
        except Refusal as refusal:
            span = self._reached(start, pairs or items)
            self.duplicates += duplicates(pairs)
            refusal.partial = (
                MappingNode(span, tuple(pairs), True) if in_mapping else SequenceNode(span, tuple(items), True)
            )
            raise

    def _flow_entry(self, indent: int, in_mapping: bool) -> Node | Pair:
        text = self._text
        explicit = False
        start = self.pos
        if text[self.pos] == "?" and text[self.pos + 1] in BLANK:
            explicit = True
            self.pos += 1
            self._skip()
        line = self.line_start
        at = self.pos if text[self.pos] != END else self.last
        key = self._leaf(indent, in_flow=True) or self._nothing(at)
        self._skip()
        if (explicit or self.line_start == line) and text[self.pos] == ":":
            self.pos += 1
            self.last = at = self.pos
            self._skip()
            value = self._leaf(indent, in_flow=True) or self._nothing(at)
        elif explicit or in_mapping:
            value = self._nothing(key.span.end)
        else:
            return key
        pair = self.pair(key, value)
        if in_mapping:
            return pair
        mapping = MappingNode(Span(min(start, key.span.start), pair.span.end), (pair,), True)
        self.duplicates += duplicates(mapping.pairs)
        return mapping

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
        try:
            scalar = quoted(self._text, start, self.line_start)
        except Refusal:
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
