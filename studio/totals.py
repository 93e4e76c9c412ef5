"""What all scores of a file come to, in the words of the status line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.evaluation.headline import Headline, overall

if TYPE_CHECKING:
    from engine.blueprint import Prompt


def total_in_words(prompts: Sequence[Prompt], headlines: Mapping[str, Headline], *, short: bool = False) -> str:
    """`66 from 3 of 5 prompts`, `20–100, 1 of 4 points judged, from 3 of 5 prompts`; "" where nothing was scored.

    `headlines` are by prompt id, whose mean by prompt weight this is; `short` leaves out what follows the figure.
    """
    total = overall((prompt.weight, headlines[prompt.id]) for prompt in prompts if prompt.id in headlines)
    if total is None:
        return ""
    count = sum(prompt.id in headlines for prompt in prompts)
    score = total.whole_figure if short else f"{total.whole}," if total.details else f"{total.whole_figure} of 100"
    return f"{score} {from_prompts(count, len(prompts))}"


def from_prompts(count: int, total: int) -> str:
    """`from 3 of 5 prompts`."""
    return f"from {count} of {total} {'prompt' if total == 1 else 'prompts'}"
