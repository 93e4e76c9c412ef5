"""What rules say of points that repeat, contradict or exclude one another."""

from __future__ import annotations

import json

import pytest

from engine.text.diagnostics import Severity
from engine.text.spans import apply_edits
from tests.engine.rule_reports import HEAD, found, only, rubric, should

# duplicate-point


def test_points_that_aliases_repeat_are_told_once_at_their_place() -> None:
    text = "- id: a\n  prompt: b\n  should: [&x Names it, *x, *x, *x]\n"
    one = only(text, "duplicate-point")
    assert "counted 4 times" in one.message
    assert len(one.related) == 1
    assert one.fixes == ()


def test_the_same_text_again_is_told_with_what_both_weigh() -> None:
    text = should("Names the date", "Says b", "names  the date.", "Says c")
    one = only(text, "duplicate-point")
    assert one.message == "the same criterion as another point: counted twice, it weighs 50% of this score"
    assert (one.span.of(text), one.related[0].span.of(text)) == ("names  the date.", "Names the date")


@pytest.mark.parametrize("again", ['Mentions the "deposit"', "mentions a “deposit”.", "Mentions 'the deposit'"])
def test_quotes_around_a_word_make_no_other_criterion(again: str) -> None:
    assert len(found(should("Mentions the deposit", json.dumps(again), "Says c"), "duplicate-point")) == 1


def test_what_a_repeated_point_weighs_goes_by_weights_and_paths() -> None:
    text = should("{point: a, weight: 3}", "a", "b", "- c\n      - d", "- e")
    assert only(text, "duplicate-point").message.endswith("it weighs 40% of this score")


def test_the_second_of_two_points_can_be_removed() -> None:
    text = should("Says a", "Says b", "Says a")
    [fix] = only(text, "duplicate-point").fixes
    assert (fix.safe, apply_edits(text, fix.edits)) == (False, should("Says a", "Says b"))


def test_a_repeated_point_with_a_comment_is_not_removed() -> None:
    assert only(should("Says a", "Says a # twice"), "duplicate-point").fixes == ()


def test_the_same_check_again_is_told_whatever_name_it_goes_by() -> None:
    assert len(found(should("$contain: a", "Says b", "{fn: contains, arg: a}"), "duplicate-point")) == 1


def test_a_check_and_its_twin_in_the_other_block_are_one_criterion() -> None:
    text = rubric(["Says b", "$not_contains: a"], ["$contains: a"])
    assert len(found(text, "duplicate-point")) == 1


def test_a_point_three_times_is_told_once_with_its_number() -> None:
    one = only(should("a", "a", "a"), "duplicate-point")
    worth = "counted 3 times, graded together, it weighs 100% of this score"
    assert one.message == f"the same criterion as another point: {worth}"
    assert [fix.title for fix in one.fixes] == ["keep the first of the 3"]


def test_a_point_twice_on_one_path_is_told() -> None:
    text = should("- a\n      - b\n      - a", "- c\n      - d")
    assert only(text, "duplicate-point").message.endswith("it weighs double")


@pytest.mark.parametrize(
    "points",
    [
        ["$contains: a", "$contains: A"],
        ["$contains: a", "$starts_with: a"],
        ["$contains: brown FOX", "$icontains: brown fox"],
        ["Says that salt kills yeast", "Says that yeast kills salt"],
        ["Names the class", "Names the clas"],
        ["Names the virus", "Names the viru"],
        ["$contains: a.b", "$matches: a.b"],
        ["$contains_any_of: [a, b]", "$contains_all_of: [a, b]"],
        ["$icontains: vote", "Says that voting is voluntary"],
        ["$icontains: vote", "Mentions the vote, and who may vote"],
        ["$not_icontains: vote", "Mentions the vote"],
        ["- Says a\n      - Says b", "- Says a\n      - Says c"],
        ["Names the first date", "Names the last date"],
    ],
)
def test_points_that_differ_or_stand_on_different_paths_are_not_the_same(points: list[str]) -> None:
    assert found(should(*points), "duplicate-point") == []


@pytest.mark.parametrize(
    "points",
    [
        ["Names the embassy.", "names embassy"],
        ["Says “no” to it", "Says 'no' to it"],
        ["Names a heat of 1,240 °C", "Names heat of 1240 °C."],
        ["Names the harbour master", "Names the harbor master"],
        ["Recommends belts for all pupils", "Recommends belts for all of the pupils"],
        ["Names the ticket machines", "names the ticket machine"],
        ["Names salt and yeast", "Names yeast and salt."],
        ["Summarises the organisation", "Summarizes the organization"],
        ['Says "no" to it', "Says no to it."],
        ["$contains: Lima", "$icontains: lima"],
        ["$icontains: lima", "$imatches: lima"],
        [r"$contains: Lima", r"$matches: '\bLima\b'"],
        [r"$contains: '3.5'", r"$matches: '3\.5'"],
        ["$icontains: lima", "$icontains_any_of: [Lima]"],
        ["$icontains: lima", "$icontains_word: lima"],
        ["$contains_any_of: [a, b]", "$contains_any_of: [b, a]"],
        ["$contains: I’m", "$contains: I'm"],
        ["Mentions the deposit", "$icontains: deposit"],
        ["$icontains: deposit", 'The answer mentions the word "deposit".'],
    ],
)
def test_points_that_differ_in_form_alone_are_the_same(points: list[str]) -> None:
    assert [each.slug for each in found(should(*points), "duplicate-point")] == ["duplicate-point"]


def test_a_repetition_in_another_form_says_so() -> None:
    one = only(should("$contains: Lima", "$icontains: lima", "Says b"), "duplicate-point")
    assert one.message == (
        "the same criterion as another point, in another form: counted twice, it weighs 66.7% of this score"
    )


def test_a_required_point_on_a_path_counts_there_again() -> None:
    text = should("Says a", "- Says b\n      - says a.\n      - Says d", "- Says c\n      - Says e")
    one = only(text, "duplicate-point")
    assert (one.span.of(text), [each.span.of(text) for each in one.related]) == ("says a.", ["Says a"])
    [fix] = one.fixes
    assert apply_edits(text, fix.edits) == text.replace("      - says a.\n", "")


def test_the_last_point_of_a_path_is_not_removed() -> None:
    assert only(should("Says a", "- Says a", "- Says c\n      - Says e"), "duplicate-point").fixes == ()


# contradiction


@pytest.mark.parametrize(
    ("wanted", "forbidden"),
    [
        (["Names the date"], ["names the date."]),
        (["$contains: a"], ["$contains: a"]),
        (["$contains: Duty of care"], ["$icontains: duty"]),
        (["$contains: duty of care"], ["$contains: duty"]),
        (["$icontains: duty of care"], ["$icontains: Duty"]),
        (["$starts_with: Yes"], ["$icontains: yes"]),
        (["$contains_word: duty"], ["$contains: duty"]),
        (["$contains_all_of: [a, duty]"], ["$contains: duty"]),
        (["$contains_any_of: [a, b]"], ["$contains_any_of: [a, b, c]"]),
        (["$contains_any_of: [a, b]"], ["$contains: a", "$contains: b"]),
        (["$matches: '^a'"], ["$matches: '^a'"]),
        (["$is_json: true"], ["$is_json: true"]),
    ],
)
def test_what_is_asked_for_and_forbidden_is_a_contradiction(wanted: list[str], forbidden: list[str]) -> None:
    assert only(rubric([*wanted, "Says z"], forbidden), "contradiction").severity is Severity.ERROR


def test_the_same_check_asked_for_and_forbidden_is_found_among_thousands() -> None:
    wanted = [f"$contains: asked {number:04}" for number in range(2_000)]
    forbidden = [f"$contains: barred {number:04}" for number in range(2_000)]
    one = only(rubric([*wanted, "$contains: duty"], [*forbidden, "$contains: duty"]), "contradiction")
    assert len(one.related) == 1


@pytest.mark.parametrize(
    ("wanted", "forbidden"),
    [
        (["Names the date"], ["Names a wrong date"]),
        (["$contains: duty"], ["$contains: Duty"]),
        (["$contains: duty"], ["$contains: duty of care"]),
        (["$contains: duty"], ["$contains_word: duty"]),
        (["$contains: duty"], ["$starts_with: duty"]),
        (["$contains_any_of: [a, b]"], ["$contains: a"]),
        (["- $contains: a\n      - Says b", "- Says c"], ["$contains: a"]),
        (["$contains_at_least_n_of: [1, [a, b]]"], ["$contains: a"]),
        (["$contains: a"], ["$contains: ''"]),
        (["$contains: a"], ["$contains_all_of: [a, b]"]),
    ],
)
def test_what_an_answer_can_get_around_is_no_contradiction(wanted: list[str], forbidden: list[str]) -> None:
    assert found(rubric([*wanted, "Says z"], forbidden), "contradiction") == []


def test_a_contradiction_within_should_is_told_with_what_is_lost() -> None:
    text = should("$contains: fiduciary duty", "Says b", "Says c", "$not_icontains: fiduciary")
    one = only(text, "contradiction")
    assert one.message == (
        "no answer meets both this and what is asked for above: at least 25 points of 100 are lost whatever it says"
    )
    assert (one.span.of(text), one.related[0].span.of(text)) == ("$not_icontains", "$contains")


def test_of_a_list_only_the_forbidden_part_is_lost() -> None:
    text = should("$contains_all_of: [duty, care]", "$not_contains: duty")
    assert "at least 25 points of 100 are lost" in only(text, "contradiction").message


def test_of_several_that_forbid_an_answer_loses_the_lightest() -> None:
    text = should("{$contains_any_of: [a, b], weight: 6}", "{$not_contains: a, weight: 3}", "$not_contains: b")
    assert "at least 10 points of 100 are lost" in only(text, "contradiction").message


def test_a_contradiction_under_should_not_is_a_double_negation() -> None:
    text = f"{HEAD}  should_not:\n    - $contains: a\n    - $not_contains: a\n"
    assert len(found(text, "contradiction")) == 1


def test_a_contradiction_on_every_path_is_told_once() -> None:
    text = should("$not_contains: a", "- $contains: ab\n      - x", "- $contains: ba\n      - y")
    assert only(text, "contradiction").message.endswith("each of the 2 paths is out of reach like that")


# exclusive-points


@pytest.mark.parametrize(
    "points",
    [
        ["- Refuses to answer\n      - a", "- Answers the question\n      - b"],
        ["Refuses to give the dose", "Answers the question about side effects"],
        ["Refuses to answer", "Refuses the request"],
    ],
)
def test_points_that_one_answer_can_meet_are_left_alone(points: list[str]) -> None:
    assert found(should(*points), "exclusive-points") == []
