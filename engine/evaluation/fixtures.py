"""Saved answers: Weval's fixtures file, JSON or YAML.

    {
      "version": 1,
      "strategy": "seeded",            first | seeded (default) | round-robin
      "seed": 7,
      "responses": {
        "prompt-id": {
          "default": "One answer",     a string, a list of strings to choose from, or {"turns": ["…", "…"]}
          "byModel": {"openai:gpt-4o*": {"turns": ["First turn", "Second turn"]}},
          "notes": "for people",
          "stopReasons": {"byModel": {"openai:gpt-4o*": {"turns": ["length", null]}}}
        }
      }
    }

`byModel` wins over `default`, an exact name over a name that ends in `*`, and the longest of these over the others.
The name of a variant (`openai:gpt-4o[temp:0.7]`) wins over that of its model. From a list, `first` takes the first
answer, `seeded` one that depends only on seed, prompt and key, and `round-robin` the next one at each request, across
models, variants and runs, until the studio or the command ends; after the last answer it starts again at the first.

`stopReasons` is our addition: why the answers ended, in the shape of the answers, with a value of `StopReason` or null
for each. A recording has it where an answer did not end normally, so that a cut answer stays marked as one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.blueprint import Prompt
from engine.blueprint.conversation import Conversation, Stop, StopReason, subject_text, with_stops
from engine.evaluation.events import Failed, Response
from engine.evaluation.sources import FixtureRequest, FixtureSource
from engine.files.atomic import read_regular
from engine.text.record import Record
from engine.text.spans import count
from engine.yaml.nodes import Data, to_data
from engine.yaml.tree_loader import TooLarge, check_size, load


class Strategy(StrEnum):
    """Which answer of a list is taken."""

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
        """Why the turns of one answer ended: of `entry` (None: of `default`), in a list the one at `place`."""
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


_NO_REASONS = SavedReasons()


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


_MAX_BYTES = 64 << 20
_SHAPES = ("str", "list[str]", "Turns")
"""The forms of an answer, as pydantic's errors name them."""


class UnusableFixtures(Exception):
    """A fixtures file that cannot be read. The message says what is wrong with it, for authors."""


class SavedAnswer(Record):
    """The saved text of every turn; `whole`: one text for the whole answer, however many turns it has.

    `stops` is why the turns ended, in the same order, as far as that was saved.
    """

    turns: tuple[str, ...]
    whole: bool
    stops: tuple[Stop | None, ...] = ()


def read_fixtures(path: Path) -> FixturesFile:
    """The fixtures at `path`. Raises `UnusableFixtures`."""
    try:
        text = read_regular(path, _MAX_BYTES).decode("utf-8")
    except OSError as error:
        raise UnusableFixtures(f"The file cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnusableFixtures("The file is not UTF-8 text.") from error
    try:
        if path.suffix.lower() in (".yml", ".yaml"):
            return FixturesFile.model_validate(_yaml(text))
        return FixturesFile.model_validate_json(text)
    except ValidationError as error:
        raise UnusableFixtures(_message(error, text)) from error


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int, _size: int) -> FixturesFile:
    return read_fixtures(path)


def _message(error: ValidationError, text: str) -> str:
    """What is wrong with a file, in an author's words: where, and what belongs there."""
    first = error.errors()[0]
    if not text.strip():
        return "The file is empty."
    if first["type"] == "json_invalid":
        place = re.search(r"line \d+", first["msg"])
        return f"It is not JSON, or damaged{f' in {place[0]}' if place else ''}."
    place = [str(part) for part in first["loc"] if str(part) not in _SHAPES]
    match place:
        case []:
            return "It has no `responses`: a mapping from prompt ids to answers."
        case ["responses"]:
            return "`responses` is missing, or is not a mapping from prompt ids to answers."
        case ["strategy"]:
            return f"`strategy` is one of {', '.join(Strategy)}."
        case ["responses", prompt_id, *rest] if rest and rest[0] in ("default", "byModel"):
            where = ", ".join(rest[:2] if rest[0] == "byModel" else rest[:1])
            return f"The answer to {prompt_id} ({where}) must be text, a list of texts, or `turns` with such a list."
        case ["responses", prompt_id, *_]:
            return f"`{prompt_id}` must be a mapping with `default` or `byModel`."
        case _:
            return f"`{'.'.join(place)}` cannot be used: {first['msg']}."


def _yaml(text: str) -> Data:
    tree = load(text)
    if tree.error is not None:
        raise UnusableFixtures(f"The YAML cannot be read: {tree.error.reason}.")
    try:
        check_size(tree)
    except TooLarge as error:
        raise UnusableFixtures(str(error)) from error
    root = tree.documents[0].root if tree.documents else None
    return None if root is None else to_data(root)


def saved_answer(
    fixtures: FixturesFile, prompt_id: str, request: FixtureRequest, earlier: Sequence[FixtureRequest] = ()
) -> SavedAnswer | None:
    """The saved answer to the prompt, None where there is none.

    `earlier` are the requests for this prompt so far, by which `round-robin` finds the next answer of a list.
    """
    answers = fixtures.responses.get(prompt_id)
    if answers is None:
        return None
    entry = matching_entry(answers, request)
    turn = sum(matching_entry(answers, each) == entry for each in earlier)
    found = _saved_under(answers, entry)
    return found[_choice(fixtures, prompt_id, request, turn) % len(found)] if found else None


def _saved_under(answers: SavedAnswers, entry: str | None) -> list[SavedAnswer]:
    """The answers under a name in `byModel`, or under `default` (None): several where it holds a list."""
    reasons = answers.stop_reasons or _NO_REASONS
    match answers.default if entry is None else answers.by_model[entry]:
        case str(text):
            return [SavedAnswer((text,), whole=True, stops=reasons.of(entry, 0))]
        case Turns(turns=turns):
            return [SavedAnswer(tuple(turns), whole=False, stops=reasons.of(entry, 0))]
        case [*texts]:
            stops = (reasons.of(entry, place) for place in range(len(texts)))
            return [SavedAnswer((text,), whole=True, stops=each) for text, each in zip(texts, stops, strict=True)]
        case None:
            return []


def matching_entry(answers: SavedAnswers, request: FixtureRequest) -> str | None:
    """The name in `byModel` that matches the request, None where `default` applies."""
    if request.model is None:
        return None
    for name in (request.key, request.model):
        if name in answers.by_model:
            return name
    patterns = [name for name in answers.by_model if name.endswith("*") and request.model.startswith(name[:-1])]
    return max(patterns, key=len, default=None)


def _choice(fixtures: FixturesFile, prompt_id: str, request: FixtureRequest, turn: int) -> int:
    match fixtures.strategy:
        case Strategy.FIRST:
            return 0
        case Strategy.ROUND_ROBIN:
            return turn
        case Strategy.SEEDED:
            return zlib.crc32(f"{fixtures.seed}\n{prompt_id}\n{request.key}".encode("utf-8", "surrogatepass"))


def fixture_answer(
    prompt: Prompt,
    conversation: Conversation,
    source: FixtureSource,
    request: FixtureRequest,
    earlier: Sequence[FixtureRequest],
) -> Response | Failed:
    """The answer that the file of `source` holds for this prompt. Blocks.

    A prompt that ends in a written answer needs none: as with a model, the written answer is judged.
    """
    try:
        status = source.path.stat()
        fixtures = _read(source.path, status.st_mtime_ns, status.st_size)
    except (OSError, UnusableFixtures) as error:
        why = f"The file cannot be read: {error.strerror}." if isinstance(error, OSError) else str(error)
        return Failed("The saved answers cannot be used.", why, "Fix the file, or choose another.")
    name = _name_in(fixtures, prompt, request.prompt)
    same_name = [each for each in earlier if _name_in(fixtures, prompt, each.prompt) == name]
    found = saved_answer(fixtures, name, request, same_name)
    if found is None and conversation.answer is not None:
        thread = conversation.as_written()
        return Response(subject_text(thread), thread)
    if found is None or not any(turn.strip() for turn in found.turns):
        return Failed(f"There is no saved answer to {name}.", advice=_advice(fixtures, name, source))
    if not found.whole and len(found.turns) != conversation.pending:
        has = count(len(found.turns), "turn")
        return Failed(
            f"The saved answer to {prompt.id} has {has}, the conversation asks for {conversation.pending}.",
            advice="Give one text under `turns` for each turn to be generated, or one text for all.",
        )
    thread = with_stops(conversation.answered(found.turns), found.stops)
    return Response(subject_text(thread), thread, source.model)


def _name_in(fixtures: FixturesFile, prompt: Prompt, key: str) -> str:
    """The name of a prompt in the file: its own key, else the id that it shares with others, as on Weval."""
    return key if key in fixtures.responses else prompt.id


def _advice(fixtures: FixturesFile, prompt_id: str, source: FixtureSource) -> str:
    answers = fixtures.responses.get(prompt_id)
    if answers is not None and answers.by_model and source.model is None:
        return f"There are answers of {', '.join(answers.by_model)}: name one of these models, or add a `default`."
    return f"Add it to `responses` in {source.path.name}."
