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
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from engine.blueprint import Prompt
from engine.files.atomic import check_regular
from engine.files.own_files import (
    Identity,
    data_dir,
    identity,
    is_unusable,
    keep_private,
    make_private_folder,
    reason,
    set_aside,
)
from engine.text.record import Record, short_data_digest

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


@cache
def migrations() -> tuple[Path, ...]:
    """The steps that bring a database of any earlier version up to date. A published one never changes."""
    return tuple(sorted(Path(__file__).with_name("migrations").glob("*.sql")))


class NewerDatabase(Exception):
    """The database has more steps than this version knows."""


class UnknownTables(Exception):
    """The tables are not those that the version of the database says."""


def migrate(connection: sqlite3.Connection) -> None:
    """Take the missing steps, all or none. Raises `NewerDatabase`, `UnknownTables`, `sqlite3.Error`."""
    version = _version(connection)
    if version < 0:
        raise UnknownTables
    if version > len(migrations()):
        raise NewerDatabase
    if version == len(migrations()):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in migrations()[_version(connection) :]:  # read again: another studio may have migrated it meanwhile
            for statement in filter(str.strip, step.read_text("utf-8").split(";")):
                _execute(connection, statement)
        connection.execute(f"PRAGMA user_version = {len(migrations())}")
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

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query. Raises `StoreUnavailable`."""
        with self.reading() as connection:
            return connection.execute(query, values).fetchall()

    def row(self, query: str, values: Sequence[Any] = ()) -> Any:
        """The first row of a query, None without one. Raises `StoreUnavailable`."""
        with self.reading() as connection:
            return connection.execute(query, values).fetchone()

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
    connection = sqlite3.connect(
        path, check_same_thread=False, isolation_level=None, timeout=_SECONDS_TO_WAIT, factory=_Connection
    )
    connection.text_factory = _restored
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


def _storable(value: Any) -> Any:
    """A value that SQLite can store: unchanged, or as JSON behind a mark if it is a string with lone surrogates."""
    if not isinstance(value, str):
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return _AS_JSON + json.dumps(value)
    return _AS_JSON + json.dumps(value) if value.startswith(_AS_JSON) else value


def _restored(stored: bytes) -> str:
    """The string that `_storable` was given."""
    text = stored.decode(errors="replace")
    return json.loads(text.removeprefix(_AS_JSON)) if text.startswith(_AS_JSON) else text


class _Connection(sqlite3.Connection):
    """A connection that stores and returns any string."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        return super().execute(sql, [*map(_storable, parameters)])

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        return super().executemany(sql, [[*map(_storable, each)] for each in parameters])


def timestamp(when: datetime | None = None) -> str:
    """A point in time (default: now) as the database has it: ISO 8601 in UTC, so that strings sort by time."""
    return (when or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="milliseconds")


def insert(
    connection: sqlite3.Connection, table: str, columns: str, values: Sequence[Any], *, replacing: bool = False
) -> int:
    """Insert a row, and return its number; `replacing`: in place of one with the same key."""
    verb, marks = "INSERT OR REPLACE" if replacing else "INSERT", ", ".join("?" * len(values))
    cursor = connection.execute(f"{verb} INTO {table} ({columns}) VALUES ({marks})", values)
    assert cursor.lastrowid is not None
    return cursor.lastrowid
