"""Checks that cannot do what they were written for: patterns, scripts, short texts, services and tools."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from engine.diagnostics import Diagnostic, Severity
from engine.javascript import JavaScript
from engine.parsing import parse
from engine.rules import check
from engine.rules.checker import Checker
from engine.text import apply_edits

HEAD = "- id: p\n  prompt: q\n"


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript() as running:
        yield running


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


def found(text: str, slug: str, javascript: JavaScript | None = None) -> list[Diagnostic]:
    return [one for one in check(parse(text), javascript) if one.slug == slug]


def only(text: str, slug: str, javascript: JavaScript | None = None) -> Diagnostic:
    [one] = found(text, slug, javascript)
    return one


def underlined(text: str, slug: str, javascript: JavaScript | None = None) -> str:
    return only(text, slug, javascript).span.of(text)


def fixed(text: str, slug: str, number: int = 0, javascript: JavaScript | None = None) -> str:
    """The text after one of the fixes, which must have mended it."""
    after = apply_edits(text, only(text, slug, javascript).fixes[number].edits)
    assert parse(after).tree.error is None
    assert found(after, slug, javascript) == []
    return after


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
        ("2+2 # c", r"2\+2 # c"),
        ("'it''s (A)'", r"'it''s \(A\)'"),
        ("C++", r"C\+\+"),
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


# slow-regex


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("^(a+)+$", "(a+)+"),
        (r"^(\w+\s?)*$", r"(\w+\s?)*"),
        ("^(a|a)*b", "(a|a)*"),
        ("(?:a|b|ab)*c", "(?:a|b|ab)*"),
        (r"\s*\s*\s*$", None),
        (".*.*=.*", None),
    ],
)
def test_a_pattern_that_takes_long_is_told_with_what_was_measured(
    pattern: str, part: str | None, javascript: JavaScript
) -> None:
    text = should(f"$matches: '{pattern}'")
    one = only(text, "slow-regex", javascript)
    assert "characters such as" in one.message
    assert part is None or one.span.of(text) == part


@pytest.mark.parametrize(
    "pattern", [r"^\w+(\s+\w+)*:$", "(a|ab)*c", r"\bword\b", "a+b+c+", r"^\s+|\s+$", "[^,]*,[^,]*", "(foo|bar)+"]
)
def test_a_pattern_that_reads_a_text_in_one_way_is_not_slow(pattern: str, javascript: JavaScript) -> None:
    assert found(should(f"$matches: '{pattern}'"), "slow-regex", javascript) == []


def test_a_keystroke_times_nothing() -> None:
    assert found(should("$matches: '^(a+)+c$'"), "slow-regex") == []


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


# short-substring


@pytest.mark.parametrize(
    "point",
    [
        "$icontains: 'no'",
        "$contains: D",
        "$contains: 'red'",
        "$not_icontains: yes",
        "$contains: '42'",
        "$matches: '3'",
        "$icontains_any_of: [yes, certainly]",
        "$contains_at_least_n_of: [1, [fig, apple]]",
    ],
)
def test_a_text_that_other_words_hold_is_told(point: str) -> None:
    assert len(found(should(point), "short-substring")) == 1


@pytest.mark.parametrize(
    "point",
    [
        "$contains: USA",
        "$contains: (B)",
        "$icontains: 東京",
        "$icontains: 😀",
        "$icontains: ไทย",
        "$icontains: true",
        "$contains: '1984'",
        "$icontains_word: 'no'",
        r"$matches: '\b3\b'",
        "$starts_with: A",
        "$icontains: né",
        "$contains: 'zyx'",
        "$contains_any_of: x",
        "$contains: 1.5",
    ],
)
def test_a_text_that_stands_for_itself_is_not(point: str) -> None:
    assert found(should(point), "short-substring") == []


def test_a_short_text_is_fine_where_another_check_holds_the_whole_answer() -> None:
    assert found(should("$matches: '^[1-4]$'", "$matches: '3'"), "short-substring") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$icontains: 'no' # c", "$icontains_word: 'no' # c"),
        ("$contains: '42'", "$contains_word: '42'"),
        ("$not_icontains: yes", "$not_icontains_word: yes"),
        ("$icontains: B", "$icontains_word: B"),
        ("$matches: '3'", r"$matches: '\b3\b'"),
        ("$icontains_any_of: [yes, 'no']", r"$imatches: '\b(?:yes|no)\b'"),
        ("$contains_all_of: [red, 'blue'] # c", r"$matches_all_of: ['\bred\b', '\bblue\b'] # c"),
        ("$icontains_at_least_n_of: [1, [fig, nut]]", r"$imatch_at_least_n_of: [1, ['\bfig\b', '\bnut\b']]"),
    ],
)
def test_a_short_text_is_looked_for_as_a_word(before: str, after: str) -> None:
    assert fixed(should(before), "short-substring") == should(after)


def test_the_word_form_of_the_letter_a_is_not_offered() -> None:
    assert only(should("$icontains: A"), "short-substring").fixes == ()


def asked(prompt: str, point: str, ideal: str = "") -> str:
    written = f"  ideal: {ideal}\n" if ideal else ""
    return f"- id: a\n  prompt: {prompt}\n{written}  should:\n    - {point}\n"


def short_titles(text: str) -> list[str]:
    return [fix.title for fix in only(text, "short-substring").fixes]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (asked("Do they know it?", "$icontains: 'no'"), "“no” is also found in “know”, a word of this prompt"),
        (
            asked("Is it so?", "$icontains: 'no'", "Nobody says so."),
            "“no” is also found in “Nobody”, a word of the ideal",
        ),
        (asked("Is it so?", "$icontains: 'no'"), "“no” is also found in “another”, a common word"),
        (asked("Is it 12 or 3?", "$contains: '2'"), "“2” is also found in “12”, a number of this prompt"),
        (asked("Is it so?", "$contains: '7'"), "“7” is also found in “17”, a common number"),
        (asked("Gilt das dafür?", "$icontains: für"), "“für” is also found in “dafür”, a word of this prompt"),
    ],
)
def test_the_word_that_holds_a_short_text_is_named_and_whose_it_is(text: str, message: str) -> None:
    assert only(text, "short-substring").message == message


@pytest.mark.parametrize(
    "prompt",
    [
        "Which option is it? Answer with only the letter.",
        "Which option is it? Your response should be 'A'.",
        "Which option is it? Reply with just the letter, without any explanation.",
        "Give the letter only, nothing else.",
    ],
)
def test_the_letter_alone_is_offered_where_the_prompt_asks_for_it_alone(prompt: str) -> None:
    assert short_titles(asked(prompt, "$icontains: B")) == [
        "the answer is “B” alone: $imatches", "as a whole word: $icontains_word",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "prompt",
    [
        "Which option is it?",
        "Which option is it? Think step by step.",
        "Think step by step, then answer with only the letter.",
        "Which option is it? Explain your choice.",
        "Which option is it? Show your work and end with the letter.",
        "Which option is it, and why?",
    ],
)
def test_the_letter_alone_is_not_offered_where_an_ordinary_answer_says_more(prompt: str) -> None:
    assert short_titles(asked(prompt, "$icontains: B")) == ["as a whole word: $icontains_word"]
    assert short_titles(asked(prompt, "$icontains: A", "A")) == []


def test_a_fix_that_the_ideal_does_not_pass_is_not_offered() -> None:
    only_letter = "Answer with only the letter."
    assert short_titles(asked(only_letter, "$icontains: B", "It is B")) == ["as a whole word: $icontains_word"]
    assert short_titles(asked("How many?", "$contains: '4'", "The 4th one.")) == []
    assert short_titles(asked("Is it?", "$not_icontains: 'no'", "It is no bird.")) == []


def test_a_short_text_of_a_definition_is_held_by_common_words_only() -> None:
    text = f"point_defs:\n  one: {{$icontains: 'no'}}\n---\n{should('$ref: one')}"
    assert only(text, "short-substring").message == "“no” is also found in “another”, a common word"


# case-alone


def test_only_its_case_makes_a_check_miss_the_ideal(javascript: JavaScript) -> None:
    text = f"{HEAD}  ideal: It is Nairobi.\n  should:\n    - $contains: nairobi # c\n"
    assert found(text, "ideal-fails", javascript) == []
    assert fixed(text, "case-alone", javascript=javascript) == text.replace("$contains", "$icontains")


def test_an_ideal_that_fails_whatever_the_case_is_not_a_matter_of_case(javascript: JavaScript) -> None:
    text = f"{HEAD}  ideal: It is Nairobi.\n  should:\n    - $contains: mombasa\n"
    assert found(text, "case-alone", javascript) == []
    assert len(found(text, "ideal-fails", javascript)) == 1


WRITTEN_LAST = """\
- id: a
  messages:
    - user: What is the capital of Kenya?
    - assistant: It is Nairobi.
  should: [$contains: nairobi, $contains: Mombasa]
"""


def test_the_written_answer_that_is_judged_is_looked_at_too(javascript: JavaScript) -> None:
    [missed] = [each for each in check(parse(WRITTEN_LAST), javascript) if each.slug == "case-alone"]
    assert missed.message == "only its case makes this miss the answer that is written last: $icontains passes"


def test_a_check_that_misses_both_by_its_case_is_told_once(javascript: JavaScript) -> None:
    both = WRITTEN_LAST + "  ideal: Nairobi.\n"
    [missed] = [each for each in check(parse(both), javascript) if each.slug == "case-alone"]
    assert "the prompt's own ideal" in missed.message


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
        ("\"'yes'\"", "returned a text"),
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


# services

SERVICE = "title: t\nexternalServices:\n  checker:\n    url: {}\n    headers: {{{}}}\n---\n"


def test_a_call_that_names_nobody_is_told_once() -> None:
    text = should("$call: {claim: x}")
    assert underlined(text, "call-target") == "$call"
    assert found(text, "bad-arguments") == []


@pytest.mark.parametrize("call", ["{service: checker}", "{url: 'https://example.org'}"])
def test_a_call_that_names_somebody_is_fine(call: str) -> None:
    text = SERVICE.format("https://example.org", "") + should(f"$call: {call}")
    assert found(text, "call-target") + found(text, "unknown-service") == []


def test_an_undeclared_service_is_told_with_the_one_that_was_meant() -> None:
    text = SERVICE.format("https://example.org", "") + should("$call: {service: cheker}")
    assert "did you mean “checker”?" in only(text, "unknown-service").message


@pytest.mark.parametrize("name", ["$not_call", "$external", "$not_external"])
def test_whatever_a_call_is_called_it_has_to_name_somebody(name: str) -> None:
    assert underlined(should(f"{name}: {{claim: x}}"), "call-target") == name
    text = SERVICE.format("https://example.org", "") + should(f"{name}: {{service: cheker}}")
    assert underlined(text, "unknown-service") == "cheker"


def test_what_a_service_may_say_of_retries_and_answers_is_known() -> None:
    text = SERVICE.format("https://example.org\n    max_retries: 1\n    retry_backoff_ms: 5\n    cache: false", "")
    assert found(text + should("$call: {service: checker}"), "unknown-key") == []


@pytest.mark.parametrize(
    ("url", "header", "number"),
    [
        ("http://example.org/check", 'X-Of-Mine: "${KEY}"', 1),
        ("http://example.org", "Authorization: abc", 1),
        ("https://example.org", "Authorization: abc", 0),
        ("http://localhost:8080/x", "Authorization: abc", 0),
        ("http://127.0.0.1", "X-Api-Key: abc", 0),
        ("http://localhost.example.org", "X-Api-Key: abc", 1),
        ("http://example.org", "Accept: text/plain", 0),
    ],
)
def test_a_secret_goes_out_only_with_encryption(url: str, header: str, number: int) -> None:
    text = SERVICE.format(url, header) + should("$call: {service: checker}")
    assert len(found(text, "call-secret-over-http")) == number


def test_factcheck_is_told_once_a_file_and_only_where_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    text = should("$factcheck: dates", "$factcheck: names")
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    assert only(text, "factcheck-endpoint").message.startswith("2 checks of this file")
    monkeypatch.setenv("FACTCHECK_ENDPOINT_URL", "https://example.org")
    assert found(text, "factcheck-endpoint") == []


def test_the_opposite_of_factcheck_needs_the_same_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    assert underlined(should("$not_factcheck: dates"), "factcheck-endpoint") == "$not_factcheck"


# tools

TOOLS = """\
title: t
tools:
  - name: calculator
    schema: {type: object, properties: {sum: {type: string}, form: {type: object, properties: {base: {type: number}}}}}
  - name: search
---
"""


@pytest.mark.parametrize(
    "point",
    [
        "$tool_called: calc",
        "$tool_args_match: {name: calc, where: {}}",
        "$tool_call_count_between: [1, 2, calc]",
        "$tool_call_order: [search, calc]",
    ],
)
def test_a_tool_that_is_not_declared_is_told_where_it_is_named(point: str) -> None:
    assert underlined(TOOLS + should(point), "tool-unknown") == "calc"


def test_tools_of_a_prompt_are_held_against_the_declared_ones() -> None:
    text = TOOLS + f"{HEAD}  requiredTools: [serch, search]\n"
    assert "did you mean “search”?" in only(text, "tool-unknown").message


def test_without_declared_tools_nothing_is_said_of_names() -> None:
    assert found(should("$tool_called: calc"), "tool-unknown") == []


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("{summ: 1}", "did you mean “sum”?"),
        ("{form: {bas: 2}}", "did you mean “base”?"),
        ("'args.total > 3'", "no argument “total”"),
        ("{sum: 1, form: {base: 2}}", None),
        ("'args.sum > 3'", None),
    ],
)
def test_an_argument_is_held_against_the_schema(where: str, told: str | None) -> None:
    text = TOOLS + should(f"$tool_args_match: {{name: calculator, where: {where}}}")
    messages = [one.message for one in found(text, "tool-argument-unknown")]
    assert [told is not None and told in message for message in messages] == ([True] if told else [])


@pytest.mark.parametrize(
    ("fields", "points", "number"),
    [
        ("requiredTools: [search]\n  prohibitedTools: [search]", ["Says x"], 1),
        ("prohibitedTools: [search]", ["$tool_called: search"], 1),
        ("maxCalls: 1", ["$tool_called: search", "$tool_called: calculator"], 1),
        ("maxCalls: 1", ["$tool_call_order: [search, search]"], 1),
        ("maxCalls: 2", ["$tool_call_order: [search, search]"], 0),
        ("maxCalls: 1", ["- $tool_called: search", "- $tool_called: calculator"], 0),
        ("weight: 1", ["$tool_call_count_between: [2, 3, search]", "$tool_call_count_between: [0, 1, search]"], 1),
        ("weight: 1", ["$tool_call_count_between: [0, 1]", "$tool_call_count_between: [2, 3, search]"], 1),
        ("weight: 1", ["$tool_call_count_between: [1, 1, search]", "$tool_called: search"], 0),
    ],
)
def test_demands_that_no_answer_meets_together_are_told(fields: str, points: list[str], number: int) -> None:
    text = TOOLS + should(*points).replace("prompt: q", f"prompt: q\n  {fields}")
    assert len(found(text, "tool-counts-contradict")) == number


def test_a_tool_that_two_checks_contradict_each_other_on_is_told_once() -> None:
    text = should("$tool_called: search") + "  should_not:\n    - $tool_called: search\n"
    assert len(found(text, "tool-counts-contradict") + found(text, "contradiction")) == 1


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
    assert "Right would be: $not_contains_any_of: [" in only(should("$not_contains_any_of: x"), "bad-arguments").message


def test_an_inline_flag_is_underlined_alone() -> None:
    assert underlined(should("$matches: '(?i)word'"), "inline-flags") == "(?i)"


def test_a_quoted_function_is_told_as_one_where_the_prompt_breaks_behind_it() -> None:
    text = "- id: a\n  prompt: b\n  should:\n    - \"$icontains: 'choice'\"\n  - Select the choice\n"
    assert [found.slug for found in check(parse(text))] == ["quoted-function", "yaml-syntax"]
