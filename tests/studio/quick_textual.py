"""Textual, quicker in tests: style sheets are parsed once, and waiting asks no widget.

With `TEST_THOROUGHLY=1` waiting is Textual's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from textual import _wait
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.message_pump import MessagePump
from textual.pilot import Pilot, WaitForScreenTimeout

from tests.thoroughness import THOROUGH

_REST, _TURNS = 0.004, 50


@contextmanager
def quick_textual() -> Iterator[None]:
    """Let Textual be quicker until the end."""
    with pytest.MonkeyPatch.context() as patch:
        _parse_once(patch)
        if not THOROUGH:
            patch.setattr(Pilot, "_wait_for_screen", _quiet)
            patch.setattr(_wait, "SLEEP_GRANULARITY", _REST)
        yield


def _parse_once(patch: pytest.MonkeyPatch) -> None:
    """Parse each style sheet once in a worker, and not once in each app: its rules are never changed."""
    parse = Stylesheet._parse_rules
    parsed: dict[tuple[object, ...], list[RuleSet]] = {}

    def parse_once(sheet: Stylesheet, css: str, *where: Any, **others: Any) -> list[RuleSet]:
        key = (css, where, *others.items(), frozenset(sheet._variables.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, css, *where, **others)
        return parsed[key]

    patch.setattr(Stylesheet, "_parse_rules", parse_once)


async def _quiet(pilot: Pilot[Any], timeout: float = 30.0) -> bool:
    """Wait until the screen and its widgets have no message left, without sending one to each."""
    app: App[Any] = pilot.app
    deadline = asyncio.get_running_loop().time() + timeout
    for turn in count():
        await asyncio.sleep(0 if turn < _TURNS else 0.001)
        if app._exception_event.is_set() or not app.screen_stack:
            return False
        if all(map(_is_idle, (app, *app.screen.walk_children(with_self=True)))):
            if app._resize_event is not None:  # no other size comes within its eight milliseconds
                app._check_resize()
            elif app.screen._callbacks:  # what waits for the next frame need not wait for its time
                app.screen._on_timer_update()
            else:
                return True
        if asyncio.get_running_loop().time() > deadline:
            raise WaitForScreenTimeout("The screen does not come to rest.")
    return True


def _is_idle(pump: MessagePump) -> bool:
    queue: Any = pump._message_queue
    return pump._closed or pump._closing or (queue.empty() and bool(queue.ready_event._waiters))
