"""For tests of screens and commands: Textual is quicker, V8 stays, and frames nobody sees are not painted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.app import App

from engine.functions import v8
from engine.functions.v8 import JavaScript
from tests.studio.pictures import is_painting
from tests.studio.quick_textual import quick_textual
from tests.thoroughness import THOROUGH


@pytest.fixture(scope="session", autouse=True)
def textual() -> Iterator[None]:
    with quick_textual():
        yield


@pytest.fixture(scope="session")
def idle_v8() -> Iterator[list[v8._Child]]:
    """The processes of V8 that nobody has at present."""
    idle: list[v8._Child] = []
    yield idle
    for child in idle:
        child.kill()


@pytest.fixture(autouse=True)
def one_v8(idle_v8: list[v8._Child], monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand the process of V8 on from one command or app to the next, as it takes 0.1 s to start.

    A process that is busy when it is closed ends, as ever, and forked processes start their own.
    """
    running, close = JavaScript._running, JavaScript.close
    worker = os.getpid()

    def taken(javascript: JavaScript) -> v8._Child:
        if javascript._child is None and not javascript._closed and idle_v8 and os.getpid() == worker:
            javascript._child = idle_v8.pop()
        return running(javascript)

    def left(javascript: JavaScript) -> None:
        child = javascript._child
        is_sound = child is not None and child.ready and child.alive and os.getpid() == worker
        if child is None or not is_sound or not javascript._turn.acquire(blocking=False):
            close(javascript)
            return
        javascript._closed, javascript._child = True, None
        javascript._turn.release()
        idle_v8.append(child)

    monkeypatch.setattr(JavaScript, "_running", taken)
    monkeypatch.setattr(JavaScript, "close", left)


@pytest.fixture(autouse=True)
def frames(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint what a test reads of the screen, and the last frame of each app.

    Without a terminal Textual paints each frame too, and throws it away: a third of what a test of the app costs.
    Tests that are marked `every_frame` have every frame, and with `TEST_THOROUGHLY=1` all tests. A picture is taken
    within `painting()`, as a long list wraps its rows as it is painted.
    """
    if request.node.get_closest_marker("every_frame") is not None or THOROUGH:
        return
    paint = Compositor.render_update
    shut_down = App._shutdown

    def seen(compositor: Compositor, full: bool = False, **others: Any) -> Any:
        if full or is_painting():
            return paint(compositor, full, **others)
        compositor._dirty_regions.clear()
        return None

    async def last_frame_and_shut_down(app: App[Any]) -> None:
        if app.is_running and app.screen_stack:
            paint(app.screen._compositor, True, screen_stack=app._background_screens)
        await shut_down(app)

    monkeypatch.setattr(Compositor, "render_update", seen)
    monkeypatch.setattr(App, "_shutdown", last_frame_and_shut_down)
