"""An author at work on one file without a terminal: keys that run, judge and grade, and what comes of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from engine.files.open_files import OpenedFile, open_file
from engine.scoring.assessment import Grade
from engine.store import PastRun
from studio.session.questions import RunQuestion
from studio.session.session import Session
from tests.session.faces import Author, Face
from tests.session.seen import Seen


class AtWork(Seen, Face):
    """A face with the keys of an author. Each waits until all that follows is done."""

    def _seen(self) -> Session:
        return self.session

    def write(self, text: str) -> None:
        """Let the text be another; a cursor behind the change goes along."""
        cursor, longer = self.session.state.cursor, len(text) - len(self.text)
        same = next((at for at, (one, other) in enumerate(zip(self.text, text, strict=False)) if one != other), cursor)
        super().write(text)
        if cursor > same:
            self.session.move(max(same, cursor + longer))

    async def at(self, written: str) -> None:
        """Put the cursor where `written` stands first in the text."""
        self.session.move(self.text.index(written))
        await self.settled()

    async def rewrite(self, text: str) -> None:
        """Let the text be another."""
        self.write(text)
        await self.settled()

    async def f5(self, *, fresh: bool = False) -> None:
        """Run the prompt at the cursor; `fresh`, as Ctrl+N does, asks models again."""
        self.runs.run_or_stop(fresh=fresh)
        await self.settled()

    async def f6(self) -> None:
        """Run all prompts."""
        self.runs.run_all_or_stop()
        await self.settled()

    async def judge(self) -> None:
        """Have what is open judged."""
        self.runs.judge_or_stop()
        await self.settled()

    async def grade(self, point: int, grade: Grade | None) -> None:
        """Grade a point of the run that is shown, from 0."""
        await self.runs.grade(point, grade)
        await self.settled()

    async def change(self, written: str, new: str) -> None:
        """Write `new` in the place of `written`, which stands there once."""
        self.replace(written, new)
        await self.settled()

    async def edit(self, text: str, turn: int | None = None) -> None:
        """Write `text` in the place of the answer, or of a turn of the conversation, from 0."""
        self.author.answers.append(text)
        await self.runs.edits.edit(self.turns[-1 if turn is None else turn])
        await self.settled()

    async def generate(self, turn: int) -> None:
        """Have a turn of the conversation, from 0, and those after it generated again."""
        await self.runs.edits.regenerate(self.turns[turn])
        await self.settled()

    async def earlier(self) -> Sequence[PastRun]:
        """The earlier runs of the prompt, the newest first."""
        view = await self.runs.history.view()
        return () if view is None else view.runs

    @property
    def asked_to_send(self) -> RunQuestion:
        """The one question that was asked, which is whether a plan may be sent."""
        (asked,) = self.author.asked
        assert isinstance(asked, RunQuestion)
        return asked

    @property
    def told(self) -> list[str]:
        """The messages that the author was told."""
        return self.author.messages


@asynccontextmanager
async def at_work(
    path: Path, text: str | None = None, *answers: Any, at: str = "", opening: Callable[[Path], OpenedFile] = open_file
) -> AsyncIterator[AtWork]:
    """An author, who answers questions with `answers`, at the file at `path`, or at `x.yml` in that folder.

    `text` is written to it before. The cursor is at `at`. Nothing has failed at the end.
    """
    path = path / "x.yml" if path.is_dir() else path
    if text is not None:
        path.write_text(text, "utf-8")
    face = AtWork(path, Author(*answers), opening=opening)
    try:
        await face.settled()
        if at:
            await face.at(at)
        yield face
    finally:
        await face.close()
    assert face.author.faults == []
