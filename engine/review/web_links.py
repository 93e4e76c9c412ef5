"""The web addresses that a blueprint cites: in descriptions, references and citations, not in what models are asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.blueprint import Blueprint
from engine.record import Record
from engine.yaml_nodes.nodes import Data

_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\|^{}]+", re.IGNORECASE)
_AFTER = ".,;:!?*_~…"
_HEADER_FIELDS = ("description", "author", "references", "reference", "citations", "citation")


class WebLink(Record):
    """One address, its host with the port if it is not the default, and where it is cited: `header`, or prompt ids."""

    url: str
    host: str
    cited_in: tuple[str, ...]


def web_links(blueprint: Blueprint) -> tuple[WebLink, ...]:
    """The addresses that `blueprint` cites, each once, in the order of the file."""
    found: dict[str, list[str]] = {}
    for where, text in _cited(blueprint):
        for match in _ADDRESS.finditer(text):
            url = _trimmed(match[0])
            places = found.setdefault(url, [])
            if where not in places:
                places.append(where)
    return tuple(WebLink(url, _host(url), tuple(places)) for url, places in found.items() if _host(url))


def _cited(blueprint: Blueprint) -> Iterator[tuple[str, str]]:
    for name in _HEADER_FIELDS:
        for text in _texts(blueprint.header.fields.get(name)):
            yield "header", text
    for prompt in blueprint.prompts:
        for data in (prompt.description, prompt.citation, *(point.citation for point in prompt.points())):
            for text in _texts(data):
                yield prompt.id, text


def _texts(data: Data) -> Iterator[str]:
    match data:
        case str():
            yield data
        case list():
            for each in data:
                yield from _texts(each)
        case dict():
            for each in data.values():
                yield from _texts(each)
        case _:
            pass


def _trimmed(url: str) -> str:
    """`url` without the punctuation of the sentence around it; a closing bracket stays if it was opened within."""
    while True:
        url = url.rstrip(_AFTER)
        for opened, closed in (("(", ")"), ("[", "]")):
            if url.endswith(closed) and url.count(closed) > url.count(opened):
                url = url[:-1]
                break
        else:
            return url


def _host(url: str) -> str:
    """The host of `url` in lower case, "" if it has none."""
    rest = url.partition("://")[2]
    return re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].lower()
