"""Checks that no answer passes together, and checks against the number of words that a prompt asks for."""

from __future__ import annotations

import json

import pytest

from engine.text.diagnostics import Severity
from tests.engine.rule_reports import found, only, should, underlined

SLUG = "checks-exclude"

APART = [
    ("$starts_with: 'Yes'", "$istarts_with: 'no'"),
    ("$starts_with: 'Yes'", "$starts_with: 'yes'"),
    ("$starts_with: 'Yes'", r"$matches: ^\s*No\b"),
    ("$matches: ^Yes", "$imatches: '^no'"),
    ("$matches: (?i)^yes", "$starts_with: 'No'"),
    ("$ends_with: a.", "$ends_with: b."),
    ("$ends_with: km", r"$matches: '\d+ miles$'"),
    ("$word_count_between: [100, 200]", "$word_count_between: [10, 50]"),
    ("$word_count_between: [1, 3]", "$contains: the best interests of the child"),
    ("$word_count_between: [0, 2]", "$icontains_all_of: [yes, as long as]"),
    ("$is_json: true", "$starts_with: Dear"),
    ("$is_json: true", "$starts_with: '```json'"),
    ("$is_json: true", "$ends_with: regards"),
    ("$is_json: true", "$matches: ^Sure"),
    ("$is_json: true", "$starts_with: 'true'"),
]
TOGETHER = [
    ("$starts_with: 'Yes'", "$starts_with: 'Yes, but'"),
    ("$starts_with: 'Yes'", "$istarts_with: 'yes'"),
    ("$starts_with: 'Yes'", "$matches: ^(?:Yes|No)"),
    ("$starts_with: 'Yes'", "$matches: ^No|Yes"),
    ("$starts_with: 'Yes'", "$matches: ^Yess?"),
    ("$starts_with: 'Ye'", "$matches: ^Yx*e"),
    ("$starts_with: 'Yes'", "$not_starts_with: 'No'"),
    ("$starts_with: 'Yes'", "$ends_with: 'No'"),
    ("$starts_with: 'Yes'", "$contains: 'No'"),
    ("$matches: '^\\d+'", "$starts_with: '4'"),
    ("$word_count_between: [10, 100]", "$word_count_between: [50, 200]"),
    ("$word_count_between: [1, 3]", "$contains: New York City"),
    ("$word_count_between: [1, 3]", "$contains_any_of: [the best interests of the child, child]"),
    ("$is_json: true", "$starts_with: '{'"),
    ("$is_json: true", "$starts_with: ' ['"),
    ("$is_json: true", "$ends_with: '}'"),
    ("$is_json: true", "$contains: Dear"),
    ("$is_json: true", "$word_count_between: [10, 20]"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_checks_that_no_answer_passes_together_are_a_warning(one: str, other: str) -> None:
    for points in ((one, other), (other, one)):
        assert only(should(*points, "Says x"), SLUG).severity is Severity.WARNING


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_checks_that_one_answer_passes_are_left_alone(one: str, other: str) -> None:
    assert [found(should(*points), SLUG) for points in ((one, other), (other, one))] == [[], []]


def test_the_later_check_is_reported_with_the_earlier_one() -> None:
    text = should("$starts_with: 'Yes'", "Says x", "$starts_with: 'No'")
    one = only(text, SLUG)
    assert one.message == "no answer begins with “Yes” and also begins with “No”: one of the two always loses points"
    assert text[one.related[0].span.start :].startswith("$starts_with: 'Yes'")


def test_alternative_paths_do_not_exclude_each_other() -> None:
    assert found(should("- $starts_with: 'Yes'\n      - a", "- $starts_with: 'No'\n      - b"), SLUG) == []


@pytest.mark.parametrize(
    "points",
    [
        ("- $starts_with: 'Yes'\n      - $starts_with: 'No'", "- $is_json: true\n      - b"),
        ("$starts_with: 'Yes'", "- $starts_with: 'No'\n      - a", "- b\n      - c"),
    ],
)
def test_a_check_on_a_path_is_compared_with_that_path_and_the_required_points(points: tuple[str, ...]) -> None:
    assert len(found(should(*points), SLUG)) == 1


def asked(prompt: str, check: object, system: str | None = None) -> str:
    item = {"id": "p", "prompt": prompt, "system": system, "should": ["Says it", check]}
    return json.dumps([{key: value for key, value in item.items() if value is not None}])


LONG, SHORT = {"$word_count_between": [200, 300]}, {"$word_count_between": [1, 5]}
ORDERS = [
    ("Answer in at most 50 words, please.", LONG),
    ("What is a lease? In at most 50 words.", LONG),
    ("Explain it in 50 words.", LONG),
    ("Write a 50-word summary of the Iliad.", LONG),
    ("Write a summary of no more than 50 words.", LONG),
    ("Limit your answer to 50 words.", LONG),
    ("Explain tides (max 50 words).", LONG),
    ("Explain tides in 50 words or less.", LONG),
    ("Keep it under 50 words.", LONG),
    ("In 20 to 40 words: why?", LONG),
    ("Write exactly 3 words.", LONG),
    ("Write at least 1,000 words on tides.", LONG),
    ("Explain it in more than 80 words.", SHORT),
    ("Answer in exactly 2 words.", {"$contains": "the best interests of the child"}),
]
NO_ORDERS = [
    ("Ballots of at most 50 words are legal. Why?", LONG),
    ("Describe each step in at most 50 words.", LONG),
    ("Give 5 words that rhyme with cat.", LONG),
    ("Write a title of at most 8 words, then a text.", LONG),
    ("The poem has 50 words. Explain it.", LONG),
    ("Summarise the 50 words in 300 words.", LONG),
    ("Explain it in 250 words.", LONG),
    ("Answer in fifty words.", LONG),
    ("Answer in at most 250 words.", LONG),
    ("Answer in exactly 3 words.", {"$contains": "New York City"}),
]


@pytest.mark.parametrize(("prompt", "check"), ORDERS)
def test_a_check_that_the_prompt_rules_out_in_figures_is_reported(prompt: str, check: object) -> None:
    assert "obeys" in only(asked(prompt, check), SLUG).message


@pytest.mark.parametrize(("prompt", "check"), NO_ORDERS)
def test_a_number_of_words_that_is_not_that_of_the_answer_is_left_alone(prompt: str, check: object) -> None:
    assert found(asked(prompt, check), SLUG) == []


def test_the_words_of_the_prompt_are_shown() -> None:
    text = asked("What is a lease?", LONG, system="Answer in at most 50 words.")
    one = only(text, SLUG)
    assert one.related[0].span.of(text) == "at most 50 words"
    assert underlined(text, SLUG) == '"$word_count_between"'


@pytest.mark.parametrize("reply", ["Water rises.", None])
def test_only_the_last_message_is_an_order_and_only_for_one_turn(reply: str | None) -> None:
    messages = [{"user": "Explain tides in 5 words."}, {"assistant": reply}, {"user": "Now in detail."}]
    assert found(json.dumps([{"id": "p", "messages": messages, "should": [LONG]}]), SLUG) == []
    messages[-1] = {"user": "Now in 10 words."}
    assert len(found(json.dumps([{"id": "p", "messages": messages, "should": [LONG]}]), SLUG)) == (reply is not None)
