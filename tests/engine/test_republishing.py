"""Published answers as a source: the stored text and verdicts, held against the rubric of today."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

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
from engine.scoring.assessment import AssessedBy, Criterion, Grade
from engine.scoring.explanation import PublishedScore
from engine.text.record import replace
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
POINTS = [
    {"keyPointText": 'Function: contains("Paris")', "coverageExtent": 1, "multiplier": 1, "isInverted": False},
    {
        "keyPointText": "Says where it lies",
        "coverageExtent": 0.4,
        "multiplier": 1,
        "isInverted": False,
        "individualJudgements": [{"judgeModelId": "a", "coverageExtent": 0.4, "reflection": "Hardly."}],
    },
    {"keyPointText": "is rude", "coverageExtent": 0.75, "multiplier": 1, "isInverted": True},
]


def stored_in(
    folder: Path, answer: str | None = "Lyon", *, config: dict[str, Any] | None = None, **coverage: Any
) -> StoredSource:
    """A result file with one answer."""
    held = {"avgCoverageExtent": 0.72, "pointAssessments": POINTS} | coverage
    data: dict[str, Any] = {"evaluationResults": {"llmCoverageScores": {"p": {MODEL: held}}}}
    data["promptContexts"] = {"p": [{"role": "user", "content": "What is the capital of France?"}]}
    if answer is not None:
        data["allFinalAssistantResponses"] = {"p": {MODEL: answer}}
    if config is not None:
        data["config"] = config
    path = folder / "run_comparison.json"
    path.write_text(json.dumps(data), "utf-8")
    return StoredSource(path, MODEL)


async def end_of(source: AnswerSource, javascript: JavaScript, text: str = BLUEPRINT, **more: Any) -> Scored | Failed:
    blueprint = parse(text).blueprint
    run = evaluate(blueprint.prompts[0], blueprint, source, javascript=javascript, **more)
    *_, last = [event async for event in run]
    assert isinstance(last, Scored | Failed)
    return last


async def scored_of(source: AnswerSource, javascript: JavaScript, text: str = BLUEPRINT, **more: Any) -> Scored:
    last = await end_of(source, javascript, text, **more)
    assert isinstance(last, Scored), last
    return last


def verdicts(scored: Scored) -> list[tuple[float | None, AssessedBy | None]]:
    return [(each.extent, each.by) for each in scored.assessments]


async def test_checks_run_again_and_stored_verdicts_count(tmp_path: Path, javascript: JavaScript) -> None:
    scored = await scored_of(stored_in(tmp_path), javascript)
    assert scored.response.subject == "Lyon"
    assert verdicts(scored) == [(0.0, AssessedBy.FUNCTION), (0.4, AssessedBy.JUDGE), (0.75, AssessedBy.JUDGE)]


async def test_a_stored_verdict_says_that_it_was_published(tmp_path: Path, javascript: JavaScript) -> None:
    point = (await scored_of(stored_in(tmp_path), javascript)).assessments[1]
    assert (point.detail, point.reflection) == ("published: a: 40", "a: Hardly.")


async def published_of(source: StoredSource, javascript: JavaScript, text: str = BLUEPRINT) -> PublishedScore:
    published = (await scored_of(source, javascript, text)).explanation.published
    assert published is not None
    return published


async def test_the_published_score_is_reported_beside_the_one_of_today(tmp_path: Path, javascript: JavaScript) -> None:
    published = await published_of(stored_in(tmp_path), javascript)
    assert published == PublishedScore(0.72, ("Its criteria add up to that.",))


async def test_a_published_score_that_does_not_add_up_says_so(tmp_path: Path, javascript: JavaScript) -> None:
    published = await published_of(stored_in(tmp_path, avgCoverageExtent=0.5), javascript)
    assert published.reasons[0] == "The published score is 21.7 points less than its own criteria add up to (71.7)."


async def test_a_new_criterion_stays_open_and_is_reported(tmp_path: Path, javascript: JavaScript) -> None:
    text = BLUEPRINT.replace("Says where it lies", "Says how old it is")
    scored = await scored_of(stored_in(tmp_path), javascript, text)
    assert verdicts(scored)[1] == (None, None)
    published = await published_of(stored_in(tmp_path), javascript, text)
    assert published.since == ("1 criterion is new since, and not judged then.",)
    assert [(each.point.text, each.extent) for each in published.gone] == [("Says where it lies", 0.4)]


@pytest.mark.parametrize(
    ("before", "after", "carried"),
    [
        ("", "", [(), ()]),
        ("- is rude", "- is rude\n    - is long", [("criteria",), ("criteria",)]),
        ("- $contains: Paris", "- $contains: Lyon", [(), ()]),
        ("is the capital", "was the capital", [("transcript",), ("transcript",)]),
        ("- id: p", "description: On Spain.\n---\n- id: p", [("description",), ("description",)]),
        ("- id: p", "description: On France.\n---\n- id: p", [(), ()]),
    ],
)
async def test_a_published_verdict_is_carried_over_where_its_judge_saw_something_else(
    before: str, after: str, carried: list[tuple[str, ...]], tmp_path: Path, javascript: JavaScript
) -> None:
    described = "" if "---" in after else "description: On France.\n---\n"
    text = described + BLUEPRINT.replace(before, after, 1)
    scored = await scored_of(stored_in(tmp_path, config={"description": "On France.\n"}), javascript, text)
    assert [each.carried_over for each in scored.assessments[1:3]] == carried


async def test_a_published_verdict_of_a_judge_that_saw_one_criterion_is_not_carried_over(
    tmp_path: Path, javascript: JavaScript
) -> None:
    said = [{"judgeModelId": "standard-m(x:m)", "coverageExtent": 0.4, "reflection": ""}]
    points = [POINTS[0], {**POINTS[1], "individualJudgements": said}]
    text = BLUEPRINT.replace("- is rude", "- is long")
    scored = await scored_of(stored_in(tmp_path, pointAssessments=points), javascript, text)
    assert (scored.assessments[1].extent, scored.assessments[1].carried_over) == (0.4, ())


async def test_what_counts_otherwise_now_is_reported(tmp_path: Path, javascript: JavaScript) -> None:
    text = BLUEPRINT.replace("- is rude", "- {point: is rude, weight: 2}")
    assert (await published_of(stored_in(tmp_path), javascript, text)).since == ("“is rude”: weight 2 now, 1 then",)


async def test_a_criterion_that_moved_to_the_other_block_counts_the_other_way_round(
    tmp_path: Path, javascript: JavaScript
) -> None:
    text = BLUEPRINT.replace("  should_not:\n    - is rude\n", "    - is rude\n")
    assert verdicts(await scored_of(stored_in(tmp_path), javascript, text))[2] == (0.25, AssessedBy.JUDGE)


async def test_without_the_text_of_the_answer_stored_verdicts_on_checks_stand_too(
    tmp_path: Path, javascript: JavaScript
) -> None:
    scored = await scored_of(stored_in(tmp_path, answer=None), javascript)
    assert verdicts(scored)[0] == (1.0, AssessedBy.FUNCTION)


async def test_an_empty_answer_is_an_answer(tmp_path: Path, javascript: JavaScript) -> None:
    assert verdicts(await scored_of(stored_in(tmp_path, answer=""), javascript))[0] == (0.0, AssessedBy.FUNCTION)


async def test_the_authors_grade_counts_before_what_was_published(tmp_path: Path, javascript: JavaScript) -> None:
    grades = {Criterion(Block.SHOULD, "Says where it lies"): Grade.FULLY_PRESENT}
    scored = await scored_of(stored_in(tmp_path), javascript, grades=grades)
    assert verdicts(scored)[1] == (1.0, AssessedBy.HUMAN)


async def test_an_edit_of_the_rubric_is_scored_without_a_new_run(tmp_path: Path, javascript: JavaScript) -> None:
    source = stored_in(tmp_path)
    response = (await scored_of(source, javascript)).response
    edited = parse(BLUEPRINT.replace("Paris", "Lyon")).blueprint
    *_, last = [
        event
        async for event in rescore(edited.prompts[0], source, response, javascript=javascript, header=edited.header)
    ]
    assert isinstance(last, Scored)
    assert [each.extent for each in last.assessments] == [1.0, 0.4, 0.75]


async def test_a_file_that_changes_is_read_again(tmp_path: Path, javascript: JavaScript) -> None:
    await scored_of(stored_in(tmp_path), javascript)
    again = await scored_of(stored_in(tmp_path, answer="It is Paris, of course."), javascript)
    assert again.response.subject == "It is Paris, of course."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "q", "prompt": "Else?"}, "has no result of openai:tiny for this prompt"),
        ({}, "No score was published for this prompt."),
    ],
)
async def test_what_was_not_published_is_reported(
    changes: dict[str, str], message: str, tmp_path: Path, javascript: JavaScript
) -> None:
    text = "- id: {id}\n  prompt: {prompt}\n".format(**({"id": "p", "prompt": "x"} | changes))
    source = stored_in(tmp_path, avgCoverageExtent=None, pointAssessments=[], error="429")
    failed = await end_of(source, javascript, text)
    assert isinstance(failed, Failed)
    assert message in failed.title


async def test_a_prompt_with_another_id_is_found_by_what_it_asks(tmp_path: Path, javascript: JavaScript) -> None:
    scored = await scored_of(stored_in(tmp_path), javascript, BLUEPRINT.replace("id: p", "id: capital"))
    assert scored.response.subject == "Lyon"


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


JS = """\
- id: p
  prompt: x
  should:
    - $js: context.modelId === 'openai:tiny'
"""


async def test_a_check_is_told_the_model_that_answered(tmp_path: Path, javascript: JavaScript) -> None:
    assert verdicts(await scored_of(stored_in(tmp_path), javascript, JS)) == [(1.0, AssessedBy.FUNCTION)]


# Written as a result file again

TWO_JUDGES = [
    {"judgeModelId": "strict(openai:strict-1)", "coverageExtent": 0.25, "reflection": "Hardly."},
    {"judgeModelId": "kind(openai:kind-1)", "coverageExtent": 0.75, "reflection": "Mostly."},
]


def judged_by_two() -> list[dict[str, Any]]:
    return [POINTS[0], *({**point, "individualJudgements": TWO_JUDGES} for point in POINTS[1:])]


async def test_what_judges_said_survives_an_export_of_the_answer_scored_anew(
    tmp_path: Path, javascript: JavaScript
) -> None:
    source = stored_in(tmp_path, pointAssessments=judged_by_two())
    written = coverage_result(await scored_of(source, javascript))["pointAssessments"]
    assert [each.get("individualJudgements") for each in cast("Any", written)] == [None, TWO_JUDGES, TWO_JUDGES]


async def test_what_judges_said_of_a_point_that_moved_is_still_about_the_criterion(
    tmp_path: Path, javascript: JavaScript
) -> None:
    moved = BLUEPRINT.replace("    - Says where it lies\n", "").replace("is rude", "Says where it lies")
    source = stored_in(tmp_path, pointAssessments=judged_by_two())
    written = coverage_result(await scored_of(source, javascript, moved))["pointAssessments"]
    assert cast("Any", written)[1]["individualJudgements"] == TWO_JUDGES


async def test_how_far_the_judges_agreed_survives_too(tmp_path: Path, javascript: JavaScript) -> None:
    source = stored_in(tmp_path, pointAssessments=judged_by_two())
    agreed = cast("Any", coverage_result(await scored_of(source, javascript))["judgeAgreement"])
    assert (agreed["numItems"], agreed["numJudges"]) == (2, 2)
    assert [(each["judgeId"], each["model"]) for each in agreed["judgesUsed"]] == [
        ("strict", "openai:strict-1"),
        ("kind", "openai:kind-1"),
    ]


async def test_how_far_they_agreed_survives_judges_of_today_for_whom_nothing_was_open(
    tmp_path: Path, javascript: JavaScript
) -> None:
    scored = await scored_of(stored_in(tmp_path, pointAssessments=judged_by_two()), javascript)
    before, now = coverage_result(scored), coverage_result(replace(scored, judged=True))
    assert now["judgeAgreement"] == before["judgeAgreement"]


async def test_the_authors_grade_replaces_what_judges_said_in_an_export(tmp_path: Path, javascript: JavaScript) -> None:
    source = stored_in(tmp_path, pointAssessments=judged_by_two())
    grades = {Criterion(Block.SHOULD, "Says where it lies"): Grade.FULLY_PRESENT}
    written = coverage_result(await scored_of(source, javascript, grades=grades))["pointAssessments"]
    assert [each["judgeModelId"] for each in cast("Any", written)[1]["individualJudgements"]] == ["human"]
