"""The answers to one prompt: the ideal, those of cases, the database and files. Those of one text are one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from engine.blueprint import Header, Prompt
from engine.blueprint.conversation import StopReason, ThreadTurn
from engine.evaluation.events import Response
from engine.evaluation.sources import ControlKind
from engine.study.case import Case, control_kind, ideal_case
from engine.study.case_scoring import response_of
from engine.text.record import Record, replace, text_digest

SAVED = "saved answer"
_OF_EITHER = ("usual", "model", "created", "is_edited", "is_ideal", "file", "refusal")


class KnownAnswer(Record):
    """One answer. Answers with the same text are one: `labels` names all that they are, `case` is the first case.

    `key` is the digest of `subject`, the text that is judged. `usual`: a criterion is judged on it unless the author
    decides otherwise. `test`: its case is a test answer, which is listed, and no part of what a criterion is good for.
    `created` is when it was saved, None if that is unknown; `file` names the file that it was read from, "" for none.
    `is_labelled`: it is only in cases. `refusal` is set if the model's provider says that it refused.
    """

    key: str
    labels: tuple[str, ...]
    subject: str
    thread: tuple[ThreadTurn, ...]
    case: Case | None = None
    usual: bool = False
    model: str | None = None
    test: ControlKind | None = None
    created: datetime | None = None
    is_edited: bool = False
    is_ideal: bool = False
    is_labelled: bool = False
    file: str = ""
    refusal: ControlKind | None = None

    @property
    def label(self) -> str:
        """Its name on the screen."""
        return ", ".join(self.labels)

    @property
    def is_bad(self) -> bool | None:
        """Whether its case says that it is bad; None if there is none, or it does not say."""
        return None if self.case is None else self.case.is_bad

    @property
    def turns(self) -> tuple[str, ...]:
        """The texts of its generated turns, as a case has them."""
        return turns_of(self.thread, self.subject) if self.case is None else self.case.turns


def known_answer(label: str, response: Response, **more: Any) -> KnownAnswer:
    """An answer of this name; `more` are its other fields."""
    subject, refusal = response.subject, refusal_of(response.thread)
    return KnownAnswer(text_digest(subject), (label,), subject, response.thread, refusal=refusal, **more)


def ideal_answer(prompt: Prompt, header: Header) -> Iterator[KnownAnswer]:
    """The ideal; none if the prompt has none."""
    if prompt.ideal is not None and prompt.ideal.strip():
        response = response_of(ideal_case("", prompt.ideal), prompt, header)
        yield known_answer("the ideal", response, usual=True, is_ideal=True)


def case_answer(label: str, case: Case, prompt: Prompt, header: Header, **more: Any) -> KnownAnswer:
    """The answer of a case of `prompt`."""
    test = control_kind(case, prompt)
    return known_answer(label, response_of(case, prompt, header), case=case, test=test, model=case.model, **more)


def merged(answers: Iterable[KnownAnswer]) -> tuple[KnownAnswer, ...]:
    """`answers`, those with the same text as one, in the order of the first of each."""
    found: dict[str, KnownAnswer] = {}
    for answer in answers:
        first = found.get(answer.key)
        found[answer.key] = answer if first is None else _joined(first, answer)
    return tuple(found.values())


def _joined(first: KnownAnswer, other: KnownAnswer) -> KnownAnswer:
    """Two answers of the same text. Only a run knows whose answer an edited one was; a label adds no name."""
    labels = first.labels
    if first.is_edited and other.is_edited and not other.is_labelled:
        labels = other.labels
    elif not other.is_labelled:
        labels = tuple(dict.fromkeys((*first.labels, *other.labels)))
    of_case = other if first.case is None else first
    return replace(
        first,
        labels=tuple(each for each in labels if f"{each}, {SAVED}" not in labels),
        case=of_case.case,
        test=of_case.test,
        **{name: getattr(first, name) or getattr(other, name) for name in _OF_EITHER},
    )


def refusal_of(thread: Iterable[ThreadTurn]) -> ControlKind | None:
    """A refusal, if the model's provider says of each turn that it is one; None for all else, whatever the words."""
    stops = [turn.stop for turn in thread if turn.generated]
    is_refusal = bool(stops) and all(stop is not None and stop.reason is StopReason.REFUSAL for stop in stops)
    return ControlKind.REFUSAL if is_refusal else None


def turns_of(thread: Iterable[ThreadTurn], subject: str) -> tuple[str, ...]:
    """The texts of the generated turns, as a case has them."""
    return tuple(turn.content for turn in thread if turn.generated) or (subject,)
