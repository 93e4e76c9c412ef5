"""The window changes its size between 1x1 and 400x120 while prompts run and keys are pressed.

A model streams words meanwhile. Nothing may fail, and the studio must still answer at the end.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.tui.app import Studio
from studio.tui.dialogs.before_run import BeforeRun
from tests.benchmarks.model_server import Pace, running
from tests.fire.driven_studio import Broken, driven
from tests.fire.figures import Figure, Figures
from tests.fire.key_player import opened
from tests.fire.key_sequences import Setup
from tests.world import own_home

ROUNDS = 400
"""Runs of the studio, each with `STEPS` sizes."""
STEPS = 30
WIDEST, HIGHEST = 400, 120
_SIZE = (120, 36)
_PROMPTS = 5
"""Prompts that run at the same time."""
_PACE = Pace(answer=0.0, judge=0.0, between=0.03, words=2000)

_OPENING = (
    "", "ctrl+p", "f1", "f2", "f3", "ctrl+r", "ctrl+r ctrl+r", "ctrl+r r", "f9", "f8 f4", "f8 ctrl+e", "ctrl+f",
    "ctrl+g", "ctrl+end $ i", "f10", "f6", "f12", "ctrl+k", "ctrl+r g", "ctrl+r d", "ctrl+r b", "ctrl+r i",
)  # fmt: skip
"""The keys that lead to each screen, pane and dialog."""
_INSIDE = ("pagedown", "pageup", "up", "down", "home", "end", "left", "right", "tab", "enter", "space", "a", "escape")


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
    opening = chance.choice(_OPENING).split() if chance.random() < 0.4 else ()
    before = ("escape", "escape") if opening else ()
    return (*before, *opening, *(chance.choice(_INSIDE) for _ in range(chance.randint(0, 3))))


def run(seed: int, rounds: int) -> Figures:
    """Play `rounds` rounds; each that fails is printed with its number."""
    failed = 0
    with running(_PACE) as url:
        for number in range(rounds):
            try:
                play(moves(seed, number), url)
            except Broken as broken:
                failed += 1
                print(f"seed {seed}, round {number}: {broken}", file=sys.stderr, flush=True)
    figure = Figure(f"rounds of {STEPS} sizes", f"{failed} of {rounds} failed", "0", not failed)
    return Figures("resizing", seed, rounds, (figure,))


def play(steps: Sequence[Move], url: str) -> None:
    """Play one round in this process. Raises `Broken` if anything fails, or no longer answers."""
    prompts = "".join(
        f"- id: p{number}\n  prompt: Say {number} {'at length ' * number}\n  ideal: It is {number}.\n  should:\n"
        f"    - Says {number}\n    - '$icontains: {number}'\n    - - $icontains: a\n    - - $icontains: b\n"
        for number in range(_PROMPTS)
    )
    setup = Setup("prompts", prompts, _SIZE, "studio-dark", wrap=True, read_only=False, with_model=True)
    with own_home(), tempfile.TemporaryDirectory() as folder:
        asyncio.run(_play(steps, opened(setup, Path(folder) / "fire.yml", url)))


async def _play(steps: Sequence[Move], app: Studio) -> None:
    chance = random.Random(len(steps))
    async with driven(app, _SIZE) as studio:
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
        studio.resize(*_SIZE)
        await studio.back()


def _has_quit(app: Studio) -> bool:
    """Whether the keys chose “Quit” in the palette, and nothing failed."""
    return app._exit and app._exception is None and app.return_code == 0
