"""What is written in the header of an author's file."""

from __future__ import annotations

from engine.rules.source.node_search import mapping_at, value_of
from engine.rules.views import FileView
from engine.yaml.nodes import MappingNode, ScalarNode, SequenceNode


def header_mapping(view: FileView) -> MappingNode | None:
    """The mapping that the header was read from; None where none is written."""
    span = view.blueprint.header.span
    return None if span.start == span.end else mapping_at(view.tree, span)


def header_value(view: FileView, key: str) -> ScalarNode | SequenceNode | MappingNode | None:
    """The value of `key` in the header, aliases followed; None where the header has no such key."""
    return value_of(header_mapping(view), key)
