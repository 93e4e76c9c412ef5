"""Another studio, as a process: a session on one file that is driven by lines, and answers what it shows.

Run as a program with the path of the file; the answers to its questions follow.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.session.faces import open_face


class OtherStudio:
    """Drives the process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def does(self, order: str, text: str = "") -> dict[str, Any]:
        """Have it do something; what it shows then: `text`, `read_only`, `asked`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([order, text]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def killed(self) -> None:
        """Kill it with SIGKILL."""
        self.process.kill()
        self.process.wait()


@contextmanager
def other_studio(path: Path, *answers: str) -> Iterator[OtherStudio]:
    """A process that has `path` open, and is killed at the end."""
    command = [sys.executable, "-m", "tests.session.other_studio", str(path), *answers]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            studio = OtherStudio(process)
            studio.does("wait")
            yield studio
        finally:
            process.kill()


async def _serve(path: Path, *answers: str) -> None:
    face = await open_face(path, *answers)
    while line := await asyncio.to_thread(sys.stdin.readline):
        order, text = json.loads(line)
        match order:
            case "write":
                face.write(text)
                await face.session.file.write_journal()
            case "save":
                await face.session.file.save()
            case "read-only":
                await face.until(lambda: face.session.state.is_read_only)
            case "close":
                await face.close()
            case _:
                pass
        asked = [getattr(question, "text", "") for question in face.author.asked]
        shown = {"text": face.text, "read_only": face.session.state.file.opened.read_only, "asked": asked}
        print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), *sys.argv[2:]))
