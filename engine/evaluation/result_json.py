"""Weval's result JSON (000, part 3), with our additions, and the answers of a run as a fixtures file.

Weval's own viewer opens it (platform.md, "A result file that Weval's viewer reads"): its required fields are always
there, `config` has the form that Weval's loader gives it (`viewer_config`), and `modelSystemPrompts` has the system
prompt of each key, null where there is none.

The form of a fixtures file is documented in `engine.evaluation.fixtures`.

An answer that the provider's filter withheld has no score. Its reason is in `errors`, and the part that had arrived in
`withheldResponses[prompt][key]`, `{"text", "stopReason"}`. That field is absent where nothing was withheld.

One `CoverageResult` (`evaluationResults.llmCoverageScores[prompt][key]`) holds `keyPointsCount`, `avgCoverageExtent`
(two decimals, absent where nothing is scored), `pointAssessments` and `judgeAgreement` (absent without verdicts of
judges) as documented. Our additions are `bounds`, `[low, high]` within
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
within 0–1, a lead within −1 and 1; cost and gain are null while the point, or a point of the group, is open. `change`
is [] for the best path; `lead` and `change` are null for the required and for a lone path. A severity is unknown if a
YAML error hides points, or all weights are 0. `after` is the lowest score that is possible with the change.

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
describes them. Neither affects the score (`engine.evaluation.events`):

    "stopReason": {
      "reason": "length",                            one of `StopReason`, the worst of its turns
      "word": "max_tokens",                          the server's own word, "" where it gave none
      "cut": true,                                   whether the answer was cut short
      "text": "cut off at the token limit",
      "turns": ["stop", "length"]                    of each generated turn, null where it is not known
    },
    "thinkBlocks": {"count": 1, "tag": "<think>", "closed": true, "words": 212, "share": 0.58}
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from engine import functions
from engine.blueprint import ABSENT, Absent, Blueprint, Header, Judge, Message, Prompt
from engine.blueprint.conversation import StopReason, ThreadTurn, Variant, conversation, variants
from engine.evaluation.events import Failed, Response, Scored, answer_json, stop_json
from engine.evaluation.sources import is_model
from engine.evaluation.tool_use import ToolUse, tool_use, tool_use_json
from engine.functions.tool_call_checks import calls_in
from engine.parsing import Parsed, reading, weval_config, weval_values
from engine.parsing.model_collections import DEFAULT, PUBLISHED, Collections, expand
from engine.parsing.normalised_form import CannotHash, blueprint_id, content_hash
from engine.scoring.assessment import AssessedBy, Assessment, StoredJudgement
from engine.scoring.explanation import Bounds, Explanation, GroupScore, PointScore
from engine.scoring.sums import to_fixed
from engine.scoring.what_if import PathStanding, path_standings, target, target_notes
from engine.text.record import Record, as_json, replace
from engine.yaml.nodes import Data, iso_date

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript
    from engine.judging.judgement import Consensus


EXPLANATION_VERSION = 2


def coverage_result(scored: Scored, tools: ToolUse | None = None) -> dict[str, Data]:
    """One `CoverageResult` with our additions, as this module's docstring describes them."""
    explanation = scored.explanation
    result: dict[str, Data] = {"keyPointsCount": len(scored.assessments)}
    if explanation.score is not None:
        result["avgCoverageExtent"] = float(to_fixed(explanation.score, 2))
    result |= {
        "pointAssessments": [
            point_assessment(assessment, scored.verdicts.get(index))
            for index, assessment in enumerate(scored.assessments)
        ],
        **({} if (agreed := _agreement(scored)) is None else {"judgeAgreement": agreed}),
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
        "individualJudgements": [*map(_judgement_json, _judgements(assessment, verdicts))] or None,
        "carriedOver": [part.value for part in assessment.carried_over] or None,
        "bounds": None if assessment.possible is None else bounds_json(assessment.possible),
        "failedJudges": list(assessment.failed_judges) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _judgements(assessment: Assessment, verdicts: Consensus | None) -> Iterator[StoredJudgement]:
    """The verdicts before inversion: the published ones, else the author's and those of judges."""
    yield from assessment.published
    if not assessment.published:
        if assessment.by is AssessedBy.HUMAN:
            extent = assessment.extent or 0.0
            before = 1 - extent if assessment.placed.inverted else extent
            yield StoredJudgement(AssessedBy.HUMAN.value, before, assessment.detail)
        for judgement, found in () if verdicts is None else verdicts.verdicts:
            yield StoredJudgement(judgement.judge.label, found.extent, found.reflection)


def _judgement_json(judgement: StoredJudgement) -> dict[str, Data]:
    extent = {} if judgement.extent is None else {"coverageExtent": judgement.extent}
    return {"judgeModelId": judgement.judge, **extent, "reflection": judgement.reflection}


def _agreement(scored: Scored) -> Data:
    if scored.verdicts or not any(each.published for each in scored.assessments):
        return None if scored.agreement is None else as_json(scored.agreement)
    from engine.judging.judgement import UNKNOWN, agreement

    compared = [
        [each for each in point.published if each.judge != AssessedBy.HUMAN]
        for point in scored.assessments
        if not point.carried_over
    ]
    labels = dict.fromkeys(each.judge for point in compared for each in point)
    judges = [
        Judge(model.removesuffix(")"), UNKNOWN, name) for name, _, model in (each.partition("(") for each in labels)
    ]
    agreed = agreement(compared, judges)
    return None if agreed is None else as_json(agreed)


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
    if explanation is None:
        return {"target": None}
    found = target(explanation, wanted / 100)
    sets: list[Data] = [
        {"points": [_point(point) for point in each.points], "bounds": bounds_json(each.bounds)} for each in found.sets
    ]
    return {
        "target": {
            "wanted": found.wanted,
            "reached": found.is_reached,
            "reachable": found.is_reachable,
            "highest": found.highest,
            "sets": sets,
            "others": found.has_others,
            "notes": list(target_notes(found)),
            "obstacles": [{**_point(each.point), "highest": each.highest, "why": each.why} for each in found.obstacles],
        }
    }


def _point(point: PointScore) -> dict[str, Data]:
    placed = point.assessment.placed
    return {
        "keyPointText": functions.point_text(point.assessment.point),
        "pathId": placed.path_id,
        "isInverted": placed.inverted,
        "judged": point.assessment.assessed,
    }


NO_LABEL = "run"
"""The label of a run without a content hash."""


class Entry(Record):
    """The outcome of one prompt under one key.

    `prompt_key` is the prompt's id, made unique within the file; `suffix` is the part of `key` that the variant added.
    """

    prompt: Prompt
    prompt_key: str
    key: str
    outcome: Scored | Failed
    suffix: str = ""


def as_read(entry: Entry) -> Entry:
    """`entry` as machines read it: points are open whose verdicts are from before an edit."""
    if not isinstance(entry.outcome, Scored) or not entry.outcome.explanation.carried_over:
        return entry
    from engine.evaluation.verdicts import as_machines_read  # here, as only results with verdicts need it

    return replace(entry, outcome=as_machines_read(entry.prompt, entry.outcome))


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

    `when` is the time of completion (default: now), `run_label` the content hash where there is one, `models` the
    models of the run with collections expanded (default: as written). The id comes from the path, since an id in the
    file is ignored (002, "id"); it is also the title of a blueprint without one.
    """
    entries = [as_read(entry) for entry in entries]
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
        "promptContexts": {entry.prompt_key: _turns(entry.prompt.messages) for entry in entries},
        "allFinalAssistantResponses": _nested((entry, done.response.subject) for entry, done in scored),
        "fullConversationHistories": _nested((entry, _turns(done.response.thread)) for entry, done in scored),
        "toolCalls": _nested((entry, _tool_calls(done.response)) for entry, done in scored),
        "errors": _nested((entry, _failure(failure)) for entry, failure in failed),
        **({"withheldResponses": withheld} if withheld else {}),
        "evaluationResults": {
            "llmCoverageScores": _nested(
                (entry, coverage_result(done, tools_of(entry, done, blueprint.header))) for entry, done in scored
            ),
        },
    }


def stamp(when: datetime) -> str:
    """A time as Weval writes it, in UTC to the millisecond: `2026-03-01T09-08-07-006Z`."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%S-") + f"{when.microsecond // 1000:03}Z"


def tools_of(entry: Entry, scored: Scored, header: Header) -> ToolUse | None:
    """How the answer of an entry uses tools; None where neither prompt nor answer involves any."""
    return tool_use(entry.prompt, header, scored.response.subject, scored.assessments)


def _nested(values: Iterable[tuple[Entry, Data]]) -> dict[str, Data]:
    table: dict[str, dict[str, Data]] = {}
    for entry, value in values:
        table.setdefault(entry.prompt_key, {})[entry.key] = value
    return dict(table)


def _turns(turns: Iterable[Message | ThreadTurn]) -> list[Data]:
    return [{"role": turn.role.value, "content": turn.content} for turn in turns]


def _tool_calls(response: Response) -> list[Data]:
    calls = calls_in(response.subject)
    return [{"name": each.name} | ({} if each.arguments is ABSENT else {"arguments": each.arguments}) for each in calls]


def _withheld(failed: Failed) -> dict[str, Data]:
    """The part of a withheld answer that had arrived, and the filter's reason."""
    text = "" if failed.partial is None else failed.partial.subject
    return {"text": text, "stopReason": None if failed.stop is None else stop_json(failed.stop)}


def _failure(failed: Failed) -> str:
    return " ".join(part for part in (failed.title, failed.detail) if part)


def dumps(result: Data) -> str:
    """The result as JSON, its values as `JSON.stringify` writes them: dates in ISO form, NaN and infinities as null."""
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


def viewer_config(config: Data, models: Sequence[Data] | None = None) -> dict[str, Data]:
    """The normalised `config` in the form that Weval's loader gives it, as in Weval's own results.

    A list in `system` moves to `systems`, unless that is written too; `systemPrompt` becomes `system`. `models` is
    always a list: the argument where given, else as written, else Weval's default collection.
    """
    found = dict(config) if isinstance(config, dict) else {}
    one = found.pop("systemPrompt", None)
    if one is not None:
        found.setdefault("system", one)
    system = found.get("system")
    if isinstance(system, list):
        del found["system"]
        if not found.get("systems"):
            found["systems"] = system
    written = found.get("models")
    found["models"] = list(models) if models else written if isinstance(written, list) else list(DEFAULT)
    return found


def system_prompts(entries: Sequence[Entry], header: Header) -> dict[str, Data]:
    """The system prompt of each key, None where there is none or no model was requested.

    With several `systems`, a key has that of its variant. Otherwise it has the one that all its prompts share, or the
    header's where prompts have their own.
    """
    by_suffix = {each.suffix: each for each in variants(header)}
    in_force: dict[str, set[str | None]] = {}
    for entry in entries:
        variant = by_suffix.get(entry.suffix, Variant())
        system = conversation(entry.prompt, header, variant).system if is_model(entry.key) else None
        own = system if isinstance(variant.system, Absent) else variant.system
        in_force.setdefault(entry.key, set()).add(own)
    usual = header.systems[0] if len(header.systems) == 1 else None
    return {key: next(iter(found)) if len(found) == 1 else usual for key, found in in_force.items()}


_SHARED_ID_NOTE = "Another prompt with the id {id}. Weval does not look here."
_COMPLETE = frozenset((None, StopReason.STOP.value, StopReason.SEQUENCE.value))


def record_fixtures(entries: Iterable[Entry]) -> Data:
    """A fixtures file, as plain data, that replays every response of `entries`.

    A model's answer is saved in `byModel` under the name of its model. Several variants are also saved under their own
    names, which Weval ignores: it takes the first one's. All other answers are saved in `default`. Failures and empty
    answers are left out, since neither Weval nor we accept an empty saved answer.

    Weval identifies a prompt by its id alone. Where several prompts share an id, the answers to the later ones are
    saved under their names in results, `ID#2` and so on. We look them up there; Weval gives all of them the answers
    under the id.
    """
    recorded: dict[str, dict[str | None, list[list[ThreadTurn]]]] = {}
    notes: dict[str, dict[str, Data]] = {}
    for entry in entries:
        if isinstance(entry.outcome, Scored):
            response = entry.outcome.response
            turns = [turn for turn in response.thread if turn.generated]
            if any(turn.content.strip() for turn in turns):
                for name in _names(entry, by_model=response.model is not None):
                    recorded.setdefault(entry.prompt_key, {}).setdefault(name, []).append(turns)
        if entry.prompt_key != entry.prompt.id:  # without an entry of its own it would get the first prompt's answer
            recorded.setdefault(entry.prompt_key, {})
            notes[entry.prompt_key] = {"notes": _SHARED_ID_NOTE.format(id=entry.prompt.id)}
    responses: dict[str, Data] = {}
    for key, named in recorded.items():
        reasons = {name: [[_reason(turn) for turn in turns] for turns in given] for name, given in named.items()}
        stops = _by_name({name: each for name, each in reasons.items() if not _COMPLETE.issuperset(chain(*each))})
        texts = _by_name({name: [[turn.content for turn in turns] for turns in given] for name, given in named.items()})
        responses[key] = {**notes.get(key, {}), **texts, **({"stopReasons": stops} if stops else {})}
    return {"version": 1, "strategy": "round-robin", "responses": responses}


def shared_ids(entries: Iterable[Entry]) -> Mapping[str, tuple[str, ...]]:
    """For each id that several prompts share, the names of the later prompts in a recording."""
    shared: dict[str, dict[str, None]] = {}
    for entry in entries:
        if entry.prompt_key != entry.prompt.id:
            shared.setdefault(entry.prompt.id, {})[entry.prompt_key] = None
    return {prompt_id: tuple(keys) for prompt_id, keys in shared.items()}


def _names(entry: Entry, *, by_model: bool) -> tuple[str | None, ...]:
    """The names in `byModel` under which an answer is saved; None is `default`."""
    if not by_model:
        return (None,)
    model = entry.key.removesuffix(entry.suffix)
    return (model, entry.key) if entry.suffix else (model,)


def _reason(turn: ThreadTurn) -> str | None:
    return None if turn.stop is None else turn.stop.reason.value


def _by_name(given: Mapping[str | None, Sequence[Sequence[str | None]]]) -> dict[str, Data]:
    """The answers, or why they ended, under their names: `default` for None, the others in `byModel`."""
    values = {name: _saved_value(each) for name, each in given.items()}
    by_model = {name: value for name, value in values.items() if name is not None}
    default = {"default": values[None]} if None in values else {}
    return {**default, **({"byModel": by_model} if by_model else {})}


def _saved_value(given: Sequence[Sequence[str | None]]) -> Data:
    """The answers under one name, several where there are variants.

    A list can hold only answers of one turn; of longer ones, the first is saved.
    """
    first = given[0]
    if len(first) > 1:
        return {"turns": [*first]}
    return first[0] if len(given) == 1 else [turns[0] for turns in given]


# --- The file of a run


_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


class Export(Record):
    """A result file before it is written: its text, and the name that Weval would give it.

    `remark` says why the run has no label, where the author can change that.
    """

    name: str
    text: str
    remark: str = ""


def export(
    parsed: Parsed,
    entries: Sequence[Entry],
    path: Path,
    javascript: JavaScript,
    *,
    collections: Path | None = None,
    more: Mapping[str, Data] | None = None,
) -> Export:
    """The result file for `entries` of the blueprint at `path`. Blocks.

    `more` are further keys of the result.
    `collections` is the folder of the model collections, where it is not any `models` above the file.
    """
    when = datetime.now(UTC)
    config = weval_config(parsed) if parsed.weval.ok else reading(parsed)
    models, unknown = _models(config, Collections(path, collections))
    label = None if unknown else _run_label(weval_values(parsed) or config, models, javascript)
    data = result_json(
        parsed.blueprint, config, entries, path=path.absolute(), when=when, run_label=label, models=models
    )
    assert isinstance(data, dict)
    remark = f"The run has no label. {unknown}" if unknown else ""
    return Export(result_name(label, when), dumps({**data, **(more or {})}), remark)


def result_name(run_label: str | None, when: datetime) -> str:
    """`RUNLABEL_TIMESTAMP_comparison.json` (000, part 3): the time in UTC to the millisecond, with `-` for `:` and `.`.

    A run without a label, for which Weval has no content hash, is called `run`.
    """
    label = _NOT_IN_NAMES.sub("-", run_label or "").strip("-.") or NO_LABEL
    return f"{label}_{stamp(when)}_comparison.json"


def _models(config: Data, collections: Collections) -> tuple[list[Data], str]:
    """The models of `config` with collections expanded, and why a run with them has no label; "" for one that has.

    A collection that is not there stays as written. Weval's own are labelled by their names.
    """
    models = config.get("models", list(DEFAULT)) if isinstance(config, dict) else None
    found = expand(models if isinstance(models, list) else (), collections.members)
    unknown = (why for name, why in found.unusable.items() if name not in PUBLISHED)
    return [*found.models, *found.unusable], next(unknown, "")


def _run_label(config: Data, models: list[Data], javascript: JavaScript) -> str | None:
    """The content hash of what Weval's loader makes of `config`, by which Weval labels a run; None for none."""
    if config is None:
        return None
    try:
        return content_hash(viewer_config(config, models), javascript)
    except CannotHash:
        return None
