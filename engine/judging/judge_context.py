"""The context of a judge's criterion, as digests, and what has changed in it since.

A verdict is carried over where the other criteria, the description or the conversation have changed since: a judge
would be sent another prompt today. Only what the judge saw counts: `standard` and `prompt-aware` judges see neither the
other criteria nor the description.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.digests import data_digest
from engine.judging.judge_prompt import Question, first_request
from engine.judging.panel import Approach
from engine.judging.scale import ALL_SCALES
from engine.providers.chat import ChatRequest
from engine.scoring.assessment import ChangedPart


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """Digests of what a judge saw: the conversation and, for holistic judges, all criteria and the description.

    The order of the criteria does not matter. `description` is also None for a blueprint without one.
    """

    transcript: str
    criteria: str | None = None
    description: str | None = None


def context_of(approach: Approach, question: Question) -> JudgeContext:
    """The context that a judge of this approach sees with `question`."""
    transcript = data_digest([[turn.role.value, turn.content, turn.generated] for turn in question.thread])
    match approach:
        case Approach.STANDARD | Approach.PROMPT_AWARE:
            return JudgeContext(transcript)
        case Approach.HOLISTIC:
            description = (question.description or "").strip()
            return JudgeContext(
                transcript, data_digest(sorted(question.criteria)), data_digest(description) if description else None
            )


def changed_parts(
    shown: JudgeContext | None, request: ChatRequest, approach: Approach, question: Question
) -> tuple[ChangedPart, ...]:
    """The differences between the context that a judge saw with `request` and the one that `question` has today.

    Where the context was not recorded (`shown` is None), the requests are compared, and a difference is `UNKNOWN`.
    """
    now = context_of(approach, question)
    if shown is None:
        today = (first_request(question, approach, scale, request.model) for scale in ALL_SCALES)
        return () if any(each.turns == request.turns for each in today) else (ChangedPart.UNKNOWN,)
    parts = (
        (ChangedPart.CRITERIA, shown.criteria, now.criteria),
        (ChangedPart.DESCRIPTION, shown.description, now.description),
        (ChangedPart.TRANSCRIPT, shown.transcript, now.transcript),
    )
    return tuple(part for part, before, after in parts if before != after)
