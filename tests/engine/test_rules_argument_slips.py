"""Arguments that a check cannot mean as they are written, and arguments that look like these."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from engine.functions.v8 import JavaScript
from engine.text.diagnostics import Severity
from tests.engine.rule_reports import fixed, found, only, should, underlined

SLUG = "argument-slip"


def asked(check: Mapping[str, object], ideal: str = "", prompt: str = "q") -> str:
    return json.dumps([{"id": "p", "prompt": prompt, "ideal": ideal, "should": ["Says it", check]}])


@pytest.mark.parametrize(
    ("check", "ideal"),
    [
        ({"$starts_with": " Yes"}, ""),
        ({"$ends_with": "end. "}, ""),
        ({"$not_starts_with": "\tSorry"}, ""),
        ({"$contains_word": "no "}, ""),
        ({"$icontains": " no "}, "The answer is no."),
        ({"$contains": "Nairobi "}, "It is Nairobi."),
        ({"$starts_with": "Yes "}, "Yes, it is."),
        ({"$contains_any_of": ["Lima ", "Quito "]}, "It is Lima."),
        ({"fn": "contains", "arg": "Nairobi "}, "It is Nairobi."),
    ],
)
def test_a_blank_that_no_answer_has_is_reported(check: Mapping[str, object], ideal: str) -> None:
    assert "has a blank at its" in only(asked(check, ideal), SLUG).message


@pytest.mark.parametrize(
    ("check", "ideal"),
    [
        ({"$icontains": " no "}, ""),
        ({"$icontains": " no "}, "There is no such law."),
        ({"$icontains": " no "}, "It is not so."),
        ({"$starts_with": "Yes "}, ""),
        ({"$ends_with": " end"}, ""),
        ({"$contains_any_of": ["Lima ", "Quito"]}, "It is Quito."),
        ({"$not_contains": "Nairobi "}, "It is Nairobi."),
        ({"$contains": " "}, "Nairobi"),
        ({"$matches": "Lima "}, "It is Lima."),
        ({"$js": " r.length > 3 "}, ""),
    ],
)
def test_a_blank_that_may_be_meant_is_left_alone(check: Mapping[str, object], ideal: str) -> None:
    assert found(asked(check, ideal), SLUG) == []


@pytest.mark.parametrize("sign", ["|", ">", "|+", "|2"])
@pytest.mark.parametrize("name", ["contains", "matches", "not_icontains"])
def test_the_line_break_of_a_block_text_is_removed(sign: str, name: str) -> None:
    text = should(f"${name}: {sign}\n          Nairobi")
    assert fixed(text, SLUG) == should(f"${name}: {sign.rstrip('+2')}-{sign.strip('|>+')}\n          Nairobi")


@pytest.mark.parametrize(
    "check", ["$contains: |-\n        Nairobi", '$contains: "Nairobi\\n"', "$js: |\n        return 1"]
)
def test_a_line_break_that_is_written_on_purpose_is_left_alone(check: str) -> None:
    assert found(should(check), SLUG) == []


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ("$icontains_any_of: [INR, inr]", "“inr” is no item of its own: it is “INR” again, as the check ignores case"),
        ("$contains_any_of: [Lima, Quito, Lima]", "“Lima” is no item of its own: it is “Lima” again"),
        ("$contains_all_of: [Lima, Lima]", "“Lima” is no item of its own: it is “Lima” again"),
        (r"$matches_all_of: ['a\d', 'a\d']", r"“a\d” is no item of its own: it is “a\d” again"),
        ("$contains_at_least_n_of: [2, [fee, fee, tax]]", "“fee” is no item of its own: it is “fee” again"),
        ("$contains_all_of: [Kenya, Kenyan shilling]", "“Kenya” is no item of its own: it is found wherever "
         "“Kenyan shilling” is"),
        ("$icontains_at_least_n_of: [2, [Taxes, tax, fee]]", "“tax” is no item of its own: it is found wherever "
         "“Taxes” is"),
    ],
)  # fmt: skip
def test_an_item_that_counts_for_nothing_is_a_warning(check: str, message: str) -> None:
    one = only(should(check), SLUG)
    assert (one.message, one.severity) == (message, Severity.WARNING)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$icontains_any_of: [INR, inr]", "$icontains_any_of: [INR]"),
        (
            "$contains_all_of:\n      - Lima\n      - Quito\n      - Lima",
            "$contains_all_of:\n      - Lima\n      - Quito",
        ),
    ],
)
def test_an_item_is_removed(before: str, after: str) -> None:
    assert fixed(should(before), SLUG) == should(after)


@pytest.mark.parametrize(
    "check",
    [
        "$contains_any_of: [INR, inr]",
        "$contains_any_of: [Everest, Mount Everest]",
        "$contains_at_least_n_of: [1, [Everest, Mount Everest]]",
        r"$imatches_all_of: ['\W', '\w']",
        "$matches_all_of: [a, ab]",
        "$contains_all_of: [rent, deposit]",
        "$contains: INR",
        "$tool_call_order: [search, search]",
    ],
)
def test_items_that_differ_are_left_alone(check: str) -> None:
    assert found(should(check), SLUG) == []


DIALECTS = [
    (r"\ANairobi", r"\A", r"^Nairobi"),
    (r"Nairobi\Z", r"\Z", r"Nairobi$"),
    (r"price: \K\d+", r"\K", None),
    (r"\GNairobi", r"\G", None),
    (r"\A(?:yes|no)\z", r"\A", r"^(?:yes|no)$"),
    (r"a\h+b", r"\h", r"a[ \t]+b"),
    (r"a\R+b", r"\R", r"a(?:\r?\n)+b"),
    (r"[[:digit:]]+", "[:digit:]", None),
    ("[:space:]", "[:space:]", None),
    (r"\p{L}+", r"\p{L}", None),
    (r"\Q2+2\E", r"\Q", None),
    (r"\<Nairobi\>", r"\<", r"\bNairobi\b"),
]


@pytest.mark.parametrize(("pattern", "sign", "after"), DIALECTS)
def test_a_sign_of_another_dialect_is_reported(pattern: str, sign: str, after: str | None) -> None:
    text = should(f"$matches: '{pattern}'")
    assert underlined(text, SLUG) == sign
    if after is not None:
        assert fixed(text, SLUG) == should(f"$matches: '{after}'")


@pytest.mark.parametrize(("pattern", "_sign", "after"), DIALECTS)
def test_javascript_takes_it_for_letters(pattern: str, _sign: str, after: str | None, javascript: JavaScript) -> None:
    text = asked({"$matches": pattern}, "Nairobi yes a b 5 2+2")
    assert found(text, "ideal-fails", javascript) == []  # the slip is its cause


@pytest.mark.parametrize(
    "pattern", [r"\\A", r"\d\s\w\b", "[a-z:]", "[:ab:]", r"\hline", r"\Rightarrow", r"[A-Z]", r"x\A", "p{2}", r"\u0041"]
)
def test_a_pattern_of_javascript_is_left_alone(pattern: str) -> None:
    assert found(should(f"$matches: '{pattern}'"), SLUG) == []


@pytest.mark.parametrize(
    ("literal", "plain"),
    [
        ("R&amp;D", "R&D"),
        ("90&nbsp;km", "90 km"),
        ("can&#39;t", "can''t"),
        ("5 &lt; 6", "5 < 6"),
        ("Caf&eacute;", "Café"),
    ],
)
def test_an_html_entity_is_written_as_its_sign(literal: str, plain: str) -> None:
    assert fixed(should("Says it", f"$contains: '{literal}'"), SLUG) == should("Says it", f"$contains: '{plain}'")


@pytest.mark.parametrize(
    ("prompt", "check"),
    [
        ("How do I write & in HTML?", {"$contains": "use &amp; there"}),
        ("What is wrong with &lt;b>?", {"$contains": "a &lt; b"}),
        ("q", {"$contains": "&amp;"}),
        ("q", {"$not_contains": "R&amp;D"}),
        ("q", {"$contains": "AT&T; and more"}),
        ("q", {"$contains": "salt & pepper;"}),
        ("Which tag is bold in HTML?", {"$matches": r"\<b\>"}),
        ("Write it as a template in code.", {"$contains": "${response}"}),
        ("q", {"$contains": "${name}"}),
    ],
)
def test_what_may_be_meant_is_left_alone(prompt: str, check: Mapping[str, object]) -> None:
    assert found(asked(check, prompt=prompt), SLUG) == []


def test_a_placeholder_of_a_call_in_a_literal_is_reported() -> None:
    assert underlined(should("Says it", "$icontains: it is ${response}"), SLUG) == "${response}"


def called(**sent: object) -> str:
    return should(f"$call: {json.dumps({'url': 'https://example.org/check', **sent})}")


@pytest.mark.parametrize(
    ("claim", "after"),
    [
        ("{respnse}", "{response}"),
        ("Is {{response}} right?", "Is {response} right?"),
        ("{ response }", "{response}"),
        ("It says: ${response}", "It says: {response}"),
        ("{Response} by {modelID}", "{response} by {modelId}"),
    ],
)
def test_an_unknown_name_in_braces_is_corrected(claim: str, after: str) -> None:
    assert json.dumps(after)[1:-1] in fixed(called(claim=claim), SLUG)


@pytest.mark.parametrize("claim", ["{answer}", ["of {the_user}"], {"nested": "{reply}"}])
def test_a_name_that_nothing_fills_in_is_reported(claim: object) -> None:
    assert "the names are {response}, {modelId}" in only(called(claim=claim), SLUG).message


@pytest.mark.parametrize(
    "claim",
    ["{response}", '{"claim": "{response}", "all": {messages}}', "${KEY}", r"\frac{ab}{cd}", "{}", "{1}", "{a b}"],
)
def test_what_is_filled_in_or_no_name_is_left_alone(claim: str) -> None:
    assert found(called(claim=claim), SLUG) == []


@pytest.mark.parametrize("check", ["$contains: '{answer}'", "$matches: 'a{x}'"])
def test_braces_of_other_checks_are_left_alone(check: str) -> None:
    assert found(should(check), SLUG) == []


def test_a_definition_is_examined_once() -> None:
    text = "point_defs:\n  known: {$starts_with: ' Yes'}\n---\n" + should("$ref: known", "$ref: known")
    assert underlined(text, SLUG) == "' Yes'"


def test_the_ideal_is_not_said_to_fail_because_of_a_slip(javascript: JavaScript) -> None:
    text = asked({"$contains": "Nairobi "}, "It is Nairobi.")
    assert found(text, "ideal-fails", javascript) == []
    assert found(text, "format-fragile-literal", javascript) == []
