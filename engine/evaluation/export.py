"""Weval's result JSON (000, part 3), with our additions.

Weval's own viewer opens it (platform.md, "A result file that Weval's viewer reads"): its required fields are always
there, `config` has the form that Weval's loader gives it (`engine.evaluation.viewer_config`), and `modelSystemPrompts`
has the system prompt of each key, null where there is none.

`evaluationResults.llmCoverageScores[prompt][key]` is documented in `engine.evaluation.coverage_result`.

An answer that the provider's filter withheld has no score. Its reason is in `errors`, and the part that had arrived in
`withheldResponses[prompt][key]`, `{"text", "stopReason"}`. That field is absent where nothing was withheld.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from engine.blueprint import ABSENT, Blueprint, Header, Prompt
from engine.conversation import ThreadTurn
from engine.evaluation.answer_notes import stop_json
from engine.evaluation.coverage_result import coverage_result
from engine.evaluation.events import AllJudged, Failed, Response, Scored
from engine.evaluation.viewer_config import system_prompts, viewer_config
from engine.functions.point_function import Subject, ToolCall
from engine.functions.traces import calls_of
from engine.identity import blueprint_id
from engine.record import Record, replace
from engine.tool_use.tool_use_report import ToolUse, tool_use
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import iso_date

NO_LABEL = "run"
"""The label of a run without a content hash."""


class Entry(Record):
    """The outcome of one prompt under one key.

    `prompt_key` is the prompt's id, made unique within the file; `suffix` is the part of `key` that the variant added.
    `judged` holds the verdicts of a run with judges; its score is that of `outcome`.
    """

    prompt: Prompt
    prompt_key: str
    key: str
    outcome: Scored | Failed
    suffix: str = ""
    judged: AllJudged | None = None


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
        "promptContexts": {entry.prompt_key: _prompt_context(entry.prompt) for entry in entries},
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


def _prompt_context(prompt: Prompt) -> list[Data]:
    return [{"role": message.role.value, "content": message.content} for message in prompt.messages]


def _history(thread: Sequence[ThreadTurn]) -> list[Data]:
    return [{"role": turn.role.value, "content": turn.content} for turn in thread]


def _tool_calls(response: Response) -> list[Data]:
    return [_tool_call(each.call) for each in calls_of(Subject(response.subject))]


def _tool_call(call: ToolCall) -> dict[str, Data]:
    return {"name": call.name} | ({} if call.arguments is ABSENT else {"arguments": call.arguments})


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
