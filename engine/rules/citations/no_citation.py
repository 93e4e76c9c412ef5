"""# no-citation

A point in words that names no source: neither it nor its prompt has a citation, nor does its text quote one ("[cite:
848]", "Article 9").

A citation has no part in the score. It says where the criterion comes from, so that a reader who doubts a grade can
look it up: of 72 points with 8 bare ones, up to 11 of 100 rest on the author's word. The documents call a blueprint
evidence-first where each point answers to a piece of a source and links to it. This rule calls it so where more than
half of the points in words carry a citation: there the bare ones are most likely forgotten, and the message says how
many they are. Elsewhere it says that the file gives no sources.

Off unless it is asked for: many good rubrics (of tone, of form, of a role) have no source. Reported once per file, with
its count.

Bad:

    - id: foia
      prompt: How long may an authority take to answer?
      should:
        - text: Names twenty working days
          citation: Freedom of Information Act 2000, s 10
        - text: Says that the day of receipt does not count
          citation: Freedom of Information Act 2000, s 10
        - Says that the Commissioner may be asked for help

Good:

    - id: foia
      prompt: How long may an authority take to answer?
      should:
        - text: Names twenty working days
          citation: Freedom of Information Act 2000, s 10
        - text: Says that the Commissioner may be asked for help
          citation: Freedom of Information Act 2000, s 50

Fix: none. Give the point a `citation`, or the prompt, where all its points rest on one source.

Documents: 004, "The Evidence-Based Workflow (Gold Standard)", "Evidence-First Blueprint Authoring".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from engine.blueprint import Point, Prompt
from engine.diagnostics import Related, Severity
from engine.rules.rule import Report, Rule
from engine.rules.views import FileView

_MOST_RELATED = 20

_INLINE = re.compile(r"\[cite\b|§\s*\d|\b(?:Art|Article|Section|Sec)\b\.?\s*\d|https?://")
"""A source within the text."""


def _check(view: FileView) -> Iterator[Report]:
    worded = [
        (prompt, point) for prompt in view.blueprint.prompts for point in prompt.points() if point.text is not None
    ]
    bare = [point for prompt, point in worded if not _has_source(prompt, point)]
    if not bare:
        return
    first, *others = bare
    is_evidence_first = sum(point.citation is not None for _, point in worded) * 2 > len(worded)
    yield Report(
        first.subject_span,
        _message(len(bare), len(worded), is_evidence_first),
        related=tuple(Related(point.subject_span, "no source either") for point in others[:_MOST_RELATED]),
    )


def _has_source(prompt: Prompt, point: Point) -> bool:
    return point.citation is not None or bool(prompt.citation) or _quotes_a_source(point.text or "")


@lru_cache(maxsize=20_000)
def _quotes_a_source(text: str) -> bool:
    return _INLINE.search(text) is not None


def _message(bare: int, points: int, is_evidence_first: bool) -> str:
    if bare == points:
        return "no point of this file names a source"
    if not is_evidence_first:
        return f"{bare} of the {points} points in words name no source, from this one on"
    if bare == 1:
        return f"this point names no source, unlike the other {points - 1} of this file"
    return f"{bare} of {points} points name no source, from this one on, unlike the others of this file"


RULES = (
    Rule(
        code="R037",
        slug="no-citation",
        severity=Severity.HINT,
        why="A reader who doubts a grade cannot look up where the criterion comes from.",
        on_file=_check,
        off=True,
    ),
)
