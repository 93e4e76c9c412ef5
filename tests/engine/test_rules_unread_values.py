"""What an author wrote and nobody reads, or a check cannot take: keys beside their like, numbers for texts."""

from __future__ import annotations

import pytest

from engine.rules.fixes import fix_text
from tests.engine.rule_reports import HEAD, fixed, found, only, should

POINTS = "  points:\n    - Says why\n"


@pytest.mark.parametrize("key", ["points", "expect", "expectations"])
def test_a_second_list_of_points_is_reported(key: str) -> None:
    text = f"{should('Names it')}  {key}:\n    - Says why\n"
    message = f"`{key}` is not read beside `should`: its points count in no score: move them there"
    assert only(text, "unknown-key").message == message


def test_the_first_list_is_reported_where_the_second_is_read() -> None:
    text = f"{HEAD}{POINTS}  should:\n    - Names it\n"
    assert only(text, "unknown-key").span.of(text) == "points"


def test_a_second_ideal_is_reported() -> None:
    text = f"{should('Names it')}  ideal: A\n  idealResponse: B\n"
    assert only(text, "unknown-key").message == "`idealResponse` is not read beside `ideal`: remove one of the two"


@pytest.mark.parametrize("beside", ["  should:\n", "  should_not:\n    - Blames\n", ""])
def test_one_list_of_points_is_fine(beside: str) -> None:
    reports = found(f"{HEAD}{POINTS}{beside}", "unknown-key")
    assert [one.message for one in reports if "points" in one.message] == []


def test_a_key_is_not_renamed_to_one_that_another_name_takes() -> None:
    assert only(f"{should('Names it')}  point: Says no\n", "unknown-key").fixes == ()


NUMBERS = {
    "$contains: 238": "$contains: '238'",
    "$matches: 0.30": "$matches: '0.30'",
    "$icontains: 2024-01-01": "$icontains: '2024-01-01'",
    "$icontains: true": "$icontains: 'true'",
    "$icontains_any_of: [2019, '2020', 21]": "$icontains_any_of: ['2019', '2020', '21']",
}


@pytest.mark.parametrize(("check", "meant"), NUMBERS.items())
def test_a_number_for_a_text_is_quoted_as_it_is_written(check: str, meant: str) -> None:
    assert fixed(should("Names it", check), "bad-arguments") == should("Names it", meant)


@pytest.mark.parametrize("check", ["$word_count_between: 50", "$contains: [1, 2]", "$contains:"])
def test_an_argument_of_another_shape_has_no_fix(check: str) -> None:
    assert [one.fixes for one in found(should("Names it", check), "bad-arguments")] == [()]


def test_a_weight_of_its_own_is_joined_with_the_point_above() -> None:
    text = should("Names it", "weight: 2")
    assert only(text, "bad-point").message == "`weight` is no point of its own: it belongs to the point above"
    assert fixed(text, "bad-point") == f"{HEAD}  should:\n    - point: Names it\n      weight: 2\n"


def test_a_weight_of_its_own_is_joined_only_by_the_author() -> None:
    text = should("Names it", "weight: 2")
    assert fix_text(text, None).text == text


@pytest.mark.parametrize("verb", ["Cites", "Mentions", "Nennt", "Mentionne"])
def test_a_verb_that_a_colon_parts_from_a_source_is_no_criterion(verb: str) -> None:
    assert "the colon ends the criterion" in only(should(f"{verb}: Housing Act 2004"), "colon-made-citation").message


def test_a_criterion_with_a_source_behind_a_colon_is_a_hint() -> None:
    message = only(should("Names the deadline: Housing Act 2004"), "colon-made-citation").message
    assert message == "“Housing Act 2004” is the citation of this point"


@pytest.mark.parametrize("text", ["Same as above", "As in the previous question", "Same as prompt 1", "Ditto"])
def test_a_criterion_that_refers_to_another_one_is_reported(text: str) -> None:
    assert "a judge sees this one alone" in only(should("Names it", text), "refers-to-other-point").message


@pytest.mark.parametrize("text", ["Says the same as above the line", "Names the line above the point"])
def test_words_on_what_stands_above_are_fine(text: str) -> None:
    assert found(should("Names it", text), "refers-to-other-point") == []


def test_the_words_of_a_measure_are_whole() -> None:
    assert "“Faithfulness >= 0.9” is a measure" in only(should("Faithfulness >= 0.9"), "metric-as-point").message


LEVELS = ("Score 5 – both sides are named", "Score 3 – one side is named", "Score 1 – neither")


def test_all_levels_of_a_scale_are_counted() -> None:
    text = should(*LEVELS)
    assert only(text, "scale-as-points").message.startswith("these 3 levels")
    assert found(text, "metric-as-point") == []


def test_a_score_alone_is_a_measure() -> None:
    text = should("Names it", "Scores 1 if it drafts a clause")
    assert (len(found(text, "metric-as-point")), found(text, "scale-as-points")) == (1, [])


def test_equal_scores_are_measures() -> None:
    text = should("Scores 1 if it names one side", "Scores 1 if it names the other")
    assert (len(found(text, "metric-as-point")), found(text, "scale-as-points")) == (1, [])
