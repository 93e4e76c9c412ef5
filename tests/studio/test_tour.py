"""The README's tour: what it says is on the screen when its keys are pressed, at one of three sizes, or all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
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


STEPS = (
    Step("`F8` goes to the first one, in the prompt `broken-boiler`.", ["f8"], ["broken-boiler"]),
    Step("“any one of these 2 earns it all; the block is 50% of this score”", [], ["any one of these 2 earns it all;"]),
    Step("`F5` scores the prompt's own ideal answer.", ["f5"], ["1 of 5 · 50.0"]),
    Step(
        "`Ctrl+R`, `Home` and `Enter` show the arithmetic: the required criteria score 100.0, the best way 0.0",
        ["ctrl+r", "home", "enter"],
        ["100.0 ─┐", "0.0 ─┴ their mean: 50.0"],
    ),
    Step(
        "`Esc` goes back to the text, and `F4` asks what you meant.",
        ["escape", "f4"],
        ["50.0 → 60.0", "50.0 → 75.0", "brings a new warning"],
    ),
    Step("`Down` selects “any will do”.", ["down"], ["any will do"]),
    Step("`Enter` applies it. The score is now 75.0", ["enter"], ["1 of 5 · 75.0"]),
    Step("`F9` chooses where answers come from.", ["f9"], ["Where do answers come from?"]),
    Step(
        "Press `Down` four times to get to the test answers, mark the four of them with `Space` and `Down`",
        ["down", "down", "down", "down", "space", "down", "space", "down", "space", "down", "space"],
        ["✓ Empty", "✓ Refusal", "✓ Prompt repeated", "✓ Criteria pasted"],
    ),
    Step("then press `Enter` and `F5`. An empty answer scores 0.", ["enter", "f5"], ["1 of 5 · 0.0"]),
    Step(
        "`Ctrl+R` and `v` show the next one, and after three `v` an answer made of the criteria alone scores 100.0",
        ["ctrl+r", "v", "v", "v"],
        ["1 of 5 · 100.0"],
    ),
    Step("`F9`, `Home`, `Enter` goes back to the ideal.", ["f9", "home", "enter"], ["75.0"]),
    Step("`F8` twice goes to a check in quotes, which never runs", ["f8", "f8"], ['● "$icontains']),
    Step("`F4` removes the quotes.", ["f4"], ["50       - $icontains: '30"]),
    Step("press `F5` and `Ctrl+R`: the score is a range, 40–100", ["f5", "ctrl+r"], ["3 of 5 · 40–100"]),
    Step(
        "`Up` twice and `4` grade the first, `Down` and `3` the other one.",
        ["up", "up", "4", "down", "3"],
        ["3 of 5 · 75.0"],
    ),
    Step("`F6` runs all prompts.", ["f6"], []),
    Step(
        "`F2`, `Home` and `Enter` go to the head of the file, and `Ctrl+R` to the dearest criteria of all prompts, "
        "with the reason of the selected one below.",
        ["f2", "home", "enter", "ctrl+r"],
        ["from 5 of 5"],
    ),
)


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
