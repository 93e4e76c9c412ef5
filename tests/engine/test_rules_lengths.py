"""Checks of length, start and end that the request or the conversation defeats."""

from __future__ import annotations

import pytest

from engine.diagnostics import Severity
from engine.providers.answer_lengths import longest_answer
from engine.providers.chat import USUAL_MAX_TOKENS
from engine.rules.selection import for_weval
from tests.engine.rule_reports import found, only, should

JOINED = "turns-joined"
LIMIT = "beyond-token-limit"


def talk(messages: str, point: str) -> str:
    return f"- id: p\n  messages: [{messages}]\n  should:\n    - Says it\n    - {point}\n"


TWO = "{user: a}, {assistant: null}, {user: b}"


@pytest.mark.parametrize(
    ("point", "tested"),
    [
        ("$starts_with: Sure", "only the start of the first"),
        ("$not_istarts_with: Sure", "only the start of the first"),
        ("$iends_with: '?'", "only the end of the last"),
        ("$word_count_between: [20, 60]", "the words of all of them together"),
        ("$is_json: true", "whether all of them together are JSON"),
        ("$matches: '^Sure'", "only the start of the first"),
        (r"$imatches: '\?$'", "only the end of the last"),
    ],
)
def test_what_a_check_tests_of_joined_answers_is_told(point: str, tested: str) -> None:
    one = only(talk(TWO, point), JOINED)
    assert one.message == f"2 answers are generated here and checked as one text: this tests {tested}"
    assert (one.severity, one.flagged, for_weval(one).severity) == (Severity.WARNING, True, Severity.ERROR)


@pytest.mark.parametrize(
    ("messages", "answers"),
    [
        (f"{TWO}, {{assistant: null}}, {{user: c}}", 3),
        ("{user: a}, {assistant: null}, {user: b}, {assistant: null}", 2),
        ("{user: a}, {assistant: x}, {user: b}, {assistant: null}, {user: c}", 2),
    ],
)
def test_each_generated_answer_counts(messages: str, answers: int) -> None:
    assert only(talk(messages, "$ends_with: '?'"), JOINED).message.startswith(f"{answers} answers are generated")


@pytest.mark.parametrize(
    ("messages", "point"),
    [
        ("{user: a}", "$ends_with: '?'"),
        ("{user: a}, {assistant: x}, {user: b}", "$ends_with: '?'"),
        ("{user: a}, {assistant: null}", "$word_count_between: [1, 5]"),
        (TWO, "$contains: Nairobi"),
        (TWO, "$matches: 'rent|fee'"),
        (TWO, "Ends with a question"),
    ],
)
def test_one_answer_and_checks_that_look_anywhere_are_left_alone(messages: str, point: str) -> None:
    assert found(talk(messages, point), JOINED) == []


# beyond-token-limit


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("$word_count_between: [2500, 4000]", "2,500"),
        ("{fn: word_count_between, arg: [1200, 4000]}", "1,200"),
        ("Has at least 2,000 words", "2,000"),
        ("Is a report of no fewer than 1500 words.", "1,500"),
        ("Has between 2,000 and 3,000 words", "2,000"),
        ("Is 2000-3000 words long", "2,000"),
        ("Has 2,000 to 3,000 words", "2,000"),
        ("Has 2000+ words", "2,000"),
        ("Has 2,000 or more words", "2,000"),
        ("Has 2000 words or more", "2,000"),
        ("Has a minimum word count of 2,000", "2,000"),
        ("Has a minimum length of 2,000 words", "2,000"),
        ("Has exactly 2,000 words", "2,000"),
        (r"$js: 'r.split(/\s+/).length >= 2000'", "2,000"),
        (r"$js: 'r.trim().split(/\s+/).filter(w => w).length > 2000'", "2,000"),
    ],
)
def test_more_words_than_a_request_holds_are_reported(point: str, words: str) -> None:
    message = only(should("Says it", point), LIMIT).message
    assert message.startswith(f"{words} words are about")
    assert "leaves room for 1,500 (about 1,120 words)" in message


@pytest.mark.parametrize(
    "point",
    [
        "$word_count_between: [900, 4000]",
        "$word_count_between: [0, 9999]",
        "Has at most 2,000 words",
        "Names 5000 words",
    ],
)
def test_words_that_fit_are_left_alone(point: str) -> None:
    assert found(should("Says it", point), LIMIT) == []


def custom(parameters: str, rest: str = "") -> str:
    model = f"{{id: 'local:m', url: 'http://localhost:1', modelName: m, inherit: openai, parameters: {parameters}}}"
    return f"models: [{model}{rest}]\n---\n{should('Says it', '$word_count_between: [400, 800]')}"


@pytest.mark.parametrize(
    ("text", "reports"),
    [
        (custom("{max_tokens: 150}"), 1),
        (custom("{max_tokens: 150}", ", openai:gpt-4o"), 1),
        (custom("{max_tokens: 2000}"), 0),
        (custom("{max_tokens: null}"), 0),
        (custom("{}"), 0),
    ],
)
def test_the_limit_of_a_custom_model_counts(text: str, reports: int) -> None:
    assert len(found(text, LIMIT)) == reports


def test_the_model_with_the_least_room_is_named() -> None:
    assert "a request to local:m leaves room for 150" in only(custom("{max_tokens: 150}"), LIMIT).message


def test_several_generated_answers_have_room_for_more() -> None:
    assert found(talk(TWO, "$word_count_between: [2000, 3000]"), LIMIT) == []


def test_a_forbidden_length_is_left_alone() -> None:
    text = should("Says it") + "  should_not:\n    - Has more than 5,000 words\n"
    assert found(text, LIMIT) == []


def test_the_usual_limit_is_that_of_a_request() -> None:
    assert longest_answer("openai:gpt-4o", []) == USUAL_MAX_TOKENS == 1500
