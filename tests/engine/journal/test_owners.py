"""Who has a file open: other processes, living or dead, and by other names of the file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine.files.journal import Journal
from engine.files.processes import ProcessIdentity, still_runs, this_host, this_process
from tests.engine.journal.journals import Other, another, left_behind, texts
from tests.many_cases import every

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
