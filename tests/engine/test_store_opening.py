"""Several studios and threads open one database at the same instant, a new one too."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from engine.store import Store, StoreUnavailable, database
from engine.store.database import migrations
from tests.thoroughness import tried

NEW_FILES = tried(25, 100)
THREADS = 4
PROCESSES = tried(2, 4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "studio.sqlite3"


@contextmanager
def being_written(path: Path) -> Generator[sqlite3.Connection]:
    """A new database that another program is writing to."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE another_program (id INTEGER)")
        other.execute("BEGIN IMMEDIATE")
        yield other


def open_new_files(folder: Path, together: Barrier | threading.Barrier) -> None:
    for number in range(NEW_FILES):
        together.wait()
        Store(folder / f"{number}.sqlite3").close()


def versions_in(folder: Path) -> list[int]:
    versions: list[int] = []
    for number in range(NEW_FILES):
        with closing(sqlite3.connect(folder / f"{number}.sqlite3")) as connection:
            versions.append(connection.execute("PRAGMA user_version").fetchone()[0])
    return versions


def test_many_threads_open_one_new_database_at_the_same_instant(tmp_path: Path) -> None:
    together = threading.Barrier(THREADS, timeout=120)
    with ThreadPoolExecutor(THREADS) as threads:
        opened = [threads.submit(open_new_files, tmp_path, together) for _ in range(THREADS)]
    assert [future.exception() for future in opened] == [None] * THREADS
    assert versions_in(tmp_path) == [len(migrations())] * NEW_FILES


def test_several_programs_open_one_new_database_at_the_same_instant(tmp_path: Path) -> None:
    spawn = get_context("spawn")
    together = spawn.Barrier(PROCESSES, timeout=120)
    programs = [spawn.Process(target=open_new_files, args=(tmp_path, together)) for _ in range(PROCESSES)]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0] * PROCESSES
    assert versions_in(tmp_path) == [len(migrations())] * NEW_FILES


def test_opening_waits_for_a_program_that_writes_to_the_new_database(path: Path) -> None:
    with being_written(path) as other:
        end = threading.Timer(0.3, other.execute, ["COMMIT"])
        end.start()
        Store(path).close()
        end.join()


def test_opening_fails_in_words_when_a_program_does_not_let_go(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_SECONDS_TO_WAIT", 0.2)
    with being_written(path), pytest.raises(StoreUnavailable, match="another program has locked it"):
        Store(path)
