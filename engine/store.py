"""Responses, grades and what judges said, kept in SQLite as they arrive. Secrets never enter.

A grade belongs to a criterion *and* to the text that was graded: it is found again for the same answer to the same
prompt, after a restart and after the rubric around it changed. What a judge said is found again for the same question
to the same model, whichever blueprint asks.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Block, Prompt, Role
from engine.evaluation.events import Response, ThreadTurn
from engine.places import data_dir
from engine.providers.chat import Usage
from engine.scoring.assessment import Criterion, Grade

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement

_RESPONSES_AND_GRADES = """
CREATE TABLE response (
    id INTEGER PRIMARY KEY,
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    source TEXT NOT NULL,
    subject TEXT NOT NULL,
    thread TEXT NOT NULL,
    model TEXT,
    seconds REAL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cut_off INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    created TEXT NOT NULL
) STRICT;
CREATE INDEX response_by_place ON response (blueprint, prompt, source, id);
CREATE TABLE judgement (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    block TEXT NOT NULL,
    criterion TEXT NOT NULL,
    judge TEXT NOT NULL,
    classification TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (blueprint, prompt, subject_digest, block, criterion, judge)
) STRICT;
"""
_WHAT_JUDGES_SAID = """
CREATE TABLE verdict (
    key TEXT PRIMARY KEY,
    judgement TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
"""
_STEPS = (_RESPONSES_AND_GRADES, _WHAT_JUDGES_SAID)
"""The schema, step by step. A database has as many of them as its `user_version` says."""

HUMAN = "human"
"""The judge under whose name the author's own grades are kept."""


class StoreUnavailable(Exception):
    """The database cannot be opened or written: nothing is kept until that is mended. The message is for authors."""


@dataclass(frozen=True, slots=True)
class PromptPlace:
    """Where responses and grades of a prompt are kept: the blueprint's path and the prompt's key."""

    blueprint: str
    prompt: str

    @classmethod
    def of(cls, path: Path | None, prompt: Prompt) -> PromptPlace:
        """The place of `prompt` in the file at `path`.

        A prompt without a written id is known by its messages, since its hash id changes with every edit of the rubric.
        """
        key = prompt.id
        if not prompt.id_written:
            said = json.dumps([[message.role, message.content] for message in prompt.messages])
            key = "messages-" + hashlib.sha256(said.encode()).hexdigest()[:16]
        return cls("" if path is None else str(path.absolute()), key)


class Store:
    """One database file. Safe to use from several threads; every change is on disk when the call returns."""

    def __init__(self, path: Path | None = None) -> None:
        """Opens or creates the database. Raises `StoreUnavailable`."""
        self._path = path or data_dir() / "studio.sqlite3"
        self._lock = threading.Lock()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None, timeout=5)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._migrate()
        except (OSError, sqlite3.Error) as error:
            raise StoreUnavailable(f"Answers and grades cannot be kept in {self._path}: {error}.") from error

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()

    def save_response(self, place: PromptPlace, source: str, response: Response) -> int:
        """Keep a response under the key of its source; its number."""
        thread = [[turn.role, turn.content, turn.generated] for turn in response.thread]
        with self._writing() as connection:
            cursor = connection.execute(
                "INSERT INTO response (blueprint, prompt, source, subject, thread, model, seconds, input_tokens,"
                " output_tokens, cut_off, complete, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    place.blueprint,
                    place.prompt,
                    source,
                    _storable(response.subject),
                    json.dumps(thread),
                    response.model,
                    response.seconds,
                    response.usage.input_tokens,
                    response.usage.output_tokens,
                    response.cut_off,
                    response.complete,
                    _now(),
                ),
            )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def latest_response(self, place: PromptPlace, source: str) -> Response | None:
        """The newest response kept for this prompt and source, None where there is none."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT subject, thread, model, seconds, input_tokens, output_tokens, cut_off, complete FROM response"
                " WHERE blueprint = ? AND prompt = ? AND source = ? ORDER BY id DESC LIMIT 1",
                (place.blueprint, place.prompt, source),
            ).fetchone()
        if row is None:
            return None
        subject, thread, model, seconds, input_tokens, output_tokens, cut_off, complete = row
        return Response(
            subject=subject,
            thread=tuple(ThreadTurn(Role(role), content, generated) for role, content, generated in json.loads(thread)),
            model=model,
            seconds=seconds,
            usage=Usage(input_tokens, output_tokens),
            cut_off=bool(cut_off),
            complete=bool(complete),
        )

    def grade(self, place: PromptPlace, subject: str, criterion: Criterion, grade: Grade | None) -> None:
        """Keep the author's grade of one criterion for the answer `subject`; None takes it back."""
        key = (place.blueprint, place.prompt, _digest(subject), criterion.block, _storable(criterion.text), HUMAN)
        with self._writing() as connection:
            if grade is None:
                connection.execute(
                    "DELETE FROM judgement WHERE blueprint = ? AND prompt = ? AND subject_digest = ? AND block = ?"
                    " AND criterion = ? AND judge = ?",
                    key,
                )
            else:
                connection.execute(
                    "INSERT OR REPLACE INTO judgement (blueprint, prompt, subject_digest, block, criterion, judge,"
                    " classification, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (*key, grade, _now()),
                )

    def grades(self, place: PromptPlace, subject: str) -> Mapping[Criterion, Grade]:
        """The author's grades of the answer `subject` to this prompt."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT block, criterion, classification FROM judgement"
                " WHERE blueprint = ? AND prompt = ? AND subject_digest = ? AND judge = ?",
                (place.blueprint, place.prompt, _digest(subject), HUMAN),
            ).fetchall()
        return {Criterion(Block(block), text): Grade(classification) for block, text, classification in rows}

    def keep_judgement(self, judgement: Judgement) -> None:
        """Keep what a judge said, request and reply word for word. One without a verdict is not kept: it is asked anew.

        No request holds a key: those are added when it is sent.
        """
        from engine.judging.keeping import judgement_text  # here, as judging is loaded only by runs with judges

        if judgement.verdict is None:
            return
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO verdict (key, judgement, created) VALUES (?, ?, ?)",
                (judgement.key, judgement_text(judgement), _now()),
            )

    def judgement(self, key: str) -> Judgement | None:
        """What was kept under a `judgement_key`, None where there is nothing that this version can read."""
        from engine.judging.keeping import judgement_of

        with self._reading() as connection:
            row = connection.execute("SELECT judgement FROM verdict WHERE key = ?", (key,)).fetchone()
        return None if row is None else judgement_of(row[0])

    def _migrate(self) -> None:
        if self._version() > len(_STEPS):
            raise StoreUnavailable(f"{self._path} was written by a newer version of the studio. Update this one.")
        if self._version() == len(_STEPS):
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            for step in _STEPS[self._version() :]:  # asked again: another studio may have been at it meanwhile
                for statement in filter(str.strip, step.split(";")):
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {len(_STEPS)}")
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _version(self) -> int:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        return version

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise StoreUnavailable(f"{self._path} cannot be read: {error}.") from error

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise StoreUnavailable(f"{self._path} cannot be written: {error}.") from error


def _digest(subject: str) -> str:
    return hashlib.sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()


def _storable(text: str) -> str:
    """SQLite takes no lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
