"""Runs, saved while they run, and read as the history: headlines, answers, judgements, and the rubrics as text."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, overload

from msgspec.structs import astuple

from engine.blueprint import ABSENT, Header, Path, Point, Prompt, Rubric
from engine.blueprint.conversation import Standing, Stop, ThreadTurn, Variant
from engine.evaluation.events import Response
from engine.evaluation.headline import Headline, Remark, headline, in_order
from engine.evaluation.sources import Candidate
from engine.parsing import parse
from engine.scoring.assessment import Bounds, Criterion
from engine.scoring.explanation import Explanation
from engine.store.database import PromptPlace, insert, timestamp
from engine.store.stored_answers import (
    COLUMNS,
    Answers,
    insert_response,
    response_in,
    restored_source,
    stop_columns,
    stored_source,
    stored_stop,
)
from engine.text.record import Record, replace, short_digest, text_digest

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement


class RunState(StrEnum):
    """How far a run came. A run is interrupted if its program ended while it was running."""

    RUNNING = "running"
    SCORED = "scored"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class PastRun(Record):
    """One earlier run of a prompt.

    `number` grows with time. `score` is 0–1, None if nothing was scored; `bounds` are the lowest and highest score that
    were possible then. `judged` of the `points` were judged, None if that was not saved; `remarks` are the headline's
    other counts. `rubric` is the `rubric_digest` at the time, "" if unknown. `answered` is whether any of its answer is
    saved. `stop` is why its answer ended, None if unknown.
    """

    number: int
    candidate: Candidate
    began: datetime
    state: RunState
    ended: datetime | None = None
    score: float | None = None
    bounds: Bounds | None = None
    rubric: str = ""
    error_message: str = ""
    answered: bool = False
    stop: Stop | None = None
    judged: int | None = None
    points: int | None = None
    remarks: tuple[tuple[Remark, int], ...] = ()
    failed_judges: tuple[str, ...] = ()

    @property
    def withheld(self) -> bool:
        """Whether a filter of the provider withheld its answer."""
        return self.stop is not None and self.stop.is_withheld

    @property
    def cut(self) -> bool:
        """Whether its answer was cut short."""
        return self.stop is not None and self.stop.reason.standing is Standing.CUT

    @property
    def headline(self) -> Headline | None:
        """The score as it was shown then; None if it is unknown, or there was nothing to score."""
        if self.bounds is None:
            return None
        headline = Headline(self.bounds, self.judged, self.points, self.remarks, self.score, self.failed_judges)
        return headline if headline.is_scored else None


PAST_COLUMNS = (
    "id, source, suffix, temperature, began, state, ended, score, low, high, rubric, words,"
    " response IS NOT NULL OR arrived IS NOT NULL, stop_reason, stop_word, judged, points, remarks"
)
_NAMES = "judges"
_SOURCE, _SUFFIX, _SCORE, _REMARKS = 1, 2, 7, 17


class Scores(Record):
    """The scores of one candidate to compare, 0–1, the earliest first, and its newest run that has one."""

    newest: PastRun
    scores: tuple[float, ...]


class PastRuns(Sequence[PastRun]):
    """Runs of one prompt, the newest first. There may be very many: each `PastRun` is made on access.

    `total` is the number of all runs of the prompt; these may be only the newest.
    """

    def __init__(self, rows: Sequence[tuple[Any, ...]], total: int) -> None:
        """`rows` are of `PAST_COLUMNS`."""
        self._rows = rows
        self.total = total

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> PastRun: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PastRun]: ...
    def __getitem__(self, index: int | slice) -> PastRun | Sequence[PastRun]:
        return PastRuns(self._rows[index], self.total) if isinstance(index, slice) else _past_run(self._rows[index])

    def scores(self) -> tuple[Scores, ...]:
        """The scores of each candidate, the most recently scored candidate first.

        Runs with verdicts carried over are left out: their scores are not about the rubric that they were held against.
        """
        found: dict[tuple[str, str], list[int]] = {}
        for index, row in enumerate(self._rows):
            if row[_SCORE] is not None and Remark.CARRIED_OVER not in json.loads(row[_REMARKS]):
                found.setdefault((row[_SOURCE], row[_SUFFIX]), []).append(index)
        return tuple(
            Scores(self[indexes[0]], tuple(self._rows[index][_SCORE] for index in reversed(indexes)))
            for indexes in found.values()
        )


def _past_run(row: Sequence[Any]) -> PastRun:
    number, source, suffix, temperature, began, state, ended, score, low, high, rubric, words, answered, *rest = row
    stop_reason, stop_word, judged, points, remarks = rest
    return PastRun(
        number,
        Candidate(restored_source(source), Variant(temperature=temperature, suffix=suffix)),
        datetime.fromisoformat(began),
        RunState(state),
        None if ended is None else datetime.fromisoformat(ended),
        score,
        None if low is None else Bounds(low, high),
        rubric,
        words,
        bool(answered),
        stored_stop(stop_reason, stop_word),
        judged,
        points,
        *_remarks(remarks),
    )


def remarks_text(headline: Headline) -> str:
    """The remarks of a headline as one column: their counts, and the names of judges that failed."""
    return json.dumps(
        {**dict(headline.remarks), **({_NAMES: headline.failed_judges} if headline.failed_judges else {})}
    )


def _remarks(text: str) -> tuple[tuple[tuple[Remark, int], ...], tuple[str, ...]]:
    """What `remarks_text` wrote; remarks that this version does not know are skipped."""
    counts = json.loads(text)
    return in_order({remark: counts[remark] for remark in Remark if remark in counts}), tuple(counts.get(_NAMES, ()))


def rubric_digest(prompt: Prompt) -> str:
    """16 hex digits for a prompt's rubric, which stay the same as long as every score stays the same."""
    blocks = [[rubric.block.value, _entries(rubric, _point)] for rubric in prompt.rubrics]
    return short_digest(json.dumps(blocks, default=str))


def _entries(rubric: Rubric, write: Callable[[Point], object]) -> list[object]:
    """The points of a block as `write` has each, those of a path in a list."""
    return [
        [write(point) for point in entry.points] if isinstance(entry, Path) else write(entry)
        for entry in rubric.entries
    ]


def _point(point: Point) -> object:
    call = point.function
    return {"text": point.text, "call": None if call is None else [call.name, call.args], "weight": point.multiplier}


_OF_HEADER = ("description", "evaluationConfig", "useExperimentalScale")
"""What judges see of the header, and who they are. Models and services are left out: they may hold keys."""


def rubric_text(header: Header | None, prompt: Prompt) -> str:
    """The messages, ideal and rubric of `prompt` with what judges see of `header`; "" if it cannot be read whole."""
    if prompt.is_cut_off:
        return ""
    fields = {} if header is None else {key: header.fields[key] for key in _OF_HEADER if key in header.fields}
    written: dict[str, Any] = {
        "id": prompt.id,
        "messages": [{"role": each.role.value, "content": each.content} for each in prompt.messages],
        **({} if prompt.ideal is None else {"ideal": prompt.ideal}),
        **{rubric.block.value: _entries(rubric, _written_point) for rubric in prompt.rubrics},
    }
    try:
        return json.dumps({**fields, "prompts": [written]}, ensure_ascii=False)
    except (TypeError, ValueError):  # an argument that JSON has no form for, such as a date
        return ""


def stored_rubric(text: str) -> tuple[Header, Prompt] | None:
    """The header and the prompt of a text that `rubric_text` wrote; None if this version cannot read it."""
    blueprint = parse(text, FilePath("rubric.json")).blueprint
    return (blueprint.header, blueprint.prompts[0]) if len(blueprint.prompts) == 1 else None


def _written_point(point: Point) -> dict[str, Any]:
    more: dict[str, Any] = {} if point.multiplier == 1 else {"multiplier": point.multiplier}
    if point.citation is not None:
        more["citation"] = point.citation
    if point.function is None:
        return {"text": point.text, **more}
    arg = {} if point.function.args is ABSENT else {"arg": point.function.args}
    return {"fn": point.function.name, **arg, **more}


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


class RunRecords(Answers):
    """Runs by the prompt that was run, and judgements by key: all stay for the runs that refer to them."""

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
