"""Keys that a block text of a prompt or of the header swallowed, and texts that only look like it."""

from __future__ import annotations

import textwrap

import pytest

from engine.parsing import parse
from engine.rules import ALL, Checker

CHECKER = Checker(rule for rule in ALL if rule.slug == "swallowed-point")

IN_HEADER = [
    ("description", "On water.\ntags: [water]"),
    ("description", "On water.\ntags:\n  - water"),
    ("description", "On water.\nmodels:\n  - openai:gpt-4o"),
    ("description", "On water.\nsystem: You are terse."),
    ("description", "On water.\n\n---"),
    ("system", "You are terse.\ntemperature: 0.2"),
    ("system", "You are terse.\nmodels: [CORE]"),
    ("system", "You are terse.\n---"),
]
IN_PROMPT = [
    ("prompt", "What is hail?\nshould:\n  - Says ice."),
    ("prompt", "What is hail?\nshould: [Says ice]"),
    ("prompt", "What is hail?\n\nideal: Ice that falls."),
    ("prompt", "What is hail?\nshould_not:\n  - Says snow."),
    ("prompt", "What is hail?\n\n- id: q\n  prompt: What is sleet?"),
    ("ideal", "Ice that falls.\nshould:\n  - Says ice."),
    ("ideal", "Ice that falls.\nprompt: |\n  What is hail?"),
    ("description", "A first try.\nshould:\n  - Says ice."),
]
TEXTS_OF_HEADER = [
    ("description", "First part\n\n---\n\nSecond part"),
    ("description", "Tests the following models: one and two.\nPoints: two."),
    ("description", "Sources:\n- a\n- b"),
    ("system", "You follow rules:\n- be terse\nTemperature: warm."),
    ("system", "Answer like this:\ntitle: the name\ntags: [one]"),
]
TEXTS_OF_PROMPT = [
    ("prompt", "Explain this file:\nversion: 3\nmodels:\n  - small"),
    ("prompt", "Explain this file:\n\n```yaml\nshould:\n  - x\n```"),
    ("prompt", "Decide.\nPoints:\n- one\n- two"),
    ("prompt", "Write the front matter.\ntitle: Rain\ntags: [rain]"),
    ("prompt", "First part\n---\nSecond part"),
    ("prompt", "What does `should:` mean?\n- a duty\n- a wish"),
    ("prompt", "Turn this into JSON.\nid: 7\nprompt: hello"),
    ("prompt", "Here is a chat.\nmessages:\n- hello"),
]


def reports(text: str) -> list[str]:
    return [one.message for one in CHECKER.check(parse(text))]


def header(key: str, block: str) -> str:
    return f"{key}: |\n{textwrap.indent(block, '  ')}\n---\n- id: q\n  prompt: What is sleet?\n"


def prompt(key: str, block: str) -> str:
    other = "" if key == "prompt" else "  prompt: What is hail?\n"
    return f"- id: p\n  {key}: |\n{textwrap.indent(block, '    ')}\n{other}"


@pytest.mark.parametrize(("key", "block"), IN_HEADER)
def test_keys_that_became_text_of_the_header_are_found(key: str, block: str) -> None:
    assert reports(header(key, block)) != []


@pytest.mark.parametrize(("key", "block"), IN_PROMPT)
def test_keys_that_became_text_of_a_prompt_are_found(key: str, block: str) -> None:
    assert reports(prompt(key, block)) != []


@pytest.mark.parametrize(("key", "block"), TEXTS_OF_HEADER)
def test_a_text_of_the_header_with_keys_of_its_own_is_left_alone(key: str, block: str) -> None:
    assert reports(header(key, block)) == []


@pytest.mark.parametrize(("key", "block"), TEXTS_OF_PROMPT)
def test_a_text_of_a_prompt_with_keys_of_its_own_is_left_alone(key: str, block: str) -> None:
    assert reports(prompt(key, block)) == []


def test_a_file_that_a_prompt_quotes_beside_its_own_points_is_left_alone() -> None:
    quoted = "Is this YAML right?\n\nprompt: hello\nshould:\n  - greet"
    block = textwrap.indent(quoted, "    ")
    assert reports(f"- id: p\n  prompt: |\n{block}\n  should:\n    - Says yes\n") == []
