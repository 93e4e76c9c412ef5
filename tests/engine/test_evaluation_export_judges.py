"""What judges said, in Weval's result JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Block
from engine.evaluation.events import AllJudged, Response
from engine.evaluation.prompt_evaluation import rescore
from engine.evaluation.result_json import Entry, dumps, result_json
from engine.evaluation.results import read_result_file
from engine.evaluation.sources import WrittenSource
from engine.evaluation.verdicts import Judges
from engine.functions.v8 import JavaScript
from engine.judging.panel import FIVE_STEPS, Approach, Panel, PanelJudge
from engine.parsing import parse, weval_config
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.explanation_builder import explain
from tests.engine.test_judging_evaluation import Says

BLUEPRINT = """\
- id: tides
  prompt: Why are there tides?
  should:
    - the Moon
    - the Sun
    - graded by hand
    - nobody knows
  should_not:
    - a joke
"""
PANEL = Panel(
    (PanelJudge("one", "here:one", Approach.STANDARD), PanelJudge("two", "here:two", Approach.HOLISTIC)), FIVE_STEPS
)


class Disagree(Says):
    """Two judges: the second declines about the Sun, and both about what nobody knows."""

    def resolve(self, model: str, base_url: str | None) -> Any:
        second = Says(the_Moon="CLASS_MAJORLY_PRESENT", the_Sun="I can't help with that.", nobody_knows="Sorry.")
        return (self if model == "here:one" else second), model


@pytest.fixture(scope="module")
async def result() -> dict[str, Any]:
    parsed = parse(BLUEPRINT)
    (prompt,) = parsed.blueprint.prompts
    first = Disagree(the_Moon="CLASS_FULLY_PRESENT", the_Sun="CLASS_FULLY_PRESENT", nobody_knows="Sorry.")
    own = {Criterion(Block.SHOULD, "graded by hand"): Grade.FULLY_PRESENT}
    judges = Judges(PANEL, first.resolve)
    with JavaScript() as javascript:
        run = rescore(
            prompt,
            WrittenSource("x"),
            Response("x", ()),
            javascript=javascript,
            header=parsed.blueprint.header,
            judges=judges,
            grades=own,
        )
        last = [event async for event in run][-1]
    assert isinstance(last, AllJudged)
    entry = Entry(prompt, prompt.id, "response", last.scored, judged=last)
    return json.loads(dumps(result_json(parsed.blueprint, weval_config(parsed), [entry], path=Path("tides.yml"))))


@pytest.fixture
def coverage(result: dict[str, Any]) -> dict[str, Any]:
    return result["evaluationResults"]["llmCoverageScores"]["tides"]["response"]


def point(coverage: dict[str, Any], text: str) -> dict[str, Any]:
    return next(each for each in coverage["pointAssessments"] if each["keyPointText"] == text)


def test_each_verdict_stands_under_its_judge_and_their_mean_counts(coverage: dict[str, Any]) -> None:
    moon = point(coverage, "the Moon")
    assert moon["coverageExtent"] == 0.88
    assert moon["individualJudgements"] == [
        {"judgeModelId": "one(here:one)", "coverageExtent": 1.0, "reflection": ""},
        {"judgeModelId": "two(here:two)", "coverageExtent": 0.75, "reflection": ""},
    ]


def test_verdicts_under_should_not_stand_as_they_were_said(coverage: dict[str, Any]) -> None:
    joke = point(coverage, "a joke")
    assert (joke["coverageExtent"], [each["coverageExtent"] for each in joke["individualJudgements"]]) == (1, [0, 0])


def test_a_judge_that_declined_is_no_verdict_but_reported(coverage: dict[str, Any]) -> None:
    sun = point(coverage, "the Sun")
    assert [each["judgeModelId"] for each in sun["individualJudgements"]] == ["one(here:one)"]
    assert "two declined to judge" in str(coverage["explanation"]["groups"])


def test_a_point_that_nobody_judged_has_its_error_no_extent_and_leaves_the_bounds_open(
    coverage: dict[str, Any],
) -> None:
    unknown = point(coverage, "nobody knows")
    assert unknown["error"] == "one declined to judge; two declined to judge"
    assert {"coverageExtent", "individualJudgements"} & set(unknown) == set()
    low, high = coverage["bounds"]
    assert low < high


def test_the_author_s_grade_stands_alone(coverage: dict[str, Any]) -> None:
    assert point(coverage, "graded by hand")["judgeModelId"] == "human"
    assert [each["judgeModelId"] for each in point(coverage, "graded by hand")["individualJudgements"]] == ["human"]


def test_how_far_judges_agree_is_reported_over_the_points_that_both_judged(coverage: dict[str, Any]) -> None:
    agreement = coverage["judgeAgreement"]
    assert (agreement["numItems"], agreement["numJudges"], agreement["numComparisons"]) == (2, 2, 2)
    assert [(each["judgeId"], each["model"], each["approach"]) for each in agreement["judgesUsed"]] == [
        ("one", "here:one", "standard"),
        ("two", "here:two", "holistic"),
    ]


def test_a_result_with_judges_is_explained_again_from_its_file(result: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result), "utf-8")
    (stored,) = read_result_file(path).results
    coverage = result["evaluationResults"]["llmCoverageScores"]["tides"]["response"]
    again = explain(stored.prompt, stored.assessments)
    assert (again.score, [again.bounds.low, again.bounds.high]) == (
        pytest.approx(coverage["explanation"]["score"]),
        pytest.approx(coverage["bounds"]),
    )
