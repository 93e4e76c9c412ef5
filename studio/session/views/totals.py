"""What all scores of a file come to, in the words of the status line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.evaluation.headline import Headline, overall

if TYPE_CHECKING:
    from engine.blueprint import Prompt


def totals_in_words(prompts: Sequence[Prompt], headlines: Mapping[str, Headline]) -> tuple[str, ...]:
    """`66 of 100 from 3 of 5 prompts`, or `20–100, 1 of 4 points judged, 1 check could not run, from 3 of 5 prompts`,
    then the same in fewer words; nothing where nothing was scored.

    `headlines` are by prompt id, whose mean by prompt weight this is.
    """
    total = overall((prompt.weight, headlines[prompt.id]) for prompt in prompts if prompt.id in headlines)
    if total is None:
        return ()
    count = sum(prompt.id in headlines for prompt in prompts)
    prompts_text = from_prompts(count, len(prompts))
    figure = f"{total.whole_figure} of 100 {prompts_text}"
    full = f"{total.whole}, {prompts_text}" if total.details else figure
    judged = f"{total.whole_figure}, {total.judged_text}, {prompts_text}" if total.judged_text else figure
    return tuple(dict.fromkeys((full, judged, f"{total.whole_figure} {prompts_text}")))


def from_prompts(count: int, total: int) -> str:
    """`from 3 of 5 prompts`."""
    return f"from {count} of {total} {'prompt' if total == 1 else 'prompts'}"
