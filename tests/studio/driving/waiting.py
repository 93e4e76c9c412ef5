"""Waits for the app: until it has settled, until something has come, until texts are on the screen."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from studio.session.analysis import Analysis
from studio.session.runs import Runs
from studio.tui.app import Studio
from studio.tui.screens.blueprint_screen import BlueprintScreen

SECONDS = 60.0
"""How long a state may take to come: long enough for a machine that is busy with something else."""
ENDLESS = {"journal", "clock"}
"""What goes on behind everything, as long as the file is open, or a run."""


def blueprint_screen(app: Studio) -> BlueprintScreen:
    """The blueprint screen of `app`, dialogs above it or not."""
    return next(screen for screen in app.screen_stack if isinstance(screen, BlueprintScreen))


def runs_of(screen: BlueprintScreen) -> Runs:
    """The runs of the file, which are loaded."""
    assert screen.session.runs is not None
    return screen.session.runs


def analysis_of(screen: BlueprintScreen) -> Analysis:
    """What is known of the text, which was analysed."""
    assert screen.session.state.analysis is not None
    return screen.session.state.analysis


async def settle(pilot: Pilot[Any]) -> BlueprintScreen:
    """Wait until the newest text was checked with all rules, the right side is there and nothing goes on.

    Below a dialog, work may wait for the author: then only what scores counts.
    """
    app = pilot.app
    assert isinstance(app, Studio)
    deadline = asyncio.get_running_loop().time() + SECONDS
    while True:
        await pilot.pause()
        if is_settled(app):
            await pilot.pause()
            return blueprint_screen(app)
        while not is_settled(app):
            assert asyncio.get_running_loop().time() < deadline, "not settled"
            await asyncio.sleep(0.01)


def is_ready(screen: BlueprintScreen) -> bool:
    """Whether the text was analysed and the runs are loaded."""
    return screen.session.runs is not None and screen.session.state.analysis is not None


def is_settled(app: Studio) -> bool:
    """Whether the newest text was checked with all rules, the right side is there and nothing goes on."""
    screen = blueprint_screen(app)
    session = screen.session
    analysis, runs = session.state.analysis, session.runs
    return (
        analysis is not None
        and analysis.complete
        and analysis.revision == screen.editor.revision
        and runs is not None
        and screen.filled.is_set()
        and not runs.queue.is_running
        and not app.type_ahead
        and not is_busy(app, screen)
    )


def is_busy(app: Studio, screen: BlueprintScreen) -> bool:
    """Whether anything goes on that will end by itself; below a dialog, only what scores."""
    going = screen.session.tasks.busy | {worker.group for worker in app.workers if not worker.is_finished}
    return bool(going & {"rescoring"} if app.screen is not screen else going - ENDLESS)


async def wait_until(pilot: Pilot[Any], done: Any) -> None:
    """Wait until `done()` is true."""
    deadline = asyncio.get_running_loop().time() + SECONDS
    while not done():
        assert asyncio.get_running_loop().time() < deadline, "it did not happen"
        await pilot.pause()
        await asyncio.sleep(0.01)


def screen_lines(app: App[Any]) -> list[str]:
    """The rows of the screen as text, without the blanks at their ends."""
    return ["".join(segment.text for segment in strip).rstrip() for strip in app.screen._compositor.render_strips()]


async def see(pilot: Pilot[Any], *texts: str) -> None:
    """Wait until all of `texts` are on the screen and it stands still."""
    deadline = asyncio.get_running_loop().time() + SECONDS
    before: list[str] = []
    while True:
        await pilot.pause()
        now = screen_lines(pilot.app)
        missing = [text for text in texts if not any(text in line for line in now)]
        if not missing and now == before and not is_recording(pilot.app):
            return
        before = now
        shown = "\n".join(now)
        assert asyncio.get_running_loop().time() < deadline, f"not on the screen, or it moves: {missing}\n{shown}"
        await asyncio.sleep(0.02)


def is_recording(app: App[Any]) -> bool:
    """Whether answers are being recorded as shown, which the outline counts."""
    screens = [screen for screen in app.screen_stack if isinstance(screen, BlueprintScreen)]
    return any("shown answers" in screen.session.tasks.busy for screen in screens)


def drawn(pilot: Pilot[Any]) -> str:
    """The screen as SVG, with its colours, and its blanks as blanks."""
    return pilot.app.export_screenshot().replace("&#160;", " ")
