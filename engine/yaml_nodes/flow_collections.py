"""Flow collections, `[...]` and `{...}`, as js-yaml reads them."""

from __future__ import annotations

from abc import abstractmethod

from engine.text import Span
from engine.yaml_nodes import tagged_nodes
from engine.yaml_nodes.cursor import END, Refusal
from engine.yaml_nodes.mapping_pairs import PairReader
from engine.yaml_nodes.nodes import MappingNode, Node, Pair, SequenceNode
from engine.yaml_nodes.scalars import BLANK, Unfinished


class FlowCollections(PairReader):
    """Reads `[...]` and `{...}`."""

    __slots__ = ()

    @abstractmethod
    def _leaf(self, indent: int, *, in_flow: bool) -> Node | None:
        """The node at the cursor as a key or within brackets, where no block collection can begin."""

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
                        self.duplicates += tagged_nodes.duplicates(mapping.pairs)
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
            self.duplicates += tagged_nodes.duplicates(pairs)
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
        self.duplicates += tagged_nodes.duplicates(mapping.pairs)
        return mapping
