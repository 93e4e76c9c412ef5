"""Completions at the cursor, from the registry of functions and the table of keys. No I/O.

The word and its place in the document decide, and what the table of keys expects there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import structs

from engine.completion.completion_candidates import (
    Candidate,
    Completions,
    Known,
    fitting,
    functions_for,
    key_written,
    names_for,
    values_for,
)
from engine.completion.enclosing_path import (
    ITEM,
    MARK,
    At,
    Notation,
    Place,
    Step,
    content_start,
    enclosing_in_json,
    enclosing_in_yaml,
    line_around,
)
from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.keys import KEYS, Key, Names, Part, Shape, find_key, names_read
from engine.yaml.pieces import list_items, sections, split_pieces

_MAX_LINE = 4000
"""Longer lines get no completions."""

_BRACKET = re.compile(r"[\s\ufeff]*[{\[]")
_JSON = re.compile(r"[\s\ufeff]*[{\[]\s*[\"{\[]")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_TAIL = re.compile(r"""(?:^|[\[{,:]\s+|[\[{,]|:(?=["']))(?P<quote>["']?)(?P<word>[$\w./:@+-]*)$""")
"""The end of a line that can be completed: its first word, or a word after a bracket, comma or colon."""

_COLON = re.compile(r"""["']?\s*:""")
_KEY_END = re.compile(r"[$\w-]*")
_NO_CONTENT = re.compile(r"(?:[ \t\r\n\ufeff]|#[^\n]*+|^---)*+", re.MULTILINE)
_VALUE_END = re.compile(r"[^\s,\[\]{}\"'#]*")


def cursor_context(text: str, offset: int) -> Place | None:
    """The place of the cursor at `offset` of `text`; None if nothing can be completed, as inside a sentence."""
    offset = min(max(offset, 0), len(text))
    if "\r" in text:
        text = _LONE_RETURN.sub("\n", text)
    start, end = line_around(text, offset)
    content = content_start(text, start, offset)
    tail = _TAIL.search(text[content:offset])
    if tail is None or end - start > _MAX_LINE or text.startswith(("#", "---", "%"), content):
        return None
    word, quote = tail["word"], tail["quote"]
    begin = offset - len(word) - len(quote)
    if word.endswith(":") or (begin == content and _is_before_text(word, text[offset:end])):
        return None
    piece = next((each for each in split_pieces(text, 0) if each.end >= offset), Span(0, 0))
    if _JSON.match(text) is not None:
        found = enclosing_in_json(text[:begin])
    else:
        above, below = _around(text, piece, Span(begin, end))
        mark, rest = _marked(text[offset:end], is_first=begin == content)
        found = enclosing_in_yaml(above, mark, rest + below)
    if found is None:
        return None
    is_name = found.at is At.KEY or (found.at is At.ITEM and not found.in_brackets)
    stop = (_KEY_END if is_name else _VALUE_END).match(text, offset, end)
    last = offset if stop is None else stop.end()
    return Place(
        *structs.astuple(found),
        is_first_document=_NO_CONTENT.fullmatch(text, 0, piece.start) is not None,
        word=word,
        span=Span(offset - len(word), last),
        quote=quote,
        rest=text[last:end],
        notation=Notation.JSON if _BRACKET.match(text) else Notation.FLOW if found.in_brackets else Notation.BLOCK,
        column=content - start,
    )


def _around(text: str, piece: Span, word: Span) -> tuple[str, str]:
    """The text of `piece` before and after `word`, without the other items of a list below a key of the root."""
    *_, section = (each for each in sections(text, piece) if each.start <= word.start)
    items = list_items(text, section)
    item = next((each for each in items[1:] if each.start <= word.start <= each.end), None)
    if item is None:
        return text[piece.start : word.start], text[word.end : piece.end]
    above = text[piece.start : items[0].end] + text[item.start : word.start]
    return above, text[word.end : max(word.end, item.end)] + text[section.end : piece.end]


def _is_before_text(word: str, rest: str) -> bool:
    """Whether the cursor is right before other text, or after a dash that does not begin a list item yet."""
    name = _KEY_END.match(rest)
    behind = rest if name is None else rest[name.end() :]
    return word.startswith("-") or (not word and behind[:1].isspace() and behind.strip() != "")


def _marked(rest: str, *, is_first: bool) -> tuple[str, str]:
    """The mark for a word, and the rest of its line; the mark is a key if the word `is_first` on its line."""
    if not is_first:
        return MARK, ""
    name = _KEY_END.match(rest)
    colon = _COLON.match(rest, 0 if name is None else name.end())
    return f"{MARK}: ", "" if colon is None else rest[colon.end() :]


_ONLY_PROMPT = names_read(Part.PROMPT) - names_read(Part.HEADER)
_ONLY_HEADER = names_read(Part.HEADER) - names_read(Part.PROMPT)

_ARGUMENTS: dict[tuple[Step, ...], Names] = {
    ("tool_called",): Names.TOOLS,
    ("tool_call_order", ITEM): Names.TOOLS,
    ("tool_call_count_between", ITEM): Names.TOOLS,
    ("tool_args_match", "name"): Names.TOOLS,
    ("ref",): Names.DEFINITIONS,
    ("call", "service"): Names.SERVICES,
}
"""The names that arguments of point functions take, by the path to them."""

_NO_NAMES = Known()
_SHORTHAND = frozenset(("user", "assistant", "system"))
_CRITERION_KEYS = frozenset(("point", "text"))
_CALL_KEYS = frozenset(("fn", "arg", "fnArgs"))


class Expected(Record):
    """The content that may be written at a place: keys of `parts`, the values of `key`, or one of `names`."""

    parts: tuple[Part, ...] = ()
    key: Key | None = None
    names: Names | None = None


_NOTHING = Expected()


def expected_at(place: Place) -> Expected:
    """The content expected at `place`; nothing in custom data or below an unknown key."""
    steps = tuple(place.path)
    if steps and steps[0] is ITEM:
        state, steps = Expected((Part.PROMPT,)), steps[1:]
    else:
        state = Expected(_document(place))
    for number, step in enumerate(steps):
        if isinstance(step, str) and step.startswith("$") and Part.POINT in state.parts:
            return _argument(step, steps[number + 1 :])
        state = _into(state, step)
    if place.at is At.KEY and not state.parts and state.key is not None:
        return _mapping_of(state.key)
    if place.at is At.VALUE:
        return Expected(key=state.key, names=None if state.key is None else state.key.names)
    return state


def _document(place: Place) -> tuple[Part, ...]:
    """The part that a document with a mapping may be: the header, a prompt, or either."""
    keys = place.root_keys | {step for step in place.path[:1] if isinstance(step, str)}
    if "prompts" in keys:
        return (Part.HEADER,)
    if keys & _ONLY_PROMPT:
        return (Part.PROMPT,)
    if keys & _ONLY_HEADER:
        return (Part.HEADER,)
    return (Part.HEADER, Part.PROMPT) if place.is_first_document else (Part.PROMPT,)


def _into(state: Expected, step: Step) -> Expected:
    if step is ITEM:
        if state.key is None or state.parts:
            return Expected((Part.POINT,)) if Part.POINT in state.parts else _NOTHING
        if state.key.shape not in (Shape.LIST, Shape.ANY):
            return _NOTHING
        parts = () if state.key.part is None else (state.key.part,)
        return Expected(parts, None if Part.POINT in parts else state.key, state.key.names)
    if not state.parts and state.key is not None:
        if state.key.named and state.key.part is not None:
            return Expected((state.key.part,))
        state = _mapping_of(state.key)
    found = next((key for part in state.parts if (key := find_key(part, step)) is not None), None)
    return Expected(key=found)


def _mapping_of(key: Key) -> Expected:
    """The mapping directly below `key`."""
    is_mapping = key.part is not None and not key.named
    is_list = key.shape is Shape.LIST and key.part is not Part.REFERENCE
    return Expected((key.part,)) if is_mapping and not is_list and key.part is not None else _NOTHING


def _argument(name: str, inner: tuple[Step, ...]) -> Expected:
    function = name.removeprefix("$").removeprefix("not_")
    return Expected(names=_ARGUMENTS.get((function, *inner)))


def complete(text: str, offset: int, known: Known = _NO_NAMES) -> Completions | None:
    """The completions at `offset` of `text`, which may be an unfinished blueprint; None if nothing fits.

    Reads only the document at the cursor, and of a list of prompts only one prompt. This takes about a millisecond in
    most files, and ten in a document of 10,000 lines. `offset` is clamped to the text. Raises nothing.
    """
    place = cursor_context(text, offset)
    if place is None:
        return None
    expected = expected_at(place)
    candidates = tuple(_candidates(place, expected, known))
    if not candidates:
        return None
    return Completions(place.span, place.word, candidates, _opens_itself(place, expected, text))


def _opens_itself(place: Place, expected: Expected, text: str) -> bool:
    """Whether the name of a function without an argument is being typed."""
    in_point = Part.POINT in expected.parts and place.word.startswith("$")
    in_fn = expected.names is Names.FUNCTIONS and place.word != ""
    return (in_point or in_fn) and not place.rest.lstrip("\"' ").startswith(":") and place.span.of(text) == place.word


def _candidates(place: Place, expected: Expected, known: Known) -> Iterator[Candidate]:
    if place.at is not At.VALUE and expected.parts and _may_be_key(place):
        yield from _keys(place, expected.parts)
        if Part.POINT in expected.parts:
            yield from _points(place)
    if place.at is At.KEY:
        return
    if expected.names is Names.FUNCTIONS:
        yield from functions_for(place.word, place, as_point=False)
    elif expected.names is not None:
        yield from names_for(expected.names, known, place)
    elif expected.key is not None and place.at is At.VALUE:
        yield from values_for(expected.key, place)


def _may_be_key(place: Place) -> bool:
    """Whether a key can be written here: in JSON only inside a mapping, in YAML only without quotes."""
    return not place.quote if place.notation is not Notation.JSON else place.at is At.KEY


def _points(place: Place) -> Iterator[Candidate]:
    """Functions, unless the point has another form already."""
    if not any(key.startswith("$") or key in _CRITERION_KEYS or key in _CALL_KEYS for key in place.siblings):
        yield from functions_for(place.word.removeprefix("$"), place, as_point=True)


def _keys(place: Place, parts: tuple[Part, ...]) -> Iterator[Candidate]:
    keys: dict[str, Key] = {}
    for part in parts:
        for key in KEYS[part]:
            if key.written and not _is_written(key, place) and _goes_with(part, key, place.siblings):
                keys.setdefault(key.name, key)
    for key in fitting(place.word, keys.values(), lambda each: each.name):
        yield Candidate(key.name, *key_written(key, place), key.summary, key.shape.value)


def _is_written(key: Key, place: Place) -> bool:
    """Whether the mapping has `key` already, under any of its names."""
    return not place.siblings.isdisjoint(key.read_as)


def _goes_with(part: Part, key: Key, siblings: frozenset[str]) -> bool:
    """Whether `key` has an effect beside its `siblings`."""
    match part:
        case Part.MESSAGE:
            if siblings & _SHORTHAND:
                return False
            return key.name not in _SHORTHAND if siblings & {"role", "content"} else True
        case Part.POINT:
            if any(name.startswith("$") for name in siblings):
                return key.name in ("weight", "citation")
            if siblings & _CALL_KEYS:
                return key.name not in _CRITERION_KEYS
            return key.name not in _CALL_KEYS if siblings & _CRITERION_KEYS else True
        case Part.PROMPT:
            return not (key.name == "prompt" and "messages" in siblings) and not (
                key.name == "messages" and siblings & {"prompt", "promptText"}
            )
        case _:
            return True
