"""One SQLite file that several threads and several studios use at once, with errors worded for authors.

The `user_version` of a database is the number of the files in `migrations` that it has taken.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import threading
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from engine.blueprint import Prompt
from engine.digests import short_data_digest
from engine.own_files import Identity, identity, is_unusable, keep_private, make_private_folder, reason, set_aside
from engine.places import data_dir
from engine.record import Record
from engine.regular_files import check_regular

UNNAMED = "messages-"
"""The beginning of keys of prompts without a written id."""


class PromptPlace(Record):
    """What runs, responses and grades of a prompt are saved under: the blueprint's path and the prompt's key."""

    blueprint: str
    prompt: str

    @classmethod
    def of(cls, path: Path | None, prompt: Prompt) -> PromptPlace:
        """The place of `prompt` in the file at `path`.

        A prompt without a written id is identified by its messages: its hash id changes with every edit of the rubric.
        """
        key = prompt.id
        if not prompt.id_written:
            key = UNNAMED + short_data_digest([[message.role, message.content] for message in prompt.messages])
        return cls("" if path is None else str(path.absolute()), key)


def place_key(place: PromptPlace) -> tuple[str, str]:
    """The values of the columns `blueprint` and `prompt`."""
    return storable(place.blueprint), storable(place.prompt)


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
_JUDGEMENTS = """
CREATE TABLE verdict (
    key TEXT PRIMARY KEY,
    judgement TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
"""
_SERVICE_REPLIES = """
CREATE TABLE service_answer (
    key TEXT PRIMARY KEY,
    answer TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
"""
_ANSWERS_BY_REQUEST = """
CREATE TABLE answer (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    stop_reason TEXT NOT NULL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    model TEXT,
    created TEXT NOT NULL
) STRICT;
"""
# Answers from before runs were saved become runs with an unknown score. Only those of models and authors were saved.
_RUNS = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    source TEXT NOT NULL,
    suffix TEXT NOT NULL,
    temperature REAL,
    began TEXT NOT NULL,
    state TEXT NOT NULL,
    ended TEXT,
    score REAL,
    low REAL,
    high REAL,
    rubric TEXT NOT NULL,
    words TEXT NOT NULL DEFAULT '',
    arrived TEXT,
    response INTEGER REFERENCES response (id),
    process INTEGER
) STRICT;
CREATE INDEX run_by_place ON run (blueprint, prompt, id);
CREATE INDEX run_under_way ON run (process) WHERE process IS NOT NULL;
CREATE TABLE run_verdict (
    run INTEGER NOT NULL REFERENCES run (id),
    key TEXT NOT NULL,
    PRIMARY KEY (run, key)
) STRICT;
INSERT INTO run (blueprint, prompt, source, suffix, began, state, ended, rubric, response)
    SELECT blueprint, prompt,
        CASE source WHEN 'response' THEN json_array(source, '', NULL) ELSE json_array('model', source, NULL) END,
        '', created, CASE complete WHEN 1 THEN 'scored' ELSE 'stopped' END, created, '', id
    FROM response ORDER BY id;
"""
# A judge may reply differently to the same prompt: each run refers to its own replies, not to the newest of the key.
_EVERY_JUDGEMENT = """
CREATE TABLE judge_reply (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    judgement TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
CREATE INDEX judge_reply_by_key ON judge_reply (key, id);
INSERT INTO judge_reply (key, judgement, created) SELECT key, judgement, created FROM verdict ORDER BY created;
CREATE TABLE run_judge_reply (
    run INTEGER NOT NULL REFERENCES run (id),
    reply INTEGER NOT NULL REFERENCES judge_reply (id),
    PRIMARY KEY (run, reply)
) STRICT;
INSERT INTO run_judge_reply (run, reply)
    SELECT run_verdict.run, judge_reply.id FROM run_verdict JOIN judge_reply USING (key) ORDER BY run_verdict.rowid;
DROP TABLE run_verdict;
DROP TABLE verdict;
"""
# Earlier versions saved only whether an answer was cut off, not why it ended. They did not tell a refusal from an
# answer that a filter withheld, so those answers are requested again.
_STOP_REASONS = """
ALTER TABLE response ADD COLUMN stop_reason TEXT;
ALTER TABLE response ADD COLUMN stop_word TEXT;
UPDATE response SET stop_reason = 'length' WHERE cut_off = 1;
ALTER TABLE response DROP COLUMN cut_off;
ALTER TABLE answer ADD COLUMN stop_word TEXT NOT NULL DEFAULT '';
DELETE FROM answer WHERE stop_reason = 'refused';
ALTER TABLE run ADD COLUMN stop_reason TEXT;
ALTER TABLE run ADD COLUMN stop_word TEXT;
UPDATE run SET stop_reason = 'length' WHERE response IN (SELECT id FROM response WHERE stop_reason = 'length');
"""
_IGNORED_SETTINGS = """
ALTER TABLE answer ADD COLUMN ignored TEXT NOT NULL DEFAULT '';
ALTER TABLE response ADD COLUMN ignored TEXT NOT NULL DEFAULT '';
ALTER TABLE response ADD COLUMN token_limit INTEGER;
"""
# What a headline shows beside the score: the number of judged points, the number of points, and counted remarks.
_HEADLINES = """
ALTER TABLE run ADD COLUMN judged INTEGER;
ALTER TABLE run ADD COLUMN points INTEGER;
ALTER TABLE run ADD COLUMN remarks TEXT NOT NULL DEFAULT '{}';
"""
# Samples of judged pairs, and what people graded without seeing the verdicts.
_BLIND_GRADES = """
CREATE TABLE grading_sample (
    id INTEGER PRIMARY KEY,
    blueprint TEXT NOT NULL,
    seed INTEGER NOT NULL,
    judged INTEGER NOT NULL,
    created TEXT NOT NULL
) STRICT;
CREATE INDEX grading_sample_by_blueprint ON grading_sample (blueprint, id);
CREATE TABLE grading_pair (
    sample INTEGER NOT NULL REFERENCES grading_sample (id),
    position INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    block TEXT NOT NULL,
    criterion TEXT NOT NULL,
    PRIMARY KEY (sample, position)
) STRICT;
CREATE TABLE blind_grade (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    block TEXT NOT NULL,
    criterion TEXT NOT NULL,
    grader TEXT NOT NULL,
    classification TEXT,
    note TEXT NOT NULL DEFAULT '',
    created TEXT NOT NULL,
    PRIMARY KEY (blueprint, prompt, subject_digest, block, criterion, grader)
) STRICT;
"""
# The rubric that scored a run, once for all runs with the same one (`engine.store.run_history`).
_RUBRICS = """
CREATE TABLE rubric (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL
) STRICT;
ALTER TABLE run ADD COLUMN rubric_content INTEGER REFERENCES rubric (id);
"""
_LINEAGES = """
CREATE TABLE lineage (
    id INTEGER PRIMARY KEY,
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    block TEXT NOT NULL
) STRICT;
CREATE INDEX lineage_by_place ON lineage (blueprint, prompt);
CREATE TABLE wording (
    id INTEGER PRIMARY KEY,
    lineage INTEGER NOT NULL REFERENCES lineage (id),
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    subject TEXT NOT NULL,
    indent INTEGER NOT NULL,
    is_check INTEGER NOT NULL,
    used INTEGER NOT NULL,
    UNIQUE (lineage, name)
) STRICT;
CREATE TABLE wording_verdict (
    wording INTEGER NOT NULL REFERENCES wording (id),
    subject_digest TEXT NOT NULL,
    judge TEXT NOT NULL,
    extent REAL NOT NULL,
    reflection TEXT NOT NULL,
    context TEXT NOT NULL,
    PRIMARY KEY (wording, subject_digest, judge)
) STRICT;
CREATE TABLE criterion_answer (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    chosen INTEGER NOT NULL,
    PRIMARY KEY (blueprint, prompt, subject_digest)
) STRICT;
"""
# Answers that are saved already may have been seen: only those after `began` can be fresh.
_SHOWN_ANSWERS = """
CREATE TABLE showing_recorded (began TEXT NOT NULL) STRICT;
INSERT INTO showing_recorded (began) VALUES (strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'));
CREATE TABLE shown_answer (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    subject_digest TEXT NOT NULL,
    first TEXT NOT NULL,
    PRIMARY KEY (blueprint, prompt, subject_digest)
) STRICT;
CREATE TABLE point_wording (
    blueprint TEXT NOT NULL,
    prompt TEXT NOT NULL,
    block TEXT NOT NULL,
    name TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (blueprint, prompt, block, name)
) STRICT;
"""
# How a judge was asked belongs to its verdict: by another scale, the same judge has another one. Of earlier verdicts it
# was not recorded.
_JUDGE_FORMS = """
CREATE TABLE wording_verdict_by_form (
    wording INTEGER NOT NULL REFERENCES wording (id),
    subject_digest TEXT NOT NULL,
    judge TEXT NOT NULL,
    extent REAL NOT NULL,
    reflection TEXT NOT NULL,
    context TEXT NOT NULL,
    scale TEXT NOT NULL DEFAULT '',
    form TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (wording, subject_digest, judge, scale, form)
) STRICT;
INSERT INTO wording_verdict_by_form
    SELECT wording, subject_digest, judge, extent, reflection, context, '', '' FROM wording_verdict ORDER BY rowid;
DROP TABLE wording_verdict;
ALTER TABLE wording_verdict_by_form RENAME TO wording_verdict;
"""
# An answer is shown when a verdict on it is; it is read when its text is on the screen.
_READ_ANSWERS = "ALTER TABLE shown_answer ADD COLUMN is_read INTEGER NOT NULL DEFAULT 1;"
STEPS = (
    _RESPONSES_AND_GRADES,
    _JUDGEMENTS,
    _SERVICE_REPLIES,
    _ANSWERS_BY_REQUEST,
    _RUNS,
    _EVERY_JUDGEMENT,
    _STOP_REASONS,
    _IGNORED_SETTINGS,
    _HEADLINES,
    _BLIND_GRADES,
    _RUBRICS,
    _LINEAGES,
    _SHOWN_ANSWERS,
    _JUDGE_FORMS,
    _READ_ANSWERS,
)
"""The `user_version` of a database is the number of steps that it has taken. A published step never changes."""


class NewerDatabase(Exception):
    """The database has more steps than this version knows."""


class UnknownTables(Exception):
    """The tables are not those that the version of the database says."""


def migrate(connection: sqlite3.Connection) -> None:
    """Take the missing steps, all or none. Raises `NewerDatabase`, `UnknownTables`, `sqlite3.Error`."""
    version = _version(connection)
    if version < 0:
        raise UnknownTables
    if version > len(STEPS):
        raise NewerDatabase
    if version == len(STEPS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in STEPS[_version(connection) :]:  # read again: another studio may have migrated it meanwhile
            for statement in filter(str.strip, step.split(";")):
                _execute(connection, statement)
        connection.execute(f"PRAGMA user_version = {len(STEPS)}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _execute(connection: sqlite3.Connection, statement: str) -> None:
    """Execute one statement of a step. Raises `UnknownTables` if it does not fit the tables that are there."""
    try:
        connection.execute(statement)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            raise UnknownTables from error
        raise


def check_tables(connection: sqlite3.Connection) -> None:
    """Raise `UnknownTables` unless all tables are there with their columns. Raises `sqlite3.Error`."""
    there = _columns(connection)
    if not all(there.get(table, frozenset()) >= columns for table, columns in _expected().items()):
        raise UnknownTables


@cache
def _expected() -> dict[str, frozenset[str]]:
    """The columns of each table after all steps."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        return _columns(connection)


def _columns(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    query = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
    for table, column in connection.execute(query):
        found.setdefault(table, set()).add(column)
    return {table: frozenset(columns) for table, columns in found.items()}


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return version


_SECONDS_TO_WAIT = 5.0
"""How long to wait for another studio that holds the database, before opening or writing fails."""

_SECONDS_BETWEEN_TRIES = 0.01

_IN_MEMORY = Path(":memory:")
"""SQLite's name for a database without a file."""

_AS_JSON = "\ufdd0"


class StoreUnavailable(Exception):
    """The database cannot be opened or written: nothing is saved until that is fixed. The message is for authors."""


class Database:
    """One database file. Safe to use from several threads; every change is on disk when the call returns."""

    def __init__(self, path: Path | None = None) -> None:
        """Open or create the database. Raises `StoreUnavailable`."""
        self._path = path or data_dir() / "studio.sqlite3"
        self._lock = threading.Lock()
        try:
            if self._path != _IN_MEMORY:
                make_private_folder(self._path.parent)
            self._connection = _opened(self._path)
        except NewerDatabase as error:
            message = f"{self._path} was written by a newer version of the studio. Update this one."
            raise StoreUnavailable(message) from error
        except (OSError, sqlite3.Error) as error:
            raise StoreUnavailable(f"Answers and grades cannot be saved in {self._path}: {_reason(error)}.") from error

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """The connection, for reading. Raises `StoreUnavailable`."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise self._failure("read", error) from error

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """The connection within one transaction, committed as a whole or not at all. Raises `StoreUnavailable`."""
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
                raise self._failure("written", error) from error

    def _failure(self, done: str, error: sqlite3.Error) -> StoreUnavailable:
        """Why the database could not be read or written. A damaged one is set aside, and a new one is opened."""
        if not _is_damage(error):
            return StoreUnavailable(f"{self._path} cannot be {done}: {_reason(error)}.")
        self._connection.close()
        try:
            _set_aside(self._path, _reason(error), identity(self._path))
            self._connection = _opened(self._path)
        except (OSError, sqlite3.Error, NewerDatabase) as second:
            return StoreUnavailable(f"{self._path} is damaged, and cannot be replaced: {second}.")
        return StoreUnavailable("The last answer or grade was not saved. Later ones are saved in a new database.")


def _opened(path: Path) -> sqlite3.Connection:
    """A connection to the database at `path`. One that is damaged or not ours to read is set aside, for a new one.

    Raises `NewerDatabase`, `OSError`, `sqlite3.Error`.
    """
    seen = identity(path)
    try:
        _check_usable(path)
        return _connect(path)
    except OSError as error:
        if not is_unusable(error):
            raise
        _set_aside(path, reason(error), seen)
    except sqlite3.Error as error:
        if not _is_damage(error):
            raise
        _set_aside(path, _reason(error), seen)
    except UnknownTables:
        _set_aside(path, "its tables are not those of the studio", seen)
    return _connect(path)


def _check_usable(path: Path) -> None:
    """Raise `OSError` if the database, or a file that SQLite has beside it, is no file that may be read and written.

    It is not opened for that: closing it would release the locks that this process has on it.
    """
    for each in (path, *_companions(path)):
        if identity(each) is not None:
            check_regular(each, each.stat())
            if not os.access(each, os.R_OK | os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(each))


def _companions(path: Path) -> tuple[Path, Path]:
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")


def _set_aside(path: Path, why: str, seen: Identity) -> None:
    set_aside(path, why, seen, _companions(path))


_creating = threading.Lock()
"""A connection is opened only while no thread creates the file: closing it would release the connection's locks."""


def _make_private(path: Path) -> None:
    """Create the database if it is missing. SQLite gives the files beside it the same mode. Raises `OSError`."""
    if path == _IN_MEMORY:
        return
    with _creating:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            for each in (path, *_companions(path)):
                if identity(each) is not None:
                    _narrow(each)


def _narrow(path: Path) -> None:
    with suppress(FileNotFoundError):  # another studio has just closed the database
        keep_private(path, 0o600)


def _connect(path: Path) -> sqlite3.Connection:
    """A connection to the database at `path`, with all tables.

    Raises `NewerDatabase`, `UnknownTables`, `OSError`, `sqlite3.Error`.
    """
    _make_private(path)
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=_SECONDS_TO_WAIT)
    try:
        _log_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        migrate(connection)
        check_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Set write-ahead logging, once nobody else holds the database. Raises `sqlite3.Error`.

    The first connection to a new file writes the mode into it. SQLite does that by upgrading a read transaction, and
    never waits in an upgrade: two connections that both read would wait for each other. So a connection that finds
    another one at the same step fails at once whatever its timeout is, and tries again here.
    """
    deadline = time.monotonic() + _SECONDS_TO_WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() >= deadline:
                raise
            time.sleep(_SECONDS_BETWEEN_TRIES)
        else:
            return


def _is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection holds the database. The low byte of an extended code is its primary one."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)  # errors of Python's own module have none
    return code & 0xFF == sqlite3.SQLITE_BUSY


def _is_damage(error: sqlite3.Error) -> bool:
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _reason(error: OSError | sqlite3.Error) -> str:
    if isinstance(error, sqlite3.Error) and _is_busy(error):
        return f"another program has locked it for {_SECONDS_TO_WAIT:.0f} seconds; try again when it has finished"
    if isinstance(error, sqlite3.Error) and _is_damage(error):
        return "it is damaged, or not a database"
    return str(error)


def storable(text: str) -> str:
    """A string that SQLite can store: unchanged, or as JSON behind a mark if it has lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _AS_JSON + json.dumps(text)
    return _AS_JSON + json.dumps(text) if text.startswith(_AS_JSON) else text


def restored(stored: str) -> str:
    """The string that `storable` was given."""
    return json.loads(stored.removeprefix(_AS_JSON)) if stored.startswith(_AS_JSON) else stored


def timestamp(when: datetime | None = None) -> str:
    """A point in time (default: now) as the database has it: ISO 8601 in UTC, so that strings sort by time."""
    return (when or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="milliseconds")
