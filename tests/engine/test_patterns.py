"""Patterns of rules are compiled when they are first used, and all of them can be."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from engine import rules
from engine.blueprint import Point
from engine.evaluation.point_assessment import assess
from engine.functions import v8
from engine.functions.tasks import Budget, Matches, RegexTask, TimedOut, is_heavy
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import Checker
from engine.rules.registry import rule_modules
from engine.rules.source.regexes import patterns_of
from engine.scoring.explanation_builder import explain
from engine.text.patterns import LazyPattern, lazy
from tests.engine.short_cases import assert_says
from tests.many_cases import every
from tests.world import corpus_files, needs_shared

# Patterns of rules are compiled when they are first used, and all of them can be


UNUSED = """
import sys
import engine.rules
from engine.text.patterns import LazyPattern
found = [each for module in list(sys.modules.values()) for each in vars(module).values() if type(each) is LazyPattern]
print(len(found), sum("match" in vars(each) for each in found))
"""


def patterns() -> Iterator[LazyPattern]:
    assert rule_modules()
    for name, module in list(sys.modules.items()):
        if name.startswith(rules.__name__):
            yield from (each for each in vars(module).values() if type(each) is LazyPattern)


def test_every_pattern_of_the_rules_can_be_compiled() -> None:
    sources = [each.pattern for each in patterns()]
    assert sources
    assert all(isinstance(source, str) for source in sources)


def test_loading_the_rules_compiles_hardly_any_of_their_patterns() -> None:
    done = subprocess.run([sys.executable, "-c", UNUSED], capture_output=True, text=True, check=True)
    known, compiled = map(int, done.stdout.split())
    assert (known > 100, compiled <= known / 20) == (True, True)


def test_a_pattern_that_was_put_off_is_the_pattern() -> None:
    put_off, compiled = lazy(r"(?P<word>\w+) x", re.IGNORECASE), re.compile(r"(?P<word>\w+) x", re.IGNORECASE)
    text = "a X, bc x"
    assert [each["word"] for each in put_off.finditer(text)] == [each["word"] for each in compiled.finditer(text)]
    assert (put_off.sub("-", text), put_off.pattern, put_off.flags) == (
        compiled.sub("-", text),
        compiled.pattern,
        compiled.flags,
    )


def test_a_mistake_in_a_pattern_is_told_at_its_first_use() -> None:
    broken = lazy("(")
    with pytest.raises(re.error):
        broken.match("a")


# A pattern that is stopped for time is an error and counts 0; where Weval would count 100, that is said


ANSWER = "a" * 40 + "b"


def judged(javascript: JavaScript, _: str, body: str) -> Iterator[str]:
    """What the first check of a rubric comes to that is stopped for time, here and on Weval, and what is said of it."""
    (of,) = parse(f"- id: a\n  prompt: x\n  {body}").blueprint.prompts
    assessments = assess(of, ANSWER, javascript)
    explained = explain(of, assessments)
    yield f"{assessments[0].extent:g} here; on Weval: {assessments[0].on_weval}"
    yield f"score {explained.score}, {explained.weval.unrounded} on Weval"
    yield f"  {assessments[0].detail}"
    yield from (f"  {reason}" for reason in explained.weval.reasons)


def test_what_is_stopped_for_time_counts_as_its_file_says(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("stopped_cases.txt"), partial(judged, javascript), pytestconfig)


# Patterns that V8 would compile for seconds: which they are, and that rules do not let V8 begin with them


STUCK = "a?" * 60 + "b^c"
"""V8 compiles it for longer than its process is waited for."""


@every(
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


@every(
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
    monkeypatch.setattr(v8, "_GRACE_SECONDS", 0.4)
    tasks = [RegexTask("x", "", "x", 1), RegexTask(STUCK, "", "Nairobi", 1), RegexTask("x", "", "y", 1)]
    with JavaScript(milliseconds=20) as javascript:
        assert javascript.run_within(tasks, Budget(0.1)) == [None, None, None]
        first, stuck, last = javascript.run_within(tasks, Budget(0.1))
    assert isinstance(first, Matches)
    assert stuck == TimedOut(20)
    assert last is None
