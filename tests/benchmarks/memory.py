"""What the studio itself holds in memory with a file open; the V8 process and model servers are not counted."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import programs
from tests.benchmarks.files import files
from tests.benchmarks.table import Row
from tests.benchmarks.window import Window

MOST = {"10,509 lines": 85}
"""Megabytes (10^6 bytes), by file."""


def measure() -> Iterator[Row]:
    """Resident memory once the file has been checked, beside that of an app with one stock text area."""
    if not sys.platform.startswith("linux"):
        print("memory: read from /proc, so on Linux only")
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file in files(folder):
            for what, command in (
                ("memory: stock TextArea", programs.command("stock", file.path)),
                ("memory: studio", programs.studio(file.path)),
            ):
                most = MOST.get(file.label) if what == "memory: studio" else None
                used = _resident(command)
                goal = "" if most is None else f"≤ {most}"
                yield Row(what, file.label, "MB", used, goal=goal, met=None if most is None else used <= most)


def _resident(command: list[str]) -> float:
    with TemporaryDirectory() as home, Window(command, Path(home)) as window:
        window.start()
        window.wait(lambda screen: len(screen.split()) > 50 and "Checking" not in screen)
        time.sleep(3)
        status = Path(f"/proc/{window.pid()}/status").read_text("utf-8")
    kilobytes = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    return kilobytes * 1024 / 1e6
