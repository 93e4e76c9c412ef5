"""# not-enforced: Setting that Weval does not check

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
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from engine.blueprint import Block, FunctionCall, Prompt
from engine.evaluation.tool_use import is_about_tools, tools_named
from engine.rules.rubric_edits import added_points
from engine.rules.rule import Report, file_rule
from engine.rules.tools.tool_names import declared_tools
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Severity
from engine.text.spans import Span
from engine.yaml.edit import Edits
from engine.yaml.nodes import Data


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
