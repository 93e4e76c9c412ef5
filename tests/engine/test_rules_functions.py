"""Checks that cannot do what they were written for: patterns, scripts, short texts, services and tools."""

from __future__ import annotations

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from engine.rules.checker import Checker
from tests.engine.rule_reports import should

# js-syntax, js-returns


def test_what_a_script_was_told_of_stays_without_being_run_again(javascript: JavaScript) -> None:
    checker = Checker()
    parsed = parse(should("$js: '\"text\"'"))
    told = [one.slug for one in checker.check(parsed, javascript)]
    assert [one.slug for one in checker.check(parsed)] == told


# definitions are told of where they stand


def test_a_quoted_function_is_told_as_one_where_the_prompt_breaks_behind_it() -> None:
    text = "- id: a\n  prompt: b\n  should:\n    - \"$icontains: 'choice'\"\n  - Select the choice\n"
    assert [found.slug for found in check(parse(text))] == ["quoted-function", "yaml-syntax"]
