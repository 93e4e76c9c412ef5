"""# no-citation

A point in words without a source: neither the point nor its prompt has a citation, and its text quotes none ("[cite:
848]", "Article 9").

A citation does not change the score. It says where the criterion comes from, so that a reader who doubts a grade can
look it up. The documents call a blueprint evidence-first if each of its points links to a source. This rule assumes
that of a file in which more than half of the points in words have a citation: there, the message says how many were
probably forgotten. Elsewhere, it says that the file names no sources.

Off by default: many good rubrics, of tone, form or role, have no source. Reported once per file, with a count.

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

Fix: none. Give the point a `citation`, or the prompt if all its points have the same source.

Documents: Blueprint repository, The Evidence-Based Workflow (Gold Standard), "Evidence-First Blueprint Authoring".
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from engine.blueprint import Point, Prompt
from engine.diagnostics import Related, Severity
from engine.patterns import lazy
from engine.rules.rule import Report, Rule
from engine.rules.views import FileView

_MOST_RELATED = 20

_INLINE = lazy(r"\[cite\b|§\s*\d|\b(?:Art|Article|Section|Sec)\b\.?\s*\d|https?://")
"""How a criterion quotes a source in its text."""


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
