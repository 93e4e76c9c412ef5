"""Which provider a model id names, and the model's name there, where it differs from what authors and documents write.

A provider is one row of `providers.toml`. A model id is `PROVIDER:MODEL`, and all after the
first colon belongs to the model (`openai:ft:x:y`). Commands without models import this module too, so HTTP and asyncio
are imported only where they are used.

The documents' judges and their names (002, "Judge Configuration"; platform.md, A30):

| written | sent to | as |
| --- | --- | --- |
| `openrouter:qwen/qwen3-30b-a3b-instruct-2507` | OpenRouter | as written |
| `openrouter:openai/gpt-oss-120b` | OpenRouter | as written |
| `anthropic:claude-3.5-haiku`, the documented backup | Anthropic | `claude-3-5-haiku-20241022`, withdrawn in 2026 |
| `openrouter:google/gemini-2.5-flash` and the others of Weval today | OpenRouter, which writes dots | as written |

`discover_loopback` and `keys_found` find what is available now: servers on this machine, keys in the environment.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import convert

from engine.models.chat import LOOPBACK_AT_ONCE, Failure, Provider, ProviderError
from engine.models.definitions import variables_in
from engine.models.secret import Secret, key_from_environment, without_password
from engine.models.wires import (
    ANTHROPIC_VERSION,
    AnthropicWire,
    GoogleWire,
    fields_of,
    items_of,
    openai_wire,
    text_of,
    with_joined_surrogates,
)
from engine.text.record import Record, read_json, replace, text_digest
from engine.text.spans import visible
from engine.yaml.nodes import Data

if TYPE_CHECKING:
    from engine.models.http import Access

_DOT_IN_NUMBER = re.compile(r"(?<=\d)\.(?=\d)")
_WITHDRAWN = {
    name: f"Anthropic withdrew {name} on 19 February 2026"
    for name in ("claude-3-5-haiku-20241022", "claude-3-5-haiku-latest", "claude-3-7-sonnet-20250219")
}
"""By Anthropic's notice of 21 January 2026."""


def anthropic_name(name: str) -> str:
    """The name that Anthropic's API takes: with hyphens where documents write dots, and with a date if required."""
    if not name.startswith("claude-"):
        return name
    hyphened = _DOT_IN_NUMBER.sub("-", name)
    return _PROVIDERS.dated.get(hyphened, hyphened)


def withdrawn(recipient: str, name: str) -> str:
    """A sentence, without its full stop, on a model that `recipient`, a host, no longer serves; "" if none is known."""
    return _WITHDRAWN.get(name, "") if recipient == "api.anthropic.com" else ""


GIVEN_ADDRESS_KEY = "BLUEPRINT_STUDIO_API_KEY"


class Shape(Enum):
    """The wire formats of providers."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"


class _Form(Record):
    """How a format's addresses end, what lists models there, and what header the key has, with what before it."""

    end: str
    listing: str
    header: str
    before: str = ""

    def root(self, base_url: str) -> str:
        """A base address with the end of this format, once."""
        return f"{base_url.removesuffix(self.end)}{self.end}"


_FORMS = {
    Shape.OPENAI: _Form("", "/models", "Authorization", "Bearer "),
    Shape.ANTHROPIC: _Form("/v1", "/models?limit=1000", "x-api-key"),
    Shape.GOOGLE: _Form("/v1beta", "/models?pageSize=1000", "x-goog-api-key"),
}


class Row(Record):
    """A place that answers.

    `base_url` ends before the path that `shape` adds. `base_variable` names the environment variable that moves it, for
    those where that is usual. `at_once` is how many requests run at the same time until it pushes back. `counts_tokens`
    is whether a stream has to be asked for its count of tokens.
    """

    label: str
    base_url: str
    key_variable: str | None = None
    key_needed: bool = True
    base_variable: str | None = None
    start_hint: str = ""
    shape: Shape = Shape.OPENAI
    at_once: int = LOOPBACK_AT_ONCE
    counts_tokens: bool = True

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        url = urlsplit(self.base_url)
        return url.hostname or "", url.port or (443 if url.scheme == "https" else 80)


class _Providers(Record):
    hosted: dict[str, Row]
    loopback: dict[str, Row]
    dated: dict[str, str]


_PROVIDERS = convert(tomllib.loads(Path(__file__).with_name("providers.toml").read_text("utf-8")), _Providers)
HOSTED, LOOPBACK = _PROVIDERS.hosted, _PROVIDERS.loopback
EMBEDDED = "embedded"


def resolve(
    model: str, base_url: str | None = None, custom: Iterable[Data] = (), *, keyless: bool = False
) -> tuple[Provider, str]:
    """The provider of a model id, and the model's name there.

    `custom` are the blueprint's `header.models`: a definition among them whose `id` is `model` wins over a provider of
    that name, and is sent no key but what its own headers say. Small slips in other ids (blanks around the name or its
    colon, capitals in the provider) are corrected.

    With `base_url` (up to and without `/chat/completions`) the whole of `model` is the name at that address, but for a
    leading `openai:`; `discovery.name_at` asks the server for its names. That address gets the key in
    `BLUEPRINT_STUDIO_API_KEY` where one is set, and never another's.

    `keyless` is for a plan of which nothing is sent: then no key has to be there (`unset_variables` has their names).

    Raises `ProviderError`: no such provider, its key or a variable is missing, or a definition cannot be used.
    """
    if base_url is not None:
        return _given(base_url), model.removeprefix("openai:")
    if definition := definition_of(model, custom):
        return _defined(definition, keyless=keyless)
    name, colon, bare = without_slips(model).partition(":")
    row = (HOSTED | LOOPBACK).get(name)
    if colon and bare:
        if row is not None:
            return _from_row(row, model, keyless=keyless), _name_at(row, bare)
        if name == EMBEDDED:
            from engine.models.embedded import server_of

            return server_of(bare), bare
    raise _unknown(model, name, colon)


def answering_place(model: str, base_url: str | None = None, custom: Iterable[Data] = ()) -> Data:
    """What tells the place that `resolve` finds from every other one, as JSON, for the keys of caches.

    It is the provider and its address, or a digest of all that a definition sends (`custom.definition_digest`). A name
    and password in an address are left out, and what stands after `?` is a digest: no secret can be read from it.
    Raises `ProviderError` where the given address is none, or a definition cannot be used.
    """
    if base_url is not None:
        return ["at", *_address_parts(given_address(base_url))]
    if definition := definition_of(model, custom):
        from engine.models.custom import definition_digest

        return ["defined", definition_digest(definition)]
    name = without_slips(model).partition(":")[0]
    row = (HOSTED | LOOPBACK).get(name)
    if row is None:
        return [name]
    return [name, *_address_parts(_base_url(row))]


def _base_url(row: Row) -> str:
    moved = os.environ.get(row.base_variable, "").strip() if row.base_variable else ""
    return given_address(moved) if moved else row.base_url


def _address_parts(address: str) -> list[Data]:
    """An address that can be read by anybody, and a digest of its query where it has one."""
    query = urlsplit(address).query
    return [without_password(address), *([text_digest(query)] if query else [])]


def without_slips(model: str) -> str:
    """A model id without blanks around it and its colon, and without capitals in the name of a known provider."""
    provider, colon, bare = (part.strip() for part in model.strip().partition(":"))
    known = (*HOSTED, *LOOPBACK, EMBEDDED)
    return f"{provider.lower() if provider.lower() in known and colon else provider}{colon}{bare}"


def definition_of(model: str, custom: Iterable[Data]) -> dict[str, Data] | None:
    """The definition whose `id` is `model`, the last of several; None where there is none."""
    found = None
    for definition in custom:
        if isinstance(definition, dict) and definition.get("id") == model:
            found = definition
    return found


def unset_variables(model: str, base_url: str | None = None, custom: Iterable[Data] = ()) -> tuple[str, ...]:
    """The variables without which a model cannot be asked and that are not set."""
    if base_url is not None:
        return ()
    if definition := definition_of(model, custom):
        return tuple(name for name in variables_in(definition) if not os.environ.get(name, "").strip())
    row = HOSTED.get(without_slips(model).partition(":")[0])
    if row is None or row.key_variable is None or os.environ.get(row.key_variable, "").strip():
        return ()
    return (row.key_variable,)


def _name_at(row: Row, bare: str) -> str:
    """A model's name as its provider takes it."""
    return anthropic_name(bare) if row.shape is Shape.ANTHROPIC else bare


def _defined(definition: dict[str, Data], *, keyless: bool) -> tuple[Provider, str]:
    from engine.models.custom import custom_provider, read_custom

    custom = read_custom(definition, keyless=keyless)
    return custom_provider(custom, HOSTED[custom.inherit].at_once), custom.model_name


def _from_row(row: Row, model: str, *, keyless: bool) -> Provider:
    key = key_from_environment(row.key_variable) if row.key_variable else None
    if key is None and row.key_variable and row.key_needed and not keyless:
        raise ProviderError(
            Failure.MISSING_KEY,
            f"{visible(model)}: no key for {row.label}",
            advice=f"Set the variable {row.key_variable} to your key, and start again.",
        )
    return _server(row, _base_url(row), key)


def _server(row: Row, base_url: str, key: Secret | None) -> Provider:
    from engine.models.server import ChatServer

    root, address = _FORMS[row.shape].root(base_url), base_url
    match row.shape:
        case Shape.OPENAI:
            wire = openai_wire(base_url, counts_tokens=row.counts_tokens)
            address = wire.url
        case Shape.ANTHROPIC:
            wire = AnthropicWire(f"{root}/messages")
        case Shape.GOOGLE:
            wire = GoogleWire(base_url=root)
    return ChatServer(wire, address, _access(row, key), start_hint=row.start_hint, at_once=row.at_once)


def _access(row: Row, key: Secret | None) -> Access:
    from engine.models.http import Access

    form = _FORMS[row.shape]
    return Access.by(key, row.key_variable, form.header, form.before)


def _given(base_url: str) -> Provider:
    from engine.models.http import Access
    from engine.models.server import ChatServer

    wire = openai_wire(given_address(base_url))
    return ChatServer(wire, wire.url, Access.by(key_from_environment(GIVEN_ADDRESS_KEY), GIVEN_ADDRESS_KEY))


def given_address(text: str) -> str:
    """A base address as written by an author, with a pasted `/chat/completions` taken off."""
    address = text.strip().rstrip("/").removesuffix("/chat/completions")
    if not address.startswith(("http://", "https://")):
        raise ProviderError(
            Failure.UNREACHABLE,
            "The address of the server cannot be used",
            advice="It starts with http:// or https://, and mostly ends in /v1, as in http://127.0.0.1:8080/v1.",
        )
    return address


def _unknown(model: str, name: str, colon: str) -> ProviderError:
    known = ", ".join((*HOSTED, *LOOPBACK, EMBEDDED))
    if not colon and name.isupper():
        return ProviderError(
            Failure.NO_SUCH_MODEL,
            f"{visible(model)} is a collection of models, not one model",
            advice="Name one model of it.",
        )
    return ProviderError(
        Failure.NO_SUCH_MODEL,
        f"{visible(model) or 'An empty name'} names no model that can be asked",
        advice=f"Write PROVIDER:MODEL, with one of these providers: {known}.",
    )


_PROBE_SECONDS = 0.6
_LIST_SECONDS = 10.0
_MOST_BYTES = 4_000_000
_MOST_MODELS = 1_000
_LONGEST_NAME = 200


class FoundServer(Record):
    """A server that answered on loopback. `models` are the names of its models (untrusted text), () if it lists none.

    `wants_key` is whether it asks for a key that it was not given.
    """

    provider: str
    row: Row
    models: tuple[str, ...] = ()
    wants_key: bool = False

    @property
    def model_ids(self) -> tuple[str, ...]:
        """Its models as `resolve` takes them: `ollama:llama3`."""
        return tuple(f"{self.provider}:{model}" for model in self.models)


async def discover_loopback() -> list[FoundServer]:
    """The servers that listen on 127.0.0.1 at their usual ports, probed in parallel within 0.6 seconds each step."""
    import asyncio

    found = await asyncio.gather(*(_probe(name, row) for name, row in LOOPBACK.items()))
    return [server for server in found if server is not None]


def keys_found() -> tuple[str, ...]:
    """The names of the key variables that are set, in the order of the table."""
    variables = (row.key_variable for row in (HOSTED | LOOPBACK).values())
    return tuple(variable for variable in variables if variable and os.environ.get(variable, "").strip())


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
    found = await models_offered(base_url)
    if found is None or model not in found.models:
        return bare if found is not None and bare in found.models else model
    return f"openai:{model}" if provider == "openai" else model


async def models_offered(place: str) -> FoundServer | None:
    """What the provider of this name, or the server at this address, lists; None where it gives no list."""
    try:
        row = HOSTED.get(place) or Row(place, given_address(place), GIVEN_ADDRESS_KEY)
        return await _ask_models(place, replace(row, base_url=_base_url(row)), _LIST_SECONDS)
    except ProviderError:  # no address; `resolve` reports it
        return None


async def _ask_models(name: str, row: Row, seconds: float) -> FoundServer | None:
    """`GET /v1/models` of a server. HTTP is loaded only here, as usually nothing listens."""
    import asyncio

    import httpx

    from engine.models.http import Keyed, is_loopback, parsed_url, read_at_most, shared_client

    try:
        key = key_from_environment(row.key_variable) if row.key_variable else None
    except ProviderError:
        key = None
    auth = Keyed(_access(row, key)) if key else None
    headers = {"anthropic-version": ANTHROPIC_VERSION} if row.shape is Shape.ANTHROPIC else None
    form = _FORMS[row.shape]
    try:
        host = parsed_url(row.base_url).netloc.decode()
        async with (
            shared_client(host, direct=is_loopback(row.base_url)) as client,
            asyncio.timeout(seconds),
            client.stream("GET", f"{form.root(row.base_url)}{form.listing}", auth=auth, headers=headers) as response,
        ):
            body = await read_at_most(response, _MOST_BYTES) if response.is_success else b""
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError):
        return None
    if response.status_code in (401, 403):
        return FoundServer(name, row, wants_key=True)
    models = model_names(body) if response.is_success else None
    return None if models is None else FoundServer(name, row, models)


def model_names(body: bytes) -> tuple[str, ...] | None:
    """The ids in a list of models, as its server sent it; None if the body is not such a list.

    Google names its list `models`, and Together sends nothing around it.
    """
    try:
        data = read_json(body)
    except ValueError:
        return None
    match data:
        case {"data": None}:  # Ollama without a model
            return ()
        case {"data": list()}:
            names = [text_of(fields_of(entry).get("id")) for entry in items_of(fields_of(data)["data"])]
        case [_, *_]:
            names = [text_of(fields_of(entry).get("id")) for entry in items_of(data)]
        case {"models": list()}:
            listed = [text_of(fields_of(entry).get("name")) for entry in items_of(fields_of(data)["models"])]
            names = [name.removeprefix("models/") for name in listed]
        case _:
            return None
    return tuple(name for name in names[:_MOST_MODELS] if _can_be_written(name))


def _can_be_written(name: str) -> bool:
    """Whether a blueprint could name this model."""
    return 0 < len(name) <= _LONGEST_NAME and with_joined_surrogates(name) == name
