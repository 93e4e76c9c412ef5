"""What the screen of blind grading shows: a pair to grade, the verdicts on one that is graded, or the rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from engine.blueprint.conversation import ThreadTurn
from engine.scoring.assessment import Grade
from engine.scoring.explanation import points_text
from engine.store.grades import StoredSample
from engine.store.run_records import PairId
from engine.study.judged_pairs import (
    GradingRate,
    JudgedPair,
    JudgedSample,
    JudgeWord,
    QueuedPair,
    QueueReason,
    progress_text,
    rate_lines,
)
from engine.text.record import Record

_REASONS = {
    QueueReason.SAMPLE: "",
    QueueReason.JUDGES_DIFFER: "The judges differ here.",
    QueueReason.BORDERLINE: "Borderline for the judges.",
}


class GradingCard(Record):
    """A pair as it is shown: the name of its prompt, the turns before the answer, those that are graded, the criterion.

    `progress` says how far the queue is. `reason` says why a pair outside of the sample is shown.
    """

    progress: str
    title: str
    before: tuple[ThreadTurn, ...]
    answer: tuple[ThreadTurn, ...]
    criterion: str
    reason: str = ""


class AskingView(Record):
    """A pair to grade. Nothing of its verdicts is shown."""

    card: GradingCard


class RevealedView(Record):
    """A pair that was just graded, with the verdicts. `agrees`: the judges are on the same side of 0.5."""

    card: GradingCard
    sentence: str
    agrees: bool
    words: tuple[JudgeWord, ...]


class FaultRow(Record):
    """A pair on which the judges and the author disagree. `pair` identifies it."""

    pair: PairId
    kind: str
    prompt: str
    criterion: str
    detail: str


class RateView(Record):
    """The rate, the disagreements behind it, and how many pairs are left in which a fault is likely.

    `drawn` says where the sample comes from.
    """

    lines: tuple[str, ...]
    faults: tuple[FaultRow, ...]
    likely: int
    drawn: str


class NothingToGrade(Record):
    """There is no judged pair; `teaching` says how to get some."""

    teaching: str


GradingView: TypeAlias = AskingView | RevealedView | RateView | NothingToGrade

NOTHING_TO_GRADE = NothingToGrade(
    "There are no verdicts to compare with yet. Choose judges (w in the result), run some prompts, and come back: the "
    "verdicts stay hidden until you have graded."
)


def card_of(queued: QueuedPair, title: str, rate: GradingRate, *, left: int, revealed: bool) -> GradingCard:
    """The card of a pair. `left` is the number of pairs in the queue, this one included unless it is `revealed`."""
    pair = queued.pair
    if queued.reason is QueueReason.SAMPLE:
        decided = rate.graded + rate.skipped
        progress = progress_text(rate, decided if revealed else decided + 1)
    else:
        progress = f"looking for faults: {left} left" if left else "looking for faults: the last one"
    return GradingCard(progress, title, pair.before, pair.answer_turns, pair.criterion.text, _REASONS[queued.reason])


def revealed(card: GradingCard, pair: JudgedPair, grade: Grade) -> RevealedView:
    """The card with the verdicts."""
    agrees = pair.passed_by(grade) == pair.is_passed
    judges = "the judge" if len(pair.words) == 1 else "the judges"
    yours, theirs = f"You: {grade.label}", f"{judges}: {points_text(pair.extent)} of 100"
    polarity = " The criterion is in should_not: what is present counts against the answer." if pair.inverted else ""
    return RevealedView(card, f"{yours}; {theirs}. {_outcome(pair, agrees=agrees)}{polarity}", agrees, pair.words)


def _outcome(pair: JudgedPair, *, agrees: bool) -> str:
    if agrees:
        return f"Both {'pass' if pair.is_passed else 'fail'} the answer on this criterion."
    they_pass, they_fail = ("it passes", "it fails") if len(pair.words) == 1 else ("they pass", "they fail")
    if pair.is_passed:
        return f"A false pass: {they_pass} what you fail."
    return f"A false failure: {they_fail} what you pass."


def rate_view(found: JudgedSample, sample: StoredSample, titles: Mapping[int, str], *, likely: int) -> RateView:
    """The rate of the author, and all disagreements. `titles` are the names of the prompts."""
    rate = found.rate()
    faults = tuple(
        FaultRow(
            each.pair.id,
            each.kind,
            titles.get(each.pair.prompt, ""),
            f"{'not: ' if each.pair.inverted else ''}{each.pair.criterion.text}",
            f"you: {each.given.grade.label}, judged {points_text(each.pair.extent)}" if each.given.grade else "",
        )
        for each in found.faults()
    )
    drawn = f"The sample: {rate.size} of {sample.judged} judged pairs, drawn at random with the seed {sample.seed}."
    return RateView(rate_lines(rate), faults, likely, drawn)
