"""The forms of keys: those that known providers give them, and those that a key takes where programs quote it, escaped
for URLs, JSON, HTML and Python, encoded, backwards."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

from engine.patterns import lazy

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
