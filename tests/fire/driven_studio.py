"""The studio in this process, without a terminal: bytes go through its own terminal parser, as from a keyboard.

Whatever fails in it is collected: exceptions of the app, of its workers and threads, of tasks and callbacks, and what
is printed as an error.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from studio.tui.app import Studio
from studio.tui.dialogs.fix_dialog import ChooseFix
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.terminal import PasteSafeParser

SECONDS = 60.0
"""How long the studio may take to answer anything: long enough for a machine that is busy with something else."""

_MANY = 12
"""How often Escape is pressed at most to get back to the text."""
_GOING_ON = {"journal", "clock", "runs"}
"""Work that goes on behind everything, or as long as a model answers."""


class Broken(Exception):
    """The studio did what it must not; the message says what."""


@dataclass
class Driven:
    """A running studio."""

    app: Studio
    pilot: Pilot[None]
    faults: list[str]

    def __post_init__(self) -> None:
        self._parser = PasteSafeParser()
        self.notified = 0
        """How many notifications there were."""
        notify = self.app.notify

        def counted(*given: Any, **named: Any) -> None:
            self.notified += 1
            notify(*given, **named)

        self.app.notify = counted

    # --- Input

    def type(self, data: str) -> None:
        """Send what a terminal sends, as text: letters, a bracketed paste, a report of the mouse."""
        for message in self._parser.feed(data):
            self._send(message)

    def press(self, key: str) -> None:
        """Press a key by Textual's name."""
        self._send(events.Key(key, None))

    def paste(self, text: str) -> None:
        """Paste `text`, as a terminal with bracketed paste does."""
        self.type(f"\x1b[200~{text}\x1b[201~")

    def click(self, x: float, y: float) -> None:
        """Click where `x` and `y` say, as shares of the width and height of the screen (0 to 1)."""
        place = self._place(x, y)
        self.type(f"\x1b[<0;{place}M")
        self.type(f"\x1b[<0;{place}m")

    def scroll(self, x: float, y: float, *, down: bool) -> None:
        """Turn the wheel there."""
        self.type(f"\x1b[<{65 if down else 64};{self._place(x, y)}M")

    def _place(self, x: float, y: float) -> str:
        width, height = self.app.size
        return f"{1 + int(x * (width - 1))};{1 + int(y * (height - 1))}"

    def _send(self, message: Message) -> None:
        driver = self.app._driver
        if driver is not None:
            driver.process_message(message)

    def resize(self, width: int, height: int) -> None:
        """Give the terminal another size, in cells."""
        size = Size(width, height)
        driver: Any = self.app._driver
        driver._size = size
        self.app.post_message(events.Resize(size, size))

    # --- Waiting

    async def quiet(self) -> None:
        """Wait until every message that was sent is handled. Raises `Broken` if that takes too long."""
        deadline = time.monotonic() + SECONDS
        calm = 0
        while calm < 3:
            await asyncio.sleep(0)
            is_busy = len(self.app.type_ahead) or any(node.message_queue_size for node in self._nodes())
            calm = 0 if is_busy else calm + 1
            self.check()
            if time.monotonic() > deadline:
                raise Broken("messages are not handled")

    def _nodes(self) -> Iterator[Any]:
        yield self.app
        if self.app.is_running and self.app.screen_stack:
            yield from self.app.screen.walk_children(Widget, with_self=True)

    async def painted(self) -> None:
        """Wait until what was sent so far has reached the screen on top, and a frame was drawn; more may go on."""
        for _ in range(2):
            handled = asyncio.Event()
            node = self.app.screen if self.app.screen_stack else self.app
            if not self.app.call_later(node.call_later, handled.set):
                raise Broken("the studio has ended")
            await self.until(
                lambda node=node, handled=handled: handled.is_set() or node not in (self.app, *self.app.screen_stack),
                "a message is not handled",
            )
            await asyncio.sleep(1 / 60)
        self.check()

    async def until(self, done: Callable[[], bool], what: str) -> None:
        """Wait until `done()`. Raises `Broken` with `what` if it does not come."""
        deadline = time.monotonic() + SECONDS
        while not done():
            self.check()
            if time.monotonic() > deadline:
                raise Broken(what)
            await asyncio.sleep(0.003)

    async def answered(self) -> None:
        """Wait until work that a key began has ended, or asks the author."""
        await self.quiet()
        await self.until(lambda: not self._is_busy(), "work that a key began does not end")
        await self.quiet()

    async def back(self) -> None:
        """Press Escape until the text has the keys. Raises `Broken` if that takes many."""
        for _ in range(_MANY):
            self.press("escape")
            await self.answered()
            if self.in_editor:
                return
        raise Broken(f"Escape does not lead to the text from {self.app.screen}, {self.app.screen.focused}")

    def _is_busy(self) -> bool:
        screen = self.app.screen if self.app.is_running and self.app.screen_stack else None
        if isinstance(screen, ChooseFix):
            return screen.is_trying
        if not isinstance(screen, BlueprintScreen):
            return False
        workers = {worker.group for worker in self.app.workers if not worker.is_finished}
        return bool((workers | screen.session.tasks.busy) - _GOING_ON)

    async def settled(self) -> None:
        """Wait until the newest text was checked with all rules."""
        screen = self.screen

        def is_checked() -> bool:
            analysis = screen.session.state.analysis
            return analysis is not None and analysis.complete and analysis.revision == screen.editor.revision

        await self.until(lambda: is_checked() and screen.session.runs is not None, "the text is not checked")
        await self.until(screen.filled.is_set, "the right side is not there")
        await self.answered()

    # --- State

    @property
    def screen(self) -> BlueprintScreen:
        """The screen of the open file, with or without a dialog above."""
        for screen in self.app.screen_stack:
            if isinstance(screen, BlueprintScreen):
                return screen
        raise Broken("the blueprint's screen is gone")

    @property
    def in_editor(self) -> bool:
        """Whether keys go to the text."""
        return isinstance(self.app.screen, BlueprintScreen) and self.screen.editor.has_focus

    def check(self) -> None:
        """Raise `Broken` if anything has failed."""
        error = self.app._exception
        if error is not None:
            raise Broken("".join(traceback.format_exception(error)))
        if self.faults:
            raise Broken("\n".join(self.faults))


@asynccontextmanager
async def driven(app: Studio, size: tuple[int, int]) -> AsyncIterator[Driven]:
    """Run `app` on a terminal of `size` (columns, rows). Raises `Broken` at the end if anything failed in it."""
    faults: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: faults.append(_told(context)))
    with _collecting(faults):
        try:
            async with app.run_test(size=size) as pilot:
                studio = Driven(app, pilot, faults)
                await studio.quiet()
                yield studio
        except Broken:
            raise
        except Exception as error:  # whatever the app raised: it is what is looked for
            raise Broken("".join(traceback.format_exception(error))) from error
        if faults:
            raise Broken("\n".join(faults))


def _told(context: dict[str, Any]) -> str:
    error = context.get("exception")
    return "".join(traceback.format_exception(error)) if error else str(context.get("message"))


@contextmanager
def _collecting(faults: list[str]) -> Iterator[None]:
    """Collect what fails in threads, or where nobody can catch it."""
    of_threads, unraisable = threading.excepthook, sys.unraisablehook

    def in_thread(given: threading.ExceptHookArgs) -> None:
        faults.append("".join(traceback.format_exception(given.exc_value)) if given.exc_value else "a thread failed")

    def nowhere(given: sys.UnraisableHookArgs) -> None:
        faults.append("".join(traceback.format_exception(given.exc_value)) if given.exc_value else "unraisable")

    threading.excepthook, sys.unraisablehook = in_thread, nowhere
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = of_threads, unraisable
