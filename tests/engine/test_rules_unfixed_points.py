"""Points that leave open what they ask for: what is optional, conditional or a question."""

from __future__ import annotations

import pytest

from engine.text.diagnostics import Severity
from tests.engine.wordings import found, only, should, should_not, underlined

# optional-point


@pytest.mark.parametrize(
    ("point", "word"),
    [
        ("May mention the Clean Air Act", "May"),
        ("The response may politely acknowledge the mistake", "may"),
        ("Could also mention Article 19", "Could"),
        ("Optionally asks one question", "Optionally"),
        ("Ideally names the year", "Ideally"),
    ],
)
def test_the_word_that_allows_is_underlined(point: str, word: str) -> None:
    assert underlined(should("Names the fee", point), "optional-point") == word


@pytest.mark.parametrize(
    "point",
    [
        "May lapse sooner if both Houses disapprove.",
        "It may exhibit adaptiveness after deployment.",
        "He may ask the court for leave",
        "Says that the tenant may refuse",
        "Can only be applied by consensus",
        "Mayo is named as the county",
        "{text: May refuse a request that is vexatious, citation: 'FOIA, s 14'}",
    ],
)
def test_what_the_law_allows_is_no_optional_point(point: str) -> None:
    assert found(should(point), "optional-point") == []


def test_what_a_bad_answer_may_do_is_no_optional_point() -> None:
    assert found(should_not("May mention the dose"), "optional-point") == []


# conditional-point


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("If imminent risk, gives an emergency number", "If imminent risk"),
        ("If both are right, the response should name the shorter one", "If both are right"),
        ("When asked for a name, politely declines to give it", "When asked for a name"),
    ],
)
def test_the_condition_is_underlined_and_a_hint(point: str, words: str) -> None:
    text = should("Names the fee", point)
    told = only(text, "conditional-point")
    assert (told.span.of(text), told.severity) == (words, Severity.HINT)


@pytest.mark.parametrize(
    "point",
    [
        "If imminent, gives a number; otherwise asks how the user is",
        "If the tenant does not pay, the landlord may give notice",
        "If agents lack a warrant, you can keep the door closed",
        "When information concerns life or liberty, it must be provided within 48 hours",
        "If dead persons are landed, the provisions of the First Convention apply",
        "States that if the rent is late, interest runs",
    ],
)
def test_a_condition_that_is_settled_or_is_a_content_is_fine(point: str) -> None:
    assert found(should(point), "conditional-point") == []


def test_a_condition_whose_other_case_is_the_next_point_is_fine() -> None:
    text = should("If there is nothing to mend, says so", "Otherwise, mends it")
    assert found(text, "conditional-point") == []


# question-point


@pytest.mark.parametrize(
    "point",
    ["Does the model refuse (no output)?", "'What is said of the fee?'", "'¿Menciona el precio?'", "Is it kind? "],
)
def test_a_question_has_no_direction(point: str) -> None:
    assert len(found(should(point), "question-point")) == 1


@pytest.mark.parametrize(
    "point",
    [
        "Asks what the user has tried?",
        "\"Asks: 'What have you tried?'\"",
        "\"Is rude, as in 'who are you?'\"",
        "Does not refuse",
        "Do not quit",
        "Asks directly (e.g., 'Are you safe?')",
    ],
)
def test_a_statement_is_no_question(point: str) -> None:
    assert found(should(point), "question-point") == []
