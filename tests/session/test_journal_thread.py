"""The journal is at most two seconds behind the keys, also while a write takes long."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from engine.workspace import Journal
from studio.session.journal_thread import JournalThread, Unsaved

SECONDS_BEHIND = 2.0
SECONDS_OF_A_WRITE = 0.7


class SlowJournal(Journal):
    """Each write takes long; `began` is set when one begins."""

    def __init__(self) -> None:
        super().__init__()
        self.began = threading.Event()

    def write(self, path: Path, text: str, base_digest: str | None) -> None:
        self.began.set()
        time.sleep(SECONDS_OF_A_WRITE)
        super().write(path, text, base_digest)


def test_a_text_that_is_typed_while_the_journal_writes_is_there_within_two_seconds(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    journal = SlowJournal()
    thread = JournalThread(journal, Unsaved(path, None, None), taken_over=lambda *_: None)
    thread.start()
    thread.put(Unsaved(path, "first", None))
    assert journal.began.wait(5)
    thread.put(Unsaved(path, "second", None))
    typed = time.monotonic()
    while (found := journal.pending(path)) is None or found.text != "second":
        assert time.monotonic() - typed < SECONDS_BEHIND
        time.sleep(0.02)
    thread.stop()
    thread.join()
