"""Joining `weight: 2`, written as a point of its own, with the point before it."""

from __future__ import annotations

import re

from engine.parsing.demands import HIGHEST, LOWEST
from engine.rules.rule import FileView
from engine.text.diagnostics import Fix
from engine.text.spans import Span, TextEdit
from engine.yaml.edit import Edits, insert, pair_source, remove, wrap
from engine.yaml.layout import column, dash_before, is_one_line, line_start
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name
from engine.yaml.tree_loader import nodes_around

_WEIGHTS = ("weight", "multiplier")


def joined_with_point_above(span: Span, view: FileView, weight: str | None = None) -> tuple[Fix, ...]:
    """The fix that makes the pair at `span` part of the point above it in the same list.

    With a `weight`, a text at `span` that only names this one.
    """
    for listed in reversed([*nodes_around(view.tree, span)]):
        items = listed.items if isinstance(listed, SequenceNode) else ()
        index = next((at for at, item in enumerate(items) if item.span.start <= span.start < item.span.end), 0)
        if isinstance(listed, SequenceNode) and index:
            key, written = ("weight", weight) if weight else _pair_of(items[index], view.text)
            join = _joined_in_brackets if listed.flow else _joined_below
            edits = join(view.text, listed, index, key, written) if written else ()
            return (Fix("join it with the point above", False, edits),)
    return ()


def _pair_of(item: Node, text: str) -> tuple[str, str | None]:
    """The key and the source of the only pair of an item; None as the source of what cannot be joined."""
    if not isinstance(item, MappingNode) or len(item.pairs) != 1 or not isinstance(item.pairs[0].value, ScalarNode):
        return "", None
    key, value = property_name(item.pairs[0].key), item.pairs[0].value
    if key not in _WEIGHTS:
        return key, value.span.of(text)
    is_weight = re.fullmatch(r"\d+(\.\d+)?", value.text) and LOWEST <= float(value.text) <= HIGHEST
    return key, value.text if is_weight else None


def _joined_below(text: str, listed: SequenceNode, index: int, key: str, source: str) -> Edits:
    """The edits that write an item of a block list as a key of the item above it."""
    above, item = listed.items[index - 1 : index + 1]
    opening: Edits = ()
    dash = dash_before(text, item.span.start)
    match above:
        case MappingNode(flow=False) if _accepts_key(above, key):
            pass
        case ScalarNode(value=str(written)) if is_one_line(text, above.span) and not written.startswith("$"):
            opening = (TextEdit(Span(above.span.start, above.span.start), "point: "),)
        case _:
            return ()
    if dash is None or text[line_start(text, dash) : dash].strip():
        return ()
    line = f"{' ' * column(text, above.span.start)}{key}: {source}"
    return (*opening, TextEdit(Span(line_start(text, dash), item.span.end), line))


def _joined_in_brackets(text: str, listed: SequenceNode, index: int, key: str, source: str) -> Edits:
    """The same, of a list in brackets. Empty where a comment would be lost, too."""
    above, item = listed.items[index - 1 : index + 1]
    joined: Edits = ()
    match above:
        case MappingNode() if _accepts_key(above, key):
            joined = insert(text, above, len(above.pairs), pair_source(text, above, key, source))
        case ScalarNode(value=str(written)) if not written.startswith("$"):
            if not isinstance(item, MappingNode) or text[item.span.start] != "{":
                joined = wrap(text, above, "point", key, source)
            elif inserted := insert(text, item, 0, pair_source(text, item, "point", above.span.of(text))):
                joined, index = (*inserted, TextEdit(item.pairs[0].value.span, source)), index - 1
        case _:
            pass
    removed = remove(text, listed, index)
    return tuple(sorted((*joined, *removed), key=lambda edit: edit.span)) if joined and removed else ()


def _accepts_key(point: MappingNode, key: str) -> bool:
    """Whether `key` can be added to `point`: it lacks the key, and is a check or a mapping with `point` or `text`."""
    names = [property_name(pair.key) for pair in point.pairs]
    return key not in names and any(name in ("point", "text", "fn") or name.startswith("$") for name in names)
