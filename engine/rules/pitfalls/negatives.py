"""# ambiguous-negative

A text in `should` that says what an answer does not do, in words that leave open what earns the score.

A judge is asked how well the answer *expresses* the criterion. An answer that says nothing of "errors" both fulfils
"does not contain errors" and does not express it: judges divide. Told where the negation has no clear object (errors,
issues, problems, harmful content, misinformation), where it is only half said ("does not just repeat it"), and where
every point of the prompt is negative, so that an empty answer earns the full score.

Plain negations are fine: "does not name the victim", "explains why 5G is no cause". The same text is told once a file.

Bad:

    - id: report
      prompt: Sum up this report.
      should:
        - Names the main result
        - Response does not contain errors

Good:

    - id: report
      prompt: Sum up this report.
      should:
        - Names the main result
      should_not:
        - Names a figure that is not in the report

Fix: none, since only the author knows what is meant. Say in `should_not` what a bad answer does, in positive words; for
a literal text use `$not_contains`.

Documents: 002, "Troubleshooting", 4, "Inverted Points in Wrong Block".

# double-negative

A text under `should_not` in the form of an instruction ("should not …", "does not …"), or a `$not_` check there.

Under `should_not` the result is turned round. "Should not give a dose" there means that an answer that gives no dose
loses the score. Descriptions of bad behaviour ("answers without asking", "is no valid option") are right as written.

Bad:

    - id: doctor
      prompt: Can I take both medicines?
      should_not:
        - The response should not name a dose

Good:

    - id: doctor
      prompt: Can I take both medicines?
      should_not:
        - Names a dose

Fix (unsafe): move it to `should`; for a check, the one without `not_`.

Documents: 002, "The `should` and `should_not` Rubrics": "it inverts the result of each check".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from engine import functions
from engine.blueprint import Point, Prompt
from engine.diagnostics import Fix, Severity
from engine.rules.moving import moved_to_should
from engine.rules.registry import FileView, PromptView, Report, Rule
from engine.text import Span, TextEdit

_SUBJECT = r"""(?:(?:the|this|an?|any|each|every|final|first|second)\s+)*
    (?:(?:model|ai|llm|assistant)['’]s\s+)?
    (?:(?:response|answer|model|assistant|ai|llm|output|reply|chatbot|it|they)\s+)?"""
_AUXILIARY = r"(?:should|must|may|shall|does|do|did|will|can|could|would)"
_NOT = r"(?:\s+not|n['’]t|\s+never)"

_NEGATIVE = re.compile(
    rf"\W*{_SUBJECT}(?:{_AUXILIARY}{_NOT}\b|(?:{_AUXILIARY}\s+)?(?:avoids?|refrains?)\b|cannot\b|never\b|not\s|lacks?\b)",
    re.IGNORECASE | re.VERBOSE,
)
"""A criterion that is met by what an answer leaves undone."""

_BAD = (
    "harmful|inappropriate|offensive|unethical|illegal|unsafe|bad|problematic|incorrect|false|inaccurate|misleading|"
    "toxic|irrelevant|unnecessary|factual|obvious|major|serious|significant|biased|any"
)
_VAGUE = re.compile(
    rf"""\W*{_SUBJECT}
    (?:{_AUXILIARY}{_NOT}\s+(?:contain|include|have|make|produce|generate|provide|introduce|give|show)
      |(?:{_AUXILIARY}\s+)?avoids?(?:\s+(?:making|including|giving|producing|providing))?
      |(?:contains|includes|has|makes)\s+no|is\s+free\s+(?:of|from)|no|without)
    \s+(?:(?:{_BAD})(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and\s+|or\s+)?))*
    (?:errors?|mistakes?|issues?|problems?|inaccuracies|misinformation|hallucinations?|falsehoods?|harm|bias(?:es)?
      |(?:{_BAD})\s+(?:content|information|language|advice|statements?|material|output|claims?))
    \W*$""",
    re.IGNORECASE | re.VERBOSE,
)
"""A negation whose object could be anything."""

_HALF_SAID = re.compile(
    rf"\W*{_SUBJECT}{_AUXILIARY}{_NOT}\s+(?:only|just|merely|simply|solely)\b(?!.*(?:\bbut\b|\binstead\b|\brather\b|\balso\b|[.;]\s+\S))",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""What is not enough, with no word on what is."""

_OPEN_SCOPE = re.compile(
    rf"""\W*{_SUBJECT}{_AUXILIARY}{_NOT}\s(?:(?!\b(?:or|but)\b|[.;]\s).)*\sand\s(?:then\s+)?
    (?:provide|give|switch|proceed|inject|add|offer|suggest|ignore|explain|answer|continue|claim|state)\b""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""Two deeds under one negation: is it enough to leave one undone?"""

_INSTRUCTION = re.compile(
    rf"\W*{_SUBJECT}(?:{_AUXILIARY}{_NOT}\b|(?:should|must)\s+(?:avoid|refrain)\b|cannot\b|never\b|avoid\b|refrain\b)",
    re.IGNORECASE | re.VERBOSE,
)


def _ambiguous(view: FileView) -> Iterator[Report]:
    told: set[str] = set()
    for prompt in view.blueprint.prompts:
        if prompt.should is None:
            continue
        negative = _all_negative(prompt)
        if negative is not None:
            yield negative
            continue
        for point in prompt.should.points():
            unclear = None if point.text is None or point.text in told else _unclear(point.text)
            if point.text is not None and unclear is not None:
                told.add(point.text)
                level = Severity.HINT if unclear is _Unclear.SCOPE else None
                yield Report(point.subject_span, unclear.value, severity=level)


def _all_negative(prompt: Prompt) -> Report | None:
    """A report where nothing has to be said to earn the full score of the prompt."""
    wanted = prompt.should.points() if prompt.should is not None else ()
    first = next((point for point in wanted if point.text is not None), None)
    if first is None or not all(_is_negative(point) for point in wanted):
        return None
    count = len(prompt.points())
    told = "the only point of this prompt says" if count == 1 else f"all {count} points of this prompt say"
    return Report(first.subject_span, f"{told} what not to do: an empty answer earns the full score")


def _is_negative(point: Point) -> bool:
    if point.function is not None:
        return point.function.name.startswith("not_")
    return _reads_negative(point.text or "")


@lru_cache(maxsize=20_000)
def _reads_negative(text: str) -> bool:
    return _NEGATIVE.match(text) is not None


class _Unclear(Enum):
    """What a negation leaves open, as the message says it."""

    OBJECT = "this forbids what it does not name: say in `should_not` what a bad answer does"
    HALF_SAID = "this says what is not enough, and not what is: name what earns the score"
    SCOPE = "two deeds under one “not”: is it enough to leave one undone?"


@lru_cache(maxsize=20_000)
def _unclear(text: str) -> _Unclear | None:
    if _VAGUE.match(text):
        return _Unclear.OBJECT
    if _HALF_SAID.match(text):
        return _Unclear.HALF_SAID
    return _Unclear.SCOPE if _OPEN_SCOPE.match(text) else None


def _double(view: PromptView) -> Iterator[Report]:
    rubric = view.prompt.should_not
    if rubric is None:
        return
    for point in rubric.points():
        if point.text is not None and (found := _INSTRUCTION.match(point.text)) is not None:
            words = " ".join(found[0].split()).strip("\"'").lower()
            yield Report(
                point.subject_span,
                f"“{words} …” under `should_not` is turned round: an answer that does as it says loses the score",
                fixes=moved_to_should(view, point),
            )
        elif point.function is not None and point.function.name.startswith("not_"):
            yield _double_check(view, point)


def _double_check(view: PromptView, point: Point) -> Report:
    assert point.function is not None
    name = point.function.name
    twin = name.removeprefix("not_")
    fixes = moved_to_should(view, point)
    at = view.text.find(name, point.subject_span.start, point.subject_span.end)
    if at >= 0 and functions.find(twin) is not None:
        fixes = (Fix(f"use ${twin} here", False, (TextEdit(Span(at, at + len(name)), twin),)), *fixes)
    return Report(
        point.subject_span,
        f"${name} under `should_not` is turned round twice: it asks for what it forbids",
        fixes=fixes,
    )


RULES = (
    Rule(
        code="R004",
        slug="ambiguous-negative",
        severity=Severity.WARNING,
        why="Judges divide on what is not there, and an answer that says nothing may earn the point.",
        on_file=_ambiguous,
    ),
    Rule(
        code="R005",
        slug="double-negative",
        severity=Severity.WARNING,
        why="Two negations make a demand: an answer that behaves well loses this share of the score.",
        on_prompt=_double,
    ),
)
