"""A file that another studio takes over, copies or saves over: both authors know, and both texts are there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.files.atomic import is_locked
from engine.files.journal import Journal
from engine.files.own_files import state_dir
from studio.session import blueprint_file, unsaved_text
from studio.session.host import Choose
from tests.session.faces import Face, open_face
from tests.session.other_studio import other_studio
from tests.session.small_file import MINE, TEXT, THEIRS, left, texts_left


def taken_over(path: Path) -> None:
    """As another studio does it. Blocks."""
    journal = Journal()
    journal.claim(path)
    journal.take_over(path)


async def opened_and_taken_over(path: Path) -> Face:
    """A session that typed `MINE` before another studio took the file over."""
    face = await open_face(path)
    face.write(MINE)
    await asyncio.to_thread(taken_over, path)
    await face.until(lambda: face.session.state.is_read_only)
    return face


def locked_entries() -> list[Path]:
    return [entry for entry in (state_dir() / "journal").glob("*.json") if is_locked(entry)]


async def test_the_owner_is_told_though_nothing_is_due_for_the_journal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unsaved_text, "JOURNAL_SECONDS", 3600.0)
    face = await open_face(path)
    taking = asyncio.create_task(asyncio.to_thread(taken_over, path))
    await face.until(lambda: face.session.state.is_read_only)
    await taking


async def test_a_file_taken_over_while_it_is_saved_stays_read_only(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = blueprint_file.save

    def saved_late(*given: Any, **options: Any) -> Any:
        taken_over(path)
        return real(*given, **options)

    face = await open_face(path)
    face.write(MINE)
    monkeypatch.setattr(blueprint_file, "save", saved_late)
    assert await face.session.file.save()
    await face.until(lambda: face.session.state.is_read_only)
    assert (path.read_text("utf-8"), face.session.state.unsaved) == (MINE, False)


async def test_the_former_owner_writes_no_journal_of_its_own(path: Path) -> None:
    face = await opened_and_taken_over(path)
    await face.session.file.write_journal()  # as before a run
    assert locked_entries() == []
    assert texts_left(path) == [MINE]


async def test_what_the_former_owner_typed_in_the_last_moment_is_a_version(path: Path) -> None:
    face = await opened_and_taken_over(path)
    face.write(MINE + "# last\n")
    await face.session.file.write_journal()
    assert locked_entries() == []
    assert MINE + "# last\n" in texts_left(path)


async def test_the_name_of_the_file_itself_is_asked_about_once_it_is_taken_over(path: Path) -> None:
    face = await opened_and_taken_over(path)
    path.write_text(THEIRS, "utf-8")
    face.author.answers = [str(path), "stay"]
    assert not await face.session.file.save_as()
    assert "there already" in face.author.asked[-1].text  # pyright: ignore[reportAttributeAccessIssue]
    assert path.read_text("utf-8") == THEIRS


async def test_a_file_that_another_studio_has_open_is_saved_over_only_by_choice(path: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yml"
    mine.write_text(TEXT, "utf-8")
    with other_studio(path) as other:
        face = await open_face(mine)
        face.write(MINE)
        face.author.answers = [str(path), "stay"]
        assert not await face.session.file.save_as()
        question = face.author.asked[-1]
        assert isinstance(question, Choose)
        assert f"pid {other.process.pid}, which becomes read-only" in question.text
        assert path.read_text("utf-8") == TEXT


async def test_a_studio_whose_file_is_saved_over_is_read_only(path: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yml"
    mine.write_text(TEXT, "utf-8")
    with other_studio(path) as other:
        other.does("write", THEIRS)
        face = await open_face(mine)
        face.write(MINE)
        face.author.answers = [str(path), "overwrite"]
        assert await face.session.file.save_as()
        assert other.does("read-only")["text"] == THEIRS
        assert (path.read_text("utf-8"), texts_left(path)) == (MINE, [THEIRS])


async def test_two_copies_have_two_names(path: Path) -> None:
    with other_studio(path), other_studio(path, "copy"):
        face = await open_face(path, "copy")
        assert face.session.state.path.name == "x-copy-2.yml"


async def test_a_copy_does_not_take_the_name_of_text_that_was_left(path: Path) -> None:
    left(path.with_name("x-copy.yml"), "left\n")
    with other_studio(path):
        face = await open_face(path, "copy")
        assert face.session.state.path.name == "x-copy-2.yml"


async def test_a_text_that_is_not_shown_yet_is_not_saved_over(path: Path) -> None:
    """The file is read, and the editor still has the text of before, when the author saves."""
    face = await open_face(path)
    path.write_text(THEIRS, "utf-8")
    face.stops_showing()
    await face.session.file.reload()
    assert not await face.session.file.save()
    assert path.read_text("utf-8") == THEIRS


async def test_what_is_replaced_is_what_the_author_was_told_of(path: Path) -> None:
    face = await open_face(path)
    face.write(MINE)
    path.write_text("first\n", "utf-8")

    def changes_again(_: Any) -> str:
        path.write_text("second\n", "utf-8")
        return "overwrite"

    face.author.answers = [changes_again, "stay"]
    assert not await face.session.file.save()
    assert len(face.author.asked) == 2
    assert path.read_text("utf-8") == "second\n"


async def test_a_file_that_appears_while_its_name_is_chosen_is_asked_about(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.yml"
    real = blueprint_file.save

    def created_first(*given: Any, **options: Any) -> Any:
        other.write_text(THEIRS, "utf-8")
        return real(*given, **options)

    face = await open_face(path)
    face.write(MINE)
    monkeypatch.setattr(blueprint_file, "save", created_first)
    face.author.answers = [str(other), "stay"]
    assert not await face.session.file.save_as()
    assert other.read_text("utf-8") == THEIRS
    assert face.session.state.path == path
