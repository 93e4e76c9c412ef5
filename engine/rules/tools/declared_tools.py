"""The tools that a header declares."""

from __future__ import annotations

from engine.rules.source.node_search import header_mapping
from engine.rules.views import FileView
from engine.yaml_nodes.nodes import MappingNode, ScalarNode, SequenceNode, resolved


def declared_tools(view: FileView) -> dict[str, MappingNode] | None:
    """The tools of the header by name; None where it declares none."""
    header = header_mapping(view.tree, view.blueprint.header)
    value = None if header is None else header.get("tools")
    node = None if value is None else resolved(value)
    tools: dict[str, MappingNode] = {}
    for item in node.items if isinstance(node, SequenceNode) else ():
        tool = resolved(item)
        name = tool.get("name") if isinstance(tool, MappingNode) else None
        name = None if name is None else resolved(name)
        if isinstance(tool, MappingNode) and isinstance(name, ScalarNode):
            tools[name.text] = tool
    return tools or None
