"""# tool-unknown

A check, or `requiredTools` or `prohibitedTools`, that names a tool which `tools` does not declare.

A model that keeps to the declared tools never calls it. A check for such a call fails every answer; a check against
it, as under `should_not`, is met by every answer.

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

Fix: none. The message says which tool was meant where one is near.

Documents: 002, "Tool-Use (Trace-Only) Support"; "Configuration Header Fields", `tools`.

# tool-argument-unknown

A `where` of `$tool_args_match` that looks at an argument which the tool's schema does not have.

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

Fix: none. The message says which argument was meant where one is near.

Documents: 002, "Tool-Use (Trace-Only) Support", "Scoring tool-use".

# tool-counts-contradict

Demands on the calls of tools that no answer can meet together: a tool that is required and prohibited, or more calls
than `maxCalls` allows.

Whatever is answered, one of them is broken. Where both are points, each is worth its share, and no answer gets both.

Bad:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 312 times 49?
      should:
        - $tool_called: calculator
        - $tool_call_count_between: [0, 0, calculator]

Good:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 312 times 49?
      should:
        - $tool_called: calculator
        - $tool_call_count_between: [1, 1, calculator]

Fix: none.

Documents: 002, "Prompt Fields", `requiredTools`, `prohibitedTools`, `maxCalls`; "Scoring tool-use".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.blueprint import Point, Prompt
from engine.diagnostics import Related, Severity
from engine.functions.function_text import count, written
from engine.rules.checks import is_reference
from engine.rules.rule import Report, Rule
from engine.rules.source.node_search import argument_pair, mapping_at
from engine.rules.spelling import meant
from engine.rules.tools.declared_tools import declared_tools
from engine.rules.views import FileView, PromptView
from engine.text import Span
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name, resolved

_LISTS = ("requiredTools", "prohibitedTools")
_FAMILY = "tool_"
_ARGUMENT = re.compile(r"\bargs(?:\??\.(\w+)|\[['\"](\w+)['\"]\])")


# What is named where


def _named(point: Point) -> tuple[str, ...]:
    """The tools that a check names."""
    args = None if point.function is None else point.function.args
    match args:
        case str():
            return (args,)
        case dict():
            name = args.get("name")
            return (name,) if isinstance(name, str) else ()
        case list():
            return tuple(item for item in args if isinstance(item, str))
        case _:
            return ()


def _is_about_tools(point: Point) -> bool:
    return point.function is not None and point.function.name.removeprefix("not_").startswith(_FAMILY)


def _place(view: FileView, point: Point, name: str) -> Span:
    """Where `name` is written in the argument of a check; the function's name where that is elsewhere."""
    pair = argument_pair(view.tree, point)
    node = None if pair is None or is_reference(view, point) else _scalar(pair.value, name)
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


def _listed(view: FileView, prompt: Prompt, key: str) -> Iterator[ScalarNode]:
    """The names in a prompt's own list of tools."""
    mapping = mapping_at(view.tree, prompt.span)
    value = None if mapping is None else mapping.get(key)
    node = None if value is None else resolved(value)
    for item in node.items if isinstance(node, SequenceNode) else ():
        scalar = resolved(item)
        if isinstance(scalar, ScalarNode) and isinstance(scalar.value, str):
            yield scalar


def _prompts(view: FileView) -> Iterator[Prompt]:
    """The prompts that may speak of tools."""
    text = view.text
    if _FAMILY in text or any(key in text for key in _LISTS):
        yield from view.blueprint.prompts


# tool-unknown


def _unknown(view: FileView) -> Iterator[Report]:
    declared = declared_tools(view) if "tools" in view.text else None
    if declared is None:
        return
    for prompt in _prompts(view):
        for point in filter(_is_about_tools, view.in_prompt(prompt).checks):
            for name in dict.fromkeys(_named(point)):
                if name and name not in declared:
                    yield Report(_place(view, point, name), _undeclared(name, tuple(declared)))
        for node in (node for key in _LISTS for node in _listed(view, prompt, key)):
            if node.text not in declared:
                yield Report(node.span, _undeclared(node.text, tuple(declared)))


def _undeclared(name: str, declared: Sequence[str]) -> str:
    return f"`tools` declares no “{name}”{_instead(name, declared)}"


def _instead(name: str, known: Sequence[str]) -> str:
    near = meant(name, known)
    if near:
        return f": did you mean {' or '.join(f'“{each}”' for each in near)}?"
    return f": there is {', '.join(f'“{each}”' for each in known[:5])}"


# tool-argument-unknown


def _unknown_arguments(view: FileView) -> Iterator[Report]:
    if "tool_args_match" not in view.text or (declared := declared_tools(view)) is None:
        return
    for prompt in _prompts(view):
        for point in filter(_is_about_tools, view.in_prompt(prompt).checks):
            pair = argument_pair(view.tree, point)
            node = None if pair is None else resolved(pair.value)
            tool = next((declared[name] for name in _named(point) if name in declared), None)
            where = node.get("where") if isinstance(node, MappingNode) else None
            if tool is not None and where is not None:
                yield from _against(where, tool.get("schema"))


def _against(where: Node, schema: Node | None) -> Iterator[Report]:
    """What `where` looks at, held against the schema of the arguments."""
    properties = _properties(schema)
    if properties is None:
        return
    names = list(properties.keys())
    match resolved(where):
        case MappingNode(pairs=pairs):
            for pair in pairs:
                name = property_name(pair.key)
                if name not in names:
                    yield Report(pair.key.span, f"the tool has no argument “{name}”{_instead(name, names)}")
                else:
                    yield from _against(pair.value, properties.get(name))
        case ScalarNode(text=script, span=span):
            for name in dict.fromkeys(one or other for one, other in _ARGUMENT.findall(script)):
                if name not in names:
                    yield Report(span, f"the tool has no argument “{name}”{_instead(name, names)}")
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


# tool-counts-contradict


@dataclass(frozen=True, slots=True)
class _Demand:
    """At least and at most how many calls of a tool, of any tool where `tool` is None, and where that is demanded.

    `plain` is a `$tool_called`: where one asks for it and one against it, `contradiction` says so.
    """

    tool: str | None
    least: float
    most: float | None
    span: Span
    label: str
    plain: bool = False


def _contradictions(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    if not (prompt.required_tools or prompt.prohibited_tools or any(map(_is_about_tools, view.checks))):
        return
    demands = list(_demands(view))
    tools = list(dict.fromkeys(each.tool for each in demands if each.tool is not None))
    for tool in tools:
        yield from _at_odds([each for each in demands if each.tool == tool], f"“{tool}”")
    yield from _too_many(demands, tools)


def _at_odds(demands: Sequence[_Demand], what: str) -> Iterator[Report]:
    """The demand that asks for most and the one that allows least, where they cannot both be met."""
    least = max(demands, key=lambda each: each.least)
    bounded = [each for each in demands if each.most is not None]
    if not bounded:
        return
    most = min(bounded, key=lambda each: each.most or 0)
    if most.most is None or least.least <= most.most or least is most or (least.plain and most.plain):
        return
    later, earlier = (least, most) if least.span.start > most.span.start else (most, least)
    if most.most == 0:
        message = f"{what} is required and prohibited at once: no answer can do both"
    else:
        calls = count(round(most.most), "call")
        message = (
            f"at most {calls} of {what} allowed, and at least {written(least.least)} required: no answer can do both"
        )
    yield Report(later.span, message, related=(Related(earlier.span, f"{earlier.label} here"),))


def _too_many(demands: Sequence[_Demand], tools: Sequence[str]) -> Iterator[Report]:
    """Whether all that is required together is more than is allowed in all."""
    limits = [each for each in demands if each.tool is None and each.most is not None]
    required = [max((each for each in demands if each.tool == tool), key=lambda each: each.least) for tool in tools]
    needed = max(
        sum(each.least for each in required),
        max((each.least for each in demands if each.tool is None), default=0),
    )
    tightest = min(limits, key=lambda each: each.most or 0, default=None)
    if tightest is not None and tightest.most is not None and needed > tightest.most:
        others = [each for each in demands if each.least > 0 and each is not tightest]
        yield Report(
            tightest.span,
            f"at most {count(round(tightest.most), 'call')} allowed, but the points require {needed:g}",
            related=tuple(Related(each.span, f"{each.label} here") for each in others[:3]),
        )


def _demands(view: PromptView) -> Iterator[_Demand]:
    prompt = view.prompt
    for node in _listed(view.file, prompt, "requiredTools"):
        yield _Demand(node.text, 1, None, node.span, "required")
    for node in _listed(view.file, prompt, "prohibitedTools"):
        yield _Demand(node.text, 0, 0, node.span, "prohibited")
    if prompt.max_calls is not None:
        yield _Demand(None, 0, prompt.max_calls, _key(view, "maxCalls"), "limited")
    for rubric in prompt.rubrics:
        for point in rubric.required:
            if point.function is not None and _is_about_tools(point):
                yield from _of_point(view.file, point, inverted=rubric.block.inverted)


def _key(view: PromptView, name: str) -> Span:
    mapping = mapping_at(view.tree, view.prompt.span)
    pair = None if mapping is None else mapping.pair(name)
    return view.prompt.id_span if pair is None else Span(pair.key.span.start, pair.value.span.end)


def _of_point(view: FileView, point: Point, *, inverted: bool) -> Iterator[_Demand]:
    call = point.function
    assert call is not None
    is_against = inverted is not call.name.startswith("not_")
    args = call.args
    match call.name.removeprefix("not_"), args:
        case "tool_called", str():
            most = 0 if is_against else None
            label = "prohibited" if is_against else "required"
            yield _Demand(args, 0 if is_against else 1, most, _place(view, point, args), label, plain=True)
        case "tool_args_match", {"name": str(name)} if not is_against:
            yield _Demand(name, 1, None, _place(view, point, name), "required")
        case "tool_call_order", list() if not is_against:
            names = [name for name in args if isinstance(name, str)]
            for name in dict.fromkeys(names):
                yield _Demand(name, names.count(name), None, _place(view, point, name), "required")
        case "tool_call_count_between", [int() | float() as low, int() | float() as high, *rest] if not is_against:
            tool = rest[0] if rest and isinstance(rest[0], str) else None
            if low > high:  # reported as an impossible argument
                return
            yield _Demand(tool, low, high, point.subject_span, "counted")
        case _:
            return


RULES = (
    Rule(
        code="F025",
        slug="tool-unknown",
        severity=Severity.WARNING,
        why="No call can be one of a tool that is not there, so every answer gets the same mark.",
        on_file=_unknown,
    ),
    Rule(
        code="F026",
        slug="tool-argument-unknown",
        severity=Severity.WARNING,
        why="No call has such an argument, so the check fails every answer.",
        on_file=_unknown_arguments,
    ),
    Rule(
        code="F027",
        slug="tool-counts-contradict",
        severity=Severity.WARNING,
        why="Whatever is answered, one of these demands is broken.",
        on_prompt=_contradictions,
    ),
)
