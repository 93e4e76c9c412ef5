"""Verdicts on the same answers under two wordings: which crossed to the other side."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from engine.cases.failed_answers import is_failed
from engine.criterion_loop.judge_forms import Unlike, unlike, verdict_of
from engine.criterion_loop.loop_answers import LoopAnswer
from engine.digests import short_digest
from engine.judging.judge_prompt import Question, context_of
from engine.judging.panel import Approach
from engine.record import Record, replace
from engine.store.lineages import UNKNOWN_FORM, JudgeForm, WordingVerdict


class Flip(StrEnum):
    """How an answer crossed from failed to met, or back, between two wordings."""

    UP = "up"
    DOWN = "down"


class ComparedAnswer(Record):
    """An answer, with the verdict of each judge now and before; None where it has none.

    `carried` says of each verdict now whether its judge saw something else than it would be shown today, `outdated`
    what differs in how it would be asked today. `unlike` says why the two verdicts of a judge cannot be compared; None
    if they can, or one is missing. `flip` is by the mean of the judges with two verdicts that can be compared, after
    inversion. `is_elsewhere_changed`: between the two wordings, other parts of what a judge sees changed too.
    """

    answer: LoopAnswer
    now: tuple[WordingVerdict | None, ...]
    before: tuple[WordingVerdict | None, ...]
    carried: tuple[bool, ...]
    outdated: tuple[Unlike | None, ...]
    unlike: tuple[Unlike | None, ...]
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
    contexts: Mapping[str, Collection[str]] | None,
    forms: Mapping[str, JudgeForm],
    *,
    inverted: bool,
) -> tuple[ComparedAnswer, ...]:
    """`answers` with their verdicts by digest; those that flipped stand first, otherwise the order stays.

    `contexts` are the digests of what judges would be shown today, by answer (`context_of_wording`); a verdict with
    another one is carried over, and flips nothing. One without a digest, of a check, is not, and none is where
    `contexts` is None: the point is not in the text. `forms` are how judges
    are asked today, by label: a verdict in this form comes first, and one before in the form of the one now.
    """
    rows = [_row(answer, judges, now, before, contexts, forms, inverted=inverted) for answer in answers]
    return tuple(sorted(rows, key=lambda row: row.flip is None))


def _row(
    answer: LoopAnswer,
    judges: Sequence[str],
    now: Mapping[str, Sequence[WordingVerdict]],
    before: Mapping[str, Sequence[WordingVerdict]],
    contexts: Mapping[str, Collection[str]] | None,
    forms: Mapping[str, JudgeForm],
    *,
    inverted: bool,
) -> ComparedAnswer:
    given, earlier = now.get(answer.key, ()), before.get(answer.key, ())
    judged = [_Judged.of(judge, given, earlier, forms.get(judge)) for judge in judges]
    carried = tuple(contexts is not None and each.is_carried(contexts.get(answer.key, ())) for each in judged)
    pairs = [
        (each.before, each.now)
        for each, is_carried in zip(judged, carried, strict=True)
        if each.before is not None and each.now is not None and each.unlike is None and not is_carried
    ]
    return ComparedAnswer(
        answer,
        tuple(each.now for each in judged),
        tuple(each.before for each in judged),
        carried,
        tuple(each.outdated for each in judged),
        tuple(each.unlike for each in judged),
        _flip([(was.extent, each.extent) for was, each in pairs], inverted=inverted),
        any(was.context != each.context for was, each in pairs),
    )


class _Judged(Record):
    """The verdicts of one judge on one answer, and how it is asked today; None where that is not known."""

    now: WordingVerdict | None
    before: WordingVerdict | None
    form: JudgeForm | None

    @classmethod
    def of(
        cls,
        judge: str,
        now: Sequence[WordingVerdict],
        before: Sequence[WordingVerdict],
        form: JudgeForm | None,
    ) -> _Judged:
        present = verdict_of(now, judge, form)
        alike = form if present is None or present.form == UNKNOWN_FORM else present.form
        return cls(present, verdict_of(before, judge, alike), form)

    def is_carried(self, today: Collection[str]) -> bool:
        return self.now is not None and self.now.context != "" and self.now.context not in today

    @property
    def outdated(self) -> Unlike | None:
        if self.now is None or self.form is None or self.now.form == UNKNOWN_FORM:
            return None
        return unlike(self.now.form, self.form)

    @property
    def unlike(self) -> Unlike | None:
        if self.now is None or self.before is None or self.now.judge == "":
            return None
        return unlike(self.before.form, self.now.form)


def _flip(pairs: Sequence[tuple[float, float]], *, inverted: bool) -> Flip | None:
    if not pairs:
        return None
    before, now = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
    was, fails = (is_failed(1 - each if inverted else each) for each in (before, now))
    if was is fails:
        return None
    return Flip.DOWN if fails else Flip.UP
