"""Settings, recent files and blueprints that several programs write at once, and which files changed meanwhile."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import pytest
import watchfiles

from engine.files import open_files, processes
from engine.files.open_files import CannotSave, ChangedOnDisk, changes, open_file, save
from engine.files.own_files import state_dir
from engine.files.processes import HeldElsewhere, exclusively
from engine.files.user_settings import Settings, change_saved, recent_files, remember_file

MANY = 8


def at_once(acts: list[Callable[[], object]]) -> None:
    """Call all, each in a thread of its own, as early as each can."""
    barrier = threading.Barrier(len(acts))

    def begin(act: Callable[[], object]) -> None:
        barrier.wait()
        act()

    with ThreadPoolExecutor(len(acts)) as threads:
        list(threads.map(begin, acts))


def agree(recipient: str) -> None:
    change_saved(None, [lambda settings: settings.consented.append(recipient)])


@pytest.mark.parametrize("round_", range(5))
def test_consents_that_several_studios_save_at_once_are_all_there(round_: int) -> None:
    recipients = [f"host-{number}" for number in range(MANY)]
    at_once([lambda recipient=recipient: agree(recipient) for recipient in recipients])
    assert sorted(Settings.load().consented) == recipients


@pytest.mark.parametrize("round_", range(5))
def test_files_that_several_studios_open_at_once_are_all_among_the_recent_ones(tmp_path: Path, round_: int) -> None:
    paths = [tmp_path / f"{number}.yml" for number in range(MANY)]
    for path in paths:
        path.touch()
    at_once([lambda path=path: remember_file(path) for path in paths])
    assert sorted(recent_files()) == paths


@pytest.mark.parametrize("round_", range(5))
def test_of_two_who_save_at_once_one_is_told_of_the_other(tmp_path: Path, round_: int) -> None:
    path = tmp_path / "x.yml"
    path.write_text("a: b\n", "utf-8")
    told: list[ChangedOnDisk] = []

    def saved(text: str) -> None:
        try:
            save(opened, text)
        except ChangedOnDisk as change:
            told.append(change)

    opened = open_file(path)
    at_once([lambda number=number: saved(f"a: {number}\n") for number in range(MANY)])
    assert len(told) == MANY - 1


def test_of_two_who_create_a_file_at_once_one_is_told_of_the_other(tmp_path: Path) -> None:
    mine, theirs = open_files.new_file(tmp_path / "x.yml"), open_files.new_file(tmp_path / "x.yml")
    save(theirs, "theirs")
    with pytest.raises(ChangedOnDisk):
        save(mine, "mine")


def test_a_text_is_replaced_only_if_its_author_was_told_of_it(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text("a", "utf-8")
    mine = open_file(path)
    path.write_text("b", "utf-8")
    with pytest.raises(ChangedOnDisk) as first:
        save(mine, "mine")
    path.write_text("c", "utf-8")
    with pytest.raises(ChangedOnDisk) as second:
        save(mine, "mine", overwriting=first.value)
    save(mine, "mine", overwriting=second.value)
    assert path.read_text("utf-8") == "mine"


def test_a_studio_that_stands_still_while_it_saves_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_files, "_SECONDS_TO_SAVE", 0.05)
    path = tmp_path / "x.yml"
    path.write_text("a", "utf-8")
    opened = open_file(path)
    with open_files.exclusively_saving(path), pytest.raises(CannotSave) as problem:
        save(opened, "b")
    assert "another studio" in problem.value.title.lower()
    assert path.read_text("utf-8") == "a"


def test_what_is_held_elsewhere_is_waited_for_no_longer_than_asked() -> None:
    with exclusively("x"), pytest.raises(HeldElsewhere), exclusively("x", seconds=0.05):
        pass


def test_what_was_held_is_free_afterwards() -> None:
    with exclusively("x"):
        pass
    with exclusively("x", seconds=0.0):
        pass


def test_without_locks_nothing_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "HAS_LOCKS", False)
    with exclusively("x"), exclusively("x", seconds=0.0):
        pass


def test_a_file_in_the_place_of_the_locks_keeps_nothing_from_being_saved(clean_environment: Path) -> None:
    (clean_environment / "state").write_text("x")
    agree("host")
    assert Settings.load().consented == ["host"]


def test_the_files_of_locks_do_not_grow_in_number(clean_environment: Path) -> None:
    for number in range(200):
        with exclusively(str(number)):
            pass
    assert len(list((clean_environment / "state" / "locks").iterdir())) <= processes.FILES


# --- Locks that cannot be used


def a_dead_link(path: Path) -> None:
    path.symlink_to("nowhere")


def a_loop(path: Path) -> None:
    path.symlink_to(path)


def is_exclusive(name: str) -> bool:
    """Whether a block keeps another out."""
    try:
        with exclusively(name), exclusively(name, seconds=0.05):
            return False
    except HeldElsewhere:
        return True


def lock_file() -> Path:
    """The file of the lock `x`."""
    with exclusively("x"):
        (path,) = (state_dir() / "locks").iterdir()
    return path


@pytest.mark.parametrize("make", [Path.touch, a_dead_link, a_loop])
def test_what_is_in_the_place_of_the_locks_is_set_aside_and_said_in_one_line(
    reports: list[str], make: Callable[[Path], object]
) -> None:
    state_dir().mkdir()
    make(state_dir() / "locks")
    assert is_exclusive("x")
    [line] = reports
    assert line.startswith(f"{state_dir() / 'locks'} could not be used: it is not a folder.")


@pytest.mark.parametrize("make", [Path.mkdir, a_dead_link, a_loop])
def test_what_is_in_the_place_of_a_lock_is_set_aside_and_said_in_one_line(
    reports: list[str], make: Callable[[Path], object]
) -> None:
    path = lock_file()
    path.unlink()
    make(path)
    assert is_exclusive("x")
    [line] = reports
    assert line.startswith(f"{path} could not be used: ")


def test_locks_that_the_author_may_not_use_are_set_aside(reports: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lock_file().parent
    real, seen = os.access, folder.lstat().st_ino
    monkeypatch.setattr(
        os, "access", lambda path, mode: False if Path(path).lstat().st_ino == seen else real(path, mode)
    )
    assert is_exclusive("x")
    [line] = reports
    assert line.startswith(f"{folder} could not be used: it is no folder that you can read and write.")


def test_locks_that_cannot_be_set_aside_are_said_once(reports: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = lock_file()
    path.unlink()
    path.mkdir()

    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "rename", refused)
    assert not is_exclusive("x")
    assert not is_exclusive("x")
    [line] = reports
    assert "do not wait for each other" in line


# Which files changed: what is written without a trace in its state, in folders that go, and where nothing tells


LONG = 30.0
"""Seconds: far more than anything takes here."""
News = Callable[[], frozenset[Path]]


@pytest.fixture
def news_of() -> Iterator[Callable[..., News]]:
    """Starts to watch files; the result waits for the next news of them."""
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def start(*files: Path) -> News:
        found: Queue[frozenset[Path]] = Queue()

        def run() -> None:
            for news in changes(lambda: files, stop):
                found.put(news)

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        assert found.get(timeout=LONG) == frozenset()
        threading.Event().wait(0.5)  # it watches by now
        return lambda: found.get(timeout=LONG)

    yield start
    stop.set()
    for thread in threads:
        thread.join(LONG)
        assert not thread.is_alive()


def test_at_first_it_names_what_was_written_before_anybody_watched(tmp_path: Path) -> None:
    old, new = tmp_path / "old.yml", tmp_path / "new.yml"
    old.write_text("a")
    new.write_text("b")
    os.utime(old, ns=(0, 0))
    assert next(changes(lambda: [old, new], threading.Event(), 1)) == {new}


def written_over(path: Path, text: str) -> None:
    """Another content, with nothing else that tells."""
    status = path.stat()
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "deep" / "a.yml"
    path.parent.mkdir()
    path.write_text("one")
    return path


def test_a_file_of_the_same_size_and_time_with_other_content_has_changed(
    file: Path, news_of: Callable[..., News]
) -> None:
    news = news_of(file)
    written_over(file, "two")
    assert news() == {file}


def test_a_file_that_came_or_went_has_changed(file: Path, news_of: Callable[..., News]) -> None:
    other = file.with_name("b.yml")
    news = news_of(file, other)
    file.unlink()
    assert news() == {file}
    other.write_text("two")
    assert news() == {other}


@pytest.mark.parametrize("is_above_watched", [True, False])
def test_a_folder_that_went_and_came_back_is_still_watched(
    file: Path, news_of: Callable[..., News], is_above_watched: bool
) -> None:
    news = news_of(file, *([file.parents[1] / "settings"] if is_above_watched else []))
    file.parent.rename(file.parents[1] / "elsewhere")
    assert news() == {file}
    (file.parents[1] / "elsewhere").rename(file.parent)
    assert news() == {file}
    threading.Event().wait(0.5)
    written_over(file, "two")
    assert news() == {file}


def test_a_file_behind_a_link_and_in_a_folder_behind_one_has_changed(file: Path, news_of: Callable[..., News]) -> None:
    link, folder = file.parents[1] / "link.yml", file.parents[1] / "folder"
    link.symlink_to(file)
    folder.symlink_to(file.parent)
    of_link, of_folder = news_of(link), news_of(folder / "a.yml")
    written_over(file, "two")
    assert (of_link(), of_folder()) == ({link}, {folder / "a.yml"})


@pytest.mark.parametrize("error", [OSError("limit"), FileNotFoundError("gone"), RuntimeError("none")])
def test_what_no_event_tells_is_found_all_the_same(
    file: Path, news_of: Callable[..., News], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_folders: str, **_options: object) -> Iterator[set[tuple[int, str]]]:
        raise error

    monkeypatch.setattr(watchfiles, "watch", fail)
    news = news_of(file)
    file.write_text("three")
    assert news() == {file}
