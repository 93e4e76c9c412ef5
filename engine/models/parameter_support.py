"""The fields of a request that a model does not take, learned from its server and saved across sessions.

A refusal is saved once the request was answered without the refused field. The file is a small one beside the journals;
an entry expires after a month, as servers change. It holds no address and no key: a model is identified by a digest.
Its content is not trusted: what is not understood is skipped, and only fields that the wire format can omit
(`Wire.adaptable`) are ever left out.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, ValidationError, convert, to_builtins

from engine.files.own_files import OwnFile, parse_as, state_dir
from engine.text.record import Record, replace

HOLDS_FOR = timedelta(days=30)
OTHER_NAME: Mapping[str, str] = MappingProxyType(
    {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
)
"""Fields that are sent under another name if they are refused."""

_LARGEST = 500_000
_MOST_MODELS = 500
_DIGEST = re.compile("[0-9a-f]{64}")
_Field: TypeAlias = Annotated[str, Meta(pattern=r"\A[A-Za-z_]+(\.[A-Za-z_]+)?\Z")]
_Fields: TypeAlias = Annotated[frozenset[_Field], Meta(max_length=16)]


class ParameterSupport(Record):
    """What a model does not take: `dropped` fields are not sent, `renamed` ones are sent under their `OTHER_NAME`."""

    dropped: frozenset[str] = frozenset()
    renamed: frozenset[str] = frozenset()

    def without(self, name: str) -> ParameterSupport:
        """The support after `name` was refused: it is sent under its other name, or dropped."""
        if name not in OTHER_NAME:
            return replace(self, dropped=self.dropped | {name})
        if OTHER_NAME[name] in self.renamed:
            return replace(self, renamed=self.renamed - {OTHER_NAME[name]})
        return replace(self, renamed=self.renamed | {name})

    def joined(self, other: ParameterSupport, refused: frozenset[str]) -> ParameterSupport:
        """Both combined; for `refused` fields, under either name, this one decides."""
        renamed = {name for name in other.renamed if name not in refused and OTHER_NAME[name] not in refused}
        return ParameterSupport(self.dropped | other.dropped, self.renamed | renamed)

    def applied(self, body: Mapping[str, Any], adaptable: Mapping[str, Any]) -> dict[str, Any]:
        """`body` without what the model does not take. Only `adaptable` fields change; a dot separates nested names."""
        adapted = dict(body)
        for path in sorted(self.dropped & adaptable.keys()):
            _drop(adapted, path)
        for name in self.renamed & adaptable.keys() & adapted.keys():
            adapted[OTHER_NAME[name]] = adapted.pop(name)
        return adapted


TAKES_ALL = ParameterSupport()


def model_key(place: str, model: str) -> str:
    """The key of a model at a place; `place` is any string that identifies the server."""
    return hashlib.sha256(json.dumps([place, model]).encode()).hexdigest()


class _Entry(Record):
    """What the file says of a model, and the day of it."""

    dropped: _Fields
    renamed: _Fields
    day: date

    @property
    def support(self) -> ParameterSupport | None:
        """What the model does not take; None once that is too old."""
        if not timedelta(0) <= _today() - self.day <= HOLDS_FOR:
            return None
        return ParameterSupport(self.dropped - OTHER_NAME.keys(), self.renamed & OTHER_NAME.keys())


class _Saved(Record):
    format: Literal[1]
    models: dict[str, Any]


@dataclass(slots=True)
class _Memory:
    """The file and its content. Safe to use from several threads."""

    file: OwnFile[dict[str, _Entry]]
    is_loaded: bool = False
    known: dict[str, _Entry] = field(default_factory=dict[str, _Entry])
    presumed: dict[str, ParameterSupport] = field(default_factory=dict[str, ParameterSupport])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, key: str) -> ParameterSupport | None:
        if not self.is_loaded:
            with self.lock:
                self.known = (self.file.load() or {}) | self.known
                self.is_loaded = True
        return self.known[key].support if key in self.known else None


_memories: dict[Path, _Memory] = {}


def _memory() -> _Memory:
    path = state_dir() / "parameter-support.json"
    return _memories.setdefault(path, _Memory(OwnFile(path, parse_support, _LARGEST)))


def support_of(key: str) -> ParameterSupport | None:
    """What is known of a model; None if it never answered, or not within `HOLDS_FOR`. Reads the file once."""
    return _memory().find(key)


def is_loaded() -> bool:
    """Whether `support_of` answers without reading a file."""
    return _memory().is_loaded


def remember(key: str, support: ParameterSupport) -> None:
    """Save what a model takes. Blocks; if the file cannot be written, it is known until the program ends."""
    memory = _memory()
    with memory.lock:
        memory.known[key] = _Entry(support.dropped, support.renamed, _today())
        # Another studio may have written the file meanwhile.
        known = (memory.file.load() or {}) | memory.known
        memory.known = dict(sorted(known.items(), key=lambda each: each[1].day)[-_MOST_MODELS:])
        with suppress(OSError):
            memory.file.write(json.dumps(to_builtins(_Saved(1, memory.known), order="sorted"), indent=1).encode())


def presume(key: str, support: ParameterSupport | None) -> None:
    """Tell parallel requests to the same model what it has just refused; None takes that back.

    Nothing is saved until an answer came without the refused fields.
    """
    if support is None:
        _memory().presumed.pop(key, None)
    else:
        _memory().presumed[key] = support


def presumed_of(key: str) -> ParameterSupport:
    """The support to assume now: what is known of a model, else what is presumed, else that it takes everything."""
    return support_of(key) or _memory().presumed.get(key, TAKES_ALL)


def _today() -> date:
    return datetime.now(UTC).date()


def parse_support(content: bytes) -> dict[str, _Entry]:
    """What a file says of each model, by key. Raises `Damaged`, `RecursionError`."""
    written = parse_as(_Saved, content, "its form is unknown").models
    found: dict[str, _Entry] = {}
    for key, entry in list(written.items())[-_MOST_MODELS:]:
        with suppress(ValidationError):
            if _DIGEST.fullmatch(key) and (read := convert(entry, _Entry)).support is not None:
                found[key] = read
    return found


def _drop(body: dict[str, Any], path: str) -> None:
    outer, dot, inner = path.partition(".")
    if not dot:
        body.pop(path, None)
    elif isinstance(body.get(outer), dict):
        body[outer] = {name: value for name, value in body[outer].items() if name != inner}
