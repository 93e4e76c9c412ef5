"""The checker: what it tells, in which order, what it remembers, and what authors may silence."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.rules import Checker, PromptView, Report, Rule, check
from engine.rules.rule import FileView
from engine.text.diagnostics import Severity
from engine.text.spans import LineIndex, Span, apply_edits
from engine.yaml import slips as yaml_slips
from engine.yaml.slips import Line, placed_lines
from tests.engine.short_cases import assert_says, parsed_case, place
from tests.engine.test_yaml_against_js_yaml import EDITS
from tests.many_cases import every
from tests.pieces import whole_text
from tests.thoroughness import tried
from tests.world import corpus_files, needs_shared

# The checker: what it tells, in which order, what it remembers, and what authors may silence


TWO_PROMPTS = whole_text("two-prompts.yml")


class CountingRule:
    """Reports every prompt, and counts how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0
        self.rule = Rule(code="R999", slug="counting", severity=Severity.HINT, why="It counts.", on_prompt=self.look)

    def look(self, view: PromptView) -> Iterator[Report]:
        self.calls += 1
        yield Report(view.prompt.id_span, f"seen {view.prompt.id}")


def test_diagnostics_come_in_the_order_of_the_text() -> None:
    found = check(parse(TWO_PROMPTS))
    assert [one.span.start for one in found] == sorted(one.span.start for one in found)
    assert [one.slug for one in found] == ["quoted-function", "quoted-function"]


def test_a_second_check_of_the_same_text_asks_no_prompt_rule_again() -> None:
    counting = CountingRule()
    checker = Checker([counting.rule])
    checker.check(parse(TWO_PROMPTS))
    checker.check(parse(TWO_PROMPTS))
    assert counting.calls == 2


def test_an_edit_in_one_prompt_asks_about_that_prompt_alone() -> None:
    counting = CountingRule()
    checker = Checker([counting.rule])
    checker.check(parse(TWO_PROMPTS))
    checker.check(parse(TWO_PROMPTS.replace("Says one", "Says one thing")))
    assert counting.calls == 3


def test_what_is_remembered_moves_with_its_prompt() -> None:
    checker = Checker()
    checker.check(parse(TWO_PROMPTS))
    longer = TWO_PROMPTS.replace("One?", "One, or perhaps another?")
    assert checker.check(parse(longer)) == check(parse(longer))


def test_a_changed_definition_is_seen_in_a_prompt_that_did_not_change() -> None:
    text = """\
title: Definitions
point_defs:
  brief: {$contains: word}
---
- id: first
  prompt: One?
  should:
    - $ref: brief
"""
    checker = Checker()
    assert checker.check(parse(text)) == ()
    assert [found.slug for found in checker.check(parse(text.replace("contains", "contians")))] == ["unknown-function"]


def test_what_javascript_found_stays_told_while_its_prompt_stays(javascript: JavaScript) -> None:
    text = TWO_PROMPTS.replace("  should:", "  ideal: Nothing\n  should:\n    - $contains: one", 1)
    checker = Checker()
    with_javascript = checker.check(parse(text), javascript)
    assert "ideal-fails" in {found.slug for found in with_javascript}
    assert "ideal-fails" in {found.slug for found in checker.check(parse(text + "\n"))}
    assert "ideal-fails" not in {found.slug for found in check(parse(text))}


def told(mark: str, text: str) -> Iterator[str]:
    """What the usual rules tell of a text: level, place, rule, and what is underlined."""
    parsed = parsed_case(mark, text)
    for one in check(parsed):
        where = f"{place(LineIndex(parsed.text), one.span)} “{one.span.of(parsed.text)}”"
        yield f"{one.severity}{', flagged' * one.flagged} {one.slug} {where}"


def test_what_is_told_of_a_text_is_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("told_cases.txt"), told, pytestconfig)


# What the checker remembers of unchanged prompts: a check of an edited text gives what a new checker gives


STREAM = whole_text("a-stream.yml")
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


@settings(max_examples=tried(15, 200), deadline=None)
@given(st.data())
def test_after_any_edits_it_says_what_a_new_checker_says(data: st.DataObject) -> None:
    text, checker = STREAM, Checker()
    for _ in range(4):
        assert checker.check(parse(text)) == check(parse(text))
        text = data.draw(_edited(text))


@needs_shared
@every("seed", range(tried(1, 12)))
def test_after_edits_of_a_corpus_file_it_says_what_a_new_checker_says(seed: int) -> None:
    chance = random.Random(seed)
    for path in chance.sample(corpus_files(), 6):
        checker = Checker()
        for text in _versions(path, chance):
            parsed = parse(text, path)
            assert checker.check(parsed) == check(parsed), path.name


@needs_shared
@every("seed", range(tried(2, 6)))
def test_after_edits_of_a_corpus_file_it_says_with_v8_what_a_new_checker_says(seed: int) -> None:
    chance = random.Random(seed)
    with JavaScript() as javascript:
        for path in chance.sample(corpus_files(), 3):
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


@every(
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


def test_lines_are_read_anew_for_no_point_at_the_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0

    def counted(written: str, start: int) -> Iterator[Line]:
        nonlocal read
        read += written.count("\n") + 1
        return placed_lines(written, start)

    monkeypatch.setattr(yaml_slips, "placed_lines", counted)
    found = check(parse("- id: a\n  prompt: What is due?\n  should:\n" + "- a\n" * 2_000))
    assert sum(each.slug == "stray-item" for each in found) == 2_000
    assert read < 3_000


# A text that was checked is freed with its successor: a long one must not wait for the garbage collector


FREED = "- id: a\n  prompt: Say it {}\n  should:\n    - $contains: x\n    - Says it\n- id: b\n  prompt: [\n"


@pytest.fixture
def no_collector() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    yield
    if was_enabled:
        gc.enable()


def texts() -> set[int]:
    """The texts and the views of texts that are alive."""
    return {id(each) for each in gc.get_objects() if isinstance(each, Parsed | FileView)}


def checked_twice(checker: Checker, parsed: Parsed, javascript: JavaScript) -> None:
    checker.check(parsed)
    checker.check(parsed, javascript)


@pytest.mark.usefixtures("no_collector")
def test_a_checked_text_is_freed_without_the_collector() -> None:
    checker = Checker()
    checker.check(parse(FREED.format(0)))
    before = texts()
    with JavaScript() as javascript:
        for number in range(3):
            checked_twice(checker, parse(FREED.format(number)), javascript)
    checker.check(parse(FREED.format(0)))
    assert len(texts()) <= len(before)
