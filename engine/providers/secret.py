"""Keys in a type that does not print them by accident (DESIGN, law 7)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NoReturn
from urllib.parse import unquote, urlsplit, urlunsplit

from engine.patterns import lazy
from engine.providers.chat import Failure, ProviderError
from engine.providers.secret_forms import forms_of

_MASK = "***"
_SHORTEST_PART = 8
"""Characters of a key that are masked in messages, and at the end of an answer that was cut off."""
_NAMES_KEY = lazy(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)", re.I)
"""The names of variables that hold keys, as far as names tell."""
_NO_KEY = lazy(r"https?://|[/~]|[A-Za-z]:[/\\\\]|[a-z -]*$")
"""How values begin that are no keys: addresses, paths, plain words."""
_SHORTEST_KEY = 8
_LOOKS_LIKE_KEY = lazy(r"(?![/~])(?=.*[0-9])(?=.*[A-Za-z])\S{16,}")
"""A value that reports of faults do not show, whatever its variable is called."""
_SHORTEST_REPORTED = 4
"""Characters of a value that is masked in reports of faults, which may be garbled rather than tell a key."""
_used: set[str] = set()
"""All that was used as a key in this process."""


class Secret:
    """A key that always prints as `***`, and can be neither pickled nor converted to JSON.

    Only `reveal` returns it, and only code that writes a request calls that.
    """

    __slots__ = ("_forms", "_value")

    def __init__(self, value: str) -> None:
        """`value` must not be empty: an empty key cannot be found in a text to `scrub`."""
        if not value:
            raise ValueError("a secret is never empty")
        self._value = value
        self._forms = forms_of(value)
        _used.add(value)

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def scrub(self, text: str) -> str:
        """`text` with the key replaced by `***`, in each of its forms: for URLs, JSON, HTML, Base64 and others."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, _MASK)
        return text

    def scrub_parts(self, text: str) -> str:
        """`text` with every part of the key of at least eight characters replaced by `***`.

        Servers quote a part of a key that they refuse. Too thorough, and too slow, for answers.
        """
        pieces = {piece for form in self._forms for piece in _pieces(form)}
        masked, done = list[str](), 0
        for at, piece in enumerate(_pieces(text)):
            if piece in pieces:
                if at > done or not masked:
                    masked += (text[done:at], _MASK)
                done = at + _SHORTEST_PART
        return "".join((*masked, text[done:]))

    def begins_at_the_end_of(self, text: str) -> int:
        """The length of the longest end of `text` that is a beginning of the key in one of its forms, or 0."""
        return max((_begun(form, text) for form in self._forms), default=0)

    def __repr__(self) -> str:
        return _MASK

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return _MASK

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is neither pickled nor saved")


def _pieces(text: str) -> list[str]:
    """Every piece of `text` of the length that is masked in messages, by its place."""
    return [text[at : at + _SHORTEST_PART] for at in range(len(text) - _SHORTEST_PART + 1)]


def _begun(form: str, text: str) -> int:
    """The length of the longest end of `text` that is a beginning of `form`, but not the whole of it."""
    at = text.find(form[0], max(0, len(text) - len(form) + 1))
    while at >= 0:
        if form.startswith(text[at:]):
            return len(text) - at
        at = text.find(form[0], at + 1)
    return 0


def scrub(text: str, keys: Iterable[Secret]) -> str:
    """`text` with all `keys` replaced by `***`."""
    for key in keys:
        text = key.scrub(text)
    return text


def scrub_piece(text: str, keys: Sequence[Secret]) -> tuple[str, str]:
    """`text` scrubbed as far as possible, and the end that may begin a key, to prepend to the next piece."""
    text = scrub(text, keys)
    held = max((key.begins_at_the_end_of(text) for key in keys), default=0)
    return text[: len(text) - held], text[len(text) - held :]


def cut_off(text: str, keys: Sequence[Secret]) -> str:
    """The end of an answer that may begin a key, masked unless it is too short to tell."""
    length = max((key.begins_at_the_end_of(text) for key in keys), default=0)
    return text if length < _SHORTEST_PART else text[: len(text) - length] + _MASK


def environment_keys() -> tuple[Secret, ...]:
    """The keys in the environment, as far as the names of variables tell: a server on this machine may know them.

    Plain words are none: masking them would garble answers.
    """
    return _likely_keys(_named_values())


def scrub_all(text: str) -> str:
    """`text`, such as a traceback, without all that this process used as a key, and all that may be one in the
    environment, by the name of its variable or by its looks."""
    values = {value for value in _named_values() if len(value) >= _SHORTEST_REPORTED} | _used
    for value in os.environ.values():
        values |= _in_address(value) if "://" in value else {value} if _LOOKS_LIKE_KEY.fullmatch(value) else set()
    return scrub(text, [Secret(value) for value in sorted(values, key=len, reverse=True)])


def _in_address(value: str) -> set[str]:
    """The password and the parameters in an address, as they are written there and as they are meant."""
    try:
        parts = urlsplit(value)
        written = {parts.password or "", *(each.partition("=")[2] for each in parts.query.split("&"))}
    except ValueError:
        return {value}
    return {form for each in written for form in (each, unquote(each)) if len(form) >= _SHORTEST_REPORTED}


def _named_values() -> tuple[str, ...]:
    """The values of the variables that are named like keys."""
    return tuple(value.strip() for name, value in os.environ.items() if _NAMES_KEY.search(name))


@lru_cache(maxsize=8)
def _likely_keys(values: tuple[str, ...]) -> tuple[Secret, ...]:
    likely = {value for value in values if len(value) >= _SHORTEST_KEY and not _NO_KEY.match(value)}
    return tuple(Secret(value) for value in sorted(likely, key=lambda value: (-len(value), value)))


def without_password(address: str) -> str:
    """An address without its possible secrets: name, password, query and fragment; "" for what is no address."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def key_from_environment(variable: str) -> Secret | None:
    """The key in an environment variable, stripped; None if it is unset or blank.

    Raises `ProviderError` if the value cannot be a key, as it would not fit in a header line.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        return None
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise ProviderError(
            Failure.UNAUTHORISED,
            f"{variable} does not hold a key",
            advice=f"It has a space, a line break or an unusual character in it. Copy the key into {variable} again.",
        )
    return Secret(value)
