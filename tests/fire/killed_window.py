"""A studio in a real terminal that is killed at a moment set beforehand, whatever is being done to it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from tests.benchmarks import programs
from tests.benchmarks.window import TooSlow, Window

_SECONDS_A_PRESS = 6.0
_PRESSES = 4
_POLL_SECONDS = 0.01


class Killed(Exception):
    """The studio is dead: what was being waited for will not come."""


class KilledWindow(Window):
    """A window with the installed studio on a file. It can be started again after a kill."""

    def __init__(self, path: Path, home: Path) -> None:
        super().__init__(programs.studio(path), home)
        self.killed_at: float | None = None
        """When it was killed, in seconds of the performance counter."""
        self.children: tuple[int, ...] = ()
        """The processes that the studio had started, at the kill."""
        self.pressed_again = 0
        """How often a key was without effect at first."""
        self._killer: threading.Timer | None = None

    def start(self) -> float:
        """Start the studio, for the first time or again."""
        self.killed_at = None
        return super().start()

    def kill_after(self, seconds: float, *, with_children: bool) -> None:
        """Kill the studio, at the same time as its children or alone, after some time."""
        self._killer = threading.Timer(seconds, self._kill, [self.pid(), with_children])
        self._killer.start()

    def paste_text(self, text: str) -> None:
        """Paste `text` as a terminal does. Unlike tmux's own paste, it does not end tmux if the studio is dead."""
        pasted = f"\x1b[200~{text}\x1b[201~".replace("\n", "\r").encode()
        self.send_bytes(pasted)

    def press_until(self, key: str, shown: Callable[[str], bool]) -> None:
        """Press a key that opens something, and once more each time that nothing comes of it.

        A key that comes before anything has the focus is without effect. Raises `Killed` and `TooSlow`.
        """
        for _ in range(_PRESSES - 1):
            self.press(key)
            try:
                self.wait(shown, _SECONDS_A_PRESS)
            except TooSlow:
                self.pressed_again += 1
            else:
                return
        self.press(key)
        self.wait(shown)

    def screen(self) -> str:
        """What is on the screen. Raises `Killed`."""
        time.sleep(_POLL_SECONDS)  # several are looked at, all the time
        screen = super().screen()
        if self.killed_at is not None:
            raise Killed
        return screen

    def await_kill(self) -> float:
        """Wait for the kill; when it was."""
        assert self._killer is not None
        self._killer.join()
        assert self.killed_at is not None
        return self.killed_at

    def _kill(self, pid: int, with_children: bool) -> None:
        self.children = descendants(pid)
        self.killed_at = time.perf_counter()
        for each in (pid, *(self.children if with_children else ())):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        await_end([pid], 10)


def descendants(pid: int) -> tuple[int, ...]:
    """The processes that a process has started, and those that they have."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in map(str.split, listed.splitlines())}
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return tuple(found[1:])


def await_end(pids: Iterable[int], seconds: float) -> list[int]:
    """Wait until the processes are gone, and no longer than that; those that are left. One not waited for is gone."""
    end = time.monotonic() + seconds
    left = [pid for pid in pids if _runs(pid)]
    while left and time.monotonic() < end:
        time.sleep(0.01)
        left = [pid for pid in left if _runs(pid)]
    return left


def _runs(pid: int) -> bool:
    """Whether a process, or one of its threads, is there: a zombie with threads still holds its files and locks."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not (state.startswith("Z") and "l" not in state)
