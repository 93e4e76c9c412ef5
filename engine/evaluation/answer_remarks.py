"""How an answer differs from what was asked for, in sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evaluation.events import Response
from engine.providers.chat import MORE_TOKENS, USUAL_MAX_TOKENS, StopReason


def answer_remarks(response: Response, model: str) -> Iterator[str]:
    """A sentence or two for each: a temperature that was not used, another token limit than Weval's, an answer that ran
    into its limit. `model` is the id under which it was asked."""
    if response.ignores_temperature:
        yield f"{model} ignores temperature: the answer came at the model's own."
    if response.token_limit is not None:
        yield f"The answer could have {response.token_limit:,} tokens. Weval allows {USUAL_MAX_TOKENS:,}."
    if response.stop is not None and response.stop.reason is StopReason.LENGTH:
        yield f"The answer was cut off at its token limit. {MORE_TOKENS}"
