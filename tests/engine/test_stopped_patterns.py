"""A pattern that is stopped for time is an error and counts 0; where Weval would count 100, that is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.evaluation.point_assessment import assess
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.scoring.assessment import Assessment, OnWeval
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain

SLOW = "'(a+)+$'"
ANSWER = "a" * 40 + "b"
SAID = "Weval has no such limit: if the pattern finds nothing after all"


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript() as running:
        yield running


def judged(body: str, javascript: JavaScript) -> tuple[tuple[Assessment, ...], Explanation]:
    (of,) = parse(f"- id: a\n  prompt: x\n{body}").blueprint.prompts
    assessments = assess(of, ANSWER, javascript)
    return assessments, explain(of, assessments)


@pytest.mark.parametrize(
    "body",
    [
        f"  should_not: [{{$matches: {SLOW}}}, {{$contains: z}}]\n",
        f"  should_not: [{{$imatches: {SLOW}}}, {{$contains: z}}]\n",
        f"  should: [{{$not_matches: {SLOW}}}, {{$contains: b}}]\n",
        f"  should: [{{$not_imatches: {SLOW}}}, {{$contains: b}}]\n",
    ],
)
def test_where_weval_would_count_100_the_explanation_says_so(body: str, javascript: JavaScript) -> None:
    assessments, explained = judged(body, javascript)
    assert (assessments[0].extent, assessments[0].on_weval) == (0, OnWeval.NO_LIMIT)
    assert SAID in assessments[0].detail
    assert (explained.score, explained.weval.unrounded) == (0.5, 1)
    assert any(SAID in reason for reason in explained.weval.reasons)


@pytest.mark.parametrize(
    "body",
    [
        f"  should: [{{$matches: {SLOW}}}, {{$contains: b}}]\n",
        f"  should_not: [{{$not_matches: {SLOW}}}, {{$contains: z}}]\n",
    ],
)
def test_where_weval_would_count_0_too_nothing_is_said(body: str, javascript: JavaScript) -> None:
    assessments, explained = judged(body, javascript)
    assert (assessments[0].extent, explained.score, explained.weval.unrounded) == (0, 0.5, 0.5)
    assert SAID not in assessments[0].detail
    assert explained.weval.reasons == ()


def test_what_a_check_of_several_patterns_comes_to_there_is_not_known(javascript: JavaScript) -> None:
    assessments, explained = judged(f"  should: [{{$matches_all_of: [{SLOW}, b]}}, {{$contains: b}}]\n", javascript)
    assert (assessments[0].extent, explained.score) == (0, 0.5)
    assert explained.weval.reasons == (
        "A check of several patterns was stopped for time. What it comes to on Weval, which waits, is not known.",
    )


def test_a_script_that_is_stopped_is_an_error_on_weval_too(javascript: JavaScript) -> None:
    assessments, explained = judged("  should: [{$js: 'for (;;) {}'}, {$contains: b}]\n", javascript)
    assert (assessments[0].on_weval, explained.weval.unrounded) == (OnWeval.ERROR, 1)


def test_a_function_that_weval_does_not_know_is_an_error_there(javascript: JavaScript) -> None:
    assessments, _ = judged(f"  should_not: [{{$matches_any_of: [{SLOW}]}}]\n", javascript)
    assert assessments[0].on_weval is OnWeval.ERROR
