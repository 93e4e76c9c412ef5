"""Text → nodes: YAML as js-yaml 4.1.0 reads it, or JSON, with exact spans for all nodes and errors."""

from engine.yaml.nodes import (
    AliasNode,
    Data,
    Document,
    MappingNode,
    Node,
    NodeTree,
    Pair,
    ScalarNode,
    SequenceNode,
    Style,
    YamlError,
    property_name,
    resolved,
)
from engine.yaml.tree_loader import load, load_refused

__all__ = [
    "AliasNode",
    "Data",
    "Document",
    "MappingNode",
    "Node",
    "NodeTree",
    "Pair",
    "ScalarNode",
    "SequenceNode",
    "Style",
    "YamlError",
    "load",
    "load_refused",
    "property_name",
    "resolved",
]
