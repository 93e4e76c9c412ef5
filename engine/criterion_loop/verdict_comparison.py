"""Verdicts on the same answers under two wordings: which crossed to the other side."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from engine.cases.failed_answers import is_failed
from engine.criterion_loop.loop_answers import LoopAnswer
from engine.digests import short_digest
from engine.judging.judge_context import context_of
from engine.judging.judge_prompt import Question
from engine.judging.panel import Approach
from engine.record import Record
from engine.store.lineages import WordingVerdict


class Flip(StrEnum):
    """How an answer crossed from failed to met, or back, between two wordings."""

    UP = "up"
    DOWN = "down"


class ComparedAnswer(Record):
    """An answer, with the verdict of each judge now and before; None where it has none.

    `carried` says of each verdict now whether its judge saw something else than it would be shown today. `flip` is by
    the mean of the judges with both verdicts, after inversion. `is_elsewhere_changed`: between the two wordings, other
    parts of what a judge sees changed too.
    """

    answer: LoopAnswer
    now: tuple[WordingVerdict | None, ...]
    before: tuple[WordingVerdict | None, ...]
    carried: tuple[bool, ...]
    flip: Flip | None = None
    is_elsewhere_changed: bool = False


def context_of_wording(approach: Approach, question: Question) -> str:
    """A digest of what a judge sees beside the criterion itself, so that it can be compared across wordings."""
    others = list(question.criteria)
    if question.criterion in others:
        others.remove(question.criterion)
    shown = context_of(approach, replace(question, criterion="", criteria=tuple(others)))
    return short_digest("\n".join((approach, shown.transcript, shown.criteria or "", shown.description or "")))


def judges_in(*verdicts: Mapping[str, Sequence[WordingVerdict]]) -> tuple[str, ...]:
    """The judges of these verdicts, by first appearance."""
    return tuple(dict.fromkeys(each.judge for one in verdicts for given in one.values() for each in given))


def compared(
    answers: Iterable[LoopAnswer],
    judges: Sequence[str],
    now: Mapping[str, Sequence[WordingVerdict]],
    before: Mapping[str, Sequence[WordingVerdict]],
    contexts: Mapping[str, Collection[str]],
    *,
    inverted: bool,
) -> tuple[ComparedAnswer, ...]:
    """`answers` with their verdicts by digest; those that flipped stand first, otherwise the order stays.

    `contexts` are the digests of what judges would be shown today, by answer (`context_of_wording`); a verdict with
    another one is carried over, and flips nothing. One without a digest, of a check, is not.
    """
    rows = [_row(answer, judges, now, before, contexts, inverted=inverted) for answer in answers]
    return tuple(sorted(rows, key=lambda row: row.flip is None))


def _row(
    answer: LoopAnswer,
    judges: Sequence[str],
    now: Mapping[str, Sequence[WordingVerdict]],
    before: Mapping[str, Sequence[WordingVerdict]],
    contexts: Mapping[str, Collection[str]],
    *,
    inverted: bool,
) -> ComparedAnswer:
    present = _in_order(now.get(answer.key, ()), judges)
    earlier = _in_order(before.get(answer.key, ()), judges)
    today = contexts.get(answer.key, ())
    carried = tuple(each is not None and each.context != "" and each.context not in today for each in present)
    pairs = [
        (was, each)
        for was, each, is_carried in zip(earlier, present, carried, strict=True)
        if was is not None and each is not None and not is_carried
    ]
    flip = _flip([(was.extent, each.extent) for was, each in pairs], inverted=inverted)
    return ComparedAnswer(
        answer, present, earlier, carried, flip, any(was.context != each.context for was, each in pairs)
    )


def _in_order(verdicts: Sequence[WordingVerdict], judges: Sequence[str]) -> tuple[WordingVerdict | None, ...]:
    by_judge = {each.judge: each for each in verdicts}
    return tuple(by_judge.get(judge) for judge in judges)


def _flip(pairs: Sequence[tuple[float, float]], *, inverted: bool) -> Flip | None:
    if not pairs:
        return None
    before, now = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
    was, fails = (is_failed(1 - each if inverted else each) for each in (before, now))
    if was is fails:
        return None
    return Flip.DOWN if fails else Flip.UP
