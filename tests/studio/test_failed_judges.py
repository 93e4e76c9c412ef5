"""One judge of three fails: what `run`, `explain`, `report` and the session say, then and later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.studio.command_line import studio
from tests.studio.test_cli_run_judged import Bench, bench, verdict

BLUEPRINT = """\
evaluationConfig:
  llm-coverage:
    judges:
      - { id: low, model: "openai:low-1", approach: standard }
      - { id: high, model: "openai:high-1", approach: standard }
      - { model: "openai:broken-1", approach: standard }
---
- id: france
  prompt: What is the capital of France?
  ideal: It is Paris, on the Seine.
  should:
    - Names the river
"""
SAID = "50.0, between 33 and 67, broken-1 failed on 1 criterion"


__all__ = ["bench"]


@pytest.fixture
def capital(tmp_path: Path, bench: Bench) -> Path:
    bench.says |= {"low-1": verdict("ABSENT"), "high-1": verdict("FULLY_PRESENT"), "broken-1": 400}
    path = tmp_path / "capital.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def judged(path: Path, *more: object) -> str:
    return studio("run", path, "--ideal", "--judge", "configured", *more).stdout


def test_the_mean_of_the_others_is_the_score_and_the_judge_is_named(capital: Path, bench: Bench) -> None:
    told = judged(capital)
    assert f"ideal: {SAID}" in told
    assert "broken-1 gave no verdict" in told
    assert "Weval stores" in told


def test_it_is_known_later(capital: Path, bench: Bench, tmp_path: Path) -> None:
    judged(capital)
    sent = len(bench.asked)
    explained = studio("explain", capital, "--prompt", "france", "--ideal").stdout
    assert f"ideal: {SAID}" in explained
    assert "broken-1 failed: 1 criterion counts by the mean of the other judges." in explained
    reported = json.loads(studio("report", capital, "--format", "json").stdout)
    assert SAID in json.dumps(reported, ensure_ascii=False)
    assert len(bench.asked) == sent, "nobody is asked"


def test_a_result_file_says_the_same_alone(capital: Path, bench: Bench, tmp_path: Path) -> None:
    judged(capital, "--json", tmp_path / "out.json")
    scores = json.loads((tmp_path / "out.json").read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]
    coverage = scores["france"]["ideal"]
    (point,) = coverage["pointAssessments"]
    assert (coverage["avgCoverageExtent"], coverage["bounds"]) == (0.5, [0.33, 0.67])
    assert (point["coverageExtent"], point["bounds"]) == (0.5, [0.33, 0.67])
    assert point["failedJudges"] == ["standard(openai:broken-1)"]
    assert [each["coverageExtent"] for each in point["individualJudgements"]] == [0, 1]
    assert "broken-1 gave no verdict" in point["error"]
    assert SAID in studio("explain", tmp_path / "out.json").stdout


def test_the_judge_that_failed_is_asked_again_and_it_alone(capital: Path, bench: Bench) -> None:
    judged(capital)
    bench.asked.clear()
    bench.says["broken-1"] = verdict("FULLY_PRESENT")
    assert "ideal: 67.0\n" in judged(capital)
    assert bench.models() == ["broken-1"]


def test_where_all_fail_no_judge_could_judge(capital: Path, bench: Bench) -> None:
    bench.says |= {"low-1": 400, "high-1": "I'm sorry, but I can't help with that."}
    told = studio("run", capital, "--ideal", "--judge", "configured")
    assert "ideal: not judged yet, no judge could judge 1 criterion" in told.stdout
    assert "A group in which no criterion could be judged counts 0 on Weval" in told.stdout
    assert told.exit_code == 1
    later = studio("explain", capital, "--prompt", "france", "--ideal").stdout
    assert "ideal: not judged yet, no judge could judge 1 criterion" in later
