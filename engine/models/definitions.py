"""What a blueprint defines of models and services: its fields, and the variables in its texts; calls of services.

`${NAME}` is filled in at run time, never by the parser (004, "Environment Variable Substitution").

In the address of a custom model or a service, the host and the port are shown to the author and saved with the
consent, so no part of them may come from a variable that could be a key. A variable may be the whole start of an
address (`${BASE}`, `${BASE}/v1/score`): then it holds the address itself, and its host is shown like a literal one.
Variables may also stand in the user and password, the path and the query, which are never shown.

A rubric's `$call` and `$factcheck` are prepared here and sent elsewhere (000, "External Services"): rules read this
module, which loads no HTTP. A service is named in `externalServices`, or has its `url` in a point. `filled` fills in
templates such as `{response}`.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Header, Prompt
from engine.functions.function_text import quoted, what_is
from engine.functions.point_function import Subject
from engine.models.chat import Failure, ProviderError
from engine.models.secret import Secret
from engine.text import Record, field, lazy, visible
from engine.yaml.nodes import Data, iso_date, property_text

VARIABLE = lazy(r"\$\{([A-Za-z_]\w*)\}")
_MAY_HOLD_KEYS = ("headers", "url", "parameters")
_KEY = lazy(r"(?!https?://)(?=.*[^a-z -]).{8,}", re.S)
"""A value that may be a key. Shorter values and plain words are not; masking them would garble answers."""
_ADDRESS = lazy("https?://")
_ADDRESS_PLACES = ("url", "port")
_SHORTEST_MASKED = 4


def variables_in(data: Data) -> tuple[str, ...]:
    """The names of the variables in the texts of a definition, in order and without duplicates."""
    match data:
        case str():
            found = VARIABLE.findall(data)
        case list():
            found = [name for item in data for name in variables_in(item)]
        case dict():
            found = [name for item in data.values() for name in variables_in(item)]
        case _:
            found = []
    return tuple(dict.fromkeys(found))


class Definition:
    """The fields of one definition. `whose` names it in errors, such as `The service facts`."""

    def __init__(self, fields: Mapping[str, Data], whose: str) -> None:
        self.fields = fields
        self.whose = whose

    def wrong(self, what: str, advice: str) -> ProviderError:
        """The failure for a definition that cannot be used."""
        return ProviderError(Failure.MISCONFIGURED, visible(f"{self.whose}: {what}"), advice=visible(advice))

    def mapping(self, name: str) -> dict[str, Data]:
        """A mapping, {} where none is written. Raises `ProviderError`."""
        value = self.fields.get(name)
        if value is None or value == "":
            return {}
        if not isinstance(value, dict):
            raise self.wrong(f"`{name}` must be a mapping", f"Write one `name: value` per line below `{name}:`.")
        return value

    def headers(self) -> dict[str, str | None]:
        """The headers as written; values other than strings are converted as in JavaScript. Raises `ProviderError`."""
        found = self.mapping("headers")
        for name, value in found.items():
            if isinstance(value, dict | list):
                raise self.wrong(f"the header `{name}` must be text", "Put its value in quotes.")
        return {name: None if value is None else property_text(value) for name, value in found.items()}


class Environment:
    """Fills variables into texts, and remembers them, as their values may be keys.

    `whose` names the definition in errors, such as `the model local:llama3`. With `keyless`, for texts that are never
    sent, an unset variable is replaced by its name, except in addresses.
    """

    def __init__(self, whose: str, keyless: bool = False) -> None:
        self.whose = whose
        self.keyless = keyless
        self._used: dict[str, Secret | None] = {}
        self._seen = set[str]()

    def put_into(self, text: str, where: str) -> str:
        """`text` with all variables replaced by their values. Variables within values are not replaced.

        Raises `ProviderError` if a variable is unset or empty; `where` names the place of `text`, such as
        `headers.Authorization`.
        """
        return VARIABLE.sub(lambda found: self._value(found[1], where), text)

    def header(self, name: str, written: str) -> str:
        """The value of a header, with its variables put in. Raises `ProviderError` if it cannot be sent."""
        value = self.put_into(written, f"headers.{name}").strip()
        is_sendable = value.isascii() and value.isprintable() and name.isascii() and name.isprintable()
        if not is_sendable or not name or set(name) & set(' :"(),/;<=>?@[\\]{}'):
            advice = "It has a line break or an unusual character. Check it and its variables."
            what = f"{self.whose}: the header `{' '.join(name.split())}` cannot be sent"
            raise ProviderError(Failure.MISCONFIGURED, visible(what), advice=advice)
        return value

    def secrets(self, url: str, written: str) -> tuple[tuple[Secret, ...], tuple[Secret, ...]]:
        """What may be a key and is masked in all that comes back, and what messages only do not show, with the parts of
        the address `url`, which stands in the definition as `written`."""
        from_variable = is_from_variable(written)
        keys = (*self.keys(), *keys_in_url(url, from_variable=from_variable))
        return keys, (*self.masked(), *(masked_in_url(url) if from_variable else ()))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that were filled in."""
        return tuple(self._used)

    def keys(self) -> tuple[Secret, ...]:
        """The values that may be keys, the longest first, to mask in what comes back."""
        found = [secret for secret in self._used.values() if secret is not None]
        return tuple(sorted(found, key=lambda secret: -len(secret.reveal())))

    def masked(self) -> tuple[Secret, ...]:
        """The values that messages must not show, the longest first, with those too short or plain to mask in
        answers."""
        return tuple(Secret(value) for value in sorted(self._seen, key=lambda value: -len(value)))

    def _value(self, name: str, where: str) -> str:
        value = os.environ.get(name, "").strip()
        if not value and self.keyless and where not in _ADDRESS_PLACES:
            return name
        if not value:
            raise ProviderError(
                Failure.MISSING_KEY,
                f"{visible(self.whose)}: the variable {name} is not set",
                advice=f"Set {name} and start again. It stands in `{visible(where)}`.",
            )
        is_key = where.startswith(_MAY_HOLD_KEYS) and _KEY.fullmatch(value) is not None
        self._used[name] = Secret(value) if is_key else self._used.get(name)
        if where.startswith(_MAY_HOLD_KEYS) and len(value) >= _SHORTEST_MASKED and not _ADDRESS.match(value):
            self._seen.add(value)
        return value


_PARTS = lazy(r"([^/?#]*?)://([^/?#]*)(.*)", re.S)
_PORT = lazy(r":(\d{1,5})(?=[/?#]|$)")
_LAST_PORT = 65_535
_SHORTEST_KEY = 8
_SHORTEST_PATH_KEY = 16


def has_variable_in_host(written: str) -> bool:
    """Whether a part of the host comes from a variable in an address that begins otherwise, so that it is refused
    whatever the variable holds. A port by itself may come from one."""
    written = written.strip()
    leading = VARIABLE.match(written)
    if leading is not None:
        rest = written[leading.end() :]
        if rest.startswith("://"):
            return has_variable_in_host(f"https{rest}")
        return bool(rest) and rest[0] not in "/?#" and _PORT.match(rest) is None
    parts = _PARTS.fullmatch(written)
    if parts is None:
        return False
    host, _, port = parts[2].rpartition("@")[2].rpartition(":")
    host = host if host and VARIABLE.fullmatch(port) else parts[2].rpartition("@")[2]
    return VARIABLE.search(parts[1]) is not None or VARIABLE.search(host) is not None


def filled_url(written: str, environment: Environment) -> str:
    """An address with its variables put in. What a value holds is escaped where it would begin another part.

    Raises `ProviderError`, which names variables and no values: one is not set, holds no address where it stands for
    one, or is a part of the host or the port.
    """
    written = written.strip()
    leading = VARIABLE.match(written)
    if leading is not None:
        return _led(leading[1], written[leading.end() :], environment)
    parts = _PARTS.fullmatch(written)
    if parts is None:
        return environment.put_into(written, "url")
    scheme, authority, rest = parts.groups()
    if VARIABLE.search(scheme):
        raise _within_host(environment, "the scheme")
    return f"{scheme}://{_authority(authority, environment)}{_rest(rest, environment)}"


def is_from_variable(written: str) -> bool:
    """Whether a variable holds an address as a whole, or its beginning."""
    return VARIABLE.match(written.strip()) is not None


def masked_in_url(url: str) -> tuple[Secret, ...]:
    """What of an address that a variable holds no message shows: all but its host, and what is too short to tell."""
    return keys_in_url(url, from_variable=True, shortest=_SHORTEST_MASKED, shortest_path=_SHORTEST_MASKED)


def keys_in_url(
    url: str, *, from_variable: bool, shortest: int = _SHORTEST_KEY, shortest_path: int = _SHORTEST_PATH_KEY
) -> tuple[Secret, ...]:
    """The parts of an address that may be keys: the password and the values of the query. If the address comes from a
    variable, also the user and long parts of the path."""
    try:
        parts = urlsplit(url)
        found = [unquote(parts.password or ""), *(value for _, value in parse_qsl(parts.query))]
        if from_variable:
            found.append(unquote(parts.username or ""))
            found += [part for part in unquote(parts.path).split("/") if len(part) >= shortest_path]
    except ValueError:
        return ()
    long_enough = sorted({value for value in found if len(value) >= shortest}, key=lambda value: (-len(value), value))
    return tuple(Secret(value) for value in long_enough)


def _led(name: str, rest: str, environment: Environment) -> str:
    """An address that begins with the variable `name`, as the whole of it up to `rest`."""
    if rest.startswith("://"):
        scheme = environment.put_into(f"${{{name}}}", "url")
        if scheme not in ("http", "https"):
            raise _unusable(environment, f"the variable {name} stands for http or https, and holds neither")
        return filled_url(f"{scheme}{rest}", environment)
    port = _PORT.match(rest)
    if rest and rest[0] not in "/?#" and port is None:
        raise _within_host(environment, "the host")
    base = environment.put_into(f"${{{name}}}", "url")
    try:
        parts = urlsplit(base)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
        parts = urlsplit("")
    if not is_address:
        raise _unusable(environment, f"the variable {name} holds no web address")
    if port is not None and (parts.port is not None or parts.path or parts.query):
        raise _within_host(environment, "the port")
    return f"{base}{rest[: port.end()] if port else ''}{_rest(rest[port.end() if port else 0 :], environment)}"


def _authority(authority: str, environment: Environment) -> str:
    user, at, host = authority.rpartition("@")
    if VARIABLE.search(user):
        is_both = VARIABLE.fullmatch(user) is not None
        user = _put(user, environment, lambda value: quote(value, safe=":" if is_both else ""))
    name, colon, port = host.rpartition(":")
    variable = VARIABLE.fullmatch(port) if colon and not VARIABLE.search(name) else None
    if variable is not None:
        return f"{user}{at}{name}:{_port(variable[1], environment)}"
    if VARIABLE.search(host):
        raise _within_host(environment, "the host")
    return f"{user}{at}{host}"


def _port(name: str, environment: Environment) -> int:
    """A number up to 65,535, which is no key."""
    number = environment.put_into(f"${{{name}}}", "port")
    if len(number) <= 5 and number.isascii() and number.isdigit() and 0 < int(number) <= _LAST_PORT:
        return int(number)
    raise _unusable(environment, f"the variable {name} holds no port")


def _rest(rest: str, environment: Environment) -> str:
    """The path, the query and the fragment. A value in the path cannot begin a query, and none a fragment."""
    path, mark, query = rest.partition("?")
    in_path = _put(path, environment, lambda value: _escaped(value, "?#"))
    return f"{in_path}{mark}{_put(query, environment, lambda value: _escaped(value, '#'))}"


def _put(text: str, environment: Environment, escape: Callable[[str], str]) -> str:
    return VARIABLE.sub(lambda found: escape(environment.put_into(found[0], "url")), text)


def _escaped(value: str, marks: str) -> str:
    return "".join(quote(each, safe="") if each in marks or each.isspace() else each for each in value)


def _within_host(environment: Environment, what: str) -> ProviderError:
    title = f"{visible(environment.whose)}: a variable is a part of {what} in its `url`"
    advice = (
        "The host is shown and saved, but a variable may hold a key. Write the host out, or put the whole "
        "address into one variable, as in `url: ${MY_URL}`."
    )
    return ProviderError(Failure.MISCONFIGURED, title, advice=advice)


def _unusable(environment: Environment, what: str) -> ProviderError:
    advice = "It is a whole address, such as https://example.org/check. Nothing was sent."
    return ProviderError(Failure.MISCONFIGURED, f"{visible(environment.whose)}: {what}", advice=advice)


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

    def body(self, subject: Subject, variable_value: VariableValue) -> dict[str, Any]:
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


def service_calls(header: Header, prompt: Prompt) -> Iterator[ServiceCall]:
    """The calls of the points of a prompt, without those that cannot be made: a run reports these at the point."""
    for point in prompt.points():
        if point.function is not None and is_service_call(point.function):
            with suppress(ProviderError):
                yield service_call(point.function, header)


def _factcheck(call: FunctionCall) -> ServiceCall:
    """The response as the claim, with the instruction; without one, everything is checked."""
    args = call.args
    if args is ABSENT or args is None:
        args = ""
    if not isinstance(args, str):
        raise _wrong(f"${call.name} needs an instruction as text; this is {what_is(args)}")
    return ServiceCall(_FACTCHECK, {"claim": "{response}"}, {"instruction": args, "includeRaw": False})
