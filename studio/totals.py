"""What all scores of a file come to, in the words of the status line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from studio.runs import Figure, Run


def total_in_words(prompts: Sequence[Prompt], scores: Mapping[str, Figure]) -> str:
    """`66 of 100 so far, from 3 of 5 prompts`: the mean of the figures by prompt weight; "" where there is none.

    `scores` are by prompt id.
    """
    scored = [prompt for prompt in prompts if prompt.id in scores]
    if not scored:
        return ""
    weights = sum(prompt.weight for prompt in scored)
    mean = sum(scores[prompt.id].score * prompt.weight for prompt in scored) / weights
    so_far = " so far," if any(scores[prompt.id].so_far for prompt in scored) else ""
    return f"{mean:.0f} of 100{so_far} from {len(scored)} of {len(prompts)} prompts"


def waiting_in_words(runs: Iterable[Run]) -> str:
    """`12 points to grade`, where prompts were run and nothing of them is judged yet; else ""."""
    unscored = (run for run in runs if run.explanation is not None and run.explanation.score is None)
    waiting = sum(not assessment.assessed for run in unscored for assessment in run.assessments)
    return "" if not waiting else "1 point to grade" if waiting == 1 else f"{waiting} points to grade"
