"""Stored answers with the judges' verdicts on them, for grading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.conversation import ThreadTurn, Variant
from engine.digests import text_digest
from engine.evaluation.candidates import Candidate
from engine.evaluation.events import Response
from engine.record import Record
from engine.scoring.assessment import Criterion
from engine.store.database import Database
from engine.store.prompt_place import PromptPlace, place_key
from engine.store.responses import COLUMNS, response_in
from engine.store.stored_judgements import judgement_in
from engine.store.stored_sources import restored_source

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement


class PairId(Record):
    """What identifies an answer and a criterion: `PromptPlace.prompt`, the digest of the answer, and the criterion."""

    prompt: str
    subject: str
    criterion: Criterion


class JudgedAnswer(Record):
    """One answer and the newest verdicts on it, by the text of the criterion. `source` is its label on the screen."""

    subject_digest: str
    thread: tuple[ThreadTurn, ...]
    source: str
    judgements: Mapping[str, tuple[Judgement, ...]]


class JudgedAnswers(Database):
    """The judged answers of a prompt."""

    def judged_answers(self, place: PromptPlace) -> tuple[JudgedAnswer, ...]:
        """The different answers to a prompt on which there is a verdict, the one that was judged last at the end.

        For each criterion, the verdicts are those of the newest run that has any.
        """
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT run.id, run.source, run.suffix, run.response, judge_reply.key, judgement FROM run"
                " JOIN run_judge_reply ON run_judge_reply.run = run.id JOIN judge_reply ON judge_reply.id = reply"
                " WHERE run.blueprint = ? AND run.prompt = ? AND run.response IS NOT NULL"
                " ORDER BY run.id, run_judge_reply.rowid",
                place_key(place),
            ).fetchall()
            numbers = sorted({row[3] for row in rows})
            responses = {
                number: connection.execute(f"SELECT {COLUMNS} FROM response WHERE id = ?", (number,)).fetchone()
                for number in numbers
            }
        return tuple(_answers(rows, {number: response_in(row) for number, row in responses.items()}))


def _answers(rows: Iterable[tuple[Any, ...]], responses: Mapping[int, Response]) -> Iterator[JudgedAnswer]:
    """The answers in rows of run, source, suffix, number of the response, key and judgement, the oldest run first."""
    newest: dict[str, tuple[int, str]] = {}
    judged: dict[str, dict[str, tuple[int, tuple[Judgement, ...]]]] = {}
    for run, source, suffix, number, *row in rows:
        judgement = judgement_in(*row)
        if judgement is None or judgement.verdict is None:
            continue
        subject = responses[number].subject
        newest.pop(subject, None)
        newest[subject] = number, Candidate(restored_source(source), Variant(suffix=suffix)).label
        of_answer = judged.setdefault(subject, {})
        run_before, before = of_answer.get(judgement.criterion, (run, ()))
        of_answer[judgement.criterion] = (run, (*before, judgement) if run_before == run else (judgement,))
    for subject, (number, label) in newest.items():
        verdicts = {criterion: judgements for criterion, (_, judgements) in judged[subject].items()}
        yield JudgedAnswer(text_digest(subject), responses[number].thread, label, verdicts)
