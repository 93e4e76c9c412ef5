"""Weval's result JSON (000, part 3), and what is ours in it. Weval's own viewer opens it (platform.md, "A result file
that Weval's viewer reads"): its required fields are always there, `config` is as its loader leaves it
(`engine.evaluation.viewer_config`), and `modelSystemPrompts` has the system prompt of each key, null where there is
none.

`evaluationResults.llmCoverageScores[prompt][key]` holds `keyPointsCount`, `avgCoverageExtent` (two decimals, absent
where nothing is scored), `pointAssessments` and `judgeAgreement` (absent where judges did not judge) as documented.
Ours are `bounds`, `[low, high]` within 0–1, unrounded, and `explanation`:

    {
      "version": 1,
      "score": 0.375,                       unrounded, null where nothing is assessed
      "bestPath": "path_3",                 null without paths
      "steps": [{"kind", "label", "working", "result"}],       in the order of computation
      "groups": [{"pathId", "score", "bounds", "costs",        the required points first
                  "points": [{"keyPointText", "weightShare", "costs", "detail"}]}],
      "weval": {"stored", "unrounded", "reasons": []},
      "carriedOver": 3,                     how many verdicts are from before an edit of what their judges saw
      "notes": [],
      "advice": [{"text", "gain", "after"}],
      "againstIdeal": "…"                   rubric or answer, by what the ideal scores; null where that says nothing
    }

A point assessment whose verdict is carried over names in `carriedOver` what its judge saw that is another now:
`criteria`, `description`, `transcript`, or `unknown` where that was not noted.

Where the prompt or the answer has to do with tools, `toolUse` holds the trace and the policy, which no score holds:

    {
      "calls": [{"line", "name", "declared",         line of the answer, from 1; whether `tools` knows it
                 "checks": [{"index", "meets", "isInverted"}]}],     the checks that speak of it, by the list above
      "slips": [{"line", "text", "reason"}],         lines that look like calls and are none
      "rules": [{"rule", "tool", "kept", "told"}]    requiredTools, prohibitedTools, maxCalls, maxSteps
    }

Of an answer that a model gave, `stopReason` says why it ended, and of one that thinks aloud in its text `thinkBlocks`
what of it is thought; both take part in no score (`engine.evaluation.answer_notes`):

    "stopReason": {
      "reason": "length",                            one of `StopReason`, the worst of its turns
      "word": "max_tokens",                          the server's own word, "" where it gave none
      "cut": true,                                   whether the answer was cut short
      "text": "cut off at the token limit",
      "turns": ["stop", "length"]                    of each generated turn, null where it is not known
    },
    "thinkBlocks": {"count": 1, "tag": "<think>", "closed": true, "words": 212, "share": 0.58}

An answer that the provider's filter withheld has no score: its reason stands in `errors`, and what had arrived of it in
`withheldResponses[prompt][key]`, `{"text", "stopReason"}`. That key is absent where nothing was withheld.

A kind is one of `StepKind`; `pathId` is null for the required points; scores, costs and gains are within 0–1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine import functions
from engine.blueprint import ABSENT, Blueprint, Header, Judge, Prompt
from engine.conversation import ThreadTurn
from engine.evaluation.answer_notes import answer_json, stop_json
from engine.evaluation.events import AllJudged, Failed, Response, Scored
from engine.evaluation.viewer_config import system_prompts, viewer_config
from engine.functions.point_function import Subject, ToolCall
from engine.functions.traces import calls_of
from engine.identity import blueprint_id
from engine.scoring.aggregation import to_fixed
from engine.scoring.assessment import AssessedBy, Assessment, StoredJudgement
from engine.scoring.explanation import Bounds, Explanation, GroupScore
from engine.tool_use import ToolUse, tool_use
from engine.tool_use.tool_use_result import tool_use_json
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import iso_date

if TYPE_CHECKING:
    from engine.judging.consensus import Consensus

EXPLANATION_VERSION = 1
NO_LABEL = "run"
"""The label of a run for which Weval has no content hash."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The outcome of one prompt under one key.

    `prompt_key` is the prompt's id, made unique within the file; `suffix` is what the variant added to the key.
    `judged` are the verdicts, where judges were asked; its score is that of `outcome`.
    """

    prompt: Prompt
    prompt_key: str
    key: str
    outcome: Scored | Failed
    suffix: str = ""
    judged: AllJudged | None = None


def result_json(
    blueprint: Blueprint,
    config: Data,
    entries: Sequence[Entry],
    *,
    path: Path,
    when: datetime | None = None,
    run_label: str | None = None,
    models: Sequence[Data] | None = None,
) -> Data:
    """The whole result, ready for `dumps`. `config` is the blueprint at `path` in Weval's normalised form.

    `when` is the moment of completion, now unless given; `run_label` the content hash, where there is one; `models`
    those of the run with collections expanded, as written unless given. The id is the path's, since one written in the
    file is ignored (002, "id"); it is the title too where there is none.
    """
    scored = [(entry, entry.outcome) for entry in entries if isinstance(entry.outcome, Scored)]
    failed = [(entry, entry.outcome) for entry in entries if isinstance(entry.outcome, Failed)]
    withheld = _nested((entry, _withheld(failure)) for entry, failure in failed if failure.withheld)
    description = blueprint.header.description
    return {
        "configId": blueprint_id(path),
        "configTitle": blueprint.header.title or blueprint_id(path),
        "runLabel": run_label or NO_LABEL,
        **({} if description is None else {"description": description}),
        "sourceBlueprintFileName": path.name,
        "timestamp": stamp(when or datetime.now(UTC)),
        "config": viewer_config(config, models),
        "evalMethodsUsed": ["llm-coverage"],
        "effectiveModels": list(dict.fromkeys(entry.key for entry in entries)),
        "modelSystemPrompts": system_prompts(entries, blueprint.header),
        "promptIds": list(dict.fromkeys(entry.prompt_key for entry in entries)),
        "promptContexts": {entry.prompt_key: _context(entry.prompt) for entry in entries},
        "allFinalAssistantResponses": _nested((entry, done.response.subject) for entry, done in scored),
        "fullConversationHistories": _nested((entry, _history(done.response.thread)) for entry, done in scored),
        "toolCalls": _nested((entry, _tool_calls(done.response)) for entry, done in scored),
        "errors": _nested((entry, _failure(failure)) for entry, failure in failed),
        **({"withheldResponses": withheld} if withheld else {}),
        "evaluationResults": {
            "llmCoverageScores": _nested(
                (entry, coverage_result(done, entry.judged, tools_of(entry, done, blueprint.header)))
                for entry, done in scored
            ),
        },
    }


def stamp(when: datetime) -> str:
    """A moment as Weval writes it, in UTC to the millisecond: `2026-03-01T09-08-07-006Z`."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%S-") + f"{when.microsecond // 1000:03}Z"


def tools_of(entry: Entry, scored: Scored, header: Header) -> ToolUse | None:
    """What the answer of an entry does with tools; None where nothing has to do with any."""
    return tool_use(entry.prompt, header, scored.response.subject, scored.assessments)


def coverage_result(scored: Scored, judged: AllJudged | None = None, tools: ToolUse | None = None) -> dict[str, Data]:
    """One `CoverageResult` with our additions."""
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
    """One `PointAssessment`; fields that do not apply are absent, as on Weval. `verdicts` are those of judges."""
    point = assessment.point
    human = assessment.by is AssessedBy.HUMAN
    fields: dict[str, Data | None] = {
        "keyPointText": key_point_text(assessment),
        "coverageExtent": assessment.extent if assessment.assessed else None,
        "reflection": assessment.reflection or (assessment.detail if assessment.by is not None else None),
        "multiplier": point.multiplier,
        "citation": point.citation,
        "pathId": assessment.placed.path_id,
        "isInverted": assessment.placed.inverted,
        "error": assessment.error,
        "judgeModelId": AssessedBy.HUMAN.value if human else None,
        "individualJudgements": _judgements(assessment, verdicts),
        "carriedOver": [part.value for part in assessment.carried_over] or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def key_point_text(assessment: Assessment) -> str:
    """The criterion, or the documented `Function: contains("x")`."""
    call = assessment.point.function
    return functions.describe(call) if call is not None else assessment.point.text or ""


def _judgements(assessment: Assessment, verdicts: Consensus | None) -> Data | None:
    """The verdicts on the criterion itself: the author, else judges, else those of the result file that it is from."""
    if assessment.published:
        return [_stored(each) for each in assessment.published]
    if assessment.by is AssessedBy.HUMAN:
        return [_own_judgement(assessment)]
    if verdicts is None:
        return None
    from engine.judging.judge_results import individual_judgements  # here, as runs without judges load none of it

    return individual_judgements(verdicts) or None


def _stored(judgement: StoredJudgement) -> dict[str, Data]:
    extent = {} if judgement.extent is None else {"coverageExtent": judgement.extent}
    return {"judgeModelId": judgement.judge, **extent, "reflection": judgement.reflection}


def _agreement(scored: Scored, judged: AllJudged | None) -> Data:
    has_verdicts = judged is not None and bool(judged.points)
    if not has_verdicts and not any(each.published for each in scored.assessments):
        return None
    from engine.judging.judge_results import judge_agreement

    if judged is not None and has_verdicts:
        return judge_agreement(judged.agreement)
    from engine.judging.agreement import UNKNOWN, JudgedExtent, agreement

    compared = [[JudgedExtent(each.judge, each.extent) for each in point.published] for point in scored.assessments]
    labels = dict.fromkeys(each.judge for point in compared for each in point)
    judges = [
        Judge(model.removesuffix(")"), UNKNOWN, name) for name, _, model in (each.partition("(") for each in labels)
    ]
    return judge_agreement(agreement(compared, judges))


def _own_judgement(assessment: Assessment) -> dict[str, Data]:
    """The author's grade of the criterion itself, before inversion."""
    extent = assessment.extent or 0.0
    return {
        "judgeModelId": AssessedBy.HUMAN.value,
        "coverageExtent": 1 - extent if assessment.placed.inverted else extent,
        "reflection": assessment.detail,
    }


def bounds_json(bounds: Bounds) -> list[Data]:
    """The lowest and the highest score still possible, 0–1, unrounded."""
    return [bounds.low, bounds.high]


def explanation_json(explanation: Explanation) -> dict[str, Data]:
    """The explanation in the form that this module's docstring describes."""
    return {
        "version": EXPLANATION_VERSION,
        "score": explanation.score,
        "bestPath": explanation.best_path_id,
        "steps": [
            {"kind": step.kind.value, "label": step.label, "working": step.working, "result": step.result}
            for step in explanation.steps
        ],
        "groups": [_group(group) for group in explanation.groups()],
        "weval": {
            "stored": explanation.weval.stored,
            "unrounded": explanation.weval.unrounded,
            "reasons": list(explanation.weval.reasons),
        },
        "carriedOver": explanation.carried_over,
        "notes": list(explanation.notes),
        "advice": [{"text": advice.text, "gain": advice.gain, "after": advice.after} for advice in explanation.advice],
        "againstIdeal": explanation.against_ideal,
    }


def _group(group: GroupScore) -> dict[str, Data]:
    return {
        "pathId": group.path_id,
        "score": group.score,
        "bounds": bounds_json(group.bounds),
        "costs": group.costs,
        "points": [
            {
                "keyPointText": key_point_text(point.assessment),
                "weightShare": point.weight_share,
                "costs": point.costs,
                "detail": point.assessment.detail,
            }
            for point in group.points
        ],
    }


def _nested(values: Iterable[tuple[Entry, Data]]) -> dict[str, Data]:
    table: dict[str, dict[str, Data]] = {}
    for entry, value in values:
        table.setdefault(entry.prompt_key, {})[entry.key] = value
    return dict(table)


def _context(prompt: Prompt) -> list[Data]:
    return [{"role": message.role.value, "content": message.content} for message in prompt.messages]


def _history(thread: Sequence[ThreadTurn]) -> list[Data]:
    return [{"role": turn.role.value, "content": turn.content} for turn in thread]


def _tool_calls(response: Response) -> list[Data]:
    seen = calls_of(Subject(response.subject))
    return [_tool_call(each.call) for each in seen]


def _tool_call(call: ToolCall) -> dict[str, Data]:
    return {"name": call.name} | ({} if call.arguments is ABSENT else {"arguments": call.arguments})


def _withheld(failed: Failed) -> dict[str, Data]:
    """What had arrived of an answer that a filter withheld, and the filter's reason."""
    text = "" if failed.partial is None else failed.partial.subject
    return {"text": text, "stopReason": None if failed.stop is None else stop_json(failed.stop)}


def _failure(failed: Failed) -> str:
    return " ".join(part for part in (failed.title, failed.detail) if part)


def dumps(result: Data) -> str:
    """The result as JSON text as `JSON.stringify` would write its values: dates in ISO form, no number as null."""
    return json.dumps(_plain(result), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _plain(data: Data) -> Data:
    match data:
        case dict():
            return {name: _plain(value) for name, value in data.items()}
        case list():
            return [_plain(each) for each in data]
        case float() if not math.isfinite(data):
            return None
        case datetime():
            return iso_date(data)
        case _:
            return data
