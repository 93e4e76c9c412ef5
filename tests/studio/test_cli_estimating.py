"""`studio run --judge estimate`: shown beside the score, never in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.estimating.weights import INSTALLED_IN, needs_encoder
from tests.studio.command_line import studio

BLUEPRINT = """\
- id: deposit
  prompt: My landlord keeps my deposit. What can I do?
  ideal: The deposit must be protected in a scheme. Write to the landlord first.
  should:
    - $contains: deposit
    - Says that the deposit must be protected in a scheme
    - Mentions the county court
  should_not:
    - Advises to stop paying rent
"""
ANSWER = "Your deposit has to be held in a protection scheme. Bake the cake for an hour."


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean_environment: Path) -> Path:
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(INSTALLED_IN))
    (tmp_path / "answer.txt").write_text(ANSWER, "utf-8")
    path = tmp_path / "deposit.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def run(file: Path, *more: str) -> tuple[str, str, int]:
    done = studio("run", file, "--prompt", "deposit", "--response", file.with_name("answer.txt"), *more)
    return done.stdout, done.stderr, done.exit_code


def result(path: Path) -> dict[str, Any]:
    scores = json.loads(path.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]
    return scores["deposit"]["response"]


@needs_encoder
def test_the_estimate_stands_behind_the_bounds_and_says_that_it_is_one(file: Path) -> None:
    stdout, stderr, exit_code = run(file, "--judge", "estimate")
    first = stdout.splitlines()[0]
    assert first.startswith("deposit · response: 100.0 (between 25.0 and 100.0) · ≈ ")
    assert first.endswith(", an estimate")
    assert "Estimating 1 of 1 on this machine; nothing is sent." in stderr
    assert exit_code == 0


@needs_encoder
def test_each_point_in_words_has_its_closest_sentence(file: Path) -> None:
    stdout, _, _ = run(file, "--judge", "estimate")
    estimates = stdout.partition("  estimates:")[2]
    assert estimates.count("closest, ") == 3
    assert "“Your deposit has to be held in a protection scheme.”" in estimates
    assert "not: “Advises to stop paying rent”" in estimates
    assert "the whole answer and the ideal: 0." in estimates


@needs_encoder
def test_all_else_is_printed_as_without_an_estimate(file: Path) -> None:
    without, _, _ = run(file)
    stdout, _, _ = run(file, "--judge", "estimate")
    first, _, rest = stdout.partition("\n")
    before, found, _ = rest.partition("\n  estimates:")
    assert found
    assert without == first.partition(" · ≈")[0] + "\n" + before


@needs_encoder
def test_in_json_it_is_a_field_of_ours_and_changes_no_other(file: Path, tmp_path: Path) -> None:
    run(file, "--json", str(tmp_path / "without.json"))
    run(file, "--judge", "estimate", "--json", str(tmp_path / "with.json"))
    without, given = result(tmp_path / "without.json"), result(tmp_path / "with.json")
    estimate = given.pop("estimate")
    assert given == without
    assert [point["index"] for point in estimate["points"]] == [1, 2, 3]
    assert 0 < estimate["score"] < 1
    assert 0 < estimate["toIdeal"] < 1
    assert estimate["points"][0]["closest"] == "Your deposit has to be held in a protection scheme."


def test_without_weights_the_command_that_brings_them_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(file.parent))
    _, stderr, exit_code = run(file, "--judge", "estimate")
    assert "Run `studio models install minilm`." in stderr
    assert exit_code == 2
