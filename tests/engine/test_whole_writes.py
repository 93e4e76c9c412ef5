"""Files are written whole, privately where they are private, and a killed write leaves nothing that stays."""

from __future__ import annotations

import os
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.files import open_files
from engine.files.atomic import NotRegular, clear_temporaries, write_atomically
from engine.files.open_files import clear_all_temporaries, write_author_file
from engine.files.own_files import state_dir

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes and links of POSIX")


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "a.yml"
    path.write_bytes(b"title: T\n")
    return path


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def modes_while_saving(monkeypatch: pytest.MonkeyPatch, path: Path) -> set[int]:
    modes: set[int] = set()
    fsync = os.fsync

    def note(descriptor: int) -> None:
        modes.add(stat.S_IMODE(os.fstat(descriptor).st_mode))
        fsync(descriptor)

    def note_opened(name: Path, flags: int, mode: int = 0o777) -> int:
        descriptor = opened(name, flags, mode)
        if flags & os.O_CREAT:
            modes.add(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    opened = os.open
    monkeypatch.setattr(os, "open", note_opened)
    write_atomically(path, b"secret")
    return modes


def test_the_temporary_file_of_a_private_file_is_private_from_its_creation(
    blueprint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blueprint.chmod(0o600)
    assert modes_while_saving(monkeypatch, blueprint) == {0o600}


def test_a_private_mode_replaces_a_wider_one(blueprint: Path) -> None:
    blueprint.chmod(0o644)
    write_atomically(blueprint, b"x", mode=0o600)
    assert stat.S_IMODE(blueprint.stat().st_mode) == 0o600


def test_a_name_as_long_as_the_system_allows_is_saved(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 125 + ".yml")
    write_atomically(path, b"x")
    assert path.read_bytes() == b"x"


def test_a_saved_file_keeps_its_mode_and_its_extended_attributes(blueprint: Path) -> None:
    blueprint.chmod(0o640)
    try:
        os.setxattr(blueprint, "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("this file system has no extended attributes")
    write_atomically(blueprint, b"new")
    assert os.getxattr(blueprint, "user.note") == b"mine"
    assert stat.S_IMODE(blueprint.stat().st_mode) == 0o640


def test_a_saved_file_keeps_its_access_list(blueprint: Path) -> None:
    # Version 2; read and write for the owner, read for user 1234, none for the group, mask read, none for others.
    entries = ((0x01, 6, 2**32 - 1), (0x02, 4, 1234), (0x04, 0, 2**32 - 1), (0x10, 4, 2**32 - 1), (0x20, 0, 2**32 - 1))
    listed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    try:
        os.setxattr(blueprint, "system.posix_acl_access", listed)
    except (AttributeError, OSError):
        pytest.skip("this file system has no access lists")
    write_atomically(blueprint, b"new")
    assert os.getxattr(blueprint, "system.posix_acl_access") == listed


def test_a_private_file_gets_no_access_list(blueprint: Path) -> None:
    try:
        os.setxattr(blueprint, "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("this file system has no extended attributes")
    write_atomically(blueprint, b"new", mode=0o600)
    assert os.listxattr(blueprint) == []


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["a named pipe", "a folder"])
def test_only_ordinary_files_are_replaced(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "x")
    before = (tmp_path / "x").stat()
    with pytest.raises(NotRegular):
        write_atomically(tmp_path / "x", b"new")
    assert (tmp_path / "x").stat().st_ino == before.st_ino
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_the_temporary_file_of_a_living_process_stays(blueprint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def clear_first(descriptor: int) -> None:
        clear_temporaries(blueprint.parent)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", clear_first)
    write_atomically(blueprint, b"whole")
    assert blueprint.read_bytes() == b"whole"


def test_a_temporary_file_cleared_before_it_was_locked_is_made_again(
    blueprint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open
    cleared: list[Path] = []

    def clear_once(name: Path, flags: int, mode: int = 0o777) -> int:
        descriptor = opened(name, flags, mode)
        if flags & os.O_CREAT and not cleared:
            cleared.append(name)
            name.unlink()
        return descriptor

    monkeypatch.setattr(os, "open", clear_once)
    write_atomically(blueprint, b"whole")
    assert (len(cleared), blueprint.read_bytes()) == (1, b"whole")


@pytest.mark.parametrize(
    "name",
    [".a.yml.tmp", ".a.yml.0123456789ab.tmp", "a.blueprint-studio.tmp", ".a.yml.0123456789AB.blueprint-studio.tmp"],
)
def test_files_of_others_are_never_cleared(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    clear_temporaries(tmp_path)
    assert names_in(tmp_path) == [name]


def test_a_named_pipe_with_the_name_of_a_temporary_file_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".a.0123456789ab.blueprint-studio.tmp")
    clear_temporaries(tmp_path)
    assert len(names_in(tmp_path)) == 1


# What a killed write leaves


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
