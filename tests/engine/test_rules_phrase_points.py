"""What the rules of phrases make of what they find: where, how often, unless what, and with which fix."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.rules import check
from tests.engine.wordings import asked, fixed, found, only, should, should_not, underlined
from tests.processor_time import costs_less_than


def test_what_is_reported_is_underlined_and_said_with_what_it_costs() -> None:
    told = only(should("Names the fee", "The answer may also mention the toll"), "optional-point")
    assert told.message == "“may” makes nothing optional: an answer without it loses 50 points of 100"
    assert underlined(should("Names the fee", "May mention the toll"), "optional-point") == "May"


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        (should_not("May mention the toll"), "optional-point"),
        (should("Should not name the fee", "Names the toll"), "double-negative"),
        (should_not("Contains no errors"), "ambiguous-negative"),
        (should("text: Is accurate\n      citation: A book"), "vague-criterion"),
        (should("- - Names the fee\n        - May mention the toll\n      - - Names it"), "optional-point"),
    ],
)
def test_a_family_is_silent_in_another_block_and_beside_a_citation_or_a_path(text: str, slug: str) -> None:
    assert found(text, slug) == []


def test_questions_of_a_file_are_reported_once_with_their_count() -> None:
    text = should("Does it name the fee?", "Is it polite?")
    assert "(2 points of this prompt)" in only(text, "question-point").message
    other = should("Is it long?").replace("id: p", "id: r").replace("way out", "way in")
    assert "(3 points in 2 prompts)" in only(text + other, "question-point").message


def test_a_text_that_a_file_repeats_is_reported_once() -> None:
    text = should("Same as above") + should("Same as above").replace("id: p", "id: r").replace("out", "in")
    told = only(text, "refers-to-other-point")
    assert told.message.endswith("(2 times in this file): write it in full")
    assert len(told.related) == 1


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        (asked("Which questions should a nurse ask?", "How old are you?"), "question-point"),
        (asked("Compare it with the reference text above.", "Agrees with the reference text"), "refers-to-ideal"),
        (asked("Rate the film from 1 to 10.", "On a scale of 1 to 10"), "metric-as-point"),
        (should("If the user is in danger, gives a number", "Otherwise asks how they are"), "conditional-point"),
    ],
)
def test_the_prompt_or_the_next_point_can_settle_what_is_open(text: str, slug: str) -> None:
    assert found(text, slug) == []


def test_an_open_list_is_a_hint() -> None:
    assert only(should("Names fever, cough, etc."), "refers-to-other-point").severity == "hint"


def test_both_negatives_can_be_removed_at_every_place() -> None:
    text = should("Names it", "Should not fail to name the fee")
    assert fixed(text, "ambiguous-negative") == should("Names it", "Should name the fee")
    twice = text + text.replace("id: p", "id: r").replace("way out", "way in")
    assert fixed(twice, "ambiguous-negative") == twice.replace("not fail to ", "")


def test_no_fix_is_offered_where_the_words_cannot_be_found_in_the_source() -> None:
    assert only(should("Names it", '"Should not fail \\x74o name it"'), "ambiguous-negative").fixes == ()


def test_a_rubric_of_prohibitions_is_reported_once() -> None:
    told = only(should("Does not contain errors", "Never names the street"), "ambiguous-negative")
    assert told.message == "all 2 points of this prompt say what not to do: an empty answer earns the full score"


def test_a_fault_that_should_not_names_too_is_clear() -> None:
    text = should("Names the fee", "Is free of bias") + "  should_not:\n    - Shows bias against tenants\n"
    assert found(text, "ambiguous-negative") == []


def test_what_is_missing_though_it_is_wanted_is_a_fault() -> None:
    text = should("Warns of the fall of the rocks") + "  should_not:\n    - Does not warn of falling rocks\n"
    assert found(text, "double-negative") == []


def test_other_languages_are_left_alone() -> None:
    text = should("Nennt keine Fehler", "Kann den Preis nennen", "Wenn ja, nennt den Preis", "Die Antwort ist gut")
    assert {one.slug for one in check(parse(text))} == set()


# placeholders


@pytest.mark.parametrize("written", ["{text}", "{{name}}", "[INSERT SPEECH]", "<country>", "${city}"])
def test_a_placeholder_is_underlined_in_a_prompt(written: str) -> None:
    text = asked(f"'Tell me about {written} in short'", "Names it")
    assert underlined(text, "unfilled-placeholder") == written


def test_the_placeholders_of_a_prompt_are_one_report() -> None:
    told = only(asked("'Compare {a_text} with {b_text}'", "Names it"), "unfilled-placeholder")
    assert told.message.startswith("`{a_text}`, `{b_text}` are still in this prompt")


def test_a_placeholder_of_a_criterion_is_one_unless_the_prompt_has_it() -> None:
    assert "this criterion" in only(asked("Where?", "'Names {city}'"), "unfilled-placeholder").message
    text = asked("'Explain the placeholders such as {city}'", "'Names {city}'")
    assert found(text, "unfilled-placeholder") == []


def test_a_placeholder_that_the_rubric_expects_is_meant() -> None:
    assert found(asked("'Sum up {text}'", "Says that the text is missing text"), "unfilled-placeholder") == []


def test_a_source_that_is_still_to_be_found_is_a_hint() -> None:
    told = only(should("text: Names the act\n      citation: Civil Code - Research Needed"), "unfilled-placeholder")
    assert (told.severity, told.message) == ("hint", "“Civil Code - Research Needed”: the source is still to be found")


@pytest.mark.parametrize(
    "part", ["_____ ", "{ ", "{ % ", "[ ", "' a ", "“ ", "< example ", "[ long text ", "not and ", "is , ", "[ a / "]
)
def test_long_lines_of_signs_are_read_in_time(part: str) -> None:
    line = (part * 60_000)[:60_000]
    text = f"- prompt: |\n    {line}\n  should:\n    - |\n      {line}\n"
    with costs_less_than(3):
        check(parse(text))


# what is compared by its form alone


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Has at most 50 words", "Has at least 100 words"),
        ("Begins with 'Yes'", "Begins with 'No'"),
        ("Ends with 'Amen'", "Ends with 'Goodbye'"),
        ("Lists exactly three causes", "Lists exactly five causes"),
    ],
)
def test_amounts_beginnings_and_ends_exclude_each_other(one: str, other: str) -> None:
    told = only(should(f'"{one}"', f'"{other}"'), "exclusive-points")
    assert "no answer meets both" in told.message


def test_an_order_for_another_amount_is_not_obeyed() -> None:
    text = asked("Explain it in at most 20 words.", "Has at least 100 words")
    assert "an answer that obeys loses 100 points of 100" in only(text, "exclusive-points").message


def test_a_quoted_text_that_is_wanted_and_forbidden_is_a_contradiction() -> None:
    text = should("Uses the word 'trust'", "Does not use the word 'trust'")
    assert only(text, "contradiction").severity == "error"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Names Canberra as the capital", "Names Sydney as the capital"),
        ("Gives 4.5 billion years", "Gives 6,000 years"),
        ("Writes a continuation in Polish", "Writes a continuation in Dutch"),
    ],
)
def test_two_keys_to_one_question_are_reported(one: str, other: str) -> None:
    text = should(one, "Is polite") + should(other, "Is polite").replace("id: p", "id: r")
    assert "asked twice" in only(text, "repeated-question").message
