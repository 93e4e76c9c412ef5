"""How far judges agree: Krippendorff's alpha as the platform computes it (platform.md, A32; 000, `judgeAgreement`).

The textbook's alpha weights each item by its number of judges; the platform compares all pairs within the items with
all pairs of the pooled scores.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import combinations

from engine.blueprint import Judge
from engine.scoring.sums import to_fixed
from engine.text.record import Record, field
from engine.yaml.values import utf16_order

RELIABLE = 0.8
TENTATIVE = 0.667
NEAR_ZERO = 0.1
LITTLE_VARIANCE = 0.02
"""Below this variance of the scores, an alpha within `NEAR_ZERO` of 0 is unstable."""

UNKNOWN = "unknown"


class Interpretation(StrEnum):
    """How far an alpha can be relied on."""

    RELIABLE = "reliable"
    TENTATIVE = "tentative"
    UNRELIABLE = "unreliable"
    UNSTABLE = "unstable"


class JudgedExtent(Record):
    """One judge's extent for one point, 0–1 before inversion; None or NaN where it gave none.

    `judge` is the `judgeModelId` of result JSON: the judge's id, usually with its model in brackets.
    """

    judge: str
    extent: float | None

    @property
    def judge_id(self) -> str:
        """The id without the model in brackets."""
        return self.judge.partition("(")[0]

    @property
    def counts(self) -> bool:
        """Whether there is an extent to compare."""
        return self.extent is not None and not math.isnan(self.extent)


class JudgeShare(Record, rename="camel"):
    """The number of compared points that a judge has judged."""

    judge_id: str
    model: str
    approach: str
    assessments: int = field(name="assessmentCount")


class Agreement(Record):
    """How far judges agree, as `judgeAgreement` of result JSON (000, part 3).

    `alpha` has three decimals: 1 is perfect agreement, 0 chance, and below 0 worse. `judges` are ordered by their
    number of points, largest first.
    """

    alpha: float = field(name="krippendorffsAlpha")
    items: int = field(name="numItems")
    judges_per_item: int = field(name="numJudges")
    comparisons: int = field(name="numComparisons")
    interpretation: Interpretation
    fingerprint: str = field(name="judgeSetFingerprint")
    judges: tuple[JudgeShare, ...] = field(name="judgesUsed")


def agreement(points: Iterable[Sequence[JudgedExtent]], judges: Sequence[Judge]) -> Agreement | None:
    """How far the judges of `points` agree; None where no point has two judgements to compare.

    `points` holds the judgements of each point. `judges` are the judges of the run, with their models and approaches.
    `judges_per_item` is the number of judges of the first compared point, as on the platform.
    """
    items = [counted for point in points if len(counted := [each for each in point if each.counts]) >= 2]
    if not items:
        return None
    alpha, comparisons = _alpha([[each.extent or 0.0 for each in item] for item in items])
    names = [each.judge_id for item in items for each in item]
    return Agreement(
        float(to_fixed(alpha, 3)),
        len(items),
        len(items[0]),
        comparisons,
        _interpretation(alpha, [each.extent or 0.0 for item in items for each in item]),
        _fingerprint(names),
        tuple(_shares(names, judges)),
    )


def _alpha(items: Sequence[Sequence[float]]) -> tuple[float, int]:
    """Alpha, unrounded, and the number of pairs compared within items."""
    within = [(a - b) ** 2 for item in items for a, b in combinations(item, 2)]
    pooled = [score for item in items for score in item]
    across = [(a - b) ** 2 for a, b in combinations(pooled, 2)]
    expected = _sum(across) / len(across)
    if expected == 0:
        return 1.0, len(within)
    return 1 - _sum(within) / len(within) / expected, len(within)


def _interpretation(alpha: float, scores: Sequence[float]) -> Interpretation:
    if alpha >= RELIABLE:
        return Interpretation.RELIABLE
    if alpha >= TENTATIVE:
        return Interpretation.TENTATIVE
    mean = _sum(scores) / len(scores)
    variance = _sum([(score - mean) ** 2 for score in scores]) / len(scores)
    if abs(alpha) < NEAR_ZERO and variance < LITTLE_VARIANCE:
        return Interpretation.UNSTABLE
    return Interpretation.UNRELIABLE


def _sum(numbers: Iterable[float]) -> float:
    """The sum as JavaScript computes it: from Python 3.12 on, `sum` rounds differently."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def _fingerprint(names: Iterable[str]) -> str:
    """12 hex digits that identify a set of judges."""
    joined = ",".join(sorted(set(names), key=utf16_order))
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:12]


def _shares(names: Sequence[str], judges: Sequence[Judge]) -> Iterable[JudgeShare]:
    for name, count in Counter(names).most_common():
        judge = next((judge for judge in judges if judge.id == name or name in judge.model), None)
        model, approach = (UNKNOWN, UNKNOWN) if judge is None else (judge.model, judge.approach)
        yield JudgeShare(name, model, approach, count)
