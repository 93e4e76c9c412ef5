"""The requests of a rubric's `$call` and `$factcheck`, prepared but not sent (000, "External Services").

A service is named in `externalServices`, or has its `url` in a point. `filled` fills in templates such as `{response}`
and variables `${NAME}`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Header
from engine.functions.function_text import quoted, what_is
from engine.functions.point_function import Subject
from engine.models.chat import Failure, ProviderError
from engine.models.definitions import Definition, variables_in
from engine.text.patterns import lazy
from engine.text.record import Record, field
from engine.text.spans import visible
from engine.yaml.nodes import Data, iso_date

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
    reader = _Reader(definition if isinstance(definition, dict) else {}, f"{name[:1].upper()}{name[1:]}")
    return Service(
        name,
        reader.url(),
        reader.method(),
        reader.sendable_headers(),
        min(reader.number("timeout_ms", 30_000.0, least=1.0) / 1000, _MAX_SECONDS),
        int(min(reader.number("max_retries", 2.0), _MAX_RETRIES)),
        reader.number("retry_backoff_ms", 1_000.0) / 1000,
        reader.fields.get("cache") is not False,
    )


class _Reader(Definition):
    def url(self) -> str:
        url = self.fields.get("url")
        if not isinstance(url, str) or not url.strip():
            raise self.wrong("it has no `url`", "Write its address, such as https://…")
        return url.strip()

    def method(self) -> Method:
        written = self.fields.get("method")
        if written is None or written == "":
            return Method.POST
        if not isinstance(written, str) or written.upper() not in Method.__members__:
            raise self.wrong(f"`method` cannot be {what_is(written)}", "It is GET, POST or PUT.")
        return Method(written.upper())

    def sendable_headers(self) -> dict[str, str]:
        written = {name: value for name, value in self.headers().items() if value is not None}
        for name in written:
            if name.lower() in _RESERVED_HEADERS:
                raise self.wrong(f"the header `{name}` is set automatically", "Leave it out.")
        return written

    def number(self, name: str, default: float, least: float = 0.0) -> float:
        written = self.fields.get(name)
        if written is None:
            return default
        if isinstance(written, int | float) and not isinstance(written, bool) and least <= written < math.inf:
            return float(written)
        raise self.wrong(f"`{name}` cannot be {what_is(written)}", "Write a number, or leave it out.")


def _wrong(what: str, advice: str = "") -> ProviderError:
    return ProviderError(Failure.MISCONFIGURED, visible(what), advice=visible(advice))


VariableValue: TypeAlias = Callable[[str, str], str]
"""The value of a variable, from `${NAME}` and its location, such as `parameters.claim`."""

NAMES = ("response", "modelId", "promptId", "messages", "promptText")
"""What a template in braces may name."""
_TEMPLATE = lazy(rf"\$\{{[A-Za-z_]\w*\}}|\{{({'|'.join(NAMES)})\}}")


def as_written(variable: str, _where: str) -> str:
    """The variable unchanged, `${NAME}`."""
    return variable


def filled(data: Data, subject: Subject, variable_value: VariableValue, where: str = "parameters") -> Any:
    """`data` as JSON data with all templates filled in, also inside lists and mappings.

    A string that is exactly one template becomes the value itself: `"{messages}"` is the list of messages. Inside a
    longer string, a list is written as JSON. Templates in a response or a variable are not filled in. Numbers that JSON
    lacks become null, and dates become ISO strings, as in JavaScript.
    """
    match data:
        case str():
            return _filled_text(data, subject, variable_value, where)
        case list():
            return [filled(item, subject, variable_value, where) for item in data]
        case dict():
            return {name: filled(item, subject, variable_value, f"{where}.{name}") for name, item in data.items()}
        case datetime():
            return iso_date(data)
        case float() if not math.isfinite(data):
            return None
        case _:
            return data


def _filled_text(text: str, subject: Subject, variable_value: VariableValue, where: str) -> Any:
    whole = _TEMPLATE.fullmatch(text)
    if whole is not None and whole[1] is not None:
        return _value(whole[1], subject)

    def replacement(template: re.Match[str]) -> str:
        if template[1] is None:
            return variable_value(template[0], where)
        value = _value(template[1], subject)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _TEMPLATE.sub(replacement, text)


def _value(template: str, subject: Subject) -> Any:
    match template:
        case "response":
            return subject.response
        case "modelId":
            return subject.model_id
        case "promptId":
            return subject.prompt_id
        case "messages":
            return [dict(message) for message in subject.messages]
        case _:
            return subject.prompt_text


ENDPOINT = "FACTCHECK_ENDPOINT_URL"
"""The variable with the address for `$factcheck` (000, "Fact-Checking Shortcut")."""

_WHOLE_VARIABLE = re.compile(r"\$\{[A-Za-z_]\w*\}")
_FACTCHECK = Service("the fact-checker", f"${{{ENDPOINT}}}", seconds=65.0, retries=1)
"""It searches the web, hence the long time-out."""
_ALWAYS_SENT: Mapping[str, Data] = {"response": "{response}", "modelId": "{modelId}", "promptId": "{promptId}"}
"""The fields of every `$call`, unless the author gives these names other values."""


class ServiceCall(Record):
    """One call as the author wrote it. `parameters` hold templates; `literal` is sent unchanged beside them."""

    service: Service
    parameters: Mapping[str, Data]
    literal: Mapping[str, Data] = field(default_factory=dict[str, Data])
    works_on_weval: bool = True

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables whose values are sent. A variable that is the whole address is not one of them: the
        author sees the host instead."""
        service = self.service
        address = "" if _WHOLE_VARIABLE.fullmatch(service.url) else service.url
        return variables_in([address, dict(service.headers), dict(self.parameters)])

    def body(self, subject: Subject, variable_value: VariableValue = as_written) -> dict[str, Any]:
        """The JSON body about `subject`, with variables replaced by `variable_value`."""
        return filled(dict(self.parameters), subject, variable_value) | dict(self.literal)


def is_service_call(call: FunctionCall) -> bool:
    """Whether the verdict on this point comes from a service."""
    function = functions.find(call.name)
    return function is not None and function.by_service


def service_call(call: FunctionCall, header: Header) -> ServiceCall:
    """The call of a point. Raises `ProviderError`, worded for the author, if it has no service to call."""
    function = functions.find(call.name)
    if function is not None and (function.negates or function.name) == "factcheck":
        return _factcheck(call)
    args = call.args
    if not isinstance(args, dict):
        raise _wrong(f"${call.name} needs a mapping with `service` or `url`; this is {what_is(args)}")
    name, url = args.get("service"), args.get("url")
    if isinstance(name, str) and name.strip():
        service = named_service(name, header.fields.get("externalServices"))
    elif isinstance(url, str) and url.strip():
        service = service_of("the service", args)
    else:
        raise _wrong(f"${call.name} has no service to call: name a `service` of `externalServices`, or give a `url`")
    own = {key: value for key, value in args.items() if key not in SETTINGS}
    return ServiceCall(service, {**_ALWAYS_SENT, **own}, works_on_weval=service.method is not Method.GET)


def _factcheck(call: FunctionCall) -> ServiceCall:
    """The response as the claim, with the instruction; without one, everything is checked."""
    args = call.args
    if args is ABSENT or args is None:
        args = ""
    if not isinstance(args, str):
        raise _wrong(f"${call.name} needs an instruction as text; this is {what_is(args)}")
    return ServiceCall(_FACTCHECK, {"claim": "{response}"}, {"instruction": args, "includeRaw": False})
