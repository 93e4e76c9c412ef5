"""Keys in a type that does not print them by accident (DESIGN, law 7), and the forms of keys.

The forms are those that known providers give them, and those that a key takes where programs quote it: escaped for
URLs, JSON, HTML and Python, encoded, backwards.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NoReturn
from urllib.parse import quote, quote_plus, unquote, urlsplit, urlunsplit

from engine.models.chat import Failure, ProviderError
from engine.text.patterns import lazy

_KEY = lazy(
    r"""(?<![\w-])(?:
    (?P<OpenRouter>sk-or-[\w-]{20,}) | (?P<Anthropic>sk-ant-[\w-]{20,})
    | (?P<OpenAI>sk-(?:proj|svcacct|admin|None)-[\w-]{20,} | sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,})
    | (?P<Google>AIza[\w-]{35}) | (?P<xAI>xai-[A-Za-z0-9]{20,}) | (?P<Groq>gsk_[A-Za-z0-9]{20,})
    | (?P<Together>tgp_v1_[\w-]{20,}) | (?P<Perplexity>pplx-[A-Za-z0-9]{20,}) | (?P<Replicate>r8_[A-Za-z0-9]{30,})
    | (?P<Hugging_Face>hf_[A-Za-z0-9]{20,}) | (?P<GitHub>gh[opsur]_[A-Za-z0-9]{30,} | github_pat_\w{30,})
    | (?P<AWS>A[KS]IA[A-Z0-9]{16}(?<!EXAMPLE))
    )(?![\w-])""",
    re.VERBOSE,
)
_BEGINNING = lazy("sk-|AIza|xai-|gsk_|tgp_|pplx-|r8_|hf_|gh[opsur]_|github_|AKIA|ASIA")
_FEWEST_CHARACTERS = 8
"""Different characters of a key; what has fewer, such as `sk-xxxx`, stands for one."""
_SHORTEST_ENCODED = 8
"""Shorter ones would be found in usual texts."""


def keys_in(text: str, start: int = 0, end: int | None = None) -> Iterator[re.Match[str]]:
    """What has the form of a key of a known provider, whose name is `lastgroup`, between two offsets of `text`."""
    end = len(text) if end is None else end
    first = _BEGINNING.search(text, start, end)  # faster than to look for whole keys
    found = () if first is None else _KEY.finditer(text, first.start(), end)
    return (match for match in found if len(set(match[0])) >= _FEWEST_CHARACTERS)


def without_keys(text: str) -> str:
    """`text`, as long as before, with stars for what has the form of a key."""
    return _KEY.sub(lambda match: "*" * len(match[0]), text)


@lru_cache(maxsize=256)
def forms_of(key: str) -> tuple[str, ...]:
    """All forms of `key` itself, without duplicates, the longest first."""
    found = {key, *_escaped(key), *(form for form in _encoded(key) if len(form) >= _SHORTEST_ENCODED)}
    return tuple(sorted(found, key=lambda form: (-len(form), form)))


def _escaped(key: str) -> Iterator[str]:
    for safe in ("", "/"):
        in_url = quote(key, safe=safe, errors="surrogatepass")
        yield from (in_url, _in_small_letters(in_url))
    yield quote_plus(key, errors="surrogatepass")
    in_json = json.dumps(key)[1:-1]
    of_go = in_json.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    for escaped in (in_json, in_json.replace("/", "\\/"), of_go):
        yield from (escaped, json.dumps(escaped)[1:-1])
    in_html = html.escape(key)
    yield from (in_html, html.escape(key, quote=False), in_html.replace("&quot;", "&#34;").replace("&#x27;", "&#39;"))
    # Python quotes with ' unless the text has one and no ": what surrounds a key decides.
    backslashes = key.replace("\\", "\\\\")
    yield from (backslashes, backslashes.replace("'", "\\'"))


def _in_small_letters(in_url: str) -> str:
    head, *escapes = in_url.split("%")
    return "%".join((head, *(each[:2].lower() + each[2:] for each in escapes)))


def _encoded(key: str) -> Iterator[str]:
    data = key.encode("utf-8", "surrogatepass")
    for before in range(3):
        in_base64 = _within_base64(data, before)
        yield from (in_base64, in_base64.translate(str.maketrans("+/", "-_")))
    yield from (data.hex(), data.hex().upper())
    if len(key) >= _SHORTEST_ENCODED:
        yield key[::-1]


def _within_base64(data: bytes, before: int) -> str:
    """What is the same in the Base64 of every text that holds `data` behind `before` bytes, modulo 3."""
    encoded = base64.b64encode(bytes(before) + data).decode("ascii")
    return encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]


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
