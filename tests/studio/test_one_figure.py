"""One figure on every face: the total of a result file, the score and the cost of its prompts, costs and gains."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer, verdict
from tests.studio.text_files import text_file

RUBRICS = text_file("one-figure.yml")
OUT = "out.json"


def half(body: dict[str, Any]) -> str:
    return verdict("CLASS_PARTIALLY_PRESENT")


def broken(body: dict[str, Any]) -> str:
    """One of two judges never gives a verdict."""
    return "It is fine." if body["model"] == "mild" else half(body)


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, half)


@pytest.fixture
def file(tmp_path: Path, server: ModelServer) -> Path:
    path = tmp_path / "rent.yml"
    judges = "{model: 'own:strict', approach: standard, id: first}, {model: 'own:mild', approach: holistic, id: second}"
    models = ", ".join(map(server.model, ("strict", "mild")))
    head = f"models: [{models}]\nevaluationConfig: {{llm-coverage: {{judges: [{judges}]}}}}\n---\n"
    path.write_text(head + RUBRICS, "utf-8")
    return path


def judged(path: Path, server: ModelServer) -> None:
    studio("run", path, "--ideal", "--judge", "configured")


def failed(path: Path, server: ModelServer) -> None:
    server.said = broken
    judged(path, server)


def untouched(path: Path, server: ModelServer) -> None: ...


def unjudged(path: Path, server: ModelServer) -> None:
    """No judge can judge a prompt of criteria alone."""
    path.write_text(path.read_text("utf-8").replace("    - $contains: 3rd\n", ""), "utf-8")
    server.said = lambda body: half(body) if "scheme" in str(body) else "It is fine."
    judged(path, server)


def edited(path: Path, server: ModelServer) -> None:
    judged(path, server)
    path.write_text(path.read_text("utf-8").replace("Is polite", "Is polite to the tenant"), "utf-8")


def shown(text: str, start: str, figure: str) -> str:
    """The figure in the line that begins with `start`."""
    (line,) = [line for line in text.splitlines() if line.strip().startswith(start)]
    found = re.search(figure, line)
    assert found is not None, line
    return found[1]


FIGURE = r"[\d.–]+(?:, between [\d.]+ and [\d.]+)?|not judged yet"
STATES = [untouched, judged, failed, unjudged, edited]


@pytest.mark.parametrize("state", STATES)
def test_the_list_of_a_result_file_has_the_figures_of_the_run(
    file: Path, server: ModelServer, state: Callable[[Path, ModelServer], None]
) -> None:
    state(file, server)
    out = file.with_name(OUT)
    run = studio("run", file, "--ideal", "--json", out).stdout
    explained, compared = studio("explain", out).stdout, studio("compare", out).stdout
    total = shown(run, "rent.yml · ideal: ", f"ideal: ({FIGURE})")
    assert shown(explained, "mean of", f"weight: ({FIGURE})") == total
    assert shown(compared, "ideal: mean", f"mean ({FIGURE})") == total
    assert shown(studio("compare", out, out).stdout, "mean", f"({FIGURE})(?: \\(.*\\))? over") == total
    report = studio("report", file, "--format", "markdown").stdout
    assert shown(report, "| all prompts |", rf"prompts \| ({FIGURE})") == total
    for name in ("rent", "deposit"):
        score = shown(run, f"{name} · ideal: ", f"ideal: ({FIGURE})")
        (row,) = [line for line in explained.splitlines() if f"  {name} (line" in line]
        cost, rest = row.split(maxsplit=1)
        assert rest.startswith(score)
        assert [line.split()[-1] for line in compared.splitlines() if line.split()[:1] == [name]] == [cost]


def test_a_file_with_open_points_says_that_no_score_was_published(file: Path) -> None:
    out = file.with_name(OUT)
    studio("run", file, "--ideal", "--json", out)
    stored = [(each["stored"], each["costs"]) for each in json.loads(studio("explain", out, "--format", "json").stdout)]
    assert stored == [(None, None), (None, None)]
    assert "published" not in studio("explain", out).stdout
