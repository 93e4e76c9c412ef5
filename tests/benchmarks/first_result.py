"""From F5 on a prompt of 60 checks to its score on the screen, beside a key of a stock text area."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import programs
from tests.benchmarks.keystroke import echoes
from tests.benchmarks.table import Row, attempt
from tests.benchmarks.window import Window

ROUNDS = 8
CRITERIA = 60


def measure() -> Iterator[Row]:
    """The frame after F5, then the echo of the stock text area on the same file."""
    checks = "".join(f"    - $contains: duty {number} of a public authority\n" for number in range(CRITERIA))
    text = f"- id: duties\n  prompt: What are the duties?\n  ideal: duty 0 of a public authority\n  should:\n{checks}"
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "duties.yml"
        path.write_text(text, "utf-8")
        of = f"{CRITERIA} criteria"
        yield attempt("F5 to the score: studio", of, "ms", partial(_first_results, path, folder))
        yield attempt("echo: stock TextArea", of, "ms", partial(_echo, path, folder))


def _first_results(path: Path, home: Path) -> list[float]:
    samples: list[float] = []
    for _ in range(ROUNDS):
        with TemporaryDirectory(dir=home) as own, Window(programs.studio(path), Path(own)) as window:
            window.start()
            window.wait(lambda screen: "Next F5" in screen)
            time.sleep(1)
            began = time.perf_counter()
            window.press("F5")
            samples.append((window.wait(lambda screen: "of 1 · 1.7" in screen and "−1.7" in screen) - began) * 1000)
    return samples


def _echo(path: Path, home: Path) -> list[float]:
    with Window(programs.command("stock", path, 2), home) as window:
        window.start()
        window.wait(lambda screen: len(screen.split()) > 50)
        time.sleep(1)
        return echoes(window, "")
