"""Services as a blueprint describes them: those of `externalServices` by name, and addresses within a point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.functions.function_text import quoted, what_is
from engine.providers.chat import Failure, ProviderError
from engine.text import visible
from engine.yaml_nodes.javascript_text import property_text
from engine.yaml_nodes.nodes import Data

SETTINGS = ("service", "url", "method", "headers", "timeout_ms", "cache", "max_retries", "retry_backoff_ms")
"""The keys of a `$call` that say whom to ask and how. All others are sent."""

_LONGEST_SECONDS = 600.0
_MOST_RETRIES = 10
_NOT_TO_BE_WRITTEN = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "expect", "te", "trailer", "upgrade"}
)
"""Headers that say how the request itself travels."""


class Method(StrEnum):
    """How a service is asked. With GET everything stands in the address, as such a request has no body."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"


@dataclass(frozen=True, slots=True)
class Service:
    """One service as written: variables in `url` and `headers` still stand by their names.

    `name` is what it is called in words. `seconds` bounds one request, from the first look for its address to the last
    byte; `retries` more may follow, each after a pause that is longer by `pause` seconds. `cached` says that an answer
    holds for a day.
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
    """The service `name` of a header's `externalServices`. Raises `ProviderError`, in words for the author."""
    known = services if isinstance(services, dict) else {}
    if name not in known:
        there = f"There is {', '.join(map(quoted, known))}." if known else "None is declared there."
        raise _wrong(f"There is no service {quoted(name)} in `externalServices`", there)
    return service_of(f"the service {name}", known[name])


def service_of(name: str, definition: Data) -> Service:
    """The service that a mapping describes. Raises `ProviderError`, in words for the author."""
    reader = _Reader(name, definition if isinstance(definition, dict) else {})
    return Service(
        name,
        reader.url(),
        reader.method(),
        reader.headers(),
        min(reader.number("timeout_ms", 30_000.0, least=1.0) / 1000, _LONGEST_SECONDS),
        int(min(reader.number("max_retries", 2.0), _MOST_RETRIES)),
        reader.number("retry_backoff_ms", 1_000.0) / 1000,
        reader.flag("cache"),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    name: str
    fields: Mapping[str, Data]

    def url(self) -> str:
        url = self.fields.get("url")
        if not isinstance(url, str) or not url.strip():
            raise self._unusable("it has no `url`", "Write the address where it answers, such as https://…")
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
            raise self._unusable("`headers` must have names and values", "Write them below `headers:`, one a line.")
        return {name: self._header(name, value) for name, value in written.items() if value is not None}

    def _header(self, name: str, value: Data) -> str:
        if isinstance(value, dict | list):
            raise self._unusable(f"the header `{name}` must be a text", "Put its value in quotes.")
        if name.lower() in _NOT_TO_BE_WRITTEN:
            raise self._unusable(f"the header `{name}` is written by the request itself", "Leave it out.")
        return property_text(value)

    def number(self, name: str, usual: float, least: float = 0.0) -> float:
        written = self.fields.get(name)
        if written is None:
            return usual
        if isinstance(written, int | float) and not isinstance(written, bool) and least <= written < math.inf:
            return float(written)
        raise self._unusable(f"`{name}` cannot be {what_is(written)}", "Write a number, or leave it out.")

    def flag(self, name: str) -> bool:
        return self.fields.get(name) is not False

    def _unusable(self, what: str, advice: str) -> ProviderError:
        return _wrong(f"{self.name[:1].upper()}{self.name[1:]}: {what}", advice)


def _wrong(what: str, advice: str) -> ProviderError:
    return ProviderError(Failure.MISCONFIGURED, visible(what), advice=visible(advice))
