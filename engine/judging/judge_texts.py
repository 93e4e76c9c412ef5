"""The texts that a judge receives, in an author's words. `engine.planning` computes their size and cost."""

from __future__ import annotations

from enum import StrEnum

from engine.blueprint import Prompt
from engine.judging.panel import Approach, PanelJudge


class SentText(StrEnum):
    """A text that a judge receives, with its name for authors."""

    CONVERSATION = "the whole conversation with the answer"
    CRITERION = "the criterion"
    DESCRIPTION = "the description of the blueprint"
    CRITERIA = "all criteria in words of the prompt"


def count_text_points(prompt: Prompt) -> int:
    """The number of text points of a prompt, which judges judge."""
    return sum(point.text is not None for point in prompt.points())


def sent_texts(judge: PanelJudge, *, described: bool) -> tuple[SentText, ...]:
    """The texts that a judge receives, by its approach; `described`: whether the blueprint has a description."""
    always = (SentText.CONVERSATION, SentText.CRITERION)
    match judge.approach:
        case Approach.STANDARD | Approach.PROMPT_AWARE:
            return always
        case Approach.HOLISTIC:
            return (*always, *([SentText.DESCRIPTION] if described else []), SentText.CRITERIA)
