"""Keys in a type that does not print them by accident (DESIGN, law 7)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import NoReturn
from urllib.parse import quote, urlsplit, urlunsplit

from engine.providers.chat import Failure, ProviderError

_MASK = "***"


class Secret:
    """A key that always prints as `***`, and can be neither pickled nor converted to JSON.

    Only `reveal` returns it, and only code that writes a request calls that.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        """`value` must not be empty: an empty key cannot be found in a text to `scrub`."""
        if not value:
            raise ValueError("a secret is never empty")
        self._value = value

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def scrub(self, text: str) -> str:
        """`text` with the key replaced by `***`, also in its escaped forms for URLs and JSON."""
        for form in {self._value, quote(self._value, safe=""), json.dumps(self._value)[1:-1]}:
            text = text.replace(form, _MASK)
        return text

    def begins_at_the_end_of(self, text: str) -> int:
        """The length of the longest end of `text` that is a beginning of the key, or 0."""
        longest = min(len(text), len(self._value) - 1)
        return next((size for size in range(longest, 0, -1) if self._value.startswith(text[-size:])), 0)

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


def without_password(address: str) -> str:
    """An address without its possible secrets: name, password, query and fragment."""
    parts = urlsplit(address)
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
