"""One `CoverageResult` of Weval's result JSON (000, part 3), with our additions.

It holds `keyPointsCount`, `avgCoverageExtent` (two decimals, absent where nothing is scored), `pointAssessments` and
`judgeAgreement` (absent without verdicts of judges) as documented. Our additions are `bounds`, `[low, high]` within
0–1, unrounded, and `explanation`:

    {
      "version": 2,
      "score": 0.375,                       unrounded, null where nothing is assessed
      "bestPath": "path_3",                 null without paths
      "steps": [{"kind", "label", "working", "result"}],       in the order of computation
      "groups": [{"pathId", "score", "bounds", "cost", "gain",        the required points first
                  "lead",                      a path's mean less the best of the others, [low, high]; else null
                  "change": [keyPointText],    the fewest points whose meeting makes it the best; null if nothing does
                  "weightChange": null,                            null until the next version
                  "points": [{"keyPointText", "weightShare", "cost", "gain",
                              "severity",      the score with this point at 0 and all others at 1; null if unknown
                              "detail"}]}],
      "weval": {"stored", "unrounded", "reasons": []},
      "carriedOver": 3,                     how many verdicts are from before an edit of what their judges saw
      "notes": [],
      "advice": [{"text", "gain", "after"}],
      "againstIdeal": "…"                   rubric or answer, by the score of the ideal; null where that says nothing
    }

A kind is one of `StepKind`; `pathId` is null for the required points; scores, costs, gains and severities are
within 0–1; cost and gain are null while the point, or a point of the group, is open. `after` is the lowest score that
is possible with the change.

The point assessment of a verdict that is carried over lists in `carriedOver` what its judges saw and is different now:
`criteria`, `description`, `transcript`, or `unknown` where that was not noted. Where verdicts are missing beside
others, `bounds` is `coverageExtent` with these at 0 and at 1; `failedJudges` names those asked in vain
(`judgeModelId`).

Where the prompt or the answer involves tools, `toolUse` holds the trace and the policy. It does not affect the score:

    {
      "calls": [{"line", "name", "declared",         line of the answer, from 1; whether `tools` declares it
                 "checks": [{"index", "meets", "isInverted"}]}],     the checks of this call, by the list above
      "slips": [{"line", "text", "reason"}],         lines that look like calls and cannot be read as one
      "rules": [{"rule", "tool", "kept", "told"}]    requiredTools, prohibitedTools, maxCalls, maxSteps
    }

For the answer of a model, `stopReason` says why it ended; for an answer with thoughts in its text, `thinkBlocks`
describes them. Neither affects the score (`engine.evaluation.answer_notes`):

    "stopReason": {
      "reason": "length",                            one of `StopReason`, the worst of its turns
      "word": "max_tokens",                          the server's own word, "" where it gave none
      "cut": true,                                   whether the answer was cut short
      "text": "cut off at the token limit",
      "turns": ["stop", "length"]                    of each generated turn, null where it is not known
    },
    "thinkBlocks": {"count": 1, "tag": "<think>", "closed": true, "words": 212, "share": 0.58}

Targets and the standing of paths as JSON (docs/machine-readable.md). Scores are within 0–1, unrounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from engine import functions
from engine.blueprint import Judge
from engine.evaluation.answer_notes import answer_json
from engine.evaluation.events import AllJudged, Scored
from engine.scoring.assessment import AssessedBy, Assessment, StoredJudgement
from engine.scoring.explanation import Bounds, Explanation, GroupScore, PointScore
from engine.scoring.sums import to_fixed
from engine.scoring.target import Target, target, target_notes
from engine.scoring.what_if import PathStanding, path_standings
from engine.text.record import as_json
from engine.tool_use.tool_use_report import ToolUse, tool_use_json
from engine.yaml.nodes import Data

if TYPE_CHECKING:
    from engine.judging.consensus import Consensus

EXPLANATION_VERSION = 2


def coverage_result(scored: Scored, judged: AllJudged | None = None, tools: ToolUse | None = None) -> dict[str, Data]:
    """One `CoverageResult` with our additions, as this module's docstring describes them."""
    verdicts: Mapping[int, Consensus] = {} if judged is None else judged.points
    explanation = scored.explanation
    result: dict[str, Data] = {"keyPointsCount": len(scored.assessments)}
    if explanation.score is not None:
        result["avgCoverageExtent"] = float(to_fixed(explanation.score, 2))
    result |= {
        "pointAssessments": [
            point_assessment(assessment, verdicts.get(index)) for index, assessment in enumerate(scored.assessments)
        ],
        **({} if (agreed := _agreement(scored, judged)) is None else {"judgeAgreement": agreed}),
        "bounds": bounds_json(explanation.bounds),
        "explanation": explanation_json(explanation),
        **answer_json(scored.response),
    }
    if tools is not None:
        result["toolUse"] = tool_use_json(tools)
    response = scored.response
    if response.ignored:
        result["ignoredSettings"] = [knob.value for knob in response.ignored]
    if response.token_limit is not None:
        result["tokenLimit"] = response.token_limit
    return result


def point_assessment(assessment: Assessment, verdicts: Consensus | None = None) -> dict[str, Data]:
    """One `PointAssessment`; fields that do not apply are absent, as on Weval. `verdicts` are those of its judges."""
    point = assessment.point
    human = assessment.by is AssessedBy.HUMAN
    fields: dict[str, Data | None] = {
        "keyPointText": functions.point_text(assessment.point),
        "coverageExtent": assessment.extent if assessment.assessed else None,
        "reflection": (None if human else assessment.reflection) or (assessment.detail if assessment.by else None),
        "multiplier": point.multiplier,
        "citation": point.citation,
        "pathId": assessment.placed.path_id,
        "isInverted": assessment.placed.inverted,
        "error": assessment.error,
        "judgeModelId": AssessedBy.HUMAN.value if human else None,
        "individualJudgements": _judgements(assessment, verdicts),
        "carriedOver": [part.value for part in assessment.carried_over] or None,
        "bounds": None if assessment.possible is None else bounds_json(assessment.possible),
        "failedJudges": list(assessment.failed_judges) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _judgements(assessment: Assessment, verdicts: Consensus | None) -> Data | None:
    """The verdicts before inversion: the published ones, else the author's and those of judges."""
    if assessment.published:
        return [_stored(each) for each in assessment.published]
    human: list[Data] = [_human_judgement(assessment)] if assessment.by is AssessedBy.HUMAN else []
    if verdicts is None:
        return human or None
    from engine.judging.consensus import individual_judgements  # here, as runs without judges load none of it

    return [*human, *individual_judgements(verdicts)] or None


def _stored(judgement: StoredJudgement) -> dict[str, Data]:
    extent = {} if judgement.extent is None else {"coverageExtent": judgement.extent}
    return {"judgeModelId": judgement.judge, **extent, "reflection": judgement.reflection}


def _agreement(scored: Scored, judged: AllJudged | None) -> Data:
    has_verdicts = judged is not None and bool(judged.points)
    if not has_verdicts and not any(each.published for each in scored.assessments):
        return None
    if judged is not None and has_verdicts:
        return None if judged.agreement is None else as_json(judged.agreement)
    from engine.judging.agreement import UNKNOWN, JudgedExtent, agreement

    compared = [
        [JudgedExtent(each.judge, each.extent) for each in point.published if each.judge != AssessedBy.HUMAN]
        for point in scored.assessments
        if not point.carried_over
    ]
    labels = dict.fromkeys(each.judge for point in compared for each in point)
    judges = [
        Judge(model.removesuffix(")"), UNKNOWN, name) for name, _, model in (each.partition("(") for each in labels)
    ]
    agreed = agreement(compared, judges)
    return None if agreed is None else as_json(agreed)


def _human_judgement(assessment: Assessment) -> dict[str, Data]:
    """The author's grade of the criterion itself, before inversion."""
    extent = assessment.extent or 0.0
    return {
        "judgeModelId": AssessedBy.HUMAN.value,
        "coverageExtent": 1 - extent if assessment.placed.inverted else extent,
        "reflection": assessment.detail,
    }


def bounds_json(bounds: Bounds) -> list[Data]:
    """`bounds`: the lowest and the highest score still possible, 0–1, unrounded."""
    return [bounds.low, bounds.high]


def explanation_json(explanation: Explanation) -> dict[str, Data]:
    """`explanation`, as this module's docstring describes it."""
    return {
        "version": EXPLANATION_VERSION,
        "score": explanation.score,
        "bestPath": explanation.best_path_id,
        "steps": [as_json(step) for step in explanation.steps],
        "groups": _groups(explanation),
        "weval": as_json(explanation.weval),
        "carriedOver": explanation.carried_over,
        "notes": list(explanation.notes),
        "advice": [
            {"text": advice.text, "gain": advice.gain, "after": advice.after.low} for advice in explanation.advice
        ],
        "againstIdeal": explanation.against_ideal,
    }


def _groups(explanation: Explanation) -> list[Data]:
    standings = {standing.path.path_id: standing for standing in path_standings(explanation)}
    return [{**_group(group), **_standing(standings.get(group.path_id))} for group in explanation.groups()]


def _standing(standing: PathStanding | None) -> dict[str, Data]:
    if standing is None:
        return {"lead": None, "change": None, "weightChange": None}
    points = standing.change
    change: Data = None if points is None else [functions.point_text(point.assessment.point) for point in points]
    return {"lead": bounds_json(standing.lead), "change": change, "weightChange": None}


def _group(group: GroupScore) -> dict[str, Data]:
    return {
        "pathId": group.path_id,
        "score": group.score,
        "bounds": bounds_json(group.bounds),
        "cost": group.cost,
        "gain": group.gain,
        "points": [
            {
                "keyPointText": functions.point_text(point.assessment.point),
                "weightShare": point.weight_share,
                "cost": point.cost,
                "gain": point.gain,
                "severity": point.severity,
                "detail": point.assessment.detail,
            }
            for point in group.points
        ],
    }


def expected_json(explanation: Explanation | None, wanted: float | None) -> dict[str, Data]:
    """`target` for a score of `wanted`, 0–100; nothing where no score is wanted, null where none was computed."""
    if wanted is None:
        return {}
    return {"target": None if explanation is None else target_json(target(explanation, wanted / 100))}


def target_json(found: Target) -> dict[str, Data]:
    """`target`: what an answer would have to do for a score."""
    return {
        "wanted": found.wanted,
        "reached": found.is_reached,
        "reachable": found.is_reachable,
        "highest": found.highest,
        "sets": [{"points": _points(each.points), "bounds": bounds_json(each.bounds)} for each in found.sets],
        "others": found.has_others,
        "notes": list(target_notes(found)),
        "obstacles": [{**_point(each.point), "highest": each.highest, "why": each.why} for each in found.obstacles],
    }


def _points(points: Iterable[PointScore]) -> list[Data]:
    return [_point(point) for point in points]


def _point(point: PointScore) -> dict[str, Data]:
    placed = point.assessment.placed
    return {
        "keyPointText": functions.point_text(point.assessment.point),
        "pathId": placed.path_id,
        "isInverted": placed.inverted,
        "judged": point.assessment.assessed,
    }
