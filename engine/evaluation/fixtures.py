"""Saved answers: Weval's fixtures file, JSON or YAML.

    {
      "version": 1,
      "strategy": "seeded",            first | seeded (where none is named) | round-robin
      "seed": 7,
      "responses": {
        "prompt-id": {
          "default": "One answer",     a text, a list of texts to choose from, or {"turns": ["…", "…"]}
          "byModel": {"openai:gpt-4o*": {"turns": ["First turn", "Second turn"]}},
          "notes": "for people",
          "stopReasons": {"byModel": {"openai:gpt-4o*": {"turns": ["length", null]}}}
        }
      }
    }

`byModel` wins over `default`; an exact name over one that ends in `*`, and of those the longest. The name of a variant
(`openai:gpt-4o[temp:0.7]`) is more exact than that of its model. Of a list, `first` takes the first text, `seeded` one
that depends on nothing but seed, prompt and key, and `round-robin` the next one each time this list is asked, over
models, variants and runs, until the studio or the command ends; behind the last text comes the first again.

`stopReasons` is ours: why the answers ended, in the shape of the answers, with a value of `StopReason` or null for each
text. A recording has it where an answer did not end as it should, so that a cut answer stays one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.evaluation.events import Scored
from engine.evaluation.export import Entry
from engine.providers.chat import Stop, StopReason
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.tree_loader import load
from engine.yaml_nodes.values import TooMuch, to_data


class Strategy(StrEnum):
    """Which text of a list is taken."""

    FIRST = "first"
    SEEDED = "seeded"
    ROUND_ROBIN = "round-robin"


class Turns(BaseModel):
    """An answer of several turns, one for each generated turn of the conversation."""

    turns: list[str] = Field(min_length=1)


class TurnReasons(BaseModel):
    """Why each turn of an answer ended."""

    turns: list[str | None]


class SavedReasons(BaseModel):
    """Why answers ended, in the shape of the answers themselves."""

    model_config = ConfigDict(populate_by_name=True)

    default: str | list[str | None] | TurnReasons | None = None
    by_model: dict[str, str | list[str | None] | TurnReasons | None] = Field(default_factory=dict, alias="byModel")

    def of(self, entry: str | None, place: int) -> tuple[Stop | None, ...]:
        """Why the turns of one answer ended: the one of `entry` (None: of `default`), of a list the one at `place`."""
        match self.default if entry is None else self.by_model.get(entry):
            case str(reason):
                reasons: Sequence[str | None] = [reason]
            case TurnReasons(turns=reasons):
                pass
            case [*several] if place < len(several):
                reasons = [several[place]]
            case _:
                reasons = []
        return tuple(None if each not in list(StopReason) else Stop(StopReason(each)) for each in reasons)


class SavedAnswers(BaseModel):
    """The answers to one prompt."""

    model_config = ConfigDict(populate_by_name=True)

    default: str | list[str] | Turns | None = None
    by_model: dict[str, str | list[str] | Turns] = Field(default_factory=dict, alias="byModel")
    notes: str | None = None
    stop_reasons: SavedReasons | None = Field(default=None, alias="stopReasons")


class FixturesFile(BaseModel):
    """A whole fixtures file."""

    version: int = 1
    strategy: Strategy = Strategy.SEEDED
    seed: int | str = 0
    responses: dict[str, SavedAnswers]


class UnusableFixtures(Exception):
    """A fixtures file that cannot be read. The message says what is wrong with it, for authors."""


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """The text of every turn that was saved; a single text stands for the whole answer.

    `stops` is why the turns ended, in the same order, as far as that was saved.
    """

    turns: tuple[str, ...]
    whole: bool
    stops: tuple[Stop | None, ...] = ()


def read_fixtures(path: Path) -> FixturesFile:
    """The fixtures at `path`. Raises `UnusableFixtures`."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UnusableFixtures(f"The file cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnusableFixtures("The file is no text in UTF-8.") from error
    try:
        if path.suffix.lower() in (".yml", ".yaml"):
            return FixturesFile.model_validate(_yaml(text))
        return FixturesFile.model_validate_json(text)
    except ValidationError as error:
        raise UnusableFixtures(_message(error, text)) from error


def _message(error: ValidationError, text: str) -> str:
    """What is wrong with a file, in an author's words: where it stands, and what should stand there."""
    first = error.errors()[0]
    if not text.strip():
        return "The file is empty."
    if first["type"] == "json_invalid":
        place = re.search(r"line \d+", first["msg"])
        return f"It is not JSON, or damaged{f' in {place[0]}' if place else ''}."
    place = [str(part) for part in first["loc"] if str(part) not in _SHAPES]
    match place:
        case []:
            return "It holds no `responses`: a mapping from prompt ids to answers."
        case ["responses"]:
            return "`responses` is missing, or no mapping from prompt ids to answers."
        case ["strategy"]:
            return f"`strategy` is one of {', '.join(Strategy)}."
        case ["responses", prompt_id, *rest] if rest and rest[0] in ("default", "byModel"):
            where = ", ".join(rest[:2] if rest[0] == "byModel" else rest[:1])
            return f"The answer to {prompt_id} ({where}) is no text, list of texts, or `turns` with a list of texts."
        case ["responses", prompt_id, *_]:
            return f"What stands under {prompt_id} is no mapping with `default` or `byModel`."
        case _:
            return f"What stands under `{'.'.join(place)}` cannot be used: {first['msg']}."


_SHAPES = ("str", "list[str]", "Turns")
"""What the reader calls the forms of an answer."""


def _yaml(text: str) -> Data:
    tree = load(text)
    if tree.error is not None:
        raise UnusableFixtures(f"The YAML cannot be read: {tree.error.reason}.")
    root = tree.documents[0].root if tree.documents else None
    try:
        return None if root is None else to_data(root)
    except TooMuch as error:
        raise UnusableFixtures(str(error)) from error


_NO_REASONS = SavedReasons()


@dataclass(frozen=True, slots=True)
class FixtureRequest:
    """Who asks for the saved answer to a prompt: a model, None where none is named, in a variant (`[temp:0.7]`, or "").

    `label` stands for the model where none is named.
    """

    model: str | None = None
    suffix: str = ""
    label: str = "fixtures"

    @property
    def key(self) -> str:
        """The key under which the result will stand."""
        return (self.model or self.label) + self.suffix


def saved_answer(
    fixtures: FixturesFile, prompt_id: str, asking: FixtureRequest, before: Sequence[FixtureRequest] = ()
) -> SavedAnswer | None:
    """The answer to the prompt for who is `asking`, None where none is saved.

    `before` is who asked for this prompt so far, by which `round-robin` knows the next text of a list.
    """
    answers = fixtures.responses.get(prompt_id)
    if answers is None:
        return None
    entry = matching_entry(answers, asking)
    reasons = answers.stop_reasons or _NO_REASONS
    match answers.default if entry is None else answers.by_model[entry]:
        case str(text):
            return SavedAnswer((text,), whole=True, stops=reasons.of(entry, 0))
        case Turns(turns=turns):
            return SavedAnswer(tuple(turns), whole=False, stops=reasons.of(entry, 0))
        case [*texts] if texts:
            turn = sum(matching_entry(answers, each) == entry for each in before)
            place = _choice(fixtures, prompt_id, asking, turn) % len(texts)
            return SavedAnswer((texts[place],), whole=True, stops=reasons.of(entry, place))
        case _:
            return None


def matching_entry(answers: SavedAnswers, asking: FixtureRequest) -> str | None:
    """Which entry of `byModel` speaks for who is asking, None where `default` does."""
    if asking.model is None:
        return None
    for name in (asking.key, asking.model):
        if name in answers.by_model:
            return name
    patterns = [name for name in answers.by_model if name.endswith("*") and asking.model.startswith(name[:-1])]
    return max(patterns, key=len, default=None)


def _choice(fixtures: FixturesFile, prompt_id: str, asking: FixtureRequest, turn: int) -> int:
    match fixtures.strategy:
        case Strategy.FIRST:
            return 0
        case Strategy.ROUND_ROBIN:
            return turn
        case Strategy.SEEDED:
            return zlib.crc32(f"{fixtures.seed}\n{prompt_id}\n{asking.key}".encode("utf-8", "surrogatepass"))


def recorded(entries: Iterable[Entry]) -> Data:
    """A fixtures file, as plain data, that gives every response of `entries` again.

    A model's answer stands in `byModel` under the name of its model; of several variants each also under its own, which
    Weval does not look for: it takes the first one's. All other answers stand in `default`. Failures are left out, and
    so is an answer without a word, since neither Weval nor we take that for a saved one.

    Weval knows a prompt by nothing but its id. Where several share one, the answers to a later one stand under `ID#2`
    and so on, its name in results: it is found by that here, while Weval gives all of them what stands under the id.
    """
    answers: dict[tuple[str, str | None], list[_Recorded]] = {}
    responses: dict[str, dict[str, Data]] = {}
    for entry in entries:
        if isinstance(entry.outcome, Scored):
            response = entry.outcome.response
            turns = [turn.content for turn in response.thread if turn.generated]
            if any(turn.strip() for turn in turns):
                one = _Recorded(turns, [_reason(turn.stop) for turn in response.thread if turn.generated])
                for name in _names(entry, response.model is not None):
                    answers.setdefault((entry.prompt_key, name), []).append(one)
        if entry.prompt_key != entry.prompt.id:  # without a place of its own it would get the first one's answer
            responses.setdefault(entry.prompt_key, {"notes": _ANOTHER.format(id=entry.prompt.id)})
    for (key, name), given in answers.items():
        saved = responses.setdefault(key, {})
        _put(saved, name, _as_saved([each.turns for each in given]))
        reasons = [each.reasons for each in given]
        if any(each not in _AS_IT_SHOULD for turns in reasons for each in turns):
            stored = saved.get("stopReasons")
            stops = stored if isinstance(stored, dict) else {}
            _put(stops, name, _as_saved(reasons))
            saved["stopReasons"] = stops
    return {"version": 1, "strategy": Strategy.ROUND_ROBIN.value, "responses": dict(responses)}


_ANOTHER = "Another prompt with the id {id}. Weval does not look here."


def sharing_ids(entries: Iterable[Entry]) -> Mapping[str, tuple[str, ...]]:
    """The names under which the later ones of prompts that share an id stand in a recording, by that id."""
    shared: dict[str, dict[str, None]] = {}
    for entry in entries:
        if entry.prompt_key != entry.prompt.id:
            shared.setdefault(entry.prompt.id, {})[entry.prompt_key] = None
    return {prompt_id: tuple(keys) for prompt_id, keys in shared.items()}


def _names(entry: Entry, of_a_model: bool) -> tuple[str | None, ...]:
    """The names under which an answer is saved; None is `default`."""
    if not of_a_model:
        return (None,)
    model = entry.key.removesuffix(entry.suffix)
    return (model, entry.key) if entry.suffix else (model,)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """One answer: the text of each turn, and why it ended."""

    turns: list[str]
    reasons: list[str | None]


_AS_IT_SHOULD = (None, StopReason.STOP.value, StopReason.SEQUENCE.value)


def _reason(stop: Stop | None) -> str | None:
    return None if stop is None else stop.reason.value


def _put(saved: dict[str, Data], name: str | None, value: Data) -> None:
    """Put what is saved under one name where it belongs."""
    if name is None:
        saved["default"] = value
        return
    by_model = saved.get("byModel")
    saved["byModel"] = (by_model if isinstance(by_model, dict) else {}) | {name: value}


def _as_saved(given: Sequence[Sequence[str | None]]) -> Data:
    """All answers under one name: several are those of variants.

    A list holds only answers of one turn; of others, the first.
    """
    first = given[0]
    if len(first) > 1:
        return {"turns": [*first]}
    return first[0] if len(given) == 1 else [turns[0] for turns in given]
