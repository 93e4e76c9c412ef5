"""The README's tour: what it says is on the screen when its keys are pressed, at one of three sizes, or all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from textual.pilot import Pilot

from engine.files.open_files import new_file
from studio.example import EXAMPLE, read
from studio.screenshots import WALKS, screen_text
from studio.tui.action import key_label
from studio.tui.app import Studio
from tests.studio.driving import NARROW, WIDE, blueprint_screen, is_busy, settle, wait_until
from tests.thoroughness import one_in

MIDDLE = (100, 30)
SIZES = {"120x36": WIDE, "100x30": MIDDLE, "80x24": NARROW}
README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
TOUR = " ".join(README.partition("## Five minutes")[2].partition("\n## ")[0].split())


@dataclass(frozen=True, slots=True)
class Step:
    """What the tour says in `says`, the keys that it names, and the words on the screen that show it to be true."""

    says: str
    keys: Sequence[str]
    shows: Sequence[str]


STEPS = [Step(**row) for row in YAML(typ="safe").load(Path(__file__).with_name("tour.yml").read_text("utf-8"))]


async def press_key(pilot: Pilot[Any], key: str) -> None:
    """Press a key, and wait until a dialog asks or the app has settled."""
    await pilot.press(key)
    app = pilot.app
    assert isinstance(app, Studio)
    screen = blueprint_screen(app)
    await wait_until(pilot, lambda: app.screen is not screen or not is_busy(app, screen))
    if app.screen is screen:
        await settle(pilot)


async def expect(pilot: Pilot[Any], step: Step) -> None:
    """Wait until the screen shows all that `step` promises."""
    try:
        await wait_until(pilot, lambda: all(words in screen_text(pilot.app) for words in step.shows))
    except AssertionError as error:
        raise AssertionError(f"{step.says}\n{screen_text(pilot.app)}") from error


@pytest.mark.parametrize("size", one_in(3, [*SIZES][::-1]))
async def test_the_screen_shows_what_the_tour_says(size: str) -> None:
    app = Studio(new_file(Path(EXAMPLE.file), read(EXAMPLE.file)))
    async with app.run_test(size=SIZES[size]) as pilot:
        await settle(pilot)
        for step in STEPS:
            for key in step.keys:
                await press_key(pilot, key)
            await expect(pilot, step)


def test_the_tour_says_each_step_and_names_its_keys() -> None:
    assert [step.says for step in STEPS if step.says not in TOUR] == []
    named = {key_label(key).capitalize() for step in STEPS for key in step.keys}
    assert named - {key.capitalize() for key in in_backticks(TOUR)} == set()


def test_the_steps_are_in_the_order_of_the_tour() -> None:
    places = [TOUR.index(step.says) for step in STEPS]
    assert places == sorted(places)


def in_backticks(text: str) -> set[str]:
    return set(text.split("`")[1::2])


# --- Pictures

PICTURES = {name: TOUR.index(f"](screenshots/{name}.png)") for name in ("fix", "compared", "graded", "blueprint")}
PICTURES["run"] = TOUR.index("The picture at the top of this page shows this state.")
"""Where the tour shows a picture, or speaks of the one above it."""


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_the_state_that_the_text_is_at(name: str) -> None:
    [walk] = [walk for walk in WALKS if walk.name == name]
    before = [step for step in STEPS if TOUR.index(step.says) < PICTURES[name]]
    assert [step for step in walk.steps if isinstance(step, str)] == [key for step in before for key in step.keys]


def test_the_tour_has_no_other_picture() -> None:
    assert TOUR.count("](screenshots/") == len(PICTURES) - 1
