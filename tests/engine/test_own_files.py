"""Every file of our own × every kind of damage: it is set aside, reported in one line, and nothing is lost."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from engine.files import own_files, user_settings
from engine.files.own_files import CannotSetAside, read_settings_json
from engine.files.user_settings import Settings, recent_files, remember_file
from engine.models import limits
from engine.models.limits import ParameterSupport
from engine.models.prices import OwnPrices, own_prices
from engine.store import Store, StoreUnavailable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes and modes of POSIX")

KEY = "0" * 64


@dataclass(frozen=True)
class Kind:
    """One file of our own: where it is below the home, how it is used without an error, and content it can have."""

    place: str
    use: Callable[[], object]
    written: Callable[[Path], object]


def use_store() -> None:
    Store().close()


FILES = {
    "settings": Kind("config/settings.json", Settings.load, lambda _: Settings().save()),
    "look": Kind("config/settings.json", read_settings_json, lambda _: Settings().save()),
    "prices": Kind("config/settings.json", own_prices, lambda _: Settings().save()),
    "recent files": Kind("state/recent.json", recent_files, remember_file),
    "parameter support": Kind(
        "state/parameter-support.json",
        lambda: limits._memory().find(KEY),  # pyright: ignore[reportPrivateUsage]
        lambda _: limits.remember(KEY, ParameterSupport(frozenset({"seed"}))),
    ),
    "database": Kind("data/studio.sqlite3", use_store, lambda _: use_store()),
}


def with_content(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a folder with a file": lambda path: (path.mkdir(), (path / "x").touch()),
    "a named pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a loop of links": lambda path: path.symlink_to(path),
    "200,000 brackets": with_content(b"[" * 200_000),
    "200,000 braces": with_content(b'{"a":' * 200_000),
    "half a file": with_content(b'{"theme": "studio-da'),
    "no UTF-8": with_content(b'{"theme": "\xff\xfe"}'),
    "bytes of zero": with_content(b"\0" * 4096),
    "a list where a mapping belongs": with_content(b"[1, 2, 3]"),
    "a number": with_content(b"17"),
    "null": with_content(b"null"),
    "a number of 10,000 digits": with_content(b'{"ask_above": ' + b"9" * 10_000 + b"}"),
}

files = pytest.mark.parametrize("kind", FILES.values(), ids=FILES)
damage = pytest.mark.parametrize("make", DAMAGE.values(), ids=DAMAGE)


def damaged(home: Path, kind: Kind, make: Callable[[Path], object]) -> Path:
    path = home / kind.place
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    return path


def aside(path: Path) -> list[Path]:
    return [each for each in path.parent.iterdir() if each.name.startswith(f"{path.name}.damaged-")]


@files
@damage
def test_a_damaged_file_is_set_aside_and_reported_once(
    clean_environment: Path, reports: list[str], kind: Kind, make: Callable[[Path], object]
) -> None:
    path = damaged(clean_environment, kind, make)
    before = path.lstat().st_ino
    kind.use()
    kind.use()
    assert [each.lstat().st_ino for each in aside(path)] == [before]
    assert len(reports) == 1
    assert str(path) in reports[0]
    assert "\n" not in reports[0]
    assert aside(path)[0].name in reports[0]


@files
@damage
def test_a_file_damaged_meanwhile_is_never_overwritten(
    clean_environment: Path, kind: Kind, make: Callable[[Path], object]
) -> None:
    path = damaged(clean_environment, kind, make)
    before = path.lstat().st_ino
    kind.written(clean_environment / "a.yml")
    assert before in [each.lstat().st_ino for each in aside(path)]
    assert path.is_file()


@files
def test_a_file_is_private_in_private_folders_from_its_creation(clean_environment: Path, kind: Kind) -> None:
    before = os.umask(0)
    try:
        kind.written(clean_environment / "a.yml")
    finally:
        os.umask(before)
    path = clean_environment / kind.place
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@files
def test_wider_modes_of_an_earlier_version_are_narrowed(clean_environment: Path, kind: Kind) -> None:
    path = clean_environment / kind.place
    kind.written(clean_environment / "a.yml")
    path.chmod(0o644)
    path.parent.chmod(0o755)
    kind.written(clean_environment / "a.yml")
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent)] == [0o600, 0o700]


@pytest.mark.parametrize(
    "wrong",
    [
        {"consented": "everyone"},
        {"consented": [1]},
        {"answers": {"a": {"kind": 7}}},
        {"answers": []},
        {"wrap": "perhaps"},
        {"ask_above": float("nan")},
        {"ask_above": float("inf")},
        {"cap": {"dollars": float("nan")}},
        {"theme": "\ud800"},
        {"unknown": "\udcff"},
        {"max_tokens": 1.5},
    ],
    ids=str,
)
def test_settings_of_wrong_types_are_set_aside_whole(
    clean_environment: Path, reports: list[str], wrong: dict[str, object]
) -> None:
    path = damaged(clean_environment, FILES["settings"], with_content(json.dumps(wrong).encode()))
    settings = Settings.load()
    assert settings == Settings()
    settings.save()
    assert json.loads(aside(path)[0].read_bytes()).keys() == wrong.keys()
    assert len(reports) == 1


def test_consents_of_a_file_that_became_damaged_stay_beside_the_new_one(clean_environment: Path) -> None:
    settings = Settings(consented=["a"])
    settings.save()
    path = clean_environment / "config/settings.json"
    path.write_bytes(path.read_bytes()[:-3])
    settings.save()
    assert Settings.load().consented == ["a"]
    assert b'"consented"' in aside(path)[0].read_bytes()


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "\ud800", ""])
def test_odd_names_among_the_recent_files_are_skipped(clean_environment: Path, name: str) -> None:
    damaged(clean_environment, FILES["recent files"], with_content(json.dumps([name]).encode()))
    assert recent_files() == []


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2026-13-01", "yesterday", "", 7, None])
def test_odd_dates_are_skipped(clean_environment: Path, day: object) -> None:
    entry = {"format": 1, "models": {KEY: {"dropped": ["seed"], "renamed": [], "day": day}}}
    damaged(clean_environment, FILES["parameter support"], with_content(json.dumps(entry).encode()))
    assert FILES["parameter support"].use() is None


def test_a_file_that_cannot_be_set_aside_is_never_overwritten(
    clean_environment: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    path = damaged(clean_environment, FILES["settings"], with_content(b"{ half"))
    monkeypatch.setattr(Path, "rename", refuse)
    assert Settings.load() == Settings()
    with pytest.raises(CannotSetAside):
        Settings().save()
    assert path.read_bytes() == b"{ half"
    assert len(reports) == 1


def test_a_file_that_another_studio_has_replaced_is_not_set_aside(clean_environment: Path) -> None:
    path = damaged(clean_environment, FILES["settings"], with_content(b"{ half"))
    seen = own_files.identity(path)
    path.rename(path.with_name("earlier"))
    Settings().save()
    own_files.set_aside(path, "it is damaged", seen)
    assert aside(path) == []


AS_ANOTHER_USER = """
import os, sys
from pathlib import Path
from engine.files.own_files import listen
from engine.files.user_settings import Settings
from engine.files.user_settings import recent_files
from engine.store import Store, StoreUnavailable
home = Path(os.environ["BLUEPRINT_STUDIO_HOME"])
for folder in [home, *home.iterdir()]:
    os.chown(folder, 65534, 65534)
os.setgid(65534); os.setuid(65534)
listen(print)
Settings.load().save(); recent_files(); Store().close()
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give up its rights")
def test_files_that_only_root_can_read_are_set_aside() -> None:
    places = ["config/settings.json", "state/recent.json", "data/studio.sqlite3"]
    with TemporaryDirectory() as home:
        for place in places:
            path = Path(home, place)
            path.parent.mkdir()
            path.touch(0o600)
        done = subprocess.run(
            [sys.executable, "-c", AS_ANOTHER_USER],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "BLUEPRINT_STUDIO_HOME": home},
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert [len(aside(Path(home, place))) for place in places] == [1, 1, 1]
        assert done.stdout.count("no permission") == len(places)


def test_no_prices_of_a_damaged_file_apply(clean_environment: Path) -> None:
    damaged(clean_environment, FILES["prices"], with_content(b"[" * 200_000))
    assert own_prices() == OwnPrices({})


@pytest.fixture
def database(clean_environment: Path) -> Path:
    use_store()
    return clean_environment / "data" / "studio.sqlite3"


@pytest.mark.parametrize(
    "statement",
    ["DROP TABLE answer", "ALTER TABLE run DROP COLUMN points", "PRAGMA user_version = 3", "PRAGMA user_version = -1"],
)
def test_a_database_without_its_tables_is_set_aside(database: Path, reports: list[str], statement: str) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute(statement)
    use_store()
    assert len(aside(database)) == len(reports) == 1


def test_a_locked_database_stays(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.store.database._SECONDS_TO_WAIT", 0.05)
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailable, match="locked"):
            use_store()
    assert aside(database) == []


def test_a_database_damaged_while_open_is_set_aside_and_the_next_grade_is_saved(
    database: Path, reports: list[str]
) -> None:
    store = Store()
    store.save_service_answer("a", "b")
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = database.stat().st_size
    with database.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * (size - 100))
    with pytest.raises(StoreUnavailable, match="not saved"):
        store.save_service_answer("c", "d")
    store.save_service_answer("e", "f")
    store.close()
    assert len(aside(database)) == len(reports) == 1


def test_all_files_of_an_open_database_are_private_from_their_creation(clean_environment: Path) -> None:
    before = os.umask(0)
    try:
        store = Store()
        store.save_service_answer("a", "b")
        files = list((clean_environment / "data").iterdir())
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}
        store.close()
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("studio.sqlite3", "studio.sqlite3-wal", "studio.sqlite3-shm"), 0o600)


def test_recent_files_come_newest_first_and_only_while_they_exist(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.yml", "b.yml", "c.yml")]
    for path in paths:
        path.touch()
        remember_file(path)
    paths[1].unlink()
    assert recent_files() == [paths[2], paths[0]]


def test_a_recent_file_whose_place_does_not_answer_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent, other, over, is_file = tmp_path / "silent.yml", tmp_path / "b.yml", threading.Event(), Path.is_file
    for path in (silent, other):
        path.touch()
        remember_file(path)
    monkeypatch.setattr(Path, "is_file", lambda path: (over.wait(30) if path == silent else True) and is_file(path))
    monkeypatch.setattr(user_settings, "_SECONDS_TO_ANSWER", 0.2)
    assert recent_files() == [other]
    remember_file(tmp_path / "c.yml")
    over.set()
    assert recent_files() == [other, silent]
