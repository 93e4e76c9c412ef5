"""Leaves out the fixes that would not leave valid JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from engine.diagnostics import Diagnostic, Fix
from engine.patterns import lazy
from engine.record import replace
from engine.rules.source.node_search import nodes_around
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import NodeTree
from engine.yaml_nodes.trial import works

_MOST_READ = 10_000_000
"""Characters that are read again for the fixes of one text, a fifth of a second of them; further fixes are left out."""

_KEY_END = lazy(r"[ \t\n\r]*:")


class JsonFixes:
    """Finds the fixes of one JSON text that leave valid JSON. `tree` is the text before any of them."""

    def __init__(self, tree: NodeTree) -> None:
        self._tree = tree
        self._left = _MOST_READ

    def only_sound(self, diagnostic: Diagnostic) -> Diagnostic:
        """`diagnostic` without the fixes that would not leave valid JSON."""
        fixes = tuple(filter(self._is_sound, diagnostic.fixes))
        return diagnostic if len(fixes) == len(diagnostic.fixes) else replace(diagnostic, fixes=fixes)

    def _is_sound(self, fix: Fix) -> bool:
        """Whether the text after `fix` is JSON.

        If the edits lie within one value, and that is a value afterwards too, the rest of the text does not matter.
        """
        if self._tree.error is None and any(
            self._is_json(value, fix.edits) for value in self._values_around(fix.edits)
        ):
            return True
        return self._is_json(Span(0, len(self._tree.text)), fix.edits)

    def _values_around(self, edits: Sequence[TextEdit]) -> Iterator[Span]:
        """The two innermost values that hold all of `edits`, without the whole text."""
        if not edits:
            return
        hull = Span(min(edit.span.start for edit in edits), max(edit.span.end for edit in edits))
        text = self._tree.text
        values = [node.span for node in nodes_around(self._tree, hull) if not _KEY_END.match(text, node.span.end)]
        yield from reversed(values[1:][-2:])

    def _is_json(self, piece: Span, edits: Sequence[TextEdit]) -> bool:
        self._left -= piece.end - piece.start
        if self._left < 0:
            return False
        return works(self._tree.text, edits, _is_json, piece)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
