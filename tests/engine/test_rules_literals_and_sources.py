"""Prompts that are graded by literals alone, and points that name no source."""

from __future__ import annotations

import pytest

from engine.diagnostics import Severity
from engine.parsing import parse
from engine.rules import Checker
from engine.rules.registry import rule_named
from tests.engine.wordings import asked, found, only, should

# keyword-only


def test_literals_alone_where_prose_is_asked_for_are_a_hint() -> None:
    told = only(asked("Explain the tides to me.", "$icontains: moon", "$contains: gravity"), "keyword-only")
    assert (told.severity, told.message) == (
        Severity.HINT,
        "this prompt asks for prose but is graded by 2 literals alone: say in words what the answer must contain",
    )


def test_prompts_graded_by_literals_alone_are_told_once_with_their_number() -> None:
    text = asked("Explain the tides.", "$contains: moon") + asked("Why is it dark?", "$contains: sun").replace(
        ": p", ": r"
    )
    assert only(text, "keyword-only").message.startswith("2 prompts of this file, from this one on, ask for prose")


@pytest.mark.parametrize(
    ("prompt", "point"),
    [
        ("Explain the tides.", "Names the moon"),
        ("Explain the tides.", "$matches: mo+n"),
        ("Explain in one word why there are tides.", "$icontains: moon"),
        ("Which of these explains the tides? Answer with A or B.", "$contains: A"),
        ("What is the capital of Kenya?", "$contains: Nairobi"),
        ("Explica las mareas.", "$contains: luna"),
    ],
)
def test_a_literal_is_right_where_a_word_is_asked_for_or_prose_is_graded(prompt: str, point: str) -> None:
    assert found(asked(prompt, point), "keyword-only") == []


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
