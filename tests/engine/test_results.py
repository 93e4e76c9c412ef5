"""Result files of every age: read whole, explained, and held against the blueprint as it is now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import ABSENT, Block, Blueprint, FunctionCall, Point, Prompt, unique_keys
from engine.blueprint.conversation import conversation
from engine.evaluation.events import Failed, Response, Scored
from engine.evaluation.fixtures import read_fixtures, saved_answer
from engine.evaluation.point_assessment import assess
from engine.evaluation.prompt_evaluation import rescore
from engine.evaluation.published import ScoreComparison, compare_score, matched
from engine.evaluation.result_json import Entry, dumps, point_assessment, record_fixtures, result_json
from engine.evaluation.results import ResultFile, StoredResult, UnusableResult, is_result, read_result, read_result_file
from engine.evaluation.sources import FixtureRequest, WrittenSource
from engine.evaluation.verdicts import Judges
from engine.functions.tasks import ScriptTask, Value
from engine.functions.v8 import JavaScript
from engine.judging.panel import FIVE_STEPS, Approach, Panel, PanelJudge
from engine.parsing import Parsed, parse, weval_config
from engine.scoring.assessment import Assessment, Criterion, Grade
from engine.scoring.explanation import Explanation, point_label
from engine.scoring.explanation_builder import explain, score_there
from engine.scoring.sums import place
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data
from tests.checked_corpus import read
from tests.engine.builders import prompt
from tests.engine.short_cases import assert_says, data_of, texts_in
from tests.engine.test_judging_evaluation import Says
from tests.expected import present
from tests.many_cases import every
from tests.thoroughness import one_in
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
    return present(compare_score(result, explained(result)))


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


@needs_corpus
@given(data=st.data())
def test_an_export_is_explained_as_the_run_was(data: st.DataObject, javascript: JavaScript) -> None:
    parsed = read(CORPUS / data.draw(st.sampled_from(CORPUS_FILES)))
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
    parsed = read(CORPUS / CORPUS_FILES[0])
    of = parsed.blueprint.prompts[0]
    config: Data = weval_config(parsed)
    failed = Entry(of, of.id, MODEL, Failed("The key was refused.", "401"))
    data = result_json(parsed.blueprint, config, [failed], path=Path("a.yml"))
    (result,) = read_result(dumps(data).encode(), Path("x.json")).results
    assert (result.error, result.prompt.id) == ("The key was refused. 401", of.id)


@every("args", ["9" * 5000, "[" * 400 + "]" * 400, '{"a":' * 5000], ids=lambda each: each[:9])
def test_arguments_of_a_check_that_no_reader_takes_are_text(args: str) -> None:
    call = present(stored(said(f"Function: contains({args})", 1)).points[0].point.function)
    assert call.args == args or call.args == float("inf")


def test_a_file_that_is_nested_too_deeply_says_so() -> None:
    lone = '"\\ud800"'
    with pytest.raises(UnusableResult, match="it is nested too deeply"):
        read_result(f'{{"evaluationResults": {"[" * 300}{lone}{"]" * 300}}}'.encode(), Path("x.json"))


# Weval's result JSON, and reading it back


# Weval's result JSON, and reading it back


CASES = Path(__file__).with_name("export_cases.txt")
(BLUEPRINT,) = texts_in(CASES)
ANSWER = 'Paris, on the Seine.\nTOOL_CALL {"name": "map", "arguments": {"city": "Paris"}}'
KEY = "model-id"
WHEN = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def exported_entry(parsed: Parsed, javascript: JavaScript) -> Entry:
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
    return exported_entry(parsed, javascript)


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
        return lines_of(result_of(parse(text), exported_entry(parse(text), javascript)))

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


def file_of_result(folder: Path, data: Any) -> Path:
    path = folder / "result.json"
    path.write_text(dumps(data), "utf-8")
    return path


def test_a_result_read_back_is_explained_by_the_same_steps(
    result: dict[str, Any], entry: Entry, tmp_path: Path
) -> None:
    (stored,) = read_result_file(file_of_result(tmp_path, result)).results
    explanation = explain(stored.prompt, stored.assessments)
    assert isinstance(entry.outcome, Scored)
    assert explanation.steps == entry.outcome.explanation.steps
    assert explanation.bounds == entry.outcome.explanation.bounds


def test_recorded_answers_can_be_given_again(entry: Entry, parsed: Parsed, tmp_path: Path) -> None:
    thread = conversation(entry.prompt, parsed.blueprint.header).answered([ANSWER])
    assert isinstance(entry.outcome, Scored)
    outcome = Scored(Response(ANSWER, thread, KEY), entry.outcome.assessments, entry.outcome.explanation)
    path = file_of_result(tmp_path, record_fixtures([Entry(entry.prompt, entry.prompt_key, KEY, outcome)]))
    saved = present(saved_answer(read_fixtures(path), "your-prompt-id", FixtureRequest(KEY)))
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

PLAYED = [row for row in golden("e2e") if row["file"].startswith("configs/blueprints/")]


@pytest.fixture(scope="module")
def corpus() -> dict[str, Parsed]:
    paths = {row["file"]: CORPUS / row["file"].removeprefix("configs/blueprints/") for row in PLAYED}
    return {file: parse(path.read_text("utf-8"), path) for file, path in paths.items()}


@needs_shared
@needs_corpus
@every("row", one_in(3, PLAYED), ids=lambda row: row["prompt_id"])
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
    "row",
    [row for row in PLAYED if any("error" in each for each in row["assessments"])],
    ids=lambda row: row["prompt_id"],
)
def test_an_errored_check_of_the_corpus_counts_0_with_us(
    row: dict[str, Any], corpus: dict[str, Parsed], javascript: JavaScript
) -> None:
    of = next(each for each in corpus[row["file"]].blueprint.prompts if each.id == row["prompt_id"])
    errored = [each for each in assess(of, row["text"], javascript) if each.error is not None]
    assert [each.extent for each in errored] == [0.0] * sum("error" in each for each in row["assessments"])


# What judges said, in Weval's result JSON


JUDGES_CASES = Path(__file__).with_name("export_judges_cases.txt")
(JUDGED_BLUEPRINT,) = texts_in(JUDGES_CASES)
PANEL = Panel(
    (PanelJudge("one", "here:one", Approach.STANDARD), PanelJudge("two", "here:two", Approach.HOLISTIC)), FIVE_STEPS
)


class Disagree(Says):
    """Two judges: the second declines about the Sun, and both about what nobody knows."""

    def resolve(self, model: str, base_url: str | None) -> Any:
        second = Says(the_Moon="CLASS_MAJORLY_PRESENT", the_Sun="I can't help with that.", nobody_knows="Sorry.")
        return (self if model == "here:one" else second), model


@pytest.fixture(scope="module")
async def judged() -> dict[str, Any]:
    parsed = parse(JUDGED_BLUEPRINT)
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


def test_what_judges_said_is_exported_as_its_file_says(judged: dict[str, Any], pytestconfig: pytest.Config) -> None:
    exported = json.loads(json.dumps(judged))
    assert_says(JUDGES_CASES, lambda *_: lines_of(exported), pytestconfig)


def test_a_result_with_judges_is_explained_again_from_its_file(judged: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(judged), "utf-8")
    (stored,) = read_result_file(path).results
    coverage = judged["evaluationResults"]["llmCoverageScores"]["tides"]["response"]
    again = explain(stored.prompt, stored.assessments)
    assert (again.score, [again.bounds.low, again.bounds.high]) == (
        pytest.approx(coverage["explanation"]["score"]),
        pytest.approx(coverage["bounds"]),
    )
