"""Where a file names tools: in its header, in its prompts and in their checks."""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Point, Prompt
from engine.evaluation.tool_use import is_about_tools
from engine.parsing.fields import member
from engine.rules.views import FileView, PromptView
from engine.text.spans import Span
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, resolved

LISTS = ("requiredTools", "prohibitedTools")
"""The keys of a prompt that list tools by name."""


def declared_tools(view: FileView) -> dict[str, MappingNode] | None:
    """The tools of the header by name; None where it declares none."""
    node = member(view.header, "tools")
    tools: dict[str, MappingNode] = {}
    for item in node.items if isinstance(node, SequenceNode) else ():
        tool = resolved(item)
        name = member(tool, "name")
        if isinstance(tool, MappingNode) and isinstance(name, ScalarNode):
            tools[name.text] = tool
    return tools or None


def listed_tools(view: FileView, prompt: Prompt, key: str) -> Iterator[ScalarNode]:
    """The names that `prompt` lists under `key`, one of `LISTS`."""
    node = member(prompt.node, key)
    for item in node.items if isinstance(node, SequenceNode) else ():
        scalar = resolved(item)
        if isinstance(scalar, ScalarNode) and isinstance(scalar.value, str):
            yield scalar


def checks_of_tools(view: PromptView) -> tuple[Point, ...]:
    """The checks of a prompt that look at tool calls."""
    return tuple(each for each in view.checks if each.function is not None and is_about_tools(each.function))


def place_of(view: FileView, point: Point, name: str) -> Span:
    """Where `name` is written in the argument of a check; the name of the function where it is written elsewhere."""
    node = None if point.argument is None else _scalar(point.argument, name)
    return point.subject_span if node is None else node.span


def _scalar(node: Node, value: str) -> ScalarNode | None:
    match resolved(node):
        case ScalarNode() as scalar:
            return scalar if scalar.value == value else None
        case SequenceNode(items=items):
            return next((found for item in items if (found := _scalar(item, value)) is not None), None)
        case MappingNode() as mapping:
            named = mapping.get("name")
            return None if named is None else _scalar(named, value)
