"""The models that are available now, and what the others need: keys, local servers, weights."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable

from engine.evaluation.sources import ModelSource
from engine.models.chat import ProviderError
from engine.models.provider_registry import HOSTED, LOOPBACK, discover_loopback, keys_found, resolve
from engine.text.record import Record
from engine.yaml.nodes import Data


class ReadyModel(Record):
    """A model to choose: its id, a description, and whether it is available now."""

    source: ModelSource
    detail: str
    ready: bool


def choices(models: Iterable[Data]) -> tuple[ReadyModel, ...]:
    """The embedded model, then those that a blueprint names or defines. Blocks: it looks for files."""
    return embedded(), *named(models)


def embedded() -> ReadyModel:
    """The embedded model, or what to do to install it. Blocks."""
    from engine.models.embedded import SMOLLM2, what_is_missing

    source = ModelSource(f"embedded:{SMOLLM2.name}")
    trouble = what_is_missing()
    if trouble is not None:
        return ReadyModel(source, trouble.advice, False)
    return ReadyModel(source, f"{SMOLLM2.label}, on this machine; small, often wrong", True)


def named(models: Iterable[Data]) -> list[ReadyModel]:
    """The models that a blueprint names or defines, without those of unknown providers."""
    models = list(models)
    found = [
        _defined(model, name)
        for model in models
        if isinstance(model, dict) and isinstance(name := model.get("id"), str)
    ]
    for model in dict.fromkeys(model for model in models if isinstance(model, str)):
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


def _defined(definition: Data, name: str) -> ReadyModel:
    """A model that the blueprint defines, or why it is not available."""
    try:
        provider, _ = resolve(name, None, [definition])
    except ProviderError as error:
        return ReadyModel(ModelSource(name), error.title, False)
    return ReadyModel(ModelSource(name), f"this blueprint's own, on {provider.recipient}", True)


async def on_loopback() -> list[ReadyModel]:
    """The models of the servers that answer on this machine. Takes up to a second."""
    return [
        ReadyModel(ModelSource(model), f"{server.row.label}, on this machine", True)
        for server in await discover_loopback()
        for model in server.model_ids
    ]


async def status_text() -> str:
    """The last line of the start screen: what is available, and what the rest needs."""
    keys = keys_found()
    servers = [
        f"{row.label}{f' (set {row.key_variable})' if server.wants_key and row.key_variable else ''}"
        for server in await discover_loopback()
        for row in (server.row,)
    ]
    local = await asyncio.to_thread(embedded)
    sentences = [
        "The ideal, your own answers and test answers always work.",
        f"Keys found: {', '.join(keys)}." if keys else "No key found: set OPENAI_API_KEY to ask OpenAI's models.",
        f"On this machine: {', '.join(servers)}." if servers else "No model server runs on this machine.",
        "The embedded model is ready." if local.ready else f"The embedded model is not here. {local.detail}",
    ]
    return " ".join(sentences)
