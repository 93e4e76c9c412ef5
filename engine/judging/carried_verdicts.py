"""Verdicts on a criterion that stays, while what its judges saw around it has changed."""

from __future__ import annotations

from engine.judging.consensus import Consensus
from engine.judging.judge_context import changed_parts
from engine.judging.judge_prompt import Question
from engine.scoring.assessment import ChangedPart


def carried_over(consensus: Consensus, question: Question) -> tuple[ChangedPart, ...]:
    """What has changed of what those who judged saw, where any of them would be asked otherwise today."""
    changed = {
        part
        for each, _ in consensus.verdicts
        for part in changed_parts(each.shown, each.attempts[0].request, each.judge.approach, question)
    }
    return tuple(part for part in ChangedPart if part in changed)
