"""The pairs of a mapping: a key and its value, with what js-yaml checks or forgets when it joins them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.text import Span
from engine.yaml_nodes import tagged_nodes
from engine.yaml_nodes.nodes import MERGE, Node, Pair, ScalarNode, SequenceNode, Style, is_merge, resolved
from engine.yaml_nodes.scalars import Scalars
from engine.yaml_nodes.schema import Unresolvable
from engine.yaml_nodes.tagged_nodes import Duplicate


class PairReader(Scalars):
    """Puts pairs together. `duplicates` are those whose key their mapping has already."""

    __slots__ = ("duplicates",)

    def __init__(self, text: str, start: int, end: int, anchors: dict[str, Node]) -> None:
        super().__init__(text, start, end, anchors)
        self.duplicates: list[Duplicate] = []

    def pair(self, key: Node, value: Node) -> Pair:
        """A pair whose key and value go together. Raises `Refusal`."""
        key = self._so_far(key)
        if is_merge(key):
            key, value = ScalarNode(key.span, MERGE, MERGE, Style.PLAIN), self._sources(value)
        pair = Pair(key, value)
        try:
            tagged_nodes.check(pair)
        except Unresolvable as error:
            raise self._refusal(error.reason) from error
        return pair

    def _so_far(self, node: Node) -> Node:
        """`node`, or what there is of it where it is an alias to what is still being read."""
        target = resolved(node)
        for unfinished in self._unfinished.values():
            if unfinished.stand_in is target:
                return unfinished.so_far(node.span)
        return node

    def _sources(self, node: Node) -> Node:
        """`node`, the value of a merge key, with what there is now of what is still being read."""
        if not self._unfinished:
            return node
        node = self._so_far(node)
        sources = resolved(node)
        if not isinstance(sources, SequenceNode):
            return node
        return SequenceNode(node.span, tuple(map(self._so_far, sources.items)), True)

    def _reached(self, start: int, parts: Sequence[Node | Pair]) -> Span:
        """The span of a collection that was read only in part."""
        return Span(start, max(self.last, start, parts[-1].span.end if parts else start))


class Pairs:
    """The pairs of one block mapping as they come in.

    `key` is open: its value is yet to come.
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

    def question(self) -> None:
        """A `?` begins a key; one that is still open has no value."""
        self.close()
        self.explicit = True

    def implicit(self, key: Node) -> None:
        """`key:` was read; an explicit key that is still open has no value."""
        self.close()
        self.explicit = False
        self.key = key

    def add(self, node: Node | None, at: int) -> None:
        """What follows a `?` or a `:`, None where nothing does; `at` is where it would be."""
        if self.explicit:
            self.key = tagged_nodes.never_a_merge(node) if node is not None else None
            return
        empty = ScalarNode(Span(at, at), None, "", Style.PLAIN)
        key, self.key = self.key or empty, None
        self.found.append(self._reader.pair(key, node or empty))

    def close(self) -> None:
        """No value follows the key that is open, if one is."""
        if self.explicit or self.key is not None:
            self.found.append(self._reader.pair(self.key or self._empty(), self._empty()))
            self.key = None
            self.explicit = False

    def give_up(self, value: Node | None) -> None:
        """Reading ends in the middle; `value` is what was read of the open key's value."""
        if self.key is not None:
            self.found.append(Pair(self.key, value or self._empty()))

    def _empty(self) -> ScalarNode:
        at = self._reader.last
        return ScalarNode(Span(at, at), None, "", Style.PLAIN)
