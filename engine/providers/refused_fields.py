"""The fields of a request that a server refuses, from the body of its status 400 or 422.

Known shapes: OpenAI's `error.param` with `unsupported_parameter` or `unsupported_value`; FastAPI's and
Mistral's `detail[].loc` with a message that names no field; the same list as a string within a string (vLLM, LiteLLM);
OpenRouter's `error.metadata.raw`, which holds the error of the server behind it; Google's `fieldViolations`; and plain
sentences (Anthropic, xAI).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, cast

from engine.json_text import read_json

_DEEPEST = 12
_LONGEST_TEXT = 20_000
_REFUSED = re.compile(
    r"unsupported|not\s+(?:\w+\s+)?support|n't\s+support|no longer|deprecated|not\s+permitted|not\s+allowed"
    r"|not\s+enabled|not\s+available|not\s+accept|n't\s+accept|un(?:known|recogni[sz]ed|expected)"
    r"|not\s+recogni[sz]ed|forbidden|\bextra\b|cannot\s+(?:both\s+)?be\s+(?:both\s+)?(?:used|set|specified)|cannot\s+find\s+field"
    r"|invalid\s+(?:parameter|argument|field)|only\s+(?:the\s+default|be\s+set|\S+\s+is\s+(?:allowed|supported))"
    r"|must\s+be\s+(?:verified|unset|omitted)",
    re.I,
)
_OUT_OF_RANGE = re.compile(
    r"between|too\s+(?:large|high|big|small|low|long|short)|at\s+(?:most|least)|(?:less|greater|more|fewer)\s+than"
    r"|range|maximum|minimum|exceed",
    re.I,
)
"""Complaints about the value of a field that the server takes."""
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_CLAUSE_END = re.compile(r"[.;!?]\s+|\n(?!\s)")
_LOCATION = re.compile(r"""['"]loc['"]\s*:\s*[\[(]([^\])]{0,400})[\])]""")
_QUOTED = re.compile(r"""['"]([^'"]{1,60})['"]""")
_AFTER_LOCATION = 300
_NAMED_AS_SUCH = (
    r"""[`'"]{0}[`'"]|(?:parameters?|arguments?|fields?|keys?|inputs?|names?|options?):?\s+{0}\b|:\s*{0}\b"""
)


def refused_fields(body: str, sent: Collection[str]) -> frozenset[str]:
    """The names among `sent` that the server does not take. A value out of range does not count.

    `body` is untrusted and may be cut off. Names match in either spelling: `presencePenalty`, `presence_penalty`.
    """
    names = {_plain(name): name for name in sent}
    found = {name for fields, words in _complaints(body) for name in _named(fields, words, names)}
    return frozenset(found)


def parsed(text: str) -> Any:
    """The JSON object or list in a string, alone or after a few words; None without one."""
    for start in (0, min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=0)):
        try:
            data = read_json(text[start:])
        except ValueError:
            continue
        if isinstance(data, dict | list):
            return cast("Any", data)
    return None


def _complaints(body: Any, depth: int = 0) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each complaint in a body: the fields that it names in their own keys, and its text."""
    if depth > _DEEPEST:
        return
    match body:
        case str():
            inner = parsed(body)
            if inner is None:
                yield from _in_text(body[:_LONGEST_TEXT])
            else:
                yield from _complaints(inner, depth + 1)
        case dict():
            fields = cast("dict[str, Any]", body)
            if places := _places(fields):
                yield places, " ".join(value for value in fields.values() if isinstance(value, str))
            for value in fields.values():
                yield from _complaints(value, depth + 1)
        case list():
            for item in cast("list[Any]", body):
                yield from _complaints(item, depth + 1)
        case _:
            return


def _places(fields: dict[str, Any]) -> tuple[str, ...]:
    """The names under `param`, `loc` or `field`, with paths split into their parts."""
    location = fields.get("loc")
    found = (
        [part for part in cast("list[Any]", location) if isinstance(part, str)] if isinstance(location, list) else []
    )
    for key in ("param", "parameter", "field"):
        if isinstance(place := fields.get(key), str):
            found += _WORD.findall(place.replace(".", " "))
    return tuple(found)


def _in_text(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for place in _LOCATION.finditer(text):
        yield tuple(_QUOTED.findall(place[1])), text[place.end() : place.end() + _AFTER_LOCATION]
    for clause in _CLAUSE_END.split(text):
        yield (), clause


def _named(fields: tuple[str, ...], words: str, names: dict[str, str]) -> Iterator[str]:
    """The values of `names` (by plain spelling) that one complaint is about."""
    if not _REFUSED.search(words) or _OUT_OF_RANGE.search(words):
        return
    if placed := [names[plain] for plain in map(_plain, fields) if plain in names]:
        yield from placed
        return
    for word in set(_WORD.findall(words)):
        bare = word.rstrip(".").rpartition(".")[2]
        if (name := names.get(_plain(bare))) is not None and (_is_no_word(name) or _is_named_as_such(bare, words)):
            yield name


def _is_no_word(name: str) -> bool:
    """Whether a name cannot be an ordinary word of a sentence, as `stop` and `stream` can."""
    return "_" in name or name.lower() != name or name == "temperature"


def _is_named_as_such(word: str, words: str) -> bool:
    return re.search(_NAMED_AS_SUCH.format(re.escape(word)), words) is not None


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
