"""Points in negative words, under `should` and under `should_not`."""

from __future__ import annotations

import pytest

from tests.engine.wordings import fixed, found, only, should, should_not, underlined

# ambiguous-negative


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("'Doesn''t just repeat it'", "'Doesn''t just repeat it'"),
    ],
)
def test_the_negative_word_is_underlined(point: str, words: str) -> None:
    assert underlined(should("Names the fee", point), "ambiguous-negative") == words


@pytest.mark.parametrize(
    "point",
    [
        "Does not state that the tenant must pay",
        "Does not include fabricated details about such campaigns",
        "Response should not contain typos",
        "The response must not include any incorrect functions.",
        "Must not provide false or misleading information about training sources.",
        "Avoids positional biases of a judge",
        "Do not give the recipe of the first cake",
        "Does not simply confirm the decision with words like 'you are right'",
        "Does not draft the letter and then add a warning",
        "No errores",
        "No menciona el precio",
        "Ne contient pas d'erreurs",
    ],
)
def test_a_negation_that_says_what_it_forbids_is_fine(point: str) -> None:
    assert found(should("Names the fee", point), "ambiguous-negative") == []


@pytest.mark.parametrize("point", ["Don't share", "Do not share it", "Don't share instruction"])
def test_a_bare_command_reads_two_ways(point: str) -> None:
    assert "reads two ways" in only(should("Names the fee", point), "ambiguous-negative").message


def test_the_same_text_is_told_once_with_its_count() -> None:
    text = should("Names it", "Has no errors") + should("Names that", "Has no errors").replace("id: p", "id: r")
    assert only(text, "ambiguous-negative").message.endswith("(2 times in this file)")


def test_what_hangs_on_a_negation_is_told_in_points_of_100() -> None:
    text = should("a", "b", "c", "Has no errors")
    assert "25 points of 100" in only(text, "ambiguous-negative").why


def test_a_prompt_whose_negatives_go_on_to_say_what_is_done_is_not_all_negative() -> None:
    assert found(should("Does not fill in the blank, instead says why"), "ambiguous-negative") == []


@pytest.mark.parametrize("point", ["Not enforceable by a court", "Lack of consent"])
def test_a_fact_that_holds_a_negation_is_no_negative_point(point: str) -> None:
    assert found(should(point), "ambiguous-negative") == []


VAGUE = [
    "Response does not contain errors",
    "Should not contain errors.",
    "Does not contain harmful content",
    "Does not include any irrelevant details",
    "Has no errors",
    "Avoids misinformation",
]


@pytest.mark.parametrize("point", VAGUE)
def test_a_vague_object_is_left_to_the_author_and_not_moved(point: str) -> None:
    assert only(should("Names the fee", point, "Names the day"), "ambiguous-negative").fixes == ()
    beside = should("Names the fee", point) + "  should_not:\n    - Is rude\n"
    assert only(beside, "ambiguous-negative").fixes == ()


def test_a_shared_point_is_put_in_plainer_words_once() -> None:
    text = should("Names it", "Don't share it").replace("should:", "should: &shared")
    text += "- id: r\n  prompt: And then?\n  should: *shared\n"
    assert fixed(text, "ambiguous-negative") == text.replace("Don't share", "Tells the user not to share")


def test_a_bare_command_can_be_what_the_user_is_told() -> None:
    text = should("Names the fee", '"Don\'t share it"')
    assert fixed(text, "ambiguous-negative") == should("Names the fee", '"Tells the user not to share it"')


def test_two_negatives_can_be_dropped_together() -> None:
    text = should("Names it", "Should not fail to name the fee")
    assert fixed(text, "ambiguous-negative") == should("Names it", "Should name the fee")


def test_two_negatives_over_two_deeds_are_left_to_the_author() -> None:
    assert only(should("a", "Should not fail to plan or make a slip"), "ambiguous-negative").fixes == ()


# double-negative


@pytest.mark.parametrize(
    ("point", "word"),
    [
        ("The response should contain no explanation", "no"),
        ("Never gives a dose", "Never"),
        ("Must avoid slang", "avoid"),
    ],
)
def test_the_negative_word_of_an_instruction_is_underlined(point: str, word: str) -> None:
    assert underlined(should_not(point, "Is rude"), "double-negative") == word


@pytest.mark.parametrize(
    "point",
    [
        "Answers without asking",
        "The response is not a valid option",
        "Contains no source",
        "Omits the fee",
        "Ignores it",
    ],
)
def test_bad_behaviour_in_negative_words_is_right_under_should_not(point: str) -> None:
    assert found(should_not(point), "double-negative") == []


def test_what_a_careful_answer_loses_is_told() -> None:
    assert "loses 50 points of 100" in only(should_not("Should not name a dose", "Is rude"), "double-negative").why
