"""The texts of a prompt, as rules search them."""

from __future__ import annotations

from engine.blueprint import Prompt, Role


def written_messages(prompt: Prompt) -> str:
    """All messages as one text, a line break between two; turns that are generated are empty."""
    return "\n".join(message.content or "" for message in prompt.messages)


def sent_text(prompt: Prompt) -> str:
    """The prompt's own system prompt and its messages as one text."""
    system = prompt.system if isinstance(prompt.system, str) else ""
    return f"{system}\n{written_messages(prompt)}"


def known_text(prompt: Prompt) -> str:
    """The ideal and the messages as one text: what a check or a criterion may quote."""
    return f"{prompt.ideal or ''}\n{written_messages(prompt)}"


def question_of(prompt: Prompt) -> str:
    """The last turn of the user that is not empty; "" without one."""
    return next((each.content for each in reversed(prompt.messages) if each.role is Role.USER and each.content), "")
