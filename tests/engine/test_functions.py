"""The point functions as authors meet them: names, pages, words for results and for wrong arguments."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import ABSENT, FunctionCall
from engine.functions import ALL, find
from engine.functions.pages import notes, page, remarks
from engine.functions.point_function import (
    REGISTERED,
    Checked,
    CheckError,
    NotCalled,
    PointFunction,
    Result,
    Subject,
)
from engine.functions.tasks import Matches, RegexTask, ScriptTask, Value
from engine.functions.v8 import JavaScript
from engine.text.spans import Span
from engine.yaml.nodes import Data, MappingNode, SequenceNode, to_data
from engine.yaml.tree_loader import load
from tests.engine.short_cases import assert_says
from tests.many_cases import every
from tests.thoroughness import tried
from tests.world import SHARED, golden, needs_shared

# The point functions as authors meet them: names, pages, words for results and for wrong arguments


TRACE = 'Thinking.\nTOOL_CALL {"name":"search","arguments":{"q":"cats","n":2}}\n  TOOL_CALL {"name":"open"}\n'


def check(javascript: JavaScript, name: str, args: Data, response: str) -> Result:
    (result,) = functions.run([FunctionCall(name, args)], Subject(response), javascript)
    return result


def from_yaml(point: str) -> tuple[str, Data]:
    """The function name and argument of a YAML point."""
    (document,) = load(f"- {point}\n").documents
    assert isinstance(document.root, SequenceNode)
    (item,) = document.root.items
    assert isinstance(item, MappingNode)
    ((name, args),) = to_data(item).items()  # type: ignore[union-attr]
    return name, args


def said(javascript: JavaScript, mark: str, response: str) -> Iterator[str]:
    """All that an author is told of a call, `{NAME: ARGUMENT}` in JSON, and of its result on a response."""
    [(name, args)] = json.loads(mark).items()
    function = functions.find(name)
    assert function is not None
    problem = function.problem(args)
    yield from () if problem is None else (f"problem: {problem}",)
    yield from (f"remark: {each}" for each in remarks(FunctionCall(name, args)))
    match check(javascript, name, args, response):
        case Checked(extent, detail, spans) as checked:
            places = "".join(f" {span.start}-{span.end}" for span in spans)
            yield f"{extent}{places}: {detail}" + (f" ({checked.reflection})" if checked.reflection else "")
        case CheckError(message):
            yield f"error: {message}"
        case NotCalled(message):
            yield f"not called: {message}"


def test_what_is_told_of_a_call_and_its_result(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("function_cases.txt"), partial(said, javascript), pytestconfig)


@needs_shared
def test_every_function_that_the_documents_name_is_there() -> None:
    text = "".join(path.read_text("utf-8") for path in (SHARED / "seeds").glob("00[0-4]_*.txt"))
    names = set(re.findall(r"\$([a-z]+(?:_[a-z]+)*)(?=[:(` ])", text)) - {"ref"}
    assert len(names) > 35
    assert {name for name in names if functions.find(name) is None} == set()


def test_every_name_that_weval_knows_is_there() -> None:
    assert {name for name in REGISTERED if functions.find(name) is None} == set()


def test_no_two_functions_share_a_name() -> None:
    names = [name for function in functions.ALL for name in function.names]
    assert len(names) == len(set(names))


def test_capitals_count_and_a_dollar_is_no_part_of_a_name() -> None:
    assert functions.find("Contains") is None
    assert functions.find("$contains") is None


@every("function", functions.ALL, ids=lambda function: function.name)
def test_the_example_reads_as_a_call_of_the_function_and_is_right(function: PointFunction) -> None:
    name, args = from_yaml(function.example)
    assert name == f"${function.name}"
    assert function.problem(args) is None


@every(
    "function", [function for function in functions.ALL if not function.by_service], ids=lambda function: function.name
)
def test_the_example_runs(function: PointFunction, javascript: JavaScript) -> None:
    _, args = from_yaml(function.example)
    assert isinstance(check(javascript, function.name, args, TRACE), Checked)


@every("function", functions.ALL, ids=lambda function: function.name)
def test_a_problem_ends_with_a_right_example(function: PointFunction) -> None:
    problem = function.problem([[]])
    assert problem is not None
    assert "Example: $" in problem


@every("name", ["is_json", "factcheck"])
def test_some_functions_need_no_argument(name: str) -> None:
    function = functions.find(name)
    assert function is not None
    assert function.problem(ABSENT) is None


def test_an_unknown_function_is_an_error_and_the_others_answer(javascript: JavaScript) -> None:
    calls = [FunctionCall("nope", "x"), FunctionCall("contains", "x")]
    first, second = functions.run(calls, Subject("x"), javascript)
    assert first == CheckError("There is no function “nope”.")
    assert second == Checked(1.0, "“x” found once", (Span(0, 1),))


def test_a_pattern_that_explodes_is_an_error_with_a_likely_cause(javascript: JavaScript) -> None:
    result = check(javascript, "matches", "(a+)+$", "a" * 40 + "b")
    assert isinstance(result, CheckError)
    assert "took longer than 100 ms" in result.message


@every(
    ("args", "text"),
    [
        (ABSENT, "Function: contains(undefined)"),
        (None, "Function: contains(null)"),
        ('a "b"\n é\ud83d', 'Function: contains("a \\"b\\"\\n é\\ud83d")'),
        ([1.0, 1e-7, 1e21, float("nan")], "Function: contains([1,1e-7,1e+21,null])"),
        ({"b": True, "2": [], "1": {}}, 'Function: contains({"1":{},"2":[],"b":true})'),
    ],
)
def test_a_call_is_described_as_javascript_prints_it(args: Data, text: str) -> None:
    assert functions.describe(FunctionCall("contains", args)) == text


def test_a_date_in_where_matches_anything_as_in_javascript_and_is_reported(javascript: JavaScript) -> None:
    name, args = from_yaml("$tool_args_match: {name: t, where: {day: 2024-01-31}}")
    result = check(javascript, name.removeprefix("$"), args, 'TOOL_CALL {"name":"t","arguments":{"day":"never"}}')
    assert isinstance(result, Checked)
    function = functions.find("tool_args_match")
    assert function is not None
    assert (result.extent, (function.problem(args) or "").partition(":")[0]) == (
        1.0,
        "YAML reads `where.day` as a date, which matches anything",
    )


@every(
    ("name", "weval_name"),
    [
        ("contains", "contains"),
        ("imatches_all_of", "imatch_all_of"),
        ("not_matches_all_of", None),
        ("not_contains_all_of", "not_contains_all_of"),
        ("external", "call"),
    ],
)
def test_each_function_knows_its_name_on_weval(name: str, weval_name: str | None) -> None:
    function = functions.find(name)
    assert function is not None
    assert function.weval_name == weval_name


@every(
    "function",
    [function for function in functions.ALL if function.negates is None],
    ids=lambda function: function.name,
)
def test_each_function_has_a_twin_under_each_of_its_names(function: PointFunction) -> None:
    twin = functions.find(f"not_{function.name}")
    assert twin is not None
    assert twin.names == tuple(f"not_{name}" for name in function.names)
    assert twin.negates == function.name


# What is worth knowing of a check beside its page: marks, case, blanks, and what a pattern's signs mean


def function(name: str) -> PointFunction:
    found = find(name)
    assert found is not None
    return found


@every("each", [each for each in ALL if each.name.endswith("_all_of")], ids=lambda each: each.name)
def test_the_page_of_a_graded_list_says_what_a_part_of_it_is_worth(each: PointFunction) -> None:
    assert notes(each)[0] in " ".join(page(each).split())


def test_a_page_says_which_function_ignores_case() -> None:
    assert "$icontains_word ignores it" in page(function("contains_word"))


# Laws of searching: the same answers as JavaScript gives, and evidence that is in the response


TRICKY = "aAsSſkKKiIİıßẞςσΣμµ😀\ud83d\ude00𐐀𐐨\u0301\u00a0\ufeff\u0085\n -_.*"
texts = st.text(alphabet=st.one_of(st.sampled_from(TRICKY), st.characters(max_codepoint=0x2FF)), max_size=30)
wanteds = st.text(alphabet=TRICKY, max_size=4)

IN_JAVASCRIPT = """
const lower = r.toLowerCase(), wanted = w.toLowerCase();
[
  r.includes(w), lower.includes(wanted),
  r.startsWith(w), lower.startsWith(wanted),
  r.endsWith(w), lower.endsWith(wanted),
]
"""
SAME_HERE = ("contains", "icontains", "starts_with", "istarts_with", "ends_with", "iends_with")


@settings(max_examples=tried(40, 200), deadline=None)
@given(response=texts, wanted=wanteds)
def test_plain_searches_answer_as_javascript_does(response: str, wanted: str, javascript: JavaScript) -> None:
    (there,) = javascript.run([ScriptTask(IN_JAVASCRIPT, (("r", response), ("w", wanted)))])
    results = functions.run([FunctionCall(name, wanted) for name in SAME_HERE], Subject(response), javascript)
    assert there == Value("array", [isinstance(result, Checked) and result.extent == 1 for result in results])


@settings(max_examples=tried(40, 200), deadline=None)
@given(response=texts, wanted=wanteds)
def test_evidence_lies_in_the_response(response: str, wanted: str, javascript: JavaScript) -> None:
    names = (*SAME_HERE, "contains_word", "icontains_word")
    for result in functions.run([FunctionCall(name, wanted) for name in names], Subject(response), javascript):
        assert isinstance(result, Checked)
        assert all(0 <= span.start <= span.end <= len(response) for span in result.evidence)
        assert bool(result.evidence) == (result.extent == 1)


@settings(max_examples=tried(25, 100), deadline=None)
@given(response=texts, wanted=st.sampled_from([character for character in TRICKY if character not in "\ud83d\ude00*."]))
def test_a_matched_character_is_the_one_at_its_place(response: str, wanted: str, javascript: JavaScript) -> None:
    (found,) = javascript.run([RegexTask(wanted, "u", response)])
    assert isinstance(found, Matches)
    assert {span.of(response) for span in found.spans} <= {wanted}


@settings(max_examples=tried(25, 100), deadline=None)
@given(response=texts, wanted=st.lists(wanteds, min_size=1, max_size=4))
def test_a_twin_gives_the_rest_of_the_mark(response: str, wanted: list[str], javascript: JavaScript) -> None:
    calls = [FunctionCall(name, [*wanted]) for name in ("icontains_all_of", "not_icontains_all_of")]
    plain, twin = functions.run(calls, Subject(response), javascript)
    assert isinstance(plain, Checked)
    assert isinstance(twin, Checked)
    assert twin.extent == 1 - plain.extent


# The point functions against the answers of the platform's own code, row by row


ERROR = "error"
STAND_INS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

OF_OBJECT = {"toString", "constructor", "hasOwnProperty", "__proto__", "isPrototypeOf", "toLocaleString", "valueOf"}
"""Names that the platform finds in `Object.prototype` (A29); there is no such function here."""


def read(value: Any) -> Any:
    """A golden value with its stand-ins turned into what they stand for."""
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in STAND_INS:
            return STAND_INS[next(iter(value))]
        return {name: read(part) for name, part in value.items()}
    return [read(part) for part in value] if isinstance(value, list) else value


def subject(row: dict[str, Any]) -> Subject:
    context = row.get("context", {})
    calls = context.get("toolCalls")  # read from the answer there, before the function is called
    written = [f"TOOL_CALL {json.dumps(call)}" for call in calls if call] if isinstance(calls, list) else [row["text"]]
    messages = tuple(context.get("messages", ()))
    return Subject("\n".join(written), messages, context.get("modelId", "test-model"))


def expected(row: dict[str, Any]) -> object:
    result = read(row["result"])
    if "threw" in row or (isinstance(result, dict) and "error" in result):
        return ERROR
    return extent(result["score"] if isinstance(result, dict) else result)


def extent(number: float) -> object:
    return "nan" if math.isnan(number) else float(number)


def answered(call: FunctionCall, subject: Subject, javascript: JavaScript) -> object:
    (result,) = functions.run([call], subject, javascript)
    return extent(result.extent) if isinstance(result, Checked) else ERROR


def revives_inline_case(row: dict[str, Any]) -> bool:
    """`(?i)` at the start of a pattern is documented and works here; the platform refuses it (A8)."""
    patterns = json.dumps(row["args"])
    return "match" in row["fn"] and '"(?i)' in patterns


def test_every_row_has_the_platforms_value(javascript: JavaScript) -> None:
    rows = [row for row in golden("functions") if not revives_inline_case(row)]
    assert len(rows) == 2142
    wrong = []
    for row in rows:
        call = FunctionCall(row["fn"], ABSENT if row.get("args_absent") else read(row["args"]))
        got = answered(call, subject(row), javascript)
        if got != expected(row):
            wrong.append((row["id"], row["fn"], row["args"], expected(row), got))
    assert wrong == []


def test_an_inline_case_flag_works_here_and_is_an_error_there(javascript: JavaScript) -> None:
    rows = [row for row in golden("functions") if revives_inline_case(row)]
    assert len(rows) == 10
    assert {expected(row) for row in rows} == {ERROR}
    assert ERROR not in {answered(FunctionCall(row["fn"], row["args"]), subject(row), javascript) for row in rows}


def assessed(row: dict[str, Any]) -> object:
    assessment, inverted = row["assessment"], row["point"].get("isInverted", False)
    if "coverageExtent" not in assessment:
        return ERROR
    value = read(assessment["coverageExtent"])
    return extent(1 - value) if inverted else extent(value)


def points() -> list[dict[str, Any]]:
    """The function rows of the assessments whose function the platform has, or has not and neither have we."""
    return [
        row
        for row in golden("assess")
        if row["assessment"] is not None
        and row["point"].get("isFunction")
        and row["point"]["functionName"] not in OF_OBJECT
        and (
            functions.known_to_weval(row["point"]["functionName"])
            or functions.find(row["point"]["functionName"]) is None
        )
    ]


def called(row: dict[str, Any]) -> FunctionCall:
    return FunctionCall(row["point"]["functionName"], read(row["point"].get("functionArgs", ABSENT)))


def test_every_assessment_has_the_platforms_value(javascript: JavaScript) -> None:
    rows = points()
    assert len(rows) > 90
    wrong = []
    for row in rows:
        got = answered(called(row), Subject(row["text"]), javascript)
        want = assessed(row)
        if got != want and not (isinstance(got, float) and isinstance(want, float) and math.isclose(got, want)):
            wrong.append((row["id"], called(row), want, got))
    assert wrong == []


def test_every_assessment_has_the_platforms_words_for_the_call() -> None:
    rows = [row for row in golden("assess") if row["point"].get("isFunction")]
    assert [functions.describe(called(row)) for row in rows] == [row["point"]["displayText"] for row in rows]


def test_names_of_object_prototype_are_no_functions() -> None:
    assert {functions.find(name) for name in OF_OBJECT} == {None}
