"""Recording the answers of a run as a fixtures file (`engine.evaluation.fixtures` documents its form)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.evaluation.events import Scored
from engine.evaluation.export import Entry
from engine.evaluation.fixtures import Strategy
from engine.providers.chat import Stop, StopReason
from engine.record import Record
from engine.yaml_nodes.nodes import Data

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
