"""The answers on which a criterion is judged: the ideal, the labelled cases, and stored answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.blueprint import Header, Prompt
from engine.cases import Case
from engine.cases.case import ideal_case
from engine.cases.case_scoring import response_of
from engine.cases.control_cases import control_kind
from engine.conversation import ThreadTurn
from engine.digests import text_digest
from engine.evaluation.events import Response
from engine.evaluation.sources import ControlKind
from engine.record import Record, replace


class LoopAnswer(Record):
    """One answer. Answers with the same text are one: `labels` names all that they are, `case` is the first case.

    `key` is the digest of `subject`, the text that is judged. `usual`: a criterion is judged on it unless the author
    decides otherwise. `test`: its case is a test answer, which is listed, and no part of what a criterion is good for.
    """

    key: str
    labels: tuple[str, ...]
    subject: str
    thread: tuple[ThreadTurn, ...]
    case: Case | None = None
    usual: bool = False
    is_ideal: bool = False
    model: str | None = None
    test: ControlKind | None = None

    @property
    def label(self) -> str:
        """Its name on the screen."""
        return ", ".join(self.labels)

    @property
    def is_bad(self) -> bool | None:
        """Whether its case says that it is bad; None if there is none, or it does not say."""
        return None if self.case is None else self.case.is_bad


def ideal_answer(prompt: Prompt, header: Header) -> tuple[LoopAnswer, ...]:
    """The ideal; () if the prompt has none."""
    if prompt.ideal is None or not prompt.ideal.strip():
        return ()
    response = response_of(ideal_case("", prompt.ideal), prompt, header)
    return (replace(_answer("the ideal", response), usual=True, is_ideal=True),)


def case_answers(cases: Iterable[Case], prompt: Prompt, header: Header) -> tuple[LoopAnswer, ...]:
    """The answers of the cases of one prompt."""
    return tuple(
        replace(
            _answer(_case_label(case), response_of(case, prompt, header)),
            usual=True,
            case=case,
            model=case.model,
            test=control_kind(case, prompt),
        )
        for case in cases
    )


def stored_answer(label: str, response: Response, *, model: str | None = None, usual: bool = False) -> LoopAnswer:
    """An answer from the database, or of a run."""
    return replace(_answer(label, response), usual=usual, model=model)


def merged(answers: Sequence[LoopAnswer]) -> tuple[LoopAnswer, ...]:
    """`answers`, those with the same text as one, in the order of the first of each."""
    found: dict[str, LoopAnswer] = {}
    for answer in answers:
        first = found.get(answer.key)
        found[answer.key] = answer if first is None else _joined(first, answer)
    return tuple(found.values())


def _joined(first: LoopAnswer, other: LoopAnswer) -> LoopAnswer:
    return replace(
        first,
        labels=tuple(dict.fromkeys((*first.labels, *other.labels))),
        case=first.case or other.case,
        usual=first.usual or other.usual,
        is_ideal=first.is_ideal or other.is_ideal,
        model=first.model or other.model,
        test=first.test or other.test,
    )


def _answer(label: str, response: Response) -> LoopAnswer:
    return LoopAnswer(text_digest(response.subject), (label,), response.subject, response.thread)


def _case_label(case: Case) -> str:
    about = case.reason or case.model or ""
    return f"case {case.number}: {' '.join(about.split())}" if about else f"case {case.number}"
