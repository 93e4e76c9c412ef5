"""Judges close the verdicts that a comparison lacks, with `studio compare --judge configured`."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.session.test_judged_runs import blueprint
from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer, verdict


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, lambda _: verdict("CLASS_FULLY_PRESENT"))


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
