"""Patterns that V8 would compile for seconds: which they are, and that rules do not let V8 begin with them."""

from __future__ import annotations

import time

import pytest

from engine.blueprint import Point
from engine.functions import v8
from engine.functions.tasks import Budget, Matches, RegexTask, TimedOut, is_heavy
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import Checker
from engine.rules.source.regexes import patterns_of
from tests.world import corpus_files, needs_shared

STUCK = "a?" * 60 + "b^c"
"""V8 compiles it for longer than its process is waited for."""


@pytest.mark.parametrize(
    "pattern",
    [
        STUCK,
        "(?:a|bc)?" * 40 + "$b",
        "(a?)" * 40 + "bc$de",
        r"\s?" * 40 + "^",
        "a{0,3}" * 40 + "b",
        "[ab)]?" * 40 + "b",
        r"(?:\b|x)" * 40 + "b^c",
        "(?:ab|cd|)" * 40 + "b",
        "(" * 1_000 + "a?" + ")?" * 1_000,
        "(?:a|" * 500 + "b" + ")" * 500,
        ".*$" * 900,
        "(a|b)*x" * 900,
        r"[^a]\w" * 900,
    ],
)
def test_a_pattern_of_many_choices_is_heavy(pattern: str) -> None:
    assert is_heavy(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        r"colou?rs?(?: of)?",
        "a??" + "b+?" * 40 + "c*?" * 40,
        r"\?" * 100,
        "[?]" * 100,
        r"(?=a)(?<=b)(?<!c)" * 30,
        r"\s*\{\s*" * 40,
        r"\b(?:" + "|".join(["word", "another", "third"] * 2_000) + r")\b",
        "((a))" * 150,
    ],
)
def test_a_pattern_of_an_author_is_not(pattern: str) -> None:
    assert not is_heavy(pattern)


@needs_shared
def test_no_pattern_of_the_public_collection_is_heavy() -> None:
    texts = [file.read_text("utf-8") for file in corpus_files()]
    points = [point for text in texts if "matches" in text for point in _points(text)]
    patterns = [pattern.bare for point in points for pattern in patterns_of(point)]
    assert len(patterns) > 300
    assert [each for each in patterns if is_heavy(each)] == []


def _points(text: str) -> list[Point]:
    return [point for prompt in parse(text).blueprint.prompts for point in prompt.points()]


def test_a_heavy_pattern_is_not_tried_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(v8, "_GRACE_SECONDS", 60.0)
    text = f"- id: a\n  prompt: b\n  ideal: aaaa\n  should:\n    - $matches: '{STUCK}'\n    - $matches: 'x|'\n"
    with JavaScript() as javascript:
        began = time.monotonic()
        found = Checker().check(parse(text), javascript)
        assert time.monotonic() - began < v8._GRACE_SECONDS  # pyright: ignore[reportPrivateUsage]
    assert any("not all patterns and scripts" in each.message for each in found)


def test_a_task_that_silences_the_process_is_found_by_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(v8, "_GRACE_SECONDS", 1.0)
    tasks = [RegexTask("x", "", "x", 1), RegexTask(STUCK, "", "Nairobi", 1), RegexTask("x", "", "y", 1)]
    with JavaScript(milliseconds=20) as javascript:
        assert javascript.run_within(tasks, Budget(0.1)) == [None, None, None]
        first, stuck, last = javascript.run_within(tasks, Budget(0.1))
    assert isinstance(first, Matches)
    assert stuck == TimedOut(20)
    assert last is None
