"""What rules say of points that repeat, contradict or exclude one another."""

from __future__ import annotations

from engine.parsing import parse
from engine.rules import check
from tests.engine.rule_reports import only, rubric
from tests.many_cases import every
from tests.processor_time import costs_less_than

# What rules say of points that repeat, contradict or exclude one another


# contradiction


def test_the_same_check_asked_for_and_forbidden_is_found_among_thousands() -> None:
    wanted = [f"$contains: asked {number:04}" for number in range(2_000)]
    forbidden = [f"$contains: barred {number:04}" for number in range(2_000)]
    one = only(rubric([*wanted, "$contains: duty"], [*forbidden, "$contains: duty"]), "contradiction")
    assert len(one.related) == 1


# What the rules of phrases make of what they find: where, how often, unless what, and with which fix


# placeholders


@every(
    "part", ["_____ ", "{ ", "{ % ", "[ ", "' a ", "“ ", "< example ", "[ long text ", "not and ", "is , ", "[ a / "]
)
def test_long_lines_of_signs_are_read_in_time(part: str) -> None:
    line = (part * 60_000)[:60_000]
    text = f"- prompt: |\n    {line}\n  should:\n    - |\n      {line}\n"
    with costs_less_than(3):
        check(parse(text))
