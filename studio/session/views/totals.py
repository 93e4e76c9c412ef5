"""The score of a file in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.evaluation.headline import Headline


def total_texts(total: Headline | None, scored: int, prompts: int) -> tuple[str, ...]:
    """`66 of 100 from 3 of 5 prompts`, or `20–100, 1 of 4 points judged, 1 check could not run, from 3 of 5 prompts`,
    then shorter forms; () if nothing was scored.

    `total` is the headline over `scored` of `prompts` prompts.
    """
    if total is None:
        return ()
    prompts_text = from_prompts(scored, prompts)
    figure = f"{total.whole_figure} of 100 {prompts_text}"
    full = f"{total.whole}, {prompts_text}" if total.details else figure
    judged = f"{total.whole_figure}, {total.judged_text}, {prompts_text}" if total.judged_text else figure
    return tuple(dict.fromkeys((full, judged, f"{total.whole_figure} {prompts_text}")))


def from_prompts(count: int, total: int) -> str:
    """`from 3 of 5 prompts`."""
    return f"from {count} of {total} {'prompt' if total == 1 else 'prompts'}"
