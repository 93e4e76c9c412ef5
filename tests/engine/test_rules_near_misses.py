"""Checks and names that are wrong by little: they are reported by what is wrong, and no fix keeps or reverses it."""

from __future__ import annotations

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from tests.engine.rule_reports import HEAD, found, only, should

LETTERS = [
    ("The \ufb01rst cat", "$contains: first", "“ﬁ” is one character there, for “fi”"),
    ("\ufb01ne", "$starts_with: fine", "“ﬁ” is one character there, for “fi”"),
    ("o\ufb03ce", "$icontains: Office", "“ﬃ” is one character there, for “ffi”"),
    ("x² The \ufb01rst", "$icontains_any_of: [first, second]", "“ﬁ” is one character there, for “fi”"),
    ("The \ufb01rst cat", "$matches: first", "“ﬁ” is one character there, for “fi”"),
    ("un cafe\u0301", "$matches: caf[eé]$", "“é” is stored as NFD there, not here"),
    ("un cafe\u0301", "$matches: caf.$", "“é” is stored as NFD there, not here"),
    ("un cafe\u0301", "$matches: ^.{7}$", "“é” is stored as NFD there, not here"),
    ("\ufb01rst cafe\u0301", "$matches_all_of: [café, first]", "“ﬁ” is one character there, for “fi”"),
    ("が", '$contains: "\u304b\u3099"', "“が” is stored as NFC there, not here"),
]


@pytest.mark.parametrize(("ideal", "point", "told"), LETTERS)
def test_a_miss_by_form_alone_is_reported_once_as_that(
    ideal: str, point: str, told: str, javascript: JavaScript
) -> None:
    text = f"{HEAD}  ideal: {ideal}\n  should:\n    - {point}\n    - Says why\n"
    assert only(text, "unicode-form", javascript).message.endswith(told)
    for slug in ("ideal-fails", "format-fragile-literal"):
        assert found(text, slug, javascript) == []


def test_full_width_letters_are_reported_by_their_format_alone(javascript: JavaScript) -> None:
    text = f"{HEAD}  ideal: ＡBC\n  should:\n    - $contains: ABC\n"
    assert found(text, "unicode-form", javascript) == []
    assert "ＡBC" in only(text, "format-fragile-literal", javascript).message


@pytest.mark.parametrize("signs", ["“”", "””", "’’", "““", "‚‘", "‟”", "＂＂", "″″", "„“", "«»", "»«", "‹›", "‘’"])
def test_a_name_within_any_quotation_marks_is_a_check(signs: str) -> None:
    text = should(f"{signs[0]}$icontains{signs[1]}: a b")
    [fix] = only(text, "unknown-function").fixes
    assert (fix.safe, [edit.text for edit in fix.edits]) == (True, ["$icontains: a b"])
    assert found(text, "colon-made-citation") == []


def test_a_quotation_mark_that_nothing_closes_is_told() -> None:
    assert "is a text for a judge, not a check" in only(should("“$icontains"), "quoted-function").message
    assert found(should("“$icontains” is what the answer names"), "quoted-function") == []


NAMES = [
    ("$contains_none_of: [a, b]", ["not_contains_any_of"]),
    ("$icontains_none: [a, b]", ["not_icontains_any_of"]),
    ("$matchez_any_of: [a, b]", []),
    ("$starts: a", ["starts_with", "istarts_with"]),
    ("$contains_of: [2, [a, b]]", ["contains_at_least_n_of"]),
    ("$includes: [a, b]", ["contains_any_of", "contains_all_of"]),
    ("$doesnt_contain: a", ["not_contains"]),
]


@pytest.mark.parametrize(("point", "names"), NAMES)
def test_a_suggestion_reverses_nothing_and_drops_nothing(point: str, names: list[str]) -> None:
    offered = only(should(point), "unknown-function").message.partition("did you mean ")[2].rstrip("?")
    assert [name.removeprefix("$") for name in offered.split(" or ") if name] == names


@pytest.mark.parametrize(
    ("point", "told"),
    [
        ("$matches_any_of: [a, b]", "$matches_at_least_n_of is the nearest, and takes [n, [pattern, …]]"),
        ("$matches_any_of: a, b", "$matches_at_least_n_of is the nearest, and takes [n, [pattern, …]]"),
        ("$starts: [a, b]", "$starts_with is the nearest, and takes text"),
        ("$contains_words: [a, b]", "$contains_word is the nearest, and takes word"),
    ],
)
def test_what_takes_another_argument_is_named_with_what_it_takes(point: str, told: str) -> None:
    report = only(should(point), "unknown-function")
    assert (told in report.message, report.fixes) == (True, ())


@pytest.mark.parametrize(
    ("models", "written"),
    [
        ("models: -openai:gpt-4o", '["openai:gpt-4o"]'),
        ("models: -CORE", '["CORE"]'),
        ("models: -openai:gpt-4o, -openai:b", '["openai:gpt-4o", "openai:b"]'),
        ("models:\n- -CORE", "CORE"),
    ],
)
def test_a_dash_without_its_space_has_its_fix_in_models(models: str, written: str) -> None:
    [fix] = only(f"{models}\n---\n{HEAD}", "model-format").fixes
    assert [edit.text for edit in fix.edits] == [written]


@pytest.mark.parametrize("models", ["models: none yet", "models: 5", "models: -a b:c", "models: {}"])
def test_what_names_no_model_has_none(models: str) -> None:
    assert only(f"{models}\n---\n{HEAD}", "model-format").fixes == ()


@pytest.mark.parametrize(("held", "is_lost"), [("{}", False), ("5", False), ("[]", False), ("[{prompt: a}]", True)])
def test_prompts_are_lost_where_there_are_some(held: str, is_lost: bool) -> None:
    assert bool(found(f"title: t\nprompts: {held}\n---\n{HEAD}", "prompt-lost")) is is_lost


@pytest.mark.parametrize("written", ["a; b", "a | b", "a, b", "|\n        a\n        b"])
def test_a_text_that_lists_is_parted_at_its_signs(written: str) -> None:
    [fix] = only(should(f"$contains_any_of: {written}"), "bad-arguments").fixes
    assert fix.edits[0].text == '["a", "b"]'


def test_a_pattern_is_not_parted_at_its_alternatives() -> None:
    [fix] = only(should("$matches_all_of: a | b"), "bad-arguments").fixes
    assert fix.edits[0].text == '["a | b"]'


@pytest.mark.parametrize("text", [r"\bno", r"yes\b", r"(\bno|yes)", r"\bold\b"])
def test_the_boundary_of_a_word_is_a_sign_of_a_pattern(text: str) -> None:
    assert only(should(f"$contains: '{text}'"), "pattern-in-literal").fixes


@pytest.mark.parametrize("text", [r"\beta", r"\begin{x}", r"\bar x", r"\binom{1}{2}", r"\big(", r"C:\bin"])
def test_a_command_of_latex_and_a_path_are_none(text: str) -> None:
    assert found(should(f"$contains: '{text}'"), "pattern-in-literal") == []


def test_calls_that_must_not_be_made_are_no_error(javascript: JavaScript) -> None:
    for point in ("$tool_call_count_between: [0, 0]", '$tool_call_count_between: [0, 0, "search"]'):
        reports = check(parse(should(point)), javascript)
        told = [one for one in reports if one.slug == "vacuous-point"]
        assert all(one.severity.value == "hint" and "judge" not in one.message for one in told)
