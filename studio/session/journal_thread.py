"""What is written behind an open file: its recovery journal, its saves in turn, and that it was opened."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from engine.files.journal import Journal
from engine.files.own_files import report_state_unwritable, state_is_writable
from engine.files.processes import HeldElsewhere, ProcessIdentity
from engine.text.record import Record

JOURNAL_SECONDS = 1.0
"""The interval of the journal. A write takes far less than another second, so it is at most two seconds behind."""
_OWNER_SECONDS = 0.2
"""How often to look whether another studio takes the file over."""


class Unsaved(Record):
    """The text of a file for the journal; None if nothing is unsaved. `base_digest` is that of the file on disk."""

    path: Path
    text: str | None
    base_digest: str | None


class JournalThread:
    """Writes the newest unsaved text every second if it changed, and lets go of it when another process asks.

    A journal that cannot be written is reported once. `taken_over` is called in a thread.
    """

    def __init__(
        self,
        journal: Journal,
        unsaved: Unsaved,
        *,
        taken_over: Callable[[Path, ProcessIdentity], None],
    ) -> None:
        self._journal = journal
        self._taken_over = taken_over
        self._wanted = (0, unsaved)
        self._written = 0
        self._has_failed = False
        self._is_owner = True
        self._writing = threading.Lock()
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start writing."""
        if not self._stopping:
            self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()

    def put(self, unsaved: Unsaved) -> None:
        """Set what is to be in the journal. Never blocks."""
        number, before = self._wanted
        is_same_text = unsaved.text is before.text  # to compare them takes the longer, the longer they are
        if not is_same_text or (unsaved.path, unsaved.base_digest) != (before.path, before.base_digest):
            self._wanted = (number + 1, unsaved)

    def own(self, *, is_owner: bool) -> None:
        """Set whether the file is this studio's. If not, what is still written becomes a version at once. Blocks."""
        with self._writing:
            self._is_owner = is_owner
            if not is_owner:
                self._journal.release()

    def wake(self) -> None:
        """Write now, in the thread. Never blocks."""
        self._wake.set()

    def flush(self) -> bool:
        """Write now, and wait for it; whether everything is written."""
        self._write()
        return self._written == self._wanted[0]

    def lets_go(self) -> bool:
        """Let go of the journal if another process asks for that; whether the file is not this studio's now."""
        with self._writing:
            try:
                asked = self._journal.taken_over_by()
            except OSError:  # the folder cannot be read; writing reports that
                return False
            if asked is None:
                return not self._is_owner
            self._write_newest()
            self._journal.release()
            self._is_owner = False
        self._taken_over(*asked)
        return True

    def stop(self) -> None:
        """Write for the last time and let go of the journal, in the thread; `join` waits for that."""
        self._stopping = True
        self._wake.set()

    def join(self) -> None:
        """Wait for the end after `stop`."""
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        due = time.monotonic() + JOURNAL_SECONDS
        while not self._stopping:
            is_woken = self._wake.wait(max(0.0, min(_OWNER_SECONDS, due - time.monotonic())))
            self._wake.clear()
            if is_woken or time.monotonic() >= due:
                due = time.monotonic() + JOURNAL_SECONDS  # from the beginning of a write, which may take long
                self._write()
            self.lets_go()
        self._write()
        self._journal.release()

    def _write(self) -> None:
        with self._writing:
            self._write_newest()

    def _write_newest(self) -> None:
        number, unsaved = self._wanted
        if number == self._written:
            return
        try:
            if unsaved.text is None:
                self._journal.clear(unsaved.path)
            else:
                self._journal.write(unsaved.path, unsaved.text, unsaved.base_digest)
                if not self._is_owner:
                    self._journal.release()
        except OSError as error:
            self._has_failed = True
            report_state_unwritable(error)
            return
        self._written = number
        if self._has_failed and unsaved.text is not None:
            self._has_failed = False
            state_is_writable()


Result = TypeVar("Result")


class WriteQueue:
    """Lets one write begin when those before it have ended. Use it on one event loop."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a write has not ended, be it that it has not begun."""
        return bool(self._tasks)

    async def write(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of `work`, which begins in its turn and goes on to its end even if the caller is cancelled."""
        task = asyncio.get_running_loop().create_task(self._in_turn(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _in_turn(self, work: Coroutine[Any, Any, Result]) -> Result:
        async with self._turn:
            return await work

    async def settled(self, seconds: float) -> bool:
        """Wait up to `seconds` until no write is under way; whether that is so."""
        end = time.monotonic() + seconds
        while self._tasks and (left := end - time.monotonic()) > 0:
            await asyncio.wait(self._tasks, timeout=left)
        return not self._tasks


async def tried(work: Callable[[], Result], otherwise: Result) -> Result:
    """What `work` returns, in a thread; `otherwise` where the program's own files fail, which is reported once."""
    try:
        return await asyncio.to_thread(work)
    except HeldElsewhere:  # a studio that stands still has the list of files
        return otherwise
    except OSError as error:
        report_state_unwritable(error)
        return otherwise
