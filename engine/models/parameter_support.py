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
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from engine.files.own_files import Damaged, OwnFile, parse_json, state_dir
from engine.text.record import Record, replace

HOLDS_FOR = timedelta(days=30)
OTHER_NAME: Mapping[str, str] = MappingProxyType(
    {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
)
"""Fields that are sent under another name if they are refused."""

_FORMAT = 1
_LARGEST = 500_000
_MOST_MODELS = 500
_MOST_FIELDS = 16
_DIGEST = re.compile("[0-9a-f]{64}")
_FIELD = re.compile(r"[A-Za-z_]+(\.[A-Za-z_]+)?")


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


def support_of(key: str) -> ParameterSupport | None:
    """What is known of a model; None if it never answered, or not within `HOLDS_FOR`. Reads the file once."""
    return _memory().find(key)


def is_loaded() -> bool:
    """Whether `support_of` answers without reading a file."""
    return _memory().is_loaded


def remember(key: str, support: ParameterSupport) -> None:
    """Save what a model takes. Blocks; if the file cannot be written, it is known until the program ends."""
    _memory().save(key, support)


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


@dataclass(slots=True)
class _Memory:
    """The file and its content. Safe to use from several threads."""

    path: Path
    is_loaded: bool = False
    known: dict[str, tuple[ParameterSupport, date]] = field(default_factory=dict[str, tuple[ParameterSupport, date]])
    presumed: dict[str, ParameterSupport] = field(default_factory=dict[str, ParameterSupport])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, key: str) -> ParameterSupport | None:
        if not self.is_loaded:
            with self.lock:
                self.known = _read(self.path) | self.known
                self.is_loaded = True
        found = self.known.get(key)
        return None if found is None or not _holds(found[1]) else found[0]

    def save(self, key: str, support: ParameterSupport) -> None:
        with self.lock:
            self.known[key] = (support, _today())
            # Another studio may have written the file meanwhile.
            known = _read(self.path) | self.known
            self.known = dict(sorted(known.items(), key=lambda each: each[1][1])[-_MOST_MODELS:])
            try:
                _file(self.path).write(_written(self.known))
            except OSError:
                return


_memories: dict[Path, _Memory] = {}


def _memory() -> _Memory:
    path = state_dir() / "parameter-support.json"
    return _memories.setdefault(path, _Memory(path))


def _today() -> date:
    return datetime.now(UTC).date()


def _holds(day: date) -> bool:
    return timedelta(0) <= _today() - day <= HOLDS_FOR


def _written(known: Mapping[str, tuple[ParameterSupport, date]]) -> bytes:
    models = {
        key: {"dropped": sorted(support.dropped), "renamed": sorted(support.renamed), "day": day.isoformat()}
        for key, (support, day) in known.items()
    }
    return json.dumps({"format": _FORMAT, "models": models}, indent=1).encode()


def _file(path: Path) -> OwnFile[dict[str, tuple[ParameterSupport, date]]]:
    return OwnFile(path, parse_support, _LARGEST)


def _read(path: Path) -> dict[str, tuple[ParameterSupport, date]]:
    return _file(path).load() or {}


def parse_support(content: bytes) -> dict[str, tuple[ParameterSupport, date]]:
    """What a file says of each model, by key, with the day. Raises `Damaged`, `RecursionError`."""
    data = parse_json(content)
    match data:
        case {"format": 1, "models": dict()}:
            entries = cast("dict[str, Any]", data["models"])
        case _:
            raise Damaged("its form is unknown")
    read = {key: _entry(entry) for key, entry in list(entries.items())[-_MOST_MODELS:] if _DIGEST.fullmatch(key)}
    return {key: entry for key, entry in read.items() if entry is not None and _holds(entry[1])}


def _entry(data: Any) -> tuple[ParameterSupport, date] | None:
    match data:
        case {"dropped": list(), "renamed": list(), "day": str() as day}:
            names = _fields(cast("list[Any]", data["dropped"]))
            others = _fields(cast("list[Any]", data["renamed"])) & OTHER_NAME.keys()
        case _:
            return None
    try:
        return ParameterSupport(names - OTHER_NAME.keys(), others), date.fromisoformat(day)
    except ValueError:
        return None


def _fields(names: list[Any]) -> frozenset[str]:
    return frozenset(name for name in names[:_MOST_FIELDS] if isinstance(name, str) and _FIELD.fullmatch(name))


def _drop(body: dict[str, Any], path: str) -> None:
    outer, dot, inner = path.partition(".")
    if not dot:
        body.pop(path, None)
    elif isinstance(body.get(outer), dict):
        body[outer] = {name: value for name, value in body[outer].items() if name != inner}
