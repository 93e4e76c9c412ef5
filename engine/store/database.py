"""One SQLite file that several threads and several studios use at once, with errors worded for authors."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from engine.places import data_dir
from engine.store.migrations import NewerDatabase, migrate

_SECONDS_TO_WAIT = 5.0
"""How long to wait for another studio that holds the database, before opening or writing fails."""

_SECONDS_BETWEEN_TRIES = 0.01

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
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _connect(self._path)
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
                raise StoreUnavailable(f"{self._path} cannot be read: {_reason(error)}.") from error

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
                raise StoreUnavailable(f"{self._path} cannot be written: {_reason(error)}.") from error


def _connect(path: Path) -> sqlite3.Connection:
    """A connection to the database at `path`, with all tables. Raises `NewerDatabase`, `sqlite3.Error`."""
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=_SECONDS_TO_WAIT)
    try:
        _log_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        migrate(connection)
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


def _reason(error: OSError | sqlite3.Error) -> str:
    if isinstance(error, sqlite3.Error) and _is_busy(error):
        return f"another program has locked it for {_SECONDS_TO_WAIT:.0f} seconds; try again when it has finished"
    return str(error)


def digest(text: str) -> str:
    """The SHA-256 of a string, which may have lone surrogates, as 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


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
