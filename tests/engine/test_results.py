"""Result files of every age: read whole, explained, and held against the blueprint as it is now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Blueprint, Prompt
from engine.blueprint.conversation import conversation
from engine.evaluation.events import Failed, Response, Scored
from engine.evaluation.point_assessment import assess
from engine.evaluation.published import ScoreComparison, compare_score, matched
from engine.evaluation.result_json import Entry, dumps, result_json
from engine.evaluation.results import ResultFile, StoredResult, UnusableResult, is_result, read_result
from engine.functions.v8 import JavaScript
from engine.parsing import parse, weval_config
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.explanation import Explanation, point_label
from engine.scoring.explanation_builder import explain
from engine.yaml.nodes import Data
from tests.engine.short_cases import assert_says, data_of
from tests.many_cases import every
from tests.world import CORPUS, SHARED, golden, needs_corpus, needs_shared

MODEL = "openai:tiny"


def file_of(data: Any) -> ResultFile:
    return read_result(json.dumps(data).encode(), Path("run_comparison.json"))


def holding(*points: Any, prompt: str = "p", top: dict[str, Any] | None = None, **coverage: Any) -> dict[str, Any]:
    """A result file with one prompt and model."""
    held = {"pointAssessments": list(points), **coverage}
    return {"evaluationResults": {"llmCoverageScores": {prompt: {MODEL: held}}}, **(top or {})}


def stored(*points: Any, **more: Any) -> StoredResult:
    (result,) = file_of(holding(*points, **more)).results
    return result


def said(text: str, extent: float | None, **more: Any) -> dict[str, Any]:
    return {"keyPointText": text, "coverageExtent": extent, **more}


def told(mark: str, written: str) -> Iterator[str]:
    """What is read of a case: of a whole `file`, or of one with these points, fields of their result, and others."""
    if mark == "file":
        try:
            yield f"models: {', '.join(read_result(written.encode(), Path('x.json')).models)}"
        except UnusableResult as error:
            yield str(error)
        return
    fields = data_of(written)
    for result in file_of(holding(*fields.pop("points", []), top=fields.pop("top", {}), **fields)).results:
        yield from read_of(result)


def read_of(result: StoredResult) -> Iterator[str]:
    said = [result.model, result.error, result.response, *(each.content for each in result.prompt.messages)]
    yield "; ".join(filter(None, said))
    for each in result.assessments:
        placed = " ".join(filter(None, (each.placed.path_id, "inverted" * each.placed.inverted)))
        extent = "" if each.extent is None else f"{each.extent:g}"
        possible = "" if each.possible is None else f"{each.possible.low:g}–{each.possible.high:g}"
        detail = each.detail if each.detail != each.error else ""
        parts = (f"×{each.point.multiplier:g} {placed}".strip(), extent, possible, each.error, detail)
        yield f"{point_label(each.point)}: {'; '.join(filter(None, parts))}"
        yield from (each.reflection or "").splitlines()
    explanation = explained(result)
    if explanation.score is not None:
        yield f"scores {explanation.score:g}, on Weval {explanation.weval.stored}"
    if (comparison := compare_score(result, explanation)) is not None:
        yield f"published {result.stored:g}: {'reproduced' if comparison.reproduced else 'not reproduced'}"
        yield from comparison.reasons


def test_a_result_is_read_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("result_cases.txt"), told, pytestconfig)


def explained(result: StoredResult) -> Explanation:
    return explain(result.prompt, result.assessments)


def why(result: StoredResult) -> ScoreComparison:
    comparison = compare_score(result, explained(result))
    assert comparison is not None
    return comparison


# Files of every shape


def test_what_is_not_text_is_no_result() -> None:
    with pytest.raises(UnusableResult, match="it is not text"):
        read_result(b"\xff\xfe\x00\x01", Path("x.json"))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = ("keyPointText", "coverageExtent", "multiplier", "pathId", "isInverted", "error", "individualJudgements")


@given(points=st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, JSON)) | JSON), more=JSON, error=JSON)
def test_no_file_whatever_it_holds_breaks_the_reading(points: Any, more: Any, error: Any) -> None:
    top = {"config": more, "errors": {"p": {MODEL: error}}, "promptContexts": {"p": more}}
    content = json.dumps(holding(*points, top=top, avgCoverageExtent=more)).encode()
    (result,) = read_result(content, Path("x.json")).results
    assert len(result.assessments) == len(result.points) == len(result.prompt.points())


def test_a_file_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    result, blueprint, text = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "c.yml"
    result.write_text(json.dumps(holding()), "utf-8")
    blueprint.write_text('{"prompts": [{"id": "p", "prompt": "What is \\"evaluationResults\\"?"}]}', "utf-8")
    text.write_text(result.read_text("utf-8"), "utf-8")
    assert [is_result(each) for each in (result, blueprint, text, tmp_path / "none.json")] == [
        True,
        False,
        False,
        False,
    ]


# The published score

CHECK = {"keyPointText": 'Function: contains("x")', "error": "Invalid"}


E2E = [row for row in golden("e2e") if row["assessments"]]


@needs_shared
@every("row", E2E, ids=lambda row: row["prompt_id"])
def test_the_platforms_own_score_is_reproduced_from_its_own_points(row: dict[str, Any]) -> None:
    result = stored(*row["assessments"], avgCoverageExtent=row["avgCoverageExtent"])
    comparison = why(result)
    assert comparison.reproduced
    assert not [words for words in comparison.reasons if "plain mean" in words]


def is_of_a_file(row: dict[str, Any]) -> bool:
    """Whether the points of a row can stand in a file: extents from 0 to 1 or none, weights above 0 or none."""
    points = row["assessments"]
    shares = all(isinstance(each.get("coverageExtent", 0), int | float) for each in points)
    weights = all(isinstance(weight := each.get("multiplier", 1), int | float) and weight > 0 for each in points)
    return bool(points) and shares and weights and all(0 <= each.get("coverageExtent", 0) <= 1 for each in points)


AGGREGATED = [row for row in golden("aggregate") if is_of_a_file(row)]


@every("row", AGGREGATED, ids=lambda row: row["id"])
def test_every_published_average_is_reproduced(row: dict[str, Any]) -> None:
    points = [
        {"keyPointText": "a", **({} if "coverageExtent" in each else CHECK), **each} for each in row["assessments"]
    ]
    comparison = why(stored(*points, avgCoverageExtent=row["avgCoverageExtent"]))
    assert comparison.reproduced
    assert not [words for words in comparison.reasons if "plain mean" in words]


@needs_shared
def test_the_documents_own_result_is_read() -> None:
    seed = (SHARED / "seeds" / "000_4a639b7e1d9118b5.txt").read_text("utf-8")
    snippet = seed.rpartition("```json")[2].partition("```")[0].replace("// ... other top-level fields", "")
    (result,) = read_result(snippet.replace("\\\\", "\\").encode(), Path("x.json")).results
    assert [each.extent for each in result.assessments] == [1.0, 1.0]
    assert why(result).reasons[0] == "The published score is 12.0 points less than its own criteria add up to (100.0)."


def entry_of(
    of: Prompt, blueprint: Blueprint, answer: str, grades: dict[Criterion, Grade], javascript: JavaScript
) -> Entry:
    thread = conversation(of, blueprint.header).answered([answer])
    assessments = assess(of, answer, javascript, thread=thread, model=MODEL, grades=grades)
    return Entry(of, of.id, MODEL, Scored(Response(answer, thread, MODEL), assessments, explain(of, assessments)))


TEXTS = st.text(alphabet="ab c", min_size=1, max_size=4).filter(str.strip)


@given(then=st.lists(TEXTS, max_size=6), now=st.lists(TEXTS, max_size=6))
def test_every_point_is_matched_once_gone_or_new(then: list[str], now: list[str]) -> None:
    result = stored(*(said(text, 1) for text in then), avgCoverageExtent=1)
    source = json.dumps({"prompts": [{"id": "p", "prompt": "x", "should": now or ["z"]}]})
    (prompt,) = parse(source, Path("x.json")).blueprint.prompts
    matches = matched(result, prompt).matches
    assert sorted(each.then for each in matches if each.then is not None) == list(range(len(then)))
    assert sorted(each.now for each in matches if each.now is not None) == list(range(len(now or ["z"])))


# Export and reading back


CORPUS_FILES = ["test.yml", "confidence-high-stakes-domains.yml", "indian-bias-forced-choice.yml", "yka-set.yml"]
BLUEPRINTS = [parse((CORPUS / name).read_text("utf-8")) for name in CORPUS_FILES if (CORPUS / name).is_file()]


@needs_corpus
@given(data=st.data())
def test_an_export_is_explained_as_the_run_was(data: st.DataObject, javascript: JavaScript) -> None:
    parsed = data.draw(st.sampled_from(BLUEPRINTS))
    of = data.draw(st.sampled_from(parsed.blueprint.prompts))
    grades = {
        Criterion(rubric.block, point.text): grade
        for rubric in of.rubrics
        for point in rubric.points()
        if point.text is not None and (grade := data.draw(st.none() | st.sampled_from(Grade))) is not None
    }
    entry = entry_of(of, parsed.blueprint, data.draw(st.text(min_size=1)), grades, javascript)
    exported = result_json(parsed.blueprint, weval_config(parsed), [entry], path=Path("a.yml"))
    (result,) = read_result(dumps(exported).encode(), Path("x.json")).results
    assert isinstance(entry.outcome, Scored)
    again, before = explained(result), entry.outcome.explanation
    assert (again.score, again.bounds) == (pytest.approx(before.score), before.bounds)
    assert result.stored is None or why(result).reproduced


@needs_corpus
def test_a_failed_prompt_is_read_back_with_what_happened() -> None:
    parsed = BLUEPRINTS[0]
    of = parsed.blueprint.prompts[0]
    config: Data = weval_config(parsed)
    failed = Entry(of, of.id, MODEL, Failed("The key was refused.", "401"))
    data = result_json(parsed.blueprint, config, [failed], path=Path("a.yml"))
    (result,) = read_result(dumps(data).encode(), Path("x.json")).results
    assert (result.error, result.prompt.id) == ("The key was refused. 401", of.id)


@every("args", ["9" * 5000, "[" * 400 + "]" * 400, '{"a":' * 5000], ids=lambda each: each[:9])
def test_arguments_of_a_check_that_no_reader_takes_are_text(args: str) -> None:
    call = stored(said(f"Function: contains({args})", 1)).points[0].point.function
    assert call is not None
    assert call.args == args or call.args == float("inf")


def test_a_file_that_is_nested_too_deeply_says_so() -> None:
    lone = '"\\ud800"'
    with pytest.raises(UnusableResult, match="it is nested too deeply"):
        read_result(f'{{"evaluationResults": {"[" * 300}{lone}{"]" * 300}}}'.encode(), Path("x.json"))
