"""Which of several fixes are applied together: those whose edits do not touch."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from engine.rules.fixes import FixedProblem, apart
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.spans import Span, TextEdit


@st.composite
def fixed_problems(draw: st.DrawFn) -> FixedProblem:
    """A problem with a fix of up to three edits that do not touch."""
    bounds = sorted(draw(st.lists(st.integers(0, 20), min_size=2, max_size=6)))
    spans = dict.fromkeys(Span(start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=False))
    diagnostic = Diagnostic("S1", "rule", Severity.ERROR, Span(0, 1), "message", "")
    return FixedProblem(diagnostic, Fix("do it", True, tuple(TextEdit(span, "") for span in spans)))


def touch(one: FixedProblem, other: FixedProblem) -> bool:
    """Whether any of their edits overlap, or are at the same place; every pair is compared."""
    pairs = ((left.span, right.span) for left in one.fix.edits for right in other.fix.edits)
    return any((left.start < right.end and right.start < left.end) or left == right for left, right in pairs)


def one_by_one(problems: Sequence[FixedProblem]) -> list[FixedProblem]:
    """The same by comparing each with each."""
    chosen: list[FixedProblem] = []
    for problem in problems:
        if not any(touch(problem, earlier) for earlier in chosen):
            chosen.append(problem)
    return chosen


@given(st.lists(fixed_problems(), max_size=8))
def test_fixes_are_applied_together_unless_one_touches_an_earlier_one(problems: list[FixedProblem]) -> None:
    assert list(apart(problems)) == one_by_one(problems)
