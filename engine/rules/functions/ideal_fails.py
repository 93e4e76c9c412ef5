"""# ideal-fails: Check that a good answer fails

A check that the prompt's own ideal answer does not pass.

The ideal is an example of a good answer, so one of the two is wrong. Either the check requires something else than was
meant, such as another spelling or a word that a good answer need not use: then every good model loses this share of the
score. Or the ideal is not in the form that the prompt asks for: then the score is right, and the ideal is no example.
If what the ideal lacks is in the prompt, the rule says so. Checks on alternative paths are reported only if the ideal
fails every path. If only case differs, `case-alone` reports it; if only the form of its letters does,
`unicode-form`; if only the format does, `format-fragile-literal`; if a pattern was meant, `pattern-in-literal`; a blank
at the end of an argument and the like, `argument-slip`.

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

from engine.blueprint import FunctionCall, Prompt
from engine.parsing.fields import member
from engine.rules.checks import is_negated
from engine.rules.described_ideals import describes_answer
from engine.rules.functions.argument_slips import text_slips
from engine.rules.functions.closest_passage import Passage, closest_passage, wanted_texts
from engine.rules.functions.missed_literals import missed_by_case, missed_by_form, missed_by_format
from engine.rules.functions.rewritten_checks import meant_as_patterns
from engine.rules.functions.trial_subjects import failed_checks
from engine.rules.rule import Report, prompt_rule
from engine.rules.source.prompt_texts import known_text, sent_text
from engine.rules.views import PromptView
from engine.scoring.assessment import Assessment
from engine.text.diagnostics import Related, Severity
from engine.text.spans import in_quotes
from engine.yaml.layout import first_line

_MAX_PASSAGE_LENGTH = 60
_MOST_RELATED = 4
_OPENING = "\"'“‘`*{<["
"""Signs before a text that a prompt names as it is to be written."""


@prompt_rule(
    "R006",
    Severity.WARNING,
    why="One of the two is wrong: if it is the check, good answers lose this share of the score; if it is the"
    " ideal, it is no example of the answer that the prompt asks for.",
    needs_javascript=True,
)
def ideal_fails(view: PromptView) -> Iterator[Report]:
    ideal, javascript = view.prompt.ideal, view.javascript
    if not ideal or javascript is None:
        return
    if describes_answer(ideal):
        yield from _described(view, ideal)
        return
    for failed, remark in failed_checks(view):
        point, is_wanted = failed.point, is_negated(failed.point) is failed.placed.inverted
        is_told = (
            missed_by_format(point, ideal)
            or meant_as_patterns(point, known_text(view.prompt))
            or any(text_slips(view.file, point, view.prompt if is_wanted else None))
            or missed_by_case(point, ideal, javascript)
            or missed_by_form(point, ideal, javascript)
        )
        if not is_told:
            yield _report(view, failed, ideal, remark)


def _described(view: PromptView, ideal: str) -> Iterator[Report]:
    """The report on an ideal that describes an answer, if some check cannot be tried on it."""
    failed = [one for one, _ in failed_checks(view)]
    if not failed:
        return
    node = member(view.prompt.node, "ideal")
    checks = "one check" if len(failed) == 1 else f"{len(failed)} checks"
    yield Report(
        failed[0].point.subject_span if node is None else first_line(view.text, node.span),
        f"this ideal describes an answer and is none, so it fails {checks}: write the answer itself",
        why="A description shows nobody what a good answer looks like, and checks cannot be tried on it.",
        related=tuple(Related(one.point.subject_span, "fails this check") for one in failed[:_MOST_RELATED]),
    )


def _report(view: PromptView, assessment: Assessment, ideal: str, remark: str) -> Report:
    score = round((assessment.extent or 0.0) * 100)
    message = f"the prompt's own ideal scores {score} of 100 here{remark}"
    call = assessment.point.function
    found = _found(assessment, ideal)
    passage = None if found or call is None else closest_passage(call, ideal)
    detail = found or (assessment.detail if passage is None else _closest(assessment, ideal, passage))
    lacking = None if found or call is None else _lacking(view.prompt, call, ideal)
    return Report(
        assessment.point.subject_span, f"{message}: {detail}", why="" if lacking is None else _asked_for(lacking)
    )


def _lacking(prompt: Prompt, call: FunctionCall, ideal: str) -> str | None:
    """A text that the check looks for, that the prompt names in quotes or brackets, and that the ideal lacks."""
    asked = sent_text(prompt)
    lowered = ideal.lower()
    return next(
        (
            text
            for text in wanted_texts(call, ideal)
            if text in asked
            and text.lower() not in lowered
            and (text[0] in _OPENING or any(f"{sign}{text}" in asked for sign in _OPENING))
        ),
        None,
    )


def _asked_for(lacking: str) -> str:
    return (
        f"The prompt names {in_quotes(_short(lacking))} and the ideal lacks it, so the ideal may be what is wrong: "
        "write it in the form that the prompt asks for. If a good answer needs no such form, change the check: it "
        "costs points."
    )


def _found(assessment: Assessment, ideal: str) -> str | None:
    """The forbidden passage that the check found."""
    call = assessment.point.function
    forbids = assessment.placed.inverted is not (call is not None and call.name.startswith("not_"))
    if not assessment.evidence or not forbids:
        return None
    span = assessment.evidence[0]
    return f"it contains {in_quotes(_excerpt(ideal, span.start, span.end))}"


def _closest(assessment: Assessment, ideal: str, passage: Passage) -> str:
    """The passage of the ideal that is most similar to what the check looks for."""
    call = assessment.point.function
    without = f", without {in_quotes(passage.missing)}" if passage.missing else ""
    found = f"{assessment.detail}; " if call is not None and isinstance(call.args, list) else ""
    return f"{found}closest is {in_quotes(_excerpt(ideal, passage.span.start, passage.span.end))}{without}"


def _excerpt(text: str, start: int, end: int) -> str:
    """The whole words that a place covers, short enough for a message."""
    end = min(end, start + _MAX_PASSAGE_LENGTH)
    left = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    ends = [at for at in (text.find(" ", end), text.find("\n", end)) if at >= 0]
    right = min(ends, default=len(text))
    return _short(" ".join(text[left:right].split()))


def _short(words: str) -> str:
    return words if len(words) <= 2 * _MAX_PASSAGE_LENGTH else f"{words[: 2 * _MAX_PASSAGE_LENGTH]}…"
