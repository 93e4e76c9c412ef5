"""What rules say of points that repeat, contradict or exclude one another, or are met by saying nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.diagnostics import Diagnostic, Severity
from engine.evaluation import assess_functions
from engine.javascript import JavaScript
from engine.parsing import parse
from engine.rules.fixes.application import fix_text
from engine.rules.selection import Level, RuleSelection
from engine.scoring import PointExtent, aggregate, score_of
from engine.text import apply_edits
from tests.engine.rule_reports import reported
from tests.world import corpus_files, needs_corpus

HEAD = "- id: p\n  prompt: q\n"


def found(text: str, slug: str, javascript: JavaScript | None = None) -> list[Diagnostic]:
    return reported(parse(text), slug, javascript)


def only(text: str, slug: str, javascript: JavaScript | None = None) -> Diagnostic:
    [one] = found(text, slug, javascript)
    return one


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


def rubric(wanted: list[str], forbidden: list[str]) -> str:
    return f"{should(*wanted)}  should_not:\n" + "".join(f"    - {point}\n" for point in forbidden)


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
    assert one.message == "the same criterion as another point: counted 3 times, it weighs 100% of this score"
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
    ("points", "told"),
    [
        (["$starts_with: 'Yes'", "$istarts_with: 'no'"], "begins with “Yes” does not begin with “no”"),
        (["$ends_with: a.", "$ends_with: b."], "ends with “a.” does not end with “b.”"),
        (["$word_count_between: [100, 200]", "$word_count_between: [10, 50]"], "words does not have at least 100"),
        (["Refuses to answer", "Answers the question directly."], "refuses does not answer"),
    ],
)
def test_points_that_rule_each_other_out_are_a_hint(points: list[str], told: str) -> None:
    one = only(should(*points, "Says x", "Says y"), "exclusive-points")
    assert one.severity is Severity.HINT
    assert told in one.message
    assert one.message.endswith("25 points of 100 are out of reach")


@pytest.mark.parametrize(
    "points",
    [
        ["$starts_with: 'Yes'", "$starts_with: 'Yes, but'"],
        ["$word_count_between: [10, 100]", "$word_count_between: [50, 200]"],
        ["- Refuses to answer\n      - a", "- Answers the question\n      - b"],
        ["Refuses to give the dose", "Answers the question about side effects"],
        ["Refuses to answer", "Refuses the request"],
    ],
)
def test_points_that_one_answer_can_meet_are_left_alone(points: list[str]) -> None:
    assert found(should(*points), "exclusive-points") == []


# function-in-should-not


def fixed(text: str) -> str:
    [fix] = only(text, "function-in-should-not").fixes
    return apply_edits(text, fix.edits)


def test_a_check_under_should_not_is_a_hint_with_its_share() -> None:
    text = rubric(["a", "b", "c"], ["$contains: x"])
    one = only(text, "function-in-should-not")
    assert (one.severity, one.span.of(text)) == (Severity.HINT, "$contains")
    assert one.message == "$not_contains under `should` says the same: 25% of this score, there as here"


def test_the_last_check_takes_its_block_along() -> None:
    text = rubric(["a"], ["$icontains: x # c\n      weight: 2\n      citation: s"]) + "  ideal: y\n"
    assert fixed(text) == should("a", "$not_icontains: x # c\n      weight: 2\n      citation: s") + "  ideal: y\n"


def test_other_points_of_should_not_stay_where_they_are() -> None:
    assert fixed(rubric(["a"], ["b", "$contains: x"])) == rubric(["a", "$not_contains: x"], ["b"])


def test_a_block_with_a_comment_of_its_own_is_not_removed() -> None:
    text = rubric(["a"], ["$contains: x"]).replace("should_not:", "should_not: # why")
    assert only(text, "function-in-should-not").fixes == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$contain: x", "$not_contains: x"),
        ("fn: match\n      arg: x", "fn: not_matches\n      arg: x"),
        ('"$contains": contains', '"$not_contains": contains'),
        ("weight: 2\n      $contains: x", "weight: 2\n      $not_contains: x"),
    ],
)
def test_only_the_name_of_the_check_is_changed(before: str, after: str) -> None:
    assert fixed(rubric(["a"], [before])) == should("a", after)


def test_a_block_without_should_becomes_should_when_asked() -> None:
    text = f"{HEAD}  should_not:\n    - $contains: x\n"
    [fix] = only(text, "function-in-should-not").fixes
    assert (fix.safe, apply_edits(text, fix.edits)) == (False, should("$not_contains: x"))


def test_a_check_beside_a_text_gets_a_block_of_its_own_when_asked() -> None:
    text = f"{HEAD}  should_not:\n    - Says a\n    - $contains: x\n"
    [fix] = only(text, "function-in-should-not").fixes
    assert (fix.safe, apply_edits(text, fix.edits)) == (False, rubric(["$not_contains: x"], ["Says a"]))


@pytest.mark.parametrize(
    "point",
    ["Says a", "$not_contains: x", "$tool_called: x", "$is_json: true", "$js: r", "$matches: (?i)x", "$nothing: x"],
)
def test_what_has_no_twin_on_weval_or_is_told_otherwise_is_left_alone(point: str) -> None:
    assert found(rubric(["a"], [point]), "function-in-should-not") == []


def test_checks_on_paths_of_should_not_are_left_alone() -> None:
    assert found(rubric(["a"], ["- $contains: x\n      - b"]), "function-in-should-not") == []


def test_beside_paths_of_should_not_there_is_no_fix() -> None:
    text = rubric(["a", "b"], ["$contains: x", "- c\n      - d"])
    assert only(text, "function-in-should-not").fixes == ()


def scores(prompt: Prompt, answer: str, javascript: JavaScript) -> tuple[float | None, float]:
    """Our score and Weval's, over the checks alone."""
    points = [PointExtent.of(each) for each in assess_functions(prompt, answer, javascript)]
    return score_of(points), aggregate(points)


ALONE = RuleSelection(select=frozenset({"R012"}), levels=(("R012", Level.WARNING),))
"""The moves alone, as a project asks for them: of hints no fix is applied unasked."""

checks = st.sampled_from(["$contains: a", "$icontains_any_of: [a, b]", "$contains_all_of: [a, b, c]", "$matches: b"])
weights = st.sampled_from([1, 0.5, 2.5])


@given(st.lists(st.tuples(checks, weights), min_size=1, max_size=3), st.text("abcAB ", max_size=6), st.booleans())
def test_moving_checks_out_of_should_not_leaves_every_score_as_it_was(
    javascript: JavaScript, points: list[tuple[str, float]], answer: str, paths: bool
) -> None:
    wanted = ["$contains: b", *(["- $contains: a\n      - $contains: c", "- $contains: B"] if paths else [])]
    text = rubric(wanted, [f"{check}\n      weight: {weight}" for check, weight in points])
    mended = fix_text(text, None, selection=ALONE)
    [before], [after] = parse(text).blueprint.prompts, mended.parsed.blueprint.prompts
    assert after.should_not is None
    assert scores(before, answer, javascript) == pytest.approx(scores(after, answer, javascript))


def corpus_files_that_forbid() -> list[Path]:
    return [path for path in corpus_files() if "should_not:" in path.read_text("utf-8")]


@needs_corpus
@pytest.mark.parametrize("path", corpus_files_that_forbid(), ids=lambda path: path.stem)
@pytest.mark.parametrize("answer", ["", "I would call 988 and x"])
def test_moving_the_checks_of_the_corpus_changes_no_score(path: Path, answer: str, javascript: JavaScript) -> None:
    before = parse(path.read_text("utf-8"), path)
    mended = fix_text(before.text, path, selection=ALONE)
    assert [one.message for one in mended.remaining] == []
    assert [scores(prompt, answer, javascript) for prompt in mended.parsed.blueprint.prompts] == [
        scores(prompt, answer, javascript) for prompt in before.blueprint.prompts
    ]


# vacuous-point


def test_what_an_empty_answer_earns_by_checks_is_a_hint(javascript: JavaScript) -> None:
    one = only(should("Says a", "$not_contains: x"), "vacuous-point", javascript)
    assert (one.severity, one.message) == (
        Severity.HINT,
        "an empty answer earns 50 points of 100 here: 1 of 2 points is met, in full or in part, by saying nothing",
    )


@pytest.mark.parametrize("texts", [2, 3, 4])
def test_less_than_half_for_nothing_is_the_price_of_a_negative_check(texts: int, javascript: JavaScript) -> None:
    text = should(*(f"Says a{number}" for number in range(texts)), "$not_contains: x")
    assert found(text, "vacuous-point", javascript) == []


@pytest.mark.parametrize(
    "ban",
    ["$not_icontains: Confidential", "$not_matches: '\\bconfidential\\b'", "$not_contains_any_of: [x, confidential]"],
)
def test_a_lone_ban_that_the_prompt_itself_names_is_no_problem(ban: str, javascript: JavaScript) -> None:
    asked = "prompt: Write it down. Do not use the word confidential."
    text = should("Says a", ban).replace("prompt: q", asked)
    assert found(text, "vacuous-point", javascript) == []


def test_a_ban_that_the_prompt_names_is_reported_beside_other_points_for_nothing(javascript: JavaScript) -> None:
    text = should("Says a", "$not_contains: secret", "$not_contains: other").replace("prompt: q", "prompt: No secret!")
    assert only(text, "vacuous-point", javascript).severity is Severity.WARNING


def test_half_of_the_score_for_nothing_is_a_warning(javascript: JavaScript) -> None:
    text = should("Says a", "{$word_count_between: [0, 80], weight: 3}")
    one = only(text, "vacuous-point", javascript)
    assert (one.severity, one.why) == (
        Severity.WARNING,
        "Every answer earns what an empty one earns, so 25 points of 100 are left to tell good from bad.",
    )


def test_the_full_score_for_nothing_is_an_error(javascript: JavaScript) -> None:
    text = should("$not_contains: x", "$matches: '^'")
    one = only(text, "vacuous-point", javascript)
    assert (one.severity, one.message) == (
        Severity.ERROR,
        "an empty answer earns the full score here without saying anything",
    )


def test_the_first_point_that_is_given_away_is_underlined_and_the_others_pointed_at(javascript: JavaScript) -> None:
    text = should("Says a", "$not_contains: x", "$not_contains: y")
    one = only(text, "vacuous-point", javascript)
    assert (one.span.of(text), [each.span.of(text) for each in one.related]) == ("$not_contains", ["$not_contains"])


def test_the_best_path_for_nothing_counts_half_beside_required_points(javascript: JavaScript) -> None:
    text = should("Says a", "- $not_contains: x", "- Says c")
    assert "earns 50 points of 100" in only(text, "vacuous-point", javascript).message


def test_texts_of_should_not_count_in_the_figure(javascript: JavaScript) -> None:
    text = rubric(["Says a", "$not_contains: x"], ["Names a dose", "Gives a name"])
    one = only(text, "vacuous-point", javascript)
    assert one.severity is Severity.HINT
    assert "earns 75 points of 100" in one.message
    assert one.message.endswith("if judges find nothing that is forbidden")


@pytest.mark.parametrize(
    ("wanted", "forbidden", "reports"),
    [
        (["Says a"], ["Names a dose"], 0),
        (["Says a"], ["Names a dose", "Gives a name"], 1),
        (["Says a"], ["Refuses to answer", "Lacks a source"], 0),
        (["Says a"], ["$tool_called: search"], 0),
        (["Says a", "Says b"], ["- Names a dose\n      - Gives a name", "- Gives a date"], 0),
        (["Does not say a"], ["Names a dose", "Gives a name"], 0),
    ],
)
def test_a_rubric_is_not_blamed_for_having_should_not(
    wanted: list[str], forbidden: list[str], reports: int, javascript: JavaScript
) -> None:
    assert len(found(rubric(wanted, forbidden), "vacuous-point", javascript)) == reports


def test_a_rubric_of_texts_that_forbid_alone_is_only_a_hint(javascript: JavaScript) -> None:
    text = f"{HEAD}  should_not:\n    - Names a dose\n"
    assert only(text, "vacuous-point", javascript).severity is Severity.HINT


def test_a_script_that_looks_at_earlier_turns_is_not_judged(javascript: JavaScript) -> None:
    assert found(should("Says a", "$js: context.messages.length > 0"), "vacuous-point", javascript) == []


def test_a_check_that_an_empty_answer_fails_is_fine(javascript: JavaScript) -> None:
    assert found(should("Says a", "$contains: x"), "vacuous-point", javascript) == []


@pytest.mark.parametrize(
    ("script", "reports"),
    [
        ("r.length < 500", 0),
        ("!response.includes('x')", 0),
        ("r.split('\\\\n').every(l => l.length < 80)", 0),
        ("1", 1),
        ("Date.now() > 0", 1),
    ],
)
def test_a_script_that_tests_its_text_is_not_vacuous(script: str, reports: int, javascript: JavaScript) -> None:
    assert len(found(should("Says a", f'$js: "{script}"'), "vacuous-point", javascript)) == reports


def test_a_script_is_all_there_is_and_an_empty_answer_passes_it(javascript: JavaScript) -> None:
    assert only(should("$js: r.length < 500"), "vacuous-point", javascript).severity is Severity.ERROR


@pytest.mark.parametrize(
    ("points", "severity"),
    [
        (["Says a", "$not_contains: x"], Severity.HINT),
        (["Says a", "{$not_contains: x, weight: 2}"], Severity.WARNING),
        (["Says a", "$not_contains: x", "$not_contains: y"], Severity.WARNING),
        (["$icontains: abcde", "$not_contains: x"], Severity.WARNING),
        (["Says a", "$word_count_between: [0, 80]"], Severity.WARNING),
    ],
)
def test_a_lone_negative_check_beside_texts_is_no_warning(
    points: list[str], severity: Severity, javascript: JavaScript
) -> None:
    assert only(should(*points), "vacuous-point", javascript).severity is severity


def test_a_lone_forbidden_check_beside_texts_is_no_warning(javascript: JavaScript) -> None:
    text = f"{HEAD}  should:\n    - Says a\n  should_not:\n    - $contains: x\n"
    assert only(text, "vacuous-point", javascript).severity is Severity.HINT
