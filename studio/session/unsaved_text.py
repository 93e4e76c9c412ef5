"""What is written behind an open file, and the questions: where it is open elsewhere, unsaved text was left, or text
could be lost.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from engine.files.journal import Journal, JournalState, Recovered
from engine.files.open_files import ChangedOnDisk
from engine.files.own_files import report_state_unwritable, state_is_writable
from engine.files.processes import HeldElsewhere, ProcessIdentity, exclusively, this_host, this_process
from engine.text.record import Record
from engine.text.spans import visible
from studio.session.host import Choice, Choose, DifferenceQuestion, Host, Severity, choose

JOURNAL_SECONDS = 1.0
"""The interval of the journal. A write takes far less than another second, so it is at most two seconds behind."""
_OWNER_SECONDS = 0.2
"""How often to look whether another studio takes the file over."""
_CLOSING_SECONDS = 2.0
"""How long a file of this very process may take to be closed before it is opened again."""
_POLL_SECONDS = 0.02


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
        self._wanted = self._written = unsaved
        self._has_failed = False
        self._is_owner = True
        self._writing = threading.RLock()
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
        before = self._wanted
        is_same_text = unsaved.text is before.text  # to compare them takes the longer, the longer they are
        if not is_same_text or (unsaved.path, unsaved.base_digest) != (before.path, before.base_digest):
            self._wanted = unsaved

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
        return self._written is self._wanted

    def lets_go(self) -> bool:
        """Let go of the journal if another process asks for that; whether the file is not this studio's now."""
        with self._writing:
            try:
                asked = self._journal.taken_over_by()
            except OSError:  # the folder cannot be read; writing reports that
                return False
            if asked is None:
                return not self._is_owner
            self._write()
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
            unsaved = self._wanted
            if unsaved is self._written:
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
            self._written = unsaved
            if self._has_failed and unsaved.text is not None:
                self._has_failed = False
                state_is_writable()


Result = TypeVar("Result")


class WriteQueue:
    """Lets one write begin when those before it have ended. Use it on one event loop."""

    def __init__(self) -> None:
        self._last: asyncio.Task[Any] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a write has not ended, be it that it has not begun."""
        return self._last is not None and not self._last.done()

    async def write(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of `work`, which begins in its turn and goes on to its end even if the caller is cancelled."""
        self._last = task = asyncio.get_running_loop().create_task(self._after(self._last, work))
        return await asyncio.shield(task)

    async def _after(self, before: asyncio.Task[Any] | None, work: Coroutine[Any, Any, Result]) -> Result:
        if before is not None:
            await asyncio.wait([before])
        return await work

    async def settled(self, seconds: float) -> bool:
        """Wait up to `seconds` until no write is under way; whether that is so."""
        end = time.monotonic() + seconds
        while self._last is not None and self.is_busy and (left := end - time.monotonic()) > 0:
            await asyncio.wait([self._last], timeout=left)
        return not self.is_busy


async def tried(work: Callable[[], Result], otherwise: Result) -> Result:
    """What `work` returns, in a thread; `otherwise` where the program's own files fail, which is reported once."""
    try:
        return await asyncio.to_thread(work)
    except HeldElsewhere:  # a studio that stands still has the list of files
        return otherwise
    except OSError as error:
        report_state_unwritable(error)
        return otherwise


class Recovery:
    """Asks the author about the journal of one file. Blocking work is done in threads."""

    def __init__(self, journal: Journal, host: Host) -> None:
        self._journal = journal
        self._host = host

    async def claim(self, path: Path) -> JournalState:
        """Own `path` in the journal; its state. What cannot be used is reported and keeps no file from opening."""
        return await tried(lambda: self._claim(path), JournalState())

    def _claim(self, path: Path) -> JournalState:
        self._journal.prepare()
        self._journal.claim(path)
        end = time.monotonic() + _CLOSING_SECONDS
        state = self._journal.state(path)
        while this_process() in state.owners and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
            state = self._journal.state(path)
        return state

    async def state(self, path: Path) -> JournalState:
        """What the journal has of `path`; nothing where it cannot be read."""
        return await tried(lambda: self._journal.state(path), JournalState())

    async def take(self, path: Path) -> None:
        """Own `path` in the journal; who has it open becomes read-only."""
        if (await self.claim(path)).owners:
            await self.take_over(path)

    async def copy(self, path: Path) -> Path:
        """Own a path beside `path` that nobody else uses: neither the disk nor the journal knows it."""
        return await tried(lambda: self._copy(path), None) or await asyncio.to_thread(_free_name, path)

    def _copy(self, path: Path) -> Path:
        with exclusively("copies"):
            names = (name for name in _copy_names(path) if not name.exists())
            copy = next(name for name in names if self._journal.state(name) == JournalState())
            self._journal.claim(copy)
        return copy

    async def take_over(self, path: Path) -> None:
        """Have the other owners of `path` let go."""
        state = await tried(lambda: self._journal.take_over(path), JournalState())
        if state.owners:
            text = "The other studio does not answer. It becomes read-only as soon as it goes on."
            self._host.notify(text, Severity.WARNING, seconds=8)

    async def choose(
        self, name: str, versions: Sequence[Recovered], present: str, digest: str | None
    ) -> Recovered | None:
        """Offer versions, newest first, each with what it changes in `present`; the one to take up, None for none."""
        left = list(versions)
        while left:
            version = left[0] if len(left) == 1 else await self._which(name, left, present)
            if version is None:
                return None
            match await self._host.ask(_offer(name, version, present, digest)):
                case "take":
                    return version
                case "drop":
                    await self._give_up(version)
                    left.remove(version)
                case _ if len(left) == 1:
                    return None
                case _:
                    pass
        return None

    async def _which(self, name: str, versions: Sequence[Recovered], present: str) -> Recovered | None:
        choices = [
            Choice(str(number), f"The text of {_when(version)}", _size(version, present))
            for number, version in enumerate(versions)
        ]
        choices.append(Choice("later", "Decide later", "All of them stay."))
        text = f"There are {len(versions)} texts of this file that were not saved. Choose one to see what it changes."
        given = await self._host.ask(Choose(name, text, choices))
        return None if given is None or given == "later" else versions[int(given)]

    async def _give_up(self, version: Recovered) -> None:
        try:
            await asyncio.to_thread(self._journal.give_up, version)
        except OSError as error:
            self._host.notify(f"The text cannot be removed: {error.strerror or error}.", Severity.WARNING)


def _copy_names(path: Path) -> Iterator[Path]:
    for number in count(1):
        yield path.with_name(f"{path.stem}-copy{'' if number == 1 else f'-{number}'}{path.suffix}")


def _free_name(path: Path) -> Path:
    return next(name for name in _copy_names(path) if not name.exists())


def elsewhere(owner: ProcessIdentity) -> str:
    """Where a file is open: `open in another studio, pid 123`."""
    if owner.host in ("", this_host()):
        return f"open in another studio, pid {owner.pid}"
    return f"open in another studio, pid {owner.pid} on {visible(owner.host)}, as far as can be known from here"


def _offer(name: str, version: Recovered, present: str, digest: str | None) -> DifferenceQuestion:
    older = ""
    if version.base_digest != digest:
        older = " The file itself was changed since then: taking them up puts the older text over the newer one."
    asked = choose("left unsaved", name, when=_when(version), older=older)
    return DifferenceQuestion(name, asked.text, asked.choices, present, version.text)


def _when(version: Recovered) -> str:
    return version.written.astimezone().strftime("%d %B, %H:%M")


def _size(version: Recovered, present: str) -> str:
    lines = version.text.count("\n") - present.count("\n")
    characters = len(version.text) - len(present)
    return f"{lines:+} lines, {characters:+} characters" if lines or characters else "as long as this text"


def changed_on_disk_question(change: ChangedOnDisk, mine: str, *, is_other: bool, is_saving: bool) -> Choose:
    """What to do if another text is on disk, which is shown by what it changes in `mine`.

    Only the open file can be loaded: none that `is_other`, or gone.
    """
    without = ("reload",) if change.gone or is_other else ()
    name = "changed on disk" if is_saving else "changed meanwhile"
    asked = choose(name, change.path.name, without=without, why=change.title)
    if change.theirs is None:
        return asked
    text = f"{change.title} The difference from yours:"
    return DifferenceQuestion(asked.title, text, asked.choices, mine, change.theirs.text)
