"""The services that a blueprint defines: by name in `externalServices`, or by a `url` in a point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum

from engine.functions.function_text import quoted, what_is
from engine.providers.chat import Failure, ProviderError
from engine.record import Record, field
from engine.text import visible
from engine.yaml_nodes.javascript_text import property_text
from engine.yaml_nodes.nodes import Data

SETTINGS = ("service", "url", "method", "headers", "timeout_ms", "cache", "max_retries", "retry_backoff_ms")
"""The keys of a `$call` that define the service and its settings. All other keys are sent."""

_MAX_SECONDS = 600.0
_MAX_RETRIES = 10
_RESERVED_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "expect", "te", "trailer", "upgrade"}
)
"""Headers that the HTTP client sets itself."""


class Method(StrEnum):
    """The HTTP method. With GET, which has no body, all parameters are in the query string."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"


class Service(Record):
    """One service as written, with variables in `url` and `headers` not filled in.

    `name` is for messages. `seconds` bounds one request, from resolving the name to the last byte. Up to `retries`
    retries follow, each after a pause that is `pause` seconds longer than the last. `cached` tells whether answers are
    cached for a day.
    """

    name: str
    url: str
    method: Method = Method.POST
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    seconds: float = 30.0
    retries: int = 2
    pause: float = 1.0
    cached: bool = True


def named_service(name: str, services: Data) -> Service:
    """The service `name` of a header's `externalServices`. Raises `ProviderError`, worded for the author."""
    known = services if isinstance(services, dict) else {}
    if name not in known:
        there = f"There is {', '.join(map(quoted, known))}." if known else "None is declared there."
        raise _wrong(f"There is no service {quoted(name)} in `externalServices`", there)
    return service_of(f"the service {name}", known[name])


def service_of(name: str, definition: Data) -> Service:
    """The service that a mapping describes. Raises `ProviderError`, worded for the author."""
    reader = _Reader(name, definition if isinstance(definition, dict) else {})
    return Service(
        name,
        reader.url(),
        reader.method(),
        reader.headers(),
        min(reader.number("timeout_ms", 30_000.0, least=1.0) / 1000, _MAX_SECONDS),
        int(min(reader.number("max_retries", 2.0), _MAX_RETRIES)),
        reader.number("retry_backoff_ms", 1_000.0) / 1000,
        reader.flag("cache"),
    )


class _Reader(Record):
    name: str
    fields: Mapping[str, Data]

    def url(self) -> str:
        url = self.fields.get("url")
        if not isinstance(url, str) or not url.strip():
            raise self._unusable("it has no `url`", "Write its address, such as https://…")
        return url.strip()

    def method(self) -> Method:
        written = self.fields.get("method")
        if written is None or written == "":
            return Method.POST
        if not isinstance(written, str) or written.upper() not in Method.__members__:
            raise self._unusable(f"`method` cannot be {what_is(written)}", "It is GET, POST or PUT.")
        return Method(written.upper())

    def headers(self) -> dict[str, str]:
        written = self.fields.get("headers")
        if written is None or written == "":
            return {}
        if not isinstance(written, dict):
            raise self._unusable("`headers` must be a mapping", "Write one `name: value` per line below `headers:`.")
        return {name: self._header(name, value) for name, value in written.items() if value is not None}

    def _header(self, name: str, value: Data) -> str:
        if isinstance(value, dict | list):
            raise self._unusable(f"the header `{name}` must be text", "Put its value in quotes.")
        if name.lower() in _RESERVED_HEADERS:
            raise self._unusable(f"the header `{name}` is set automatically", "Leave it out.")
        return property_text(value)

    def number(self, name: str, default: float, least: float = 0.0) -> float:
        written = self.fields.get(name)
        if written is None:
            return default
        if isinstance(written, int | float) and not isinstance(written, bool) and least <= written < math.inf:
            return float(written)
        raise self._unusable(f"`{name}` cannot be {what_is(written)}", "Write a number, or leave it out.")

    def flag(self, name: str) -> bool:
        return self.fields.get(name) is not False

    def _unusable(self, what: str, advice: str) -> ProviderError:
        return _wrong(f"{self.name[:1].upper()}{self.name[1:]}: {what}", advice)


def _wrong(what: str, advice: str) -> ProviderError:
    return ProviderError(Failure.MISCONFIGURED, visible(what), advice=visible(advice))
