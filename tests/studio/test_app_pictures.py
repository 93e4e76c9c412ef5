"""Pictures of every state of the screens. What matters in each is asserted beside it, in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.evaluation.sources import ModelSource
from engine.files.open_files import CannotOpen, OpenedFile, new_file
from studio.example import EXAMPLE, read
from studio.session import model_status
from studio.session.model_status import ReadyModel
from studio.tui.app import Studio
from studio.tui.theme import LIGHT
from tests.studio.driving import NARROW, WIDE, look, press, see, settle

Snap = Callable[..., bool]


@pytest.fixture(autouse=True)
def the_same_machine_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server answers, no model is installed, whatever is on the machine that draws."""

    async def nobody() -> list[ReadyModel]:
        return []

    async def words() -> str:
        return "The ideal, your own answers and test answers always work. No key found."

    monkeypatch.setattr(model_status, "on_loopback", nobody)
    monkeypatch.setattr(model_status, "status_text", words)
    monkeypatch.setattr(
        model_status,
        "embedded",
        lambda: ReadyModel(ModelSource("embedded:smollm2"), "studio models install", ready=False),
    )


def example() -> Studio:
    """The app with the bundled example."""
    return Studio(new_file(Path(EXAMPLE.file), read(EXAMPLE.file)))


def after(*keys: str, shows: str = "", then: str = "") -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Press `keys`, each once all has settled, then the key `then`; the screen must show `shows`."""

    async def run(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await press(pilot, *keys)
        if then:
            await pilot.press(then)
        await see(pilot, shows)

    return run


_STATES = {
    "opened": ((), "header"),
    "at_the_first_problem": (("f8",), "single-element-path"),
    "a_run_of_the_ideal": (("f8", "f5"), "Weval stores 0.50"),
    "graded": (("f8", "f8", "f8", "f5", "ctrl+r", "4", "down", "down", "down", "3"), "55.0"),
    "the_response": (("f8", "f5", "ctrl+t"), "environmental health"),
    "the_conversation": (("f8", "ctrl+t", "ctrl+t"), "to be generated"),
    "the_result_zoomed": (("f8", "f5", "ctrl+r", "f12"), "F12 all panes"),
}


@pytest.mark.parametrize("state", _STATES)
def test_wide(state: str, snap_compare: Snap) -> None:
    keys, shows = _STATES[state]
    assert snap_compare(example(), terminal_size=WIDE, run_before=after(*keys, shows=shows))


@pytest.mark.parametrize(
    ("keys", "shows"),
    [
        (("f3", "down"), "quoted-function"),
        (("f2", "down"), "broken-boiler"),
        (("f8", "f8", "f8", "f5", "ctrl+r"), "1 check could not run"),
    ],
    ids=["in_the_problems", "in_the_outline", "a_check_that_never_ran"],
)
async def test_what_a_state_says(keys: tuple[str, ...], shows: str) -> None:
    assert any(shows in line for line in await look(example(), WIDE, after(*keys, shows=shows)))


def test_wide_and_light(snap_compare: Snap) -> None:
    keys, shows = _STATES["graded"]
    app = example()
    app.theme = LIGHT
    assert snap_compare(app, terminal_size=WIDE, run_before=after(*keys, shows=shows))


async def test_another_theme_moves_nothing() -> None:
    keys, shows = _STATES["opened"]
    light = example()
    light.theme = LIGHT
    run = after(*keys, shows=shows)
    assert await look(light, WIDE, run) == await look(example(), WIDE, run)


_NARROW_STATES = {
    "opened": ((), "Tenants"),
    "the_outline_slides_over": (("f2",), "Outline"),
    "the_problems_slide_over": (("f3",), "Problems"),
    "the_result_replaces_the_editor": (("f8", "f5", "ctrl+r"), "Points"),
    "the_result_shares_the_height": (("f8", "f5", "ctrl+r", "ctrl+r"), "Result"),
}


@pytest.mark.parametrize("state", _NARROW_STATES)
def test_narrow(state: str, snap_compare: Snap) -> None:
    keys, shows = _NARROW_STATES[state]
    assert snap_compare(example(), terminal_size=NARROW, run_before=after(*keys, shows=shows))


_DIALOGS = {
    "choosing_a_fix": (("f8",), "f4", "the score stays"),
    "choosing_answers": ((), "f9", "Test answers"),
    "help": (("f3",), "f1", "Go to this problem"),
    "palette": ((), "ctrl+p", "Choose where answers come from"),
}


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("dialog", _DIALOGS)
def test_dialog(dialog: str, size: tuple[int, int], snap_compare: Snap) -> None:
    keys, then, shows = _DIALOGS[dialog]
    assert snap_compare(example(), terminal_size=size, run_before=after(*keys, then=then, shows=shows))


def test_quitting_with_unsaved_changes_asks(snap_compare: Snap) -> None:
    run = after("x", then="ctrl+q", shows="Leave without saving")
    assert snap_compare(example(), terminal_size=WIDE, run_before=run)


def test_a_read_only_file_has_a_banner(snap_compare: Snap) -> None:
    file = OpenedFile(
        Path("old.yml"), "title: caf\xe9\n", read_only="Line 1 is not UTF-8. The file is shown read-only."
    )
    assert snap_compare(Studio(file), terminal_size=WIDE, run_before=after(shows="Line 1 is not UTF-8"))


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_start_screen(size: tuple[int, int], snap_compare: Snap) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await see(pilot, "New from template")

    assert snap_compare(Studio(), terminal_size=size, run_before=run)


def test_start_screen_tells_why_a_file_did_not_open(snap_compare: Snap) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await see(pilot, "This is a folder.")

    problem = CannotOpen(Path("/evaluations"), "This is a folder.", "Name a file in it.")
    assert snap_compare(Studio(problem=problem), terminal_size=WIDE, run_before=run)
