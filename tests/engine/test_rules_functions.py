"""Checks that cannot do what they were written for: patterns, scripts, short texts, services and tools."""

from __future__ import annotations

import json

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from engine.rules.checker import Checker
from tests.engine.rule_reports import HEAD, fixed, found, only, should, underlined

# js-syntax, js-returns


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ("'r.length > (3'", "3"),
        ('"r.length a"', "a"),
        ("|\n        const a = 1;\n        if (a {\n          return 2}", "{"),
    ],
)
def test_a_script_that_cannot_be_read_is_told_where_v8_stumbles(
    script: str, place: str, javascript: JavaScript
) -> None:
    assert underlined(should(f"$js: {script}"), "js-syntax", javascript) == place


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("'r.match(/x/)'", "returned null"),
        ("\"'yes'\"", "returned a string"),
        ("'undefinedName > 3'", "undefinedName is not defined"),
        ("'if (r) {}'", "undefined"),
        ("'({value: 1})'", "an object without a score"),
        ("'while (true) {}'", "took longer"),
    ],
)
def test_a_script_that_gave_no_score_for_any_answer_is_told(script: str, told: str, javascript: JavaScript) -> None:
    assert told in only(should(f"$js: {script}"), "js-returns", javascript).message


@pytest.mark.parametrize(
    "script",
    [
        "r.length > 3",
        "0.5",
        "({score: 1, explain: 'good'})",
        "if (r === '') { throw new Error('empty') } else { 1 }",
        "({error: 'not today'})",
        "context.messages.length",
        "JSON.parse(r).score",
    ],
)
def test_a_script_that_gives_a_score_for_some_answer_is_fine(script: str, javascript: JavaScript) -> None:
    assert found(should(f"$js: {json.dumps(script)}"), "js-returns", javascript) == []


TURNS = (
    "- id: p\n  messages:\n    - user: Name three facts on salt.\n    - assistant: null\n"
    "    - user: Which is the oddest?\n    - assistant: null\n    - user: Why that one?\n"
    "{ideal}  should:\n    - $js: {script}\n"
)


@pytest.mark.parametrize(
    "script",
    [
        "context.messages[1].content.trim().split(' ').length > 2",
        "context.messages[3].content.toLowerCase().split(/\\W+/).some(w => r.includes(w))",
        "context.messages.every(m => m.content.length > 0) ? 1 : 0",
        "({score: r.includes(context.messages.at(-1).content) ? 1 : 0})",
        "context.messages.length === 6 ? 1 : missing",
        "JSON.parse(context.messages[1].content).score",
    ],
)
def test_earlier_turns_that_a_model_writes_hold_text_when_a_script_is_tried(
    script: str, javascript: JavaScript
) -> None:
    text = TURNS.format(script=json.dumps(script), ideal="")
    assert found(text, "js-returns", javascript) == []


def test_a_script_that_reads_a_turn_that_no_run_has_is_told(javascript: JavaScript) -> None:
    text = TURNS.format(script="context.messages[7].content.length > 3", ideal="")
    assert "Cannot read properties of undefined" in only(text, "js-returns", javascript).message


def test_the_response_is_all_generated_turns_when_a_script_is_tried(javascript: JavaScript) -> None:
    text = TURNS.format(script="JSON.parse(r).score", ideal="")
    assert "JSON" in only(text, "js-returns", javascript).message


def test_a_script_that_reads_the_system_prompt_of_the_file_is_fine(javascript: JavaScript) -> None:
    script = "r.includes(context.messages.find(m => m.role === 'system').content)"
    assert found(should(f"$js: {json.dumps(script)}"), "js-returns", javascript) == []


def test_a_generated_turn_before_a_written_answer_stays_empty_as_in_a_run(javascript: JavaScript) -> None:
    turns = "    - user: a\n    - assistant: null\n    - user: b\n    - assistant: c\n"
    text = f"- id: p\n  messages:\n{turns}  should:\n    - $js: context.messages.at(-3).content.length > 3\n"
    assert "of null" in only(text, "js-returns", javascript).message


@pytest.mark.parametrize(
    "script", ["r.includes((context.messages[1]?.content || '')[0])", "!!context.messages[3].content"]
)
def test_an_ideal_is_not_tried_on_earlier_turns_that_a_model_writes(script: str, javascript: JavaScript) -> None:
    text = TURNS.format(script=json.dumps(script), ideal="  ideal: It preserves meat.\n")
    assert found(text, "ideal-fails", javascript) == []


def test_an_ideal_is_tried_on_a_script_that_reads_written_turns(javascript: JavaScript) -> None:
    turns = "    - user: a\n    - assistant: Nairobi\n    - user: b\n"
    script = "r.includes(context.messages[1].content)"
    text = f"- id: p\n  messages:\n{turns}  ideal: Lima.\n  should:\n    - $js: {script}\n"
    assert "scores 0" in only(text, "ideal-fails", javascript).message


def test_a_definition_is_told_of_once_and_where_it_stands(javascript: JavaScript) -> None:
    text = f"title: t\npoint_defs:\n  brief: 'r.length <'\n---\n{HEAD}  should:\n    - $ref: brief\n    - $ref: brief\n"
    assert only(text, "js-syntax", javascript).span.start < text.index("---")


def test_a_pattern_of_a_definition_is_told_where_it_stands(javascript: JavaScript) -> None:
    text = f"title: t\npoint_defs:\n  sum: {{$matches: '(a'}}\n---\n{HEAD}  should:\n    - $ref: sum\n    - $ref: sum\n"
    assert underlined(text, "bad-regex", javascript) == "("


def test_what_a_script_was_told_of_stays_without_being_run_again(javascript: JavaScript) -> None:
    checker = Checker()
    parsed = parse(should("$js: '\"text\"'"))
    told = [one.slug for one in checker.check(parsed, javascript)]
    assert [one.slug for one in checker.check(parsed)] == told


# unused-definition


@pytest.mark.parametrize("reference", ["$ref: brief", "$ref: 'brief'", '{"$ref": "brief"}', "$ref: brief # c"])
def test_a_definition_that_is_named_is_used(reference: str) -> None:
    text = f"title: t\npoint_defs:\n  brief: r.length\n---\n{should(reference)}"
    assert found(text, "unused-definition") == []


def test_a_definition_that_nobody_names_is_told_at_its_name() -> None:
    text = f"title: t\npoint_defs:\n  brief: r.length\n  other: r\n---\n{should('$ref: brief')}"
    assert underlined(text, "unused-definition") == "other"


# definitions are told of where they stand


@pytest.mark.parametrize(
    ("definition", "slug", "place"),
    [
        ("{$contians: word}", "unknown-function", "$contians"),
        ("{$contains: [a, b]}", "bad-arguments", "[a, b]"),
        ("{$imatches_all_of: [word]}", "documented-only", "$imatches_all_of"),
        ("{$matches: '(?i)word'}", "inline-flags", "(?i)"),
        ("{$icontains: 'no'}", "short-substring", "'no'"),
        ("{$matches: '2+2'}", "unescaped-literal", "+"),
    ],
)
def test_what_is_wrong_with_a_definition_is_told_once_and_there(definition: str, slug: str, place: str) -> None:
    text = f"title: t\npoint_defs:\n  one: {definition}\n---\n{should('$ref: one', '$ref: one')}"
    assert underlined(text, slug) == place


def test_a_dollar_behind_fn_goes_with_the_slip_in_the_name() -> None:
    after = should("{fn: contains, arg: word}")
    assert fixed(should("{fn: $contians, arg: word}"), "unknown-function") == after


def test_the_example_for_an_opposite_is_one_of_it() -> None:
    assert "Example: $not_contains_any_of: [" in only(should("$not_contains_any_of: x"), "bad-arguments").message


def test_an_inline_flag_is_underlined_alone() -> None:
    assert underlined(should("$matches: '(?i)word'"), "inline-flags") == "(?i)"


def test_a_quoted_function_is_told_as_one_where_the_prompt_breaks_behind_it() -> None:
    text = "- id: a\n  prompt: b\n  should:\n    - \"$icontains: 'choice'\"\n  - Select the choice\n"
    assert [found.slug for found in check(parse(text))] == ["quoted-function", "yaml-syntax"]


@pytest.mark.parametrize(
    ("check", "names"),
    [
        ("$contains_some: [a, b]", ["contains_any_of", "contains_all_of"]),
        ("$all: [a, b]", ["contains_all_of", "icontains_all_of"]),
        ("$icontins: [a, b]", ["icontains_any_of", "icontains_all_of"]),
        ("$has_any: [a, b]", ["contains_any_of"]),
        ("$at_least: [2, [a, b]]", ["contains_at_least_n_of", "icontains_at_least_n_of"]),
        ("$between: [10, 20]", ["word_count_between"]),
        ("$check: '^a.*b$'", ["matches", "imatches"]),
        ("$begins_with: a", ["starts_with", "istarts_with"]),
        ("$json: true", ["is_json"]),
        ("$equals: Paris", []),
        ("$most_words: 5", []),
    ],
)
def test_what_is_suggested_for_an_unknown_name_accepts_the_argument(check: str, names: list[str]) -> None:
    assert [fix.title for fix in only(should(check), "unknown-function").fixes] == [f"use ${name}" for name in names]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$contains_any_of: a, b", '$contains_any_of: ["a", "b"]'),
        ("$contains_any_of: 'Paris'", '$contains_any_of: ["Paris"]'),
        ("$word_count_between: 45-55", "$word_count_between: [45, 55]"),
        ("$contains: [a, b]", "$contains_any_of: [a, b]"),
        ("$imatches: [a, b]", "$imatch_all_of: [a, b]"),
    ],
)
def test_an_argument_of_another_shape_becomes_what_it_may_mean(before: str, after: str) -> None:
    assert fixed(should(before), "bad-arguments") == should(after)


@pytest.mark.parametrize("sign", ["“$icontains”", "‘icontains’", "“$icontains"])
def test_a_curly_quote_around_the_name_of_a_check_is_named(sign: str) -> None:
    message = only(should(f"{sign}: x"), "unknown-function").message
    assert message.startswith(f"`{sign}` is not a check")
    assert f"the curly quote `{sign[0]}`" in message
