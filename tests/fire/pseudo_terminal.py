"""The installed program in a pseudo-terminal: bytes in, bytes out, and a size that may change at any time."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from tests.benchmarks.programs import studio as command_of
from tests.fire.driven_studio import Broken

_SEQUENCE = re.compile(r"\x1b\[[0-9;?<>=]*[A-Za-z]")
SECONDS = 60.0
"""How long the program may take for anything, on a machine that is busy with something else."""


class PseudoTerminal:
    """The studio on `file`, on a terminal of `size` (columns, rows). Leaving the context kills what is left."""

    def __init__(self, file: Path, size: tuple[int, int] = (120, 36)) -> None:
        self.output = bytearray()
        self._main, side = pty.openpty()
        self.resize(size)
        variables = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self.program = subprocess.Popen(
            command_of(file),
            stdin=side,
            stdout=side,
            stderr=side,
            env=variables,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(side)

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.program.kill()
        self.program.wait()
        os.close(self._main)

    def resize(self, size: tuple[int, int]) -> None:
        """Set the size; the kernel tells the program by SIGWINCH."""
        columns, rows = size
        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def write(self, text: str) -> None:
        """Type `text`; what the program draws meanwhile is read, so that neither waits for the other."""
        data = text.encode("utf-8")
        while data:
            readable, writable, _ = select.select([self._main], [self._main], [], SECONDS)
            if readable:
                self._take()
            if writable:
                data = data[os.write(self._main, data[:512]) :]
            if not readable and not writable:
                raise Broken(f"reads no keys:\n{self.drawn}")

    def rest(self, seconds: float) -> None:
        """Read what the program draws for so long."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self._main], [], [], left)[0] and not self._take():
                time.sleep(min(0.05, left))

    def _take(self) -> bool:
        try:
            self.output += os.read(self._main, 65536)
        except OSError:  # the program has ended, and its terminal with it
            return False
        return True

    def wait(self, done: Callable[[], bool], what: str) -> None:
        """Read until `done()`. Raises `Broken` with `what` if that takes too long, or the program ends before it."""
        deadline = time.monotonic() + SECONDS
        while not done():
            self.rest(0.05)
            if time.monotonic() > deadline or (self.program.poll() is not None and not done()):
                raise Broken(f"{what}; exit code {self.program.poll()}:\n{self.drawn}")

    def wait_for_start(self) -> None:
        """Wait until keys are read."""
        self.wait(lambda: b"Ctrl+S" in self.output, "does not start")

    def end(self) -> None:
        """End the program by SIGTERM. Raises `Broken` if it reported a fault, or does not end."""
        self.rest(0.3)
        if self.program.poll() is None:
            self.program.send_signal(signal.SIGTERM)
            self.wait(lambda: self.program.poll() is not None, "does not end")
        self.rest(0.1)
        if b"Traceback" in self.output or b"internal error" in self.output:
            raise Broken(f"reports a fault:\n{self.drawn}")

    @property
    def drawn(self) -> str:
        """The end of what was drawn, without control characters."""
        text = _SEQUENCE.sub(" ", self.output[-9000:].decode("utf-8", "replace"))
        return "".join(character if character.isprintable() or character == "\n" else " " for character in text)
