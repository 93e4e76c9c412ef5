"""Published answers as a source: the stored text and verdicts, held against the rubric of today."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Block
from engine.evaluation.events import Failed, Scored
from engine.evaluation.prompt_evaluation import evaluate, rescore
from engine.evaluation.result_json import coverage_result
from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    SavedSource,
    StoredSource,
    WrittenSource,
    saved_source,
)
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.explanation import point_label
from engine.text.record import replace
from tests.engine.short_cases import assert_says, data_of
from tests.many_cases import every

MODEL = "openai:tiny"
BLUEPRINT = """\
- id: p
  prompt: What is the capital of France?
  should:
    - $contains: Paris
    - Says where it lies
  should_not:
    - is rude
"""


def stored_in(folder: Path, case: Mapping[str, Any]) -> StoredSource:
    """A result file with one answer and three criteria, which `judges` have judged half and half."""
    said = [
        {"judgeModelId": judge, "coverageExtent": extent, "reflection": "So."}
        for judge, extent in zip(case.get("judges", ["a"]), (0.25, 0.75), strict=False)
    ]
    points = [
        {"keyPointText": 'Function: contains("Paris")', "coverageExtent": 1},
        {"keyPointText": "Says where it lies", "coverageExtent": 0.4, "individualJudgements": said},
        {"keyPointText": "is rude", "coverageExtent": 0.75, "isInverted": True},
    ]
    held = {"avgCoverageExtent": case.get("average", 0.72), "pointAssessments": case.get("published", points)}
    held |= {"error": "429", "avgCoverageExtent": None} if "published" in case else {}
    data: dict[str, Any] = {"evaluationResults": {"llmCoverageScores": {"p": {MODEL: held}}}}
    data["promptContexts"] = {"p": [{"role": "user", "content": "What is the capital of France?"}]}
    if case.get("answer", "") is not None:
        data["allFinalAssistantResponses"] = {"p": {MODEL: case.get("answer", "Lyon")}}
    if "published description" in case:
        data["config"] = {"description": case["published description"]}
    path = folder / "run_comparison.json"
    path.write_text(json.dumps(data), "utf-8")
    return StoredSource(path, MODEL)


async def end_of(source: AnswerSource, javascript: JavaScript, text: str = BLUEPRINT, **more: Any) -> Scored | Failed:
    blueprint = parse(text).blueprint
    run = evaluate(blueprint.prompts[0], blueprint, source, javascript=javascript, **more)
    *_, last = [event async for event in run]
    assert isinstance(last, Scored | Failed)
    return last


async def scored_of(source: AnswerSource, javascript: JavaScript) -> Scored:
    last = await end_of(source, javascript)
    assert isinstance(last, Scored), last
    return last


def told(end: Scored | Failed) -> Iterator[str]:
    """All that is told of a published answer, scored anew and exported again."""
    if isinstance(end, Failed):
        yield end.title
        return
    yield f"{MODEL} says “{end.response.subject}”"
    exported: Any = coverage_result(end)
    for each, point in zip(end.assessments, exported["pointAssessments"], strict=True):
        carried = f", not seen then: {', '.join(each.carried_over)}" if each.carried_over else ""
        said = "; ".join(filter(None, (each.detail, each.reflection)))
        by = "nobody" if each.by is None else each.by.value
        yield f"{point_label(each.point)}: {each.extent} by {by}{carried}. {said}"
        judges = [f"{one['judgeModelId']} {one['coverageExtent']}" for one in point.get("individualJudgements", ())]
        yield from [f"  exported with {', '.join(judges)}"] if judges else []
    yield from [f"agreement: {json.dumps(exported['judgeAgreement'])}"] if "judgeAgreement" in exported else []
    published = end.explanation.published
    if published is not None:
        yield f"published {published.score}: {' '.join(published.reasons)}"
        yield from published.since
        yield from (f"gone: {point_label(each.point)}, {each.extent}" for each in published.gone)


def test_a_published_answer_is_scored_anew_as_its_file_says(
    tmp_path: Path, javascript: JavaScript, pytestconfig: pytest.Config
) -> None:
    def say(mark: str, _: str) -> Iterator[str]:
        case = data_of(mark)
        before, after = case.get("edit", ("", ""))
        assert before in BLUEPRINT
        header = f"description: {case['description']}\n---\n" if "description" in case else ""
        grades = {Criterion(Block.SHOULD, case["graded"]): Grade.FULLY_PRESENT} if "graded" in case else {}
        text = header + BLUEPRINT.replace(before, after, 1)
        return told(asyncio.run(end_of(stored_in(tmp_path, case), javascript, text, grades=grades)))

    assert_says(Path(__file__).with_name("republishing_cases.txt"), say, pytestconfig)


async def test_an_edit_of_the_rubric_is_scored_without_a_new_run(tmp_path: Path, javascript: JavaScript) -> None:
    source = stored_in(tmp_path, {})
    response = (await scored_of(source, javascript)).response
    edited = parse(BLUEPRINT.replace("Paris", "Lyon")).blueprint
    *_, last = [
        event
        async for event in rescore(edited.prompts[0], source, response, javascript=javascript, header=edited.header)
    ]
    assert isinstance(last, Scored)
    assert [each.extent for each in last.assessments] == [1.0, 0.4, 0.75]


async def test_a_file_that_changes_is_read_again(tmp_path: Path, javascript: JavaScript) -> None:
    await scored_of(stored_in(tmp_path, {}), javascript)
    again = await scored_of(stored_in(tmp_path, {"answer": "It is Paris, of course."}), javascript)
    assert again.response.subject == "It is Paris, of course."


async def test_a_file_that_is_gone_is_reported(tmp_path: Path, javascript: JavaScript) -> None:
    failed = await end_of(StoredSource(tmp_path / "none.json", MODEL), javascript)
    assert isinstance(failed, Failed)
    assert failed.title == "The result file cannot be used."


# Sources

SOURCES: list[AnswerSource] = [
    IdealSource(),
    WrittenSource(""),
    *map(ControlSource, ControlKind),
    FixtureSource(Path("saved.yml"), "openai:tiny"),
    FixtureSource(Path("saved.yml")),
    ModelSource("openai:tiny", "http://127.0.0.1/v1"),
    StoredSource(Path("run_comparison.json"), MODEL),
]


@every("source", SOURCES, ids=lambda source: source.label)
def test_a_source_is_saved_as_it_is(source: AnswerSource) -> None:
    assert saved_source(source.saved) == source


@every(
    "saved",
    [SavedSource("unheard-of"), SavedSource("model"), SavedSource("control", "odd"), SavedSource("published", "x")],
)
def test_what_lacks_what_it_needs_is_no_source(saved: SavedSource) -> None:
    assert saved_source(saved) is None


def test_sources_have_keys_of_their_own() -> None:
    assert len({source.key for source in SOURCES}) == len(SOURCES) - 1, "a model and its saved answers share one"


@pytest.mark.parametrize(
    ("name", "which"),
    [("run.json", "run.json"), ("0a1b_2026-03-01T10-20-30-400Z_comparison.json", "2026-03-01 10:20")],
)
def test_a_published_answer_is_named_by_its_model_and_its_time_or_else_its_file(name: str, which: str) -> None:
    assert StoredSource(Path("a") / name, MODEL).label == f"published: tiny, {which}"


# Written as a result file again


TWO = {"judges": ["strict(openai:strict-1)", "kind(openai:kind-1)"]}


async def test_how_far_they_agreed_survives_judges_of_today_for_whom_nothing_was_open(
    tmp_path: Path, javascript: JavaScript
) -> None:
    scored = await scored_of(stored_in(tmp_path, TWO), javascript)
    before, now = coverage_result(scored), coverage_result(replace(scored, judged=True))
    assert now["judgeAgreement"] == before["judgeAgreement"]
