"""Texts that were left: which stay, for how long, and what is removed; and entries and folders that anybody may have
damaged."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from engine.files.atomic import is_locked
from engine.files.journal import Journal
from engine.files.processes import ProcessIdentity, still_runs, this_host, this_process
from tests.engine.journal.journals import Other, another, left_behind, texts
from tests.many_cases import every


def test_a_version_that_was_taken_up_is_only_listed(folder: Path, path: Path) -> None:
    left_behind(folder, path, "older")
    journal = Journal(folder)
    journal.only_list(journal.state(path).left[0])
    assert [(version.text, version.is_listed) for version in journal.state(path).left] == [("older", True)]
    assert journal.pending(path) is None


def test_giving_up_removes_this_text_alone(folder: Path, path: Path) -> None:
    left_behind(folder, path, "one")
    left_behind(folder, path, "two")
    journal = Journal(folder)
    journal.give_up(next(version for version in journal.state(path).left if version.text == "one"))
    assert texts(journal, path) == ["two"]


def test_giving_up_removes_no_text_that_was_not_shown(folder: Path, path: Path) -> None:
    entry = left_behind(folder, path, "shown")
    journal = Journal(folder)
    shown = journal.state(path).left[0]
    left_behind(folder, path, "newer").replace(entry)
    journal.give_up(shown)
    assert texts(journal, path) == ["newer"]


def test_the_last_twenty_versions_stay(folder: Path, path: Path) -> None:
    start = datetime.now(UTC) - timedelta(hours=1)
    for number in range(25):
        left_behind(folder, path, str(number), written=(start + timedelta(minutes=number)).isoformat())
    assert texts(Journal(folder), path) == [str(number) for number in reversed(range(5, 25))]
    assert len(list(folder.iterdir())) == 20


@pytest.mark.parametrize(("days", "left"), [(29, ["old"]), (31, [])])
def test_versions_stay_for_thirty_days(folder: Path, path: Path, days: int, left: list[str]) -> None:
    written = datetime.now(UTC) - timedelta(days=days)
    entry = left_behind(folder, path, "old", written=written.isoformat())
    os.utime(entry, (written.timestamp(), written.timestamp()))
    assert texts(Journal(folder), path) == left


def test_an_entry_of_the_older_form_was_left(folder: Path, path: Path) -> None:
    folder.mkdir(parents=True)
    old = {"path": str(path), "text": "old form", "base_digest": None, "written": datetime.now(UTC).isoformat()}
    (folder / f"{sha256(str(path).encode()).hexdigest()}.json").write_text(json.dumps(old))
    assert texts(Journal(folder), path) == ["old form"]


def test_an_entry_with_its_text_in_the_json_was_left(folder: Path, path: Path) -> None:
    entry = left_behind(folder, path, "")
    said = json.loads(entry.read_bytes().partition(b"\n")[0])
    del said["text_bytes"]
    entry.write_text(json.dumps(said | {"text": "one\ntwo"}))
    assert texts(Journal(folder), path) == ["one\ntwo"]


@pytest.mark.parametrize(
    "text", ["", "\n", "\n\n{}\n", "a\r\nb\rc\u2028d\x85e\x00f", "😀é\ufeff", '{"text": "x"}'], ids=ascii
)
def test_each_text_comes_back_as_it_was(folder: Path, path: Path, text: str) -> None:
    journal = Journal(folder)
    journal.write(path, text, "digest")
    journal.release()
    [version] = journal.state(path).left
    assert (version.text, version.base_digest) == (text, "digest")


def test_what_other_files_left_expires_too(folder: Path, path: Path, tmp_path: Path) -> None:
    entry = left_behind(folder, tmp_path / "other.yml", "old")
    os.utime(entry, (0, 0))
    Journal(folder).prepare()
    assert not entry.exists()


def test_a_temporary_file_of_a_killed_process_is_removed(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / ".x.json.ab12.tmp").write_text("{ half")
    os.utime(folder / ".x.json.ab12.tmp", (0, 0))
    Journal(folder).prepare()
    assert list(folder.iterdir()) == []


DIES_WHILE_IT_WRITES = """
import os, signal, sys
from pathlib import Path
from engine.files.journal import Journal
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
Journal(Path(sys.argv[1])).write(Path(sys.argv[2]), "half", None)
"""


def test_the_temporary_file_of_a_process_killed_a_moment_ago_is_removed(folder: Path, path: Path) -> None:
    subprocess.run([sys.executable, "-c", DIES_WHILE_IT_WRITES, str(folder), str(path)], check=False)
    assert len(list(folder.iterdir())) == 1
    Journal(folder).prepare()
    assert list(folder.iterdir()) == []


def test_the_temporary_file_of_a_process_that_writes_stays(
    folder: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def prepare_first(descriptor: int) -> None:
        Journal(folder).prepare()
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", prepare_first)
    Journal(folder).write(path, "whole", None)
    assert texts(Journal(folder), path) == ["whole"]


def test_the_entry_without_text_of_a_killed_process_is_removed_whichever_file_is_opened_next(
    folder: Path, path: Path, other: Other
) -> None:
    other.does("claim")
    other.killed()
    Journal(folder).prepare()
    assert list(folder.iterdir()) == []


def test_the_entry_without_text_of_a_living_process_stays(folder: Path, path: Path, other: Other) -> None:
    other.does("claim")
    Journal(folder).prepare()
    assert len(list(folder.iterdir())) == 1


def test_dates_of_a_clock_that_was_ahead_push_no_newer_text_out(folder: Path, path: Path) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    for number in range(20):
        left_behind(folder, path, str(number), written=(ahead + timedelta(minutes=number)).isoformat())
    left_behind(folder, path, "newest")
    assert texts(Journal(folder), path)[0] == "newest"


def test_texts_of_a_clock_that_was_set_back_since_stay(folder: Path, path: Path) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    for number in range(20):
        left_behind(folder, path, str(number), written=(ahead + timedelta(minutes=number)).isoformat())
    assert texts(Journal(folder), path) == [str(number) for number in reversed(range(20))]


def test_a_text_that_the_owner_writes_just_before_it_ends_is_left(
    folder: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with another(folder, path) as other:
        other.does("claim")

        def is_locked_at_last(entry: Path) -> bool:
            monkeypatch.undo()
            other.does("write last words")
            other.killed()
            return is_locked(entry)

        monkeypatch.setattr("engine.files.journal.is_locked", is_locked_at_last)
        assert texts(Journal(folder), path) == ["last words"]


def test_an_entry_that_another_studio_removes_meanwhile_is_no_error(
    folder: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_behind(folder, path, "removed", lock=True)
    left_behind(folder, path, "kept", lock=True)
    asked: list[Path] = []

    def removed_once_asked_twice(entry: Path) -> bool:
        asked.append(entry)
        if asked.count(entry) > 1:
            entry.unlink()
        return is_locked(entry)

    monkeypatch.setattr("engine.files.journal.is_locked", removed_once_asked_twice)
    assert sorted(texts(Journal(folder), path)) == ["kept", "removed"]


# Who has a file open: other processes, living or dead, and by other names of the file


# --- Two processes


def test_the_process_that_has_a_file_open_is_named_even_before_it_has_text(
    folder: Path, path: Path, other: Other
) -> None:
    other.does("claim")
    assert [owner.pid for owner in Journal(folder).state(path).owners] == [other.process.pid]


def test_the_text_of_a_living_process_is_not_called_left(folder: Path, path: Path, other: Other) -> None:
    other.does("write theirs")
    assert texts(Journal(folder), path) == []


def test_saving_in_one_process_leaves_the_text_of_the_other(folder: Path, path: Path, other: Other) -> None:
    other.does("write theirs")
    mine = Journal(folder)
    mine.write(path, "mine", None)
    mine.clear(path)
    mine.release()
    other.killed()
    assert texts(Journal(folder), path) == ["theirs"]


def test_the_text_of_a_killed_process_is_left(folder: Path, path: Path, other: Other) -> None:
    other.does("write one")
    other.does("write two")
    other.killed()
    state = Journal(folder).state(path)
    assert ([version.text for version in state.left], state.owners) == (["two"], ())


def test_a_killed_process_without_text_leaves_nothing(folder: Path, path: Path, other: Other) -> None:
    other.does("write x")
    other.does("clear")
    other.killed()
    assert texts(Journal(folder), path) == []
    assert list(folder.iterdir()) == []


def test_a_file_opened_by_a_symlink_is_the_same_file(folder: Path, path: Path, other: Other, tmp_path: Path) -> None:
    other.does("claim")
    link = tmp_path / "link.yml"
    link.symlink_to(path)
    assert Journal(folder).state(link).owners


def test_taking_over_makes_the_text_of_the_other_a_version(folder: Path, path: Path, other: Other) -> None:
    other.does("write theirs")
    mine = Journal(folder)
    mine.claim(path)
    assert mine.take_over(path, seconds=0).owners
    other.does("let-go")
    state = mine.state(path)
    assert (state.owners, [version.text for version in state.left]) == ((), ["theirs"])
    assert not list(folder.glob("*.taken"))


def test_a_process_that_hangs_is_still_named_after_it_was_asked(folder: Path, path: Path, other: Other) -> None:
    other.does("write theirs")
    state = Journal(folder).take_over(path, seconds=0.1)
    assert [owner.pid for owner in state.owners] == [other.process.pid]


def test_new_text_decided_later_about_stands_beside_the_older(folder: Path, path: Path) -> None:
    left_behind(folder, path, "older")
    mine = Journal(folder)
    mine.write(path, "newer", None)
    mine.release()
    assert texts(Journal(folder), path) == ["newer", "older"]


@pytest.mark.parametrize("rounds", [300])
def test_a_writer_never_looks_dead_while_it_writes(folder: Path, path: Path, other: Other, rounds: int) -> None:
    other.does("claim")
    assert other.process.stdin is not None
    other.process.stdin.write("write text\n" * rounds)
    other.process.stdin.flush()
    journal = Journal(folder)
    states = [journal.state(path) for _ in range(rounds)]
    assert all(len(state.owners) == 1 and not state.left for state in states)


# --- Who lives


def test_a_process_id_that_is_used_again_is_another_process() -> None:
    here = this_process()
    assert still_runs(here)
    assert not still_runs(ProcessIdentity(here.pid, "another start", here.host))


@every("pid", [0, -1, 2**22 + 5, 2**80])
def test_a_process_id_of_nobody_does_not_run(pid: int) -> None:
    assert not still_runs(ProcessIdentity(pid, "x", this_host()))


def test_without_locks_the_process_decides(folder: Path, path: Path) -> None:
    here = this_process()
    left_behind(folder, path, "mine", pid=here.pid, started=here.started, lock=False)
    left_behind(folder, path, "of a process id used again", pid=here.pid, started="earlier", lock=False)
    assert texts(Journal(folder), path) == ["of a process id used again"]


def test_an_owner_on_another_host_counts_as_alive_until_it_is_taken_over(folder: Path, path: Path) -> None:
    left_behind(folder, path, "far away", host="elsewhere", lock=True)
    journal = Journal(folder)
    assert [owner.host for owner in journal.state(path).owners] == ["elsewhere"]
    journal.take_over(path, seconds=0)
    assert texts(journal, path) == ["far away"]


# --- Other names of a file


def test_an_owner_is_found_by_another_name_of_its_file(folder: Path, path: Path, tmp_path: Path) -> None:
    (tmp_path / "link.yml").hardlink_to(path)
    with another(folder, path) as other:
        other.does("claim")
        [owner] = Journal(folder).state(tmp_path / "link.yml").owners
        assert owner.pid == other.process.pid


def test_text_that_was_left_is_found_by_another_name_of_its_file(folder: Path, path: Path, tmp_path: Path) -> None:
    (tmp_path / "link.yml").hardlink_to(path)
    with another(folder, path) as other:
        other.does("write mine")
        other.killed()
    assert texts(Journal(folder), tmp_path / "link.yml") == ["mine"]


def test_an_owner_that_saved_is_found_by_another_name_of_its_file(folder: Path, path: Path, tmp_path: Path) -> None:
    journal = Journal(folder)
    journal.claim(path)
    path.unlink()
    path.write_text("saved")
    journal.clear(path)
    (tmp_path / "link.yml").hardlink_to(path)
    assert Journal(folder).state(tmp_path / "link.yml").owners == (this_process(),)
    journal.release()


def test_a_file_with_the_inode_of_one_that_is_gone_is_another_file(folder: Path, path: Path, tmp_path: Path) -> None:
    with another(folder, path) as other:
        other.does("write mine")
        other.killed()
    path.rename(tmp_path / "renamed.yml")
    assert texts(Journal(folder), tmp_path / "renamed.yml") == []


def test_an_owner_is_found_through_another_mount(folder: Path, path: Path, tmp_path: Path) -> None:
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    done = subprocess.run(["mount", "--bind", str(path.parent), str(mounted)], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("this user cannot mount")
    try:
        with another(folder, path) as other:
            other.does("claim")
            assert len(Journal(folder).state(mounted / path.name).owners) == 1
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


# Damage


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
