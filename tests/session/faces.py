"""A face of a session without a terminal: a text that is edited by offsets, keys, and an author who is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from engine.files.open_files import OpenedFile, open_file
from engine.models.http import close_clients
from engine.scoring.assessment import Grade
from engine.store import PastRun
from engine.text.spans import apply_edits
from studio.session.fixes import TextChange
from studio.session.host import Question, RunQuestion, Severity, telling
from studio.session.resources import Resources
from studio.session.session import Session
from studio.session.state import Snapshot, State
from tests.session.seen import Seen

SECONDS = 60.0
Value = TypeVar("Value")
OPEN: list[Face] = []
"""The faces that are open. At the end of a test of a session they are closed."""


class Author:
    """Answers each question with what stands first in `answers`, and remembers what was asked and told."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Question[Any]] = []
        self.messages: list[str] = []
        self.faults: list[BaseException] = []

    async def ask(self, question: Question[Any]) -> Any:
        """The next answer; a function is called with the question."""
        self.asked.append(question)
        answer = self.answers.pop(0) if self.answers else None
        return answer(question) if callable(answer) else answer

    def notify(self, message: str, severity: Severity = Severity.INFORMATION, *, seconds: float = 5) -> None:
        """Remember the message."""
        self.messages.append(message)

    def fail(self, error: BaseException) -> None:
        """Remember the fault."""
        self.faults.append(error)


class Face(Seen):
    """One open file: its text, the session that knows of it, and keys that wait until all that follows is done."""

    def __init__(
        self,
        path: Path,
        author: Author | None = None,
        resources: Resources | None = None,
        *,
        opening: Callable[[Path], OpenedFile] = open_file,
    ) -> None:
        with ThreadPoolExecutor(1) as beside:  # as a program opens it before its loop
            file = beside.submit(opening, path).result()
        self.author = author or Author()
        self.resources = resources or Resources()
        self.text = file.text
        self._revision = 0
        self._loaded = 0
        self.session = Session(file, self.snapshot(), self.author, self.resources)
        self.seen_states: list[State] = []
        self.stops_showing = self.session.subscribe(self._changed)
        """Nothing that is loaded is shown from now on."""
        OPEN.append(self)
        self.session.begin()

    def _seen(self) -> Session:
        return self.session

    def snapshot(self) -> Snapshot:
        """The text as it is now."""
        return Snapshot(self._revision, self.text)

    def write(self, text: str) -> None:
        """Let the text be another; a cursor behind the change goes along."""
        cursor, longer = self.session.state.cursor, len(text) - len(self.text)
        same = next((at for at, (one, other) in enumerate(zip(self.text, text, strict=False)) if one != other), cursor)
        self.text = text
        self._revision += 1
        self.session.edit(self.snapshot())
        if cursor > same:
            self.session.move(max(same, cursor + longer))

    def replace(self, old: str, new: str) -> None:
        """Write `new` in the place of `old`, which stands there once."""
        assert self.text.count(old) == 1
        self.write(self.text.replace(old, new))

    def apply(self, change: TextChange | None) -> None:
        """Make the edits of a change of this very text."""
        assert change is not None
        assert change.revision == self._revision
        self.write(apply_edits(self.text, change.edits))

    def cursor_at(self, written: str) -> None:
        """Put the cursor where `written` stands."""
        self.session.move(self.text.index(written))

    # --- Keys

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

    async def obey(self, command: Awaitable[Value]) -> Value | None:
        """What a command returns; None where it is not done, of which the author is told why."""
        with telling(self.author):
            return await command
        return None

    async def open_criterion(self, written: str) -> bool:
        """Show all answers of the criterion that stands first where `written` is; whether there is one."""
        at = self.text.index(written)
        self.session.move(at)
        with telling(self.author):
            await self.runs.criterion.open(None, at)
            return True
        return False

    async def again(self) -> None:
        """Run the criterion whose answers are shown."""
        await self.obey(self.runs.criterion.again())
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
        view = await self.obey(self.runs.history.view())
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

    # --- Waiting

    async def settled(self) -> None:
        """Wait until a loaded text is shown, the newest is checked with all rules and nothing goes on that ends."""
        for _ in range(2):
            await self.until(lambda: self._is_settled)
            await asyncio.sleep(0)  # who follows the newest state is told, and may begin something

    @property
    def _is_settled(self) -> bool:
        state, runs = self.session.state, self.session.runs
        is_checked = state.is_current and state.analysis is not None and state.analysis.complete
        goes_on = self.session.tasks.busy - {"journal", "clock"}
        is_shown = self.session.state.file.loaded.number == self._loaded
        return is_shown and is_checked and runs is not None and not runs.queue.is_running and not goes_on

    async def until(self, done: Callable[[], object]) -> None:
        """Wait until `done` is true."""
        deadline = asyncio.get_running_loop().time() + SECONDS
        while not done():
            assert asyncio.get_running_loop().time() < deadline, "it did not happen"
            await asyncio.sleep(0.002)

    async def close(self) -> None:
        """Close the file, in which nothing has failed, and what was opened for it."""
        OPEN.remove(self)
        self.session.close()
        await self.session.closed()
        await close_clients()
        await asyncio.to_thread(self.resources.close)
        assert self.author.faults == []

    def _changed(self, before: State, now: State) -> None:
        self.seen_states.append(now)
        loaded = self.session.state.file.loaded
        if loaded.number != self._loaded:
            self._loaded = loaded.number
            if loaded.revision in (None, self._revision):
                self.write(loaded.text if loaded.revision is None else apply_edits(self.text, loaded.edits))
                self.session.file.shown(loaded)
            else:
                self.session.look_at_file()


async def open_face(
    path: Path, *answers: Any, text: str | None = None, at: str = "", opening: Callable[[Path], OpenedFile] = open_file
) -> Face:
    """A face of the file at `path`, or at `x.yml` in that folder, once it is checked; `answers` are the author's.

    `text` is written to it before. The cursor is at `at`.
    """
    path = path / "x.yml" if path.is_dir() else path
    if text is not None:
        path.write_text(text, "utf-8")
    face = Face(path, Author(*answers), opening=opening)
    await face.settled()
    if at:
        await face.at(at)
    return face


@asynccontextmanager
async def at_work(path: Path, text: str | None = None, *answers: Any, **options: Any) -> AsyncIterator[Face]:
    """The same, which is closed at the end: for files that are opened again, and what is looked at behind it."""
    face = await open_face(path, *answers, text=text, **options)
    try:
        yield face
    finally:
        if face in OPEN:
            await face.close()
