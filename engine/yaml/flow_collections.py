"""Pairs of a key and its value, and collections in brackets, `[...]` and `{...}`, as js-yaml reads them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from engine.text.spans import Span
from engine.yaml import tagged_nodes
from engine.yaml.cursor import END, Refusal
from engine.yaml.nodes import MERGE, MappingNode, Node, Pair, ScalarNode, SequenceNode, Style, is_merge, resolved
from engine.yaml.scalars import BLANK, Scalars, Unfinished
from engine.yaml.schema import Unresolvable
from engine.yaml.tagged_nodes import Duplicate


class PairReader(Scalars):
    """Joins keys and values to pairs. `duplicates` are the pairs whose key their mapping already has."""

    __slots__ = ("duplicates",)

    def __init__(self, text: str, start: int, end: int, anchors: dict[str, Node]) -> None:
        super().__init__(text, start, end, anchors)
        self.duplicates: list[Duplicate] = []

    def pair(self, key: Node, value: Node) -> Pair:
        """The pair of `key` and `value`. Raises `Refusal` if js-yaml refuses it."""
        key = self._partial_node(key)
        if is_merge(key):
            key, value = ScalarNode(key.span, MERGE, MERGE, Style.PLAIN), self._sources(value)
        pair = Pair(key, value)
        try:
            tagged_nodes.check(pair)
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


class Pairs:
    """The pairs of one block mapping while it is read.

    `key` is the key whose value is still to be read; `explicit` is True after a `?`.
    """

    __slots__ = ("_reader", "explicit", "found", "key")

    def __init__(self, reader: PairReader) -> None:
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
            self.key = tagged_nodes.as_ordinary_key(node) if node is not None else None
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
