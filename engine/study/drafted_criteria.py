"""Which criteria were drafted from the ideal of their prompt. A score of that ideal on them is circular."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from engine.blueprint import Prompt
from engine.text.digests import short_data_digest

MOST = 5000
"""How many drafted criteria are remembered, the newest."""


def drafted_digest(prompt: Prompt, criterion: str) -> str:
    """What is remembered of a criterion that was drafted for `prompt`: it depends on the messages and its wording."""
    return _digest(_messages(prompt), criterion)


def _messages(prompt: Prompt) -> str:
    return short_data_digest([(message.role.value, message.content) for message in prompt.messages])


def _digest(messages: str, criterion: str) -> str:
    return short_data_digest([messages, " ".join(criterion.split())])


def drafted_points(prompt: Prompt, drafted: Collection[str]) -> int:
    """How many criteria of `prompt` are among the `drafted` ones, in the wording in which they were drafted."""
    messages = _messages(prompt)
    texts = (point.text for point in prompt.points())
    return sum(text is not None and _digest(messages, text) in drafted for text in texts)


def circularity(prompt: Prompt, drafted: Collection[str]) -> str:
    """`circular_text` of `prompt`, whose drafted criteria are among these digests."""
    return circular_text(drafted_points(prompt, drafted), len(prompt.points())) if drafted else ""


def remembered(drafted: Iterable[str], new: Iterable[str]) -> list[str]:
    """`drafted` with the `new` ones behind, each once; at most `MOST`."""
    return list(dict.fromkeys((*drafted, *new)))[-MOST:]


def circular_text(drafted: int, points: int) -> str:
    """What the score of the ideal says on a rubric with `drafted` of `points` points; "" where none was drafted."""
    if not drafted:
        return ""
    of = "all points were" if drafted == points else f"{drafted} of {points} points {'was' if drafted == 1 else 'were'}"
    return f"circular: {of} drafted from the ideal, so its score says little about the rubric"
