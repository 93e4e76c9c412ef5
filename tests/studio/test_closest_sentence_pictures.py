"""Pictures of a result with its closest sentence. What matters in each is asserted beside it, in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from engine.files.open_files import new_file
from studio.example import EXAMPLE, read
from studio.tui.app import Studio
from studio.tui.theme import LIGHT
from tests.studio.driving import WIDE, look, press, see, settle, wait_until

Snap = Callable[..., bool]


def example() -> Studio:
    """The app with the bundled example."""
    return Studio(new_file(Path(EXAMPLE.file), read(EXAMPLE.file)))


def shows(*keys: str, told: str) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Run a prompt with points in words, wait for the closest sentence, press `keys`; `told` is on the screen."""

    async def run(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await press(pilot, "f8", "f8", "f8", "f5", "ctrl+r")
        await wait_until(pilot, lambda: "closest sentence: “" in _drawn(pilot))
        for key in keys:
            await pilot.press(key)
            await see(pilot)
        await see(pilot, told)

    return run


def _drawn(pilot: Pilot[Any]) -> str:
    return pilot.app.export_screenshot().replace("&#160;", " ")


def test_a_result_with_a_closest_sentence(snap_compare: Snap) -> None:
    assert snap_compare(example(), terminal_size=WIDE, run_before=shows(told="closest sentence: “"))


async def test_another_theme_moves_no_closest_sentence() -> None:
    app = example()
    app.theme = LIGHT
    light = await look(app, WIDE, shows(told="closest sentence: “"))
    assert light == await look(example(), WIDE, shows(told="closest sentence: “"))


def test_the_closest_sentence_in_the_answer(snap_compare: Snap) -> None:
    assert snap_compare(example(), terminal_size=WIDE, run_before=shows("ctrl+t", told="⟦"))
