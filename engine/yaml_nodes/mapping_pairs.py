"""The pairs of a mapping: a key and its value, joined with the checks and omissions of js-yaml."""

from __future__ import annotations

from collections.abc import Sequence

from engine.text import Span
from engine.yaml_nodes import tagged_nodes
from engine.yaml_nodes.nodes import MERGE, Node, Pair, ScalarNode, SequenceNode, Style, is_merge, resolved
from engine.yaml_nodes.scalars import Scalars
from engine.yaml_nodes.schema import Unresolvable
from engine.yaml_nodes.tagged_nodes import Duplicate


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
