"""Patterns that only an answer of one line matches."""

from __future__ import annotations

import pytest

from engine.functions.v8 import JavaScript
from tests.engine.rule_reports import HEAD, fixed, found, only, should, underlined

SLUG = "line-bound-pattern"


@pytest.mark.parametrize(
    ("pattern", "run"),
    [
        ("^.*rent.*$", ".*"),
        ("^Answer: .*$", ".*"),
        ("^.+ is due$", ".+"),
        ("^.*rent", ".*"),
        ("rent.*$", ".*"),
        ("rent.*?$", ".*?"),
        ("^(?=.*rent)(?=.*fee)", ".*"),
        ("(?=.*rent)(?=.*fee)", ".*"),
        ("(^.*rent.*$)", ".*"),
        ("^no$|^.*rent.*$", ".*"),
        (r"^Why: .*\nFee: \d+$", ".*"),
    ],
)
def test_a_run_that_is_bound_to_one_line_is_underlined(pattern: str, run: str, javascript: JavaScript) -> None:
    assert underlined(should(f"$matches: '{pattern}'"), SLUG, javascript) == run


@pytest.mark.parametrize(
    "pattern",
    [
        "rent.*fee",
        "^Yes",
        "done$",
        r"^[\s\S]*rent",
        r"^[^\n]*$",
        "^.{1,30}$",
        r"^(?:.*\n)*.*rent",
        "rent",
        "^a.*b",
        "^.rent",
    ],
)
def test_a_pattern_that_other_lines_do_not_break_is_left_alone(pattern: str, javascript: JavaScript) -> None:
    assert found(should(f"$matches: '{pattern}'"), SLUG, javascript) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "Which one? Answer with only the letter.",
        "Write one line about bread.",
        "Say it in a single sentence.",
        "Reply with just the number.",
    ],
)
def test_a_prompt_for_one_line_may_be_checked_as_one_line(prompt: str, javascript: JavaScript) -> None:
    text = should("$matches: '^.*B.*$'").replace("prompt: q", f"prompt: '{prompt}'")
    assert found(text, SLUG, javascript) == []


def test_the_message_shows_an_answer_that_matches_and_one_that_does_not(javascript: JavaScript) -> None:
    one = only(should("$imatches: '^.*nairobi.*$'"), SLUG, javascript)
    assert one.message == (
        "`.` is never a line break, so this fits one line only: "
        "“yes indeed nairobi yes indeed” matches, “yes indeed↵nairobi yes indeed” does not"
    )


@pytest.mark.parametrize(
    ("before", "number", "after"),
    [
        ("'^.*rent.*$' # c", 0, "'rent' # c"),
        ("'^.*rent.*$'", 1, r"'^[\s\S]*rent[\s\S]*$'"),
        ("'^.*rent'", 0, "'rent'"),
        ("'rent.*$'", 0, "'rent'"),
        ("'^Answer: .+$'", 0, r"'^Answer: [\s\S]+$'"),
        ("'^(?=.*rent)(?=.*fee)'", 0, r"'^(?=[\s\S]*rent)(?=[\s\S]*fee)'"),
    ],
)
def test_a_pattern_is_unbound(before: str, number: int, after: str, javascript: JavaScript) -> None:
    assert fixed(should(f"$matches: {before}"), SLUG, number, javascript) == should(f"$matches: {after}")


def test_no_fix_is_offered_that_the_ideal_would_fail(javascript: JavaScript) -> None:
    text = f"{HEAD}  ideal: 'Due: rent'\n  should:\n    - $matches: '^.*: rent$'\n"
    for number in range(len(only(text, SLUG, javascript).fixes)):
        assert "ideal-fails" not in fixed(text, SLUG, number, javascript)


@pytest.mark.parametrize("block", ["should_not:\n    - $matches", "should:\n    - $not_matches"])
def test_what_is_forbidden_is_missed_on_two_lines(block: str, javascript: JavaScript) -> None:
    one = only(f"{HEAD}  {block}: '^.*rent.*$'\n", SLUG, javascript)
    assert one.why.startswith("What is forbidden is not found")


def test_without_v8_nothing_is_claimed() -> None:
    assert found(should("$matches: '^.*rent.*$'"), SLUG) == []
