"""The quick reader: nodes straight from libyaml's events, for text that YAML 1.1 and js-yaml read alike."""

from __future__ import annotations

from dataclasses import dataclass

from _ruamel_yaml import AliasEvent, CParser, DocumentEndEvent, MappingEndEvent, MappingStartEvent  # pyright: ignore
from _ruamel_yaml import DocumentStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent  # pyright: ignore
from ruamel.yaml.error import YAMLError

from engine.text import Span
from engine.yaml_nodes import building
from engine.yaml_nodes.building import Duplicate
from engine.yaml_nodes.nodes import AliasNode, Document, MappingNode, Node, Pair, ScalarNode, SequenceNode, Style
from engine.yaml_nodes.schema import Unresolvable, plain
from engine.yaml_nodes.values import MAXIMUM_DEPTH

_STYLES = {"": Style.PLAIN, "'": Style.SINGLE, '"': Style.DOUBLE, "|": Style.LITERAL, ">": Style.FOLDED, None: Style.PLAIN}
_PENDING = ScalarNode(Span(0, 0), None, "", Style.PLAIN)


class NotQuick(Exception):
    """The quick reader cannot vouch for this text: the exact one has to say what it means."""


@dataclass(slots=True)
class Composed:
    """What was read: the documents, and the keys told twice in the order in which js-yaml would meet them."""

    documents: list[Document]
    duplicates: list[Duplicate]


@dataclass(slots=True)
class _Open:
    """A collection whose end was not met yet."""

    start: int
    flow: bool
    mapping: bool
    tag: str | None
    anchor: str | None
    items: list[Node]
    waiting: list[AliasNode]


def compose(text: str, start: int, end: int, anchors: dict[str, Node]) -> Composed:
    """The nodes of `text[start:end]`, spans in offsets of `text`. `anchors` are those known before; it is added to.

    Raises `NotQuick` wherever libyaml refuses, or might read other than js-yaml.
    """
    try:
        return _compose(text, start, end, anchors)
    except (YAMLError, Unresolvable, UnicodeEncodeError) as error:
        raise NotQuick from error


def _compose(text: str, start: int, end: int, anchors: dict[str, Node]) -> Composed:
    piece = text[start:end]
    if not piece.endswith(("\n", "\r")):
        piece += "\n"
    shift = start + (start == 0 and piece.startswith("\ufeff"))
    next_event = CParser(piece).get_event
    documents: list[Document] = []
    duplicates: list[Duplicate] = []
    pending: dict[str, _Open] = {}
    stack: list[_Open] = []
    items: list[Node] = []
    document_start = 0
    explicit = False
    while (event := next_event()) is not None:
        kind = type(event)
        if kind is ScalarEvent:
            value: str = event.value
            at = event.start_mark.index + shift
            to = event.end_mark.index + shift
            style = _STYLES[event.style]
            tag: str | None = event.tag
            if tag is not None and tag != "!":
                node = building.scalar(Span(at, to), value, style, tag) if to > at else building.empty(Span(at, to), tag)
            elif style is Style.PLAIN:
                node = ScalarNode(Span(at, to), plain(value) if tag is None else value, value, style)
            else:
                if style is Style.LITERAL or style is Style.FOLDED:
                    to = _trimmed(text, at, to)
                node = ScalarNode(Span(at, to), value, value, style)
            if event.anchor is not None:
                anchors[event.anchor] = node
                pending.pop(event.anchor, None)
            items.append(node)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            opened = _Open(
                event.start_mark.index + shift,
                event.flow_style,
                kind is MappingStartEvent,
                event.tag,
                event.anchor,
                items,
                [],
            )
            if event.anchor is not None:
                pending[event.anchor] = opened
            stack.append(opened)
            if len(stack) > MAXIMUM_DEPTH:
                raise NotQuick
            items = []
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            opened = stack.pop()
            to = event.end_mark.index + shift
            if not opened.flow or text[to - 1 : to] not in ("]", "}"):
                to = items[-1].span.end if items else opened.start
            span = Span(opened.start, to)
            if opened.mapping:
                keys = iter(items)
                pairs = tuple(map(Pair, keys, keys))
                if pairs:
                    duplicates += building.duplicates(pairs)
                node = MappingNode(span, pairs, opened.flow)
                if opened.tag is not None and opened.tag != "!":
                    node = building.mapping(node, opened.tag)
            else:
                node = SequenceNode(span, tuple(items), opened.flow)
                if opened.tag is not None and opened.tag != "!":
                    node = building.sequence(node, opened.tag)
            if opened.anchor is not None:
                if pending.get(opened.anchor) is opened:
                    del pending[opened.anchor]
                anchors[opened.anchor] = node
                for alias in opened.waiting:
                    object.__setattr__(alias, "target", node)
            items = opened.items
            items.append(node)
        elif kind is AliasEvent:
            span = Span(event.start_mark.index + shift, event.end_mark.index + shift)
            if event.anchor in pending:
                alias = AliasNode(span, _PENDING)
                pending[event.anchor].waiting.append(alias)
            elif event.anchor in anchors:
                alias = AliasNode(span, anchors[event.anchor])
            else:
                raise NotQuick
            items.append(alias)
        elif kind is DocumentStartEvent:
            explicit = event.explicit
            document_start = event.start_mark.index + shift
        elif kind is DocumentEndEvent:
            root = items.pop() if items else None
            if root is not None and root.span.start == root.span.end and not explicit:
                root = None
            documents.append(Document(Span(document_start, max(event.end_mark.index + shift, document_start)), root))
            anchors.clear()
    return Composed(documents, duplicates)


def _trimmed(text: str, start: int, end: int) -> int:
    """Where a block scalar's last line of text ends, its line break and blank lines after it left out."""
    last = start + len(text[start:end].rstrip(" \t\r\n"))
    line_end = min((at for at in (text.find("\n", last, end), text.find("\r", last, end)) if at >= 0), default=end)
    return min(line_end, len(text))
