"""Points that name no source."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.rules import Checker
from engine.rules.registry import rule_named
from tests.engine.wordings import found, should

# no-citation

CITED = "{text: Names a, citation: Act 1}"


def sources(text: str) -> list[str]:
    rule = rule_named("no-citation")
    assert rule is not None
    return [one.message for one in Checker([rule]).check(parse(text))]


def test_points_without_source_are_not_told_unless_asked_for() -> None:
    assert found(should(CITED, CITED, "Names b"), "no-citation") == []


def test_in_an_evidence_first_blueprint_the_bare_points_are_counted() -> None:
    assert sources(should(CITED, CITED, CITED, "Names b", "Names c")) == [
        "2 of 5 points name no source, from this one on, unlike the others of this file"
    ]


def test_where_nothing_has_a_source_that_is_told() -> None:
    assert sources(should("Names a", "Names b")) == ["no point of this file names a source"]


@pytest.mark.parametrize("point", [CITED, "Names a [cite: 848]", "Names it as Article 9 does", "$contains: a"])
def test_a_source_in_the_text_is_a_source_and_a_check_needs_none(point: str) -> None:
    assert sources(should(point)) == []


def test_the_source_of_a_prompt_is_that_of_its_points() -> None:
    assert sources(should("Names a") + "  citation: Act 1\n") == []
