"""The texts of a prompt, as rules search them."""

from __future__ import annotations

import re

from engine.blueprint import Prompt, Role
from engine.patterns import lazy

EXPECTED = lazy(
    r"""\b(?:placeholders?|unfilled|templates?|curly|brackets?
    |(?:prompt|question|request|input|text)\s+(?:is|was)\s+(?:incomplete|unclear|ambiguous|empty|cut\s+off)
    |not\s+(?:been\s+)?(?:provided|given|included|filled|supplied|specified)
    |missing\s+(?:\w+\s+)?(?:text|input|information|content|data|value|context|details?)
    |(?:no\s+\w+|nothing)\s+(?:was|is|were|are|has|have)\s+(?:been\s+)?(?:provided|given|included|attached|arrived)
    |no\s+(?:such\s+)?(?:attach\w*|image|picture|photo|file|document|article|text|table|paragraph|passage|letter|email)\b
    |(?:can(?:not|['’]t)|do(?:es)?(?:\s+not|n['’]t))\s+(?:see|open|(?:have\s+)?access)
    |asks?\s+(?:the\s+user\s+)?(?:to\s+(?:provide|share|supply|paste|send|specify)|for\s+(?:(?:the\s+)?(?:missing|clarif)
      |(?:the|an?)\s+(?:\w+\s+)?(?:text|document|article|paragraph|passage|letter|report|file|table|image|picture|e-?mail)\b)))""",
    re.IGNORECASE | re.VERBOSE,
)
"""Points of a prompt that tests what a model does without what is missing."""


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
