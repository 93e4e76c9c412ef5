"""The passage of an answer that is nearest to what a check looks for."""

from __future__ import annotations

import pytest

from engine.blueprint import FunctionCall
from engine.rules.functions.literal_forms import closest_passage
from engine.yaml.nodes import Data

ANSWER = "The largest is Lagos, in the south west of Nigeria. Then comes Greater Cairo."


@pytest.mark.parametrize(
    ("name", "args", "passage"),
    [
        ("contains", "lagos", "Lagos"),
        ("contains", "Great Cairo", "eater Cairo"),
        ("contains_any_of", ["Kinshasa", "Lagoss", "Accra"], "Lagos,"),
        ("contains_all_of", ["Lagos", "Nigeria!"], "Nigeria."),
        ("contains_at_least_n_of", [2, ["Lagos", "Cairo city"]], "Cairo."),
        ("starts_with", "the largest", "The largest"),
        ("matches", r"Lagos.{0,5}Nigeria", "Nigeria"),
        ("imatches", r"^\s*(?:cairo|Kinshasa)$", "Cairo"),
        ("matches_all_of", ["Nigeria$", "Accra"], "Nigeria"),
    ],
)
def test_the_closest_passage_is_where_most_of_it_stands(name: str, args: Data, passage: str) -> None:
    near = closest_passage(FunctionCall(name, args), ANSWER)
    assert near is not None
    assert near.span.of(ANSWER) == passage


def test_of_a_pattern_a_part_that_is_nowhere_is_named() -> None:
    near = closest_passage(FunctionCall("matches", r"Lagos.{0,50}(?:Togo|Republic of Benin)"), ANSWER)
    assert near is not None
    assert (near.span.of(ANSWER), near.missing) == ("Lagos", "Republic of Benin")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("contains", "Kinshasa"),
        ("contains", "is"),
        ("contains_any_of", []),
        ("matches", r"^\d+$"),
        ("matches", "Lagos("),
        ("word_count_between", [1, 5]),
        ("js", "r.includes('Lagos')"),
    ],
)
def test_what_is_nowhere_near_has_no_closest_passage(name: str, args: Data) -> None:
    assert closest_passage(FunctionCall(name, args), ANSWER) is None
