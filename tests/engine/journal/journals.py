"""A journal of another process, and entries that processes left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from engine.files.journal import Entry, Journal, encoded
from engine.files.processes import ProcessIdentity, this_host

OTHER = """
import sys
from pathlib import Path
from engine.files.journal import Journal
journal, path = Journal(Path(sys.argv[1])), Path(sys.argv[2])
for line in sys.stdin:
    order, _, text = line.rstrip("\\n").partition(" ")
    if order == "write":
        journal.write(path, text, None)
    elif order == "claim":
        journal.claim(path)
    elif order == "clear":
        journal.clear(path)
    elif order == "let-go":
        owner = journal.taken_over_by()
        if owner is not None:
            journal.release()
    print("done", flush=True)
"""


class Other:
    """Another process with a journal of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def does(self, order: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def killed(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def another(folder: Path, path: Path) -> Iterator[Other]:
    command = [sys.executable, "-c", OTHER, str(folder), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Other(process)
        finally:
            process.kill()


def texts(journal: Journal, path: Path) -> list[str]:
    return [version.text for version in journal.state(path).left]


def left_behind(folder: Path, path: Path, text: str, /, **changed: object) -> Path:
    """An entry of a process that has ended, written now; `changed` are other values in it."""
    folder.mkdir(parents=True, exist_ok=True)
    owner = ProcessIdentity(2**22 + 5, "never", this_host())
    head, _, written = encoded(path, Entry(text, None, datetime.now(UTC), owner)).partition(b"\n")
    said = json.loads(head)
    number = len(list(folder.iterdir())) + 1
    entry = folder / f"{sha256(os.fsencode(path)).hexdigest()}.{number}-{number:012x}.json"
    entry.write_bytes(json.dumps(said | changed).encode() + b"\n" + written)
    return entry
