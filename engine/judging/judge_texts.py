"""What a judge is sent, in an author's words; how much that is and what it costs is for `engine.planning`."""

from __future__ import annotations

from enum import StrEnum

from engine.blueprint import Prompt
from engine.judging.panel import Approach, PanelJudge


class SentText(StrEnum):
    """A text that a judge receives, by the name an author knows."""

    CONVERSATION = "the whole conversation with the answer"
    CRITERION = "the criterion"
    DESCRIPTION = "the description of the blueprint"
    CRITERIA = "all criteria in words of the prompt"


def count_text_points(prompt: Prompt) -> int:
    """How many points of a prompt are for judges."""
    return sum(point.text is not None for point in prompt.points())


def sent_texts(judge: PanelJudge, *, described: bool) -> tuple[SentText, ...]:
    """What a judge of this approach receives; `described`: whether the blueprint has a description."""
    always = (SentText.CONVERSATION, SentText.CRITERION)
    match judge.approach:
        case Approach.STANDARD | Approach.PROMPT_AWARE:
            return always
        case Approach.HOLISTIC:
            return (*always, *([SentText.DESCRIPTION] if described else []), SentText.CRITERIA)
