"""# case-alone

A check that the prompt's own ideal, or its written last answer, fails only because upper and lower case differ.

The ideal says "Nairobi" and the check looks for "nairobi". A good answer that is written like the ideal loses the point
because of a capital: with two points, half of its score. If the conversation ends with a written answer, that answer is
judged, and the rule compares it with the checks in the same way.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $contains: nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $icontains: nairobi

Fix (unsafe): the check of the same name with an `i`, which ignores case.

Documents: Blueprint format, Point Definition Formats 3, `$icontains`; Blueprint format, Troubleshooting 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Point, Prompt, Role
from engine.diagnostics import Fix, Severity
from engine.javascript.tasks import TaskRunner
from engine.rules.checks import renamed_function
from engine.rules.functions.case_twins import missed_by_case, twin_of
from engine.rules.functions.ideal_checks import failed_checks
from engine.rules.rule import Report, Rule
from engine.rules.views import PromptView


def _check(view: PromptView) -> Iterator[Report]:
    javascript = view.javascript
    calls = (point.function for point in view.checks)
    if javascript is None or not any(call is not None and twin_of(call.name) for call in calls):
        return
    reported: set[int] = set()
    for failed, _ in failed_checks(view, passes=1.0):
        yield from _report_case(
            view, failed.point, view.prompt.ideal or "", "the prompt's own ideal", javascript, reported
        )
    answer = _written_answer(view.prompt)
    if answer is not None:
        for point in view.checks:
            yield from _report_case(view, point, answer, "the answer that is written last", javascript, reported)


def _written_answer(prompt: Prompt) -> str | None:
    """The written last turn of the assistant, which is judged instead of a model's answer; None if there is none."""
    last = prompt.messages[-1] if prompt.messages else None
    return last.content if last is not None and last.role is Role.ASSISTANT else None


def _report_case(
    view: PromptView, point: Point, answer: str, whose: str, javascript: TaskRunner, reported: set[int]
) -> Iterator[Report]:
    """A report if `answer` fails `point` by case alone; `reported` holds the starts of points with a report."""
    twin = None if point.span.start in reported else missed_by_case(point, answer, javascript)
    if twin is None:
        return
    reported.add(point.span.start)
    naming = renamed_function(view.file, point, twin)
    fixes = () if naming is None else (Fix(f"ignore case: ${twin}", False, (naming,)),)
    yield Report(point.subject_span, f"{whose} fails this only by its case: ${twin} passes", fixes=fixes)


RULES = (
    Rule(
        code="F017",
        slug="case-alone",
        title="Check that fails by capital letters alone",
        severity=Severity.WARNING,
        why="An answer that differs only in case loses the point.",
        on_prompt=_check,
        needs_javascript=True,
    ),
)
