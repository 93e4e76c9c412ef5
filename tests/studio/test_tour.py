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
    """What the tour says in `says`, the keys that it names, and the words on the screen that show it to be true.

    A narrow screen needs the keys `narrow` too, as the tour tells before its first step.
    """

    says: str
    keys: Sequence[str]
    shows: Sequence[str]
    narrow: Sequence[str] = ()


STEPS = (
    Step("`F8` goes to the first one, in the prompt `broken-boiler`.", ["f8"], ["broken-boiler"]),
    Step("“any one of these 2 earns it all; the block is 50% of this score”", [], ["any one of these 2 earns it all;"]),
    Step("`F5` scores the prompt's own ideal answer.", ["f5"], ["50.0"], ["ctrl+r"]),
    Step("the required points score 100.0, the best path 0.0", [], ["100.0 ─┐", "0.0 ─┴"]),
    Step("“Weval stores 0.50”", [], ["Weval stores 0.50"]),
    Step("`F4` asks what you meant.", ["f4"], ["50.0 → 60.0", "50.0 → 75.0", "brings a new warning"]),
    Step("`Down` selects “any will do”.", ["down"], ["any will do"]),
    Step("`Enter` applies it.", ["enter"], ["not saved"]),
    Step("The score is now 75.0, here and on Weval", [], ["75.0", "Weval stores 0.75"]),
    Step("`F9` chooses where answers come from.", ["f9"], ["Where do answers come from?"]),
    Step(
        "Press `Down` four times to get to the test answers, mark the four of them with `Space` and `Down`",
        ["down", "down", "down", "down", "space", "down", "space", "down", "space", "down", "space"],
        ["✓ Empty", "✓ Refusal", "✓ Prompt repeated", "✓ Criteria pasted"],
    ),
    Step("then press `Enter` and `F5`", ["enter", "f5"], ["Variants"]),
    Step("`F9`, `Home`, `Enter` goes back to the ideal.", ["f9", "home", "enter"], ["75.0"]),
    Step("`F8` twice goes to a check in quotes, which never runs", ["f8", "f8"], ["is one unknown name: remove"]),
    Step("`F4` removes the quotes.", ["f4"], ["50       - $icontains: '30"]),
    Step("press `F5` and `Ctrl+R`: the score is a range, 40–100", ["f5", "ctrl+r"], ["40–100", "2 of 4 points judged"]),
    Step(
        "`4` grades the selected point, and `Down` three times and `3` grades the other one",
        ["4", "down", "down", "down", "3"],
        ["75.0", "Weval stores 0.75"],
    ),
    Step("`F6` runs all prompts.", ["f6"], ["from 5 of 5"]),
    Step(
        "`F2`, `Home` and `Enter` go to the header, and `Ctrl+R` to its result.", ["f2", "home", "enter", "ctrl+r"], []
    ),
    Step("Press `Down` twice to get to the prompts", ["down", "down"], ["locks-changed", "costs 5.0: at 100"]),
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
            for key in (*step.keys, *(step.narrow if size == "80x24" else ())):
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
