"""A program in a tmux window, spoken to through one control client so that asking costs little."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import MappingProxyType, TracebackType
from typing import Self

_ENVIRONMENT = {
    "TERM": "tmux-256color",
    "COLORTERM": "truecolor",
    "LANG": "C.UTF-8",
    "TEXTUAL_ANIMATIONS": "none",
}


class TooSlow(Exception):
    """What was waited for did not come; the message holds the screen."""


class Window:
    """One program and its screen. A private server, ended on leaving."""

    def __init__(
        self,
        command: Sequence[str],
        home: Path,
        size: tuple[int, int] = (120, 36),
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._socket = f"studio-{uuid.uuid4().hex[:12]}"
        own = {"PATH": os.environ["PATH"], "HOME": str(home), "BLUEPRINT_STUDIO_HOME": str(home)}
        variables = {**_ENVIRONMENT, **own, **environment}
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
        sides = ["-x", str(size[0]), "-y", str(size[1])]
        base = ["tmux", "-L", self._socket]
        subprocess.run([*base, "-f", os.devnull, "new-session", "-d", *sides, "cat"], check=True)
        for option in (["status", "off"], ["window-size", "manual"], ["remain-on-exit", "on"], ["escape-time", "0"]):
            subprocess.run([*base, "set-option", "-g", *option], check=True)
        subprocess.run([*base, "resize-window", *sides], check=True)
        self._client = subprocess.Popen(
            [*base, "-C", "attach-session", "-f", "no-output"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._reply()
        self._command = f"respawn-pane -k exec env -i {settings} {shlex.join(command)}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(RuntimeError, OSError, TooSlow):  # tmux may have ended
            self._end_program()
        subprocess.run(["tmux", "-L", self._socket, "kill-server"], capture_output=True, check=False)
        self._client.wait()

    def _end_program(self) -> None:
        """End the program and wait for that: it would go on writing to its home, which is about to be removed."""
        os.kill(self.pid(), signal.SIGKILL)
        deadline = time.perf_counter() + 30
        while self._ask("display-message -p '#{pane_dead}'").strip() != "1":
            if time.perf_counter() > deadline:
                raise TooSlow("the program does not end")
            time.sleep(0.01)

    def start(self) -> float:
        """Start the program; when that was asked for, in seconds of the performance counter."""
        argument = self._command.removeprefix("respawn-pane -k ")
        began = time.perf_counter()
        self._ask(f"respawn-pane -k {shlex.quote(argument)}")
        return began

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names."""
        self._ask("send-keys " + " ".join(shlex.quote(key) for key in keys))

    def type(self, text: str) -> None:
        """Type `text`, which is of one line, as it is."""
        self._ask(f"send-keys -l -- {shlex.quote(text)}")

    def paste(self, text: str) -> None:
        """Paste `text` as a terminal does, between the marks of a bracketed paste."""
        with NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(f"\x1b[200~{text}\x1b[201~")
            file.flush()
            self._ask(f"load-buffer {shlex.quote(file.name)}")
            self._ask("paste-buffer")

    def send_bytes(self, data: bytes) -> None:
        """Send `data` as it is, byte by byte: what a terminal with another encoding sends."""
        self._ask(f"send-keys -H {data.hex(' ')}")

    def screen(self) -> str:
        """What is on the screen."""
        return self._ask("capture-pane -p")

    def pid(self) -> int:
        """The process in the window."""
        return int(self._ask("display-message -p '#{pane_pid}'"))

    def wait(self, shown: Callable[[str], bool], seconds: float = 60) -> float:
        """Wait until the screen is as wanted; when it was first seen so, in seconds of the performance counter."""
        deadline = time.perf_counter() + seconds
        while True:
            screen = self.screen()
            seen = time.perf_counter()
            if shown(screen):
                return seen
            if seen > deadline:
                raise TooSlow(f"not seen in {seconds:g} s; on the screen:\n{screen}")

    def _ask(self, command: str) -> str:
        assert self._client.stdin is not None
        self._client.stdin.write(command.encode() + b"\n")
        self._client.stdin.flush()
        return self._reply()

    def _reply(self) -> str:
        assert self._client.stdout is not None
        lines: list[str] | None = None
        for raw in self._client.stdout:
            line = raw.decode("utf-8", "replace")
            if lines is None:
                lines = [] if line.startswith("%begin ") else None
            elif line.startswith("%end "):
                return "".join(lines)
            elif line.startswith("%error "):
                raise RuntimeError("".join(lines))
            else:
                lines.append(line)
        raise RuntimeError("tmux ended")
