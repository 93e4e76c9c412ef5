"""The anchors of a document so far, which can be taken back to those before a part that could not be read."""

from __future__ import annotations

from collections.abc import Mapping

from engine.yaml.nodes import Node


class Anchors(dict[str, Node]):
    """Nodes by the names of their anchors.

    What `__setitem__` and `clear` change can be undone, without a copy of all of them for each part that is read.
    """

    __slots__ = ("_changes",)

    def __init__(self, known: Mapping[str, Node] | None = None) -> None:
        super().__init__(known or {})
        self._changes: list[tuple[str, Node | None]] = []
        """The name of each change, and the node before it."""

    def __setitem__(self, name: str, node: Node) -> None:
        self._changes.append((name, self.get(name)))
        super().__setitem__(name, node)

    def clear(self) -> None:
        """Forget all anchors, as at the beginning of a document."""
        self._changes += self.items()
        super().clear()

    def mark(self) -> int:
        """A moment to which `take_back` and `before` can go back."""
        return len(self._changes)

    def take_back(self, mark: int) -> None:
        """Undo all changes since `mark`."""
        for name, node in reversed(self._changes[mark:]):
            if node is None:
                self.pop(name, None)
            else:
                super().__setitem__(name, node)
        del self._changes[mark:]

    def before(self, mark: int) -> Anchors:
        """A copy of the anchors as they were at `mark`."""
        copy = Anchors(self)
        copy._changes = self._changes[mark:]
        copy.take_back(0)
        return copy
