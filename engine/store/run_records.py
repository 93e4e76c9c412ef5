"""Runs, saved while they run: prompt and candidate, the answer so far, judgements (replies verbatim) and score."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import astuple

from engine.blueprint.conversation import Stop, ThreadTurn, Variant
from engine.evaluation.events import Response
from engine.evaluation.headline import headline
from engine.evaluation.sources import Candidate
from engine.scoring.assessment import Criterion
from engine.scoring.explanation import Explanation
from engine.store.database import Database, PromptPlace, insert, timestamp
from engine.store.run_history import PAST_COLUMNS, PastRun, PastRuns, RunState, remarks_text
from engine.store.stored_answers import (
    COLUMNS,
    ShownAnswers,
    insert_response,
    response_in,
    restored_source,
    stop_columns,
    stored_source,
)
from engine.text.digests import text_digest
from engine.text.record import Record, replace

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement


class Judgements(Database):
    """Judgements by key. The newest verdict of each key is found; all stay for the runs that refer to them."""

    def save_judgement(self, judgement: Judgement) -> None:
        """Save a judge's requests and replies verbatim, a failure or refusal too.

        Requests hold no API keys: those are added when a request is sent.
        """
        with self.writing() as connection:
            insert_judgement(connection, judgement)

    def judgement(self, key: str) -> Judgement | None:
        """The newest verdict on an `engine.models.chat`; None without one that this version can read.

        A judge that failed is asked again, so its failure is never found.
        """
        given = self._judgements("SELECT key, judgement FROM judge_reply WHERE key = ? ORDER BY id DESC", (key,))
        return next((each for each in given if each.verdict is not None), None)

    def _judgements(self, query: str, values: Sequence[Any]) -> tuple[Judgement, ...]:
        """The judgements in rows of their keys and texts, without those that this version cannot read."""
        return tuple(each for row in self.rows(query, values) if (each := judgement_in(*row)) is not None)


def insert_judgement(connection: sqlite3.Connection, judgement: Judgement) -> int:
    """Insert a judgement within the transaction of `connection`, unless it is there already; its number."""
    from engine.judging.judgement import judgement_text  # here: only runs with judges load judging

    text = judgement_text(replace(judgement, reused=False))
    row = connection.execute(
        "SELECT id FROM judge_reply WHERE key = ? AND judgement = ?", (judgement.key, text)
    ).fetchone()
    if row is not None:
        return row[0]
    return insert(connection, "judge_reply", "key, judgement, created", (judgement.key, text, timestamp()))


def judgement_in(key: str, text: str) -> Judgement | None:
    """The judgement in a row of `judge_reply`; None if this version cannot read it."""
    from engine.judging.judgement import judgement_of  # here: only runs with judges load judging

    judgement = judgement_of(text)
    return None if judgement is None else replace(judgement, key=key)


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
        rows = self.rows(
            "SELECT run.id, run.source, run.suffix, run.response, judge_reply.key, judgement FROM run"
            " JOIN run_judge_reply ON run_judge_reply.run = run.id JOIN judge_reply ON judge_reply.id = reply"
            " WHERE run.blueprint = ? AND run.prompt = ? AND run.response IS NOT NULL"
            " ORDER BY run.id, run_judge_reply.rowid",
            astuple(place),
        )
        query = f"SELECT {COLUMNS} FROM response WHERE id = ?"
        return tuple(_answers(rows, {number: response_in(self.row(query, (number,))) for *_, number, _, _ in rows}))


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


_STARTED = timestamp()


class RunRecords(Judgements, ShownAnswers):
    """Runs by the prompt that was run."""

    def begin_run(self, place: PromptPlace, candidate: Candidate, rubric: str, content: str = "") -> int:
        """Save that a run has begun, and return its number.

        `rubric` is its `rubric_digest`, `content` its `rubric_text`, "" if that is unknown.
        """
        variant = candidate.variant
        with self.writing() as connection:
            rubric_number = _insert_rubric(connection, content) if content else None
            columns = "blueprint, prompt, source, suffix, temperature, began, state, rubric, process, rubric_content"
            of = (*astuple(place), stored_source(candidate.source), variant.suffix, variant.temperature, timestamp())
            return insert(connection, "run", columns, (*of, RunState.RUNNING, rubric, os.getpid(), rubric_number))

    def save_partial_answer(self, number: int, text: str) -> None:
        """Save what has arrived so far of an answer that is still streaming."""
        with self.writing() as connection:
            connection.execute("UPDATE run SET arrived = ? WHERE id = ?", (text, number))

    def save_run_answer(self, number: int, place: PromptPlace, candidate: Candidate, response: Response) -> None:
        """Save the answer of a run, whole or as far as it came."""
        with self.writing() as connection:
            response_number = insert_response(connection, place, candidate.key, response)
            connection.execute("UPDATE run SET response = ?, arrived = NULL WHERE id = ?", (response_number, number))
            _set_stop(connection, number, response.stop)

    def save_run_judgement(self, number: int, judgement: Judgement) -> None:
        """Save a judgement as one of this run; another run may have it too."""
        with self.writing() as connection:
            reply = insert_judgement(connection, judgement)
            connection.execute("INSERT OR IGNORE INTO run_judge_reply (run, reply) VALUES (?, ?)", (number, reply))

    def save_run_score(self, number: int, explanation: Explanation, response: Response | None = None) -> None:
        """Save the score and headline of a run that goes on."""
        with self.writing() as connection:
            _set_score(connection, number, explanation, response)

    def end_run(
        self,
        number: int,
        state: RunState,
        *,
        explanation: Explanation | None = None,
        response: Response | None = None,
        error_message: str = "",
        stop: Stop | None = None,
    ) -> None:
        """Save how a run ended, with its score and headline; `stop` is why its answer ended, given where the answer
        itself is not saved."""
        with self.writing() as connection:
            if explanation is not None:
                _set_score(connection, number, explanation, response)
            if stop is not None:
                _set_stop(connection, number, stop)
            connection.execute(
                "UPDATE run SET state = ?, ended = ?, words = ?, process = NULL WHERE id = ?",
                (state, timestamp(), error_message, number),
            )

    def past_runs(self, place: PromptPlace, limit: int = -1) -> PastRuns:
        """The runs of a prompt, the newest first: all of them, or at most `limit`."""
        self._mark_interrupted()
        rows = self.rows(
            f"SELECT {PAST_COLUMNS} FROM run WHERE blueprint = ? AND prompt = ? ORDER BY id DESC LIMIT ?",
            (*astuple(place), limit),
        )
        total = self.row("SELECT count(*) FROM run WHERE blueprint = ? AND prompt = ?", astuple(place))
        return PastRuns(rows, total[0])

    def run_with_answer(self, place: PromptPlace, subject: str) -> PastRun | None:
        """The newest run of a prompt whose answer has this `text_digest`; None without one. Blocks."""
        answers = self.rows(
            "SELECT run.id, subject FROM run JOIN response ON response.id = run.response"
            " WHERE run.blueprint = ? AND run.prompt = ? ORDER BY run.id DESC",
            astuple(place),
        )
        found = next((number for number, text in answers if text_digest(text) == subject), None)
        rows = self.rows(f"SELECT {PAST_COLUMNS} FROM run WHERE id = ?", (found,))
        return next(iter(PastRuns(rows, len(rows))), None)

    def last_scored_runs(self, blueprint: str) -> dict[tuple[str, str], PastRun]:
        """The newest run with a score of each prompt and candidate of a blueprint, by its absolute path.

        The keys are those of the prompt (`PromptPlace.prompt`) and of the candidate. Blocks.
        """
        newest = "SELECT max(id) FROM run WHERE blueprint = ? AND low IS NOT NULL GROUP BY prompt, source, suffix"
        return self._runs_of_file(newest, blueprint)

    def last_failed_runs(self, blueprint: str) -> dict[tuple[str, str], PastRun]:
        """The newest run of each prompt and candidate that was never scored, if it failed; keys as above. Blocks."""
        newest = (
            "SELECT max(id) FROM run WHERE blueprint = ? GROUP BY prompt, source, suffix"
            " HAVING max(low) IS NULL AND max(CASE WHEN state = 'failed' THEN id END) = max(id)"
        )
        return self._runs_of_file(newest, blueprint)

    def _runs_of_file(self, numbers: str, blueprint: str) -> dict[tuple[str, str], PastRun]:
        """The runs that the query `numbers` selects for a blueprint, by prompt and candidate."""
        rows = self.rows(f"SELECT prompt, {PAST_COLUMNS} FROM run WHERE id IN ({numbers})", (blueprint,))
        runs = PastRuns([row[1:] for row in rows], len(rows))
        return {(row[0], past.candidate.key): past for row, past in zip(rows, runs, strict=True)}

    def past_response(self, number: int) -> Response | None:
        """The answer of a run, as far as it came; None if nothing arrived."""
        row = self.row(f"SELECT {COLUMNS} FROM response WHERE id = (SELECT response FROM run WHERE id = ?)", (number,))
        if row is not None:
            return response_in(row)
        arrived = self.row("SELECT arrived FROM run WHERE id = ?", (number,))
        return Response(arrived[0], (), complete=False) if arrived and arrived[0] else None

    def past_rubric(self, number: int) -> str:
        """The `rubric_text` of a run, "" if it was not saved."""
        row = self.row("SELECT content FROM rubric WHERE id = (SELECT rubric_content FROM run WHERE id = ?)", (number,))
        return "" if row is None else row[0]

    def judgements_on(self, place: PromptPlace | None, subject: str, keys: Collection[str]) -> tuple[Judgement, ...]:
        """The judgements in runs of a prompt with exactly this answer, and those with one of these `keys`, the oldest
        first; the latter alone where `place` is None."""
        return self._judgements(
            "SELECT key, judgement FROM judge_reply WHERE id IN (SELECT reply FROM run_judge_reply"
            " JOIN run ON run.id = run JOIN response ON response.id = run.response"
            " WHERE run.blueprint = ? AND run.prompt = ? AND response.subject = ?"
            " UNION SELECT id FROM judge_reply WHERE key IN (SELECT value FROM json_each(?))) ORDER BY id",
            (*(("", "") if place is None else astuple(place)), subject, json.dumps(list(keys))),
        )

    def past_judgements(self, number: int) -> tuple[Judgement, ...]:
        """The judgements of a run, in their order."""
        return self._judgements(
            "SELECT key, judgement FROM run_judge_reply JOIN judge_reply ON judge_reply.id = reply WHERE run = ?"
            " ORDER BY run_judge_reply.rowid",
            (number,),
        )

    def _mark_interrupted(self) -> None:
        """Mark the runs of programs that have ended as interrupted, also of an earlier program with our process id."""
        running = self.rows("SELECT DISTINCT process FROM run WHERE process IS NOT NULL")
        ours = os.getpid()
        gone = [(process, timestamp()) for (process,) in running if process != ours and not _is_running(process)]
        if ours in {process for (process,) in running}:
            gone.append((ours, _STARTED))
        if gone:
            with self.writing() as connection:
                connection.executemany(
                    "UPDATE run SET state = ?, process = NULL WHERE process = ? AND began < ?",
                    [(RunState.INTERRUPTED, *each) for each in gone],
                )


def _set_score(
    connection: sqlite3.Connection, number: int, explanation: Explanation, response: Response | None
) -> None:
    head = headline(explanation, response)
    remarks = remarks_text(head)
    connection.execute(
        "UPDATE run SET score = ?, low = ?, high = ?, judged = ?, points = ?, remarks = ? WHERE id = ?",
        (explanation.score, head.bounds.low, head.bounds.high, head.judged, head.points, remarks, number),
    )


def _set_stop(connection: sqlite3.Connection, number: int, stop: Stop | None) -> None:
    connection.execute("UPDATE run SET stop_reason = ?, stop_word = ? WHERE id = ?", (*stop_columns(stop), number))


def _is_running(process: int) -> bool:
    """Whether a process with this id runs on this machine."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # another user's process
    return True


def _insert_rubric(connection: sqlite3.Connection, content: str) -> int:
    """Insert a rubric unless it is there already; its number."""
    key = text_digest(content)
    connection.execute(
        "INSERT INTO rubric (digest, content) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING", (key, content)
    )
    (number,) = connection.execute("SELECT id FROM rubric WHERE digest = ?", (key,)).fetchone()
    return number
