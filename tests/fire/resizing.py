"""The window changes its size between 1x1 and 400x120 while prompts run and keys are pressed.

Most rounds run in this process, with a model that streams words; every tenth is the installed program in a terminal of
its own, whose size is set as a window manager does. Nothing may fail, and the studio must still answer at the end.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.files.open_files import open_file
from engine.files.own_files import config_dir
from studio.tui.app import Studio
from studio.tui.dialogs.before_run import BeforeRun
from tests.benchmarks.model_server import Pace, running
from tests.fire.driven_studio import Broken, driven, home
from tests.fire.figures import Figure, Figures
from tests.fire.pseudo_terminal import PseudoTerminal

ROUNDS = 400
"""Runs of the studio, each with `STEPS` sizes."""
STEPS = 30
WIDEST, HIGHEST = 400, 120
_PROMPTS = 5
"""Prompts that run at the same time."""
_IN_TERMINAL = 10
"""One round of so many is in a terminal."""
_PACE = Pace(answer=0.0, judge=0.0, between=0.03, words=2000)

_OPENING = (
    (),
    ("ctrl+p",),
    ("f1",),
    ("f2",),
    ("f3",),
    ("ctrl+r",),
    ("ctrl+r", "ctrl+r"),
    ("ctrl+t",),
    ("ctrl+t", "ctrl+t"),
    ("ctrl+t", "ctrl+t", "ctrl+t"),
    ("ctrl+t", "ctrl+t", "ctrl+t", "ctrl+t"),
    ("f9",),
    ("f8", "f4"),
    ("f8", "ctrl+e"),
    ("ctrl+f",),
    ("ctrl+g",),
    ("ctrl+end", "$", "i"),
    ("f10",),
    ("f6",),
    ("f12",),
    ("ctrl+k",),
    ("ctrl+r", "g"),
    ("ctrl+r", "d"),
    ("ctrl+r", "b"),
    ("ctrl+r", "i"),
)
"""The keys that lead to each screen, pane and dialog."""
_INSIDE = ("pagedown", "pageup", "up", "down", "home", "end", "left", "right", "tab", "enter", "space", "a", "escape")
_BYTES = {
    **{key: f"\x1bO{letter}" for key, letter in zip(("f1", "f2", "f3", "f4"), "PQRS", strict=True)},
    **{f"f{number}": f"\x1b[{code}~" for number, code in ((6, 17), (8, 19), (9, 20), (10, 21))},
    "pagedown": "\x1b[6~",
    "pageup": "\x1b[5~",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "tab": "\t",
    "enter": "\r",
    "space": " ",
    "escape": "\x1b",
    **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "prtefg"},
    "ctrl+end": "\x1b[1;5F",
}


@dataclass(frozen=True, slots=True)
class Move:
    """The next size in columns and rows, and the keys pressed after it."""

    size: tuple[int, int]
    keys: Sequence[str]


def moves(seed: int, number: int) -> list[Move]:
    """The moves of round `number` of `seed`; the same each time."""
    chance = random.Random(f"{seed} {number}")
    return [Move(_size(chance), _keys(chance)) for _ in range(STEPS)]


def _size(chance: random.Random) -> tuple[int, int]:
    """Small sizes are as likely as large ones; the outermost come often."""
    return tuple(
        chance.choice((1, most, round(most ** chance.random()), round(most ** chance.random())))
        for most in (WIDEST, HIGHEST)
    )  # pyright: ignore[reportReturnType]


def _keys(chance: random.Random) -> Sequence[str]:
    opening = chance.choice(_OPENING) if chance.random() < 0.4 else ()
    before = ("escape", "escape") if opening else ()
    return (*before, *opening, *(chance.choice(_INSIDE) for _ in range(chance.randint(0, 3))))


def run(seed: int, rounds: int) -> Figures:
    """Play `rounds` rounds; each that fails is printed with its number."""
    failed = {False: 0, True: 0}
    with running(_PACE) as url:
        for number in range(rounds):
            in_terminal = _is_in_terminal(number)
            try:
                (play_in_terminal if in_terminal else play)(moves(seed, number), url)
            except Broken as broken:
                failed[in_terminal] += 1
                print(f"seed {seed}, round {number}: {broken}", file=sys.stderr, flush=True)
    counts = {True: sum(map(_is_in_terminal, range(rounds)))}
    counts[False] = rounds - counts[True]
    names = {False: "in the process", True: "in a terminal"}
    rows = [
        Figure(
            f"rounds of {STEPS} sizes {names[kind]}", f"{failed[kind]} of {counts[kind]} failed", "0", not failed[kind]
        )
        for kind in (False, True)
        if counts[kind]
    ]
    return Figures("resizing", seed, rounds, tuple(rows))


def _is_in_terminal(number: int) -> bool:
    return number % _IN_TERMINAL == _IN_TERMINAL - 1


@contextmanager
def _file(url: str) -> Iterator[Path]:
    """A file with problems, whose prompts a model at `url` answers, in a home of its own."""
    with home(), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fire.yml"
        model = {"id": "own:m", "url": f"{url}/chat/completions", "modelName": "m", "inherit": "openai"}
        prompts = (
            f"- id: p{number}\n  prompt: Say {number} {'at length ' * number}\n  ideal: It is {number}.\n  should:\n"
            f"    - Says {number}\n    - '$icontains: {number}'\n    - - $icontains: a\n    - - $icontains: b\n"
            for number in range(_PROMPTS)
        )
        path.write_text(f"models: {json.dumps([model])}\n---\n{''.join(prompts)}", "utf-8")
        config_dir().mkdir(parents=True, exist_ok=True)
        answers = {str(path): {"kind": "model", "value": "own:m"}}
        (config_dir() / "settings.json").write_text(json.dumps({"answers": answers}), "utf-8")
        yield path


# --- In this process


def play(steps: Sequence[Move], url: str) -> None:
    """Play one round in this process. Raises `Broken` if anything fails, or no longer answers."""
    with _file(url) as path:
        asyncio.run(_play(steps, Studio(open_file(path))))


async def _play(steps: Sequence[Move], app: Studio) -> None:
    chance = random.Random(len(steps))
    async with driven(app, (120, 36)) as studio:
        await studio.until(lambda: studio.in_editor, "the editor has no focus")
        await studio.settled()
        studio.press("f6")
        runs = studio.screen.session.runs
        assert runs is not None
        await studio.until(lambda: runs.queue.is_running or isinstance(app.screen, BeforeRun), "no run is offered")
        studio.press("enter" if isinstance(app.screen, BeforeRun) else "f2")
        await studio.until(lambda: runs.queue.is_running, "nothing runs")
        for number, step in enumerate(steps):
            try:
                studio.resize(*step.size)
                for key in step.keys:
                    studio.press(key) if len(key) > 1 else studio.type(key)
                    if chance.random() < 0.5:  # the others come while the screen is laid out
                        await asyncio.sleep(0.005)
                await studio.painted()
            except Broken as broken:
                if _has_quit(app):
                    return
                raise Broken(f"move {number} ({step}): {broken}") from broken
        studio.resize(120, 36)
        for _ in range(12):
            studio.press("escape")
            await studio.painted()
            if studio.in_editor:
                return
        raise Broken(f"Escape does not lead to the text from {app.screen}")


def _has_quit(app: Studio) -> bool:
    """Whether the keys chose “Quit” in the palette, and nothing failed."""
    return app._exit and app._exception is None and app.return_code == 0


# --- In a terminal


def play_in_terminal(steps: Sequence[Move], url: str) -> None:
    """Play one round with the installed program. Raises `Broken` if it ends, hangs or reports a fault."""
    with _file(url) as path, PseudoTerminal(path) as terminal:
        terminal.wait_for_start()
        terminal.write(_BYTES["f6"])
        terminal.rest(1.0)
        terminal.write("\r")
        for step in steps:
            terminal.resize(step.size)
            terminal.write("".join(_BYTES.get(key, key) for key in step.keys))
            terminal.rest(0.1)
            if terminal.program.poll() == 0:  # “Quit” in the palette
                return
            if terminal.program.returncode is not None:
                raise Broken(f"ended with {terminal.program.returncode} after {step}:\n{terminal.drawn}")
        terminal.resize((120, 36))
        terminal.end()
