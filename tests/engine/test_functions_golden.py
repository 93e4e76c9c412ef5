"""The point functions against the answers of the platform's own code, row by row."""

from __future__ import annotations

import json
import math
from typing import Any

from engine import functions
from engine.blueprint import ABSENT, FunctionCall
from engine.functions.point_function import Checked, Subject, ToolCall
from engine.functions.v8 import JavaScript
from tests.world import golden

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
    calls = context.get("toolCalls")
    seen = (
        [ToolCall(call["name"], call.get("arguments", ABSENT)) for call in calls if call]
        if isinstance(calls, list)
        else None
    )
    return Subject(
        row["text"],
        tuple(context.get("messages", ())),
        context.get("modelId", "test-model"),
        tool_calls=None if seen is None else tuple(seen),
    )


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
