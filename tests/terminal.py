"""A real terminal for tests: a program in a window, driven by keys and read as a person would see it."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType

import pytest

from tests.benchmarks.window import Window

STUDIO = shutil.which("studio", path=str(Path(sys.executable).parent)) or "studio"
"""The installed program."""
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal(Window):
    """One program in one window of `columns` × `rows`. Leaving the context closes it, of which the program is told."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        home: Path,
        columns: int = 120,
        rows: int = 36,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._code = Path(self._folder.name) / "exit-code"
        script = Path(self._folder.name) / "command"
        script.write_text(f"{shlex.join(command)}\necho $? >{self._code}\n", "utf-8")
        super().__init__(["sh", str(script)], home, (columns, rows), environment)
        self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._folder.cleanup()

    def _end_program(self) -> None:
        """What is told by the end of its terminal ends by itself, and saves."""

    def record(self, file: Path) -> None:
        """Write all bytes that the program sends to the terminal from now on to `file`."""
        self._ask(f"pipe-pane -o {shlex.quote(f'cat >{file}')}")

    def wait_for(self, text: str, seconds: float = 60) -> str:
        """Wait until `text` is on the screen; the screen then. Fails with what is there instead."""
        self.wait_until(lambda: text in self.screen(), seconds, f"{text!r} did not appear")
        return self.screen()

    def wait_until_gone(self, text: str, seconds: float = 60) -> str:
        """Wait until `text` is off the screen; the screen then."""
        self.wait_until(lambda: text not in self.screen(), seconds, f"{text!r} did not go away")
        return self.screen()

    def wait_until(self, done: Callable[[], bool], seconds: float = 60, failure: str = "it did not come about") -> None:
        """Wait until `done()`. Fails with what is on the screen instead."""
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                raise AssertionError(f"{failure} in {seconds:g} s. On the screen:\n{self.screen()}")
            time.sleep(0.02)

    @property
    def running(self) -> bool:
        """Whether the program still runs."""
        return not self._exit_code()

    def wait_for_exit(self, seconds: float = 60) -> int:
        """Wait until the program ended; its exit code."""
        self.wait_until(lambda: not self.running, seconds, "it did not end")
        return int(self._exit_code())

    def _exit_code(self) -> str:
        """As the shell wrote it: tmux knows a window as dead before it knows the code, or never learns it."""
        return self._code.read_text().strip() if self._code.exists() else ""
