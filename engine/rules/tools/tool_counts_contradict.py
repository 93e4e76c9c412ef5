"""# tool-counts-contradict

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
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import FunctionCall, Point
from engine.evaluation.tool_use import is_about_tools
from engine.functions.function_text import count, written
from engine.rules.rule import Report, prompt_rule
from engine.rules.tools.tool_names import checks_of_tools, listed_tools, place_of
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Related, Severity
from engine.text.record import Record
from engine.text.spans import Span


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
