"""The models that are available now: servers on loopback, keys in the environment, the embedded model.

Commands without models import this module too, so it imports HTTP and asyncio only where they are used.
"""

from __future__ import annotations

import os
from typing import Any, cast

from engine.models.chat import ProviderError
from engine.models.provider_registry import EMBEDDED, GIVEN_ADDRESS_KEY, HOSTED, LOOPBACK, Row, given_address
from engine.models.secret import key_from_environment
from engine.models.wire import with_joined_surrogates
from engine.text.json_text import read_json
from engine.text.record import Record

_PROBE_SECONDS = 0.6
_LIST_SECONDS = 10.0
_MOST_BYTES = 1_000_000
_MOST_MODELS = 200
_LONGEST_NAME = 200


class FoundServer(Record):
    """A server that answered on loopback. `models` are the names of its models (untrusted text), () if it lists none.

    `wants_key` is whether it requires the key in `key_variable`.
    """

    provider: str
    label: str
    base_url: str
    models: tuple[str, ...] = ()
    wants_key: bool = False
    key_variable: str | None = None

    @property
    def model_ids(self) -> tuple[str, ...]:
        """Its models as `resolve` takes them: `ollama:llama3`."""
        return tuple(f"{self.provider}:{model}" for model in self.models)


class Readiness(Record):
    """The available keys, servers and embedded model.

    `key_variables` are names of set variables, never their values. `embedded` is the id of the embedded model if it can
    answer; otherwise `embedded_advice` says what to do.
    """

    key_variables: tuple[str, ...]
    servers: tuple[FoundServer, ...]
    embedded: str | None
    embedded_advice: str = ""


async def discover_loopback() -> list[FoundServer]:
    """The servers that listen on 127.0.0.1 at their usual ports, probed in parallel within 0.6 seconds each step."""
    import asyncio

    found = await asyncio.gather(*(_probe(name, row) for name, row in LOOPBACK.items()))
    return [server for server in found if server is not None]


async def readiness() -> Readiness:
    """The model status on the start screen. Takes as long as `discover_loopback`."""
    import asyncio

    servers = await discover_loopback()
    embedded, advice = await asyncio.to_thread(_embedded)
    return Readiness(keys_found(), tuple(servers), embedded, advice)


def keys_found() -> tuple[str, ...]:
    """The names of the key variables that are set, in the order of the table."""
    variables = (row.key_variable for row in (HOSTED | LOOPBACK).values())
    return tuple(variable for variable in variables if variable and os.environ.get(variable, "").strip())


def _embedded() -> tuple[str | None, str]:
    from engine.models import embedded

    missing = embedded.what_is_missing()
    return (None, missing.advice) if missing else (f"{EMBEDDED}:{embedded.SMOLLM2.name}", "")


async def _probe(name: str, row: Row) -> FoundServer | None:
    """The server of a row, or None if nothing, or something else, listens there."""
    import asyncio

    host, port = row.address
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), _PROBE_SECONDS)
    except (OSError, TimeoutError):
        return None
    writer.close()
    return await _ask_models(name, row, _PROBE_SECONDS)


async def name_at(base_url: str, model: str) -> str:
    """The name of `model` at an address: without its provider if the server lists it so, and does not list it whole.

    A whole name that begins with `openai:` is preceded by another one, which `resolve` removes.
    """
    provider, _, bare = model.partition(":")
    if not bare or provider not in HOSTED | LOOPBACK:
        return model
    try:
        row = Row(base_url, given_address(base_url), GIVEN_ADDRESS_KEY)
    except ProviderError:  # `resolve` reports it
        return model
    found = await _ask_models(provider, row, _LIST_SECONDS)
    if found is None or model not in found.models:
        return bare if found is not None and bare in found.models else model
    return f"openai:{model}" if provider == "openai" else model


async def _ask_models(name: str, row: Row, seconds: float) -> FoundServer | None:
    """`GET /v1/models` of a server. HTTP is loaded only here, as usually nothing listens."""
    import asyncio

    import httpx

    from engine.models.http import Keyed, bearer, is_loopback, read_at_most, shared_client

    try:
        key = key_from_environment(row.key_variable) if row.key_variable else None
    except ProviderError:
        key = None
    host = httpx.URL(row.base_url).netloc.decode()
    auth = Keyed(bearer(key, row.key_variable)) if key else None
    try:
        async with (
            shared_client(host, direct=is_loopback(row.base_url)) as client,
            asyncio.timeout(seconds),
            client.stream("GET", f"{row.base_url}/models", auth=auth) as response,
        ):
            body = await read_at_most(response, _MOST_BYTES) if response.is_success else b""
    except (httpx.HTTPError, TimeoutError):
        return None
    if response.status_code in (401, 403):
        return FoundServer(name, row.label, row.base_url, wants_key=True, key_variable=row.key_variable)
    models = model_names(body) if response.is_success else None
    return None if models is None else FoundServer(name, row.label, row.base_url, models, key_variable=row.key_variable)


def model_names(body: bytes) -> tuple[str, ...] | None:
    """The ids in a list of models, as its server sent it; None if the body is not such a list."""
    try:
        data = read_json(body)
    except ValueError:
        return None
    match data:
        case {"data": None}:  # Ollama without a model
            return ()
        case {"data": list()}:
            names = map(_model_name, cast("list[Any]", data["data"])[:_MOST_MODELS])
            return tuple(name for name in names if name)
        case _:
            return None


def _model_name(entry: Any) -> str:
    """The id in an entry of the list; "" without one that could be written in a blueprint."""
    match entry:
        case {"id": str(name)} if len(name) <= _LONGEST_NAME and with_joined_surrogates(name) == name:
            return name
        case _:
            return ""
