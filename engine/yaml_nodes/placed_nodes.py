"""The nodes of an edited text, with their places in the author's text."""

from __future__ import annotations

from typing import final

from engine.record import replace
from engine.text import Span
from engine.yaml_nodes.edited_text import EditedText
from engine.yaml_nodes.nodes import AliasNode, Document, MappingNode, Node, Pair, ScalarNode, SequenceNode, Style
from engine.yaml_nodes.tagged_nodes import Duplicate

_MARKS = {Style.SINGLE: "'", Style.DOUBLE: '"', Style.LITERAL: "|", Style.FOLDED: ">"}


@final
class PlacedNodes:
    """Gives nodes of `edited` the spans of the author's `text`; keeps the identity of anchored nodes."""

    def __init__(self, text: str, edited: EditedText) -> None:
        self._text = text
        self._edited = edited
        self._placed: dict[int, Node] = {}
        self._pairs: dict[int, Pair] = {}
        self._aliases: list[AliasNode] = []

    def document(self, document: Document) -> Document:
        """`document` with the author's spans."""
        root = None if document.root is None else self._node(document.root)
        for alias in self._aliases:
            alias.target = self._placed.get(id(alias.target), alias.target)
        self._aliases = []
        return Document(self._edited.span(document.span), root)

    def duplicate(self, duplicate: Duplicate) -> Duplicate:
        """`duplicate` with the author's spans."""
        return Duplicate(self._pair(duplicate.pair), self._pair(duplicate.first), duplicate.name)

    def anchors(self, known: dict[str, Node]) -> dict[str, Node]:
        """`known` with the nodes that were placed; those of the text before stay."""
        return {name: self._placed.get(id(node), node) for name, node in known.items()}

    def _node(self, node: Node) -> Node:
        span = self._edited.span(node.span)
        match node:
            case ScalarNode():
                placed = replace(node, span=span, style=self._style(node.style, span))
            case SequenceNode():
                placed = SequenceNode(span, tuple(map(self._node, node.items)), node.flow)
            case MappingNode():
                placed = MappingNode(span, tuple(map(self._pair, node.pairs)), node.flow)
            case AliasNode():
                placed = AliasNode(span, node.target)
                self._aliases.append(placed)
        self._placed[id(node)] = placed
        return placed

    def _pair(self, pair: Pair) -> Pair:
        if id(pair) not in self._pairs:
            self._pairs[id(pair)] = Pair(self._node(pair.key), self._node(pair.value))
        return self._pairs[id(pair)]

    def _style(self, style: Style, span: Span) -> Style:
        """The style that the author's text has: quotes that are only there in thought do not count."""
        mark = _MARKS.get(style)
        return style if mark is None or self._text.startswith(mark, span.start) else Style.PLAIN
