"""What a blueprint defines of models and services: its fields, and the variables in its texts.

`${NAME}` is filled in at run time, never by the parser (004, "Environment Variable Substitution").

In the address of a custom model or a service, the host and the port are shown to the author and saved with the
consent, so no part of them may come from a variable that could be a key. A variable may be the whole start of an
address (`${BASE}`, `${BASE}/v1/score`): then it holds the address itself, and its host is shown like a literal one.
Variables may also stand in the user and password, the path and the query, which are never shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from engine.models.chat import Failure, ProviderError
from engine.models.secret import Secret
from engine.text.patterns import lazy
from engine.text.spans import visible
from engine.yaml.nodes import Data, property_text

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


@dataclass(slots=True)
class Environment:
    """Fills variables into texts, and remembers them, as their values may be keys.

    `whose` names the definition in errors, such as `the model local:llama3`. With `keyless`, for texts that are never
    sent, an unset variable is replaced by its name, except in addresses.
    """

    whose: str
    keyless: bool = False
    _used: dict[str, Secret | None] = field(default_factory=dict[str, "Secret | None"])
    _seen: set[str] = field(default_factory=set[str], repr=False)

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
