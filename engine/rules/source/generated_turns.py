"""How many answers of a conversation are generated."""

from __future__ import annotations

from engine.blueprint import Prompt, Role


def generated_turns(prompt: Prompt) -> int:
    """The number of answers that a model gives: each `assistant: null`, and one after a last turn of the user."""
    messages = prompt.messages
    written = sum(message.role is Role.ASSISTANT and message.content is None for message in messages)
    return written + bool(messages and messages[-1].role is Role.USER)
