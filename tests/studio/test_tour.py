"""The README's tour and its example: what it says is on the screen, and its first lesson is a score of Weval too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from textual.pilot import Pilot

from engine import check
from engine.files.open_files import new_file
from engine.text.diagnostics import Diagnostic
from engine.text.spans import apply_edits
from studio.example import EXAMPLE, read
from studio.screenshots import WALKS, screen_text
from studio.tui.action import key_label
from studio.tui.app import Studio
from tests.studio.command_line import studio
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


# --- The bundled example: its first lesson is a score that Weval gives too, before and after each fix


def first_problem() -> Diagnostic:
    return min(check(read(EXAMPLE.file)), key=lambda each: each.span.start)


def score(text: str, folder: Path) -> dict[str, Any]:
    """What the ideal of the first prompt scores, as `studio run` writes it."""
    file = folder / EXAMPLE.file
    file.write_text(text, "utf-8")
    out = folder / "out.json"
    studio("run", str(file), "--prompt", "broken-boiler", "--ideal", "--json", str(out))
    return json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]["broken-boiler"]["ideal"]


def on_weval(result: dict[str, Any]) -> tuple[str, float]:
    """The last line of the arithmetic: how it is said, and the figure."""
    step = result["explanation"]["steps"][-1]
    return step["label"], step["result"]


def test_the_first_problem_is_that_of_the_paths() -> None:
    assert first_problem().slug == "single-element-path"


def test_the_first_lesson_is_one_number_that_weval_stores_too(tmp_path: Path) -> None:
    result = score(read(EXAMPLE.file), tmp_path)
    assert result["bounds"] == [0.5, 0.5]
    assert on_weval(result) == ("Weval stores", result["avgCoverageExtent"])


@pytest.mark.parametrize(("choice", "stored"), [(0, 0.6), (1, 0.75)])
def test_after_each_fix_of_it_weval_stores_the_same(choice: int, stored: float, tmp_path: Path) -> None:
    fixed = apply_edits(read(EXAMPLE.file), first_problem().fixes[choice].edits)
    result = score(fixed, tmp_path)
    assert result["avgCoverageExtent"] == stored
    assert on_weval(result) == ("Weval stores", stored)
