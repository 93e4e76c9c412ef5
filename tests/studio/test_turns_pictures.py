"""Pictures of conversations and answers: a thread that grows, all kinds of turns, an edited and a formatted answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot

from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.side import RESPONSE
from studio.tui.theme import LIGHT
from tests.studio.driving import NARROW, WIDE, look, press, see, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer
from tests.studio.test_turns import edit_to, opened, pane, states

Snap = Callable[..., bool]

TALK = """\
title: Tenants' questions
system: You help tenants. Be brief.
---
- id: broken-boiler
  messages:
    - user: My boiler is broken.
    - assistant: null
    - user: Since last week. The landlord says nothing.
    - ai: Did you write to him?
    - user: Yes, twice. What now?
    - assistant: null
    - user: Thank you. Anything else?
  should:
    - $icontains: environmental health
    - Asks since when
"""
IDEAL = """\
title: Tenants' questions
---
- id: notice-period
  prompt: What is the notice period, and how do I write it down?
  ideal: |
    # Notice

    The period is **30 days**, by section 11 of `the Act`.

    1. Write the *date* on the letter.
    2. Keep a copy, and send it so that you can show when it came: a long line hangs under its number.
       - by hand
       - [x] by post

    > A letter counts from the day on which it arrives.

    ```python
    def ends(day):  # of arrival
        return day + 30
    ```
  should:
    - $icontains: 30 days
    - Names the Act
"""
_SAID = (
    "Since when is it **broken**?",
    "1. Write once more.\n2. Call *environmental health*.\n\nThey can order the landlord to mend it within a set time.",
    "Keep a record of every letter.",
)


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[ModelServer]:
    said = iter(_SAID)
    model = ModelServer(httpserver, lambda _: next(said))
    yield model
    model.release()


async def held(pilot: Pilot[Any], server: ModelServer) -> BlueprintScreen:
    """A run that waits behind the first word of its first answer."""
    screen = await opened(pilot, server)
    server.held = True
    await pilot.press("f5")
    await wait_until(pilot, lambda: states(screen)[2][0] == "Since ")
    await see(pilot)
    return screen


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_thread_that_grows(size: tuple[int, int], tmp_path: Path, server: ModelServer, snap_compare: Snap) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await held(pilot, server)
        await see(pilot, "being generated", "to be generated")

    assert snap_compare(studio_on(tmp_path / "tenants.yml", TALK), terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_thread_of_written_generated_and_edited_turns(
    size: tuple[int, int], tmp_path: Path, server: ModelServer, snap_compare: Snap
) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        screen = await opened(pilot, server)
        await press(pilot, "f5")
        pane(screen).list.select(2)
        await pilot.press("e")
        await edit_to(pilot, "Since when? And does the water run warm?")
        await see(pilot, "edited by you", "generated")

    assert snap_compare(studio_on(tmp_path / "tenants.yml", TALK), terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_an_edited_answer(size: tuple[int, int], tmp_path: Path, snap_compare: Snap) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        screen.editor.go_to(screen.editor.text_out().index("- id:") + 3)
        await press(pilot, "f5")
        screen.show_tab(RESPONSE)
        await settle(pilot)
        await pilot.press("e")
        await edit_to(pilot, "It is 30 days.")
        await see(pilot, "edited by you")

    assert snap_compare(studio_on(tmp_path / "tenants.yml", IDEAL), terminal_size=size, run_before=run)


async def to_the_answer(pilot: Pilot[Any]) -> None:
    screen = await settle(pilot)
    screen.editor.go_to(screen.editor.text_out().index("- id:") + 3)
    await press(pilot, "f5", "ctrl+r", "down", "up", "ctrl+t")
    await see(pilot, "⟦", "☑")


def test_an_answer_in_markdown_with_its_evidence(tmp_path: Path, snap_compare: Snap) -> None:
    app = studio_on(tmp_path / "tenants.yml", IDEAL)
    assert snap_compare(app, terminal_size=WIDE, run_before=to_the_answer)


async def test_another_theme_moves_nothing_in_an_answer(tmp_path: Path) -> None:
    light = studio_on(tmp_path / "tenants.yml", IDEAL)
    light.theme = LIGHT
    dark = studio_on(tmp_path / "tenants.yml", IDEAL)
    assert await look(light, WIDE, to_the_answer) == await look(dark, WIDE, to_the_answer)


def test_editing_an_answer(tmp_path: Path, snap_compare: Snap) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        screen.editor.go_to(screen.editor.text_out().index("- id:") + 3)
        await press(pilot, "f5")
        screen.show_tab(RESPONSE)
        await settle(pilot)
        await pilot.press("e")
        await see(pilot, "Edit the answer")

    assert snap_compare(studio_on(tmp_path / "tenants.yml", IDEAL), terminal_size=WIDE, run_before=run)
