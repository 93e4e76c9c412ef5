"""Pictures of the History tab: its lists, its empty state, and an earlier run that was opened."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.blueprint.conversation import Variant
from engine.evaluation.sources import Candidate, ControlKind, ControlSource, ModelSource
from engine.store import RunState
from studio.tui.app import Studio
from studio.tui.screens.side import HISTORY, RESULT
from studio.tui.theme import LIGHT
from tests.studio.driving import NARROW, WIDE, look, see, settle, studio_on, wait_until
from tests.studio.histories import IDEAL, MODEL, NOW, ran

Snap = Callable[..., bool]
Drive = Callable[[Pilot[Any]], Awaitable[None]]

RUBRIC = """\
title: Tenants' questions
---
- id: notice-period
  prompt: What is the notice period?
  ideal: It is 30 days, as the lease says.
  should:
    - $icontains: 30 days
    - Names the lease
    - Says from which day the period runs
  should_not:
    - Advises to leave without notice
"""
GREETING = Candidate(ControlSource(ControlKind.REFUSAL))
LARGE = Candidate(ModelSource("anthropic:claude-3-5-sonnet"), Variant(0, 0.0, suffix="[temp:0]"))


@pytest.fixture(autouse=True)
def _it_is_now(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def now() -> datetime:
        return NOW

    monkeypatch.setattr("studio.session.views.figures.now", now)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def with_runs(path: Path) -> Studio:
    """The app on a prompt with a week of runs behind it."""
    app = studio_on(path, RUBRIC)
    ran(path, ago=timedelta(days=21), score=0.5, candidate=LARGE, rubric="another")
    ran(path, ago=timedelta(days=20), score=0.6667, candidate=LARGE, rubric="another")
    for days, score in zip(range(9, 0, -1), [0.1, 0.25, 0.25, 0.5, 0.4, 0.75, 0.25, 0.5, 1.0], strict=True):
        ran(path, ago=timedelta(days=days), score=score, candidate=MODEL if days > 3 else IDEAL)
    words = "The server has too many requests (429). It asks to wait a minute. Run it again then."
    ran(path, ago=timedelta(hours=5), candidate=LARGE, state=RunState.FAILED, answer="", words=words)
    ran(path, ago=timedelta(hours=2), score=0.0, candidate=GREETING)
    ran(path, ago=timedelta(minutes=12), candidate=LARGE, state=RunState.INTERRUPTED, answer="It is 30")
    ran(path, ago=timedelta(minutes=3), score=0.75, bounds=(0.5, 1.0), candidate=LARGE)
    return app


def history(*keys: str, runs: bool = True, shows: str) -> Drive:
    """Open the History tab and press `keys` in it; the screen must show `shows`."""

    async def drive(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        screen.editor.go_to(60)
        await settle(pilot)
        screen.show_tab(HISTORY)
        pane = screen.side.history
        assert pane is not None
        await wait_until(pilot, lambda: bool(pane.rows.rows) is runs)
        await pilot.press(*keys)
        if "enter" in keys:
            await wait_until(pilot, lambda: screen.side.open == RESULT)
        await settle(pilot)
        await see(pilot, shows)

    return drive


_STATES = {
    "listed": ((), "gpt-4o-mini"),
    "an_earlier_run_opened": (("end", "enter"), "it scored 50.0 then"),
}


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("state", _STATES)
def test_history(state: str, size: tuple[int, int], tmp_path: Path, snap_compare: Snap) -> None:
    keys, shows = _STATES[state]
    assert snap_compare(with_runs(tmp_path / "x.yml"), terminal_size=size, run_before=history(*keys, shows=shows))


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_a_run_that_failed_says_why(size: tuple[int, int], tmp_path: Path) -> None:
    run = history("down", "down", "down", shows="429")
    text = " ".join(" ".join(await look(with_runs(tmp_path / "x.yml"), size, run)).split())
    assert "too many requests (429)" in text


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_a_run_of_another_rubric_has_its_day(size: tuple[int, int], tmp_path: Path) -> None:
    lines = await look(with_runs(tmp_path / "x.yml"), size, history("end", shows="2026-02-21"))
    assert any("2026-02-21" in line for line in lines)


async def test_another_theme_moves_nothing_in_the_history(tmp_path: Path) -> None:
    app = with_runs(tmp_path / "x.yml")
    app.theme = LIGHT
    light = await look(app, WIDE, history(shows="gpt-4o-mini"))
    assert light == await look(studio_on(tmp_path / "x.yml"), WIDE, history(shows="gpt-4o-mini"))


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_no_history_yet(size: tuple[int, int], tmp_path: Path, snap_compare: Snap) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    assert snap_compare(app, terminal_size=size, run_before=history(runs=False, shows="No run of this prompt yet"))
