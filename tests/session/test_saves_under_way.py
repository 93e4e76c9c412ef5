"""A save that takes its time: leaving waits for it, nothing interrupts it, and it never asks about its own work."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.files.journal import Journal
from engine.files.open_files import CannotSave
from studio.session import blueprint_file
from studio.session.host import Choose
from tests.session.faces import Face, open_face
from tests.session.small_file import MINE, TEXT, THEIRS


class Disk:
    """Saves wait until `answers` is set; `began` is set when one begins. `fails`: nothing is written then."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.answers = threading.Event()
        self.fails = False
        self._save = blueprint_file.save

    def save(self, file: Any, text: str, **options: Any) -> Any:
        self.began.set()
        assert self.answers.wait(60)
        if self.fails:
            raise CannotSave(file.path, "The file could not be written: No space left on device.")
        return self._save(file, text, **options)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk()
    monkeypatch.setattr(blueprint_file, "save", disk.save)
    yield disk
    disk.answers.set()


def titles(face: Face) -> list[str]:
    return [question.title for question in face.author.asked if isinstance(question, Choose)]


async def saving(face: Face, disk: Disk) -> asyncio.Task[bool]:
    """A save of `MINE` that has begun."""
    face.write(MINE)
    task = asyncio.create_task(face.session.file.save())
    await face.until(disk.began.is_set)
    return task


async def test_leaving_waits_for_it_and_does_not_ask(path: Path, disk: Disk) -> None:
    face = await open_face(path)
    save = await saving(face, disk)
    leaving = asyncio.create_task(face.session.file.may_leave())
    await asyncio.sleep(0.05)
    assert not leaving.done()
    disk.answers.set()
    assert await leaving
    assert await save
    assert face.author.asked == []


async def test_leaving_right_after_the_key_waits_for_a_save_that_has_not_begun(path: Path, disk: Disk) -> None:
    face = await open_face(path)
    face.write(MINE)
    disk.answers.set()
    save = asyncio.create_task(face.session.file.save())
    assert await asyncio.create_task(face.session.file.may_leave())
    assert await save
    assert face.author.asked == []


async def test_leaving_asks_if_it_fails(path: Path, disk: Disk) -> None:
    face = await open_face(path)
    disk.fails = True
    save = await saving(face, disk)
    leaving = asyncio.create_task(face.session.file.may_leave())
    disk.answers.set()
    assert not await leaving
    assert not await save
    assert titles(face) == ["Not saved: x.yml", "x.yml"]


async def test_leaving_asks_if_the_text_changed_since(path: Path, disk: Disk) -> None:
    face = await open_face(path)
    await saving(face, disk)
    face.write(THEIRS)
    leaving = asyncio.create_task(face.session.file.may_leave())
    disk.answers.set()
    assert not await leaving
    assert titles(face) == ["x.yml"]
    assert path.read_text("utf-8") == MINE


async def test_saving_again_meanwhile_is_no_conflict_with_oneself(path: Path, disk: Disk) -> None:
    face = await open_face(path)
    first = await saving(face, disk)
    face.write(THEIRS)
    second = asyncio.create_task(face.session.file.save())
    disk.answers.set()
    assert (await first, await second) == (True, True)
    assert face.author.asked == []
    assert (path.read_text("utf-8"), face.session.state.unsaved) == (THEIRS, False)


async def test_it_goes_on_to_its_end_if_nobody_waits_for_it_any_more(path: Path, disk: Disk) -> None:
    face = await open_face(path)
    save = await saving(face, disk)
    save.cancel()
    disk.answers.set()
    await face.until(lambda: not face.session.state.unsaved)
    assert path.read_text("utf-8") == MINE


async def test_closing_waits_for_it_and_leaves_no_journal(path: Path, disk: Disk) -> None:
    face = await open_face(path)
    await saving(face, disk)
    await face.session.file.write_journal()
    closing = asyncio.create_task(face.close())
    await asyncio.sleep(0.05)
    disk.answers.set()
    await closing
    assert path.read_text("utf-8") == MINE
    assert Journal().state(path).left == ()


@pytest.mark.parametrize(("answer", "leaves"), [("leave", True), ("stay", False)])
async def test_a_disk_that_does_not_answer_keeps_nobody_from_leaving(
    path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch, answer: str, leaves: bool
) -> None:
    monkeypatch.setattr(blueprint_file, "SECONDS_FOR_A_SAVE", 0.1)
    face = await open_face(path, answer)
    await saving(face, disk)
    assert await face.session.file.may_leave() is leaves
    [question] = face.author.asked
    assert isinstance(question, Choose)
    assert "does not answer" in question.text
    await face.session.file.write_journal()
    assert [version.text for version in [Journal().pending(path)] if version is not None] == [MINE]
    disk.answers.set()


async def test_a_save_under_another_name_that_fails_leaves_the_file_open(path: Path, tmp_path: Path) -> None:
    face = await open_face(path)
    face.write(MINE)
    face.author.answers = [str(tmp_path / "no folder" / "y.yml"), "stay"]
    assert not await face.session.file.save_as()
    assert face.session.state.path == path
    assert await face.session.file.save()
    assert path.read_text("utf-8") == MINE != TEXT


async def test_the_name_that_failed_is_offered_again(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "no folder" / "y.yml"
    face = await open_face(path)
    face.write(MINE)
    face.author.answers = [str(other), "save_as", None]
    assert not await face.session.file.save_as()
    assert [getattr(question, "value", None) for question in face.author.asked] == [str(path), None, str(other)]
