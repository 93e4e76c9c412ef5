"""Rules about patterns: what is unescaped, bounded, slow, or never matches."""

from __future__ import annotations

import json

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.text.diagnostics import Severity
from tests.engine.rule_reports import fixed, found, only, should, underlined

# unescaped-literal


@pytest.mark.parametrize(
    ("pattern", "sign"),
    [
        ("2+2", "+"),
        ("2 + 2", "+"),
        ("x+y=z", "+"),
        ("grade B+", "+"),
        ("3*4", "*"),
        ("costs $5", "$"),
        ("x^2", "^"),
        ("Is it true?", "?"),
        ("(A)", "(A)"),
        ("f(x) = 2", "(x)"),
        ("item(s) due", "(s)"),
        ("^(B)", "(B)"),
        ("(12) of", "(12)"),
        ("(iv)(a)?", "(iv)"),
        ("C++", "++"),
        ("notepad++ or vim", "++"),
    ],
)
def test_a_sign_that_was_meant_literally_is_told_at_its_place(pattern: str, sign: str) -> None:
    assert underlined(should(f"$matches: '{pattern}'"), "unescaped-literal") == sign


@pytest.mark.parametrize(
    "pattern",
    [
        r"\d+",
        "colou?r",
        "no+",
        "apples?",
        "[A-Z]+ [0-9]*",
        "(cat|dog)",
        r"(\d+) \1",
        "(?:A)",
        "^2",
        "US$",
        r"2\+2",
        "go+gle",
        "FINAL ?= ?A",
        "(ha)+",
        "a|b+",
        r"\d++",
        "ab++",
        "30( day)?s",
        "year(s)?",
        "(one)(two)?",
        "(no)? (yes){1,2}",
        r"(\d+)(%)?",
        "Who( is)? (it)?",
        "(federal) court",
        r"\b(rent)\b.*(notice)",
        "[+*]?",
        "(18)?x",
    ],
)
def test_a_sign_that_works_as_it_should_is_left_alone(pattern: str) -> None:
    assert found(should(f"$matches: '{pattern}'"), "unescaped-literal") == []


def test_a_dot_between_digits_is_only_a_hint() -> None:
    assert only(should("$matches: '3.14'"), "unescaped-literal").severity is Severity.HINT


def test_what_cannot_be_read_for_a_literal_sign_is_an_error_and_told_once(javascript: JavaScript) -> None:
    text = should("$matches: 'C++'")
    assert only(text, "unescaped-literal", javascript).severity is Severity.ERROR
    assert found(text, "bad-regex", javascript) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'2+2' # c", r"'2\+2' # c"),
        ('"2+2"', r'"2\\+2"'),
        ("2+2 # c", r"'2\+2' # c"),
        ("'it''s (A)'", r"'it''s \(A\)'"),
        ("C++", r"'C\+\+'"),
        ("[cat, '$5']", r"[cat, '\$5']"),
    ],
)
def test_a_literal_sign_is_escaped_as_its_quotes_have_it(before: str, after: str) -> None:
    name = "matches_all_of" if before.startswith("[") else "matches"
    assert fixed(should(f"${name}: {before}"), "unescaped-literal") == should(f"${name}: {after}")


def test_a_pattern_without_any_other_sign_may_be_looked_for_as_it_stands() -> None:
    assert fixed(should("$imatches: '2+2'"), "unescaped-literal", 1) == should("$icontains: '2+2'")


def test_a_pattern_with_other_signs_stays_a_pattern() -> None:
    assert len(only(should(r"$matches: '\b2+2'"), "unescaped-literal").fixes) == 1


def test_json_is_escaped_as_json() -> None:
    text = json.dumps({"prompts": [{"id": "p", "prompt": "q", "should": [{"$matches": "2+2"}]}]})
    assert json.loads(fixed(text, "unescaped-literal"))["prompts"][0]["should"] == [{"$matches": r"2\+2"}]


# ascii-boundary


@pytest.mark.parametrize("pattern", [r"\bcafé\b", r"\bétat\b", r"Paran[áa]\b", r"\b(?:Ávila|Oslo)", r"\wé"])
def test_an_edge_beside_a_letter_that_it_does_not_know_is_told(pattern: str) -> None:
    assert len(found(should(f"$matches: '{pattern}'"), "ascii-boundary")) == 1


@pytest.mark.parametrize("pattern", [r"\bSão Paulo\b", r"café", r"\bT[üu]rkiye\b", r"\b😀"])
def test_an_edge_beside_other_characters_is_fine(pattern: str) -> None:
    assert found(should(f"$matches: '{pattern}'"), "ascii-boundary") == []


def test_a_word_between_edges_becomes_a_word() -> None:
    assert fixed(should(r"$imatches: '\bcafé\b' # c"), "ascii-boundary") == should("$icontains_word: 'café' # c")


@pytest.mark.parametrize(("answer", "score"), [("un café noir", True), ("deux cafés", False)])
def test_the_edge_that_is_offered_knows_accents(answer: str, score: bool, javascript: JavaScript) -> None:
    from engine import functions
    from engine.functions.point_function import Checked, Subject

    after = parse(fixed(should(r"$matches: '(?:un|deux) café\b'"), "ascii-boundary"))
    call = after.blueprint.prompts[0].points()[0].function
    assert call is not None
    [result] = functions.run([call], Subject(answer), javascript)
    assert isinstance(result, Checked)
    assert bool(result.extent) is score


# never-matches, always-matches


@pytest.mark.parametrize("point", ["$matches: 'a\n^b'", "$matches: 'x$y'", "$matches: '$^'", "$matches: '[]'"])
def test_what_no_answer_can_match_is_told(point: str, javascript: JavaScript) -> None:
    text = should(point.replace("\n", "\\n"))
    assert len(found(text, "never-matches", javascript)) == 1


def test_an_empty_list_of_which_any_would_do_is_never_met(javascript: JavaScript) -> None:
    assert underlined(should("$contains_any_of: []"), "never-matches", javascript) == "[]"


@pytest.mark.parametrize(
    ("point", "place"),
    [
        ("$matches: '.*'", ".*"),
        ("$matches: 'cat|'", "|"),
        ("$matches: '(cat)?'", "(cat)?"),
        (r"$matches: '\S+'", r"\S+"),
        ("$matches: ''", "''"),
        ("$contains: ''", "''"),
        ("$contains_any_of: [cat, '']", "''"),
        ("$contains_all_of: []", "[]"),
        ("$not_contains: ''", "''"),
    ],
)
def test_what_every_answer_matches_is_told(point: str, place: str, javascript: JavaScript) -> None:
    assert underlined(should(point), "always-matches", javascript) == place


@pytest.mark.parametrize("pattern", ["^$", "^a$", r"^\s*$", "(?=a)", r"\d*x", "a*$|b", "[a-z]+", "^|a", r"\b"])
def test_a_pattern_that_depends_on_the_answer_is_neither(pattern: str, javascript: JavaScript) -> None:
    text = should(f"$matches: '{pattern}'")
    assert found(text, "never-matches", javascript) == []


def test_a_lost_argument_is_not_told_as_an_empty_text_too(javascript: JavaScript) -> None:
    assert found(should('{fn: contains, fnArgs: ""}'), "always-matches", javascript) == []
