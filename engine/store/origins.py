"""Where an answer came from, as it stands in the database."""

from __future__ import annotations

import json
from pathlib import Path

from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    WrittenSource,
)
from engine.providers.registry import without_password


def stored_source(source: AnswerSource) -> str:
    """A source as JSON in ASCII, without the author's own text (the response has it) and without any password."""
    match source:
        case IdealSource():
            told = ["ideal"]
        case WrittenSource():
            told = ["written"]
        case ControlSource(kind):
            told = ["control", kind.value]
        case FixtureSource(path, model):
            told = ["fixtures", str(path), model]
        case ModelSource(model, base_url):
            told = ["model", model, None if base_url is None else without_password(base_url)]
    return json.dumps(told)


def restored_source(stored: str, text: str = "") -> AnswerSource:
    """The source that `stored_source` described; an author's own answer is `text`, and so is what cannot be read."""
    match json.loads(stored):
        case ["ideal"]:
            return IdealSource()
        case ["control", str(kind)] if kind in list(ControlKind):
            return ControlSource(ControlKind(kind))
        case ["fixtures", str(path), str() | None as model]:
            return FixtureSource(Path(path), model)
        case ["model", str(model), str() | None as base_url]:
            return ModelSource(model, base_url)
        case _:
            return WrittenSource(text)
