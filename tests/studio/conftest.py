"""What the tests of the screen have in common: frames that nobody sees are not painted."""

from __future__ import annotations

from typing import Any

import pytest
from textual._compositor import Compositor
from textual.app import App

from tests.thoroughness import THOROUGH


@pytest.fixture(autouse=True)
def frames(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint what a test reads of the screen, and the last frame of each app.

    Without a terminal Textual paints each frame too, and throws it away: a third of what a test of the app costs.
    Pictures have every frame, as a terminal has: a long list wraps its rows as it is painted. So have tests that are
    marked `every_frame`, and in `.ci/run` all tests.
    """
    is_marked = request.node.get_closest_marker("every_frame") is not None
    if is_marked or "snap_compare" in request.fixturenames or THOROUGH:
        return
    paint = Compositor.render_update
    shut_down = App._shutdown

    def seen(compositor: Compositor, full: bool = False, **others: Any) -> Any:
        if full:
            return paint(compositor, full, **others)
        compositor._dirty_regions.clear()
        return None

    async def last_frame_and_shut_down(app: App[Any]) -> None:
        if app.is_running and app.screen_stack:
            paint(app.screen._compositor, True, screen_stack=app._background_screens)
        await shut_down(app)

    monkeypatch.setattr(Compositor, "render_update", seen)
    monkeypatch.setattr(App, "_shutdown", last_frame_and_shut_down)
