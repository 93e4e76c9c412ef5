"""# tool-unknown

A tool that a check, `requiredTools` or `prohibitedTools` names, and that `tools` does not declare.

A model that keeps to the declared tools never calls it. A check for such a call fails every answer; a check against
it, as under `should_not`, passes every answer.

Bad:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 312 times 49?
      should:
        - $tool_called: calculater

Good:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 312 times 49?
      should:
        - $tool_called: calculator

Fix: none. The message suggests a declared tool with a similar name.

Documents: Blueprint format, Tool-Use (Trace-Only) Support; Blueprint format, Configuration Header Fields, `tools`.

# tool-argument-unknown

A `where` of `$tool_args_match` with an argument that the schema of the tool does not have.

No call has such an argument, so the check fails every answer.

Bad:

    title: Sums
    tools:
      - name: calculator
        schema:
          type: object
          properties: {expression: {type: string}}
    ---
    - id: sum
      prompt: What is 312 times 49?
      should:
        - $tool_args_match: {name: calculator, where: {expresion: 312*49}}

Good:

    title: Sums
    tools:
      - name: calculator
        schema:
          type: object
          properties: {expression: {type: string}}
    ---
    - id: sum
      prompt: What is 312 times 49?
      should:
        - $tool_args_match: {name: calculator, where: {expression: 312*49}}

Fix: none. The message suggests an argument with a similar name.

Documents: Blueprint format, Tool-Use (Trace-Only) Support, Scoring tool-use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.evaluation.tool_use import tools_named
from engine.rules.rule import Report, file_rule
from engine.rules.tools.tool_names import LISTS, checks_of_tools, declared_tools, listed_tools, place_of
from engine.rules.views import FileView
from engine.rules.words import suggestion
from engine.text.diagnostics import Severity
from engine.text.patterns import lazy
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name, resolved


@file_rule(
    "F025",
    Severity.WARNING,
    why="No answer can call a tool that is not declared, so every answer gets the same result.",
)
def tool_unknown(view: FileView) -> Iterator[Report]:
    has_lists = view.holds(*LISTS)
    declared = declared_tools(view) if has_lists or view.holds("tool_") else None
    if declared is None:
        return
    for prompt in view.blueprint.prompts:
        for point in checks_of_tools(view.in_prompt(prompt)):
            for name in dict.fromkeys(() if point.function is None else tools_named(point.function)):
                if name and name not in declared:
                    yield Report(place_of(view, point, name), _message(name, tuple(declared)))
        for node in (node for key in LISTS if has_lists for node in listed_tools(view, prompt, key)):
            if node.text not in declared:
                yield Report(node.span, _message(node.text, tuple(declared)))


def _message(name: str, declared: Sequence[str]) -> str:
    return f"`tools` declares no “{name}”{suggestion(name, declared)}"


_ARGUMENT = lazy(r"\bargs(?:\??\.(\w+)|\[['\"](\w+)['\"]\])")


@file_rule("F026", Severity.WARNING, why="No call has such an argument, so the check fails every answer.")
def tool_argument_unknown(view: FileView) -> Iterator[Report]:
    if not view.holds("tool_args_match") or (declared := declared_tools(view)) is None:
        return
    for prompt in view.blueprint.prompts:
        for point in checks_of_tools(view.in_prompt(prompt)):
            node = None if point.argument is None else resolved(point.argument)
            names = () if point.function is None else tools_named(point.function)
            tool = next((declared[name] for name in names if name in declared), None)
            where = node.get("where") if isinstance(node, MappingNode) else None
            if tool is not None and where is not None:
                yield from _against(where, tool.get("schema"))


def _against(where: Node, schema: Node | None) -> Iterator[Report]:
    """The arguments that `where` names and `schema` does not."""
    properties = _properties(schema)
    if properties is None:
        return
    names = list(properties.keys())
    match resolved(where):
        case MappingNode(pairs=pairs):
            for pair in pairs:
                name = property_name(pair.key)
                if name not in names:
                    yield Report(pair.key.span, f"the tool has no argument “{name}”{suggestion(name, names)}")
                else:
                    yield from _against(pair.value, properties.get(name))
        case ScalarNode(text=script, span=span):
            for name in dict.fromkeys(one or other for one, other in _ARGUMENT.findall(script)):
                if name not in names:
                    yield Report(span, f"the tool has no argument “{name}”{suggestion(name, names)}")
        case SequenceNode():
            return


def _properties(schema: Node | None) -> MappingNode | None:
    """The arguments that a schema names; None where it names none, or allows others as well."""
    node = None if schema is None else resolved(schema)
    if not isinstance(node, MappingNode):
        return None
    more = node.get("additionalProperties")
    allows_more = more is not None and not (isinstance(more, ScalarNode) and more.value is False)
    found = node.get("properties")
    properties = None if found is None or allows_more else resolved(found)
    return properties if isinstance(properties, MappingNode) and properties.pairs else None
