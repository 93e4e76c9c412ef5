"""Judgements and agreement in the form of Weval's result JSON (000, part 3)."""

from __future__ import annotations

from engine.judging.agreement import Agreement
from engine.judging.consensus import Consensus
from engine.yaml_nodes.nodes import Data


def individual_judgements(consensus: Consensus) -> list[Data]:
    """`individualJudgements` of one point: the verdicts, before inversion. Judges without a verdict are left out."""
    return [
        {"judgeModelId": each.judge.label, "coverageExtent": verdict.extent, "reflection": verdict.reflection}
        for each, verdict in consensus.verdicts
    ]


def judge_agreement(agreement: Agreement | None) -> Data:
    """`judgeAgreement` of one answer, null where there is nothing to compare."""
    if agreement is None:
        return None
    return {
        "krippendorffsAlpha": agreement.alpha,
        "numItems": agreement.items,
        "numJudges": agreement.judges_per_item,
        "numComparisons": agreement.comparisons,
        "interpretation": agreement.interpretation.value,
        "judgeSetFingerprint": agreement.fingerprint,
        "judgesUsed": [
            {
                "judgeId": share.judge_id,
                "model": share.model,
                "approach": share.approach,
                "assessmentCount": share.assessments,
            }
            for share in agreement.judges
        ],
    }
