"""Files that another program replaced while they were open, hard links, and temporary files of killed processes."""

from __future__ import annotations

import os
import socket
import stat
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.files.atomic import NotRegular, TooLong, clear_temporaries, read_regular, write_atomically
from engine.files.open_files import CannotOpen, CannotSave, ChangedOnDisk, SharedByLinks, open_file, save

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes, sockets and links of POSIX")

SCRATCH = "*.blueprint-studio.tmp"


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        before = Path.cwd()
        os.chdir(path.parent)  # the address of a socket has about a hundred bytes
        listener.bind(path.name)
        os.chdir(before)


INSTEAD: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a named pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a socket": socket_at,
}
instead = pytest.mark.parametrize(("kind", "make"), INSTEAD.items(), ids=INSTEAD)


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "a.yml"
    path.write_bytes(b"title: T\n")
    return path


@instead
def test_what_is_not_a_file_is_neither_opened_nor_waited_for(
    tmp_path: Path, kind: str, make: Callable[[Path], object]
) -> None:
    make(tmp_path / "x")
    with pytest.raises(NotRegular) as caught:
        read_regular(tmp_path / "x", 10)
    assert caught.value.kind == kind


@instead
def test_opening_names_what_is_there_instead(tmp_path: Path, kind: str, make: Callable[[Path], object]) -> None:
    make(tmp_path / "x.yml")
    with pytest.raises(CannotOpen, match=kind):
        open_file(tmp_path / "x.yml")


@instead
@pytest.mark.parametrize("overwrite", [False, True])
def test_saving_names_what_replaced_the_file_and_leaves_it(
    blueprint: Path, kind: str, make: Callable[[Path], object], *, overwrite: bool
) -> None:
    opened = open_file(blueprint)
    overwriting = ChangedOnDisk(blueprint, gone=True) if overwrite else None
    blueprint.unlink()
    make(blueprint)
    before = blueprint.lstat().st_ino
    with pytest.raises(CannotSave, match=f"{kind} at this path") as caught:
        save(opened, "title: U\n", overwriting=overwriting)
    assert "space" not in caught.value.advice
    assert blueprint.lstat().st_ino == before


def test_a_folder_that_became_a_file_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.yml").touch()
    opened = open_file(folder / "a.yml")
    (folder / "a.yml").unlink()
    folder.rmdir()
    folder.touch()
    with pytest.raises(CannotSave, match="folder does not exist"):
        save(opened, "title: U\n")


def test_a_loop_of_links_does_not_advise_to_free_space(blueprint: Path) -> None:
    opened = open_file(blueprint)
    blueprint.unlink()
    blueprint.symlink_to(blueprint)
    with pytest.raises(CannotSave) as caught:
        save(opened, "title: U\n")
    assert "space" not in caught.value.advice


def test_no_more_is_read_than_the_limit(blueprint: Path) -> None:
    with pytest.raises(TooLong):
        read_regular(blueprint, 3)


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"])
def test_an_encoding_is_called_by_its_name(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "x.yml").write_bytes("\ufefftitle: T\n".encode(encoding))
    opened = open_file(tmp_path / "x.yml")
    assert f"The file is {encoding[:6].upper()}." in (opened.read_only or "")
    assert opened.text == "title: T\n"


def test_a_hard_link_is_named_before_it_is_separated(blueprint: Path) -> None:
    opened = open_file(blueprint)
    os.link(blueprint, blueprint.with_name("b.yml"))
    with pytest.raises(SharedByLinks, match="another name"):
        save(opened, "title: U\n")
    assert blueprint.read_bytes() == b"title: T\n"


def test_a_hard_link_is_separated_when_the_author_agrees(blueprint: Path) -> None:
    os.link(blueprint, blueprint.with_name("b.yml"))
    saved = save(open_file(blueprint), "title: U\n", separate=True)
    save(saved, "title: V\n")
    assert (blueprint.read_bytes(), blueprint.with_name("b.yml").read_bytes()) == (b"title: V\n", b"title: T\n")


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


KILLED = """
import os, signal, sys
from pathlib import Path
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
from engine.files.atomic import write_atomically
write_atomically(Path(sys.argv[1]), b"half")
"""


def killed_while_saving(path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)


def test_a_process_killed_while_saving_leaves_a_temporary_file_that_is_cleared(blueprint: Path) -> None:
    killed_while_saving(blueprint)
    assert len(list(blueprint.parent.glob(f".{SCRATCH}"))) == 1
    clear_temporaries(blueprint.parent)
    assert names_in(blueprint.parent) == ["a.yml"]


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
