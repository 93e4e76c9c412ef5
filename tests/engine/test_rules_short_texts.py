"""Rules about short texts, and about texts that differ in case alone."""

from __future__ import annotations

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from tests.engine.rule_reports import HEAD, fixed, found, only, should

# short-substring


@pytest.mark.parametrize(
    "point",
    [
        "$icontains: 'no'",
        "$contains: D",
        "$contains: 'her'",
        "$not_icontains: not",
        "$matches: '3'",
        "$icontains_any_of: [not, certainly]",
        "$contains_at_least_n_of: [1, [use, apple]]",
    ],
)
def test_a_text_that_other_words_hold_is_told(point: str) -> None:
    assert len(found(should(point), "short-substring")) == 1


@pytest.mark.parametrize(
    "point",
    [
        "$contains: USA",
        "$contains: (B)",
        "$icontains: 東京",
        "$icontains: 😀",
        "$icontains: ไทย",
        "$icontains: true",
        "$contains: '1984'",
        "$contains: '42'",
        "$icontains_word: 'no'",
        r"$matches: '\b3\b'",
        "$starts_with: A",
        "$icontains: né",
        "$contains: 'zyx'",
        "$contains_any_of: x",
        "$contains: 1.5",
    ],
)
def test_a_text_that_stands_for_itself_is_not(point: str) -> None:
    assert found(should(point), "short-substring") == []


def test_two_digits_are_told_only_with_a_number_of_the_prompt_or_its_ideal() -> None:
    text = "- id: p\n  prompt: Is it 42 or 142?\n  should:\n    - $contains: '42'\n"
    assert "“142”" in only(text, "short-substring").message


def test_a_form_of_the_same_word_is_no_accident() -> None:
    text = "- id: p\n  prompt: Do bees dance?\n  should:\n    - $icontains: bee\n"
    assert "“bees”" not in "".join(one.message for one in found(text, "short-substring"))


def test_a_word_that_only_begins_alike_is_named() -> None:
    text = "- id: p\n  prompt: Is it a rat? Name the rats rather than the ratio.\n  should:\n    - $icontains: rat\n"
    assert "“rather”" in only(text, "short-substring").message


def test_a_short_text_is_fine_where_another_check_holds_the_whole_answer() -> None:
    assert found(should("$matches: '^[1-4]$'", "$matches: '3'"), "short-substring") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$icontains: 'no' # c", "$icontains_word: 'no' # c"),
        ("$contains: '4'", "$contains_word: '4'"),
        ("$not_icontains: not", "$not_icontains_word: not"),
        ("$icontains: B", "$icontains_word: B"),
        ("$icontains_any_of: [yes, 'no']", r"$imatches: '\b(?:yes|no)\b'"),
        ("$contains_all_of: [her, 'blue'] # c", r"$matches_all_of: ['\bher\b', '\bblue\b'] # c"),
        ("$icontains_at_least_n_of: [1, [use, nut]]", r"$imatch_at_least_n_of: [1, ['\buse\b', '\bnut\b']]"),
    ],
)
def test_a_short_text_is_looked_for_as_a_word(before: str, after: str) -> None:
    assert fixed(should(before), "short-substring") == should(after)


def test_the_word_form_of_the_letter_a_is_not_offered() -> None:
    assert only(should("$icontains: A"), "short-substring").fixes == ()


def asked(prompt: str, point: str, ideal: str = "") -> str:
    written = f"  ideal: {ideal}\n" if ideal else ""
    return f"- id: a\n  prompt: {prompt}\n{written}  should:\n    - {point}\n"


def short_titles(text: str) -> list[str]:
    return [fix.title for fix in only(text, "short-substring").fixes]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (asked("Do they know it?", "$icontains: 'no'"), "“no” is also found in “know”, a word of this prompt"),
        (
            asked("Is it so?", "$icontains: 'no'", "Nobody says so."),
            "“no” is also found in “Nobody”, a word of the ideal",
        ),
        (asked("Is it so?", "$icontains: 'no'"), "“no” is also found in “another”, a common word"),
        (asked("Is it 12 or 3?", "$contains: '2'"), "“2” is also found in “12”, a number of this prompt"),
        (asked("Is it so?", "$contains: '7'"), "“7” is also found in “17”, a common number"),
        (asked("Gilt das dafür?", "$icontains: für"), "“für” is also found in “dafür”, a word of this prompt"),
    ],
)
def test_the_word_that_holds_a_short_text_is_named_and_whose_it_is(text: str, message: str) -> None:
    assert only(text, "short-substring").message == message


@pytest.mark.parametrize(
    "prompt",
    [
        "Which option is it? Answer with only the letter.",
        "Which option is it? Your response should be 'A'.",
        "Which option is it? Reply with just the letter, without any explanation.",
        "Give the letter only, nothing else.",
    ],
)
def test_the_letter_alone_is_offered_where_the_prompt_asks_for_it_alone(prompt: str) -> None:
    assert short_titles(asked(prompt, "$icontains: B")) == [
        "the answer is “B” alone: $imatches", "as a whole word: $icontains_word",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "prompt",
    [
        "Which option is it?",
        "Which option is it? Think step by step.",
        "Think step by step, then answer with only the letter.",
        "Which option is it? Explain your choice.",
        "Which option is it? Show your work and end with the letter.",
        "Which option is it, and why?",
    ],
)
def test_the_letter_alone_is_not_offered_where_an_ordinary_answer_says_more(prompt: str) -> None:
    assert short_titles(asked(prompt, "$icontains: B")) == ["as a whole word: $icontains_word"]
    assert short_titles(asked(prompt, "$icontains: A", "A")) == []


def test_a_fix_that_the_ideal_does_not_pass_is_not_offered() -> None:
    only_letter = "Answer with only the letter."
    assert short_titles(asked(only_letter, "$icontains: B", "It is B")) == ["as a whole word: $icontains_word"]
    assert short_titles(asked("How many?", "$contains: '4'", "The 4th one.")) == []
    assert short_titles(asked("Is it?", "$not_icontains: 'no'", "It is no bird.")) == []


def test_a_short_text_of_a_definition_is_held_by_common_words_only() -> None:
    text = f"point_defs:\n  one: {{$icontains: 'no'}}\n---\n{should('$ref: one')}"
    assert only(text, "short-substring").message == "“no” is also found in “another”, a common word"


# case-alone


def test_only_its_case_makes_a_check_miss_the_ideal(javascript: JavaScript) -> None:
    text = f"{HEAD}  ideal: It is Nairobi.\n  should:\n    - $contains: nairobi # c\n"
    assert found(text, "ideal-fails", javascript) == []
    assert fixed(text, "case-alone", javascript=javascript) == text.replace("$contains", "$icontains")


def test_an_ideal_that_fails_whatever_the_case_is_not_a_matter_of_case(javascript: JavaScript) -> None:
    text = f"{HEAD}  ideal: It is Nairobi.\n  should:\n    - $contains: mombasa\n"
    assert found(text, "case-alone", javascript) == []
    assert len(found(text, "ideal-fails", javascript)) == 1


WRITTEN_LAST = """\
- id: a
  messages:
    - user: What is the capital of Kenya?
    - assistant: It is Nairobi.
  should: [$contains: nairobi, $contains: Mombasa]
"""


def test_the_written_answer_that_is_judged_is_looked_at_too(javascript: JavaScript) -> None:
    [missed] = [each for each in check(parse(WRITTEN_LAST), javascript) if each.slug == "case-alone"]
    assert missed.message == "the answer that is written last fails this only by its case: $icontains passes"


def test_a_check_that_misses_both_by_its_case_is_told_once(javascript: JavaScript) -> None:
    both = WRITTEN_LAST + "  ideal: Nairobi.\n"
    [missed] = [each for each in check(parse(both), javascript) if each.slug == "case-alone"]
    assert "the prompt's own ideal" in missed.message


@pytest.mark.parametrize("check", ["$icontains: red", "$icontains: yes", "$contains: fig", "$contains: '42'"])
def test_a_text_that_hardly_an_answer_holds_by_accident_is_not_reported(check: str) -> None:
    assert found(asked("Is it so?", check), "short-substring") == []


def test_the_number_of_an_option_is_not_looked_for_in_other_numbers() -> None:
    text = "- id: p\n  prompt: |\n    Which?\n    1. Lima\n    2. Quito\n  should: [{$contains: '1'}]\n"
    assert found(text, "short-substring") == []
