"""The models that answer or judge now, and what the others need: keys, servers, weights."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence

from engine.evaluation.sources import ModelSource
from engine.models.chat import ProviderError
from engine.models.provider_registry import (
    HOSTED,
    LOOPBACK,
    FoundServer,
    discover_loopback,
    given_address,
    keys_found,
    models_offered,
    resolve,
)
from engine.text.record import Record
from engine.yaml.nodes import Data
from studio.session.host import EnterText, Host, Unusable, ask_until

_MOST_ROWS = 12
"""A server with more models than these is one row, which lists them once it is chosen."""


class Offer(Record):
    """A model to choose, or a place whose models are listed once it is chosen: a provider's name, a server's address.

    One that is not `is_ready` cannot answer now, and its `detail` says what it needs.
    """

    label: str
    detail: str
    choice: ModelSource | str
    is_ready: bool = True


def offers(models: Iterable[Data]) -> tuple[Offer, ...]:
    """The models that a blueprint names or defines, and the providers whose key is set."""
    return *named(models), *_with_keys()


def embedded() -> Offer:
    """The embedded model, or what to do to install it. Blocks."""
    from engine.models.embedded import SMOLLM2, what_is_missing

    source = ModelSource(f"embedded:{SMOLLM2.name}")
    trouble = what_is_missing()
    if trouble is not None:
        return _model(source, trouble.advice, is_ready=False)
    return _model(source, f"{SMOLLM2.label}, on this machine; small, often wrong")


def named(models: Iterable[Data]) -> list[Offer]:
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
        if variable is None:  # ready once `on_loopback` finds it
            found.append(_model(ModelSource(model), row.start_hint, is_ready=False))
        elif os.environ.get(variable):
            found.append(_model(ModelSource(model), f"{row.label}; its key is in {variable}"))
        else:
            found.append(_model(ModelSource(model), f"no key: set {variable} and start again", is_ready=False))
    return found


def _with_keys() -> Iterable[Offer]:
    keys = keys_found()
    for provider, row in HOSTED.items():
        if row.key_variable in keys:
            yield Offer(f"{row.label} …", f"any of its models; its key is in {row.key_variable}", provider)


def _defined(definition: Data, name: str) -> Offer:
    """A model that the blueprint defines, or why it is not available."""
    try:
        provider, _ = resolve(name, None, [definition])
    except ProviderError as error:
        return _model(ModelSource(name), error.title, is_ready=False)
    return _model(ModelSource(name), f"this blueprint's own, on {provider.recipient}")


def _model(source: ModelSource, detail: str, *, is_ready: bool = True) -> Offer:
    return Offer(source.label, detail, source, is_ready)


async def on_loopback() -> list[Offer]:
    """The models of the servers that answer on this machine. Takes up to a second."""
    return [
        _model(ModelSource(model), f"{server.row.label}, on this machine")
        for server in await discover_loopback()
        for model in server.model_ids
    ]


async def on_servers(addresses: Sequence[str]) -> list[Offer]:
    """What the author's own servers offer. Takes up to ten seconds where one does not answer."""
    found = await asyncio.gather(*map(models_offered, addresses))
    return [offer for address, server in zip(addresses, found, strict=True) for offer in _of_server(address, server)]


def _of_server(address: str, server: FoundServer | None) -> list[Offer]:
    if server is None or server.wants_key:
        detail = "does not answer" if server is None else f"asks for a key: set {server.row.key_variable}"
        return [Offer(address, detail, address, is_ready=False)]
    if 0 < len(server.models) <= _MOST_ROWS:
        return [_model(ModelSource(name, address), f"your server, {address}") for name in server.models]
    return [Offer(f"{address} …", "your server; any of its models", address)]


# --- Asking for a model


async def ask_for_model_of(host: Host, place: str) -> ModelSource | None:
    """One of the models of a provider, or of the server at this address, which are listed; None if the author cancels.

    The name is written where there is no such list, and may be another where there is one.
    """
    row = HOSTED.get(place)
    server = await models_offered(place)
    names = () if server is None else server.models
    text = "Write a part of its name." if names else "There is no list of its models: write the name of one."
    if server is not None and server.wants_key:
        text = f"It refuses the key, or has none: set {server.row.key_variable}. You can write the name of a model."
    name = await host.ask(EnterText(f"A model of {place if row is None else row.label}", text, choices=names))
    if name is None:
        return None
    return ModelSource(name, place) if row is None else ModelSource(f"{place}:{name}")


async def ask_for_server(host: Host) -> ModelSource | None:
    """One of the models of a server whose address the author writes; None if they cancel."""

    async def read(written: str) -> str:
        try:
            return given_address(written)
        except ProviderError as error:
            raise Unusable(f"{error.title}. {error.advice}") from error

    text = "The address up to /v1. If the server needs a key, set the environment variable BLUEPRINT_STUDIO_API_KEY."
    address = await ask_until(host, EnterText("A server", text, placeholder="http://127.0.0.1:8080/v1"), read)
    return None if address is None else await ask_for_model_of(host, address)


async def ask_for_any(host: Host) -> ModelSource | None:
    """The model whose id the author writes; None if they cancel."""
    text = "PROVIDER:MODEL, as in a blueprint's `models`."
    model = await host.ask(EnterText("Another model", text, placeholder="openai:gpt-4o-mini"))
    return None if model is None else ModelSource(model)


# --- What is ready


class Readiness(Record):
    """What can answer now, and what cannot, each with the command that makes it so."""

    ready: Sequence[str]
    missing: Sequence[str]


async def readiness(servers: Sequence[str]) -> Readiness:
    """What can answer: always, by a key, on a server of this machine or at these addresses, or embedded."""
    here, own = await asyncio.gather(discover_loopback(), on_servers(servers))
    local = await asyncio.to_thread(embedded)
    keys = [f"{row.label} by {row.key_variable}" for row in HOSTED.values() if row.key_variable in keys_found()]
    asking = [f"{each.row.label}: set {each.row.key_variable}" for each in here if each.wants_key]
    running = [f"{each.row.label} on this machine" for each in here if not each.wants_key]
    there = [*running, *dict.fromkeys(address_of(each) for each in own if each.is_ready)]
    ready = ["the ideal, your own answers, test answers", *keys, *there, *(["the embedded model"] * local.is_ready)]
    missing = [
        *([] if keys else ["a hosted model: set its key, such as OPENAI_API_KEY"]),
        *asking,
        *([] if there or asking else ["a model server: `ollama serve`"]),
        *(f"{each.label} {each.detail}" for each in own if not each.is_ready),
        *([] if local.is_ready else [f"the embedded model: {local.detail.removeprefix('Run ').rstrip('.')}"]),
    ]
    return Readiness(ready, missing)


def address_of(offer: Offer) -> str:
    """The address of a server that offers a model."""
    return offer.choice if isinstance(offer.choice, str) else offer.choice.base_url or ""
