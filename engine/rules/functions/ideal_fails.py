"""# ideal-fails

A check that the prompt's own ideal answer does not pass.

The ideal is an example of a good answer. If it fails a check, the check requires something else than was meant: another
spelling, or a word that a good answer need not use. Every good model loses the same share of the score. Checks on
alternative paths are reported only if the ideal fails every path. If only case differs, `case-alone` reports it; if
only the format does, `format-fragile-literal`.

An ideal that describes an answer ("A JSON object with two keys") instead of being one is reported once, as that: it
fails the checks whatever they are, so it says nothing about them or about models.

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

Fix: none. The message shows the most similar passage of the ideal.

Documents: Blueprint format, Prompt Fields, `ideal`; Blueprint format, Troubleshooting 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Related, Severity
from engine.rules.functions.case_twins import missed_by_case
from engine.rules.functions.closest_passage import closest_passage
from engine.rules.functions.described_ideals import describes_answer
from engine.rules.functions.format_misses import missed_by_format
from engine.rules.functions.ideal_checks import failed_checks
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import first_line
from engine.rules.source.node_search import mapping_at, value_of
from engine.rules.views import PromptView
from engine.scoring.assessment import Assessment

_MAX_PASSAGE_LENGTH = 60
_MOST_RELATED = 4


def _check(view: PromptView) -> Iterator[Report]:
    ideal, javascript = view.prompt.ideal, view.javascript
    if not ideal or javascript is None:
        return
    if describes_answer(ideal):
        yield from _described(view, ideal)
        return
    for failed, remark in failed_checks(view):
        is_format = missed_by_format(failed.point, ideal) is not None
        if not is_format and missed_by_case(failed.point, ideal, javascript) is None:
            yield _report(failed, ideal, remark)


def _described(view: PromptView, ideal: str) -> Iterator[Report]:
    """The report on an ideal that describes an answer, if some check cannot be tried on it."""
    failed = [one for one, _ in failed_checks(view)]
    if not failed:
        return
    node = value_of(mapping_at(view.tree, view.prompt.span), "ideal")
    checks = "a check" if len(failed) == 1 else f"{len(failed)} checks"
    yield Report(
        failed[0].point.subject_span if node is None else first_line(view.text, node.span),
        f"this ideal describes an answer and is none, so it fails {checks}: write the answer itself",
        why="A description shows nobody what a good answer looks like, and checks cannot be tried on it.",
        related=tuple(Related(one.point.subject_span, "fails this check") for one in failed[:_MOST_RELATED]),
    )


def _report(assessment: Assessment, ideal: str, remark: str) -> Report:
    score = round((assessment.extent or 0.0) * 100)
    message = f"the prompt's own ideal scores {score} of 100 here{remark}"
    passage = _found(assessment, ideal) or _closest(assessment, ideal)
    return Report(assessment.point.subject_span, f"{message}: {passage or assessment.detail}")


def _found(assessment: Assessment, ideal: str) -> str | None:
    """The forbidden passage that the check found."""
    call = assessment.point.function
    forbids = assessment.placed.inverted is not (call is not None and call.name.startswith("not_"))
    if not assessment.evidence or not forbids:
        return None
    span = assessment.evidence[0]
    return f"it contains “{_excerpt(ideal, span.start, span.end)}”"


def _closest(assessment: Assessment, ideal: str) -> str | None:
    """The passage of the ideal that is most similar to what the check looks for."""
    call = assessment.point.function
    passage = None if call is None else closest_passage(call, ideal)
    if passage is None:
        return None
    found = f"{assessment.detail}; " if call is not None and isinstance(call.args, list) else ""
    without = f", without “{passage.missing}”" if passage.missing else ""
    return f"{found}closest is “{_excerpt(ideal, passage.span.start, passage.span.end)}”{without}"


def _excerpt(text: str, start: int, end: int) -> str:
    """The whole words that a place covers, short enough for a message."""
    end = min(end, start + _MAX_PASSAGE_LENGTH)
    left = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    ends = [at for at in (text.find(" ", end), text.find("\n", end)) if at >= 0]
    right = min(ends, default=len(text))
    words = " ".join(text[left:right].split())
    return words if len(words) <= 2 * _MAX_PASSAGE_LENGTH else f"{words[: 2 * _MAX_PASSAGE_LENGTH]}…"


RULES = (
    Rule(
        code="R006",
        slug="ideal-fails",
        title="Check that the prompt's own ideal fails",
        severity=Severity.WARNING,
        why="A good answer fails the check too, so every good model loses this share of the score.",
        on_prompt=_check,
        needs_javascript=True,
    ),
)
