"""Weval's result JSON (000, part 3), with our additions, and the answers of a run as a fixtures file.

Weval's own viewer opens it (platform.md, "A result file that Weval's viewer reads"): its required fields are always
there, `config` has the form that Weval's loader gives it (`viewer_config`), and `modelSystemPrompts` has the system
prompt of each key, null where there is none.

`evaluationResults.llmCoverageScores[prompt][key]` is documented in `engine.evaluation.coverage_result`, the form of a
fixtures file in `engine.evaluation.fixtures`.

An answer that the provider's filter withheld has no score. Its reason is in `errors`, and the part that had arrived in
`withheldResponses[prompt][key]`, `{"text", "stopReason"}`. That field is absent where nothing was withheld.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from engine.blueprint import ABSENT, Blueprint, Header, Prompt
from engine.blueprint.conversation import Stop, StopReason, ThreadTurn, Variant, conversation, variants
from engine.evaluation.answer_notes import stop_json
from engine.evaluation.coverage_result import coverage_result
from engine.evaluation.events import AllJudged, Failed, Response, Scored
from engine.functions.point_function import Subject, ToolCall
from engine.functions.tool_call_checks import calls_of
from engine.parsing.identity import blueprint_id
from engine.text.record import Record, replace
from engine.tool_use.tool_use_report import ToolUse, tool_use
from engine.yaml.nodes import Data
from engine.yaml.values import iso_date

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


_DEFAULT_MODELS: tuple[Data, ...] = ("CORE",)
_NO_MODEL = ("ideal", "response", "fixtures")
_CONTROLS = "control:"


class Keyed(Protocol):
    """One result: its prompt, its key, and the part of the key that the variant added."""

    @property
    def prompt(self) -> Prompt: ...
    @property
    def key(self) -> str: ...
    @property
    def suffix(self) -> str: ...


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
    found["models"] = list(models) if models else written if isinstance(written, list) else list(_DEFAULT_MODELS)
    return found


def system_prompts(entries: Sequence[Keyed], header: Header) -> dict[str, Data]:
    """The system prompt of each key, None where there is none or no model was requested.

    With several `systems`, a key has that of its variant. Otherwise it has the one that all its prompts share, or the
    header's where prompts have their own.
    """
    by_suffix = {each.suffix: each for each in variants(header)}
    in_force: dict[str, set[str | None]] = {}
    for entry in entries:
        variant = by_suffix.get(entry.suffix, Variant())
        has_model = entry.key not in _NO_MODEL and not entry.key.startswith(_CONTROLS)
        system = conversation(entry.prompt, header, variant).system if has_model else None
        in_force.setdefault(entry.key, set()).add(_of_variant(variant, header) if _has_own(variant) else system)
    usual = header.systems[0] if len(header.systems) == 1 else None
    return {key: next(iter(found)) if len(found) == 1 else usual for key, found in in_force.items()}


def _has_own(variant: Variant) -> bool:
    return variant.system is None or isinstance(variant.system, str)


def _of_variant(variant: Variant, header: Header) -> str | None:
    return variant.system if isinstance(variant.system, str) else None


_SHARED_ID_NOTE = "Another prompt with the id {id}. Weval does not look here."
_COMPLETE = (None, StopReason.STOP.value, StopReason.SEQUENCE.value)


class _RecordedAnswer(Record):
    """One answer: the text of each turn, and why it ended."""

    turns: list[str]
    reasons: list[str | None]


def record_fixtures(entries: Iterable[Entry]) -> Data:
    """A fixtures file, as plain data, that replays every response of `entries`.

    A model's answer is saved in `byModel` under the name of its model. Several variants are also saved under their own
    names, which Weval ignores: it takes the first one's. All other answers are saved in `default`. Failures and empty
    answers are left out, since neither Weval nor we accept an empty saved answer.

    Weval identifies a prompt by its id alone. Where several prompts share an id, the answers to the later ones are
    saved under their names in results, `ID#2` and so on. We look them up there; Weval gives all of them the answers
    under the id.
    """
    answers: dict[tuple[str, str | None], list[_RecordedAnswer]] = {}
    responses: dict[str, dict[str, Data]] = {}
    for entry in entries:
        if isinstance(entry.outcome, Scored):
            response = entry.outcome.response
            turns = [turn.content for turn in response.thread if turn.generated]
            if any(turn.strip() for turn in turns):
                answer = _RecordedAnswer(turns, [_reason(turn.stop) for turn in response.thread if turn.generated])
                for name in _names(entry, by_model=response.model is not None):
                    answers.setdefault((entry.prompt_key, name), []).append(answer)
        if entry.prompt_key != entry.prompt.id:  # without an entry of its own it would get the first prompt's answer
            responses.setdefault(entry.prompt_key, {"notes": _SHARED_ID_NOTE.format(id=entry.prompt.id)})
    for (key, name), given in answers.items():
        saved = responses.setdefault(key, {})
        _put(saved, name, _saved_value([each.turns for each in given]))
        reasons = [each.reasons for each in given]
        if any(each not in _COMPLETE for turns in reasons for each in turns):
            stored = saved.get("stopReasons")
            stops = stored if isinstance(stored, dict) else {}
            _put(stops, name, _saved_value(reasons))
            saved["stopReasons"] = stops
    from engine.evaluation.fixtures import Strategy  # here, as it brings pydantic

    return {"version": 1, "strategy": Strategy.ROUND_ROBIN.value, "responses": dict(responses)}


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


def _reason(stop: Stop | None) -> str | None:
    return None if stop is None else stop.reason.value


def _put(saved: dict[str, Data], name: str | None, value: Data) -> None:
    """Save `value` under `name` in `byModel`, or as `default`."""
    if name is None:
        saved["default"] = value
        return
    by_model = saved.get("byModel")
    saved["byModel"] = (by_model if isinstance(by_model, dict) else {}) | {name: value}


def _saved_value(given: Sequence[Sequence[str | None]]) -> Data:
    """The answers under one name, several where there are variants.

    A list can hold only answers of one turn; of longer ones, the first is saved.
    """
    first = given[0]
    if len(first) > 1:
        return {"turns": [*first]}
    return first[0] if len(given) == 1 else [turns[0] for turns in given]
