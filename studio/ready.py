"""Which models can be asked now, and what would make the others so: keys by name, servers here, embedded ones."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from engine.evaluation.sources import ModelSource


@dataclass(frozen=True, slots=True)
class ReadyModel:
    """A model to choose: its id, what there is to know, and whether it can be asked now."""

    source: ModelSource
    detail: str
    ready: bool


def embedded() -> ReadyModel:
    """The embedded model, or the command that fetches it."""
    from engine.providers.embedded import runnable
    from engine.providers.weights import SMOLLM2

    source = ModelSource("embedded:smollm2")
    if not runnable():
        return ReadyModel(source, 'not installed: pip install "blueprint-studio[local]"', False)
    if not SMOLLM2.installed():
        return ReadyModel(source, "its weights are not here yet: studio models install", False)
    return ReadyModel(source, f"{SMOLLM2.label}, runs on this machine; small, and often wrong", True)


def named(models: Iterable[str]) -> list[ReadyModel]:
    """The models that a blueprint names, as far as they can be asked from here."""
    from engine.providers.registry import HOSTED, LOOPBACK

    found: list[ReadyModel] = []
    for model in dict.fromkeys(models):
        provider, colon, _ = model.partition(":")
        row = (HOSTED | LOOPBACK).get(provider) if colon else None
        if row is None:
            continue
        variable = row.key_variable if row.key_needed else None
        if variable is None:
            found.append(ReadyModel(ModelSource(model), f"{row.label}, on this machine", True))
        elif os.environ.get(variable):
            found.append(ReadyModel(ModelSource(model), f"{row.label}; its key is in {variable}", True))
        else:
            found.append(ReadyModel(ModelSource(model), f"no key: set {variable} and start again", False))
    return found


def keys_found() -> list[str]:
    """The variables that hold a key, by name; never their values."""
    from engine.providers.registry import HOSTED

    return [row.key_variable for row in HOSTED.values() if row.key_variable and os.environ.get(row.key_variable)]


async def on_loopback() -> list[ReadyModel]:
    """The models of the servers that answer on this machine. Waits for those that do not, but briefly."""
    from engine.providers import discover_loopback

    return [
        ReadyModel(ModelSource(model, server.base_url), f"{server.label}, on this machine", True)
        for server in await discover_loopback()
        for model in server.models
    ]
