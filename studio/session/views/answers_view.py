"""What the screen of answers side by side shows: each answer with what a person says of it, and no score."""

from __future__ import annotations

import re
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING

from engine.blueprint import RenderAs
from engine.evaluation.sources import ControlKind
from engine.functions.function_text import count
from engine.functions.response_checks import words_in
from engine.study.case import Case, Label
from engine.text.record import Record, replace
from engine.text.spans import Span, in_quotes
from studio.session.views.figures import ago

if TYPE_CHECKING:
    from engine.study.known_answers import KnownAnswer


class MarkKind(Enum):
    """What a person says of an answer."""

    GOOD = "good"
    BAD = "bad"
    FAILS = "bad in this way"


class MarkView(Record):
    """A mark in words. `kind` is None for a case that has a range of scores alone; `why` has the reason, or is ""."""

    kind: MarkKind | None
    text: str
    why: str = ""


class AnswerView(Record):
    """One answer: who wrote it, what is known of it, its text, and its mark. `key` stays the same.

    `sentences` are their places in the text, and `quote` is that of the quote of its case.
    """

    key: str
    label: str
    facts: str
    text: str
    sentences: tuple[Span, ...]
    mark: MarkView | None = None
    is_test: bool = False
    quote: Span | None = None
    is_ideal: bool = False


class AnswersView(Record):
    """All answers to the prompt `title`, which asks `question`. `note` says what could not be read, or is ""."""

    title: str
    question: str
    answers: tuple[AnswerView, ...]
    render_as: RenderAs
    note: str = ""

    @property
    def marked(self) -> str:
        """`2 good · 1 bad · 3 not marked`; test answers are counted by themselves, and the ideal needs no mark."""
        tests = sum(answer.is_test for answer in self.answers)
        rest = [answer for answer in self.answers if not answer.is_test]
        marks = [answer.mark for answer in rest if answer.mark is not None or not answer.is_ideal]
        good = sum(mark is not None and mark.kind is MarkKind.GOOD for mark in marks)
        bad = sum(mark is not None and mark.kind in (MarkKind.BAD, MarkKind.FAILS) for mark in marks)
        test = "test answer" if tests == 1 else "test answers"
        counts = ((good, "good"), (bad, "bad"), (tests, test), (len(marks) - good - bad, "not marked"))
        return " · ".join(f"{number} {what}" for number, what in counts if number)


def answer_view(answer: KnownAnswer, sentences: tuple[Span, ...], now: datetime) -> AnswerView:
    """One answer, with the spans of its sentences."""
    facts = [count(words_in(answer.subject), "word")]
    if answer.created is not None:
        facts.append(ago(answer.created, now))
    if len(answer.turns) > 1:
        facts.append(f"{len(answer.turns)} turns")
    if answer.is_edited:
        facts.append("edited by you")
    if answer.file:
        facts.append(f"in {answer.file}")
    return AnswerView(
        key=answer.key,
        label=answer.label,
        facts=" · ".join(facts),
        text=answer.subject,
        sentences=sentences,
        mark=None if answer.case is None else mark_view(answer.case, answer.test),
        is_test=answer.test is not None,
        quote=None if answer.case is None else _place_of(answer.case.quote or "", answer.subject),
        is_ideal=answer.is_ideal,
    )


def _place_of(quote: str, text: str) -> Span | None:
    """Where `text` has the words of `quote`, white space aside; None if it does not."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return None if found is None else Span(*found.span())


def mark_view(case: Case, test: ControlKind | None = None) -> MarkView:
    """What a case says of its answer, and who says so. `test` is the test answer that it is."""
    view = _mark_view(case)
    text = f"{view.text}, a test answer ({test})" if test is not None else view.text
    return replace(view, text=f"{text}, by {' '.join(case.by.split())}" if case.by else text)


def _mark_view(case: Case) -> MarkView:
    why = " ".join((case.reason or "").split())
    if case.fails is not None:
        return MarkView(MarkKind.FAILS, f"bad in this way: {in_quotes(' '.join(case.fails.text.split()))}", why)
    if case.label is None:
        return MarkView(None, f"should score {case.score}", why)
    kind = MarkKind.GOOD if case.label is Label.GOOD else MarkKind.BAD
    return MarkView(kind, f"{kind.value}, {case.score}" if case.score else kind.value, why)
