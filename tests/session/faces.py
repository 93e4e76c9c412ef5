"""A face of a session without a terminal: a text that is edited by offsets, and an author who answers questions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engine.files.open_files import OpenedFile, open_file
from engine.models.http import close_clients
from engine.text.spans import apply_edits
from studio.session.fixes import TextChange
from studio.session.host import Question, Severity
from studio.session.resources import Resources
from studio.session.runs import Runs
from studio.session.session import Session
from studio.session.state import Snapshot, State

SECONDS = 60.0


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


class Face:
    """One open file: its text, and the session that knows of it."""

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
        self._contents = {file.text: 0}
        self.session = Session(file, self.snapshot(), self.author, self.resources)
        self.seen_states: list[State] = []
        self.stops_showing = self.session.subscribe(self._changed)
        """Nothing that is loaded is shown from now on."""
        self.session.begin()

    def snapshot(self) -> Snapshot:
        """The text as it is now."""
        content = self._contents.setdefault(self.text, self._revision)
        return Snapshot(self._revision, content, self.text)

    def write(self, text: str) -> None:
        """Let the text be another."""
        self.text = text
        self._revision += 1
        self.session.edit(self.snapshot())

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

    @property
    def runs(self) -> Runs:
        """The runs, which are loaded."""
        assert self.session.runs is not None
        return self.session.runs

    async def settled(self) -> None:
        """Wait until a loaded text is shown, the newest is checked with all rules and nothing goes on that ends."""
        await self.until(lambda: self._is_settled)

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
        """Close the file, and what was opened for it."""
        self.session.close()
        await self.session.closed()
        await close_clients()
        await asyncio.to_thread(self.resources.close)

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


OpenFace = Callable[..., Awaitable[Face]]
"""Opens a file at a path for an author with these answers."""
