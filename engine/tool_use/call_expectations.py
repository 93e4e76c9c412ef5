"""The checks of a rubric that apply to a tool call, and whether the call meets them (002, "Scoring tool-use")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.tool_call_checks import SeenCall
from engine.scoring.assessment import Assessment
from engine.scoring.explanation_text import point_label
from engine.text.record import Record

_LONGEST_LABEL = 200


class CheckOnCall(Record):
    """A check that applies to a call. `place` is its index in `Prompt.points()`, `label` the check as written.

    `meets` is whether the call is one that the check names: in `should_not`, one that should not occur.
    """

    place: int
    label: str
    meets: bool
    inverted: bool

    @property
    def as_it_should(self) -> bool:
        """Whether this raises the score."""
        return self.meets is not self.inverted

    @property
    def text(self) -> str:
        """`meets $tool_called: calculator`; for a check of `should_not`, whether the call avoids it."""
        if self.inverted:
            return f"meets {self.label}, and should not" if self.meets else f"avoids {self.label}"
        return f"meets {self.label}" if self.meets else f"does not meet {self.label}"


def checks_on(call: SeenCall, assessments: Sequence[Assessment]) -> tuple[CheckOnCall, ...]:
    """The checks among `assessments`, in order, that apply to `call`, except those that could not run."""
    return tuple(_checks_on(call, assessments))


def is_about_tools(call: FunctionCall) -> bool:
    """Whether a check is one on tool calls."""
    return _plain_name(call).startswith("tool_")


def tools_named(call: FunctionCall) -> Iterator[str]:
    """The tools that a check names."""
    match call.args:
        case str(name):
            yield name
        case {"name": str(name)}:
            yield name
        case [_, _, str(name)] if "count" in call.name:
            yield name
        case [*names] if "order" in call.name:
            yield from (name for name in names if isinstance(name, str))
        case _:
            return


def _checks_on(seen: SeenCall, assessments: Sequence[Assessment]) -> Iterator[CheckOnCall]:
    for place, assessment in enumerate(assessments):
        check = assessment.point.function
        if check is None or not is_about_tools(check) or assessment.extent is None or assessment.error is not None:
            continue
        named = set(tools_named(check))
        counts_all = not named and _plain_name(check) == "tool_call_count_between"
        if seen.call.name in named or counts_all:
            label = point_label(assessment.point, _LONGEST_LABEL).replace("$not_", "$", 1)
            negated = _is_negated(check, assessment)
            yield CheckOnCall(place, label, _meets(check, seen, assessment, negated=negated), negated)


def _is_negated(check: FunctionCall, assessment: Assessment) -> bool:
    """Whether the check names what should not occur: by its own name or by its block, but not by both."""
    function = functions.find(check.name)
    return (function is not None and function.negates is not None) is not assessment.placed.inverted


def _meets(check: FunctionCall, seen: SeenCall, assessment: Assessment, *, negated: bool) -> bool:
    """Whether the call is one that the check, without its negation, names."""
    holds = (assessment.extent or 0.0) < 1 if negated else (assessment.extent or 0.0) >= 1
    is_evidence = any(line in assessment.evidence for line in seen.line)
    match _plain_name(check):
        case "tool_call_order":
            return is_evidence
        case "tool_args_match":
            return holds and is_evidence
        case _:
            return holds


def _plain_name(call: FunctionCall) -> str:
    """The main name of the function, whichever alias or negation is written."""
    function = functions.find(call.name)
    if function is None:
        return ""
    return function.negates or function.name
