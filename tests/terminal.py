"""A real terminal: a program in tmux on a private socket, driven by keys and read as a person would see it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

STUDIO = shutil.which("studio", path=str(Path(sys.executable).parent)) or "studio"
"""The installed program."""
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

_ENVIRONMENT = {
    "TERM": "tmux-256color",
    "COLORTERM": "truecolor",
    "LANG": "C.UTF-8",
    "TEXTUAL_ANIMATIONS": "none",
}


class Terminal:
    """One program in one window of `columns` × `rows`. Use as a context manager: leaving it kills what is left."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 120,
        rows: int = 36,
        home: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._socket = f"studio-{uuid.uuid4().hex[:12]}"
        self._folder = tempfile.TemporaryDirectory()
        self._code = Path(self._folder.name) / "exit-code"
        variables = {
            **_ENVIRONMENT,
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            **({} if home is None else {"BLUEPRINT_STUDIO_HOME": str(home)}),
            **(environment or {}),
        }
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
        size = ("-x", str(columns), "-y", str(rows))
        self._tmux(
            "-f",
            os.devnull,
            "new-session",
            "-d",
            *size,
            f"env -i {settings} {shlex.join(command)}; echo $? >{self._code}",
        )
        self._tmux("set-option", "-g", "status", "off")
        self._tmux("set-option", "-g", "remain-on-exit", "on")
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["tmux", "-L", self._socket, "kill-server"], capture_output=True, check=False)
        self._folder.cleanup()

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-L", self._socket, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names: `F5`, `C-s`, `Enter`, `Down`."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type `text` as it is."""
        self._tmux("send-keys", "-l", "--", text)

    def send_bytes(self, data: bytes) -> None:
        """Send `data` as it is, byte by byte: what a terminal with another encoding sends."""
        self._tmux("send-keys", "-H", *(f"{byte:02x}" for byte in data))

    def paste(self, text: str) -> None:
        """Paste `text` as a terminal does, between the marks of a bracketed paste."""
        command = ["tmux", "-L", self._socket, "load-buffer", "-"]
        subprocess.run(command, input=f"\x1b[200~{text}\x1b[201~", text=True, capture_output=True, check=True)
        self._tmux("paste-buffer")

    def record(self, file: Path) -> None:
        """Write all bytes that the program sends to the terminal from now on to `file`."""
        self._tmux("pipe-pane", "-o", f"cat >{shlex.quote(str(file))}")

    def pid(self) -> int:
        """The process in the window: a shell, whose child the program is."""
        return int(self._tmux("display-message", "-p", "#{pane_pid}"))

    def screen(self) -> str:
        """What is on the screen, line by line."""
        return self._tmux("capture-pane", "-p")

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
