"""Another studio, as a process: a session on one file that is told what to do, and answers what it shows."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from tests.session.faces import open_face

_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload([__name__])  # the session is imported once for all of them


class OtherStudio:
    """Drives the process."""

    def __init__(self, process: ForkServerProcess, connection: Any) -> None:
        assert process.pid is not None
        self.pid = process.pid
        self._process = process
        self._connection = connection

    def does(self, order: str, text: str = "") -> dict[str, Any]:
        """Have it do something; what it shows then: `text`, `read_only`, `asked`."""
        self._connection.send((order, text))
        return self._connection.recv()

    def killed(self) -> None:
        """Kill it with SIGKILL."""
        self._process.kill()
        self._process.join()


@contextmanager
def other_studio(path: Path, *answers: str) -> Iterator[OtherStudio]:
    """A process that has `path` open, and is killed at the end."""
    here, there = _FORKED.Pipe()
    process = _FORKED.Process(target=_run, args=(there, {**os.environ}, path, *answers))
    process.start()
    try:
        studio = OtherStudio(process, here)
        studio.does("wait")
        yield studio
    finally:
        process.kill()
        process.join()


def _run(connection: Any, environment: Mapping[str, str], path: Path, *answers: str) -> None:
    os.environ.update(environment)
    asyncio.run(_serve(connection, path, *answers))


async def _serve(connection: Any, path: Path, *answers: str) -> None:
    face = await open_face(path, *answers)
    while True:
        order, text = await asyncio.to_thread(connection.recv)
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
        connection.send({"text": face.text, "read_only": face.session.state.file.read_only, "asked": asked})
