"""One figure on every face, printed alike wherever it stands: totals, scores, costs and gains, on ties too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from engine.parsing import parse
from engine.scoring.explanation import (
    bounds_text,
    number_text,
    points_text,
    signed_text,
    tenths,
    whole,
    whole_text,
)
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import to_fixed
from studio.session.views.result_view import ResultView
from studio.tui.panes.criteria_rows import Order
from tests.engine.builders import assessed
from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer, verdict
from tests.studio.results import head, rows_of
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


# --- One figure is printed alike wherever it stands, on ties too, and equal points have equal figures


WEIGHTS = [
    [1, 1, 1, 1, 1, 1, 1],
    [0.5, 0.5, 7],
    [2.85, 7.15],
    [0.1, 0.1, 3.9, 3.9],
    [1, 1, 1, 0.2, 0.2, 9.6, 3],
]


@pytest.fixture(params=WEIGHTS, ids=str)
def weighed(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, list[float]]:
    """A file of one prompt whose ideal meets every point with an even place."""
    weights: list[float] = request.param
    points = "".join(
        f"    - {{text: p{at}, fn: contains, fnArgs: '{'yes' if at % 2 == 0 else 'missing'}', weight: {weight}}}\n"
        for at, weight in enumerate(weights)
    )
    path = tmp_path / "x.yml"
    path.write_text(f"- id: a\n  prompt: b\n  ideal: 'yes'\n  should:\n{points}", "utf-8")
    return path, [1.0 - at % 2 for at in range(len(weights))]


def in_text(stdout: str) -> list[tuple[str, str]]:
    return re.findall(r"^ +\d+ +\S+ +\S+ +(\S+) +(\S+) +\S+  ", stdout, re.MULTILINE)


def in_markdown(stdout: str) -> list[tuple[str, str]]:
    return re.findall(r"^\| \d+ \| \d+ \| (\S+) \| (\S+) \|", stdout, re.MULTILINE)


def in_html(stdout: str) -> list[tuple[str, str]]:
    cell = r"<td[^>]*>([^<]*)</td>"
    return [(cost, gain) for _, _, cost, gain in re.findall(rf"<tr>{cell}{cell}{cell}{cell}<td>", stdout)]


def in_studio(shown: ResultView) -> list[str]:
    """The costs that the list has; where a criterion costs nothing it has none."""
    rows = [row for row in rows_of(shown, Order.FILE) if row.point is not None]
    return ["".join(text for text, _ in row.tail).strip().removeprefix("−") or "0.0" for row in rows]


def test_score_cost_and_gain_are_the_same_figures_on_all_faces(weighed: tuple[Path, list[float]]) -> None:
    path, extents = weighed
    (prompt,) = parse(path.read_text("utf-8"), path).blueprint.prompts
    assessments = assessed(prompt, extents)
    explanation = explain(prompt, assessments)
    shown = ResultView(prompt, "the ideal", explanation, tuple(assessments))
    points = [point for group in explanation.groups() for point in group.points]
    wanted = [(points_text(point.cost), points_text(point.gain)) for point in points]
    assert in_studio(shown) == [cost for cost, _ in wanted]
    source = ("--prompt", "a", "--ideal")
    texts = [studio(command, path, *source).stdout for command in ("run", "explain")]
    markdown, html = (studio("report", path, "--format", form).stdout for form in ("markdown", "html"))
    assert [in_text(texts[0]), in_text(texts[1]), in_markdown(markdown), in_html(html)] == [wanted] * 4
    score = points_text(explanation.score)
    assert all(text.startswith(f"a · ideal: {score}\n") for text in texts)
    assert f"### ideal: {score}\n" in markdown
    assert f"<strong>{score}</strong>" in html
    assert head(shown, 80)[0].startswith(score)


@given(st.floats(0, 1) | st.integers(0, 2000).map(lambda number: number / 2000))
def test_a_figure_is_the_same_from_whatever_sum_it_comes(score: float) -> None:
    assert points_text(1 - (1 - score)) == points_text(score)
    assert bounds_text(score, score) == points_text(score)
    assert number_text(score) == points_text(score).removesuffix(".0")
    assert abs(tenths(score) - score * 1000) <= 0.5 + 1e-6
    assert signed_text(-score).lstrip("−") == signed_text(score).lstrip("+") == points_text(score)


@given(st.floats(0, 1))
def test_a_whole_number_is_the_score_that_weval_stores(score: float) -> None:
    assert whole(score) == round(float(to_fixed(score, 2)) * 100)
    assert (whole_text(score), whole_text(None)) == (f"{whole(score)}", "–")


@pytest.mark.parametrize(
    ("score", "points", "in_whole"),
    [
        (0.285, "28.5", "28"),
        (0.125, "12.5", "13"),
        (0.00625, "0.6", "1"),
        (0.0125, "1.3", "1"),
        (0.9995, "100.0", "100"),
    ],
)
def test_ties_are_rounded_away_from_zero(score: float, points: str, in_whole: str) -> None:
    assert (points_text(score), whole_text(score)) == (points, in_whole)
