"""The tools that a header declares."""

from __future__ import annotations

from engine.rules.source.header_fields import header_value
from engine.rules.views import FileView
from engine.yaml_nodes.nodes import MappingNode, ScalarNode, SequenceNode, resolved


def declared_tools(view: FileView) -> dict[str, MappingNode] | None:
    """The tools of the header by name; None where it declares none."""
    node = header_value(view, "tools")
    tools: dict[str, MappingNode] = {}
    for item in node.items if isinstance(node, SequenceNode) else ():
        tool = resolved(item)
        name = tool.get("name") if isinstance(tool, MappingNode) else None
        name = None if name is None else resolved(name)
        if isinstance(tool, MappingNode) and isinstance(name, ScalarNode):
            tools[name.text] = tool
    return tools or None
