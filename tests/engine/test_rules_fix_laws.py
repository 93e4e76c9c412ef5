"""What holds of every fix of every rule: on the rules' own examples whatever stands around them, on their cases, and in
the corpus."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall, Prompt
from engine.functions.point_function import Checked, Subject
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.rules import ALL, Checker, Rule
from engine.rules.fixes import FixOutcome, FixTrial, apply_fixes, apply_one, fix_text, safe_fix
from engine.rules.source.prompt_texts import answer_form, ordinary_answers
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.spans import apply_edits
from tests.checked_corpus import read
from tests.engine.fix_trials import (
    EVERY,
    RULE_CASES,
    became_text,
    cases_of,
    changed_by_safe_fixes,
    fixes_in,
    moved_otherwise,
    uncured,
    undone,
)
from tests.engine.test_recognition import damaged
from tests.many_cases import every
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

PLAIN = (
    "- id: plain-{}\n  prompt: What is due?\n  should:\n    - Names the rent # one\n\n    # two\n    - Names the day\n"
)
FILES = one_in(12, corpus_files())


def bad_example(rule: Rule) -> str:
    found = re.search(r"^Bad:\n\n((?:    .*\n|\n)+)", rule.page, re.MULTILINE)
    assert found is not None
    return textwrap.dedent(found[1]).strip() + "\n"


LISTS = [bad_example(rule) for rule in ALL if bad_example(rule).startswith("- ")]
"""The bad examples that are lists of prompts, so that other prompts can stand around them."""


def as_written(text: str) -> str:
    return text


def with_windows_line_ends(text: str) -> str:
    return text.replace("\n", "\r\n")


def with_comments(text: str) -> str:
    """A comment above each prompt."""
    return re.sub(r"^- ", "# above\n- ", text, flags=re.MULTILINE)


def deeper(text: str) -> str:
    """All prompts under `prompts:`, indented."""
    return "title: x\nprompts:\n" + textwrap.indent(text, "    ")


LAYOUTS: tuple[Callable[[str], str], ...] = (as_written, with_windows_line_ends, with_comments, deeper)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """One to three bad examples among plain prompts, in one of the layouts; their ids are not those of another one."""
    chosen = draw(st.lists(st.sampled_from(LISTS), min_size=1, max_size=3, unique=True))
    parts = [PLAIN.format(0)]
    for number, example in enumerate(chosen, 1):
        parts += [example.replace("- id: ", f"- id: n{number}-"), PLAIN.format(number)]
    return draw(st.sampled_from(LAYOUTS))("".join(parts))


def cases() -> list[str]:
    """The cases of all rules."""
    return [text for file in RULE_CASES for text, _ in cases_of(file)]


lawful = settings(
    max_examples=tried(20, 60),
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)


# One fix


def faults(trial: FixTrial, fix: Fix, outcome: FixOutcome, slug: str) -> Iterator[str]:
    """What is wrong with a text after a fix, whatever it is a fix of."""
    before, after = trial.parsed, outcome.parsed
    if after.tree.error is not None and before.tree.error is None:
        yield "it cannot be read"
    if told(outcome.diagnostics)[slug] >= told(trial.diagnostics)[slug]:
        yield "it has as many problems"
    if changed_elsewhere(before, after, fix):
        yield "another prompt is written otherwise"
    if "\r\n" in before.text and after.text.count("\n") != after.text.count("\r\n"):
        yield "its line ends are mixed"
    if "\r" not in before.text and "\r" in after.text:
        yield "it has line ends of Windows"
    if fix.safe and before.weval.ok and not after.weval.ok:
        yield "Weval cannot read it"


def told(diagnostics: tuple[Diagnostic, ...]) -> Counter[str]:
    return Counter(found.slug for found in diagnostics)


def changed_elsewhere(before: Parsed, after: Parsed, fix: Fix) -> list[str]:
    """The prompts that are read whole, that no edit of `fix` touches, and that are no prompt as they were afterwards.

    Where the text could not be read before, there may be more of them afterwards.
    """
    there = [prompt.span.of(after.text) for prompt in after.blueprint.prompts]
    return [
        written
        for old in before.blueprint.prompts
        if old.index not in before.broken.prompts
        and not any(edit.span.start <= old.span.end and old.span.start <= edit.span.end for edit in fix.edits)
        and (written := old.span.of(before.text)) not in there
    ]


@lawful
@given(text=texts())
def test_a_fix_ends_a_problem_and_leaves_the_rest_of_the_file_as_it_is(javascript: JavaScript, text: str) -> None:
    trial = FixTrial(text, None, javascript, selection=EVERY)
    outcomes = [(one, fix, trial.outcome(one, fix)) for one, fix in fixes_in(trial)]
    assert [(fix, wrong) for one, fix, outcome in outcomes for wrong in faults(trial, fix, outcome, one.slug)] == []


def checks_lost(trial: FixTrial) -> list[object]:
    """The checks of which a safe fix makes a text, and the sound ones that one changes though it is not theirs."""
    safe = [(one, fix) for one, fix in fixes_in(trial) if fix.safe]
    lost = [each for one, fix in safe for each in became_text(trial.parsed, trial.outcome(one, fix).parsed, fix)]
    return [*lost, *changed_by_safe_fixes(trial)]


@lawful
@given(text=texts() | st.sampled_from(cases()))
def test_a_safe_fix_makes_no_text_of_a_check_and_leaves_sound_checks_alone(text: str, javascript: JavaScript) -> None:
    assert checks_lost(FixTrial(text, None, javascript, selection=EVERY)) == []


@lawful
@given(text=texts(), wanted=st.randoms(use_true_random=False))
def test_a_fix_takes_itself_back_to_the_letter(text: str, wanted: Random, javascript: JavaScript) -> None:
    trial = FixTrial(text, None, javascript, selection=EVERY)
    assume(fixes_in(trial))
    problem, fix = wanted.choice(fixes_in(trial))
    mended = apply_one(trial, problem, fix)
    undoing = undone(mended.changes[0], mended.text)
    assert undoing is not None
    assert apply_edits(mended.text, undoing) == text


REVEALING = {
    "unknown-collection": {
        ("unknown-collection", "write CORE"): "the list names CORE already, so it is there twice then",
    },
    "backslash-in-double-quotes": {
        ("backslash-in-double-quotes", "write the backslash twice"): "two patterns of the case are the same one then",
    },
    "not-a-blueprint": {
        ("unknown-key", "write prompts"): "a result whose list is called `prompts` reads as a blueprint without any",
    },
    "deep-nesting": {
        ("deep-nesting", "remove one level"): "what is left are two paths under `should_not`, a pitfall of its own",
    },
    "falsy-argument-lost": {
        ("falsy-argument-lost", "write arg"): "the text that is looked for is empty, and every answer holds that",
    },
}
"""By file of cases, the fixes that do not cure since their point has a second fault, and which. None in the corpus.

What they bring to light is said before they are applied, and `--fix` leaves them.
"""


@pytest.mark.parametrize("file", one_in(3, RULE_CASES), ids=lambda path: path.stem)
def test_every_fix_of_the_cases_of_the_rules_cures(file: Path, javascript: JavaScript) -> None:
    trials = [FixTrial(text, path, javascript, selection=EVERY) for text, path in cases_of(file)]
    assert set().union(*map(uncured, trials)) == REVEALING.get(file.stem, {}).keys()


@cache
def read_once(path: Path, javascript: JavaScript) -> FixTrial:
    return FixTrial(path.read_text("utf-8"), path, javascript)


@needs_corpus
@every("path", FILES, ids=str)
def test_every_fix_of_the_corpus_cures_and_loses_no_check(path: Path, javascript: JavaScript) -> None:
    trial = read_once(path, javascript)
    assert (uncured(trial), checks_lost(trial)) == (set(), [])


# All safe fixes


@lawful
@given(text=texts())
def test_fixing_leaves_every_point_elsewhere_as_it_says(text: str, javascript: JavaScript) -> None:
    before = parse(text)
    assert moved_otherwise(before, fix_text(text, None, javascript).parsed) == []


@lawful
@given(text=texts() | st.sampled_from(cases()))
def test_fixing_twice_is_fixing_once_and_no_error_is_new(text: str, javascript: JavaScript) -> None:
    before, once = FixTrial(text, None, javascript), fix_text(text, None, javascript)
    assert fix_text(once.text, None, javascript).text == once.text
    assert errors(once.remaining) <= errors(before.diagnostics)


def errors(diagnostics: tuple[Diagnostic, ...]) -> int:
    return sum(one.severity is Severity.ERROR for one in diagnostics)


@needs_corpus
@every("path", FILES, ids=str)
def test_fixing_the_corpus_changes_what_a_safe_fix_is_known_for_once(path: Path, javascript: JavaScript) -> None:
    trial = read_once(path, javascript)
    once = apply_fixes(trial.copy(), safe_fix)
    assert fix_text(once.text, path, javascript).text == once.text
    assert any(safe_fix(one) is not None for one in trial.diagnostics) or once.text == trial.text
    assert moved_otherwise(trial.parsed, once.parsed) == []


@needs_corpus
@every("path", one_in(3, corpus_files()[::4]), ids=str)
def test_fixing_a_damaged_file_twice_is_fixing_it_once(path: Path) -> None:
    once = fix_text(damaged(path.read_text("utf-8"), 7), path)
    assert fix_text(once.text, path).text == once.text


# A short text: the fix passes the ideal, and an ordinary answer of the form that the prompt asks for


SHORT = Checker(rule for rule in ALL if rule.slug == "short-substring")


def changed_call(before: Parsed, after: Parsed) -> FunctionCall:
    """The one check that a fix changed."""
    old, new = (
        [point.function for prompt in each.blueprint.prompts for point in prompt.points()] for each in (before, after)
    )
    [changed] = [call for was, call in zip(old, new, strict=True) if was != call]
    assert changed is not None
    return changed


def right_answers(prompt: Prompt, call: FunctionCall, text: str) -> Iterator[str]:
    """The ideal, and ordinary answers with `text` of the form that the prompt asks for."""
    if prompt.ideal:
        yield prompt.ideal
    parts = [str(prompt.system), *(message.content or "" for message in prompt.messages)]
    if isinstance(call.args, str):
        yield from ordinary_answers(answer_form("\n".join(parts)), text)


def passes(call: FunctionCall, answer: str, javascript: JavaScript) -> bool:
    [result] = functions.run([call], Subject(answer), javascript)
    assert isinstance(result, Checked)
    return result.extent == 1


@needs_corpus
@every("path", one_in(3, corpus_files()), ids=str)
def test_a_right_answer_passes_every_fix_of_a_short_text(path: Path, javascript: JavaScript) -> None:
    before = read(path)
    for found in [each for each in SHORT.check(before) if each.slug == "short-substring"]:
        prompt = next(
            each for each in before.blueprint.prompts if found.span.start in range(each.span.start, each.span.end)
        )
        for fix in found.fixes:
            call = changed_call(before, parse(apply_edits(before.text, fix.edits), path))
            answers = right_answers(prompt, call, found.span.of(before.text).strip("'\""))
            assert all(passes(call, answer, javascript) for answer in answers), fix.title
