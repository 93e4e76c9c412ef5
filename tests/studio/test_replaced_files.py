"""A file that is replaced while it is open, or that has hard links: a dialog each time, and quitting works."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from studio.tui.dialogs.ask import Ask
from tests.studio.driving import WIDE, settle, studio_on, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes and links of POSIX")

TEXT = "- id: a\n  prompt: b\n"
INSTEAD: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a named pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
}
instead = pytest.mark.parametrize(("kind", "make"), INSTEAD.items(), ids=INSTEAD)


async def asked(pilot: Pilot[Any]) -> str:
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.pause()
    return " ".join(str(widget.render()) for widget in pilot.app.screen.query("Static"))


async def replaced_after_typing(pilot: Pilot[Any], path: Path, make: Callable[[Path], object]) -> None:
    await settle(pilot)
    await pilot.press("#")
    await settle(pilot)
    path.unlink()
    make(path)


@instead
async def test_saving_over_what_replaced_the_file_asks(
    tmp_path: Path, kind: str, make: Callable[[Path], object]
) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await replaced_after_typing(pilot, tmp_path / "x.yml", make)
        await pilot.press("ctrl+s")
        assert f"There is {kind} at this path now." in await asked(pilot)


@instead
async def test_quitting_works_whatever_replaced_the_file(
    tmp_path: Path, kind: str, make: Callable[[Path], object]
) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await replaced_after_typing(pilot, tmp_path / "x.yml", make)
        await pilot.press("ctrl+q")
        await asked(pilot)
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: not app.is_running or app._exit)  # pyright: ignore[reportPrivateUsage]


@instead
async def test_loading_again_what_replaced_the_file_asks(
    tmp_path: Path, kind: str, make: Callable[[Path], object]
) -> None:
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        (tmp_path / "x.yml").unlink()
        make(tmp_path / "x.yml")
        screen.session.tasks.start("reload", screen.session.file.reload())
        assert kind in await asked(pilot)


async def test_a_hard_link_is_named_and_separated_only_when_the_author_agrees(tmp_path: Path) -> None:
    path, other = tmp_path / "x.yml", tmp_path / "y.yml"
    app = studio_on(path, TEXT)
    os.link(path, other)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press("#", "ctrl+s")
        assert "hard links" in await asked(pilot)
        assert path.samefile(other)
        await pilot.press("enter")
        await wait_until(pilot, lambda: not screen.session.file.unsaved)
        assert (path.read_text("utf-8"), other.read_text("utf-8")) == ("#" + TEXT, TEXT)


async def test_opening_a_file_clears_what_a_killed_save_left_beside_it(tmp_path: Path) -> None:
    left = tmp_path / ".x.yml.0123456789ab.blueprint-studio.tmp"
    left.write_bytes(b"half")
    app = studio_on(tmp_path / "x.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await wait_until(pilot, lambda: not left.exists())
