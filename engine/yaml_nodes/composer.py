"""The quick reader: nodes straight from libyaml's events, for text that YAML 1.1 and js-yaml read alike.

It vouches for what authors commonly write and for nothing else: whatever is rare (tags, anchors, `? ` keys, characters
that YAML 1.1 takes for line breaks) is left to the exact reader, `engine.yaml_nodes.reader`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from _ruamel_yaml import (  # pyright: ignore[reportMissingModuleSource, reportMissingImports]
    AliasEvent,  # pyright: ignore[reportUnknownVariableType]
    CParser,  # pyright: ignore[reportUnknownVariableType]
    DocumentEndEvent,  # pyright: ignore[reportUnknownVariableType]
    DocumentStartEvent,  # pyright: ignore[reportUnknownVariableType]
    MappingEndEvent,  # pyright: ignore[reportUnknownVariableType]
    MappingStartEvent,  # pyright: ignore[reportUnknownVariableType]
    ScalarEvent,  # pyright: ignore[reportUnknownVariableType]
    SequenceEndEvent,  # pyright: ignore[reportUnknownVariableType]
    SequenceStartEvent,  # pyright: ignore[reportUnknownVariableType]
)
from ruamel.yaml.error import YAMLError

from engine.text import Span
from engine.yaml_nodes import building
from engine.yaml_nodes.building import Duplicate
from engine.yaml_nodes.nodes import Document, MappingNode, Node, Pair, ScalarNode, SequenceNode, Style
from engine.yaml_nodes.schema import Unresolvable, plain
from engine.yaml_nodes.values import MAXIMUM_DEPTH, MERGE

_STYLES: Final = {
    "": Style.PLAIN,
    None: Style.PLAIN,
    "'": Style.SINGLE,
    '"': Style.DOUBLE,
    "|": Style.LITERAL,
    ">": Style.FOLDED,
}
# libyaml refuses other odd characters itself; these it takes, at these it breaks lines or skips them.
_RARE_CHARACTERS: Final = "\x85\u2028\u2029\ufeff"
_LONE_QUESTION = re.compile(r"\?(?<![^ \t\n]\?)[ \t\r\n]")
_FLOW_QUESTION = re.compile(r"[\[{, \t\r\n]\?")
_RARE_LINE = re.compile(r"\n(?:%|\.\.\.|---(?![ \t\r\n]))")
_HEADER = re.compile(r"[|>][-+]?(?P<width>[0-9]*)[-+]?")
_BLANKS_IN_QUOTES = re.compile(r"[ \t][\r\n]|\\\r?\n[ \t]*[\r\n]")


class NotQuick(Exception):
    """The quick reader cannot vouch for this text: the exact one has to say what it means."""


@dataclass(slots=True)
class Composed:
    """What was read: the documents, and the keys told twice."""

    documents: list[Document]
    duplicates: list[Duplicate]


def compose(text: str, start: int, end: int) -> Composed:
    """The nodes of `text[start:end]`, where `start` begins a line; spans are in offsets of `text`.

    Raises `NotQuick` wherever libyaml refuses, or might read other than js-yaml.
    """
    start += start == 0 and text.startswith("\ufeff")
    piece = text[start:end]
    if not piece.endswith(("\n", "\r")):
        piece += "\n"
    if _is_rare(piece):
        raise NotQuick
    try:
        composer = _Composer(text, start)
        composer.read(piece)
    except (YAMLError, Unresolvable, UnicodeEncodeError) as error:
        raise NotQuick from error
    if not composer.documents and len(piece.lstrip(" ")) > 1:
        composer.documents.append(Document(Span(end, end), None))
    return Composed(composer.documents, composer.duplicates)


def _is_rare(piece: str) -> bool:
    """Whether `piece` may hold what YAML 1.1 reads otherwise. Quick rather than exact: it may say yes too often."""
    return (
        (not piece.isascii() and any(character in piece for character in _RARE_CHARACTERS))
        or ("\r" in piece and piece.count("\r") != piece.count("\r\n"))
        or has_rare_line(piece)
        or _has_question_key(piece)
    )


def _has_question_key(piece: str) -> bool:
    """Whether a line of `piece` may begin with a `? ` key. Of flow collections each is looked at by itself."""
    return any(
        not piece[piece.rfind("\n", 0, found.start()) + 1 : found.start()].strip(" \t-?:")
        for found in _LONE_QUESTION.finditer(piece)
    )


def has_rare_line(piece: str) -> bool:
    """Whether a line of `piece` may be a directive, or end a document, or begin one and go on."""
    return _RARE_LINE.match(f"\n{piece[:4]}") is not None or _RARE_LINE.search(piece) is not None


class _Composer:
    __slots__ = ("_shift", "_text", "documents", "duplicates")

    def __init__(self, text: str, shift: int) -> None:
        self._text = text
        self._shift = shift
        self.documents: list[Document] = []
        self.duplicates: list[Duplicate] = []

    def read(self, piece: str) -> None:
        next_event = cast("Callable[[], Any]", CParser(piece).get_event)  # pyright: ignore[reportUnknownMemberType]
        outer: list[tuple[Any, list[Node]]] = []
        items: list[Node] = []
        opened: Any = None
        text, shift = self._text, self._shift
        while (event := next_event()) is not None:
            kind = cast("type[Any]", type(event))
            if kind is ScalarEvent:
                start = event.start_mark.index + shift
                end = event.end_mark.index + shift
                value: str = event.value
                # The commonest case, handled here because a call for each costs a tenth of the whole time.
                if outer and start < end and event.style == "" and event.tag is None and event.anchor is None:
                    if opened.flow_style and (value == "-" or "\n" in text[start:end]):
                        raise NotQuick  # js-yaml refuses the one, and is strict about the indentation of the other
                    items.append(ScalarNode(Span(start, end), plain(value), value, Style.PLAIN))
                else:
                    items.append(self._scalar(event, opened) if outer else _nothing(event))
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if event.tag is not None or event.anchor is not None or len(outer) >= MAXIMUM_DEPTH:
                    raise NotQuick
                outer.append((opened, items))
                opened, items = event, []
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                node = self._collection(opened, event, items)
                opened, items = outer.pop()
                items.append(node)
            elif kind is DocumentStartEvent:
                opened = event
            elif kind is DocumentEndEvent:
                self._document(opened, event, items)
                items = []
            elif kind is AliasEvent:
                raise NotQuick

    def _scalar(self, event: Any, parent: Any) -> ScalarNode:
        if event.tag is not None or event.anchor is not None:
            raise NotQuick
        value: str = event.value
        start: int = event.start_mark.index + self._shift
        end: int = event.end_mark.index + self._shift
        style = _STYLES[event.style]
        if style is Style.PLAIN:
            if start == end:
                end = self._behind_token(start)
                if parent.flow_style and "\n" in self._text[end:start]:
                    raise NotQuick  # there may be a comment between
                start = end
            return ScalarNode(Span(start, end), plain(value), value, style)
        if style is Style.LITERAL or style is Style.FOLDED:
            if event.start_mark.column <= parent.start_mark.column:
                raise NotQuick  # js-yaml wants it deeper
            end = self._trimmed(start, end)
        elif event.start_mark.line != event.end_mark.line and _BLANKS_IN_QUOTES.search(self._text, start, end):
            raise NotQuick  # js-yaml keeps blanks at a line's end
        return ScalarNode(Span(start, end), value, value, style)

    def _behind_token(self, at: int) -> int:
        """The end of the token before `at`. An empty node belongs there; libyaml tells it at the next token."""
        while self._text[at - 1 : at].isspace():
            at -= 1
        return at

    def _trimmed(self, start: int, end: int) -> int:
        """Where a block scalar's last line of text ends, its line break and blank lines after it left out."""
        text = self._text
        header = _HEADER.match(text, start)
        assert header is not None
        if header["width"] or text[header.end() : header.end() + 1] == "#":
            raise NotQuick  # js-yaml counts the width from elsewhere, and wants a blank before a comment
        last = start + len(text[start:end].rstrip(" \t\r\n"))
        if text.find("\n", start, last) < 0:
            return header.end()
        line_end = text.find("\n", last, end)
        if line_end < 0:
            return min(end, len(text))
        return line_end - (text[line_end - 1] == "\r")

    def _collection(self, opened: Any, closed: Any, items: list[Node]) -> SequenceNode | MappingNode:
        start: int = opened.start_mark.index + self._shift
        end: int = closed.end_mark.index + self._shift
        flow: bool = opened.flow_style
        if not flow or closed.start_mark.index == closed.end_mark.index:
            end = items[-1].span.end
        elif _FLOW_QUESTION.search(self._text, start, end) is not None:
            raise NotQuick  # for js-yaml it begins a text more often
        span = Span(start, end)
        if type(opened) is SequenceStartEvent:
            if not flow and items[-1].span.start == end:
                raise NotQuick  # js-yaml takes a less indented item behind an empty one for the next of the same list
            return SequenceNode(span, tuple(items), flow)
        keys = items[::2]
        pairs = tuple(map(Pair, keys, items[1::2]))
        names = {key.value for key in keys if type(key) is ScalarNode and type(key.value) is str}
        if len(names) < len(keys) or MERGE in names:
            for pair in pairs:
                building.check(pair)
            self.duplicates += building.duplicates(pairs)
        return MappingNode(span, pairs, flow)

    def _document(self, opened: Any, closed: Any, items: list[Node]) -> None:
        start: int = min(opened.start_mark.index + self._shift, len(self._text))
        end: int = closed.end_mark.index + self._shift
        root = items[0]
        self.documents.append(
            Document(Span(start, min(max(end, start), len(self._text))), None if root is _NOTHING else root)
        )


_NOTHING: Final = ScalarNode(Span(0, 0), None, "", Style.PLAIN)


def _nothing(event: Any) -> ScalarNode:
    """The root of a document without content. A text that is all of a document ends elsewhere for js-yaml."""
    if event.start_mark.index < event.end_mark.index or event.tag is not None or event.anchor is not None:
        raise NotQuick
    return _NOTHING
