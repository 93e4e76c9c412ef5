"""Ctrl+Q, wherever one is: it leaves, and asks first where something would be lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input

from engine.asking.spending import Cap
from engine.files.journal import Journal
from engine.files.user_settings import Settings
from studio.tui.app import Studio
from studio.tui.dialogs.ask import Ask, AskText
from studio.tui.dialogs.edit_answer import EditAnswer
from studio.tui.editor import PlainEditor
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.start_screen import StartScreen
from tests.studio.driving import QUOTED, SECONDS, WIDE, blueprint_screen, press, settle, studio_on, wait_until
from tests.studio.test_before_run import Asking, planned

pytestmark = pytest.mark.usefixtures("_models_have_keys")


@pytest.fixture
def _models_have_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.setenv(name, "sk-of-a-test-123")


def question(app: Studio) -> str:
    """What the question on top says, "" where there is none."""
    return str(app.screen.query_one(".dialog-text").render()) if isinstance(app.screen, Ask) else ""


async def opened(pilot: Pilot[Any], *keys: str) -> ModalScreen[Any]:
    """The dialog that the last of `keys` opens."""
    await pilot.press(*keys)
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, ModalScreen))
    await pilot.pause()
    assert isinstance(pilot.app.screen, ModalScreen)
    return pilot.app.screen


DIALOGS = [("f1",), ("ctrl+p",), ("f9",), ("ctrl+f",), ("ctrl+g",), ("f8", "ctrl+e"), ("f8", "f8", "f4")]


@pytest.mark.parametrize("keys", DIALOGS, ids="-".join)
async def test_it_leaves_from_every_dialog(keys: tuple[str, ...], tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await opened(pilot, *keys)
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: app._exit)


@asynccontextmanager
async def filling(app: Studio) -> AsyncIterator[BlueprintScreen]:
    """Run `app` up to the moment in which the right side is being built; it has ended without a fault at the end."""
    ends = asyncio.create_task(app.run_async(headless=True, size=WIDE))
    while not any(isinstance(screen, BlueprintScreen) and screen.is_filling for screen in app.screen_stack):
        await asyncio.sleep(0)
    yield blueprint_screen(app)
    await asyncio.wait_for(ends, SECONDS)
    assert app._exception is None


async def test_it_leaves_while_the_right_side_is_being_built(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with filling(app):
        app.post_message(Key("ctrl+q", None))


async def test_the_start_screen_opens_while_the_right_side_is_being_built(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with filling(app) as screen:
        await screen.run_action("screen.start_screen")
        while not isinstance(app.screen, StartScreen):
            await asyncio.sleep(0.01)
        app.post_message(Key("ctrl+q", None))


@pytest.mark.parametrize("turns", range(1, 4))
async def test_it_leaves_while_a_dialog_opens(turns: int, tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        app.post_message(Key("f9", None))
        for _ in range(turns):
            await asyncio.sleep(0)
        app.post_message(Key("ctrl+q", None))
        await wait_until(pilot, lambda: app._exit)


@pytest.mark.parametrize("keys", DIALOGS, ids="-".join)
async def test_it_asks_about_unsaved_text_over_every_dialog_which_stays_where_one_stays(
    keys: tuple[str, ...], tmp_path: Path
) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "space")
        dialog = await opened(pilot, *keys)
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: "changes that are not saved" in question(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is dialog)
        assert not app._exit


async def test_while_it_asks_it_does_not_ask_again(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "space")
        await pilot.press("ctrl+q", "ctrl+q", "ctrl+q")
        await wait_until(pilot, lambda: "changes that are not saved" in question(app))
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert len(app.screen_stack) == app.screen_stack.index(screen) + 2


async def test_a_line_that_is_being_typed_is_not_lost_without_a_question(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.action_save_as()
        await wait_until(pilot, lambda: isinstance(app.screen, AskText))
        await pilot.press("end", "2", "ctrl+q")
        await wait_until(pilot, lambda: "not been accepted yet" in question(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, AskText))
        assert app.screen.query_one(Input).value.endswith("x.yml2")
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: app._exit)


async def test_an_answer_that_is_being_edited_is_not_lost_without_a_question(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        app.push_screen(EditAnswer("Edit the answer", "It is 30 days."))
        await pilot.pause()
        await pilot.press("M", "y", "ctrl+q")
        await wait_until(pilot, lambda: "not been accepted yet" in question(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, EditAnswer))
        assert app.screen.query_one(PlainEditor).text_out() == "MyIt is 30 days."


async def test_an_answer_that_is_given_up_is_no_draft_any_more(tmp_path: Path) -> None:
    typed: list[str] = []
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        app.push_screen(EditAnswer("Edit the answer", "30", "It is 30", typed.append))
        await pilot.pause()
        assert app.screen.query_one(PlainEditor).text_out() == "It is 30"
        await pilot.press("M")
        await wait_until(pilot, lambda: typed == ["MIt is 30"])
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: "not been accepted yet" in question(app))
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: app._exit)
    assert typed == ["MIt is 30", "30"]


async def test_a_cap_that_is_being_typed_is_not_lost_without_a_question() -> None:
    asking = Asking()
    async with asking.app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await asking.ask(pilot, planned("openai:gpt-4o-mini", judged=False))
        assert asking.dialog is not None
        asking.dialog.query_one("#dollars", Input).value = "0.20"
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: "not been accepted yet" in question(asking.app))
    assert Cap(Settings.load().cap.dollars) == Cap(None)


async def test_from_a_dialog_of_the_start_screen_it_leaves_too() -> None:
    app = Studio()
    async with app.run_test(size=WIDE) as pilot:
        await wait_until(pilot, lambda: isinstance(app.screen, StartScreen))
        await opened(pilot, "f1")
        await pilot.press("ctrl+q")
        await wait_until(pilot, lambda: app._exit)


async def test_ctrl_s_and_at_once_ctrl_q_saves_and_leaves_without_a_question(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "space")
        app.screen.post_message(Key("ctrl+s", None))
        app.screen.post_message(Key("ctrl+q", None))
        await wait_until(pilot, lambda: app._exit or isinstance(app.screen, Ask))
        assert question(app) == ""
    assert path.read_text("utf-8") == " " + QUOTED


async def test_going_to_the_start_screen_does_not_cancel_a_save(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    app = studio_on(path, QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "space")
        screen.action_save()
        screen.action_start_screen()
        await wait_until(pilot, lambda: isinstance(app.screen, StartScreen))
    assert path.read_text("utf-8") == " " + QUOTED
    assert Journal().state(path).left == ()
