"""One SQLite file, opened safely: several threads, several studios, and errors in words."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from engine.places import data_dir
from engine.store.migrations import NewerDatabase, migrate

_SECONDS_TO_WAIT = 5
"""How long another studio may be writing before that is trouble."""

_AS_JSON = "\ufdd0"


class StoreUnavailable(Exception):
    """The database cannot be opened or written: nothing is kept until that is mended. The message is for authors."""


class Database:
    """One database file. Safe to use from several threads; every change is on disk when the call returns."""

    def __init__(self, path: Path | None = None) -> None:
        """Opens or creates the database. Raises `StoreUnavailable`."""
        self._path = path or data_dir() / "studio.sqlite3"
        self._lock = threading.Lock()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self._path, check_same_thread=False, isolation_level=None, timeout=_SECONDS_TO_WAIT
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            migrate(self._connection)
        except NewerDatabase as error:
            message = f"{self._path} was written by a newer version of the studio. Update this one."
            raise StoreUnavailable(message) from error
        except (OSError, sqlite3.Error) as error:
            raise StoreUnavailable(f"Answers and grades cannot be kept in {self._path}: {error}.") from error

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """The connection, to read from. Raises `StoreUnavailable`."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise StoreUnavailable(f"{self._path} cannot be read: {error}.") from error

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """The connection within one transaction, kept whole or not at all. Raises `StoreUnavailable`."""
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


def digest(text: str) -> str:
    """64 hex digits for a text of any kind."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def storable(text: str) -> str:
    """A text as SQLite takes it: as it is, or, where it has lone surrogates, as JSON behind a mark."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _AS_JSON + json.dumps(text)
    return _AS_JSON + json.dumps(text) if text.startswith(_AS_JSON) else text


def restored(stored: str) -> str:
    """The text that `storable` made storable."""
    return json.loads(stored.removeprefix(_AS_JSON)) if stored.startswith(_AS_JSON) else stored


def moment(when: datetime | None = None) -> str:
    """A point in time, now unless given, as it stands in the database: UTC, comparable as text."""
    return (when or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="milliseconds")
