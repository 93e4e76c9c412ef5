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
      there. After: the reported criteria are lost, as they are where they demand something.
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
    """The answer in words. It `is_open` where what the reported points earn lies anywhere between the two scores."""

    kind: Answer
    answer: str
    is_open: bool = False


USUAL = Demonstration(Answer.IDEAL, "the prompt's own ideal")

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

_REFERS = Demonstration(Answer.LOSES_REPORTED, "an answer that meets every other criterion", is_open=True)
_LEVELS = Demonstration(Answer.HIGHEST_LEVEL, "an answer at the highest level that meets everything else")
_DOUBLED = Demonstration(Answer.MISSES_REPORTED, "an answer that misses nothing but this criterion")

DEMONSTRATIONS: Mapping[str, Demonstration] = {
    "optional-point": Demonstration(Answer.LOSES_REPORTED, "an answer that meets all but what is only allowed"),
    "double-negative": Demonstration(Answer.LOSES_REPORTED, "an answer that does what every criterion says"),
    "refers-to-ideal": _REFERS,
    "question-point": _REFERS,
    "scale-as-points": _LEVELS,
    "metric-as-point": _LEVELS,
    "vacuous-point": Demonstration(Answer.EMPTY, "an empty answer"),
    "paths-in-should-not": Demonstration(
        Answer.BREAKS_ONE_PATH, "an answer that does all that the first alternative forbids, and nothing else wrong"
    ),
    "lone-path": Demonstration(Answer.MISSES_REPORTED, "an answer that meets everything but the path"),
    "single-element-path": Demonstration(Answer.MEETS_ONE, "an answer that meets one of these and everything else"),
    "duplicate-point": _DOUBLED,
    "duplicate-path": _DOUBLED,
}
"""By slug. The other rules are shown by the prompt's own ideal, if at all."""


def demonstration(slug: str, *, has_fix: bool) -> Demonstration | None:
    """How the effect of this rule is shown; None where no answer of these shows it."""
    if slug in DEMONSTRATIONS:
        return DEMONSTRATIONS[slug]
    return USUAL if has_fix or slug in FAILING_CHECKS else None
