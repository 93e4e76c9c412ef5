"""Weval's result JSON, and reading it back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import ABSENT, Block, FunctionCall, Point, Prompt, unique_keys
from engine.blueprint.conversation import conversation
from engine.evaluation.events import Failed, Response, Scored
from engine.evaluation.fixtures import read_fixtures, saved_answer
from engine.evaluation.point_assessment import assess
from engine.evaluation.result_json import Entry, dumps, point_assessment, record_fixtures, result_json
from engine.evaluation.results import read_result_file
from engine.evaluation.sources import FixtureRequest
from engine.functions.tasks import ScriptTask, Value
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse, weval_config
from engine.scoring.assessment import Assessment, Criterion, Grade
from engine.scoring.explanation_builder import explain, score_there
from engine.scoring.sums import place
from engine.text.spans import NOWHERE
from tests.engine.builders import prompt
from tests.engine.short_cases import assert_says, texts_in
from tests.many_cases import every
from tests.world import CORPUS, SHARED, golden, needs_corpus, needs_shared

# Weval's result JSON, and reading it back


CASES = Path(__file__).with_name("export_cases.txt")
(BLUEPRINT,) = texts_in(CASES)
ANSWER = 'Paris, on the Seine.\nTOOL_CALL {"name": "map", "arguments": {"city": "Paris"}}'
KEY = "model-id"
WHEN = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def entry_of(parsed: Parsed, javascript: JavaScript) -> Entry:
    (prompt,) = parsed.blueprint.prompts
    grades = {Criterion(Block.SHOULD_NOT, "is rude"): Grade.SLIGHTLY_PRESENT}
    assessments = assess(prompt, ANSWER, javascript, grades=grades)
    scored = Scored(Response(ANSWER, ()), assessments, explain(prompt, assessments))
    return Entry(prompt, prompt.id, KEY, scored)


def result_of(parsed: Parsed, entry: Entry) -> dict[str, Any]:
    path = Path("blueprints/geo/capitals.yml")
    return json.loads(dumps(result_json(parsed.blueprint, weval_config(parsed), [entry], path=path, when=WHEN)))


@pytest.fixture(scope="module")
def parsed() -> Parsed:
    return parse(BLUEPRINT)


@pytest.fixture(scope="module")
def entry(parsed: Parsed, javascript: JavaScript) -> Entry:
    return entry_of(parsed, javascript)


@pytest.fixture(scope="module")
def result(parsed: Parsed, entry: Entry) -> dict[str, Any]:
    return result_of(parsed, entry)


def lines_of(result: dict[str, Any]) -> Iterator[str]:
    """A result of one answer, a field on each line, and each point and each field of its explanation."""
    (answers,) = result["evaluationResults"]["llmCoverageScores"].values()
    (coverage,) = answers.values()
    explanation = coverage.pop("explanation")
    points = coverage.pop("pointAssessments")
    yield from (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in result.items())
    yield from (json.dumps(each, ensure_ascii=False) for each in points)
    yield from (f"  {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in explanation.items())


def test_a_run_is_exported_as_its_file_says(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    def exported(_: str, text: str) -> Iterator[str]:
        return lines_of(result_of(parse(text), entry_of(parse(text), javascript)))

    assert_says(CASES, exported, pytestconfig)


def test_a_prompt_that_failed_is_among_the_errors(parsed: Parsed, entry: Entry) -> None:
    failed = Entry(entry.prompt, entry.prompt_key, KEY, Failed("The key was refused.", "401"))
    result = json.loads(dumps(result_json(parsed.blueprint, None, [failed], path=Path("x.yml"))))
    assert result["errors"] == {"your-prompt-id": {KEY: "The key was refused. 401"}}
    assert result["evaluationResults"]["llmCoverageScores"] == {}


def test_numbers_that_json_lacks_are_null() -> None:
    assert json.loads(dumps({"a": float("nan"), "b": [float("inf")]})) == {"a": None, "b": [None]}


def test_prompts_that_share_an_id_are_told_apart() -> None:
    same = parse("title: x\n---\n- id: a\n  prompt: x\n- id: a\n  prompt: y\n- id: b\n  prompt: z\n")
    assert unique_keys(same.blueprint.prompts) == {0: "a", 1: "a#2", 2: "b"}


SEED = SHARED / "seeds" / "002_bc513cd1689edb73.txt"


@needs_shared
def test_the_documents_diagnostic_snippet_runs_on_a_result_unchanged(
    result: dict[str, Any], javascript: JavaScript
) -> None:
    snippet = SEED.read_text("utf-8").partition("**Quick Diagnostic Commands:**")[2].split("```")[1]
    source = snippet.removeprefix("javascript") + "\n;[requiredPoints.length, Object.keys(pathGroups)]"
    task = ScriptTask(source, (("evaluationResults", result["evaluationResults"]),))
    assert javascript.run([task]) == [Value("array", [4, ["path_3", "path_4"]])]


# Reading back


def written(folder: Path, data: Any) -> Path:
    path = folder / "result.json"
    path.write_text(dumps(data), "utf-8")
    return path


def test_a_result_read_back_is_explained_by_the_same_steps(
    result: dict[str, Any], entry: Entry, tmp_path: Path
) -> None:
    (stored,) = read_result_file(written(tmp_path, result)).results
    explanation = explain(stored.prompt, stored.assessments)
    assert isinstance(entry.outcome, Scored)
    assert explanation.steps == entry.outcome.explanation.steps
    assert explanation.bounds == entry.outcome.explanation.bounds


def test_recorded_answers_can_be_given_again(entry: Entry, parsed: Parsed, tmp_path: Path) -> None:
    thread = conversation(entry.prompt, parsed.blueprint.header).answered([ANSWER])
    assert isinstance(entry.outcome, Scored)
    outcome = Scored(Response(ANSWER, thread, KEY), entry.outcome.assessments, entry.outcome.explanation)
    path = written(tmp_path, record_fixtures([Entry(entry.prompt, entry.prompt_key, KEY, outcome)]))
    saved = saved_answer(read_fixtures(path), "your-prompt-id", FixtureRequest(KEY))
    assert saved is not None
    assert saved.turns == (ANSWER,)


# Points and their assessments, held against the platform's own answers


COMPARED = ("keyPointText", "coverageExtent", "multiplier", "isInverted", "pathId", "citation")


def as_on_weval(fields: dict[str, Any]) -> dict[str, Any]:
    """The compared fields, with Weval's path ids and without the extent of an error."""
    shown = {name: fields[name] for name in COMPARED if name in fields}
    if "pathId" in shown:
        shown["pathId"] = shown["pathId"].removeprefix("not_")
    if "error" in fields:
        shown.pop("coverageExtent", None)
    return shown


# The reading of points

POINTS = [row for row in golden("normalize_points") if row["error"] is None]


@every("row", POINTS, ids=lambda row: row["id"])
def test_points_are_described_and_placed_as_on_the_platform(row: dict[str, Any]) -> None:
    block = "should_not" if row["should_not"] else "should"
    source = json.dumps({"prompts": [{"id": "p", "prompt": "x", block: row["points"]}]})
    (of,) = parse(source, Path("blueprint.json")).blueprint.prompts
    described = [as_on_weval(point_assessment(Assessment(placed))) for placed in place(of)]
    named = [as_on_weval(point | {"keyPointText": point["displayText"]}) for point in row["normalized"]]
    assert described == named


# Single checks

DOCUMENTED_ONLY = {50, 51, 52, 116, 117, 118}
"""Names that the documents have and the platform has not."""
NOT_A_NUMBER = {27, 28, 93, 94}
"""Scripts that return NaN, which the platform takes for a score."""
INHERITED = {62, 128}
"""Names that the platform finds among what every JavaScript object inherits."""
WITHOUT_INVERSION = 137
"""A point that says nothing of inversion; no blueprint is read to such a point."""
WITHOUT_NAME = 139
"""A function without a name, of which the platform says nothing at all."""

CHECKS = {row["id"]: row for row in golden("assess")}
ALIKE = CHECKS.keys() - DOCUMENTED_ONLY - NOT_A_NUMBER - INHERITED - {WITHOUT_INVERSION, WITHOUT_NAME}


def prompt_of(point: dict[str, Any]) -> Prompt:
    """A prompt with the one criterion of a golden row, on its path and in its block."""
    call = FunctionCall(point["functionName"], point.get("functionArgs", ABSENT))
    one = Point(NOWHERE, NOWHERE, None, call, point["multiplier"], point.get("citation"))
    before = int(point["pathId"].removeprefix("path_")) if "pathId" in point else 0
    entries = [*[one] * before, [one] if "pathId" in point else one]
    return prompt(should_not=entries) if point.get("isInverted") else prompt(should=entries)


@every("number", sorted(ALIKE))
def test_a_check_is_assessed_as_on_the_platform(number: int, javascript: JavaScript) -> None:
    row = CHECKS[number]
    last = assess(prompt_of(row["point"]), row["text"], javascript)[-1]
    assert as_on_weval(point_assessment(last)) == as_on_weval(row["assessment"])


def test_a_point_that_says_nothing_of_inversion_is_not_inverted(javascript: JavaScript) -> None:
    row = CHECKS[WITHOUT_INVERSION]
    last = assess(prompt_of(row["point"]), row["text"], javascript)[-1]
    assert as_on_weval(point_assessment(last)) == as_on_weval(row["assessment"]) | {"isInverted": False}


# Prompts of the corpus

E2E = [row for row in golden("e2e") if row["file"].startswith("configs/blueprints/")]


@pytest.fixture(scope="module")
def corpus() -> dict[str, Parsed]:
    paths = {row["file"]: CORPUS / row["file"].removeprefix("configs/blueprints/") for row in E2E}
    return {file: parse(path.read_text("utf-8"), path) for file, path in paths.items()}


@needs_shared
@needs_corpus
@every("row", E2E, ids=lambda row: row["prompt_id"])
def test_a_corpus_prompt_is_assessed_and_scored_as_on_the_platform(
    row: dict[str, Any], corpus: dict[str, Parsed], javascript: JavaScript
) -> None:
    of = next(each for each in corpus[row["file"]].blueprint.prompts if each.id == row["prompt_id"])
    assessments = assess(of, row["text"], javascript)
    checked = [each for each in assessments if each.point.function is not None]
    assert [as_on_weval(point_assessment(each)) for each in checked] == [
        as_on_weval(each) for each in row["assessments"]
    ]
    assert score_there(assessments) == pytest.approx(row["score"], abs=1e-12)


@needs_shared
@needs_corpus
@every(
    "row", [row for row in E2E if any("error" in each for each in row["assessments"])], ids=lambda row: row["prompt_id"]
)
def test_an_errored_check_of_the_corpus_counts_0_with_us(
    row: dict[str, Any], corpus: dict[str, Parsed], javascript: JavaScript
) -> None:
    of = next(each for each in corpus[row["file"]].blueprint.prompts if each.id == row["prompt_id"])
    errored = [each for each in assess(of, row["text"], javascript) if each.error is not None]
    assert [each.extent for each in errored] == [0.0] * sum("error" in each for each in row["assessments"])
