"""Writing a key of a point, such as its weight or its citation, with its comments and its layout."""

from __future__ import annotations

from engine.blueprint import Point
from engine.rules.views import PromptView
from engine.text.spans import TextEdit
from engine.yaml.edit import set_key, set_value, wrap
from engine.yaml.layout import (
    quoted,
)
from engine.yaml.node_search import mapping_at
from engine.yaml.nodes import ScalarNode

_WEIGHTS = ("weight", "multiplier")
_CITATIONS = ("citation",)


def weight_edits(view: PromptView, point: Point, weight: float) -> tuple[TextEdit, ...]:
    """Edits that give `point` the weight `weight`; none where there is no room for it.

    A written weight is replaced. A check or a criterion with keys gets a key `weight`; a bare criterion becomes the
    `text` of a mapping.
    """
    return _key_edits(view, point, _WEIGHTS, f"{weight:g}")


def citation_edits(view: PromptView, point: Point, citation: str) -> tuple[TextEdit, ...]:
    """Edits that give `point` a citation; none where there is no room for it.

    A written citation is replaced, also that of `Point: citation`. Otherwise as for `weight_edits`.
    """
    written = quoted(citation, is_json=view.file.is_json)
    mapping = mapping_at(view.tree, point.span)
    if mapping is not None and mapping.span == point.span and len(mapping.pairs) == 1 and point.citation is not None:
        return set_value(view.text, mapping.pairs[0], written)
    return _key_edits(view, point, _CITATIONS, written)


def _key_edits(view: PromptView, point: Point, keys: tuple[str, ...], written: str) -> tuple[TextEdit, ...]:
    """Edits that write a value under the first of `keys`, or in the place of the value under any of them."""
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()  # it is written elsewhere, and an alias here
    mapping = mapping_at(view.tree, point.span)
    if mapping is not None and mapping.span == point.span:
        key = next((key for key in keys if mapping.pair(key) is not None), keys[0])
        return set_key(view.text, mapping, key, written)
    node = point.node
    return wrap(view.text, node, "text", keys[0], written) if isinstance(node, ScalarNode) else ()
