"""Ending, whatever hangs: SIGTERM, SIGHUP and SIGQUIT write the journal, restore the terminal and exit; so does Ctrl+Q.

The application does that in its event loop. If it has not ended within some seconds (the loop is busy, the terminal is
gone and takes no output, a disk does not answer), a thread restores the terminal and ends the process; the journal has
its own thread. The thread hears of the signal from the system, also while no line of Python runs in the loop's.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from os import _exit
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studio.tui.app import Studio

_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
"""The signals that end the process; Windows has one of them."""
_SECONDS = 4.0
"""How long the application may take to end by itself after a signal."""
_SECONDS_TO_QUIT = 15.0
"""How long it may take once the author has quit: runs that end then are saved first."""

_RESET = (
    "\x1b[?2004l\x1b[?7h\x1b[?2048l"  # pastes without marks, lines wrap, no reports of the size
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # no reports of the mouse
    "\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[0m"  # usual keys, the usual screen, the cursor, no reports of focus
)


def end_on_signals(app: Studio) -> None:
    """Let the signals and quitting end `app` for sure. Call it in the main thread, before the application runs."""
    restore = _restorer()
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    _start(lambda: _end_anyway(restore, _ending_signal(heard), _SECONDS))
    app.quits = lambda: _start(lambda: _end_anyway(restore, 0, _SECONDS_TO_QUIT))
    ending = False

    def end(number: int, _frame: FrameType | None) -> None:
        nonlocal ending
        if ending:
            return
        ending = True
        code = 128 + number
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # it does not run yet, or no more
            raise SystemExit(code) from None
        loop.call_soon_threadsafe(app.end, code)  # wakes the loop

    for each in _ENDING:
        signal.signal(each, end)


def _start(watch: Callable[[], None]) -> None:
    threading.Thread(target=watch, name="ending", daemon=True).start()


def _ending_signal(heard: int) -> int:
    """Wait for one of the signals that end the process; the exit code."""
    while True:
        for number in os.read(heard, 64):
            if number in _ENDING:
                return 128 + number


def _end_anyway(restore: Callable[[], None], code: int, seconds: float) -> None:
    time.sleep(seconds)
    restore()
    _exit(code)


def _restorer() -> Callable[[], None]:
    """A function that gives the terminal its present state again."""
    try:
        import termios
    except ImportError:  # on Windows
        return lambda: None
    attributes: list[Any] | None = None
    descriptor = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
    with suppress(termios.error):
        attributes = termios.tcgetattr(descriptor)

    def restore() -> None:
        # A terminal that takes no output must not keep the process.
        writing = threading.Thread(target=_write_reset, daemon=True)
        writing.start()
        writing.join(0.5)
        if attributes is not None:
            with suppress(termios.error):
                termios.tcsetattr(descriptor, termios.TCSANOW, attributes)

    return restore


def _write_reset() -> None:
    if sys.__stderr__ is not None:
        with suppress(OSError):
            os.write(sys.__stderr__.fileno(), _RESET.encode())
