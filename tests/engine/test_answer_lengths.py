"""The longest answer that a request leaves room for."""

from __future__ import annotations

from engine.providers.answer_lengths import longest_answer
from engine.providers.chat import USUAL_MAX_TOKENS


def test_the_usual_limit_is_that_of_a_request() -> None:
    assert longest_answer("openai:gpt-4o", []) == USUAL_MAX_TOKENS == 1500
