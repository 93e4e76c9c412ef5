"""The thread that writes the recovery journal: neither a busy event loop nor other blocking work delays it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.own_files import report_state_unwritable, state_is_writable
from engine.workspace import Journal
from engine.workspace.process_identity import ProcessIdentity

JOURNAL_SECONDS = 1.0
"""The interval of the journal. A write takes far less than another second, so it is at most two seconds behind."""


@dataclass(frozen=True, slots=True)
class Unsaved:
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
        taken_over: Callable[[ProcessIdentity], None],
    ) -> None:
        self._journal = journal
        self._taken_over = taken_over
        self._wanted = (0, unsaved)
        self._written = 0
        self._has_failed = False
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
        self._wanted = (self._wanted[0] + 1, unsaved)

    def wake(self) -> None:
        """Write now, in the thread. Never blocks."""
        self._wake.set()

    def flush(self) -> bool:
        """Write now, and wait for it; whether everything is written."""
        self._write()
        return self._written == self._wanted[0]

    def lets_go(self) -> bool:
        """Let go of the journal if another process asks for that; whether it did."""
        with self._writing:
            try:
                owner = self._journal.taken_over_by()
            except OSError:  # the folder cannot be read; writing reports that
                return False
            if owner is None:
                return False
            self._write_newest()
            self._journal.release()
        self._taken_over(owner)
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
        while not self._stopping:
            self._wake.wait(JOURNAL_SECONDS)
            self._wake.clear()
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
        except OSError as error:
            self._has_failed = True
            report_state_unwritable(error)
            return
        self._written = number
        if self._has_failed and unsaved.text is not None:
            self._has_failed = False
            state_is_writable()
