"""Which answer shows what the problems of a rule do to a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto


class Answer(Enum):
    """The answer that is scored on the rubric as it is and as it was meant.

    - `IDEAL`: the prompt's own ideal. Checks run on it, criteria in words count as met. After: the first fix of every
      report; where there is none, the reported checks count as passed.
    - `LOSES_REPORTED`: every point is met but the reported ones. After: those are met, too.
    - `HIGHEST_LEVEL`: of the reported points, one is met; all others are. After: the reported ones are met, too.
    - `EMPTY`: nothing is written. Checks run on it, what is forbidden is avoided, what is asked for in words is not
      there. After: the reported points are lost, as they are where they demand something.
    - `BREAKS_ONE_PATH`: all of the first alternative under `should_not` is done and nothing else is wrong. After: the
      fix.
    - `MISSES_REPORTED`: every point is met but the reported ones. After: the fix, and the same points missed.
    - `MEETS_ONE`: of the reported points, one is met; all others are. After: the fix, and the same points missed.
    """

    IDEAL = auto()
    LOSES_REPORTED = auto()
    HIGHEST_LEVEL = auto()
    EMPTY = auto()
    BREAKS_ONE_PATH = auto()
    MISSES_REPORTED = auto()
    MEETS_ONE = auto()


@dataclass(frozen=True, slots=True)
class Demonstration:
    """`{answer} scores X of 100 as the file is, and Y {otherwise}.`

    Where it `is_open` what the reported points earn: `{answer} scores anything from X to Y of 100. {otherwise}.`
    """

    kind: Answer
    answer: str
    otherwise: str = "with the fix"
    is_open: bool = False


USUAL = Demonstration(Answer.IDEAL, "The prompt's own ideal")
UNFIXED = Demonstration(Answer.IDEAL, "The prompt's own ideal", "if the check accepted it")
"""For a check that fails against its intention, where there is no fix."""

FAILING_CHECKS = frozenset(
    {
        "ascii-boundary",
        "bad-regex",
        "contradiction",
        "curly-quote-in-literal",
        "dollar-text",
        "format-fragile-literal",
        "ideal-fails",
        "invisible-character",
        "line-bound-pattern",
        "never-matches",
        "unescaped-literal",
        "unknown-function",
    }
)
"""Rules on checks that fail an answer which is right."""

_DOUBLED = Demonstration(Answer.MISSES_REPORTED, "An answer that misses nothing but this criterion")
_LEVELS = Demonstration(
    Answer.HIGHEST_LEVEL,
    "An answer at the highest level that meets everything else",
    "with one point for that level",
)

DEMONSTRATIONS: Mapping[str, Demonstration] = {
    "optional-point": Demonstration(
        Answer.LOSES_REPORTED,
        "An answer that meets every other criterion and leaves out what is only allowed",
        "without that point",
    ),
    "double-negative": Demonstration(
        Answer.LOSES_REPORTED, "An answer that does what every criterion says", "with the point under `should`"
    ),
    "refers-to-ideal": Demonstration(
        Answer.LOSES_REPORTED,
        "An answer that meets every other criterion",
        "The judge has to guess what it cannot see",
        is_open=True,
    ),
    "question-point": Demonstration(
        Answer.LOSES_REPORTED,
        "An answer that meets every other criterion",
        "The judge has to guess which answer to the question is the good one",
        is_open=True,
    ),
    "scale-as-points": _LEVELS,
    "metric-as-point": _LEVELS,
    "vacuous-point": Demonstration(Answer.EMPTY, "An empty answer", "if the reported points demanded something"),
    "paths-in-should-not": Demonstration(
        Answer.BREAKS_ONE_PATH, "An answer that does all of what the first alternative forbids, and nothing else wrong,"
    ),
    "lone-path": Demonstration(
        Answer.MISSES_REPORTED, "An answer that meets everything outside the path and none of it"
    ),
    "single-element-path": Demonstration(Answer.MEETS_ONE, "An answer that meets one of these and everything else"),
    "duplicate-point": _DOUBLED,
    "duplicate-path": _DOUBLED,
}
"""By slug. The other rules are shown by the prompt's own ideal, if at all."""


def demonstration(slug: str, *, has_fix: bool) -> Demonstration | None:
    """How the effect of this rule is shown; None where no answer of these shows it."""
    if slug in DEMONSTRATIONS:
        return DEMONSTRATIONS[slug]
    if has_fix:
        return USUAL
    return UNFIXED if slug in FAILING_CHECKS else None
