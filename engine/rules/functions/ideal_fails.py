"""# ideal-fails

A check that the prompt's own ideal answer does not pass.

The ideal is what a good answer looks like. Where it fails a check, the check asks for something else than was meant:
another spelling, a word that a good answer need not use. Every good model loses the same share of the score. Of
alternative paths it is reported only where the ideal fails them all; where only capitals differ, `case-alone` says so.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $contains: Nairobi City

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $contains: Nairobi

Fix: none. The message shows the passage of the ideal that comes closest.

Documents: 002, "Prompt Fields", `ideal`: "A 'gold-standard' answer"; "Troubleshooting", 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.rules.functions.case_twins import missed_by_case
from engine.rules.functions.closest_passage import closest_passage
from engine.rules.functions.ideal_checks import failed_checks
from engine.rules.rule import Report, Rule
from engine.rules.views import PromptView
from engine.scoring.assessment import Assessment

_LONGEST_PASSAGE = 60


def _check(view: PromptView) -> Iterator[Report]:
    ideal, javascript = view.prompt.ideal, view.javascript
    if not ideal or javascript is None:
        return
    for failed, addition in failed_checks(view):
        if missed_by_case(failed.point, ideal, javascript) is None:
            yield _report(failed, ideal, addition)


def _report(assessment: Assessment, ideal: str, addition: str = "") -> Report:
    score = round((assessment.extent or 0.0) * 100)
    message = f"the prompt's own ideal scores {score} of 100 here{addition}"
    passage = _found(assessment, ideal) or _closest(assessment, ideal)
    return Report(assessment.point.subject_span, f"{message}: {passage or assessment.detail}")


def _found(assessment: Assessment, ideal: str) -> str | None:
    """What the check must not find, and found."""
    call = assessment.point.function
    forbids = assessment.placed.inverted is not (call is not None and call.name.startswith("not_"))
    if not assessment.evidence or not forbids:
        return None
    span = assessment.evidence[0]
    return f"it holds “{_excerpt(ideal, span.start, span.end)}”"


def _closest(assessment: Assessment, ideal: str) -> str | None:
    """The passage of the ideal that is most like what the check looks for."""
    call = assessment.point.function
    near = None if call is None else closest_passage(call, ideal)
    if near is None:
        return None
    found = f"{assessment.detail}; " if call is not None and isinstance(call.args, list) else ""
    without = f", without “{near.missing}”" if near.missing else ""
    return f"{found}closest is “{_excerpt(ideal, near.span.start, near.span.end)}”{without}"


def _excerpt(text: str, start: int, end: int) -> str:
    """The words around a place, short enough for a message."""
    end = min(end, start + _LONGEST_PASSAGE)
    left = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    ends = [at for at in (text.find(" ", end), text.find("\n", end)) if at >= 0]
    right = min(ends, default=len(text))
    words = " ".join(text[left:right].split())
    return words if len(words) <= 2 * _LONGEST_PASSAGE else f"{words[: 2 * _LONGEST_PASSAGE]}…"


RULES = (
    Rule(
        code="R006",
        slug="ideal-fails",
        severity=Severity.WARNING,
        why="A good answer fails the check too, so every good model loses this share of the score.",
        on_prompt=_check,
        needs_javascript=True,
    ),
)
