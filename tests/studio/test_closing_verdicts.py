"""Judges close the verdicts that a comparison lacks: on the screen, and with `studio compare --judge configured`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot

from engine.evaluation.sources import ControlKind, ControlSource, IdealSource
from studio.session.run_configuration import AnswerChoice
from studio.tui.dialogs.ask import Ask
from studio.tui.screens.compare_screen import CompareScreen
from tests.studio.command_line import studio
from tests.studio.driving import WIDE, analysis_of, press, runs_of, screen_lines, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer, verdict
from tests.studio.test_judged_runs import blueprint


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, lambda _: verdict("CLASS_FULLY_PRESENT"))


async def compared(pilot: Pilot[Any]) -> str:
    """The comparison of two answers that no judge has judged."""
    screen = await settle(pilot)
    await runs_of(screen).configuration.choose(AnswerChoice((IdealSource(), ControlSource(ControlKind.EMPTY))))
    screen.editor.go_to(analysis_of(screen).starts[0])
    await press(pilot, "f5")
    screen.show_tab(0)
    await pilot.press("c")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.press("enter")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
    await pilot.pause()
    return "\n".join(screen_lines(pilot.app))


async def test_a_closes_the_ranges_of_a_comparison(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        before = await compared(pilot)
        assert "4 verdicts are missing: that is why there are ranges." in before
        assert "a asks judges." in " ".join(before.split())
        await pilot.press("a")
        await wait_until(pilot, lambda: "verdicts are missing" not in "\n".join(screen_lines(app)))
        lines = screen_lines(app)
        assert next(line.split()[-1] for line in lines if line.strip().startswith("difference")) == "answer"
        assert len(server.bodies) == 4


async def test_without_a_missing_verdict_nothing_is_asked(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await compared(pilot)
        await pilot.press("a")
        await wait_until(pilot, lambda: "verdicts are missing" not in "\n".join(screen_lines(app)))
        await pilot.press("a")
        await wait_until(pilot, lambda: app._notifications)  # pyright: ignore[reportPrivateUsage]
        assert len(server.bodies) == 4


def exported(tmp_path: Path, server: ModelServer) -> tuple[Path, Path]:
    """Two result files of one blueprint whose criteria nobody has judged."""
    path = tmp_path / "x.yml"
    path.write_text(blueprint(server), "utf-8")
    for name, option in (("old", "empty"), ("new", "echo")):
        assert studio("run", path, "--control", option, "--json", tmp_path / f"{name}.json").exit_code == 0
    return tmp_path / "old.json", tmp_path / "new.json"


def test_compare_asks_judges_only_if_they_are_asked_for(tmp_path: Path, server: ModelServer) -> None:
    old, new = exported(tmp_path, server)
    assert "4 verdicts are missing" in studio("compare", old, new).stdout
    assert not server.bodies
    done = studio("compare", old, new, "--judge", "configured")
    assert done.exit_code == 0, done.output
    assert "missing" not in done.stdout
    assert "4 requests" in done.stderr
    assert len(server.bodies) == 4
    assert "4 verdicts are missing" in studio("compare", old, new).stdout  # a file is read with its own verdicts
    assert "missing" not in studio("compare", old, new, "--judge", "configured").stdout
    assert len(server.bodies) == 4


def test_a_dry_run_of_compare_sends_nothing(tmp_path: Path, server: ModelServer) -> None:
    old, new = exported(tmp_path, server)
    done = studio("compare", old, new, "--judge", "configured", "--dry-run")
    assert (done.exit_code, server.bodies) == (0, [])
    assert "4 requests" in done.stdout


def test_a_limit_of_requests_leaves_the_rest_missing(tmp_path: Path, server: ModelServer) -> None:
    old, new = exported(tmp_path, server)
    done = studio("compare", old, new, "--judge", "configured", "--most-requests", "3")
    assert done.exit_code == 0, done.output
    assert len(server.bodies) == 3
    assert "1 verdict is missing" in done.stdout
