"""From a key to its echo on the screen of a real terminal, while nothing runs and while forty answers stream in."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import programs
from tests.benchmarks.keystroke import ANCHOR, ECHO_GOAL, echoes, go_to
from tests.benchmarks.model_server import Pace, choose, model, running, streaming
from tests.benchmarks.table import Row, attempt
from tests.benchmarks.window import Window

ANSWERS = 40
PACE = 0.1
"""Seconds between two tokens of one answer: ten a second."""
TOKENS = 3000
"""More than arrive while keys are measured."""
_FIRST_ROW, _LINES = 2, 4
"""Where the first prompt begins, and how many lines each has."""


def measure() -> Iterator[Row]:
    """One prompt that forty models answer at once, its neighbour typed in before and during the run."""
    with TemporaryDirectory() as name, ExitStack() as stack:
        home = Path(name)
        pace = Pace(0.0, 0.0, PACE, TOKENS)
        urls = [stack.enter_context(running(pace)) for _ in range(2)]  # one gets twenty requests at once
        file = home / "streaming.yml"
        file.write_text(_blueprint(urls), "utf-8")
        choose(home, file, *(f"m{number}" for number in range(ANSWERS)))
        window = stack.enter_context(Window(programs.command("many runs", file, ANSWERS), home))
        window.start()
        window.wait(lambda screen: "Ctrl+S" in screen and "Checking" not in screen)
        time.sleep(2)
        yield attempt("echo: studio, nothing runs", "1 of 3 prompts", "ms", lambda: _typed(window, 0), ECHO_GOAL)
        window.press("F5")
        window.wait(lambda _: sum(map(streaming, urls)) == ANSWERS)
        of = f"{ANSWERS} × {1 / PACE:.0f} tokens a s"
        yield attempt("echo: studio, answers stream", of, "ms", lambda: _typed(window, 1), ECHO_GOAL)
        assert sum(map(streaming, urls)) == ANSWERS, "some answers ended before the last key"


def _typed(window: Window, prompt: int) -> list[float]:
    """Milliseconds from each key to its echo, at the end of a prompt's last line."""
    at = _FIRST_ROW + _LINES * prompt + _LINES - 1
    go_to(window, at)
    window.press("End")
    samples = echoes(window, str(at + 1))
    window.press(*["BSpace"] * len(ANCHOR))
    return samples


def _blueprint(urls: list[str]) -> str:
    models = [model(f"m{number}", url) for number, url in zip(range(ANSWERS), itertools.cycle(urls), strict=False)]
    prompts = (
        f"- id: p{number}\n  prompt: Tell me everything of matter {number}.\n  should:\n    - Tells of it\n"
        for number in range(3)
    )
    return f"models: {json.dumps(models)}\n---\n{''.join(prompts)}"
