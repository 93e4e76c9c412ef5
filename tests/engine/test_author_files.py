"""Files of the author are written whole, and a killed write leaves nothing that the next start does not clear."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.files import open_files
from engine.files.open_files import clear_all_temporaries, write_author_file
from engine.files.own_files import state_dir

SECONDS = 60.0
"""How long a start may wait for a folder that does not answer: far less than the test lets it be silent."""

KILLED_IN = """
import os, signal, sys
from pathlib import Path
from engine.files.open_files import write_author_file
setattr(os, sys.argv[2], lambda *arguments, **options: os.kill(os.getpid(), signal.SIGKILL))
write_author_file(Path(sys.argv[1]), b"half")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


def killed(path: Path, call: str = "fsync") -> None:
    subprocess.run([sys.executable, "-c", KILLED_IN, str(path), call], check=False)


def all_files(*folders: Path) -> list[str]:
    return [path.name for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]


def test_it_is_written_and_nothing_else_is_left(folder: Path) -> None:
    write_author_file(folder / "a.yml", b"whole")
    assert (folder / "a.yml").read_bytes() == b"whole"
    assert all_files(folder, state_dir()) == ["a.yml"]


@pytest.mark.parametrize("call", ["open", "write", "fdopen", "fsync", "replace", "unlink"])
def test_whatever_a_killed_write_left_is_cleared(folder: Path, call: str) -> None:
    killed(folder / "a.yml", call)
    clear_all_temporaries()
    assert set(all_files(folder, state_dir())) <= {"a.yml"}


def test_a_killed_write_leaves_a_temporary_file_in_its_folder(folder: Path) -> None:
    killed(folder / "a.yml")
    assert len(all_files(folder)) == 1


def test_the_folder_is_that_of_the_file_to_which_a_symlink_leads(folder: Path, tmp_path: Path) -> None:
    (folder / "a.yml").touch()
    link = tmp_path / "link.yml"
    link.symlink_to(folder / "a.yml")
    killed(link)
    clear_all_temporaries()
    assert all_files(folder, state_dir()) == ["a.yml"]


def test_a_write_that_goes_on_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def clear_first(source: Path, target: Path) -> None:
        clear_all_temporaries()
        assert len(all_files(folder, state_dir())) == 2
        replace(source, target)

    monkeypatch.setattr(os, "replace", clear_first)
    write_author_file(folder / "a.yml", b"whole")
    assert all_files(folder, state_dir()) == ["a.yml"]


def test_a_file_is_written_although_no_note_can_be(folder: Path) -> None:
    state_dir().parent.mkdir(exist_ok=True)
    state_dir().write_text("not a folder")
    write_author_file(folder / "a.yml", b"whole")
    assert (folder / "a.yml").read_bytes() == b"whole"


@pytest.mark.parametrize(
    "content", [b"", b"relative", b"/no such folder", b"/with\0NUL", b"\xff", b"/" + b"x" * 100_000]
)
def test_notes_are_read_as_untrusted(content: bytes) -> None:
    notes = state_dir() / "writes"
    notes.mkdir(parents=True)
    (notes / ".folder.0123456789ab.blueprint-studio.tmp").write_bytes(content)
    clear_all_temporaries()
    assert all_files(notes) == []


def test_notes_that_are_not_files_are_left_alone() -> None:
    notes = state_dir() / "writes"
    notes.mkdir(parents=True)
    os.mkfifo(notes / ".folder.0123456789ab.blueprint-studio.tmp")
    clear_all_temporaries()
    assert len(list(notes.iterdir())) == 1


def test_notes_are_private(folder: Path) -> None:
    killed(folder / "a.yml")
    (note,) = (state_dir() / "writes").iterdir()
    assert (note.stat().st_mode & 0o777, note.parent.stat().st_mode & 0o777) == (0o600, 0o700)


# --- A folder on a mount that does not answer


class Mount:
    """A folder that is not listed until `answers` is set."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answers = threading.Event()
        self._iterdir = Path.iterdir

    def iterdir(self, path: Path) -> Iterator[Path]:
        if path == self.folder:
            self.answers.wait(4 * SECONDS)
        return self._iterdir(path)


@pytest.fixture
def mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mount]:
    mount = Mount(tmp_path / "mount")
    mount.folder.mkdir()
    monkeypatch.setattr(Path, "iterdir", lambda path: mount.iterdir(path))
    monkeypatch.setattr(open_files, "_SECONDS_TO_ANSWER", 0.2)
    yield mount
    mount.answers.set()


def test_a_folder_that_does_not_answer_is_not_waited_for(folder: Path, mount: Mount) -> None:
    killed(mount.folder / "b.yml")
    killed(folder / "a.yml")
    began = time.monotonic()
    clear_all_temporaries()
    assert time.monotonic() - began < SECONDS
    while all_files(folder) and time.monotonic() - began < SECONDS:  # on a busy machine it is cleared later, too
        clear_all_temporaries()
    assert all_files(folder) == []


def test_a_folder_that_does_not_answer_is_cleared_at_a_later_start(mount: Mount, monkeypatch: Any) -> None:
    killed(mount.folder / "b.yml")
    clear_all_temporaries()
    mount.answers.set()
    monkeypatch.setattr(open_files, "_SECONDS_TO_ANSWER", 10.0)
    end = time.monotonic() + SECONDS
    while all_files(mount.folder, state_dir()) and time.monotonic() < end:  # the first call still clears, too
        clear_all_temporaries()
    assert all_files(mount.folder, state_dir()) == []
