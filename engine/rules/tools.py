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


# bad-service

A service of `externalServices` without a valid `url`, or with an invalid `method` or time limit.

Weval refuses the whole file, so nothing in it is scored. A variable as `url`, `${NAME}`, works here but is refused by
Weval too.

Bad:

    title: Facts
    externalServices:
      checker:
        method: POST
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Facts
    externalServices:
      checker:
        url: https://example.org/check
        method: POST
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: The `should` system, Part 1, External Services.

# call-target: Call without a service or an address

A `$call` that names neither a `service` nor a `url`.

The check cannot run. It counts 0 here, and Weval leaves it out of the score.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {claim: Nairobi is the capital}

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {url: "https://example.org/check", claim: Nairobi is the capital}

Fix: none.

Documents: The `should` system, Part 1, External Services.

# unknown-service

A `$call` to a service that `externalServices` does not declare.

The check cannot run, because the address of the service is unknown. It counts 0 here, and Weval leaves it out of the
score.

Bad:

    title: Capitals
    externalServices:
      checker: {url: "https://example.org/check"}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {service: cheker, claim: Nairobi is the capital}

Good:

    title: Capitals
    externalServices:
      checker: {url: "https://example.org/check"}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {service: checker, claim: Nairobi is the capital}

Fix: none. The message suggests a declared service with a similar name.

Documents: The `should` system, Part 1, External Services.

# call-secret-over-http: Secret that is sent unencrypted

A key or password in a header of a service with an `http://` address, which is not encrypted.

Everyone on the way can read the key and use it. The score does not change. An address on this machine is fine.

Bad:

    title: Capitals
    externalServices:
      checker:
        url: http://example.org/check
        headers: {Authorization: Bearer 7d1f}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {service: checker, claim: Nairobi is the capital}

Good:

    title: Capitals
    externalServices:
      checker:
        url: https://example.org/check
        headers: {Authorization: Bearer 7d1f}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $call: {service: checker, claim: Nairobi is the capital}

Fix: none. Use `https://` if the service supports it.

Documents: The `should` system, Part 1, External Services.

# factcheck-endpoint: No address for the fact-checking service

A `$factcheck` without the variable `FACTCHECK_ENDPOINT_URL` in this environment.

The variable holds the address of the fact-checking service. In a run without it the check fails with an error: it
counts 0 here, and Weval leaves it out of the score. Nothing is wrong in the file: if you run the blueprint elsewhere,
only the environment there matters. Reported once per file.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $factcheck: look at names of cities only

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names no city but Nairobi as the capital

Fix: none.

Documents: The `should` system, Part 1, Fact-Checking Shortcut, "Requires `FACTCHECK_ENDPOINT_URL` environment
variable".
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from engine.blueprint import Block, FunctionCall, Point, Prompt
from engine.evaluation.tool_use import is_about_tools, tools_named
from engine.functions.function_text import written
from engine.parsing.demands import Kind
from engine.parsing.fields import items_of, member
from engine.rules.checks import check_rule, checks_in, defined_checks
from engine.rules.refusals import field_rule
from engine.rules.rubric_edits import added_points
from engine.rules.rule import FileView, PromptView, Report, file_rule, grouped, prompt_rule, suggestion
from engine.text import Fix, Record, Related, Span, lazy
from engine.text.spans import count
from engine.yaml.edit import Edits
from engine.yaml.nodes import NO_MAPPING, Data, MappingNode, Node, ScalarNode, SequenceNode, property_name, resolved

# Where a file names tools: in its header, in its prompts and in their checks.


_LISTS = ("requiredTools", "prohibitedTools")
"""The keys of a prompt that list tools by name."""


def _declared_tools(view: FileView) -> dict[str, MappingNode] | None:
    """The tools of the header by name; None where it declares none."""
    tools: dict[str, MappingNode] = {}
    for tool in map(resolved, items_of(member(view.header, "tools"))):
        name = member(tool, "name")
        if isinstance(tool, MappingNode) and isinstance(name, ScalarNode):
            tools[name.text] = tool
    return tools or None


def _listed_tools(prompt: Prompt, key: str) -> Iterator[ScalarNode]:
    """The names that `prompt` lists under `key`, one of `_LISTS`."""
    for scalar in map(resolved, items_of(member(prompt.node, key))):
        if isinstance(scalar, ScalarNode) and isinstance(scalar.value, str):
            yield scalar


def _checks_of_tools(points: Iterable[Point]) -> Iterator[tuple[Point, FunctionCall]]:
    """The checks among `points` that look at tool calls."""
    return ((each, each.function) for each in points if each.function is not None and is_about_tools(each.function))


def _place_of(point: Point, name: str) -> Span:
    """Where `name` is written in the argument of a check; the name of the function where it is written elsewhere."""
    texts = point.argument_texts(besides=("where",))
    return next((node.span for node in texts if node.value == name), point.subject_span)


bad_tools = field_rule(Kind.BAD_TOOLS)
bad_tool_use = field_rule(Kind.BAD_TOOL_USE)


class _Limits(Record):
    """How many calls of a tool are required (`least`) and allowed (`most`), and where that is written.

    `tool` is None for the calls of all tools together, `most` infinite where there is no upper bound. `is_plain` marks
    a `$tool_called`: two of them that contradict each other are reported by the rule `contradiction`.
    """

    tool: str | None
    least: float
    most: float
    span: Span
    label: str
    is_plain: bool = False


def _limits_of(points: Iterable[Point], *, inverted: bool) -> Iterator[_Limits]:
    """The limits that the checks among `points` set, which are of `should_not` where `inverted`."""
    for point, call in _checks_of_tools(points):
        is_against = inverted is not call.name.startswith("not_")
        match call.name.removeprefix("not_"), call.args:
            case "tool_called", str(tool):
                least, most, label = (0, 0, "prohibited") if is_against else (1, math.inf, "required")
                yield _Limits(tool, least, most, _place_of(point, tool), label, is_plain=True)
            case "tool_args_match", {"name": str(name)} if not is_against:
                yield _Limits(name, 1, math.inf, _place_of(point, name), "required")
            case "tool_call_order", list(items) if not is_against:
                for name, times in Counter(name for name in items if isinstance(name, str)).items():
                    yield _Limits(name, times, math.inf, _place_of(point, name), "required")
            case "tool_call_count_between", [int() | float() as low, int() | float() as high, *rest] if not is_against:
                tool = rest[0] if rest and isinstance(rest[0], str) else None
                if low <= high:  # otherwise reported by `bad-arguments`
                    yield _Limits(tool, low, high, point.subject_span, "counted")
            case _:
                pass


_Checks: TypeAlias = list[tuple[str, Data]]
"""Names and arguments of functions."""


@file_rule()
def not_enforced(view: FileView) -> Iterator[Report]:
    """One report at the first prompt whose policy holds something that no point checks, for each key of it."""
    pair = view.header.pair("context")
    if pair is not None and view.blueprint.header.fields.get("context"):
        message = "`context` has no effect: no model receives it"
        yield Report(pair.key.span, message, "It changes neither an answer nor a score.")
    if not view.holds("edTools", "maxCalls"):
        return
    prompts = (prompt for prompt in view.blueprint.prompts if prompt.index not in view.parsed.broken.prompts)
    lacking = (
        (prompt, prompt.node.pair(key), checks) for prompt in prompts for key, checks in _unchecked(prompt).items()
    )
    found = grouped(
        (property_name(pair.key), (prompt, pair.key.span, checks))
        for prompt, pair, checks in lacking
        if checks and pair
    )
    for key in filter(found.__contains__, (*_LISTS, "maxCalls")):
        yield _not_enforced(view, key, found[key])


def _unchecked(prompt: Prompt) -> dict[str, _Checks]:
    """The checks that a prompt lacks, by the key of its policy that they would enforce."""
    limits = [each for rubric in prompt.rubrics for each in _limits_of(rubric.points(), inverted=rubric.block.inverted)]
    required = {each.tool for each in limits if each.least >= 1}
    prohibited = {each.tool for each in limits if each.most == 0}
    most = prompt.max_calls
    is_limited = most is None or any(each.tool is None and each.most <= most for each in limits)
    return {
        "requiredTools": [("tool_called", name) for name in prompt.required_tools if name not in required],
        "prohibitedTools": [("tool_called", name) for name in prompt.prohibited_tools if name not in prohibited],
        "maxCalls": [] if is_limited else [("tool_call_count_between", [0, most])],
    }


def _not_enforced(view: FileView, key: str, found: Sequence[tuple[Prompt, Span, _Checks]]) -> Report:
    block = Block.SHOULD_NOT if key == "prohibitedTools" else Block.SHOULD
    checks = [check for _, _, lacking in found for check in lacking]
    declared = _declared_tools(view)
    is_sound = declared is None or all(name != "tool_called" or tool in declared for name, tool in checks)
    edits = [_edits(view, prompt, block, lacking) if is_sound else () for prompt, _, lacking in found]
    names = " and ".join(dict.fromkeys(f"${name}" for name, _ in checks))
    where = "" if block is Block.SHOULD else f" to {block.value}"
    fixes = (Fix(f"add {names}{where}", False, tuple(chain.from_iterable(edits))),) if all(edits) else ()
    times = "" if len(found) == 1 else f", {len(found)} times in this file"
    return Report(found[0][1], f"no criterion checks `{key}`{times}, so it does not count", fixes=fixes)


def _edits(view: FileView, prompt: Prompt, block: Block, checks: _Checks) -> Edits:
    points = (json.dumps({f"${name}": argument}, ensure_ascii=False) for name, argument in checks)
    if not view.is_json:
        points = (f"${name}: {json.dumps(argument, ensure_ascii=False)}" for name, argument in checks)
    return added_points(view, prompt, block, tuple(points))


@prompt_rule()
def tool_counts_contradict(view: PromptView) -> Iterator[Report]:
    limits = list(_limits(view.prompt))
    by_tool = grouped((each.tool, each) for each in limits)
    of_all = by_tool.pop(None, [])
    for tool, of_tool in by_tool.items():
        yield from _contradictions(of_tool, f"“{tool}”")
    if of_all:
        needed = sum(max(each.least for each in of_tool) for of_tool in by_tool.values())
        needed = max(needed, *(each.least for each in of_all))
        tightest = min(of_all, key=lambda each: each.most)
        others = [each for each in limits if each.least > 0 and each is not tightest]
        related = tuple(Related(each.span, f"{each.label} here") for each in others[:3])
        if needed > tightest.most:
            message = f"at most {count(round(tightest.most), 'call')} allowed, but the criteria require {needed:g}"
            yield Report(tightest.span, message, related=related)


def _contradictions(limits: Sequence[_Limits], what: str) -> Iterator[Report]:
    """The limits of one tool with the highest `least` and the lowest `most`, where they exclude each other."""
    least, most = max(limits, key=lambda each: each.least), min(limits, key=lambda each: each.most)
    if least.least <= most.most or least is most or (least.is_plain and most.is_plain):
        return
    later, earlier = (least, most) if least.span.start > most.span.start else (most, least)
    reason = " is both required and prohibited"
    if most.most != 0:
        reason = f": at least {written(least.least)} required and at most {count(round(most.most), 'call')} allowed"
    message = f"{what}{reason}: no answer can meet both"
    yield Report(later.span, message, related=(Related(earlier.span, f"{earlier.label} here"),))


def _limits(prompt: Prompt) -> Iterator[_Limits]:
    """The limits that a prompt sets by its policy and by its required points."""
    for node in _listed_tools(prompt, "requiredTools"):
        yield _Limits(node.text, 1, math.inf, node.span, "required")
    for node in _listed_tools(prompt, "prohibitedTools"):
        yield _Limits(node.text, 0, 0, node.span, "prohibited")
    if prompt.max_calls is not None:
        pair = prompt.node.pair("maxCalls")
        span = prompt.id_span if pair is None else Span(pair.key.span.start, pair.value.span.end)
        yield _Limits(None, 0, prompt.max_calls, span, "limited")
    for rubric in prompt.rubrics:
        yield from _limits_of(rubric.required, inverted=rubric.block.inverted)


@file_rule()
def tool_unknown(view: FileView) -> Iterator[Report]:
    if not view.holds(*_LISTS, "tool_") or (declared := _declared_tools(view)) is None:
        return
    for prompt in view.blueprint.prompts:
        checks = _checks_of_tools(view.in_prompt(prompt).checks)
        places = [(name, _place_of(point, name)) for point, call in checks for name in dict.fromkeys(tools_named(call))]
        places += [(node.text, node.span) for key in _LISTS for node in _listed_tools(prompt, key)]
        for name, span in places:
            if name and name not in declared:
                yield Report(span, f"`tools` declares no “{name}”{suggestion(name, tuple(declared))}")


_ARGUMENT = lazy(r"\bargs(?:\??\.(\w+)|\[['\"](\w+)['\"]\])")


@file_rule()
def tool_argument_unknown(view: FileView) -> Iterator[Report]:
    if not view.holds("tool_args_match") or (declared := _declared_tools(view)) is None:
        return
    for prompt in view.blueprint.prompts:
        for point, call in _checks_of_tools(view.in_prompt(prompt).checks):
            where = member(point.argument and resolved(point.argument), "where")
            tool = next((declared[name] for name in tools_named(call) if name in declared), None)
            if tool is not None and where is not None:
                yield from _against(where, tool.get("schema"))


def _against(where: Node, schema: Node | None) -> Iterator[Report]:
    """The arguments that `where` names and `schema` does not."""
    properties = _properties(schema)
    if properties is None:
        return
    names, named = list(properties.keys()), list[tuple[str, Span]]()
    match resolved(where):
        case MappingNode(pairs=pairs):
            named = [(property_name(pair.key), pair.key.span) for pair in pairs]
            for pair in pairs:
                yield from _against(pair.value, properties.get(property_name(pair.key)))
        case ScalarNode(text=script, span=span):
            named = [(name, span) for name in dict.fromkeys(one or other for one, other in _ARGUMENT.findall(script))]
        case SequenceNode():
            pass
    for name, span in named:
        if name not in names:
            yield Report(span, f"the tool has no argument “{name}”{suggestion(name, names)}")


def _properties(schema: Node | None) -> MappingNode | None:
    """The arguments that a schema names; None where it names none, or allows others as well."""
    more, properties = member(schema, "additionalProperties"), member(schema, "properties")
    allows_more = more is not None and not (isinstance(more, ScalarNode) and more.value is False)
    return properties if isinstance(properties, MappingNode) and properties.pairs and not allows_more else None


_ENDPOINT = "FACTCHECK_ENDPOINT_URL"
_CALLS = ("call", "external", "not_call", "not_external")
_PLAIN = lazy(r"http://(?!(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/?#]|$))", re.IGNORECASE)
_SECRET_HEADER = lazy(r"auth|cookie|password|secret|token|key", re.IGNORECASE)


def _is_call(point: Point) -> bool:
    return point.call.name in _CALLS


def _is_named(value: Data) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _services(view: FileView) -> MappingNode:
    node = member(view.header, "externalServices")
    return node if isinstance(node, MappingNode) else NO_MAPPING


def _all_calls(view: FileView) -> Iterator[Point]:
    """Every `$call` of the file, also those in definitions."""
    for prompt in view.blueprint.prompts:
        yield from filter(_is_call, checks_in(view.in_prompt(prompt)))
    yield from filter(_is_call, defined_checks(view))


@file_rule()
def call_secret_over_http(view: FileView) -> Iterator[Report]:
    if not view.holds("http://"):
        return
    targets = [pair.value for pair in _services(view).pairs]
    targets += [point.argument for point in _all_calls(view) if point.argument is not None]
    for node in map(resolved, targets):
        url, header = member(node, "url"), _secret_header(node)
        if header is not None and isinstance(url, ScalarNode) and _PLAIN.match(url.text):
            yield Report(url.span, f"over http:// everyone on the way can read the header `{header}`: use https://")


def _secret_header(target: Node) -> str | None:
    """The name of the first header that holds a variable or is named like a secret."""
    node = member(target, "headers")
    for pair in node.pairs if isinstance(node, MappingNode) else ():
        value, name = resolved(pair.value), property_name(pair.key)
        if isinstance(value, ScalarNode) and ("${" in value.text or _SECRET_HEADER.search(name)):
            return name
    return None


@file_rule()
def factcheck_endpoint(view: FileView) -> Iterator[Report]:
    if os.environ.get(_ENDPOINT) or not view.holds("factcheck"):
        return
    points = [
        point
        for prompt in view.blueprint.prompts
        for point in view.in_prompt(prompt).checks
        if point.call.name.removeprefix("not_") == "factcheck"
    ]
    if points:
        subject = "this check needs" if len(points) == 1 else f"{count(len(points), 'check')} of this file need"
        where = f"the variable {_ENDPOINT} where the file runs, and it is not set here"
        yield Report(points[0].subject_span, f"{subject} {where}")


@check_rule()
def call_target(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterator[Report]:
    for point in filter(_is_call, points):
        args = point.call.args
        if isinstance(args, dict) and not _is_named(args.get("service")) and not _is_named(args.get("url")):
            yield Report(point.subject_span, "`$call` needs a `service` of `externalServices`, or a `url`")


@file_rule()
def unknown_service(view: FileView) -> Iterator[Report]:
    names = list(_services(view).keys())
    for point in _all_calls(view):
        service = member(point.argument and resolved(point.argument), "service")
        if isinstance(service, ScalarNode) and _is_named(service.value) and service.text not in names:
            instead = suggestion(service.text, names)
            yield Report(service.span, f"there is no service “{service.text}” in `externalServices`{instead}")


bad_service = field_rule(Kind.BAD_SERVICE)
