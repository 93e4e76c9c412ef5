"""What the checker remembers of unchanged prompts: a check of an edited text gives what a new checker gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import Checker, check
from engine.rules.rule import FileView, Report, Rule
from engine.text.diagnostics import Severity
from engine.text.spans import Span, apply_edits
from tests.engine.test_yaml_against_js_yaml import EDITS
from tests.thoroughness import tried
from tests.world import corpus_files, needs_shared

STREAM = """\
title: A stream
models: [openai:gpt-4o-mini]
point_defs:
  brief: {$word_count_between: [1, 50]}
---
- id: one
  prompt: "What is it?"
  ideal: Nothing
  should:
    - Says it
    - $contains: it
    - $ref: brief
    - "$icontains: 'x'"
- id: two
  messages:
    - user: |
        Tell me.

        - now
  system: own
  should_not:
    - "Refuses: flatly"
    - - a path
      - of two
- prompt: &q Asked twice?
  should: [*q]
---
id: three
prompt: >
  Folded
should: wrong
"""
SNIPPETS = (
    *("q", " ", "\n", "- ", "\n- ", "---\n", "\n---\n", '"', "'", "|\n", ": ", "#", "[", "}", ",", "\t", "\r\n"),
    *("é", "&a ", "*a", "? ", "- id: x\n", "\n\n", "- $ref: x\n", "!!str ", "<<: ", "systems: [null, B]\n"),
    *("noCache: true\n", "point_defs: {x: y}\n", "# studio: ignore[quoted-function]\n", "  should\n", "", ""),
)


@st.composite
def _edited(draw: st.DrawFn, text: str) -> str:
    """`text` after one edit."""
    start = draw(st.integers(0, len(text)))
    end = min(len(text), start + draw(st.sampled_from([0, 0, 0, 1, 2, 9, 60])))
    return text[:start] + draw(st.sampled_from(SNIPPETS)) + text[end:]


@pytest.mark.parametrize("first", ["\r\n", "\r"])
def test_a_fix_has_the_line_break_that_the_file_uses_now(first: str) -> None:
    checker = Checker()
    checker.check(parse(STREAM))
    assert checker.check(parse(first + STREAM)) == check(parse(first + STREAM))


@settings(max_examples=tried(30, 200), deadline=None)
@given(st.data())
def test_after_any_edits_it_says_what_a_new_checker_says(data: st.DataObject) -> None:
    text, checker = STREAM, Checker()
    for _ in range(4):
        assert checker.check(parse(text)) == check(parse(text))
        text = data.draw(_edited(text))


@needs_shared
@pytest.mark.parametrize("seed", range(tried(2, 12)))
def test_after_edits_of_a_corpus_file_it_says_what_a_new_checker_says(seed: int) -> None:
    chance = random.Random(seed)
    for path in chance.sample(corpus_files(), 6):
        checker = Checker()
        for text in _versions(path, chance):
            parsed = parse(text, path)
            assert checker.check(parsed) == check(parsed), path.name


@needs_shared
@pytest.mark.parametrize("seed", range(3))
def test_after_edits_of_a_corpus_file_it_says_with_v8_what_a_new_checker_says(seed: int) -> None:
    chance = random.Random(seed)
    with JavaScript() as javascript:
        for path in chance.sample(corpus_files(), 4):
            checker = Checker()
            for text in _versions(path, chance):
                parsed = parse(text, path)
                assert checker.check(parsed, javascript) == check(parsed, javascript), path.name


def _versions(path: Path, chance: random.Random) -> Iterator[str]:
    """The text of `path` and five more, each after one more edit."""
    text = path.read_bytes().decode("utf-8")[:30_000]
    yield text
    for _ in range(5):
        edit: Callable[[str, random.Random], str] = chance.choice(EDITS)
        text = edit(text, chance)
        yield text


def test_a_prompt_that_an_error_cuts_off_is_not_said_to_lack_what_may_follow() -> None:
    text = "- id: a\n  prompt: x\n"
    checker = Checker()
    assert "no-rubric" in {found.slug for found in checker.check(parse(text))}
    broken = parse(text + "  should\n")
    assert checker.check(broken) == check(broken)


ASKED_TWICE = """\
- id: short
  prompt: What is the capital of Kenya?
  should:
    - At most 20 words.
- id: long
  prompt: What is the capital of Kenya?
  should:
    - At least 100 words.
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- id: short", "# a comment above\n\n- id: short"),
        ("- id: long", "- id: between\n  prompt: Why?\n  should: [Says why]\n- id: long"),
        ("At most 20", "At most 30"),
        ("At most 20", "At most 200"),
        ("At least 100", "At least 10"),
        ("id: long", "id: longer"),
        ("Kenya?\n  should:\n    - At most", "Uganda?\n  should:\n    - At most"),
    ],
)
def test_two_prompts_with_one_question_are_compared_anew_once_one_changes(old: str, new: str) -> None:
    checker = Checker()
    assert "same-prompt-other-expectation" in {found.slug for found in checker.check(parse(ASKED_TWICE))}
    edited = ASKED_TWICE.replace(old, new)
    assert checker.check(parse(edited)) == check(parse(edited))


def test_rules_on_the_file_that_need_no_v8_run_once_for_each_text() -> None:
    calls: list[FileView] = []

    def on_file(view: FileView) -> tuple[Report, ...]:
        calls.append(view)
        return (Report(Span(0, 1), "here"),)

    checker = Checker([Rule(code="T001", slug="counted", severity=Severity.HINT, why="why", on_file=on_file)])
    with JavaScript() as javascript:
        parsed = parse(STREAM)
        at_once, thorough = checker.check(parsed), checker.check(parsed, javascript)
        again = checker.check(parse(STREAM))
    assert (len(calls), at_once, thorough) == (2, again, again)


def test_equal_points_at_the_margin_are_one_report_whose_fix_indents_them_all() -> None:
    text = '- id: a\n  prompt: What is due?\n  should:\n\n- The rent? # first\n- "A fee"\n- The rent? # first\n'
    [found] = [each for each in check(parse(text)) if each.slug == "stray-item"]
    assert [apply_edits(text, fix.edits).count("\n    - ") for fix in found.fixes] == [3]
