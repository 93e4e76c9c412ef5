"""The queue of blind grading: the sample in its order, then the pairs where faults of judges are likely."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from engine.grading.judged_pair import JudgedPair, is_passed
from engine.record import Record
from engine.store.run_records import PairId

_BORDER = 0.25
"""A consensus nearer to 0.5 than this is borderline: between two classes of the five-class scale, or on the middle."""
_NOISE = 1e-9


class QueueReason(StrEnum):
    """Why a pair is in the queue. Only those of the sample count in the rate."""

    SAMPLE = "sample"
    JUDGES_DIFFER = "judges-differ"
    BORDERLINE = "borderline"


class QueuedPair(Record):
    """A pair to grade, and why."""

    pair: JudgedPair
    reason: QueueReason


def grading_queue(
    sample: Sequence[PairId], judged: Mapping[PairId, JudgedPair], decided: Collection[PairId]
) -> tuple[QueuedPair, ...]:
    """The pairs to grade: the rest of the sample, then those where judges differ, then the borderline ones.

    `judged` are today's pairs by their id; `decided` are those that the person has graded or skipped.
    """
    of_sample = [judged[pair] for pair in sample if pair in judged]
    others = _faults_first(pair for pair in judged.values() if pair.id not in frozenset(sample))
    queue = [*(QueuedPair(pair, QueueReason.SAMPLE) for pair in of_sample), *others]
    return tuple(each for each in queue if each.pair.id not in decided)


def _faults_first(pairs: Iterable[JudgedPair]) -> list[QueuedPair]:
    """The pairs in which a fault is likely: those with judges on both sides of 0.5, then those nearest to it."""
    differ: list[JudgedPair] = []
    borderline: list[JudgedPair] = []
    for pair in pairs:
        if len({is_passed(word.extent, inverted=pair.inverted) for word in pair.words}) > 1:
            differ.append(pair)
        elif _distance(pair) < _BORDER - _NOISE:
            borderline.append(pair)
    differ.sort(key=lambda pair: -_spread(pair))
    borderline.sort(key=_distance)
    return [
        *(QueuedPair(pair, QueueReason.JUDGES_DIFFER) for pair in differ),
        *(QueuedPair(pair, QueueReason.BORDERLINE) for pair in borderline),
    ]


def _distance(pair: JudgedPair) -> float:
    return abs(pair.extent - 0.5)


def _spread(pair: JudgedPair) -> float:
    extents = [word.extent for word in pair.words]
    return max(extents) - min(extents)
