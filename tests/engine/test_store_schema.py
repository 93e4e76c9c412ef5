"""Databases of earlier and later versions, those that several open at once, and trouble told in words."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from engine.blueprint.conversation import Stop
from engine.store import PromptPlace, Store, StoreUnavailable, database
from engine.store.database import migrations
from tests.engine.short_cases import assert_says
from tests.thoroughness import tried

PLACE = PromptPlace("a.yml", "p1")
PUBLISHED = """
737a1d1063220248 50ef673c98234d6e 0f0b5f43724a047a 51101a7fe98c18bc e94a31ee2d689e89
ca45c66359b10b5a 113d9242e0d4ab5c 3e3c385d0fdecd09 f9fe2f7a26a697b9 c1938897de33d21a
ec85637b6ef6c897 318938cb265bbeee c1252db32670b0fd d65b69e812218501 7bccd37038bebc02
"""
"""Digests of the migrations: one more for each new step."""
NEW_FILES = tried(10, 100)
THREADS = 4
PROCESSES = tried(2, 4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "studio.sqlite3"


def old_database(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def told(store: Store, keys: Iterator[str]) -> Iterator[str]:
    """All that is found in a database, and the answers of these keys."""
    for run in store.past_runs(PLACE):
        kept = store.past_response(run.number)
        said = "no answer" if kept is None else f"“{kept.subject}”"
        figure = run.headline or run.score
        yield f"run {run.number}: {run.candidate.key} {run.state}, {figure}{end_of(run.stop)}: {said}"
        for each in store.past_judgements(run.number):
            yield f"  {each.judge.id} ({each.key}): {each.verdict and each.verdict.extent}, saw {each.shown}"
    for source in ("openai:m", "openai:n"):
        kept = store.latest_response(PLACE, source)
        if kept is not None:
            yield f"{source}: “{kept.subject}”{end_of(kept.stop)}, ignored {kept.ignored}, {kept.token_limit} tokens"
            yield from (f"  {each.text}: {grade}" for each, grade in store.grades(PLACE, kept.subject).items())
    for key in keys:
        answer = store.answer(key)
        end = "asked for again" if answer is None else f"“{answer.text}”{end_of(answer.end.stop)}, {answer.end.ignored}"
        yield f"answer {key}: {end}"
    for lineage in store.lineages(PLACE):
        yield from (f"wording “{each.written.name}”: {each.verdicts}" for each in lineage.wordings)
    store.mark_shown([(PLACE, "Hello.", True)])
    yield from (f"first shown: {when or 'unknown'}" for when in store.first_shown(PLACE).values())


def end_of(stop: Stop | None) -> str:
    return "" if stop is None else f", {stop.reason} {stop.word!r}"


def test_what_an_earlier_database_has_is_found_as_its_file_says(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    def say(mark: str, sql: str) -> list[str]:
        path, before = tmp_path / f"{mark}.sqlite3", migrations()[: int(mark)]
        steps = "".join(step.read_text("utf-8") for step in before)
        old_database(path, f"{steps}{sql}PRAGMA user_version = {mark};")
        with closing(Store(path)) as store, closing(sqlite3.connect(path)) as connection:
            assert version_of(path) == len(migrations())
            replies = connection.execute("SELECT key FROM judge_reply").fetchall()
            keys = (key for (key,) in connection.execute("SELECT key FROM answer").fetchall())
            return [f"judges' replies: {[key for (key,) in replies]}", *told(store, keys)]

    assert_says(Path(__file__).with_name("old_databases.txt"), say, pytestconfig)


def test_steps_are_taken_all_or_none(path: Path) -> None:
    steps = "".join(step.read_text("utf-8") for step in migrations()[:2])
    old_database(path, f"{steps}PRAGMA user_version = 1;")  # the second step finds its table there: it must fail
    with closing(Store(path)):
        [aside] = path.parent.glob("studio.sqlite3.damaged-*[0-9]")
        assert (version_of(aside), version_of(path)) == (1, len(migrations()))


def test_a_file_that_is_no_database_is_set_aside(path: Path) -> None:
    path.write_bytes(b"not a database" * 100)
    with closing(Store(path)):
        [aside] = path.parent.glob("studio.sqlite3.damaged-*[0-9]")
        assert aside.read_bytes() == b"not a database" * 100


def test_a_database_of_a_newer_version_is_left_alone(path: Path) -> None:
    old_database(path, "PRAGMA user_version = 99")
    with pytest.raises(StoreUnavailable, match="newer"):
        Store(path)
    assert version_of(path) == 99


def test_a_published_migration_never_changes() -> None:
    digests = [hashlib.sha256(step.read_bytes()).hexdigest()[:16] for step in migrations()]
    assert digests == PUBLISHED.split()


# Several at the same instant


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
