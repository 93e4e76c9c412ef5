"""Keys that are planted to be looked for, and the search for them in whatever the studio puts out."""

from __future__ import annotations

import base64
import html
import json
import os
import random
import re
import string
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote, unquote

from engine.models.provider_registry import GIVEN_ADDRESS_KEY, HOSTED, LOOPBACK
from tests.fire.figures import Figure

IN_HEADERS = ("MODEL_TOKEN", "MODEL_CUSTOM_HEADER", "SERVICE_SECRET", "PLAIN_NAME")
IN_ADDRESSES = ("URL_USER", "URL_PASSWORD", "URL_PATH", "URL_QUERY", "SERVICE_QUERY")
MODELS = (
    "own:headers", "own:basic", "own:whole", "openai:gpt-4o-mini", "anthropic:claude-3-5-haiku", "google:gemini-2.0",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Planted:
    """The canaries, and the variables that hold them and say where the servers are."""

    canaries: tuple[Canary, ...]
    variables: dict[str, str]


def planted(host: str, chance: random.Random) -> Planted:
    """New canaries for servers at `host`."""
    of_providers = {row.key_variable for row in (HOSTED | LOOPBACK).values() if row.key_variable} | {GIVEN_ADDRESS_KEY}
    names = (*sorted(of_providers), *IN_HEADERS, *IN_ADDRESSES)
    canaries = [canary(name, chance, marks=name not in IN_ADDRESSES) for name in names]
    variables = {each.place: each.value for each in canaries}
    for name, pattern in (
        ("OPENAI_BASE_URL", "http://me:{}@" + host + "/v1"),
        ("ANTHROPIC_BASE_URL", "http://me:{}@" + host),
        ("GOOGLE_GEMINI_BASE_URL", "http://me:{}@" + host),
        ("WHOLE_URL", "http://me:{}@" + host + "/v1/chat/completions"),
        ("HTTPS_PROXY", "http://me:{}@127.0.0.1:9"),
    ):
        each = canary(name, chance, marks=False)
        canaries.append(each)
        variables[name] = pattern.format(quote(each.value, safe=""))
    return Planted(tuple(canaries), variables)


def blueprint(host: str) -> str:
    """A blueprint whose models, judge and service are at `host`, with keys in every place where they may stand."""
    own = f"http://${{URL_USER}}:${{URL_PASSWORD}}@{host}/v1/${{URL_PATH}}/chat/completions?key=${{URL_QUERY}}"
    own_headers = {
        "Authorization": "Bearer ${MODEL_TOKEN}",
        "X-Own": "${MODEL_CUSTOM_HEADER}",
        "X-Plain": "${PLAIN_NAME}",
    }
    bearer = {"Authorization": "Bearer ${MODEL_TOKEN}"}
    malformed = f"http://${{URL_USER}}:${{URL_PASSWORD}}@[{host}/v1?key=${{URL_QUERY}}"
    models = [
        _model("own:headers", f"http://{host}/v1/chat/completions", own_headers),
        _model("own:basic", own, {}),
        _model("own:whole", "${WHOLE_URL}", {}),
        _model("own:proxied", "https://nowhere.invalid/v1/chat/completions", bearer),
        _model("own:absent", own.replace(host, "127.0.0.1:9"), bearer),
        _model("own:malformed", malformed, {}),
        _model("own:unset", f"http://{host}/v1", {"Authorization": "Bearer ${MODEL_TOKEN} ${NEVER_SET}"}),
    ]
    services = {
        name: {"url": f"http://me:${{SERVICE_SECRET}}@{at}/score?key=${{SERVICE_QUERY}}", "max_retries": 0,
               "headers": {"X-Key": "${SERVICE_SECRET}"}, "timeout_ms": 2000}
        for name, at in (("facts", host), ("absent", "127.0.0.1:9"), ("malformed", f"[{host}"))
    }  # fmt: skip
    judges = {"llm-coverage": {"judges": [{"model": "own:headers", "approach": "standard", "id": "first"}]}}
    header = {"title": "Canaries", "models": models, "externalServices": services, "evaluationConfig": judges}
    calls = "".join(f"    - $call: {{service: {name}, claim: '{{response}}'}}\n" for name in services)
    points = "    - Says that it is\n    - $contains: it\n    - $matches: 'i[t]'\n"
    asked = f"- id: asked\n  prompt: Say it\n  ideal: It is.\n  should:\n{points}{calls}"
    prompts = f"{asked}- id: bare\n  prompt: Say more\n  ideal: It is more.\n"
    return f"{json.dumps(header)}\n---\n{prompts}"


def _model(id: str, url: str, headers: dict[str, str]) -> dict[str, object]:
    return {"id": id, "url": url, "modelName": "m", "inherit": "openai", "headers": headers}


@contextmanager
def environment(variables: dict[str, str], home: Path) -> Iterator[None]:
    """These variables and no other key in the environment, with an own home for what is written."""
    home_and_proxy = {"BLUEPRINT_STUDIO_HOME": str(home), "NO_PROXY": "127.0.0.1"}
    with patch.dict(os.environ, variables | home_and_proxy):
        yield


SHORTEST = 8
"""Characters of a canary that count as a leak."""
_PART = 4
_STEP = SHORTEST - _PART + 1
"""Of eight characters in a row anywhere, some four begin at a multiple of this: only these are looked at first."""
_LETTERS = string.ascii_letters + string.digits
_MARKS = "+/=&%<\"'"
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{11,}")
_SPLITTERS = re.compile(r"<[^<>]{0,400}>|\x1b\[[0-9;?]*[A-Za-z]|[\s│─┌┐└┘▏█–]+")
"""What may stand between two letters of a word on a screen: tags, escapes of colours, blanks and frames."""
_ESCAPES = re.compile(r"\\+(?:u00([0-9a-fA-F]{2})|x([0-9a-fA-F]{2})|(.))")


@dataclass(frozen=True, slots=True)
class Canary:
    """A key, and where it was planted. `text` is what is looked for: the value without its usual beginning."""

    place: str
    value: str
    text: str


def canary(place: str, chance: random.Random, *, marks: bool = True) -> Canary:
    """A new key; with `marks`, one with characters that URLs, JSON and HTML escape."""
    letters = [chance.choice(_LETTERS) for _ in range(40)]
    if marks:
        for mark in chance.sample(_MARKS, 3):
            letters.insert(chance.randrange(10, len(letters)), mark)
    text = "".join(letters)
    return Canary(place, f"sk-{text}", text)


@dataclass(frozen=True, slots=True)
class Leak:
    """A part of a canary that was found, and in what."""

    place: str
    found_in: str
    form: str
    part: str

    def __str__(self) -> str:
        return f"{self.place} in {self.found_in} ({self.form}): {self.part}"


def leaks(canaries: Iterable[Canary], data: bytes | str, found_in: str) -> list[Leak]:
    """Every canary of which `data` holds eight characters in a row, one leak each; by whatever encoding."""
    pieces, parts = _pieces(tuple(canaries))
    found: dict[str, Leak] = {}
    for form, text in _readings(data):
        for near in [at for at in range(0, len(text), _STEP) if text[at : at + _PART] in parts]:
            for at in range(max(near - _STEP + 1, 0), near + 1):
                owner = pieces.get(text[at : at + SHORTEST])
                if owner is not None and owner.place not in found:
                    found[owner.place] = Leak(owner.place, found_in, form, text[at : at + 2 * SHORTEST])
    return list(found.values())


@lru_cache(maxsize=8)
def _pieces(canaries: tuple[Canary, ...]) -> tuple[dict[str, Canary], frozenset[str]]:
    """All eight characters in a row of each canary, and the parts of them one of which begins at a `_STEP`."""
    pieces = {piece: each for each in canaries for piece in _pieces_of(each)}
    return pieces, frozenset(piece[at : at + _PART] for piece in pieces for at in range(_STEP))


def _pieces_of(each: Canary) -> Iterator[str]:
    for text in (each.text, "".join(letter for letter in each.text if letter in _LETTERS)):
        for way in (text, text[::-1]):
            yield from (way[at : at + SHORTEST] for at in range(len(way) - SHORTEST + 1))


def _readings(data: bytes | str) -> Iterator[tuple[str, str]]:
    """`data` as it can be read: as it is, and with each encoding undone."""
    text = data if isinstance(data, str) else data.decode("latin-1")
    yield "as it is", text
    yield "in UTF-16", text.replace("\0", "")
    yield from (
        ("in a URL", unquote(unquote(text.replace("+", " ")))),
        ("in HTML", html.unescape(html.unescape(text))),
        ("escaped", _unescaped(_unescaped(text))),
        ("split", _SPLITTERS.sub("", html.unescape(text))),
        ("hexadecimal", _from_hex(text)),
    )
    for encoded in _ENCODED.findall(text):
        plain = encoded.translate(str.maketrans("-_", "+/"))
        for skipped in range(4):
            usable = plain[skipped:]
            usable = usable[: len(usable) // 4 * 4]
            yield "in Base64", base64.b64decode(usable).decode("latin-1")


def _unescaped(text: str) -> str:
    return _ESCAPES.sub(lambda found: chr(int(found[1] or found[2], 16)) if found[1] or found[2] else found[3], text)


def _from_hex(text: str) -> str:
    return "\n".join(bytes.fromhex(found).decode("latin-1") for found in re.findall(r"(?:[0-9a-fA-F]{2}){8,}", text))


@dataclass(slots=True)
class Found:
    """What one kind of output had in it: how many were searched, of how many bytes, and the leaks."""

    what: str
    searched: int = 0
    size: int = 0
    leaks: list[Leak] = field(default_factory=list[Leak])

    def search(self, canaries: Iterable[Canary], data: bytes | str, found_in: str) -> None:
        """Look for the canaries in one output."""
        self.searched += 1
        self.size += len(data)
        self.leaks += leaks(canaries, data, found_in)

    @property
    def figure(self) -> Figure:
        """Met if there is no leak, and anything at all to search."""
        amount = f"in {self.searched:,} outputs of {self.size / 1000:,.0f} kB"
        shown = "".join(f"; {leak}" for leak in self.leaks[:10])
        result = f"{len(self.leaks)} leaks {amount}{shown}"
        return Figure(self.what, result, "0 leaks", not self.leaks and self.searched > 0)
