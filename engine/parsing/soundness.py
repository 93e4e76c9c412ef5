"""Which parts of a text with an error were read only up to it, so that only the error is reported there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine.record import Record
from engine.text import Span
from engine.yaml_nodes.nodes import Node, NodeTree

_NEXT_PIECE: Final = r"(?m)^(?:-|---)(?:[ \t\r\n]|\Z)"


class Broken(Record):
    """Whether the header is cut off by an error, and the indices of the prompts that are."""

    header: bool = False
    prompts: frozenset[int] = frozenset()


def find_broken(tree: NodeTree, prompts: Sequence[Node]) -> Broken:
    """What the errors of `tree` cut off of the `prompts`; a repeated key cuts nothing off."""
    places = [each.span.start for each in tree.diagnostics if each.slug != "duplicate-key"]
    if tree.error is None or not places:
        return Broken()
    first = prompts[0].span.start if prompts else len(tree.text) + 1
    found = (_index(tree.text, place, prompts) for place in places if place >= first)
    return Broken(min(places) < first, frozenset(index for index in found if index is not None))


def _index(text: str, place: int, prompts: Sequence[Node]) -> int | None:
    """The prompt that an error at `place` cuts off; None where it lies in an item that could not be read at all."""
    index = max(index for index, prompt in enumerate(prompts) if prompt.span.start <= place)
    between = Span(min(prompts[index].span.end, place), place).of(text)
    return None if re.search(_NEXT_PIECE, between) is not None else index
