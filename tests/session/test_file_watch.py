"""A file that another program changes while it is open: loaded again if nothing is typed, else asked about."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.files.journal import Journal
from engine.files.open_files import LONGEST_SECONDS, QUIET_MS, CannotSave
from engine.text.text_limits import FILE_BYTES
from studio.session import blueprint_file
from studio.session.host import Choose, DifferenceQuestion
from tests.session.faces import Face, open_face
from tests.session.small_file import MINE, TEXT, THEIRS

NEWER = "# newer\n" + TEXT
Write = Callable[[Path, str], None]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blueprint_file, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(blueprint_file, "REST_SECONDS", 0.01)


def replaced(path: Path, text: str) -> None:
    """As most editors save."""
    beside = path.with_name("beside")
    beside.write_text(text, "utf-8")
    beside.replace(path)


def rewritten(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def emptied_first(path: Path, text: str) -> None:
    """Written in two steps, with a fifth of a second between them."""
    with path.open("w", encoding="utf-8") as file:
        time.sleep(0.2)
        file.write(text)


def in_pieces(path: Path, text: str) -> None:
    """Written line by line."""
    with path.open("w", encoding="utf-8") as file:
        for line in text.splitlines(keepends=True):
            file.write(line)
            file.flush()
            time.sleep(0.1)


def gone_first(path: Path, text: str) -> None:
    path.unlink()
    time.sleep(0.2)
    path.write_text(text, "utf-8")


async def asked(face: Face, times: int = 1) -> DifferenceQuestion:
    """The last of so many questions."""
    await face.until(lambda: len(face.author.asked) >= times)
    await face.settled()
    assert len(face.author.asked) == times
    question = face.author.asked[-1]
    assert isinstance(question, DifferenceQuestion)
    return question


async def looked(face: Face) -> None:
    """Whatever the watch may find by now is found."""
    await face.session.file.look()
    await asyncio.sleep(0.1)
    await face.settled()


# --- A text without changes


@pytest.mark.parametrize("write", [replaced, rewritten, emptied_first, in_pieces, gone_first])
async def test_a_text_without_changes_is_loaded_again_and_never_shown_empty(path: Path, write: Write) -> None:
    face = await open_face(path)
    shown: list[str] = []
    face.session.subscribe(lambda _before, _now: shown.append(face.text))
    await asyncio.to_thread(write, path, THEIRS)
    await face.until(lambda: face.text == THEIRS)
    await face.settled()
    assert set(shown) <= {TEXT, THEIRS}
    assert (face.session.state.unsaved, face.author.asked) == (False, [])
    assert face.author.messages == ["Reloaded x.yml: it changed on disk. Ctrl+Z undoes it."]


async def test_a_change_is_noticed_within_a_second(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blueprint_file, "FIRST_SECONDS", 0.25)
    face = await open_face(path)
    await asyncio.sleep(0.5)
    began = time.monotonic()
    rewritten(path, THEIRS)
    await face.until(lambda: face.text == THEIRS)
    assert time.monotonic() - began < 10  # where the machine is busy
    assert LONGEST_SECONDS + QUIET_MS / 1000 < 0.9


async def test_a_link_is_followed(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.yml"
    link.symlink_to(path)
    face = await open_face(link)
    replaced(path, THEIRS)
    await face.until(lambda: face.text == THEIRS)


async def test_the_same_bytes_again_are_no_change(path: Path) -> None:
    face = await open_face(path)
    os.utime(path, ns=(1, 1))
    await looked(face)
    replaced(path, TEXT)
    await looked(face)
    assert (face.text, face.author.messages, face.session.state.file.loaded.number) == (TEXT, [], 0)


async def test_what_the_studio_saves_is_not_taken_for_the_work_of_another(path: Path) -> None:
    face = await open_face(path)
    for number in range(5):
        face.write(f"# {number}\n{TEXT}")
        assert await face.session.file.save()
    await looked(face)
    assert (face.author.asked, face.session.state.file.loaded.number) == ([], 0)


async def test_what_was_written_before_the_watch_began_is_noticed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blueprint_file, "FIRST_SECONDS", 0.3)
    face = Face(path)
    rewritten(path, THEIRS)
    await face.until(lambda: face.text == THEIRS)


async def test_what_is_typed_while_it_is_loaded_is_not_lost(path: Path) -> None:
    face = await open_face(path, "stay")
    await face.session.file._load(THEIRS, None, face.session.state.text)
    face.write(MINE)  # before the face hears of the other text
    await looked(face)
    assert face.text == MINE
    rewritten(path, THEIRS)
    await asked(face)
    assert (face.text, face.session.state.unsaved) == (MINE, True)


# --- A file that cannot be shown


async def test_a_file_that_is_gone_leaves_the_text_unsaved_until_it_comes_back(path: Path) -> None:
    face = await open_face(path)
    path.unlink()
    await face.until(lambda: face.session.state.unsaved)
    assert face.author.messages == ["x.yml: The file is no longer there. Your text stays here, unsaved."]
    await face.session.file.write_journal()
    found = Journal().pending(path)
    assert found is not None
    assert found.text == TEXT
    rewritten(path, TEXT)
    await face.until(lambda: not face.session.state.unsaved)
    path.unlink()
    await face.until(lambda: face.session.state.unsaved)
    rewritten(path, THEIRS)
    await face.until(lambda: face.text == THEIRS)
    assert (face.session.state.unsaved, face.author.asked) == (False, [])


async def test_a_folder_that_is_gone_leaves_the_text_unsaved(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    path = folder / "x.yml"
    face = await open_face(path, text=TEXT)
    folder.rename(tmp_path / "other")
    await face.until(lambda: face.session.state.unsaved)
    assert face.text == TEXT
    face.author.answers = ["stay"]
    assert not await face.session.file.save()
    (tmp_path / "other").rename(folder)
    await face.until(lambda: not face.session.state.unsaved)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"- id: \xff\n", "Line 1 is not UTF-8 (byte 0xff)."),
        ("- id: a\n".encode("utf-16"), "The file is UTF-16."),
        (b"\0\0\0", "This looks like a binary file."),
        (b"#" * (FILE_BYTES + 1), "The file has more than 4 MB"),
    ],
    ids=["latin-1", "utf-16", "binary", "too long"],
)
async def test_a_file_that_cannot_be_edited_leaves_the_text(path: Path, content: bytes, why: str) -> None:
    face = await open_face(path)
    path.write_bytes(content)
    await face.until(lambda: face.session.state.unsaved)
    [told] = face.author.messages
    assert told.startswith("x.yml: Something else changed the file since you opened it. ")
    assert told.endswith(" Your text stays here, unsaved.")
    assert (face.text, face.session.state.is_read_only) == (TEXT, False)
    assert why in told


async def test_a_folder_in_the_place_of_the_file_leaves_the_text(path: Path) -> None:
    face = await open_face(path)
    path.unlink()
    path.mkdir()
    await face.until(lambda: face.session.state.unsaved)
    assert "This is a folder." in face.author.messages[-1]


# --- A text with changes


async def test_a_text_with_changes_asks_once_with_the_difference(path: Path) -> None:
    face = await open_face(path, "stay", "stay")
    face.write(MINE)
    rewritten(path, THEIRS)
    question = await asked(face)
    assert (question.before, question.after) == (MINE, THEIRS)
    assert [choice.id for choice in question.choices] == ["stay", "keep", "reload", "save_as"]
    os.utime(path, ns=(1, 1))
    await looked(face)
    assert (len(face.author.asked), face.text) == (1, MINE)
    replaced(path, NEWER)
    assert (await asked(face, 2)).after == NEWER


async def test_theirs_can_be_taken(path: Path) -> None:
    face = await open_face(path, "reload")
    face.write(MINE)
    rewritten(path, THEIRS)
    await asked(face)
    assert (face.text, face.session.state.unsaved) == (THEIRS, False)


async def test_mine_that_is_kept_is_saved_without_another_question(path: Path) -> None:
    face = await open_face(path, "keep")
    face.write(MINE)
    rewritten(path, THEIRS)
    await asked(face)
    assert await face.session.file.save()
    assert (path.read_text("utf-8"), len(face.author.asked)) == (MINE, 1)


async def test_a_question_without_an_answer_is_asked_again_when_the_text_is_saved(path: Path) -> None:
    face = await open_face(path, None, "stay")
    face.write(MINE)
    rewritten(path, THEIRS)
    await asked(face)
    assert not await face.session.file.save()
    assert (await asked(face, 2)).choices[0].id == "overwrite"
    assert (path.read_text("utf-8"), face.session.state.unsaved) == (THEIRS, True)


async def test_the_agreement_to_replace_a_text_holds_for_no_other(path: Path) -> None:
    face = await open_face(path, "keep", None, "stay")
    face.write(MINE)
    rewritten(path, THEIRS)
    await asked(face)
    replaced(path, NEWER)
    await asked(face, 2)
    assert not await face.session.file.save()
    assert path.read_text("utf-8") == NEWER
    face.author.answers = ["overwrite"]
    assert await face.session.file.save()
    rewritten(path, THEIRS)  # which was agreed to once
    await face.until(lambda: face.text == THEIRS)


async def test_a_text_that_saving_asked_about_is_not_asked_about_again(path: Path) -> None:
    face = await open_face(path, "stay")
    face.write(MINE)
    file = face.session.file
    rewritten(path, THEIRS)
    assert not await file.save()
    await looked(face)
    assert len(face.author.asked) == 1


async def test_nobody_is_asked_while_something_is_typed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blueprint_file, "REST_SECONDS", 0.2)
    face = await open_face(path, "stay")
    face.write(MINE)
    rewritten(path, THEIRS)
    for number in range(30):
        face.write(f"{MINE}# {number}\n")
        await asyncio.sleep(0.02)
    assert face.author.asked == []
    await asked(face)


# --- The thread


async def test_the_watch_ends_with_the_session(path: Path) -> None:
    others = set(threading.enumerate())
    face = await open_face(path)
    [watch] = [thread for thread in {*threading.enumerate()} - others if thread.name == "file watch"]
    assert watch.daemon
    await face.close()
    await asyncio.to_thread(watch.join, 60)
    assert not watch.is_alive()


async def test_settings_that_another_program_writes_count_without_an_edit(path: Path) -> None:
    face = await open_face(path)
    analysis = await face.session.checked()
    assert analysis.diagnostics
    codes = sorted({each.code for each in analysis.diagnostics})
    (path.parent / "blueprint-studio.toml").write_text(f"ignore = {codes}\n", "utf-8")
    await face.until(lambda: face.session.state.analysis and not face.session.state.analysis.diagnostics)


# --- A save that takes its time: leaving waits for it, nothing interrupts it, and it never asks about its own work


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
