"""What rules say of alternative paths, with the arithmetic of the very block."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.evaluation.point_assessment import assess_functions
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from engine.scoring.sums import aggregate
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import apply_edits
from tests.engine.rule_reports import reported

HEAD = "- id: p\n  prompt: q\n"


def found(text: str, slug: str) -> list[Diagnostic]:
    return reported(parse(text), slug)


def only(text: str, slug: str) -> Diagnostic:
    [one] = found(text, slug)
    return one


def slugs(text: str) -> set[str]:
    return {one.slug for one in check(parse(text))}


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


def fixed(text: str, slug: str, title: str) -> str:
    fix = next(fix for fix in only(text, slug).fixes if title in fix.title)
    return apply_edits(text, fix.edits)


# single-element-path


def test_a_block_of_single_paths_is_told_what_it_is_worth_beside_several_points() -> None:
    text = should("Says a", "Says b", "- $contains: c", "- $contains: d")
    one = only(text, "single-element-path")
    assert one.message == (
        "any one of these 2 earns it all; the block is 50% of this score, as much as the 2 points beside it"
    )
    assert one.why == "Meeting one of the 2 is worth as much as meeting them all; meeting none costs 50 points of 100."


def test_the_two_dashes_of_a_single_path_are_underlined_and_the_others_are_pointed_at() -> None:
    text = should("- $contains: b", "-   $contains: c", "- $contains: d")
    one = only(text, "single-element-path")
    assert one.span.of(text) == "- -"
    assert [each.span.of(text) for each in one.related] == ["- -", "- -"]


def test_a_single_path_in_flow_style_is_underlined_whole() -> None:
    text = should("[a]", "[b]")
    assert only(text, "single-element-path").span.of(text) == "[a]"


def test_no_fix_of_single_paths_is_applied_unasked() -> None:
    one = only(should("Says x", "- Says a", "- Says b"), "single-element-path")
    assert [(fix.title, fix.safe) for fix in one.fixes] == [("all are needed: flatten", False)]


def test_checks_of_one_weight_and_citation_become_one_that_keeps_both() -> None:
    text = should(*(f"- $contains: {name}\n        weight: 2\n        citation: c" for name in ("a", "it's")))
    after = fixed(text, "single-element-path", "any will do")
    assert after == should("$contains_any_of: ['a', 'it''s']\n      weight: 2\n      citation: c")


def test_checks_of_unlike_weight_stay_apart() -> None:
    text = should("- $contains: a\n        weight: 2", "- $contains: b\n        weight: 3")
    assert not any("any will do" in fix.title for fix in only(text, "single-element-path").fixes)


LITERALS = st.lists(st.sampled_from(["a", "B", "ab", "a b"]), min_size=2, max_size=4)


@given(
    st.sampled_from(["contains", "icontains", "matches", "imatches"]),
    LITERALS,
    st.sampled_from([1, 0.5, 3]),
    st.text("abAB ", max_size=6),
)
def test_one_check_in_place_of_a_block_that_stands_alone_keeps_every_score(
    javascript: JavaScript, name: str, literals: list[str], weight: float, answer: str
) -> None:
    text = should(*(f"- ${name}: {literal}\n        weight: {weight}" for literal in literals))
    [fix] = [fix for fix in only(text, "single-element-path").fixes if "any will do" in fix.title]
    [before], [after] = parse(text).blueprint.prompts, parse(apply_edits(text, fix.edits)).blueprint.prompts
    assert len(after.points()) == 1
    assert score(before, answer, javascript) == score(after, answer, javascript)


def score(prompt: Prompt, answer: str, javascript: JavaScript) -> float:
    return aggregate(assess_functions(prompt, answer, javascript))


def test_a_text_with_a_citation_is_not_taken_for_a_check() -> None:
    text = should("- $contains: a", "- 'Says b': source")
    assert not any("any will do" in fix.title for fix in only(text, "single-element-path").fixes)


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?<n>a)", "(?i)a", r"(?<n>a)\k<n>"])
def test_patterns_that_would_change_their_meaning_are_not_joined(pattern: str) -> None:
    text = should(f"- $matches: '{pattern}'", "- $matches: b")
    assert not any("any will do" in fix.title for fix in only(text, "single-element-path").fixes)


def test_patterns_that_only_look_behind_are_joined() -> None:
    text = should("- $matches: '(?<=a)b'", "- $matches: c")
    assert "'(?:(?<=a)b)|(?:c)'" in fixed(text, "single-element-path", "any will do")


# lone-path


def test_a_lone_path_is_told_what_missing_it_costs() -> None:
    text = should("Says a", "Says b", "Says c", "Says d", "- Says e")
    one = only(text, "lone-path")
    assert one.message == (
        "a single path is no choice, and this one is worth as much as the 4 points beside it: "
        "missing it costs 50 points of 100"
    )
    assert one.why == "A path is 50% of the score, however many points are beside it; in a flat list it would be 20%."
    assert one.span.of(text) == "- -"


def test_what_a_lone_path_would_be_worth_flat_goes_by_the_weights() -> None:
    text = should("{point: a, weight: 6}", "- {point: e, weight: 2}")
    assert only(text, "lone-path").why.endswith("in a flat list it would be 25%.")


def test_a_lone_path_with_nothing_beside_it_is_no_choice_either() -> None:
    one = only(should("- Says a\n      - Says b"), "lone-path")
    assert one.severity is Severity.WARNING
    assert one.message == "a single path is no choice: its points count the same without the inner list"


def test_points_of_should_not_stand_beside_a_lone_path_too() -> None:
    text = should("- Says a\n      - Says b") + "  should_not:\n    - Says c\n"
    assert "the one point beside it" in only(text, "lone-path").message


def test_a_lone_path_under_should_not_is_told() -> None:
    text = f"{HEAD}  should: [x, y]\n  should_not:\n    - - Says a\n      - Says b\n"
    assert "the 2 points beside it" in only(text, "lone-path").message


def test_a_lone_path_that_competes_with_those_of_the_other_block_is_told_as_that() -> None:
    text = should("- Says a\n      - Says b") + "  should_not:\n    - - Says c\n      - Says d\n"
    assert slugs(text) == {"paths-in-should-not"}


def test_a_legacy_call_is_no_lone_path() -> None:
    assert slugs(should("Says a", '["contains", "x"]')) == {"legacy-tuple"}


def test_flattening_a_lone_path_keeps_its_comments() -> None:
    text = should("Says a", "- Says b # one\n      # two\n      - Says c")
    assert fixed(text, "lone-path", "flatten") == should("Says a", "Says b # one\n    # two\n    - Says c")


SPELT = should("Says x", "- $icontains_word: 'São Paulo'\n      - $icontains_word: Sao Paulo")


def test_spellings_of_one_name_on_a_path_lose_what_no_answer_can_earn() -> None:
    assert only(SPELT, "lone-path").message == (
        "these are spellings of one name, and a path requires both: an answer that uses one loses 25 points of 100"
    )


def test_spellings_of_one_name_become_any_of() -> None:
    assert fixed(SPELT, "lone-path", "any spelling") == should(
        "Says x", "$icontains_any_of: ['São Paulo', 'Sao Paulo']"
    )


def test_spellings_on_one_of_several_groups_of_paths_are_told_too() -> None:
    text = SPELT + "    - Says y\n    - - Says a\n    - - Says b\n"
    assert "meets 50% of this path at best" in only(text, "lone-path").message


@pytest.mark.parametrize("second", ["$icontains_word: Rio", "$icontains_word: 'São Paulo'", "Names Sao Paulo"])
def test_other_points_of_a_lone_path_are_no_spellings(second: str) -> None:
    text = should("Says x", f"- $icontains_word: 'São Paulo'\n      - {second}")
    assert "spellings" not in only(text, "lone-path").message


# or-groups-merged


GROUPS = should("- Says a", "- Says b", "Says x", "- Says c\n      - Says d", "- Says e")


def test_groups_of_paths_are_told_as_one_choice_with_the_first_group_pointed_at() -> None:
    one = only(GROUPS, "or-groups-merged")
    assert one.message == (
        "required points divide these paths into 2 groups, yet only the best of all 4 paths counts: "
        "meeting one path of one group earns all 50 points of 100"
    )
    assert one.span.of(GROUPS) == "- Says c"
    assert [each.span.of(GROUPS) for each in one.related] == ["- Says a"]


def test_groups_of_paths_are_told_once() -> None:
    assert slugs(GROUPS) == {"or-groups-merged"}


def test_single_paths_here_and_there_are_a_slip_and_no_groups() -> None:
    assert slugs(should("- Says a", "Says x", "- Says b")) == {"single-element-path"}


def test_two_groups_of_single_paths_are_two_questions() -> None:
    assert slugs(should("- Says a", "- Says b", "Says x", "- Says c", "- Says d")) == {"or-groups-merged"}


def test_paths_side_by_side_are_one_group() -> None:
    text = should("Says x", "- Says a\n      - Says b", "- Says c\n      - Says d", "Says y")
    assert "or-groups-merged" not in slugs(text)


# path-outweighs


def test_paths_beside_several_points_are_told_with_both_shares() -> None:
    text = should(*"wxyz", "- Says a\n      - Says b", "- Says c")
    one = only(text, "path-outweighs")
    assert one.message == (
        "these 2 paths are 50% of this score, as much as the 4 required points together, which are 12.5% each"
    )
    assert one.why.startswith("Meeting all 4 required points and no path scores 50 of 100")


def test_shares_beside_paths_go_by_the_weights_of_both_blocks() -> None:
    text = should("{point: x, weight: 3}", "- Says a\n      - Says b", "- Says c") + "  should_not:\n    - Says d\n"
    assert "12.5% to 37.5% each" in only(text, "path-outweighs").message


@pytest.mark.parametrize(
    "points",
    [
        ["Says x", "- Says a\n      - Says b", "- Says c"],
        ["Says x", "Says y", "- Says a", "- Says b"],
        ["Says x", "Says y", "- Says a\n      - Says b"],
        ["- Says a\n      - Says b", "- Says c"],
    ],
)
def test_what_is_no_block_beside_several_points_does_not_outweigh(points: list[str]) -> None:
    assert "path-outweighs" not in slugs(should(*points))


# paths-in-should-not


def test_paths_of_both_blocks_are_told_once_with_what_they_are_worth_together() -> None:
    text = should("x", "- a\n      - b", "- c") + "  should_not:\n    - - d\n    - y\n    - - e\n"
    one = only(text, "paths-in-should-not")
    assert one.message == (
        "the cleanest of these 2 paths and the 2 of `should` counts alone, for 50% of this score: "
        "what the others forbid is forgiven"
    )
    assert [each.span.of(text) for each in one.related] == ["- e", "- a", "- c"]


def test_blocks_whose_paths_have_one_name_on_weval_are_told_so() -> None:
    text = should("- a\n      - b", "- c\n      - d") + "  should_not:\n    - x\n    - - e\n      - f\n"
    assert only(text, "paths-in-should-not").why.endswith("as both have the same place in their lists.")


def test_blocks_whose_paths_have_names_of_their_own_are_not_said_to_mix() -> None:
    text = should("- a\n      - b", "- c\n      - d") + "  should_not:\n    - x\n    - y\n    - - e\n      - f\n"
    assert "path_" not in only(text, "paths-in-should-not").why


def test_the_paths_of_should_not_become_points_of_their_own() -> None:
    text = should("a") + "  should_not:\n    - - b # one\n      - c\n    - - d\n"
    assert fixed(text, "paths-in-should-not", "flatten") == (
        should("a") + "  should_not:\n    - b # one\n    - c\n    - d\n"
    )


# duplicate-path, contained-path


TWICE = should("- Says a\n      - $contains: b", "- Says c\n      - Says d", "- $contain: b\n      - says  A.")


def test_the_same_path_again_is_told_and_the_first_is_pointed_at() -> None:
    one = only(TWICE, "duplicate-path")
    assert one.message == "path 3 is path 1 again: it never changes a score"
    assert (one.span.of(TWICE), one.related[0].span.of(TWICE)) == ("- $contain: b", "- Says a")


def test_the_same_path_again_can_be_removed() -> None:
    assert fixed(TWICE, "duplicate-path", "remove") == TWICE[: TWICE.index("    - - $contain:")]


def test_paths_that_differ_in_one_point_are_not_the_same() -> None:
    assert "duplicate-path" not in slugs(should("- Says a\n      - Says b", "- Says a\n      - Says c"))


CONTAINED = should("- Says a # short", "- Says a\n      - Says b\n      - Says c", "Says x")


def test_a_path_that_another_meets_alone_is_told_with_what_the_paths_are_worth() -> None:
    one = only(CONTAINED, "contained-path")
    assert (one.severity, one.message) == (
        Severity.WARNING,
        "path 2 can be met by path 1 alone: that earns all 50 points of 100 for the paths, "
        "and the 2 other points of this one are never needed",
    )


def test_where_the_shorter_path_is_enough_it_is_left_as_a_point() -> None:
    assert fixed(CONTAINED, "contained-path", "is enough") == should("Says a # short", "Says x")


def test_where_all_points_are_wanted_they_are_left_as_points() -> None:
    text = CONTAINED.replace(" # short", "")
    assert fixed(text, "contained-path", "are wanted") == should("Says a", "Says b", "Says c", "Says x")


def test_a_path_with_a_comment_is_not_removed() -> None:
    assert len(only(CONTAINED, "contained-path").fixes) == 1


def test_removing_a_path_leaves_several_others_as_they_are() -> None:
    text = should("- Says a", "- Says a\n      - Says b", "- Says c\n      - Says d")
    assert fixed(text, "contained-path", "are wanted") == should("- Says a\n      - Says b", "- Says c\n      - Says d")


def test_the_same_text_with_another_function_is_not_within_a_path() -> None:
    text = should("- $contains: a", "- $icontains: a\n      - Says b")
    assert "contained-path" not in slugs(text)


# lists in brackets


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[a, b], [c]]", "[a, b]\n    - [c]"),
        ('[["a, b"], [{$contains: c}, d]] # one', '["a, b"]\n    - [{$contains: c}, d] # one'),
    ],
)
def test_three_levels_in_brackets_become_two(before: str, after: str) -> None:
    assert fixed(should("x", before), "deep-nesting", "one level") == should("x", after)


def test_a_path_in_brackets_becomes_points_in_lines() -> None:
    assert fixed(should("x", "[a, 'b, c']"), "lone-path", "flatten") == should("x", "a", "'b, c'")


def test_a_path_among_others_in_brackets_only_loses_its_own() -> None:
    text = f"{HEAD}  should: [x, [a, b], y]\n"
    assert fixed(text, "lone-path", "flatten") == f"{HEAD}  should: [x, a, b, y]\n"


def test_lists_in_json_stay_json() -> None:
    text = '{"prompts": [{"id": "p", "prompt": "q", "should": ["x", [["a", "b"],\n ["c"]]]}]}\n'
    [one] = [one for one in check(parse(text, Path("p.json"))) if one.slug == "deep-nesting"]
    assert apply_edits(text, one.fixes[0].edits) == text.replace("[[", "[").replace("]]]", "]]")


def test_brackets_with_a_comment_stay() -> None:
    assert only(f"{HEAD}  should: [x, [a, b # one\n  ]]\n", "lone-path").fixes == ()


def test_a_list_too_many_is_told_as_that_alone() -> None:
    assert slugs(should("x", "- a\n      - - b\n        - c")) == {"deep-nesting"}
