"""From a key to what it brings, on the screen of a real terminal.

To its echo, also while forty answers stream in; to the problems that it makes; and from F5 to the score of 60 checks.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import programs
from tests.benchmarks.files import File, files
from tests.benchmarks.model_server import Pace, choose, model, running, streaming
from tests.benchmarks.table import Row, attempt
from tests.benchmarks.window import Window

KEYS = "qzjvw"
ROUNDS = 5
PAUSE = 0.1
"""Seconds between two keys, so that what the last one set off is still under way, as when someone types."""

ECHO_GOAL = (15, 25)
PROBLEM_GOALS = {"1,002 lines": 40, "10,509 lines": 55, "10,000 dense lines": 80}
ANCHOR = "@~"
"""Typed first, to find the cursor's line on the screen."""


CRITERIA, RUNS = 60, 8
"""Of the prompt that is run, and how often it is."""
ANSWERS = 40
PACE = 0.1
"""Seconds between two tokens of one answer: ten a second."""
TOKENS = 3000
"""More than arrive while keys are measured."""
_FIRST_ROW, _LINES = 2, 4
"""Where the first prompt with streaming answers begins, and how many lines each has."""


def measure() -> Iterator[Row]:
    """All of them."""
    yield from _files()
    yield from _results()
    yield from _streaming()


def _files() -> Iterator[Row]:
    """Echo by all programs and files, then key to problems by the studio."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file in files(folder):
            at = file.row()
            others = {
                "the method's floor": programs.command("echo", file.path),
                "vim": programs.vim(file.path, at),
                "stock TextArea": programs.command("stock", file.path, at),
                "BlueprintEditor alone": programs.command("editor", file.path, at),
            }
            for name, command in others.items():
                if shutil.which(command[0]):
                    yield attempt(f"echo: {name}", file.label, "ms", partial(_echo, command, folder))
            yield attempt("echo and gutter: studio", file.label, "ms", partial(_studio_echo, file, folder), ECHO_GOAL)
            goal = (PROBLEM_GOALS[file.label], float("inf"))
            yield attempt("key to problems: studio", file.label, "ms", partial(_problems, file, folder), goal)


@contextmanager
def _studio(file: File, home: Path, at: int) -> Iterator[Window]:
    """The studio on `file`, checked, with its cursor on row `at`."""
    with TemporaryDirectory(dir=home) as own, Window(programs.studio(file.path), Path(own)) as window:
        window.start()
        window.wait(lambda screen: "Ctrl+S" in screen and "Checking" not in screen)
        time.sleep(2)
        go_to(window, at)
        yield window


def _results() -> Iterator[Row]:
    """The frame after F5, then the echo of the stock text area on the same file."""
    checks = "".join(f"    - $contains: duty {number} of a public authority\n" for number in range(CRITERIA))
    text = f"- id: duties\n  prompt: What are the duties?\n  ideal: duty 0 of a public authority\n  should:\n{checks}"
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "duties.yml"
        path.write_text(text, "utf-8")
        of = f"{CRITERIA} criteria"
        yield attempt("F5 to the score: studio", of, "ms", lambda: [_score(path, folder) for _ in range(RUNS)])
        stock = programs.command("stock", path, 2)
        yield attempt("echo: stock TextArea", of, "ms", partial(_echo, stock, folder))


def _score(path: Path, home: Path) -> float:
    with TemporaryDirectory(dir=home) as own, Window(programs.studio(path), Path(own)) as window:
        window.start()
        window.wait(lambda screen: "Next F5" in screen)
        time.sleep(1)
        began = time.perf_counter()
        window.press("F5")
        return (window.wait(lambda screen: "of 1 · 1.7" in screen and "−1.7" in screen) - began) * 1000


def _streaming() -> Iterator[Row]:
    """One prompt that forty models answer at once, its neighbour typed in before and during the run."""
    with TemporaryDirectory() as name, ExitStack() as stack:
        home = Path(name)
        urls = [stack.enter_context(running(Pace(0.0, 0.0, PACE, TOKENS))) for _ in range(2)]  # twenty requests each
        models = [model(f"m{number}", urls[number % 2]) for number in range(ANSWERS)]
        prompts = (
            f"- id: p{number}\n  prompt: Tell me everything of matter {number}.\n  should:\n    - Tells of it\n"
            for number in range(3)
        )
        file = home / "streaming.yml"
        file.write_text(f"models: {json.dumps(models)}\n---\n{''.join(prompts)}", "utf-8")
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


def go_to(window: Window, at: int) -> None:
    """Put the studio's cursor on row `at`."""
    window.press("C-g")
    window.wait(lambda screen: "Go to line" in screen)
    window.type(str(at + 1))
    window.press("Enter")
    window.wait(lambda screen: "Go to line" not in screen and f" {at + 1} " in screen)
    time.sleep(1)


def _echo(command: list[str], home: Path) -> list[float]:
    """Milliseconds from each key to the cursor's line with it."""
    with Window(command, home) as window:
        window.start()
        window.wait(lambda screen: len(screen.split()) > 50)
        time.sleep(1)
        return echoes(window, "")


def _studio_echo(file: File, home: Path) -> list[float]:
    """The same in the studio, with the line's number in its gutter."""
    at = file.row()
    with _studio(file, home, at) as window:
        window.press("End")
        return echoes(window, str(at + 1))


def echoes(window: Window, number: str) -> list[float]:
    """Milliseconds from each key to the cursor's line with it, and with `number` in it."""
    window.type(ANCHOR)
    window.wait(lambda screen: ANCHOR in screen)
    return _type_and_wait(window, number)


def _problems(file: File, home: Path) -> list[float]:
    """Milliseconds from a key that spoils (or mends) a key of the blueprint to the other number of problems."""
    with _studio(file, home, file.key_row()) as window:
        before = _count(window.screen())
        window.press("Home")
        window.type(KEYS[0])
        window.wait(lambda screen: _count(screen) != before)
        time.sleep(1)
        after = _count(window.screen())
        return [
            _until_count(window, *step) for _ in range(ROUNDS * 5) for step in (("BSpace", before), (KEYS[0], after))
        ]


def _until_count(window: Window, key: str, count: int) -> float:
    time.sleep(PAUSE)
    began = time.perf_counter()
    window.press(key)
    return (window.wait(lambda screen: _count(screen) == count) - began) * 1000


def _count(screen: str) -> int:
    """How many problems the line at the cursor counts."""
    return sum(map(int, re.findall(r"(\d+) (?:error|warning|hint)s?\b(?=.* F3)", screen)))


def _type_and_wait(window: Window, number: str) -> list[float]:
    samples: list[float] = []
    for _ in range(ROUNDS):
        typed = ANCHOR
        for key in KEYS:
            typed += key
            samples.append(_until_line(window, key, typed, number))
        for _ in KEYS:
            typed = typed[:-1]
            samples.append(_until_line(window, "BSpace", typed, number))
    return samples


def _until_line(window: Window, key: str, typed: str, number: str) -> float:
    time.sleep(PAUSE)
    began = time.perf_counter()
    if len(key) == 1:
        window.type(key)
    else:
        window.press(key)

    def shown(screen: str) -> bool:
        texts = (line.rpartition("│")[2] for line in screen.split("\n"))  # the outline has the words of prompts, too
        line = next((line for line in texts if ANCHOR in line), "")
        after = line[line.index(ANCHOR) :] if line else ""
        return after.startswith(typed) and not after[len(typed) : len(typed) + 1].strip(" │") and number in line

    return (window.wait(shown) - began) * 1000
