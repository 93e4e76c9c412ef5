"""The exact reader: YAML in the grammar of js-yaml 4.1.0, with its leniencies, its refusals and its places of error.

libyaml reads YAML 1.1 and so differs in small things (`[a:b]`, tabs, U+2028, long keys, trailing blanks in quotes). This
reader decides wherever the quick one cannot vouch for its answer, and it is the one that says what an error is.

It descends recursively. The place it has reached is `pos`; `line_start`, `indent` and `tab` describe the line it is on:
where it begins, how many spaces it begins with (as of the last line break passed), and the first tab met between
tokens, -1 where there was none. A tab before a token forbids block collections to begin there.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from engine.text import Span
from engine.yaml_nodes import building
from engine.yaml_nodes.building import Duplicate
from engine.yaml_nodes.directives import Directives
from engine.yaml_nodes.nodes import AliasNode, Document, MappingNode, Node, Pair, ScalarNode, SequenceNode, Style
from engine.yaml_nodes.scalar_text import BadScalar, block_scalar, double_quoted, single_quoted
from engine.yaml_nodes.schema import Unresolvable, plain
from engine.yaml_nodes.values import MAXIMUM_DEPTH

END: Final = "\0"
_BLANK: Final = " \t\n\r"
_FLOW: Final = ",[]{}"
_NOT_PLAIN: Final = frozenset(_BLANK + _FLOW + "#&*!|>'\"%@`" + END)
_WHITE = re.compile(r"[ \t]+")
_SPACES = re.compile(r" *")
_COMMENT = re.compile(r"#[^\n\r\0]*")
_NAME = re.compile(r"[^\0 \t\n\r,\[\]{}]*")
_PLAIN = re.compile(r"(?:[^\0\n\r:#]++|:(?![ \t\n\r])|(?<![ \t\n\r])#)*+")
_PLAIN_IN_FLOW = re.compile(r"(?:[^\0\n\r:#,\[\]{}]++|:(?![ \t\n\r,\[\]{}])|(?<![ \t\n\r])#)*+")
_UNPRINTABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_SEPARATOR = re.compile(r"(?:---|\.\.\.)(?=[\0 \t\n\r])")
_PENDING = ScalarNode(Span(0, 0), None, "", Style.PLAIN)


class Context(Enum):
    """Where a node stands: inside brackets, as an implicit key, or in a block as an entry or as a value."""

    IN_FLOW = auto()
    KEY = auto()
    ENTRY = auto()
    VALUE = auto()


class Refusal(Exception):
    """js-yaml refuses the text: its `reason`, the `offset` it names, and the node read until there.

    `opening` is the quote or bracket that is still open there. `began` is where the latest node outside of brackets
    begins; `quoted` is the latest quoted text that goes over several lines, if there was one.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset
        self.partial: Node | None = None
        self.opening: int | None = None
        self.began = offset
        self.quoted: Span | None = None


class Reader:
    """Reads one stretch of a text. `documents` and `duplicates` hold what was read, also after a `Refusal`."""

    __slots__ = (
        "_anchors", "_began", "_depth", "_directives", "_limit", "_pending", "_quoted_lines", "_text", "documents", "duplicates", "end", "indent", "last", "line_start",
        "pos", "tab",
    )  # fmt: skip

    def __init__(self, text: str, start: int, end: int, anchors: dict[str, Node]) -> None:
        """A reader of `text[start:end]`, where `start` begins a line; `anchors` are those known before."""
        self._limit = min(end, len(text))
        text = text[:end]
        self._text = text + END if text.endswith(("\n", "\r")) else f"{text}\n{END}"
        self.pos = start + self._text.startswith("\ufeff", start) if start == 0 else start
        self.line_start = self.pos
        self.end = len(self._text) - 1
        self.indent = 0
        self.tab = -1
        self.last = self.pos
        self._anchors = anchors
        self._pending: dict[str, list[AliasNode]] = {}
        self._directives = Directives()
        self._depth = 0
        self._began = self.pos
        self._quoted_lines: Span | None = None
        self.documents: list[Document] = []
        self.duplicates: list[Duplicate] = []

    def read(self) -> None:
        """Read all documents. Raises `Refusal`."""
        null = self._text.find(END)
        if null < self.end:
            raise Refusal("null byte is not allowed in input", null)
        spaces = _SPACES.match(self._text, self.pos)
        assert spaces is not None
        self.indent = spaces.end() - self.pos
        self.pos = spaces.end()
        while self.pos < self.end - 1:
            self._document()

    # -- documents

    def _document(self) -> None:
        self._directives = Directives()
        directed = False
        while self._text[self.pos] != END:
            self._skip()
            if self.indent > 0 or self._text[self.pos] != "%":
                break
            directed = True
            self._directive()
        self._skip()
        start = self.pos
        if self.indent == 0 and self._text.startswith("---", self.pos):
            self.pos += 3
            self._skip()
        elif directed:
            raise self._refusal("directives end mark is expected")
        root = None
        try:
            root = self._node(self.indent - 1, Context.VALUE, seek=False, compact=True)
            self._skip()
            self._end_of_document()
        except Refusal as refusal:
            root = root or refusal.partial
            raise
        finally:
            self.documents.append(Document(Span(min(start, self._limit), min(max(self.pos, start), self._limit)), root))
        self._anchors.clear()

    def _end_of_document(self) -> None:
        if self.pos == self.line_start and _SEPARATOR.match(self._text, self.pos) is not None:
            if self._text[self.pos] == ".":
                self.pos += 3
                self._skip()
        elif self.pos < self.end - 1:
            raise self._refusal("end of the stream or a document separator is expected")

    def _directive(self) -> None:
        if self._text[self.pos + 1] in _BLANK:
            self.pos += 1
            raise self._refusal("directive name must not be less than one character in length")
        line_end = self.pos
        while self._text[line_end] not in "\n\r\0":
            line_end += 1
        reason = self._directives.add(self._text[self.pos : line_end])
        self.pos = line_end
        self._line_break()
        if reason is not None:
            raise self._refusal(reason)

    # -- white space

    def _refusal(self, reason: str, opening: int | None = None) -> Refusal:
        refusal = Refusal(reason, self.pos)
        refusal.opening = opening
        refusal.began = min(self._began, self.pos)
        refusal.quoted = self._quoted_lines
        return refusal

    def _line_break(self) -> None:
        """Pass one line break, if there is one."""
        if self._text.startswith("\r\n", self.pos):
            self.pos += 2
        elif self._text[self.pos] in "\n\r":
            self.pos += 1
        else:
            return
        self.line_start = self.pos
        self.tab = -1

    def _skip(self, comments: bool = True) -> int:
        """Pass blanks, line breaks and (where they count) comments; answer how many lines that ended."""
        text = self._text
        breaks = 0
        while True:
            character = text[self.pos]
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
                return breaks
            self._line_break()
            breaks += 1
            self._count_indent()

    def _count_indent(self) -> None:
        spaces = _SPACES.match(self._text, self.pos)
        assert spaces is not None
        self.pos = spaces.end()
        self.indent = self.pos - self.line_start

    # -- nodes

    def _node(self, parent: int, context: Context, *, seek: bool, compact: bool) -> Node | None:
        """The node that begins here, None where there is none. `parent` is the column of what it belongs to.

        `seek` passes blanks before it; `compact` lets a block collection begin in the middle of a line.
        """
        self._depth += 1
        if self._depth > MAXIMUM_DEPTH:
            raise self._refusal(f"nested more than {MAXIMUM_DEPTH} levels deep")
        in_block = context is Context.ENTRY or context is Context.VALUE
        collections = in_block
        new_line = deeper = same = False
        if seek and self._skip():
            new_line = True
            deeper, same = self.indent > parent, self.indent == parent
        else:
            deeper = True
        start = self.pos
        if context is not Context.IN_FLOW:
            self._began = start
        tag = anchor = None
        if deeper and self._text[start] in "!&":
            while (character := self._text[self.pos]) in "!&":
                if character == "!":
                    tag = self._tag(tag)
                else:
                    anchor = self._anchor(anchor)
                self.last = self.pos
                if self._skip():
                    new_line, collections = True, in_block
                    deeper, same = self.indent > parent, self.indent == parent
                else:
                    collections = False
        properties_end = self.last
        collections = collections and (new_line or compact)
        node: Node | None = None
        waiting: list[AliasNode] = []
        collections = collections and self.tab < 0 and self._text[self.pos] != END
        if anchor is not None and (collections or self._text[self.pos] in "[{"):
            self._pending[anchor] = waiting
        column = self.pos - self.line_start
        flow = parent + 1 if in_block else parent
        if collections and (deeper or (same and context is Context.VALUE)):
            node = self._block_sequence(start, column, tag)
        if collections and deeper and node is None:
            node = self._block_mapping(start, column, flow, tag)
            if node is None:
                # js-yaml loses the properties of a node when it finds no collection behind them.
                tag = anchor = None
        if deeper and node is None:
            node = self._content(start, flow, in_block, context is Context.IN_FLOW, tag)
        if node is None and (tag is not None or anchor is not None):
            node = self._tagged(None, Span(start, properties_end), tag)
        if anchor is not None and node is not None:
            if self._pending.get(anchor) is waiting:
                del self._pending[anchor]
            if any(alias is node for alias in waiting):
                # An alias of nothing but itself: to js-yaml an object that stays empty.
                node = MappingNode(node.span, (), True)
            self._anchors[anchor] = node
            for alias in waiting:
                object.__setattr__(alias, "target", node)
        self._depth -= 1
        return node

    def _content(self, start: int, flow: int, in_block: bool, in_flow: bool, tag: str | None) -> Node | None:
        character = self._text[self.pos]
        if character in "[{":
            return self._flow_collection(start, flow, tag)
        if character in "|>":
            return self._block_scalar(start, flow, tag) if in_block else None
        if character in "'\"":
            return self._quoted(start, tag)
        if character == "*":
            alias = self._alias()
            if start != alias.span.start:
                raise self._refusal("alias node should not have any properties")
            return alias
        return self._plain(start, flow, in_flow, tag)

    def _tagged(self, node: ScalarNode | SequenceNode | MappingNode | None, span: Span, tag: str | None) -> Node:
        """`node`, which is None where only its properties are written, as its explicit `tag` makes it."""
        if tag is None or tag == "!":
            return ScalarNode(span, None, "", Style.PLAIN) if node is None else node
        try:
            match node:
                case None:
                    return building.empty(span, tag)
                case ScalarNode():
                    return building.scalar(span, node.text, node.style, tag)
                case SequenceNode():
                    return building.sequence(node, tag)
                case MappingNode():
                    return building.mapping(node, tag)
        except Unresolvable as error:
            raise self._refusal(error.reason) from error

    def _tag(self, before: str | None) -> str:
        if before is not None:
            raise self._refusal("duplication of a tag property")
        tag, self.pos, reason = self._directives.tag(self._text, self.pos)
        if reason is not None:
            raise self._refusal(reason)
        return tag

    def _anchor(self, before: str | None) -> str:
        if before is not None:
            raise self._refusal("duplication of an anchor property")
        return self._name("name of an anchor node must contain at least one character")

    def _name(self, reason: str) -> str:
        name = _NAME.match(self._text, self.pos + 1)
        assert name is not None
        self.pos = name.end()
        if not name[0]:
            raise self._refusal(reason)
        return name[0]

    def _alias(self) -> AliasNode:
        start = self.pos
        name = self._name("name of an alias node must contain at least one character")
        if name in self._pending:
            alias = AliasNode(Span(start, self.pos), _PENDING)
            self._pending[name].append(alias)
        elif name in self._anchors:
            alias = AliasNode(Span(start, self.pos), self._anchors[name])
        else:
            raise self._refusal(f'unidentified alias "{name}"')
        self.last = self.pos
        self._skip()
        return alias

    # -- scalars

    def _plain(self, start: int, indent: int, in_flow: bool, tag: str | None) -> Node | None:
        text = self._text
        first = text[self.pos]
        if first in _NOT_PLAIN:
            return None
        if first in "?-" and (text[self.pos + 1] in _BLANK or (in_flow and text[self.pos + 1] in _FLOW)):
            return None
        pattern = _PLAIN_IN_FLOW if in_flow else _PLAIN
        pieces: list[str] = []
        breaks = 0
        while not (self.pos == self.line_start and _SEPARATOR.match(text, self.pos)):
            match = pattern.match(text, self.pos)
            assert match is not None
            if match.end() == self.pos:
                break
            if pieces:
                self._check_printable(pieces[-1])
            piece = match[0].rstrip(" \t")
            if breaks:
                pieces.append(" " if breaks == 1 else "\n" * (breaks - 1))
            pieces.append(piece)
            self.last = self.pos + len(piece)
            self.pos = match.end()
            if text[self.pos] not in "\n\r":
                break
            here = self.line_start, self.indent
            breaks = self._skip(comments=False)
            if self.indent < indent:
                self.pos = self.last
                self.line_start, self.indent = here
                break
        if not pieces:
            return None
        self._check_printable(pieces[-1])
        value = "".join(pieces)
        span = Span(start, self.last)
        node = ScalarNode(span, plain(value) if tag is None else value, value, Style.PLAIN)
        return self._tagged(node, span, tag)

    def _check_printable(self, piece: str) -> None:
        if _UNPRINTABLE.search(piece) is not None:
            raise self._refusal("the stream contains non-printable characters")

    def _quoted(self, start: int, tag: str | None) -> Node:
        quote = self._text[self.pos]
        opening = self.pos
        try:
            scalar = (single_quoted if quote == "'" else double_quoted)(self._text, self.pos, self.line_start)
        except BadScalar as error:
            self.pos = error.offset
            raise self._refusal(error.reason, opening) from error
        if scalar.line_start != self.line_start:
            self._quoted_lines = Span(opening, scalar.end)
            self.line_start, self.indent, self.tab = scalar.line_start, scalar.indent, scalar.tab
        self.pos = self.last = scalar.end
        span = Span(start, scalar.end)
        style = Style.SINGLE if quote == "'" else Style.DOUBLE
        return self._tagged(ScalarNode(span, scalar.text, scalar.text, style), span, tag)

    def _block_scalar(self, start: int, indent: int, tag: str | None) -> Node:
        style = Style.LITERAL if self._text[self.pos] == "|" else Style.FOLDED
        try:
            scalar = block_scalar(self._text, self.pos, indent)
        except BadScalar as error:
            self.pos = error.offset
            raise self._refusal(error.reason) from error
        self.pos, self.line_start, self.indent, self.tab = scalar.end, scalar.line_start, scalar.indent, -1
        self.last = scalar.last
        self._check_printable(scalar.text)
        span = Span(start, scalar.last)
        return self._tagged(ScalarNode(span, scalar.text, scalar.text, style), span, tag)

    # -- collections

    def _nothing(self, at: int) -> ScalarNode:
        return ScalarNode(Span(at, at), None, "", Style.PLAIN)

    def _block_sequence(self, start: int, column: int, tag: str | None) -> Node | None:
        text = self._text
        if text[self.pos] != "-" or text[self.pos + 1] not in _BLANK:
            return None
        items: list[Node] = []
        try:
            while (character := text[self.pos]) != END:
                if self.tab >= 0:
                    self.pos = self.tab
                    raise self._refusal("tab characters must not be used in indentation")
                if character != "-" or text[self.pos + 1] not in _BLANK:
                    break
                self.pos += 1
                self.last = dash = self.pos
                if self._skip() and self.indent <= column:
                    items.append(self._nothing(dash))
                    continue
                line = self.line_start
                items.append(self._node(column, Context.ENTRY, seek=False, compact=True) or self._nothing(dash))
                self._skip()
                if (self.line_start == line or self.indent > column) and text[self.pos] != END:
                    raise self._refusal("bad indentation of a sequence entry")
                if self.indent < column:
                    break
        except Refusal as refusal:
            if refusal.partial is not None:
                items.append(refusal.partial)
            refusal.partial = SequenceNode(Span(start, max(self.last, start)), tuple(items), False)
            raise
        span = Span(start, self.last)
        return self._tagged(SequenceNode(span, tuple(items), False), span, tag)

    def _block_mapping(self, start: int, column: int, flow: int, tag: str | None) -> Node | None:
        pairs = _Pairs(self)
        try:
            only = self._block_pairs(column, flow, pairs)
        except Refusal as refusal:
            self.duplicates += building.duplicates(pairs.found)
            pairs.give_up(refusal.partial)
            if pairs.found:
                refusal.partial = MappingNode(Span(start, max(self.last, start)), tuple(pairs.found), False)
            raise
        if not pairs.detected:
            if only is None or tag is None or tag == "!":
                return only
            if isinstance(only, AliasNode):
                raise self._refusal(f'unacceptable node kind for !<{tag}> tag; it should be "scalar", not "null"')
            return self._tagged(only, Span(start, self.last), tag)
        span = Span(start, self.last)
        node = self._checked(MappingNode(span, tuple(pairs.found), False))
        return self._tagged(node, span, tag)

    def _block_pairs(self, column: int, flow: int, pairs: _Pairs) -> Node | None:
        """Read pairs while there are any. Answers the node that was met instead of a first pair, if there was one."""
        text = self._text
        while (character := text[self.pos]) != END:
            if not pairs.explicit and self.tab >= 0:
                self.pos = self.tab
                raise self._refusal("tab characters must not be used in indentation")
            line = self.line_start
            if character in "?:" and text[self.pos + 1] in _BLANK:
                if character == "?":
                    pairs.question()
                elif pairs.explicit:
                    pairs.explicit = False
                else:
                    raise self._refusal(
                        "incomplete explicit mapping pair; a key node is missed; or followed by a non-tabulated empty line"
                    )
                compact = True
                self.pos += 1
                self.last = self.pos
            else:
                key = self._node(flow, Context.KEY, seek=False, compact=True)
                if key is None:
                    break
                if not self._colon(line, pairs):
                    return key
                pairs.implicit(key)
                compact = False
            at = self.last
            if self.line_start == line or self.indent > column:
                node = self._node(column, Context.VALUE, seek=True, compact=compact)
                pairs.add(node, at)
                self._skip()
            if (self.line_start == line or self.indent > column) and text[self.pos] != END:
                raise self._refusal("bad indentation of a mapping entry")
            if self.indent < column:
                break
        pairs.close()
        return None

    def _colon(self, line: int, pairs: _Pairs) -> bool:
        """Pass the colon behind an implicit key; False where the node before was no key but all there is."""
        text = self._text
        if self.line_start == line:
            while text[self.pos] in " \t":
                self.pos += 1
            if text[self.pos] == ":":
                self.pos += 1
                if text[self.pos] not in _BLANK:
                    raise self._refusal(
                        "a whitespace character is expected after the key-value separator within a block mapping"
                    )
                self.last = self.pos
                return True
            reason = "can not read an implicit mapping pair; a colon is missed"
        else:
            reason = "can not read a block mapping entry; a multiline key may not be an implicit key"
        if pairs.detected:
            raise self._refusal(reason)
        return False

    def _flow_collection(self, start: int, indent: int, tag: str | None) -> Node:
        text = self._text
        in_mapping = text[self.pos] == "{"
        closing = "}" if in_mapping else "]"
        opening = self.pos
        items: list[Node] = []
        pairs: list[Pair] = []
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
                        return self._tagged(self._checked(MappingNode(span, tuple(pairs), True)), span, tag)
                    return self._tagged(SequenceNode(span, tuple(items), True), span, tag)
                if not comma:
                    raise self._refusal("missed comma between flow collection entries")
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
            span = Span(start, max(self.last, start))
            self.duplicates += building.duplicates(pairs)
            refusal.partial = MappingNode(span, tuple(pairs), True) if in_mapping else SequenceNode(span, tuple(items), True)
            raise

    def _flow_entry(self, indent: int, in_mapping: bool) -> Node | Pair:
        text = self._text
        explicit = False
        start = self.pos
        if text[self.pos] == "?" and text[self.pos + 1] in _BLANK:
            explicit = True
            self.pos += 1
            self._skip()
        line = self.line_start
        at = self.pos
        key = self._node(indent, Context.IN_FLOW, seek=False, compact=True) or self._nothing(at)
        self._skip()
        if (explicit or self.line_start == line) and text[self.pos] == ":":
            self.pos += 1
            self.last = at = self.pos
            self._skip()
            value = self._node(indent, Context.IN_FLOW, seek=False, compact=True) or self._nothing(at)
        elif explicit or in_mapping:
            value = self._nothing(key.span.end)
        else:
            return key
        pair = self.pair(key, value)
        if in_mapping:
            return pair
        return self._checked(MappingNode(Span(min(start, key.span.start), pair.span.end), (pair,), True))

    def _checked(self, node: MappingNode) -> MappingNode:
        self.duplicates += building.duplicates(node.pairs)
        return node

    def pair(self, key: Node, value: Node) -> Pair:
        """A pair whose key and value go together. Raises `Refusal`."""
        pair = Pair(key, value)
        try:
            building.check(pair)
        except Unresolvable as error:
            raise self._refusal(error.reason) from error
        return pair


class _Pairs:
    """The pairs of one block mapping as they come in."""

    __slots__ = ("_key", "_reader", "detected", "explicit", "found")

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._key: Node | None = None
        self.found: list[Pair] = []
        self.detected = False
        self.explicit = False

    def question(self) -> None:
        """A `?` begins a key; one that is still open has no value."""
        self.close()
        self.detected = self.explicit = True

    def implicit(self, key: Node) -> None:
        """`key:` was read; an explicit key that is still open has no value."""
        self.close()
        self.detected = True
        self.explicit = False
        self._key = key

    def add(self, node: Node | None, at: int) -> None:
        """What follows a `?` or a `:`, None where nothing does; `at` is where it would be."""
        if self.explicit:
            self._key = building.never_a_merge(node) if node is not None else None
            return
        empty = ScalarNode(Span(at, at), None, "", Style.PLAIN)
        key, self._key = self._key or empty, None
        self.found.append(self._reader.pair(key, node or empty))

    def close(self) -> None:
        """No value follows the key that is open, if one is."""
        if self.explicit or self._key is not None:
            self.found.append(self._reader.pair(self._key or self._empty(), self._empty()))
            self._key = None
            self.explicit = False

    def give_up(self, value: Node | None) -> None:
        """Reading ends in the middle; `value` is what was read of the open key's value."""
        if self._key is not None:
            self.found.append(Pair(self._key, value or self._empty()))

    def _empty(self) -> ScalarNode:
        at = self._reader.last
        return ScalarNode(Span(at, at), None, "", Style.PLAIN)
