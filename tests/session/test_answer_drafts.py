"""An answer that is being edited outlives the studio, however it ends, until it is accepted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.evaluation.sources import WrittenSource
from engine.files.user_settings import answer_drafts
from studio.session.host import EditQuestion, Question
from tests.session.faces import Author, Face
from tests.session.small_file import TEXT

ANSWER = "It is 30 days.\nBy the lease.\n"


class Editing(Author):
    """Types in the editor of an answer, and accepts that when `accepts` is set."""

    def __init__(self, typed: str, *answers: Any) -> None:
        super().__init__(*answers)
        self.typed = typed
        self.accepts = asyncio.Event()

    async def ask(self, question: Question[Any]) -> Any:
        if not isinstance(question, EditQuestion):
            return await super().ask(question)
        self.asked.append(question)
        question.typed(self.typed)
        await self.accepts.wait()
        return self.typed

    @property
    def edits(self) -> list[EditQuestion]:
        """The questions for the text of an answer."""
        return [question for question in self.asked if isinstance(question, EditQuestion)]


async def editing(path: Path, author: Editing) -> Face:
    """A session whose author's own answer has been run, and is being edited."""
    face = Face(path, author)
    await face.settled()
    await face.choose(WrittenSource(""))
    await face.at("prompt: b")
    if not face.runs.state.written:
        face.runs.selection.write(ANSWER)
        face.runs.run_or_stop()
    await face.until(lambda: face.runs.selection.run is not None and not face.runs.selection.run.running)
    await face.settled()
    face.session.tasks.start("commands", edit(face))
    await face.until(lambda: author.edits)
    return face


async def edit(face: Face) -> None:
    await face.runs.edits.edit(face.runs.views.answer().turns[-1])


def drafts(path: Path) -> list[str]:
    return [*answer_drafts(path).values()]


async def test_it_is_on_disk_while_it_is_edited(path: Path) -> None:
    face = await editing(path, Editing("Typed."))
    await face.until(lambda: drafts(path) == ["Typed."])


async def test_it_is_there_when_the_answer_is_edited_again(path: Path) -> None:
    face = await editing(path, Editing("Typed."))
    await face.close()
    author = Editing("Typed on.")
    await editing(path, author)
    assert any("while you edited an answer" in message for message in author.messages)
    [question] = author.edits
    assert (question.value, question.draft) == (ANSWER, "Typed.")


async def test_it_is_removed_once_it_is_accepted(path: Path) -> None:
    author = Editing("Typed.")
    face = await editing(path, author)
    await face.until(lambda: drafts(path) == ["Typed."])
    author.accepts.set()
    await face.until(lambda: drafts(path) == [])


async def test_without_drafts_nothing_is_said(path: Path) -> None:
    author = Author()
    face = Face(path, author)
    await face.settled()
    assert author.messages == []


async def test_an_accepted_draft_is_the_answer(path: Path) -> None:
    author = Editing("Typed.")
    face = await editing(path, author)
    author.accepts.set()
    await face.until(lambda: (run := face.runs.selection.run) is not None and run.edited is not None)
    run = face.run
    assert run.response is not None
    assert run.response.subject == "Typed."


@pytest.fixture(autouse=True)
def with_points(path: Path) -> None:
    path.write_text(TEXT + "  should:\n    - $icontains: days\n", "utf-8")
