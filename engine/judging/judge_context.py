"""What a judge was shown beside its criterion, as digests, and what of it is another now.

A verdict on a criterion is carried over where the rubric around it changes, or the description, or the conversation: it
answers a question that nobody would be asked today. Only what the judge really saw counts: `standard` and
`prompt-aware` judges see neither the other criteria nor the description.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from engine.judging.judge_prompt import Question, first_request
from engine.judging.panel import Approach
from engine.judging.scale import ALL_SCALES
from engine.providers.chat import ChatRequest
from engine.scoring.assessment import ChangedPart


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """Digests of what a judge saw: the conversation, and, where it saw them, all criteria and the description.

    The order of the criteria does not count. `description` is None for a blueprint without one, too.
    """

    transcript: str
    criteria: str | None = None
    description: str | None = None


def context_of(approach: Approach, question: Question) -> JudgeContext:
    """What a judge of this approach sees when it is asked `question`."""
    transcript = _digest([[turn.role.value, turn.content, turn.generated] for turn in question.thread])
    match approach:
        case Approach.STANDARD | Approach.PROMPT_AWARE:
            return JudgeContext(transcript)
        case Approach.HOLISTIC:
            description = (question.description or "").strip()
            return JudgeContext(
                transcript, _digest(sorted(question.criteria)), _digest(description) if description else None
            )


def changed_parts(
    shown: JudgeContext | None, asked: ChatRequest, approach: Approach, question: Question
) -> tuple[ChangedPart, ...]:
    """What differs between what a judge saw, when it was sent `asked`, and what it would see asked `question` today.

    Where it was not noted what it saw (`shown` is None), the request itself is compared, and what differs is not known.
    """
    now = context_of(approach, question)
    if shown is None:
        requests = (first_request(question, approach, scale, asked.model) for scale in ALL_SCALES)
        return () if any(request.turns == asked.turns for request in requests) else (ChangedPart.UNKNOWN,)
    parts = (
        (ChangedPart.CRITERIA, shown.criteria, now.criteria),
        (ChangedPart.DESCRIPTION, shown.description, now.description),
        (ChangedPart.TRANSCRIPT, shown.transcript, now.transcript),
    )
    return tuple(part for part, then, today in parts if then != today)


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()
