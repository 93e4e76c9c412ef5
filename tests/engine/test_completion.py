"""What can be written where the cursor stands: each context by name, and laws over places of the corpus."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Role
from engine.completion import Candidate, Completions, Known, complete
from engine.completion.completion_candidates import names_in
from engine.functions import ALL, PointFunction
from engine.parsing import parse
from engine.rules import check
from engine.text.spans import LineIndex
from engine.yaml.keys import KEYS, Part
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, SequenceNode
from tests.checked_corpus import read
from tests.engine.short_cases import assert_says
from tests.many_cases import every
from tests.pieces import pieces
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

MOST_SHOWN = 40
HEADER = "title: Deposits\n---\n"
PROMPT = f"{HEADER}- id: deposit\n  prompt: Must my landlord protect my deposit?\n"
POINTS = f"{PROMPT}  should:\n    - Names the scheme\n"
KNOWN = Known(
    definitions=("scoreBand",), tools=("calculator", "search"), services=("fact-checker",), collections=("HOUSING",)
)


def at(marked: str) -> Completions | None:
    """The completions at the mark ‸ of a text."""
    return complete(marked.replace("‸", ""), marked.index("‸"), KNOWN)


def labels(marked: str) -> list[str]:
    found = at(marked)
    return [] if found is None else [each.label for each in found.candidates]


def candidate(marked: str, label: str) -> Candidate:
    found = at(marked)
    assert found is not None
    return next(each for each in found.candidates if each.label == label)


def taken(marked: str, label: str) -> str:
    """The text after `label` was taken at the mark, the mark where the cursor then is."""
    text, found = marked.replace("‸", ""), at(marked)
    assert found is not None
    chosen = next(each for each in found.candidates if each.label == label)
    put = f"{chosen.text[: chosen.cursor]}‸{chosen.text[chosen.cursor :]}"
    return text[: found.span.start] + put + text[found.span.end :]


def offered(mark: str, marked: str) -> Iterator[str]:
    """What is offered at the mark ‸ of a text; of the candidate `mark`, the line after it was taken, and its words."""
    found = at(marked)
    if found is None:
        yield "nothing"
        return
    names = [each.label for each in found.candidates]
    more = f", and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    yield f"{'by itself: ' if found.opens_itself else ''}{', '.join(names[:MOST_SHOWN])}{more}"
    if mark:
        written, chosen = taken(marked, mark), candidate(marked, mark)
        before = marked[: found.span.start].count("\n")
        yield from (f"  {line}" for line in written.split("\n")[before : before + 1 + chosen.text.count("\n")])
        yield f"{chosen.argument}: {chosen.summary} {chosen.caution}".rstrip()


def test_what_is_offered_at_a_place(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("completion_cases.txt"), offered, pytestconfig)


# --- Point functions


def test_a_dollar_at_a_point_offers_every_documented_function() -> None:
    assert set(labels(f"{POINTS}    - $‸")) == {"$ref", *(f"${function.name}" for function in ALL)}


def test_a_long_list_still_knows_its_key() -> None:
    many = "".join(f"    - Names number {number} of the many\n" for number in range(250))
    assert labels(f"{POINTS}{many}    - $starts‸")[0] == "$starts_with"


def test_a_long_prompt_above_does_not_hide_what_is_written() -> None:
    prompt = "- id: long\n  prompt: |\n" + "    a line of data\n" * 2000
    assert labels(f"{HEADER}{prompt}  should:\n    - $starts‸")[0] == "$starts_with"
    assert "should" in labels(f"{HEADER}{prompt}  ‸")


# --- Keys


@every("part", [part for part in Part if part is not Part.FREE])
def test_every_key_says_in_a_sentence_what_it_is_for(part: Part) -> None:
    assert KEYS[part]
    assert all(key.summary.endswith(".") for key in KEYS[part])


def test_the_shorthand_of_messages_has_a_key_for_each_role() -> None:
    names = {name for key in KEYS[Part.MESSAGE] for name in key.read_as}
    assert {role.value for role in Role} | {"ai", "role", "content"} == names


# --- Values and names


@every("name", ["12", "true", "two words", "* star", "ends:"])
def test_a_name_that_yaml_would_read_otherwise_is_quoted(name: str) -> None:
    text = f"{POINTS}    - $tool_called: "
    found = complete(text, len(text), Known(tools=(name,)))
    assert found is not None
    assert found.candidates[0].text == f"'{name}'"


def test_the_header_tells_its_names() -> None:
    text = (
        "point_defs: {band: 'r.length'}\ntools: [{name: search}]\nexternalServices: {check: {url: 'https://x.org'}}\n"
        "models: [CORE]\nevaluationConfig: {llm-coverage: {judges: [{model: 'openai:gpt-4o', approach: holistic}]}}\n"
        "---\n- prompt: Why?\n"
    )
    assert names_in(parse(text).blueprint.header) == Known(
        definitions=("band",), tools=("search",), services=("check",), models=("CORE", "openai:gpt-4o")
    )


# --- JSON


def test_json_far_from_its_beginning_still_tells_a_point() -> None:
    many = ",\n".join(f'{{"id": "p{number}", "points": ["Names {number}"]}}' for number in range(400))
    marked = f'{{"prompts": [\n{many},\n{{"id": "last", "points": [\n{{"$starts‸'
    assert labels(marked)[0] == "$starts_with"


# --- Laws


@cache
def corpus() -> tuple[str, ...]:
    return tuple(path.read_bytes().decode("utf-8", "replace") for path in corpus_files())


def check_law(text: str, offset: int) -> None:
    found = complete(text, offset, KNOWN)
    if found is None:
        return
    lines = LineIndex(text)
    assert found.span.start <= offset <= found.span.end
    assert lines.position(found.span.start).line == lines.position(found.span.end).line == lines.position(offset).line
    assert found.candidates
    assert all(0 <= each.cursor <= len(each.text) for each in found.candidates)


@needs_corpus
@settings(deadline=None)
@given(st.data())
def test_at_any_place_of_a_file_cut_off_anywhere_the_span_touches_the_cursor(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(corpus()))
    end = data.draw(st.integers(0, len(text)))
    offset = data.draw(st.integers(max(0, end - 300), end))
    if not (0 < offset < end and text[offset - 1 : offset + 1] == "\r\n"):
        check_law(text[:end], offset)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(pieces("scraps of typing")), max_size=30).map("".join),
    st.integers(0, 120),
)
def test_in_any_scrap_the_span_touches_the_cursor(text: str, offset: int) -> None:
    check_law(text, min(offset, len(text)))


@every("function", ALL, ids=lambda function: function.name)
def test_every_function_taken_and_given_the_argument_of_its_example_is_a_sound_point(function: PointFunction) -> None:
    written = taken(f"{POINTS}    - ${function.name}‸", f"${function.name}")
    begun = written[: written.index(f"${function.name}:") + len(function.name) + 2]
    _, _, argument = function.example.partition(": ")
    found = {each.slug for each in check(parse(f"{begun} {argument}\n"))}
    assert found.isdisjoint({"unknown-function", "bad-arguments", "invalid-yaml"})


@every(
    "function",
    [each for each in ALL if "[n," not in each.argument and "low" not in each.argument],
    ids=lambda function: function.name,
)
def test_what_is_written_for_a_function_is_yaml_as_it_stands(function: PointFunction) -> None:
    written = taken(f"{POINTS}    - ${function.name}‸", f"${function.name}").replace("‸", "")
    parsed = parse(written)
    assert parsed.tree.error is None
    assert parsed.blueprint.prompts[0].rubrics[0].points()[-1].function is not None


# Where the cursor is found: seeded places of the corpus, as they are and half typed


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


def labels_at(place: Place) -> list[str]:
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


@needs_corpus
def test_there_are_places_to_hold_the_laws_at() -> None:
    assert (len(keys()) > tried(75, 500), len(points()) > tried(40, 250)) == (True, True)


@needs_corpus
@every("length", [0, 0.5, 1])
def test_a_key_that_is_typed_again_is_offered(length: float) -> None:
    missing = [
        (text[start:end], labels_at(Place(text, at))[:5])
        for text, pair in keys()
        for start, end in [(pair.key.span.start, pair.key.span.end)]
        if text[start:end] not in labels_at(Place(text, at := start + round((end - start) * length)))
    ]
    assert missing == []


@needs_corpus
def test_a_key_half_typed_is_offered_whatever_stands_below() -> None:
    missing = [
        (text[start:end], labels_at(Place(text[:at] + below, at))[:5])
        for text, pair in keys()
        for start, end in [(pair.key.span.start, pair.key.span.end)]
        for at in [(start + end + 1) // 2]
        for below in ("", text[line_end(text, at) :])
        if text[start:end] not in labels_at(Place(text[:at] + below, at))
    ]
    assert missing == []


@needs_corpus
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
    missing = [(item.dashes, word) for item in points() if label not in labels_at(item.typed(word))]
    assert missing == []


@needs_corpus
@every("broken", ['"never closed', "[never closed", "{ never: closed", "a: b: c", "* star", "&"])
def test_a_line_that_cannot_be_read_hides_nothing_from_those_below(broken: str) -> None:
    differing = [
        item.text[item.start : item.end]
        for item in points()
        if labels_at(item.typed_below(broken, "$icont")) != labels_at(item.typed("$icont"))
    ]
    assert differing == []


@needs_corpus
def test_nothing_is_offered_within_a_text() -> None:
    offered = [place for item in points() for place in [item.typed("It costs $icont")] if labels_at(place)]
    assert offered == []
