"""The journal is at most two seconds behind the keys, also while a write takes long."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.files.journal import Journal
from studio.session import unsaved_text
from studio.session.unsaved_text import JournalThread, Unsaved

SECONDS_BEHIND = 2.0
SECONDS_OF_A_WRITE = 0.7


class Clock:
    """Seconds that pass only while the thread waits or writes. It is its own waker, too."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.is_woken = False

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return self.is_woken

    def set(self) -> None:
        self.is_woken = True

    def clear(self) -> None:
        self.is_woken = False


class SlowJournal(Journal):
    """Each write takes long. The author types `second` as the first one begins."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.thread: JournalThread | None = None
        self.typed: float | None = None
        self.behind: float | None = None

    def write(self, path: Path, text: str, base_digest: str | None) -> None:
        assert self.thread is not None
        if self.typed is None:
            self.typed = self.clock.now
            self.thread.put(Unsaved(path, "second", None))
        self.clock.now += SECONDS_OF_A_WRITE
        super().write(path, text, base_digest)
        if text == "second":
            self.behind = self.clock.now - self.typed
            self.thread.stop()


def test_a_text_that_is_typed_while_the_journal_writes_is_there_within_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, clock = tmp_path / "x.yml", Clock()
    monkeypatch.setattr(unsaved_text, "time", clock)
    journal = SlowJournal(clock)
    journal.thread = thread = JournalThread(journal, Unsaved(path, None, None), taken_over=lambda *_: None)
    monkeypatch.setattr(thread, "_wake", clock)
    thread.put(Unsaved(path, "first", None))
    thread.start()
    thread.join()
    assert journal.behind is not None
    assert journal.behind < SECONDS_BEHIND
