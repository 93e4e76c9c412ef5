"""Anchors by the ten thousands: which of them are used is found in one walk over the text."""

from __future__ import annotations

from engine.parsing import parse
from engine.rules import Checker
from engine.rules.registry import rules_of
from engine.rules.yaml_traps import text_signs
from tests.many_cases import every
from tests.processor_time import costs_less_than


def unused(text: str) -> list[str]:
    """The anchors that are reported as unused."""
    return [
        each.span.of(text) for each in Checker(rules_of(text_signs)).check(parse(text)) if each.slug == "unused-anchor"
    ]


def test_ten_thousand_anchors_are_checked_in_time() -> None:
    text = "- id: a\n  prompt: b\n  should:\n" + "".join(f"    - &a{number} x\n" for number in range(10_000))
    parsed = parse(text)
    with costs_less_than(2):
        assert len(Checker(rules_of(text_signs)).check(parsed)) == 10_000


@every("use", ["*R", "[*R, x]", "'see *R.'", "{k: *R}"])
def test_an_anchor_that_is_named_anywhere_is_used(use: str) -> None:
    assert unused(f"- id: a\n  prompt: &R D asks\n  should:\n    - {use}\n") == []


@every("use", ["*Rx", "R", "'* R'", "x"])
def test_an_anchor_that_another_name_begins_with_is_not(use: str) -> None:
    assert "&R" in unused(f"- id: a\n  prompt: &R D asks\n  ideal: &Rx y\n  should:\n    - {use}\n")
