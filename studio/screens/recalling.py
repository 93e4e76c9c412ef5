"""Answers that were kept: what a model said, or the author wrote, in an earlier session."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from engine.blueprint import Prompt, Role
from engine.evaluation.events import Response
from engine.evaluation.sources import AnswerSource, ModelSource, WrittenSource
from engine.store import PromptPlace

if TYPE_CHECKING:
    from engine.store import Store


def is_kept(source: AnswerSource) -> bool:
    """Whether answers of this source are kept: those that cost something to have again."""
    return isinstance(source, ModelSource | WrittenSource)


async def recall(store: Store, place: PromptPlace, prompt: Prompt, key: str) -> Response | None:
    """The newest answer kept for this prompt and candidate, None where there is none or it answers other messages.

    Raises `engine.store.StoreUnavailable`.
    """
    response = await asyncio.to_thread(store.latest_response, place, key)
    return response if response is not None and response.subject and _answers(response, prompt) else None


def _answers(response: Response, prompt: Prompt) -> bool:
    """Whether the written turns of the kept conversation are those of the prompt as it is now."""
    asked = [(message.role, message.content) for message in prompt.messages if message.content is not None]
    said = [(turn.role, turn.content) for turn in response.thread if not turn.generated]
    return [turn for turn in said if turn[0] is Role.USER] == [turn for turn in asked if turn[0] is Role.USER]
