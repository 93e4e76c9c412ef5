"""Points that an answer meets by saying nothing."""

from __future__ import annotations

import pytest

from engine.functions.v8 import JavaScript
from engine.text.diagnostics import Severity
from tests.engine.rule_reports import HEAD, found, only, rubric, should


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


@pytest.mark.parametrize(
    "check",
    [
        "$word_count_between: [0, 0]",
        "$matches: ^\\s*$",
        "$not_matches: \\S",
        "$js: r.trim() === ''",
        "$js: 'r.length ? 0 : 1'",
    ],
)
def test_a_rubric_that_asks_for_silence_is_no_problem(check: str, javascript: JavaScript) -> None:
    for others in ((), ("$not_contains: x",), ("Says nothing",)):
        assert found(should(check, *others), "vacuous-point", javascript) == []


@pytest.mark.parametrize("check", ["$word_count_between: [0, 1]", "$not_contains: x", "$not_matches: '[a-z]'"])
def test_what_a_word_or_a_figure_earns_too_asks_for_no_silence(check: str, javascript: JavaScript) -> None:
    assert only(should(check), "vacuous-point", javascript).severity is Severity.ERROR


def test_a_rubric_whose_ideal_speaks_asks_for_no_silence(javascript: JavaScript) -> None:
    text = should("$matches: ^(yes)?$").replace("prompt: q", "prompt: q\n  ideal: 'yes'")
    assert only(text, "vacuous-point", javascript).severity is Severity.ERROR
