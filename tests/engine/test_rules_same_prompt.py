"""Prompts with the same conversation and rubrics of which no answer meets both."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.text.diagnostics import Diagnostic
from tests.engine.rule_reports import reported

SLUG = "same-prompt-other-expectation"


def prompt(name: str, rubric: str, question: str = "prompt: What is a ballot?") -> str:
    lines = "".join(f"  {line}\n" for line in f"{question}\n{rubric}".splitlines())
    return f"- id: {name}\n{lines}"


def should(*points: str) -> str:
    return "should:\n" + "".join(f"  - {point}\n" for point in points)


def found(*prompts: str) -> list[Diagnostic]:
    return reported(parse("".join(prompts)), SLUG)


SHORT = prompt("short", should("Names an election", "Has at most 40 words"))
LONG = prompt("long", should("Has 200 words"))


def test_it_shows_the_other_prompts_line_and_the_words_that_exclude_each_other() -> None:
    [one] = found(SHORT, LONG)
    assert one.message == (
        "the same conversation as in line 1 (`short`), and no answer meets both: “at most 40 words” there, "
        "“Has 200 words” here"
    )


def test_both_points_and_the_other_prompt_are_related() -> None:
    [one] = found(SHORT, LONG)
    assert [related.span.of(SHORT + LONG) for related in one.related] == [
        "short",
        "Has at most 40 words",
        "Has 200 words",
    ]
    assert one.span.of(SHORT + LONG) == "long"


def test_a_conversation_is_reported_once_with_its_count() -> None:
    [one] = found(SHORT, LONG, prompt("de", should("Has 90 words")))
    assert "3 times in this file" in one.message
    assert [related.message for related in one.related][3:] == ["the same conversation again"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (should("$contains: assembly"), f"{should('Names a box')}should_not:\n  - $icontains: assembly\n"),
        (should("Names a box"), "should_not:\n  - Names a box\n"),
        (should("$starts_with: 'Yes'"), should("$starts_with: 'No'")),
        (should("$word_count_between: [1, 40]"), should("$word_count_between: [200, 400]")),
        (should("$word_count_between: [1, 40]"), should("Has at least 200 words")),
        (should("$is_json: true"), should("$not_is_json: true")),
        ("ideal: '206'\n" + should("$contains: '206'"), "ideal: '208'\n" + should("$contains: '208'")),
        ("ideal: '206'\n" + should("Is the same as the ideal"), "ideal: '208'\n" + should("Equals the ideal")),
        (should("- Has 20 words\n    - Names a box", "- Has 30 words"), should("Has 40 words")),
    ],
)  # fmt: skip
def test_rubrics_that_cannot_both_be_met_are_reported(first: str, second: str) -> None:
    assert len(found(prompt("one", first), prompt("two", second))) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (should("Names a box"), should("Names an election")),
        (should("$contains: box"), should("$contains: election")),
        (should("$contains: '206'"), should("$contains: '208'")),
        (should("The answer is in French"), should("The answer is in German")),
        (should("Has 20 words"), should("Has 20 words", "Names a box")),
        (should("- Has 20 words", "- Has 30 words"), should("Has 30 words")),
        ("ideal: A box for papers\n" + should("Names a box"), "ideal: A paper\n" + should("Names a paper")),
        ("should_not:\n  - Has 20 words\n", "should_not:\n  - Has 30 words\n"),
        (should("Nennt die Frist"), should("Nennt die Frist nicht")),
    ],
)
def test_an_expectation_that_differs_is_not_enough(first: str, second: str) -> None:
    assert found(prompt("one", first), prompt("two", second)) == []


@pytest.mark.parametrize(
    "question",
    [
        "prompt: What is a ballot box?",
        "system: You talk to a child.\nprompt: What is a ballot?",
        "temperature: 0.9\nprompt: What is a ballot?",
        "requiredTools: [dictionary]\nprompt: What is a ballot?",
        "messages:\n  - system: Be brief.\n  - user: What is a ballot?",
        "messages:\n  - user: Hello\n  - assistant: null\n  - user: What is a ballot?",
    ],
)
def test_another_conversation_is_silent(question: str) -> None:
    assert found(SHORT, prompt("long", should("Has 200 words"), question)) == []


def test_messages_and_prompt_are_the_same_conversation() -> None:
    again = prompt("long", should("Has 200 words"), "messages:\n  - user: What is a ballot?")
    assert len(found(SHORT, again)) == 1


def test_an_id_that_is_taken_twice_is_reported_as_such_alone() -> None:
    assert found(SHORT, prompt("short", should("Has 200 words"))) == []
