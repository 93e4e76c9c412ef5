"""Saved answers: Weval's fixtures file, JSON or YAML.

    {
      "version": 1,
      "strategy": "seeded",            first | seeded (where none is named) | round-robin
      "seed": 7,
      "responses": {
        "prompt-id": {
          "default": "One answer",     a text, a list of texts to choose from, or {"turns": ["…", "…"]}
          "byModel": {"openai:gpt-4o*": {"turns": ["First turn", "Second turn"]}},
          "notes": "for people"
        }
      }
    }

`byModel` wins over `default`; an exact id over one that ends in `*`, and of those the first written. Of a list, `first`
takes the first text, `seeded` one that depends on nothing but seed, prompt and key, and `round-robin` the next one for
each variant of the run.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.evaluation.events import Scored
from engine.evaluation.export import Entry
from engine.yaml_nodes.loading import load
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import TooMuch, to_data


class Strategy(StrEnum):
    """Which text of a list is taken."""

    FIRST = "first"
    SEEDED = "seeded"
    ROUND_ROBIN = "round-robin"


class Turns(BaseModel):
    """An answer of several turns, one for each generated turn of the conversation."""

    turns: list[str] = Field(min_length=1)


class SavedAnswers(BaseModel):
    """The answers to one prompt."""

    model_config = ConfigDict(populate_by_name=True)

    default: str | list[str] | Turns | None = None
    by_model: dict[str, str | list[str] | Turns] = Field(default_factory=dict, alias="byModel")
    notes: str | None = None


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
    """The text of every turn that was saved; a single text stands for the whole answer."""

    turns: tuple[str, ...]
    whole: bool


def read_fixtures(path: Path) -> FixturesFile:
    """The fixtures at `path`. Raises `UnusableFixtures`."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UnusableFixtures(f"The file cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnusableFixtures("The file is not UTF-8 text.") from error
    try:
        if path.suffix.lower() in (".yml", ".yaml"):
            return FixturesFile.model_validate(_yaml(text))
        return FixturesFile.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UnusableFixtures(f"{where}: {first['msg']}." if where else f"{first['msg']}.") from error


def _yaml(text: str) -> Data:
    tree = load(text)
    if tree.error is not None:
        raise UnusableFixtures(f"The YAML cannot be read: {tree.error.reason}.")
    root = tree.documents[0].root if tree.documents else None
    try:
        return None if root is None else to_data(root)
    except TooMuch as error:
        raise UnusableFixtures(str(error)) from error


def saved_answer(
    fixtures: FixturesFile, prompt_id: str, model: str | None, key: str, variant: int = 0
) -> SavedAnswer | None:
    """The answer to the prompt, None if none is saved. `model` picks the `byModel` entry, `variant` counts from 0."""
    answers = fixtures.responses.get(prompt_id)
    if answers is None:
        return None
    saved = _by_model(answers, model)
    match answers.default if saved is None else saved:
        case str(text):
            return SavedAnswer((text,), whole=True)
        case Turns(turns=turns):
            return SavedAnswer(tuple(turns), whole=False)
        case [*texts] if texts:
            return SavedAnswer((texts[_choice(fixtures, prompt_id, key, variant) % len(texts)],), whole=True)
        case _:
            return None


def _by_model(answers: SavedAnswers, model: str | None) -> str | list[str] | Turns | None:
    if model is None:
        return None
    if model in answers.by_model:
        return answers.by_model[model]
    stems = ((key.removesuffix("*"), saved) for key, saved in answers.by_model.items() if key.endswith("*"))
    return next((saved for stem, saved in stems if model.startswith(stem)), None)


def _choice(fixtures: FixturesFile, prompt_id: str, key: str, variant: int) -> int:
    match fixtures.strategy:
        case Strategy.FIRST:
            return 0
        case Strategy.ROUND_ROBIN:
            return variant
        case Strategy.SEEDED:
            return zlib.crc32(f"{fixtures.seed}\n{prompt_id}\n{key}".encode("utf-8", "surrogatepass"))


def recorded(entries: Iterable[Entry]) -> Data:
    """A fixtures file, as plain data, that gives every response of `entries` again.

    A model's answers stand in `byModel`, one for each variant in turn, all others in `default`; failures are left out.
    """
    answers: dict[tuple[str, str | None], list[list[str]]] = {}
    for entry in entries:
        if isinstance(entry.outcome, Scored):
            response = entry.outcome.response
            turns = [turn.content for turn in response.thread if turn.generated]
            model = None if response.model is None else entry.key.removesuffix(entry.suffix)
            if turns:
                answers.setdefault((entry.prompt.id, model), []).append(turns)
    responses: dict[str, dict[str, Data]] = {}
    for (prompt_id, model), variants in answers.items():
        saved = responses.setdefault(prompt_id, {})
        if model is None:
            saved["default"] = _as_saved(variants)
        else:
            saved["byModel"] = _joined(saved.get("byModel"), model, _as_saved(variants))
    return {"version": 1, "strategy": Strategy.ROUND_ROBIN.value, "responses": dict(responses)}


def _as_saved(variants: list[list[str]]) -> Data:
    """The answers of all variants; of answers with several turns, which the file holds singly, those of the first."""
    first = variants[0]
    if len(first) > 1:
        return {"turns": [*first]}
    return first[0] if len(variants) == 1 else [turns[0] for turns in variants]


def _joined(by_model: Data, model: str, saved: Data) -> dict[str, Data]:
    return (by_model if isinstance(by_model, dict) else {}) | {model: saved}
