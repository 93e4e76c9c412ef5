"""No fix is offered that silences a problem and leaves what was wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import functions
from engine.blueprint import FunctionCall, Prompt
from engine.functions.point_function import Checked, Subject
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.rules import Checker, check
from engine.rules.registry import rule_named
from engine.rules.source.prompt_texts import AnswerForm, answer_form, ordinary_answers
from engine.text.diagnostics import Diagnostic, Fix
from engine.text.spans import apply_edits
from tests.many_cases import every
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

HEAD = "- id: p\n  prompt: What is due?\n"


def fixes(text: str, slug: str) -> list[Fix]:
    return [fix for found in check(parse(text)) if found.slug == slug for fix in found.fixes]


def should(*lines: str) -> str:
    return HEAD + "  should:\n" + "".join(f"    {line}\n" for line in lines)


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


@pytest.mark.parametrize(
    ("prompt", "form"),
    [
        ("Which is it? Think step by step.", AnswerForm.REASONED),
        ("Explain which it is.", AnswerForm.REASONED),
        ("Answer with only the letter, and explain why.", AnswerForm.REASONED),
        ("Let's work it out: show your working.", AnswerForm.REASONED),
        ("Answer with just the letter.", AnswerForm.ALONE),
        ("Reply with one word, no explanation.", AnswerForm.ALONE),
        ("Your response should include only the option without any justification or reasoning.", AnswerForm.ALONE),
        ("Return just the number, e.g. '42'.", AnswerForm.ALONE),
        ("Which is it?", AnswerForm.FREE),
        ("They always do this, got no reason! What do they mean exactly?", AnswerForm.FREE),
        ("A prisoner can only be repatriated against their will if <D> holds.", AnswerForm.FREE),
    ],
)
def test_the_form_that_a_prompt_asks_for(prompt: str, form: AnswerForm) -> None:
    assert answer_form(prompt) is form


# An argument that the function does not take


@pytest.mark.parametrize("point", ["{fn: contains, args: [a]}", "{fn: contains_any_of, args: a}"])
def test_a_key_is_not_renamed_where_its_value_is_no_argument_of_the_check(point: str) -> None:
    assert fixes(should(f"- {point}", "- Says why"), "unknown-key") == []


def test_a_key_is_renamed_where_its_value_is_an_argument_of_the_check() -> None:
    text = should("- {fn: contains_any_of, args: [a, b]}", "- Says why")
    [fix] = fixes(text, "unknown-key")
    assert apply_edits(text, fix.edits) == text.replace("args", "arg")


@pytest.mark.parametrize("point", ["$contains", "$contains_any_of", "$icontans"])
def test_a_bare_name_in_a_path_gets_no_argument_that_it_does_not_take(point: str) -> None:
    text = should(f"- - {point}", "  - Says b", "- - Says c", "  - Says d")
    assert fixes(text, "text-in-path-function") == []


@pytest.mark.parametrize(
    "point",
    ["$contains_any_off: a", "{fn: icontins, arg: {a: b}}", "{fn: $word_count_between, arg: 5}"],
)
def test_a_name_is_not_put_right_where_the_argument_would_be_wrong(point: str) -> None:
    assert fixes(should(f"- {point}", "- Says why"), "unknown-function") == []


def test_a_check_for_a_tool_that_is_not_declared_is_not_added() -> None:
    tools = "tools:\n  - name: search\n---\n"
    prompt = "- id: p\n  prompt: x\n  requiredTools: [serch]\n  should: [Says why]\n"
    assert fixes(tools + prompt, "not-enforced") == []
    assert len(fixes(tools + prompt.replace("serch", "search"), "not-enforced")) == 1


def test_a_weight_that_weval_refuses_is_not_joined_with_the_point_above() -> None:
    joined = should("- point: Says why", "- weight: '{}'")
    assert fixes(joined.format(20), "weight-as-point") == []
    assert len(fixes(joined.format(2), "weight-as-point")) == 1


# Lists that are made flat


def test_the_levels_of_a_scale_are_not_all_asked_for() -> None:
    text = should('- - "Level 1: Names the rent"', '- - "Level 2: Names the day"')
    assert [fix.title for fix in fixes(text, "single-element-path") if "flatten" in fix.title] == []


def test_what_may_be_left_out_is_not_made_a_required_point() -> None:
    text = should("- - Names the rent", "- - Names the rent", "  - May mention the day", "- Is polite")
    assert [fix.title for fix in fixes(text, "contained-path")] == [
        "the shorter path is enough: remove this one, and flatten"
    ]


def test_two_spellings_of_one_name_are_not_both_asked_for() -> None:
    text = should("- - $icontains: São Paulo", "  - $icontains: Sao Paulo", "- Says why")
    assert [fix.title for fix in fixes(text, "lone-path")] == ["any spelling will do: $icontains_any_of"]
