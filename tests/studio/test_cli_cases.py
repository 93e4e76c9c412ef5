"""What is typed on the command line, what it prints, and its exit code; see `command_cases`."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.studio.command_cases import Case, CommandLine, cases


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.title)
def test_a_command_line_prints_what_its_case_says(
    case: Case,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    clean_environment: Path,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = CommandLine(clean_environment, httpserver, monkeypatch)
    case.assert_prints(folder, update=bool(request.config.getoption("update_snapshots")))
