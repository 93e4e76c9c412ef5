"""What holds of every fix of every rule, whatever stands around it: made from the rules' own bad examples."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall, Prompt
from engine.functions.point_function import Checked, Subject
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.rules import ALL, Checker, Rule
from engine.rules.registry import rule_named
from engine.rules.source.prompt_texts import answer_form, ordinary_answers
from engine.text.diagnostics import Diagnostic, Fix
from engine.text.spans import apply_edits
from tests.many_cases import every
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

# What holds of every fix of every rule, whatever stands around it: made from the rules' own bad examples


EVERY = Checker(ALL)
PLAIN = (
    "- id: plain-{}\n  prompt: What is due?\n  should:\n    - Names the rent # one\n\n    # two\n    - Names the day\n"
)


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


def fixes_of(text: str, javascript: JavaScript) -> list[tuple[Diagnostic, Fix]]:
    found = EVERY.check(parse(text), javascript)
    return [(diagnostic, fix) for diagnostic in found for fix in diagnostic.fixes]


def told(parsed: Parsed, javascript: JavaScript) -> Counter[str]:
    return Counter(found.slug for found in EVERY.check(parsed, javascript))


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


@lawful
@given(text=texts())
def test_after_a_fix_the_file_is_read_and_there_is_one_problem_less(javascript: JavaScript, text: str) -> None:
    before = parse(text)
    for diagnostic, fix in fixes_of(text, javascript):
        after = parse(apply_edits(text, fix.edits))
        assert after.tree.error is None or before.tree.error is not None, fix
        assert told(after, javascript)[diagnostic.slug] < told(before, javascript)[diagnostic.slug], fix


@lawful
@given(text=texts())
def test_a_fix_leaves_every_other_prompt_as_it_is_written(javascript: JavaScript, text: str) -> None:
    before = parse(text)
    for _, fix in fixes_of(text, javascript):
        after = parse(apply_edits(text, fix.edits))
        assert changed_elsewhere(before, after, fix) == [], fix


@lawful
@given(text=texts())
def test_a_fix_keeps_the_file_s_line_ends(javascript: JavaScript, text: str) -> None:
    for _, fix in fixes_of(text, javascript):
        fixed = apply_edits(text, fix.edits)
        assert ("\r\n" in text) or ("\r" not in fixed), fix
        assert ("\r\n" not in text) or (fixed.count("\n") == fixed.count("\r\n")), fix


@lawful
@given(text=texts())
def test_a_safe_fix_of_what_weval_reads_leaves_a_file_that_weval_reads(javascript: JavaScript, text: str) -> None:
    before = parse(text)
    for _, fix in fixes_of(text, javascript):
        after = parse(apply_edits(text, fix.edits))
        assert not (fix.safe and before.weval.ok) or after.weval.ok, fix


# A short text: the fix passes the ideal, and an ordinary answer of the form that the prompt asks for


SHORT = rule_named("short-substring")


def short_ones(parsed: Parsed) -> list[Diagnostic]:
    assert SHORT is not None
    return [found for found in Checker([SHORT]).check(parsed) if found.slug == "short-substring"]


def prompt_at(parsed: Parsed, offset: int) -> Prompt:
    return next(each for each in parsed.blueprint.prompts if each.span.start <= offset < each.span.end)


def changed_call(before: Parsed, after: Parsed) -> FunctionCall:
    """The one check that a fix changed."""
    old, new = (
        [point.function for prompt in each.blueprint.prompts for point in prompt.points()] for each in (before, after)
    )
    [changed] = [call for was, call in zip(old, new, strict=True) if was != call]
    assert changed is not None
    return changed


def passes(call: FunctionCall, answer: str, javascript: JavaScript) -> bool:
    [result] = functions.run([call], Subject(answer), javascript)
    assert isinstance(result, Checked)
    return result.extent == 1


@needs_corpus
@every("path", one_in(3, corpus_files()), ids=str)
def test_the_ideal_passes_every_fix_of_a_short_text(path: Path, javascript: JavaScript) -> None:
    before = parse(path.read_text("utf-8"), path)
    for found in short_ones(before):
        prompt = prompt_at(before, found.span.start)
        for fix in found.fixes:
            call = changed_call(before, parse(apply_edits(before.text, fix.edits), path))
            assert not prompt.ideal or passes(call, prompt.ideal, javascript), fix.title


@needs_corpus
@every("path", one_in(3, corpus_files()), ids=str)
def test_an_ordinary_answer_passes_every_fix_of_a_short_text(path: Path, javascript: JavaScript) -> None:
    before = parse(path.read_text("utf-8"), path)
    for found in short_ones(before):
        prompt = prompt_at(before, found.span.start)
        parts = [str(prompt.system), *(message.content or "" for message in prompt.messages)]
        form = answer_form("\n".join(parts))
        for fix in found.fixes:
            text = found.span.of(before.text).strip("'\"")
            call = changed_call(before, parse(apply_edits(before.text, fix.edits), path))
            is_one = isinstance(call.args, str)
            answers = ordinary_answers(form, text) if is_one else ()
            assert all(passes(call, answer, javascript) for answer in answers), fix.title
