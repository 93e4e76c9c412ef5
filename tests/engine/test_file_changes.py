"""Which files changed: what is written without a trace in its state, in folders that go, and where nothing tells."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import pytest
import watchfiles

from engine.files.open_files import changes

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
