"""Files of an author: opened, and saved whole or not at all, whatever stands in their place, ends the process, or was
written by others meanwhile."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click import ClickException

from engine.evaluation.fixtures import UnusableFixtures, read_fixtures
from engine.evaluation.results import UnusableResult, is_result, read_result_file
from engine.files.atomic import TooLong, read_regular
from engine.files.open_files import (
    CannotOpen,
    CannotSave,
    ChangedOnDisk,
    SharedByLinks,
    new_file,
    open_file,
    save,
)
from engine.parsing.model_collections import Collections, UnusableCollection
from engine.rules.selection import OWN_FILE, PYPROJECT, ProjectSettings, SettingsCache
from studio.cli.check_files import walk
from studio.cli.options import SourceOptions
from studio.cli.show_commands import answer
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes, sockets and links of POSIX")


as_root = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read and write everything")


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "a.yml"
    path.write_bytes(b"title: T\n")
    return path


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


# Opening


@instead
def test_opening_names_what_is_there_instead(tmp_path: Path, kind: str, make: Callable[[Path], object]) -> None:
    make(tmp_path / "x.yml")
    with pytest.raises(CannotOpen, match=kind):
        open_file(tmp_path / "x.yml")


def test_a_missing_file_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match="no such file") as caught:
        open_file(tmp_path / "none.yml")
    assert caught.value.missing


@as_root
def test_a_file_without_permission_is_told_as_such(blueprint: Path) -> None:
    blueprint.chmod(0)
    with pytest.raises(CannotOpen, match="permission"):
        open_file(blueprint)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a: caf\xe9\n", "not UTF-8"),
        (b"\x7fELF\0\0\1", "binary"),
        ("title: T\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_not_utf8_opens_read_only_and_says_why(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    opened = open_file(path)
    assert told in (opened.read_only or "")
    with pytest.raises(CannotSave):
        save(opened, "title: U\n")
    assert path.read_bytes() == content


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"])
def test_an_encoding_is_called_by_its_name(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "x.yml").write_bytes("\ufefftitle: T\n".encode(encoding))
    opened = open_file(tmp_path / "x.yml")
    assert f"The file is {encoding[:6].upper()}." in (opened.read_only or "")
    assert opened.text == "title: T\n"


def test_no_more_is_read_than_the_limit(blueprint: Path) -> None:
    with pytest.raises(TooLong):
        read_regular(blueprint, 3)


# Saving


@needs_corpus
def test_opening_and_saving_changes_no_byte_of_a_corpus_file(tmp_path: Path) -> None:
    for number, original in enumerate(one_in(3, corpus_files())):
        copy = tmp_path / f"{number}.yml"
        copy.write_bytes(original.read_bytes())
        opened = open_file(copy)
        save(opened, opened.text)
        assert copy.read_bytes() == original.read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"", b"\xef\xbb\xbftitle: T\n", b"a: 1\r\nb: 2\nc: 3\r", "a: \u2028 \u0085 \x0c\n".encode()],
    ids=["empty", "byte order mark", "mixed line ends", "unusual separators"],
)
def test_odd_content_survives_byte_for_byte(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    opened = open_file(path)
    save(opened, opened.text)
    assert path.read_bytes() == content


def test_saving_keeps_the_mode(blueprint: Path) -> None:
    blueprint.chmod(0o640)
    save(open_file(blueprint), "title: U\n")
    assert stat.S_IMODE(blueprint.stat().st_mode) == 0o640


def test_a_new_file_gets_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save(new_file(tmp_path / "new.yml"), "title: T\n")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.yml").stat().st_mode) == 0o640


def test_saving_through_a_symlink_keeps_the_link(blueprint: Path) -> None:
    link = blueprint.with_name("link.yml")
    link.symlink_to(blueprint)
    save(open_file(link), "title: U\n")
    assert link.is_symlink()
    assert blueprint.read_bytes() == b"title: U\n"


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


def test_a_file_changed_by_another_is_not_overwritten(blueprint: Path) -> None:
    opened = open_file(blueprint)
    blueprint.write_bytes(b"title: theirs\n")
    with pytest.raises(ChangedOnDisk):
        save(opened, "title: mine\n")
    assert blueprint.read_bytes() == b"title: theirs\n"


def test_the_author_may_overwrite_it_all_the_same(blueprint: Path) -> None:
    opened = open_file(blueprint)
    blueprint.write_bytes(b"title: theirs\n")
    with pytest.raises(ChangedOnDisk) as told:
        save(opened, "title: mine\n")
    save(opened, "title: mine\n", overwriting=told.value)
    assert blueprint.read_bytes() == b"title: mine\n"


def test_a_touched_file_counts_as_unchanged(blueprint: Path) -> None:
    opened = open_file(blueprint)
    os.utime(blueprint, (1, 1))
    save(opened, "title: mine\n")
    assert blueprint.read_bytes() == b"title: mine\n"


def test_a_removed_file_is_told_as_gone(blueprint: Path) -> None:
    opened = open_file(blueprint)
    blueprint.unlink()
    with pytest.raises(ChangedOnDisk) as caught:
        save(opened, "title: mine\n")
    assert caught.value.gone


def test_a_second_save_follows_the_first(blueprint: Path) -> None:
    once = save(open_file(blueprint), "title: 1\n")
    save(once, "title: 2\n")
    assert blueprint.read_bytes() == b"title: 2\n"


@pytest.mark.parametrize(
    ("text", "place", "advice"),
    [
        ("a: \ud83d", "Line 1, column 4 has half of a character (U+D83D)", "Delete it."),
        (
            "a: b\r\nc: é\udc00 \ud83d",
            "Line 2, column 5 has half of a character (U+DC00)",
            "Delete it, and 1 more",
        ),
        ("a\n\ud800b\udfff\n\ud800", "Line 2, column 1 has half of a character (U+D800)", "Delete it, and 2 more"),
        ("\ud83d\udc00x\udc00", "Line 1, column 1 has half of a character (U+D83D)", "Delete it, and 2 more"),
    ],
    ids=ascii,
)
def test_a_text_that_no_file_can_hold_is_refused_by_its_place(
    blueprint: Path, text: str, place: str, advice: str
) -> None:
    with pytest.raises(CannotSave) as caught:
        save(open_file(blueprint), text)
    assert caught.value.title == f"{place}, which no file can hold."
    assert caught.value.advice.startswith(advice)
    assert blueprint.read_bytes() == b"title: T\n"


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from engine.files.open_files import CannotSave, open_file, save
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    save(open_file(Path(sys.argv[1])), "x" * 100_000)
except CannotSave as problem:
    print(problem.title)
"""


@pytest.mark.skipif(os.name != "posix", reason="file size limits are POSIX")
def test_a_disk_that_fills_up_leaves_the_old_file_whole(blueprint: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(blueprint)], capture_output=True, text=True, check=True
    )
    assert "could not be written" in done.stdout
    assert blueprint.read_bytes() == b"title: T\n"
    assert list(blueprint.parent.iterdir()) == [blueprint]


def test_a_power_cut_before_the_new_file_is_in_place_leaves_the_old_one(
    blueprint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(_path: Path, _target: Path) -> Path:
        raise OSError("cut")

    opened = open_file(blueprint)
    monkeypatch.setattr(Path, "replace", cut)
    with pytest.raises(CannotSave):
        save(opened, "title: New\n")
    assert (blueprint.read_bytes(), [*blueprint.parent.iterdir()]) == (b"title: T\n", [blueprint])


# What others read at a path that an author names


READERS: dict[str, Callable[[Path], object]] = {
    "saved.yml": read_fixtures,
    "saved.json": read_fixtures,
    "result.json": read_result_file,
    "models/CORE.json": lambda path: Collections(path.parents[1] / "a.yml").members("CORE"),
    "answer": lambda path: SourceOptions(response=path).sources(path),
    "answers": lambda path: SourceOptions(fixtures=path).sources(path),
}
REFUSALS = (UnusableFixtures, UnusableResult, UnusableCollection, ClickException)


@instead
@pytest.mark.parametrize("name", READERS)
def test_no_reader_waits_for_what_is_no_file(
    tmp_path: Path, kind: str, make: Callable[[Path], object], name: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    make(path)
    with pytest.raises(REFUSALS, match=kind):
        READERS[name](path)
    assert not is_result(path)


@instead
def test_settings_of_a_project_that_are_no_file_are_told_and_shared_ones_are_passed_over(
    tmp_path: Path, kind: str, make: Callable[[Path], object]
) -> None:
    (tmp_path / "own").mkdir()
    make(tmp_path / PYPROJECT)
    make(tmp_path / "own" / OWN_FILE)
    (problem,) = SettingsCache().of(tmp_path / "own" / "a.yml").problems
    assert f"it is {kind}" in problem.message
    assert SettingsCache().of(tmp_path / "a.yml") == ProjectSettings()


@pytest.mark.parametrize("kind", ["a named pipe", "a device"])
def test_studio_parse_names_what_is_no_file(kind: str, tmp_path: Path) -> None:
    INSTEAD[kind](tmp_path / "a.yml")
    error = answer(tmp_path / "a.yml")["error"]
    assert isinstance(error, dict)
    assert f"it is {kind}" in str(error["message"])


def test_paths_that_no_file_can_have_are_reported_and_not_raised(tmp_path: Path) -> None:
    (tmp_path / "a.yml").symlink_to(tmp_path / "b.yml")
    (tmp_path / "b.yml").symlink_to(tmp_path / "a.yml")
    assert len(walk([Path("a" * 5000), tmp_path / "a.yml"]).candidates) == 2
