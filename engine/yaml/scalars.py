"""The leaves of the tree: plain, quoted and block scalars, and aliases; also the tags and anchors of nodes.

With the cursor that reads them: its position, how it skips white space, and how it refuses a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from engine.text.spans import Span
from engine.text.text_limits import VALUES, TooManyValues
from engine.yaml.nodes import AliasNode, MappingNode, Node, Pair, ScalarNode, SequenceNode, Style, resolved
from engine.yaml.scalar_text import SEPARATOR, Refusal, block_scalar, is_printable, quoted
from engine.yaml.schema import BINARY_TAG, END, Directives, Unresolvable, as_ordinary_key, plain, retagged, tagged

_WHITE = re.compile(r"[ \t]+")
_SPACES = re.compile(r" *")
_COMMENT = re.compile(r"#[^\n\r\0]*")
_BREAKS = re.compile(r"\r?\n(?:[ \t]*+\r?\n)*+")
"""A line break, and the blank lines below it."""
BLANK: Final = " \t\n\r"
_FLOW: Final = ",[]{}"
_NOT_PLAIN: Final = frozenset(BLANK + _FLOW + "#&*!|>'\"%@`" + END)
_NAME = re.compile(r"[^\0 \t\n\r,\[\]{}]*")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_USUAL_ASCII: Final = bytes((*b"\t\n", *range(0x20, 0x7F)))
_PLAIN = re.compile(r"(?:[^\0\n\r:#]++|:(?![ \t\n\r])|(?<![ \t\n\r])#)*+")
_PLAIN_IN_FLOW = re.compile(r"(?:[^\0\n\r:#,\[\]{}]++|:(?![ \t\n\r,\[\]{}])|(?<![ \t\n\r])#)*+")


def _ended(text: str, end: int) -> str:
    """`text` with a line break and `END` at its `end`."""
    if text.startswith(END, end) and text.endswith(("\n", "\r"), 0, end):
        return text
    text = text[:end]
    return text + END if text.endswith(("\n", "\r")) else f"{text}\n{END}"


def _is_usual(text: str) -> bool:
    """Whether `text` has no refused character and no lone carriage return."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _USUAL_ASCII)
    if b"\r" in rest and _LONE_RETURN.search(text) is not None:
        return False
    return is_printable(rest.decode("utf-8", "surrogatepass"))


class Unfinished(Struct):
    """A collection with an anchor while it is read: the part read so far, and the aliases that refer to it."""

    items: Sequence[Node] | None = None
    pairs: Sequence[Pair] | None = None
    aliases: list[AliasNode] = []
    placeholder: ScalarNode = field(default_factory=lambda: ScalarNode(Span(0, 0), None, "", Style.PLAIN))

    def partial_node(self, span: Span) -> Node:
        """A collection of the part read so far."""
        if self.pairs is not None:
            return MappingNode(span, tuple(self.pairs), True)
        return SequenceNode(span, tuple(self.items or ()), True)


class Scalars:
    """Reads the nodes that contain no others. Each method reads from the cursor on and raises `Refusal`.

    The cursor is `pos`. `line_start`, `indent` and `tab` describe its line: where it begins, the number of spaces at
    its beginning (as of the last line break), and the first tab between tokens, -1 if there was none. `last` is the end
    of the last token. `values` counts the nodes that were begun, `anchors` are those of the last document.
    """

    __slots__ = (
        "_directives", "_is_usual", "_known", "_limit", "_multiline_quote", "_node_start", "_text", "_unfinished",
        "anchors", "end", "indent", "last", "line_start", "pos", "tab", "values",
    )  # fmt: skip

    def __init__(self, text: str, start: int, end: int, known: Mapping[str, Node]) -> None:
        """A reader at the start of `text[start:end]`; `start` begins a line, `known` are the anchors before it.

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
        self._known = known
        self.anchors: dict[str, Node] = {}
        self._unfinished: dict[str, Unfinished] = {}
        self._directives: Directives | None = None
        self._is_usual: bool = _is_usual(text[start:end])
        self.values: int = 0

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

    def _count(self, nodes: int, start: int) -> None:
        """Count nodes, the first of which begins at `start`. Raises `TooManyValues`."""
        self.values += nodes
        if self.values > VALUES:
            raise TooManyValues(start)

    def _nothing(self, at: int) -> ScalarNode:
        self._count(1, at)
        return ScalarNode(Span(at, at), None, "", Style.PLAIN)

    def _tagged(self, node: ScalarNode | SequenceNode | MappingNode | None, span: Span, tag: str | None) -> Node:
        """`node` with its explicit `tag` applied; None is a node of which only the properties are written."""
        if tag is None or tag == "!":
            if node is None:
                return ScalarNode(span, None, "", Style.PLAIN)
            return node if tag is None else as_ordinary_key(node)
        if tag == BINARY_TAG and isinstance(node, ScalarNode):  # each byte becomes a pair
            self._count(len(node.text), span.start)
        try:
            return tagged(node, span, tag)
        except Unresolvable as error:
            refusal = self._refusal(error.reason)
            refusal.node_start = span.start
            raise refusal from error

    def _tagged_late(self, node: Node, tag: str) -> Node:
        """`node`, already resolved, with the explicit `tag` of a line before it applied."""
        if not isinstance(node, AliasNode):
            if not isinstance(node, ScalarNode) or isinstance(node.value, str):
                return self._tagged(node, node.span, tag)
            try:
                return retagged(node, tag)
            except Unresolvable as error:
                raise self._refusal(error.reason) from error
        target = resolved(node)
        if isinstance(target, ScalarNode) and target.value is None:
            return self._tagged(None, node.span, tag)
        raise self._refusal(f'unacceptable node kind for !<{tag}> tag; it should be "scalar", not "null"')

    def _declared(self) -> Directives:
        """The directives of this document, created when they are first needed: few texts have any."""
        if self._directives is None:
            self._directives = Directives()
        return self._directives

    def _tag(self, before: str | None) -> str:
        if before is not None:
            raise self._refusal("duplication of a tag property")
        tag, self.pos, reason = self._declared().tag(self._text, self.pos)
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
        if name in self._unfinished:
            unfinished = self._unfinished[name]
            alias = AliasNode(Span(start, self.pos), unfinished.placeholder)
            unfinished.aliases.append(alias)
        else:
            target = self.anchors.get(name) or self._known.get(name)
            if target is None:
                raise self._refusal(f'unidentified alias "{name}"')
            alias = AliasNode(Span(start, self.pos), target)
        self.last = self.pos
        self._skip()
        return alias

    def _plain(self, start: int, indent: int, in_flow: bool, tag: str | None) -> Node | None:
        text = self._text
        first = text[self.pos]
        if first in _NOT_PLAIN:
            return None
        if first in "?-" and (text[self.pos + 1] in BLANK or (in_flow and text[self.pos + 1] in _FLOW)):
            return None
        pattern = _PLAIN_IN_FLOW if in_flow else _PLAIN
        pieces: list[str] = []
        breaks = 0
        while not (self.pos == self.line_start and SEPARATOR.match(text, self.pos)):
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
        if not (self._is_usual or is_printable(piece)):
            raise self._refusal("the stream contains non-printable characters")

    def _quoted(self, start: int, tag: str | None) -> Node:
        quote = self._text[self.pos]
        opening = self.pos
        try:
            scalar = quoted(self._text, self.pos, self.line_start)
        except Refusal as error:
            self.pos = error.offset
            raise self._refusal(error.reason, opening) from error
        if scalar.line_start != self.line_start:
            self._multiline_quote = Span(opening, scalar.end)
            self.line_start, self.indent, self.tab = scalar.line_start, scalar.indent, scalar.tab
        self.pos = self.last = scalar.end
        span = Span(start, scalar.end)
        style = Style.SINGLE if quote == "'" else Style.DOUBLE
        return self._tagged(ScalarNode(span, scalar.text, scalar.text, style), span, tag)

    def _block_scalar(self, start: int, indent: int, tag: str | None) -> Node:
        style = Style.LITERAL if self._text[self.pos] == "|" else Style.FOLDED
        try:
            scalar = block_scalar(self._text, self.pos, indent)
        except Refusal as error:
            self.pos = error.offset
            raise self._refusal(error.reason) from error
        self.pos, self.line_start, self.indent, self.tab = scalar.end, scalar.line_start, scalar.indent, -1
        self.last = scalar.last
        span = Span(start, scalar.last)
        return self._tagged(ScalarNode(span, scalar.text, scalar.text, style), span, tag)
