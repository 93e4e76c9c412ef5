"""Pictures of answers that were cut, withheld, or think aloud: result, response, outline, variants and history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot

from engine.blueprint.conversation import Stop, StopReason
from engine.evaluation.sources import ModelSource
from engine.store import RunState
from studio.session.run_configuration import AnswerChoice
from studio.tui.screens.side import HISTORY, RESPONSE, RESULT
from tests.studio.driving import NARROW, WIDE, look, runs_of, see, settle, studio_on, wait_until
from tests.studio.histories import NOW, ran
from tests.studio.model_server import ModelServer

Snap = Callable[..., bool]

FILE = """\
title: Tenants' questions
---
- id: notice-period
  prompt: What is the notice period, and from which day does it run?
  should:
    - $icontains: 30 days
    - $icontains: day on which the letter arrives
- id: deposit
  prompt: Until when must the deposit be returned?
  should:
    - $icontains: 21 days
"""
SAID = "The notice period is 30 days. It runs from the"
ALOUD = "<think>The tenant asks for the notice period. 30 days, I believe.</think>\n\nA month."


@pytest.fixture
def server(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setattr("engine.models.server.recipient_of", lambda _: "this machine")  # without its port
    model = ModelServer(httpserver, lambda body: ALOUD if body["model"] == "aloud" else SAID)
    model.finish_of = {"cut": "length", "withheld": "content_filter"}
    yield model
    model.release()


def run_with(server: ModelServer, *models: str, tab: int = RESULT) -> Callable[[Pilot[Any]], Any]:
    """Runs the first prompt with these models, and opens one tab of the side."""

    async def drive(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        url = server.url.removesuffix("/chat/completions")
        await runs_of(screen).configuration.choose(AnswerChoice(tuple(ModelSource(name, url) for name in models)))
        screen.editor.go_to(screen.editor.text_out().index("notice-period"))
        await settle(pilot)
        await pilot.press("f5")
        await wait_until(pilot, lambda: len(server.bodies) == len(models))
        await settle(pilot)
        screen.show_tab(tab)
        await settle(pilot)
        screen.app.clear_notifications()
        await see(pilot)

    return drive


def test_result(tmp_path: Path, snap_compare: Snap, server: ModelServer) -> None:
    app = studio_on(tmp_path / "tenants.yml", FILE)
    assert snap_compare(app, run_before=run_with(server, "cut"), terminal_size=WIDE)


@pytest.mark.parametrize(("model", "says"), [("withheld", "withheld by the provider"), ("aloud", "think block")])
async def test_what_a_result_says_of_its_answer(tmp_path: Path, server: ModelServer, model: str, says: str) -> None:
    app = studio_on(tmp_path / "tenants.yml", FILE)
    assert any(says in line for line in await look(app, WIDE, run_with(server, model)))


def test_result_on_a_narrow_screen(tmp_path: Path, snap_compare: Snap, server: ModelServer) -> None:
    app = studio_on(tmp_path / "tenants.yml", FILE)
    assert snap_compare(app, run_before=run_with(server, "cut"), terminal_size=NARROW)


async def test_what_had_arrived_of_a_withheld_answer(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "tenants.yml", FILE)
    rows = [row.rpartition("│")[2].strip() for row in await look(app, WIDE, run_with(server, "withheld", tab=RESPONSE))]
    assert rows[2].startswith("withheld · temp 0 · 10 words · ")
    assert " ".join(rows[3:5]) == "withheld by the provider's safety filter (content_filter)"
    assert " ".join(rows[6:8]) == SAID


def test_several_models_beside_each_other(tmp_path: Path, snap_compare: Snap, server: ModelServer) -> None:
    app = studio_on(tmp_path / "tenants.yml", FILE)
    assert snap_compare(app, run_before=run_with(server, "whole", "cut", "withheld"), terminal_size=WIDE)


def test_history(tmp_path: Path, snap_compare: Snap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.session.views.figures.now", lambda: NOW)
    path = tmp_path / "tenants.yml"
    path.write_text(FILE, "utf-8")
    cut, withheld = Stop(StopReason.LENGTH, "length"), Stop(StopReason.WITHHELD, "content_filter")
    ran(path, ago=timedelta(days=3), score=1.0)
    words = (
        "openai:gpt-4o-mini at api.openai.com: the answer was withheld by the provider's safety filter content_filter"
    )
    ran(path, ago=timedelta(hours=5), state=RunState.FAILED, stop=withheld, words=words)
    ran(path, ago=timedelta(hours=2), score=0.5, stop=cut)

    async def drive(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        screen.editor.go_to(screen.editor.text_out().index("notice-period"))
        screen.show_tab(HISTORY)
        await pilot.pause()
        history = screen.side.history
        assert history is not None
        await wait_until(pilot, lambda: len(history.rows.rows) == 3)
        history.rows.selected = 1
        await settle(pilot)

    assert snap_compare(studio_on(path), run_before=drive, terminal_size=WIDE)
