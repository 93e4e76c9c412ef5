"""How an answer differs from what was asked for, in sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evaluation.events import Response
from engine.providers.chat import USUAL_MAX_TOKENS


def answer_remarks(response: Response, model: str) -> Iterator[str]:
    """A sentence or two for each: a temperature that was not used, another token limit than Weval's.

    `model` is the id under which it was asked. How the answer ended is for `engine.evaluation.answer_notes`.
    """
    if response.ignores_temperature:
        yield f"{model} ignores temperature: the answer came at the model's own."
    if response.token_limit is not None:
        yield f"The answer could have {response.token_limit:,} tokens. Weval allows {USUAL_MAX_TOKENS:,}."
