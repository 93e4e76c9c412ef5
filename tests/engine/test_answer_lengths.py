"""The longest answer that a request leaves room for."""

from __future__ import annotations

from engine.models.chat import USUAL_MAX_TOKENS
from engine.models.prices import longest_answer


def test_the_usual_limit_is_that_of_a_request() -> None:
    assert longest_answer("openai:gpt-4o", []) == USUAL_MAX_TOKENS == 1500
