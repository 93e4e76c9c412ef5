"""# bad-tools

A `tools` that is not a list of tools with a `name` each, or a prompt's list of tools that is not a list of names.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    title: Sums
    tools:
      - calculator
    ---
    - id: sum
      prompt: What is 2 + 2?

Good:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 2 + 2?

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `tools`; Blueprint format, Prompt Fields, `requiredTools`.

# bad-tool-use

A `toolUse` with an invalid value: the only `mode` is `trace-only`, and `maxSteps` is a number from 1.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    title: Sums
    toolUse:
      mode: auto
    ---
    - id: sum
      prompt: What is 2 + 2?

Good:

    title: Sums
    toolUse:
      mode: trace-only
    ---
    - id: sum
      prompt: What is 2 + 2?

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `toolUse`.

# not-enforced: Setting that Weval does not check

A `context`, `requiredTools`, `prohibitedTools` or `maxCalls` that no point enforces.

Weval stores these and checks none of them: an answer that calls a prohibited tool scores as if it had not. Here, the
limits are shown beside the score as kept or broken, and do not change it. Reported once per file and key, with the
number of prompts.

Bad:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 312 * 49?
      requiredTools: [calculator]
      should:
        - Gives 15288

Good:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 312 * 49?
      requiredTools: [calculator]
      should:
        - Gives 15288
        - $tool_called: calculator

Fix (unsafe): add the point that checks the same. None for a tool that `tools` does not declare, and none for
`context`: write what the model has to know into the prompt or the system prompt.

Documents: Blueprint format, Tool-Use (Trace-Only) Support, Scoring tool-use; Blueprint format, Configuration Header
Fields, `context`.

# tool-counts-contradict

Requirements for tool calls that no answer can meet together: a tool that is both required and prohibited, or more
required calls than `maxCalls` allows.

Every answer breaks one of them. Where both are points, each has its share of the score, and no answer earns both.

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

Documents: Blueprint format, Prompt Fields, `requiredTools`, `prohibitedTools`, `maxCalls`; Blueprint format, Scoring
tool-use.

# tool-unknown

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

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from engine.blueprint import Block, FunctionCall, Point, Prompt
from engine.evaluation.tool_use import is_about_tools, tools_named
from engine.functions.function_text import count, written
from engine.parsing.fields import member
from engine.parsing.findings import Kind
from engine.rules.edits.added_points import added_points
from engine.rules.refusals import field_rule
from engine.rules.rule import Report, file_rule, prompt_rule
from engine.rules.views import FileView, PromptView
from engine.rules.words import suggestion
from engine.text.diagnostics import Fix, Related, Severity
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.edit import Edits
from engine.yaml.nodes import Data, MappingNode, Node, ScalarNode, SequenceNode, property_name, resolved

# Where a file names tools: in its header, in its prompts and in their checks.


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


bad_tools = field_rule(
    "S018",
    Kind.BAD_TOOLS,
    {
        "tools": "`tools` must be a list of tools, not {here}",
        "name": "a tool must be a mapping with a `name`, not {here}",
        "name mapping": "this tool needs a `name`, as text",
        "maxCalls": "`maxCalls` must be a number from 0, not {here}",
        "": "`{key}` must be a list of names, not {here}",
    },
    why_accepted="Weval accepts it and reads no tools from it.",
)
bad_tool_use = field_rule(
    "S019",
    Kind.BAD_TOOL_USE,
    {
        "mode": "`mode` must be `trace-only`, not {here}",
        "outputFormat": "`outputFormat` must be `json-line`, not {here}",
        "maxSteps": "`maxSteps` must be a number from 1, not {here}",
        "": "`toolUse` must be a mapping, not {here}",
    },
    why_accepted="Weval accepts it and ignores it.",
)


@file_rule("S030", Severity.HINT, why="Weval does not check it: an answer that breaks it scores the same.")
def not_enforced(view: FileView) -> Iterator[Report]:
    if view.blueprint.header.fields.get("context"):
        pair = view.header.pair("context")
        if pair is not None:
            yield Report(
                pair.key.span,
                "`context` has no effect: no model receives it",
                "It changes neither an answer nor a score.",
            )
    if view.holds("edTools", "maxCalls"):
        yield from _of_prompts(view, "requiredTools", Block.SHOULD, _not_required)
        yield from _of_prompts(view, "prohibitedTools", Block.SHOULD_NOT, _not_prohibited)
        yield from _of_prompts(view, "maxCalls", Block.SHOULD, _not_limited)


_Lacking = Callable[[Prompt], tuple[tuple[str, Data], ...]]


def _of_prompts(view: FileView, key: str, block: Block, lacking: _Lacking) -> Iterator[Report]:
    """One report at the first prompt whose `key` holds something that no point checks.

    `lacking` gives the checks that a prompt lacks, each with the name and the argument of its function.
    """
    found: list[tuple[Prompt, Span, tuple[tuple[str, Data], ...]]] = []
    for prompt in view.blueprint.prompts:
        checks = () if prompt.index in view.parsed.broken.prompts else lacking(prompt)
        pair = prompt.node.pair(key) if checks else None
        if pair is not None:
            found.append((prompt, pair.key.span, checks))
    if not found:
        return
    are_declared = _are_declared(view, [check for _, _, checks in found for check in checks])
    edits = [_edits(view, prompt, block, checks) if are_declared else () for prompt, _, checks in found]
    names = " and ".join(dict.fromkeys(f"${name}" for _, _, checks in found for name, _ in checks))
    where = "" if block is Block.SHOULD else f" to {block.value}"
    fixes = (Fix(f"add {names}{where}", False, tuple(chain.from_iterable(edits))),) if all(edits) else ()
    times = "" if len(found) == 1 else f", {len(found)} times in this file"
    yield Report(found[0][1], f"no point checks `{key}`{times}, so it does not count", fixes=fixes)


def _edits(view: FileView, prompt: Prompt, block: Block, checks: tuple[tuple[str, Data], ...]) -> Edits:
    if view.is_json:
        points = tuple(json.dumps({f"${name}": argument}, ensure_ascii=False) for name, argument in checks)
    else:
        points = tuple(f"${name}: {json.dumps(argument, ensure_ascii=False)}" for name, argument in checks)
    return added_points(view, prompt, block, points)


def _not_required(prompt: Prompt) -> tuple[tuple[str, Data], ...]:
    if not prompt.required_tools:
        return ()
    required = {name for call in _calls(prompt, Block.SHOULD) for name in tools_named(call)}
    return tuple(("tool_called", name) for name in prompt.required_tools if name not in required)


def _are_declared(view: FileView, checks: Iterable[tuple[str, Data]]) -> bool:
    """Whether `tools` declares each tool that one of `checks` names, or is absent."""
    declared = declared_tools(view)
    named = [argument for name, argument in checks if name == "tool_called"]
    return declared is None or all(isinstance(each, str) and each in declared for each in named)


def _not_prohibited(prompt: Prompt) -> tuple[tuple[str, Data], ...]:
    if not prompt.prohibited_tools:
        return ()
    prohibited = {name for call in _calls(prompt, Block.SHOULD_NOT) for name in tools_named(call)}
    prohibited |= {
        name
        for call in _calls(prompt, Block.SHOULD)
        if call.name == "not_tool_called" or _upper_bound(call) == 0
        for name in tools_named(call)
    }
    return tuple(("tool_called", name) for name in prompt.prohibited_tools if name not in prohibited)


def _not_limited(prompt: Prompt) -> tuple[tuple[str, Data], ...]:
    limit = prompt.max_calls
    if limit is None:
        return ()
    limits = [
        bound
        for call in _calls(prompt, Block.SHOULD)
        if (bound := _upper_bound(call)) is not None and not any(tools_named(call))
    ]
    return () if any(bound <= limit for bound in limits) else (("tool_call_count_between", [0, limit]),)


def _calls(prompt: Prompt, block: Block) -> Iterator[FunctionCall]:
    rubric = prompt.should if block is Block.SHOULD else prompt.should_not
    for point in () if rubric is None else rubric.points():
        if point.function is not None and is_about_tools(point.function):
            yield point.function


def _upper_bound(call: FunctionCall) -> float | None:
    """The number of calls that a check allows; None where it sets no limit."""
    match call.args:
        case [_, int() | float() as bound, *_] if "count" in call.name:
            return bound
        case _:
            return None


class _Limits(Record):
    """How many calls of a tool are required (`least`) and allowed (`most`), and where that is written.

    `tool` is None for the calls of all tools together, `most` None where there is no upper bound. `is_plain` marks a
    `$tool_called`: two of them that contradict each other are reported by the rule `contradiction`.
    """

    tool: str | None
    least: float
    most: float | None
    span: Span
    label: str
    is_plain: bool = False


@prompt_rule("F027", Severity.WARNING, why="No answer can meet all of these requirements.")
def tool_counts_contradict(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    if not (prompt.required_tools or prompt.prohibited_tools or checks_of_tools(view)):
        return
    limits = list(_limits(view))
    by_tool: dict[str, list[_Limits]] = {}
    for each in limits:
        if each.tool is not None:
            by_tool.setdefault(each.tool, []).append(each)
    for tool, of_tool in by_tool.items():
        yield from _contradictions(of_tool, f"“{tool}”")
    yield from _too_many(limits, [max(each.least for each in of_tool) for of_tool in by_tool.values()])


def _contradictions(limits: Sequence[_Limits], what: str) -> Iterator[Report]:
    """The limits of one tool with the highest `least` and the lowest `most`, where they exclude each other."""
    least = max(limits, key=lambda each: each.least)
    bounded = [each for each in limits if each.most is not None]
    if not bounded:
        return
    most = min(bounded, key=lambda each: each.most or 0)
    if most.most is None or least.least <= most.most or least is most or (least.is_plain and most.is_plain):
        return
    later, earlier = (least, most) if least.span.start > most.span.start else (most, least)
    if most.most == 0:
        message = f"{what} is both required and prohibited: no answer can meet both"
    else:
        allowed = count(round(most.most), "call")
        message = (
            f"{what}: at least {written(least.least)} required and at most {allowed} allowed: no answer can meet both"
        )
    yield Report(later.span, message, related=(Related(earlier.span, f"{earlier.label} here"),))


def _too_many(limits: Sequence[_Limits], required: Sequence[float]) -> Iterator[Report]:
    """The tightest limit on all calls together, where more calls are needed; `required` has those of each tool."""
    needed = max(
        sum(required),
        max((each.least for each in limits if each.tool is None), default=0),
    )
    bounds = [each for each in limits if each.tool is None and each.most is not None]
    tightest = min(bounds, key=lambda each: each.most or 0, default=None)
    if tightest is not None and tightest.most is not None and needed > tightest.most:
        others = [each for each in limits if each.least > 0 and each is not tightest]
        yield Report(
            tightest.span,
            f"at most {count(round(tightest.most), 'call')} allowed, but the points require {needed:g}",
            related=tuple(Related(each.span, f"{each.label} here") for each in others[:3]),
        )


def _limits(view: PromptView) -> Iterator[_Limits]:
    prompt = view.prompt
    for node in listed_tools(view.file, prompt, "requiredTools"):
        yield _Limits(node.text, 1, None, node.span, "required")
    for node in listed_tools(view.file, prompt, "prohibitedTools"):
        yield _Limits(node.text, 0, 0, node.span, "prohibited")
    if prompt.max_calls is not None:
        yield _Limits(None, 0, prompt.max_calls, _pair_span(view, "maxCalls"), "limited")
    for rubric in prompt.rubrics:
        for point in rubric.required:
            if point.function is not None and is_about_tools(point.function):
                yield from _limits_of(view.file, point, point.function, inverted=rubric.block.inverted)


def _pair_span(view: PromptView, name: str) -> Span:
    pair = view.prompt.node.pair(name)
    return view.prompt.id_span if pair is None else Span(pair.key.span.start, pair.value.span.end)


def _limits_of(view: FileView, point: Point, call: FunctionCall, *, inverted: bool) -> Iterator[_Limits]:
    is_against = inverted is not call.name.startswith("not_")
    args = call.args
    match call.name.removeprefix("not_"), args:
        case "tool_called", str():
            most = 0 if is_against else None
            label = "prohibited" if is_against else "required"
            yield _Limits(args, 0 if is_against else 1, most, place_of(view, point, args), label, is_plain=True)
        case "tool_args_match", {"name": str(name)} if not is_against:
            yield _Limits(name, 1, None, place_of(view, point, name), "required")
        case "tool_call_order", list() if not is_against:
            names = [name for name in args if isinstance(name, str)]
            for name in dict.fromkeys(names):
                yield _Limits(name, names.count(name), None, place_of(view, point, name), "required")
        case "tool_call_count_between", [int() | float() as low, int() | float() as high, *rest] if not is_against:
            tool = rest[0] if rest and isinstance(rest[0], str) else None
            if low > high:  # reported by `bad-arguments`
                return
            yield _Limits(tool, low, high, point.subject_span, "counted")
        case _:
            return


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
