"""What is worth knowing of a check beside its page: marks, case, blanks, and what a pattern's signs mean."""

from __future__ import annotations

import pytest

from engine.blueprint import FunctionCall
from engine.functions import ALL, find
from engine.functions.pages import notes, page, remarks
from engine.functions.point_function import PointFunction
from engine.yaml.nodes import Data


def function(name: str) -> PointFunction:
    found = find(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "args", "told"),
    [
        ("contains_all_of", ["one", "two", "three"], "2 of 3 is 67"),
        ("not_contains_all_of", ["one", "two"], "only if none is found: each of the 2 that is found costs 50"),
        ("matches", "a.b", "any character except a line break"),
        ("matches", "end$", "the end of the response, not of a line"),
        ("imatches", "a  b", "Two spaces together"),
        ("contains", "a  b", "two spaces together"),
        ("contains", "Nairobi", "$icontains ignores it"),
        ("word_count_between", [10, 20], "half of the least"),
    ],
)
def test_a_call_is_remarked_on(name: str, args: Data, told: str) -> None:
    assert any(told in each for each in remarks(FunctionCall(name, args)))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("icontains", "nairobi"),
        ("contains", "1,795"),
        ("imatches", r"\$5\.00"),
        ("imatches", "[.$]"),
        ("icontains_all_of", ["one"]),
        ("contains", 5),
        ("nothing", "x"),
    ],
)
def test_a_plain_call_is_not(name: str, args: Data) -> None:
    assert remarks(FunctionCall(name, args)) == ()


@pytest.mark.parametrize("each", [each for each in ALL if each.name.endswith("_all_of")], ids=lambda each: each.name)
def test_the_page_of_a_graded_list_says_what_a_part_of_it_is_worth(each: PointFunction) -> None:
    assert notes(each)[0] in " ".join(page(each).split())


def test_a_page_says_which_function_ignores_case() -> None:
    assert "$icontains_word ignores it" in page(function("contains_word"))
