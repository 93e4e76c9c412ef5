"""Which criteria were drafted from the ideal of their prompt. A score of that ideal on them is circular."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from engine.blueprint import Prompt
from engine.text.record import short_data_digest

MOST = 5000
"""How many drafted criteria are remembered, the newest."""


def drafted_digest(prompt: Prompt, criterion: str) -> str:
    """What is remembered of a criterion that was drafted for `prompt`: it depends on the messages and its wording."""
    return _digest(_messages(prompt), criterion)


def _messages(prompt: Prompt) -> str:
    return short_data_digest([(message.role.value, message.content) for message in prompt.messages])


def _digest(messages: str, criterion: str) -> str:
    return short_data_digest([messages, " ".join(criterion.split())])


def circularity(prompt: Prompt, drafted: Collection[str]) -> str:
    """What the score of the ideal says on the rubric of `prompt`, by the digests of `drafted` criteria.

    "" where none of its criteria was drafted, in its present wording.
    """
    if not drafted:
        return ""
    messages, points = _messages(prompt), prompt.points()
    count = sum(each.text is not None and _digest(messages, each.text) in drafted for each in points)
    if not count:
        return ""
    of = f"{count} of {len(points)} points {'was' if count == 1 else 'were'}"
    of = "all points were" if count == len(points) else of
    return f"circular: {of} drafted from the ideal, so its score says little about the rubric"


def remembered(drafted: Iterable[str], new: Iterable[str]) -> list[str]:
    """`drafted` with the `new` ones behind, each once; at most `MOST`."""
    return list(dict.fromkeys((*drafted, *new)))[-MOST:]
