"""Where completion finds the cursor: laws over seeded places of the corpus, as they are and half typed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from engine.completion import Known, complete
from engine.parsing import parse
from engine.yaml.keys import KEYS
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode
from tests.checked_corpus import read
from tests.many_cases import every
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_shared

pytestmark = needs_shared

KNOWN = Known(definitions=("scoreBand",), tools=("search",), services=("checker",), collections=("HOUSING",))
OWN_DATA = {"context", "schema", "parameters", "headers", "point_defs", "externalServices", "parameterMapping"}
"""Keys whose values hold keys of the author's own."""

KNOWN_KEYS = {key.name for keys in KEYS.values() for key in keys if key.written} - {"id", "tags", "citation"}
"""Without those that files have where they mean nothing too: `id` and `citation` of a header, `tags` of a prompt."""

DASH = re.compile(r" *(?:- +)+")


class Place(NamedTuple):
    """A text with the cursor in it."""

    text: str
    offset: int


class Item(NamedTuple):
    """An item of a block list in a file: where its line begins, the dashes before it, and where its line ends."""

    text: str
    start: int
    dashes: str
    end: int

    def typed(self, word: str) -> Place:
        """The place behind `word`, which stands instead of the item."""
        start = self.start + len(self.dashes)
        return Place(self.text[:start] + word + self.text[self.end :], start + len(word))

    def typed_below(self, line: str, word: str) -> Place:
        """The place behind `word` in a new item, below one that is `line`."""
        above = f"{self.text[: self.start]}{self.dashes}{line}\n{self.dashes}{word}"
        return Place(above + self.text[self.end :], len(above))


def labels(place: Place) -> list[str]:
    found = complete(place.text, place.offset, KNOWN)
    return [] if found is None else [each.label for each in found.candidates]


def pairs(node: Node | None) -> Iterator[Pair]:
    """Every pair of block YAML in `node` that is not in the author's own data."""
    match node:
        case MappingNode(pairs=own, flow=False):
            for pair in own:
                yield pair
                if not (isinstance(pair.key, ScalarNode) and pair.key.text in OWN_DATA):
                    yield from pairs(pair.value)
        case SequenceNode(items=items, flow=False):
            for item in items:
                yield from pairs(item)
        case _:
            pass


@cache
def sound_texts() -> tuple[str, ...]:
    return tuple(read(path).text for path in one_in(6, corpus_files()) if read(path).tree.error is None)


def line_end(text: str, offset: int) -> int:
    return min(at for at in (text.find("\n", offset), text.find("\r", offset), len(text)) if at >= 0)


@cache
def keys() -> tuple[tuple[str, Pair], ...]:
    """Four known keys of each sound file."""
    chosen: list[tuple[str, Pair]] = []
    for text in sound_texts():
        known = [pair for document in parse(text).tree.documents for pair in pairs(document.root) if is_known(pair)]
        chosen += [(text, pair) for pair in random.Random(len(text)).sample(known, min(4, len(known)))]
    return tuple(chosen)


def is_known(pair: Pair) -> bool:
    return isinstance(pair.key, ScalarNode) and pair.key.text in KNOWN_KEYS


@cache
def points() -> tuple[Item, ...]:
    """Two items of `should` lists of each sound file."""
    chosen: list[Item] = []
    for text in sound_texts():
        blueprint = parse(text).blueprint
        spans = [point.span for prompt in blueprint.prompts for rubric in prompt.rubrics for point in rubric.points()]
        starts = sorted({text.rfind("\n", 0, span.start) + 1 for span in spans})
        items = [
            Item(text, start, dashes[0], line_end(text, start))
            for start in starts
            if (dashes := DASH.match(text, start)) is not None and is_one_line(text, start)
        ]
        chosen += random.Random(len(text)).sample(items, min(2, len(items)))
    return tuple(chosen)


def is_one_line(text: str, start: int) -> bool:
    """Whether the item of a list that begins on the line at `start` ends on it too."""
    end = line_end(text, start)
    below = re.match(r"\r?\n( *)(\S?)", text[end:])
    indent = len(text[start:]) - len(text[start:].lstrip(" "))
    return below is None or (below[2] != "" and len(below[1]) <= indent)


def test_there_are_places_to_hold_the_laws_at() -> None:
    assert (len(keys()) > tried(75, 500), len(points()) > tried(40, 250)) == (True, True)


@every("length", [0, 0.5, 1])
def test_a_key_that_is_typed_again_is_offered(length: float) -> None:
    missing = [
        (text[start:end], labels(Place(text, at))[:5])
        for text, pair in keys()
        for start, end in [(pair.key.span.start, pair.key.span.end)]
        if text[start:end] not in labels(Place(text, at := start + round((end - start) * length)))
    ]
    assert missing == []


def test_a_key_half_typed_is_offered_whatever_stands_below() -> None:
    missing = [
        (text[start:end], labels(Place(text[:at] + below, at))[:5])
        for text, pair in keys()
        for start, end in [(pair.key.span.start, pair.key.span.end)]
        for at in [(start + end + 1) // 2]
        for below in ("", text[line_end(text, at) :])
        if text[start:end] not in labels(Place(text[:at] + below, at))
    ]
    assert missing == []


@every(
    ("word", "label"),
    [
        ("$", "$contains"),
        ("$icont", "$icontains"),
        ("- $wcb", "$word_count_between"),
        ("poi", "point"),
        ("fn: icont", "icontains"),
        ("$ref: sc", "scoreBand"),
        ("$tool_called: ", "search"),
        ("{ $icont", "$icontains"),
        ("[{ fn: icont", "icontains"),
        ("$tool_call_order: [search, ", "search"),
    ],
)
def test_a_point_begun_in_any_way_is_completed(word: str, label: str) -> None:
    missing = [(item.dashes, word) for item in points() if label not in labels(item.typed(word))]
    assert missing == []


@every("broken", ['"never closed', "[never closed", "{ never: closed", "a: b: c", "* star", "&"])
def test_a_line_that_cannot_be_read_hides_nothing_from_those_below(broken: str) -> None:
    differing = [
        item.text[item.start : item.end]
        for item in points()
        if labels(item.typed_below(broken, "$icont")) != labels(item.typed("$icont"))
    ]
    assert differing == []


def test_nothing_is_offered_within_a_text() -> None:
    offered = [place for item in points() for place in [item.typed("It costs $icont")] if labels(place)]
    assert offered == []
