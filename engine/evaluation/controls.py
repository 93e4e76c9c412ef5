"""Control answers, made from the prompt: answers that a rubric must not reward."""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Point, Prompt, Role
from engine.evaluation.sources import ControlKind

REFUSAL = "I'm sorry, but I can't help with that."


def control_answer(kind: ControlKind, prompt: Prompt) -> str:
    """An empty answer, a refusal, all user messages, or every criterion of `should` with the texts of its checks."""
    match kind:
        case ControlKind.EMPTY:
            return ""
        case ControlKind.REFUSAL:
            return REFUSAL
        case ControlKind.ECHO:
            return "\n\n".join(message.content or "" for message in prompt.messages if message.role is Role.USER)
        case ControlKind.STUFFING:
            wanted = () if prompt.should is None else prompt.should.points()
            return "\n".join(line for point in wanted for line in _criteria(point))


def _criteria(point: Point) -> Iterator[str]:
    if point.text is not None:
        yield point.text
    if point.function is not None:
        yield from point.function.texts()
