"""Pictures of a published result: opened with its blueprint, its response, and without its blueprint."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from studio.tui.app import Studio
from studio.tui.row_list import Rows
from tests.studio.driving import NARROW, WIDE, press
from tests.studio.test_published import BLUEPRINT, both_scored, published_in, studio_with

Snap = Callable[..., bool]


def opened(folder: Path, *, blueprint: str | None = BLUEPRINT) -> Studio:
    return studio_with(published_in(folder, blueprint=blueprint))


def on_notice(*keys: str, shows: str) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """The prompt `notice`, once both prompts are scored, and `keys` pressed; the screen must show `shows`."""

    async def run(pilot: Pilot[Any]) -> None:
        screen = await both_scored(pilot)
        screen.editor.go_to(screen.editor.text_out().index("notice"))
        await press(pilot, *keys)
        for rows in screen.query(Rows):
            rows.scroll_home(animate=False)
        await pilot.pause()
        drawn = pilot.app.export_screenshot().replace("&#160;", " ")
        assert shows in drawn

    return run


STATES = {
    "the_result": ((), "Says who pays"),
    "the_response": (("ctrl+t",), "two weeks"),
    "a_point": (("ctrl+r", "down"), "Only in passing."),
}


@pytest.mark.parametrize("state", STATES)
def test_wide(state: str, tmp_path: Path, snap_compare: Snap) -> None:
    keys, shows = STATES[state]
    assert snap_compare(opened(tmp_path), terminal_size=WIDE, run_before=on_notice(*keys, shows=shows))


def test_without_its_blueprint(tmp_path: Path, snap_compare: Snap) -> None:
    app = opened(tmp_path, blueprint=None)
    assert snap_compare(app, terminal_size=WIDE, run_before=on_notice(shows="rebuilt from"))


def test_narrow(tmp_path: Path, snap_compare: Snap) -> None:
    shows = "Says who pays"
    assert snap_compare(opened(tmp_path), terminal_size=NARROW, run_before=on_notice("ctrl+r", shows=shows))
