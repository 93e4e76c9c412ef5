"""Thoughts within the text of an answer are found, and what only looks like them is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Role
from engine.blueprint.conversation import ThreadTurn
from engine.evaluation.events import ThinkBlocks, think_blocks
from engine.evaluation.point_assessment import assess
from engine.evaluation.tool_use import PolicyKey, ToolUse, read_trace, tool_use
from engine.functions.tool_call_checks import calls_in
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.scoring.explanation_builder import explain
from engine.text.spans import Span
from tests.engine.short_cases import assert_says
from tests.expected import present
from tests.many_cases import every
from tests.thoroughness import one_in
from tests.world import CORPUS, corpus_files, needs_corpus

# Thoughts within the text of an answer are found, and what only looks like them is not


TAGS = ["<think>", "</think>", "<reasoning>", "</reasoning>", "[THINK]"]
PIECES = st.sampled_from([*TAGS, "`", "```", "\n", "hm ", "a<b "])


def blocks(text: str) -> ThinkBlocks:
    return present(think_blocks(text))


def found_in(_: str, text: str) -> list[str]:
    found = think_blocks(text)
    if found is None:
        return ["no block"]
    told = f"{found.tag}, {'closed' if found.closed else 'open'}, {found.words} words, {found.share:.3f} of the text"
    return [told, *(span.of(text) for span in found.spans)]


def test_blocks_are_found_as_their_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("think_blocks.txt"), found_in, pytestconfig)


def test_a_block_ends_with_its_turn() -> None:
    turns = [ThreadTurn(Role.ASSISTANT, text, generated=True) for text in ("<think>Hm", "Paris.")]
    found = present(think_blocks("<think>Hm\n\nParis.", turns))
    assert found.spans == (Span(0, 9),)


def test_a_block_of_a_later_turn_stands_where_the_turn_does() -> None:
    turns = [ThreadTurn(Role.ASSISTANT, text, generated=True) for text in ("One.", "<think>a</think> b")]
    subject = "One.\n\n<think>a</think> b"
    found = present(think_blocks(subject, turns))
    assert found.spans[0].of(subject) == "<think>a</think>"


def test_a_written_turn_is_no_part_of_what_is_judged() -> None:
    turns = [ThreadTurn(Role.ASSISTANT, "<think>a</think>", generated=False), ThreadTurn(Role.ASSISTANT, "b", True)]
    assert think_blocks("b", turns) is None


ASKED = "Enclose your reasoning in <reasoning> tags, and your answer in <answer> tags. Write <think> where you must."


def answered(text: str, asked: str) -> ThinkBlocks | None:
    return think_blocks(text, [ThreadTurn(Role.SYSTEM, asked, False), ThreadTurn(Role.ASSISTANT, text, True)])


@every("text", ["<reasoning>Hm.</reasoning> Paris.", "<reasoning>Hm, Paris", "Hm.\n</reasoning>\nParis."])
def test_a_tag_that_the_conversation_asks_for_is_the_form_of_the_answer(text: str) -> None:
    assert answered(text, ASKED) is None
    assert answered(text, "Be brief.") is not None


def test_a_think_block_is_one_whoever_asked_for_it() -> None:
    assert answered("<think>Hm.</think> Paris.", ASKED) is not None


@needs_corpus
def test_no_text_of_the_corpus_is_taken_for_one_that_thinks_aloud() -> None:
    """The law: what authors write, ideals and messages, has the form that they ask for; none of it is a think block."""
    found = [
        prompt.id
        for path in one_in(6, corpus_files())
        for prompt in parse(path.read_text("utf-8"), path).blueprint.prompts
        for text in (prompt.ideal, *(message.content for message in prompt.messages))
        if text and answered(text, f"{prompt.system} {[message.content for message in prompt.messages]}") is not None
    ]
    assert found == []


def test_evidence_rests_on_a_block_where_all_of_it_stands_there() -> None:
    found = blocks("<think>Paris</think> Paris")
    assert found.contain([Span(7, 12)])
    assert not found.contain([Span(7, 12), Span(21, 26)])
    assert not found.contain([])


@given(st.lists(PIECES, max_size=40).map("".join))
def test_blocks_lie_in_order_within_the_text_and_never_overlap(text: str) -> None:
    found = think_blocks(text)
    ends = [0, *([] if found is None else [each for span in found.spans for each in (span.start, span.end)]), len(text)]
    assert ends == sorted(ends)


# What a response does with tools: the trace as parsed, the checks on each call, and the policy kept or broken


CALC = 'TOOL_CALL {"name": "calculator", "arguments": {"expression": "(312*49)-777"}}'
SEARCH = 'TOOL_CALL {"name": "search", "arguments": {"query": "Article 2"}}'


def use(body: str, response: str, javascript: JavaScript, header: str = "title: T\n") -> ToolUse | None:
    blueprint = parse(f"{header}---\n- id: a\n  prompt: x\n{body}").blueprint
    (prompt,) = blueprint.prompts
    return tool_use(prompt, blueprint.header, response, assess(prompt, response, javascript))


# --- The trace


@given(st.lists(st.sampled_from([CALC, SEARCH, "TOOL_CALL {", "- TOOL_CALL {}", "text", "", "\x85", "TOOL_CALL"])))
def test_calls_are_those_that_the_checks_read_and_no_line_is_both(lines: list[str]) -> None:
    response = "\n".join(lines)
    trace = read_trace(response)
    assert trace.calls == calls_in(response)
    assert len(trace.lines) == len(trace.calls)
    assert not {call.line for call in trace.calls} & {slip.span for slip in trace.slips}
    assert all(slip.span.of(response) == slip.text for slip in trace.slips)


# --- The policy


def test_the_policy_is_never_in_the_score(javascript: JavaScript) -> None:
    def score(policy: str) -> float | None:
        (prompt,) = parse(f"- id: a\n  prompt: x\n  should: [{{$tool_called: calculator}}]\n{policy}").blueprint.prompts
        return explain(prompt, assess(prompt, CALC, javascript)).score

    assert score("") == score("  prohibitedTools: [calculator]\n  maxCalls: 0\n") == 1


# --- The checks on each call


def of_the_corpus(file: str, prompt_id: str, response: str, javascript: JavaScript) -> ToolUse:
    blueprint = parse((CORPUS / file).read_text("utf-8")).blueprint
    prompt = next(prompt for prompt in blueprint.prompts if prompt.id == prompt_id)
    return present(tool_use(prompt, blueprint.header, response, assess(prompt, response, javascript)))


@needs_corpus
def test_a_blueprint_of_the_corpus_says_which_call_fails_which_check(javascript: JavaScript) -> None:
    wrong = CALC.replace("(312*49)-777", "312*49")
    found = of_the_corpus("tool-use-test.yml", "calc-basic", f"{wrong}\n{CALC}\nTOOL_CALL oops", javascript)
    assert [[(check.place, check.meets) for check in checks] for checks in found.checks] == [
        [(0, True), (1, False), (2, False)],
        [(0, True), (1, True), (2, False)],
    ]
    assert [finding.text for finding in found.findings] == ["2 calls, of at most 4"]
    assert [slip.line for slip in found.trace.slips] == [3]


@needs_corpus
def test_a_blueprint_of_the_corpus_that_allows_few_steps_is_told_of_more(javascript: JavaScript) -> None:
    path = (CORPUS / "tool-use-confidence.yml").read_text("utf-8")
    first = parse(path).blueprint.prompts[0].id
    search = SEARCH.replace("search", "web_search")
    found = of_the_corpus("tool-use-confidence.yml", first, "\n".join([search] * 9), javascript)
    assert [(each.key, each.is_met) for each in found.findings] == [(PolicyKey.MAX_STEPS, False)]
    assert all(found.is_declared(call.name) for call in found.trace.calls)


@every("depth", [150, 400, 900, 50_000])
def test_a_call_that_is_nested_too_deeply_is_none_and_says_so(depth: int) -> None:
    trace = read_trace(f'TOOL_CALL {{"name": "find", "arguments": {"[" * depth}{"]" * depth}}}')
    assert (trace.calls, [slip.reason for slip in trace.slips]) == ((), ["its JSON is nested too deeply"])


def test_a_number_of_thousands_of_digits_hides_no_other_slip() -> None:
    trace = read_trace(f'TOOL_CALL {{"name": 1, "arguments": {"9" * 5000}}}')
    assert [slip.reason for slip in trace.slips] == ["its JSON object has no `name` in quotes"]
