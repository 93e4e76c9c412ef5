"""Messages in the shapes of other programs are told as what they are, with what to write."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.text.spans import apply_edits
from engine.yaml import load

RUBRIC = "  should: [Says it]\n"


@pytest.mark.parametrize(
    ("written", "shape", "right"),
    [
        ("  prompt:\n    - type: text\n      text: Hi?\n", "a list of message parts", "  prompt:\n    'Hi?'\n"),
        ("  prompt:\n    type: text\n    text: Hi?\n", "one message part", "  prompt:\n    'Hi?'\n"),
        ("  prompt:\n    role: user\n    content: Hi?\n", "one message", "  prompt:\n    'Hi?'\n"),
        (
            "  prompt:\n    - role: user\n      content: Hi?\n",
            "a list of messages",
            "  messages:\n    - role: user\n      content: Hi?\n",
        ),
        (
            "  messages:\n    role: user\n    content: Hi?\n",
            "one message",
            "  messages:\n    - role: user\n      content: Hi?\n",
        ),
        ("  messages: {role: user, content: Hi?}\n", "one message", "  messages: [{role: user, content: Hi?}]\n"),
        (
            "  messages:\n    user: Hi?\n    assistant: null\n",
            "a mapping",
            "  messages:\n    - user: Hi?\n    - assistant: null\n",
        ),
        ("  prompt: Hi?\n  system:\n    - type: text\n      text: Be brief.\n", "a list of message parts", ""),
    ],
)
def test_the_shape_is_named_and_fixed_where_it_says_one_thing(written: str, shape: str, right: str) -> None:
    text = f"- id: a\n{written}{RUBRIC}"
    [report] = [each for each in check(parse(text)) if shape in each.message]
    fixed = [apply_edits(text, fix.edits) for fix in report.fixes]
    assert fixed == ([f"- id: a\n{right}{RUBRIC}"] if right else [])
    assert all(load(each).error is None for each in fixed)
