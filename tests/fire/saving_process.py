"""A process that forks a studio for each order, which opens, saves and dies as the order says.

It imports everything once, so a round costs no start of Python. Orders come as lines of JSON, replies go as such.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any

from engine.evaluation.sources import WrittenSource
from studio.session.run_configuration import AnswerChoice
from tests.fire.deaths import Death, Dying, Way, die
from tests.session.faces import Author, Face

_SECONDS = 60
"""How long an order may take."""
OLD_ANSWER = "It is."
"""What is saved before a new answer is."""
_PRELOADED = ("studio.session.runs", "engine.store", "engine.files.user_settings", "engine.evaluation")


class Deed(StrEnum):
    """What the studio is doing when it dies."""

    SAVE = "save"
    SAVE_AS = "save as"
    TYPE = "type"
    """Nothing is saved, the journal is written."""
    SET = "change a setting"
    RUN = "run"
    """The database is written."""
    EXPORT = "export"
    ANSWER = "write an answer"
    OPEN = "open"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Order:
    """Open `path` with the files of the program in `home`, and do `deed` with the text `new`; `other` is a path.

    Without a deed, it is the next start: the studio opens, and closes after a while.
    """

    home: str
    path: str
    deed: Deed | None = None
    new: str = ""
    other: str = ""
    death: Death = field(default_factory=lambda: Death(Way.COUNT))


@dataclass(frozen=True, slots=True)
class Reply:
    """How it ended: whether the deed was done before, the moments counted, the texts offered, and what was reported."""

    is_done: bool = False
    moments: int = 0
    offered: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    failure: str = ""


class SavingProcess(AbstractContextManager["SavingProcess"]):
    """The process, for the harness."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.fire.saving_process"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def does(self, order: Order) -> Reply:
        """Carry out `order`, until its studio is gone."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asdict(order)) + "\n")
        self._process.stdin.flush()
        said = json.loads(self._process.stdout.readline())
        return Reply(**{**said, "offered": tuple(said["offered"]), "reports": tuple(said["reports"])})


# --- In the process


def _serve() -> None:
    for name in _PRELOADED:
        importlib.import_module(name)
    for line in sys.stdin:
        said = json.loads(line)
        death = Death(Way(said["death"]["way"]), said["death"]["at"])
        order = Order(**{**said, "deed": None if said["deed"] is None else Deed(said["deed"]), "death": death})
        print(json.dumps(asdict(_in_a_child(order))), flush=True)


def _in_a_child(order: Order) -> Reply:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _be_the_studio(order, writing)
    os.close(writing)
    said = _until_it_ends(pid, reading, order.death)
    os.waitpid(pid, 0)
    return Reply(**said)


def _until_it_ends(pid: int, reading: int, death: Death) -> dict[str, Any]:
    """What the child writes, until it closes the pipe. The first line is that it is armed; then a timed one is killed.

    A child that takes too long is killed as well: its reply has a failure then.
    """
    received = b""
    deadline = time.monotonic() + _SECONDS
    with open(reading, "rb", buffering=0) as pipe:
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([pipe], [], [], left)[0]:
                break
            if not (piece := pipe.read(1 << 16)):
                return json.loads(received.partition(b"\n")[2] or b"{}")
            received += piece
            if received == b"armed\n" and death.way is Way.TIMED:
                time.sleep(death.at)
                os.kill(pid, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    return {"failure": "it took too long"}


def _be_the_studio(order: Order, writing: int) -> None:
    """Carry out `order` in this process, and end it."""
    os.environ["BLUEPRINT_STUDIO_HOME"] = order.home
    said: dict[str, Any] = {}
    dying = Dying(order.death)

    def arm() -> None:
        dying.watch()
        with suppress(RuntimeError):  # no loop runs yet
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())  # new threads, which are watched
        os.write(writing, b"armed\n")
        dying.arm()

    try:
        if order.deed is None:
            os.write(writing, b"started\n")
            said = asyncio.run(_start(order))
        else:
            asyncio.run(_DEEDS[order.deed](_Studio(order, dying.watch, arm)))
            said = {"is_done": True, "moments": dying.moments}
    except BaseException:  # noqa: BLE001 - whatever it is, the harness reports it
        said = {"failure": traceback.format_exc()}
    sys.setprofile(None)
    os.write(writing, json.dumps(said).encode() + b"\n")
    die()


async def _start(order: Order) -> dict[str, Any]:
    """The next start, as `Studio.on_mount` and the screen of a blueprint have it; the author decides nothing."""
    from engine.files.open_files import clear_all_temporaries
    from engine.files.own_files import listen

    reports: list[str] = []
    listen(reports.append)
    author = Author()
    face = Face(Path(order.path), author)
    await asyncio.to_thread(clear_all_temporaries)
    await face.settled()
    await asyncio.to_thread(face.resources.store)
    await face.close()
    for fault in author.faults:
        raise fault
    offered = [getattr(question, "after", "") for question in author.asked]
    return {"offered": offered, "reports": [*reports, *author.messages]}


@dataclass(frozen=True, slots=True)
class _Studio:
    order: Order
    watch: Callable[[], None]
    """Watch the threads that start from now on."""
    arm: Callable[[], None]
    """Die at the moment of the order, from now on."""

    async def opened(self, *answers: Any) -> Face:
        """The open file, settled."""
        face = Face(Path(self.order.path), Author(*answers))
        await face.settled()
        return face


async def _save(studio: _Studio) -> None:
    face = await studio.opened()
    face.write(studio.order.new)
    await face.session.file.write_journal()
    studio.arm()
    assert await face.session.file.save()


async def _save_as(studio: _Studio) -> None:
    face = await studio.opened(studio.order.other, "overwrite")
    face.write(studio.order.new)
    await face.session.file.write_journal()
    studio.arm()
    assert await face.session.file.save_as()


async def _type(studio: _Studio) -> None:
    face = await studio.opened()
    face.write(face.text + "# before\n")
    await face.session.file.write_journal()
    studio.arm()
    face.write(studio.order.new)
    await face.session.file.write_journal()


async def _set(studio: _Studio) -> None:
    face = await studio.opened()
    studio.arm()
    await face.resources.settings.change(lambda settings: setattr(settings, "theme", "studio-light"))
    assert not face.author.messages, face.author.messages


async def _run(studio: _Studio) -> None:
    face = await studio.opened()
    face.cursor_at("- id: p0")
    studio.arm()
    face.runs.run_or_stop()
    await face.settled()
    assert face.runs.selection.run is not None


async def _export(studio: _Studio) -> None:
    face = await studio.opened(studio.order.other, "overwrite")
    face.cursor_at("- id: p0")
    face.runs.run_or_stop()
    await face.settled()
    studio.arm()
    await face.runs.export()
    assert Path(studio.order.other).exists(), face.author.messages


async def _answer(studio: _Studio) -> None:
    face = await studio.opened()
    await face.runs.configuration.choose(AnswerChoice((WrittenSource(""),)))
    face.cursor_at("- id: p0")
    await face.settled()
    face.runs.selection.write(OLD_ANSWER)
    await face.runs.save_written()
    studio.arm()
    face.runs.selection.write(studio.order.new)
    await face.runs.save_written()


async def _open(studio: _Studio) -> None:
    studio.arm()
    face = await studio.opened()
    await asyncio.to_thread(face.resources.store)


async def _close(studio: _Studio) -> None:
    studio.watch()
    face = await studio.opened()
    face.write(studio.order.new)
    studio.arm()
    await face.close()


_DEEDS: dict[Deed, Callable[[_Studio], Coroutine[Any, Any, None]]] = {
    Deed.SAVE: _save,
    Deed.SAVE_AS: _save_as,
    Deed.TYPE: _type,
    Deed.SET: _set,
    Deed.RUN: _run,
    Deed.EXPORT: _export,
    Deed.ANSWER: _answer,
    Deed.OPEN: _open,
    Deed.CLOSE: _close,
}


if __name__ == "__main__":
    _serve()
