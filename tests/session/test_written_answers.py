"""The author's own answers outlive the session in which they were written, however it ends."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from engine.evaluation.sources import WrittenSource
from engine.files.own_files import state_dir
from engine.files.user_settings import save_written_answers, written_answers
from tests.broken_disk import refuse_writing
from tests.session.faces import Author, Face

TEXT = "- id: a\n  prompt: Say it\n  should:\n    - $icontains: it\n- id: b\n  prompt: Say more\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.yml"
    path.write_text(TEXT, "utf-8")
    return path


async def writing(path: Path, author: Author | None = None) -> Face:
    """A session in which the author's own answer is the source."""
    face = Face(path, author)
    await face.settled()
    await face.choose(WrittenSource(""))
    await face.at("Say it")
    return face


def shown(face: Face) -> str:
    own = face.runs.views.answer().own
    assert own is not None
    return own.text


async def test_an_answer_is_on_disk_while_the_studio_runs(path: Path) -> None:
    face = await writing(path)
    face.runs.selection.write("It is.")
    await face.until(lambda: written_answers(path) == {"a": "It is."})


async def test_an_answer_that_was_not_run_is_there_again(path: Path) -> None:
    face = await writing(path)
    face.runs.selection.write("It is.")
    await face.close()
    again = await writing(path)
    assert shown(again) == "It is."


async def test_an_answer_that_was_changed_after_its_run_is_there_as_changed(path: Path) -> None:
    face = await writing(path)
    face.runs.selection.write("It is.")
    await face.f5()
    face.runs.selection.write("It is not.")
    await face.close()
    again = await writing(path)
    assert again.runs.state.written == {"a": "It is not."}


async def test_what_is_written_while_it_is_saved_is_saved_too(path: Path) -> None:
    face = await writing(path)
    face.runs.selection.write("It")
    await asyncio.sleep(0)
    face.runs.selection.write("It is.")
    await face.until(lambda: written_answers(path) == {"a": "It is."})


async def test_answers_go_with_a_file_that_is_saved_under_another_name(path: Path, tmp_path: Path) -> None:
    author = Author(str(tmp_path / "b.yml"))
    face = await writing(path, author)
    face.runs.selection.write("It is.")
    assert await face.session.file.save_as()
    await face.close()
    assert written_answers(tmp_path / "b.yml") == {"a": "It is."}


async def test_a_failure_is_reported_once_and_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    face = await writing(path)
    with monkeypatch.context() as patch:
        refuse_writing(patch, state_dir() / "answers", errno.ENOSPC)
        face.runs.selection.write("It")
        await face.until(lambda: face.author.messages)
        face.runs.selection.write("It is.")
        await face.settled()
    assert len([message for message in face.author.messages if message.startswith("Your own answers")]) == 1
    await face.close()
    assert written_answers(path) == {"a": "It is."}


async def test_those_of_another_prompt_are_shown_there(path: Path) -> None:
    save_written_answers(path, {"a": "one", "b": "two"})
    face = await writing(path)
    await face.at("Say more")
    assert shown(face) == "two"
