"""A process for each order: a studio that opens, saves and dies as the order says."""

from __future__ import annotations

import asyncio
import os
import sys
import time
import traceback
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from engine.evaluation.sources import WrittenSource
from studio.session.run_configuration import AnswerChoice
from tests.fire.deaths import Death, Dying, Way, die
from tests.fire.forks import CONTEXT
from tests.session.faces import Author, Face

_SECONDS = 60
"""How long an order may take."""
OLD_ANSWER = "It is."
"""What is saved before a new answer is."""


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


def done(order: Order) -> Reply:
    """Carry out `order` in a process of its own, until that is gone. One that takes too long has a failure then."""
    connection, other = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_be_the_studio, args=(order, other), daemon=True)
    process.start()
    other.close()
    deadline = time.monotonic() + _SECONDS
    try:
        while connection.poll(max(0.0, deadline - time.monotonic())):
            match connection.recv():
                case Reply() as reply:
                    return reply
                case _ if order.death.way is Way.TIMED:  # it is armed
                    time.sleep(order.death.at)
                    process.kill()
        return Reply(failure="it took too long")
    except (EOFError, ConnectionError):
        return Reply()
    finally:
        process.kill()
        process.join()
        connection.close()


# --- In the process


def _be_the_studio(order: Order, harness: Connection) -> None:
    """Carry out `order` in this process, and end it."""
    os.environ["BLUEPRINT_STUDIO_HOME"] = order.home
    dying = Dying(order.death)

    def arm() -> None:
        dying.watch()
        with suppress(RuntimeError):  # no loop runs yet
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())  # new threads, which are watched
        harness.send(None)
        dying.arm()

    try:
        if order.deed is None:
            reply = asyncio.run(_start(order))
        else:
            asyncio.run(_DEEDS[order.deed](_Studio(order, dying.watch, arm)))
            reply = Reply(is_done=True, moments=dying.moments)
    except BaseException:  # noqa: BLE001 - whatever it is, the harness reports it
        reply = Reply(failure=traceback.format_exc())
    sys.setprofile(None)
    harness.send(reply)
    die()


async def _start(order: Order) -> Reply:
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
    offered = tuple(getattr(question, "after", "") for question in author.asked)
    return Reply(offered=offered, reports=(*reports, *author.messages))


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
    await face.runs.edits.save()
    studio.arm()
    face.runs.selection.write(studio.order.new)
    await face.runs.edits.save()


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
