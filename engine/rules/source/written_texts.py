"""The texts of a file with some sign in them, and the keys under which they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.parsing.fields import member
from engine.parsing.normalised_form import POINT_KEYS
from engine.rules.views import FileView
from engine.text.spans import Span
from engine.yaml.node_search import nodes_around
from engine.yaml.nodes import MappingNode, Node, ScalarNode, property_name

_FIELDS = "prompt promptText system systemPrompt systems content user assistant ai ideal idealResponse text point"
SENT_KEYS = frozenset(("should_not", *POINT_KEYS, *_FIELDS.split()))
"""The keys of texts that are sent to a model or to a judge."""


def written_with(view: FileView, sign: re.Pattern[str], part: Span) -> Iterator[tuple[ScalarNode, str]]:
    """The values in `part` with `sign` in their source, each with its key; `$name` for the argument of `fn: name`."""
    end = part.start
    while place := sign.search(view.text, end, part.end):
        around = list(nodes_around(view.tree, Span(*place.span())))
        end = place.end()
        if around and isinstance(node := around[-1], ScalarNode):
            end = max(end, node.span.end)
            yield node, key_of(node, around)


def key_of(node: ScalarNode, around: Sequence[Node]) -> str:
    """The key of the innermost of the nodes `around` that is a mapping, if `node` is in its value; else ""."""
    mapping = next((each for each in reversed(around) if isinstance(each, MappingNode)), None)
    for pair in () if mapping is None else mapping.pairs:
        if pair.value.span.start <= node.span.start < pair.value.span.end:
            name = property_name(pair.key)
            called = member(mapping, "fn") if name in ("arg", "fnArgs") else None
            return f"${called.text}" if isinstance(called, ScalarNode) else name
    return ""
