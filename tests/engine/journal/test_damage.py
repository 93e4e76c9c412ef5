"""Entries and folders that anybody may have damaged, and modes that keep others out."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.files.journal import Journal
from tests.engine.journal.journals import left_behind, texts


def a_folder(entry: Path) -> None:
    entry.unlink()
    entry.mkdir()


def a_pipe(entry: Path) -> None:
    entry.unlink()
    os.mkfifo(entry)


def a_loop(entry: Path) -> None:
    entry.unlink()
    entry.symlink_to(entry)


def bytes_of(content: bytes) -> Callable[[Path], None]:
    def write(entry: Path) -> None:
        entry.write_bytes(content)

    return write


DAMAGE: dict[str, Callable[[Path], None]] = {
    "a folder": a_folder,
    "a pipe": a_pipe,
    "a symlink to itself": a_loop,
    "empty": bytes_of(b""),
    "half": bytes_of(b'{"text": "x'),
    "NUL": bytes_of(b"\0" * 4096),
    "not UTF-8": bytes_of(b'{"text": "\xff"}'),
    "200,000 brackets": bytes_of(b"[" * 200_000),
    "200,000 braces": bytes_of(b'{"a":' * 200_000),
    "a list": bytes_of(b"[]"),
    "null": bytes_of(b"null"),
    "a number of 5,000 digits": bytes_of(b"1" * 5000),
    "no text": bytes_of(b"{}"),
    "a text that is a number": bytes_of(b'{"text": 5}'),
    "a text that is a list": bytes_of(b'{"text": ["x"], "pid": 1}'),
    "a text that is cut short": bytes_of(b'{"path": "x", "text_bytes": 3, "written": "2026-01-01"}\nab'),
    "a text that goes on": bytes_of(b'{"path": "x", "text_bytes": 3, "written": "2026-01-01"}\nabcd'),
    "a text without its length": bytes_of(b'{"path": "x", "written": "2026-01-01"}\nabc'),
    "a text that is not UTF-8": bytes_of(b'{"path": "x", "text_bytes": 1, "written": "2026-01-01"}\n\xff'),
    "a header without its text": bytes_of(b'{"path": "x", "text_bytes": 3, "pid": 1, "written": "2026-01-01"}'),
    "a lone surrogate": bytes_of(b'{"text": "\\ud800", "written": "2026-01-01"}'),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_entry_is_set_aside_and_reported_in_one_line(
    folder: Path, path: Path, reports: list[str], damage: Callable[[Path], None]
) -> None:
    entry = left_behind(folder, path, "x")
    damage(entry)
    state = Journal(folder).state(path)
    assert (state.owners, state.left) == ((), ())
    assert Journal(folder).state(path) == state
    [aside] = folder.iterdir()
    [line] = reports
    assert line.startswith(f"{entry} could not be used: ")
    assert f"It is now {aside.name}" in line
    assert "\n" not in line


@pytest.mark.parametrize(
    "changed",
    [
        {"written": "0001-01-01T00:00:00+14:00"},
        {"written": "9999-12-31T23:59:59-14:00"},
        {"written": "0044-03-15T12:00:00+00:00"},
        {"written": "yesterday"},
        {"written": 5},
        {"written": None},
        pytest.param({"written": datetime.now(UTC).replace(tzinfo=None).isoformat()}, id="written without a time zone"),
        {"base_digest": 5},
        {"pid": "5"},
        {"pid": 1e300},
        {"pid": 2**100},
        {"host": ["x"]},
        {"started": 5},
        {"lock": "yes"},
        {"path": 5},
    ],
    ids=str,
)
def test_a_text_with_odd_values_beside_it_is_offered(folder: Path, path: Path, changed: dict[str, object]) -> None:
    left_behind(folder, path, "mine", **changed)
    (version,) = Journal(folder).state(path).left
    assert version.text == "mine"
    assert version.written.astimezone().strftime("%d %B")


def test_an_entry_without_permission_is_set_aside(
    folder: Path, path: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = left_behind(folder, path, "x")
    real = os.open

    def refused(name: Path | str, *given: int) -> int:
        if Path(name) == entry:
            raise PermissionError(13, "Permission denied")
        return real(name, *given)

    monkeypatch.setattr(os, "open", refused)
    assert Journal(folder).state(path).left == ()
    [line] = reports
    assert "no permission to read it" in line
    assert not entry.exists()


def test_a_damaged_entry_that_cannot_be_renamed_stays_and_is_reported_once(
    folder: Path, path: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    entry = left_behind(folder, path, "x")
    entry.write_bytes(b"{ half")
    monkeypatch.setattr(Path, "rename", refuse)
    assert Journal(folder).state(path).left == ()
    assert Journal(folder).state(path).left == ()
    assert len(reports) == 1
    assert entry.read_bytes() == b"{ half"


def test_a_file_in_the_place_of_the_folder_is_set_aside(folder: Path, path: Path, reports: list[str]) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("x")
    journal = Journal(folder)
    journal.prepare()
    [line] = reports
    assert str(folder) in line
    journal.write(path, "mine", None)
    journal.release()
    assert texts(Journal(folder), path) == ["mine"]


def test_a_text_that_utf_8_cannot_hold_is_written_as_far_as_it_can(folder: Path, path: Path) -> None:
    journal = Journal(folder)
    journal.write(path, "a\ud800b", None)
    journal.release()
    assert texts(journal, path) == ["a\ufffdb"]


def test_a_path_that_is_not_utf_8_has_a_journal(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.yml")
    journal = Journal(folder)
    journal.write(path, "mine", None)
    journal.release()
    assert texts(journal, path) == ["mine"]


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_all_that_is_written_is_the_author_s_alone_from_the_start(
    folder: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[int] = []
    replace = Path.replace

    def seen(temporary: Path, target: Path) -> Path:
        modes.append(stat.S_IMODE(temporary.stat().st_mode))
        return replace(temporary, target)

    monkeypatch.setattr(Path, "replace", seen)
    journal = Journal(folder)
    journal.write(path, "mine", None)
    journal.take_over(path, seconds=0)
    folders = [stat.S_IMODE(each.stat().st_mode) for each in (folder, folder.parent)]
    assert (modes, folders) == ([0o600], [0o700, 0o700])
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}
