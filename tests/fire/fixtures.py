"""Hostile files of an author: saved answers in YAML and JSON, collections of models, settings of a project.

Each is read from disk as the program reads it. What can be used is used: answers become conversations of prompts,
collections are expanded, settings select rules.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from engine.blueprint import Blueprint
from engine.blueprint.conversation import Variant, conversation
from engine.evaluation.answer_stream import given_answer
from engine.evaluation.events import Failed
from engine.evaluation.fixtures import UnusableFixtures, read_fixtures
from engine.evaluation.sources import FixtureRequests, FixtureSource
from engine.parsing import parse
from engine.parsing.model_collections import Collections, expand
from engine.rules.selection import OWN_FILE, PYPROJECT, SettingsCache
from engine.text.spans import visible
from studio.session.result_files import models_in
from tests.fire import mutations
from tests.fire.attacks import Attack, HostileFile, Outcome, attacked, seed_text
from tests.fire.figures import Figures

ROUNDS = 100_000
_ASKED_ONE_IN = 50
_MODELS = ("openai:tiny", "openai:gpt-4o", "x:y")
_LISTED = ("openai:gpt-4o-mini", "anthropic:claude-3-5-haiku-latest", "x:y", "x:y")
_SETTINGS = (seed_text("settings.toml"), seed_text("project.toml"))
_SAVED: dict[str, Any] = json.loads(seed_text("saved.json"))
_YAML = seed_text("saved.yml")


def run(seed: int, rounds: int) -> Figures:
    """Read `rounds` files: of eight, five of saved answers, two of settings and a collection."""
    blueprint = parse(seed_text("france.yml")).blueprint
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "models").mkdir()
        saved = Attack("saved answers", _saved, lambda made: _read_saved(folder, made, blueprint))
        asked = Attack("answers of a run", _saved, lambda made: _ask(folder, made, blueprint))
        collection = Attack("a collection", _collection, lambda made: _read_collection(folder, made))
        settings = Attack("settings", _settings, lambda made: _read_settings(folder, made))
        every = [saved, saved, settings, saved, saved, settings, collection]
        return attacked("fixtures", [*every * (_ASKED_ONE_IN // len(every)), asked], seed, rounds)


# --- Saved answers


def _saved(chance: Random) -> HostileFile:
    model = chance.choice((None, *_MODELS))
    match chance.randrange(4):
        case 0 | 1:
            return HostileFile("saved.json", mutations.json_bytes(chance, _data(chance)), model)
        case 2:
            return HostileFile("saved.yml", mutations.json_bytes(chance, _data(chance)), model)  # JSON is YAML
        case _:
            text = mutations.mutated_text(chance, _YAML, (_YAML, json.dumps(_SAVED)))
            content = text.encode("utf-8", chance.choice(("replace", "surrogatepass")))
            return HostileFile("saved.yaml", content, model)


def _data(chance: Random) -> Any:
    """The seed after changes: anywhere, or in its answers only, so that it can still be used."""
    if chance.random() < 0.5:
        return mutations.mutated_data(chance, _SAVED, [_SAVED])
    answers = [mutations.mutated_text(chance, "It is Paris.") for _ in range(3)]
    model = chance.choice(("*", "openai:*", "x:y[temp:0.7]", mutations.text_piece(chance)))
    by_model = {model: answers[0], "x:y": answers, "openai:tiny": {"turns": answers[:2]}}
    responses = {"france": {"default": answers, "byModel": by_model}, "talk": {"default": {"turns": answers[1:]}}}
    strategy = chance.choice(("first", "seeded", "round-robin"))
    return {"strategy": strategy, "seed": chance.choice((0, -1, 2**70, "x", "\ud800")), "responses": responses}


def _read_saved(folder: Path, made: HostileFile, blueprint: Blueprint) -> Outcome:
    path = made.written(folder)
    try:
        file = read_fixtures(path)
    except UnusableFixtures as error:
        return Outcome("no saved answers", visible(str(error)))
    named = models_in(file, _MODELS)
    asked: FixtureRequests = {}
    source = FixtureSource(path, made.chosen)
    shown: list[str] = []
    for prompt in blueprint.prompts:
        thread = conversation(prompt, blueprint.header, Variant())
        found = given_answer(prompt, thread, source, Variant(), blueprint.prompts, asked)()
        shown += [] if isinstance(found, Failed) else [visible(turn.content) for turn in found.thread]
    return Outcome("saved answers", (shown, [(visible(model), count) for model, count in named]))


def _ask(folder: Path, made: HostileFile, blueprint: Blueprint) -> Outcome:
    """The answers as a run gets them."""
    path = made.written(folder)
    shown: list[str] = []
    for prompt in blueprint.prompts:
        thread = conversation(prompt, blueprint.header, Variant())
        source = FixtureSource(path, made.chosen)
        read = given_answer(prompt, thread, source, Variant(), blueprint.prompts)
        shown.append(visible(repr(read())))
    path.unlink()
    return Outcome("answers of a run", shown)


# --- Collections and settings


def _collection(chance: Random) -> HostileFile:
    data: Any = mutations.mutated_data(chance, list(_LISTED), [_SAVED])
    return HostileFile("models/CORE.json", mutations.json_bytes(chance, data))


def _read_collection(folder: Path, made: HostileFile) -> Outcome:
    made.written(folder)
    expansion = expand(["x:a", "CORE", "x:y"], Collections(folder / "a.yml").members)
    shown: Sequence[str] = [visible(str(each)) for each in (*expansion.models, *expansion.unusable.values())]
    if any(len(problem) > 1_000 for problem in expansion.unusable.values()):
        raise ValueError("a message without a bound")
    return Outcome("no collection" if expansion.unusable else "collection", shown)


def _settings(chance: Random) -> HostileFile:
    text = chance.choice(_SETTINGS)
    if chance.random() < 0.3:
        value = chance.choice(("[" * 5_000, "1" * 5_000, "{a = " * 500, "1e999", "nan", "0xffff", '"\\ud800"', "[[]]"))
        text = f"{text}\n{chance.choice(('select', 'x', 'severity.a'))} = {value}\n"
    text = mutations.mutated_text(chance, text, _SETTINGS)
    name = chance.choice((OWN_FILE, PYPROJECT))
    return HostileFile(name, text.encode("utf-8", chance.choice(("replace", "surrogatepass"))))


def _read_settings(folder: Path, made: HostileFile) -> Outcome:
    path = made.written(folder)
    settings = SettingsCache().of(folder / "old" / "a.yml")
    path.unlink()
    rules = [rule.code for rule in settings.selection.rules()]
    shown = [visible(str(problem)) for problem in settings.problems]
    if any(problem.line < 1 or problem.line > made.content.count(b"\n") + 1 for problem in settings.problems):
        raise ValueError("a problem outside the file")
    return Outcome("settings with problems" if shown else "settings", (shown, rules))
