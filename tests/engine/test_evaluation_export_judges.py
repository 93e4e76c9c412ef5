"""What judges said, in Weval's result JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Block
from engine.evaluation.events import Response, Scored
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
from tests.engine.short_cases import assert_says, texts_in
from tests.engine.test_evaluation_export import WHEN, lines_of
from tests.engine.test_judging_evaluation import Says

CASES = Path(__file__).with_name("export_judges_cases.txt")
(BLUEPRINT,) = texts_in(CASES)
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
    assert isinstance(last, Scored)
    entry = Entry(prompt, prompt.id, "response", last)
    return json.loads(
        dumps(result_json(parsed.blueprint, weval_config(parsed), [entry], path=Path("tides.yml"), when=WHEN))
    )


def test_what_judges_said_is_exported_as_its_file_says(result: dict[str, Any], pytestconfig: pytest.Config) -> None:
    exported = json.loads(json.dumps(result))
    assert_says(CASES, lambda *_: lines_of(exported), pytestconfig)


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
