"""The dialog before the first case of a blueprint: what the file holds, who would see it, and the author's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from engine.study.case_reader import read_cases
from engine.study.file_places import beside
from studio.session.author_name import author_name
from studio.tui.dialogs.ask import AskText
from studio.tui.dialogs.first_case import BeforeFirstCase
from tests.stored_answers import answered
from tests.studio.driving import NARROW, screen_lines, settle, studio_on, wait_until
from tests.studio.test_answers_screen import opened

DEEP = "a folder with a long name/and another one/" * 2


def deep(tmp_path: Path) -> Path:
    folder = tmp_path / DEEP
    folder.mkdir(parents=True)
    return answered(folder / "rent.yml")


async def asked(pilot: Pilot[Any]) -> BeforeFirstCase:
    await opened(pilot)
    await pilot.press("right", "g", "enter")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, BeforeFirstCase))
    await pilot.pause()
    found = pilot.app.screen
    assert isinstance(found, BeforeFirstCase)
    return found


async def test_all_of_it_is_on_a_small_screen(tmp_path: Path) -> None:
    app = studio_on(deep(tmp_path))
    async with app.run_test(size=NARROW) as pilot:
        await asked(pilot)
        text = "\n".join(screen_lines(app))
        for part in ("will hold the answers", "Write it there", "In my data folder", "Your name in it", "Esc changes"):
            assert part in text, part
        field = app.screen.query_one(Input).region
        assert field.bottom <= 23


async def test_a_name_typed_there_is_in_the_case_and_remembered(tmp_path: Path) -> None:
    path = answered(tmp_path / "rent.yml")
    app = studio_on(path)
    async with app.run_test(size=NARROW) as pilot:
        await asked(pilot)
        await pilot.press("tab", *"Ada", "enter", "enter")
        await wait_until(pilot, lambda: beside(path).exists())
        await settle(pilot)
        assert [case.by for case in read_cases(beside(path).read_text("utf-8"))[0].cases] == ["Ada"]
        assert await author_name(app.resources.settings) == "Ada"


async def test_enter_alone_names_nobody(tmp_path: Path) -> None:
    path = answered(tmp_path / "rent.yml")
    app = studio_on(path)
    async with app.run_test(size=NARROW) as pilot:
        await asked(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: beside(path).exists())
        assert "by:" not in beside(path).read_text("utf-8")


async def test_escape_writes_nothing_and_forgets_the_name(tmp_path: Path) -> None:
    path = answered(tmp_path / "rent.yml")
    app = studio_on(path)
    async with app.run_test(size=NARROW) as pilot:
        dialog = await asked(pilot)
        await pilot.press("tab", *"Ada")
        assert dialog.is_unfinished
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is not dialog)
        assert not beside(path).exists()
        assert await author_name(app.resources.settings) is None


async def test_the_palette_asks_for_the_name(tmp_path: Path) -> None:
    app = studio_on(answered(tmp_path / "rent.yml"))
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        await app.run_action("author_name")
        await wait_until(pilot, lambda: isinstance(app.screen, AskText))
        await pilot.press(*"Ada", "enter")
        await wait_until(pilot, lambda: not isinstance(app.screen, AskText))
        await settle(pilot)
        assert await author_name(app.resources.settings) == "Ada"
