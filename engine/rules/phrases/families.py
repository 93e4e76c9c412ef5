r"""The families of phrases, each a file with its page, its messages and what is left alone, and how they are found.

A phrase is a row of slots, parted by blanks:

- `fee`: a word, in any case; `fee|price`: one of several; `pric*`: a word that begins so; `TODO`: in capitals only
- `?`, `:`, `[`: a sign, which is a word of its own; `\$` and `\^` where they mean no end and no start
- `<who>`: an entry of a set, of one or more slots; `<number>`, `<year>`, `<word>`, `<quoted>` (a text in quotation
  marks is one word and nothing in it is found)
- `the?`, `<who>?`: a slot that may be missing
- `~3`: up to three words, no sign; `...`: up to 200 words and signs
- `^` and `$`: the start and the end of the text, but for quotation marks, bullets and full stops
- `{may}`, `{is free} of`: what is reported; without braces it is the whole phrase
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from engine.blueprint import Block
from engine.text.diagnostics import Severity
from engine.text.record import Record, field, replace

MOST_CHARACTERS = 600
"""How much of a text is read: of 11,000 published criteria one in two hundred is longer."""
Sets: TypeAlias = Mapping[str, Sequence[str]]
"""The entries of each set by its name. An entry is a phrase without start and end."""

_TOKEN = re.compile(
    r"(?P<quoted>\"(?![{<\[])[^\"\n]*\"|“(?![{<\[])[^”]*”|‘[^’]*’(?!\w)|`[^`]+`|(?<!\w)'(?:[^'\n]|'(?=\w))*'(?!\w))"
    r"|\d+(?:[.,]\d+)*(?![^\W_])|[^\W_]+(?:['’‑_-][^\W_]+)*|_+|[^\w\s]"
)
_PLAIN = str.maketrans({"’": "'", "‑": "-"})
_QUOTED, _NUMBER = "“”", "<number>"
_QUICK = re.compile(r"\d+(?:[.,]\d+)*(?![^\W_])|[^\W_]+(?:['_-][^\W_]+)*|_+|[^\w\s]")
_DIGIT, _QUOTE = re.compile(r"\d"), re.compile("[\"'“‘`]")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_ANY_LENGTH = 200
_BEFORE, _AFTER = frozenset("\"'“*([•–—-"), frozenset(".!;…\"'”)]")
_COMMON = frozenset(
    {"a", "an", "and", "are", "as", "be", "for", "has", "if", "in", "is", "it", "no", "not", "of", "on", "or"}
    | {"that", "the", "this", "to", "was", "with", "(", ")", ",", ".", ":", "?", "]", ">", "-"}
)


class Words:
    """The words and signs of a text, which are read when a phrase may be in it: most texts have none.

    `known` has all of them in lower case, and more: by it phrases are left out.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        known = {*_QUICK.findall(text.translate(_PLAIN).lower())}
        if _DIGIT.search(text) is not None:
            known.add(_NUMBER)
        if _QUOTE.search(text) is not None:
            known.add(_QUOTED)
        self.known = frozenset(known)

    @cached_property
    def _found(self) -> list[tuple[str, int, int]]:
        found = _TOKEN.finditer(_unwrapped(self._text))
        return [(_QUOTED if each["quoted"] else each[0].translate(_PLAIN), *each.span()) for each in found]

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The words and signs."""
        return tuple([word for word, _, _ in self._found])

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """The words and signs in lower case."""
        return tuple([word.lower() for word in self.written])

    @cached_property
    def first(self) -> int:
        """The number of the first word but for signs before the whole."""
        return next((at for at, word in enumerate(self.lower) if word not in _BEFORE), len(self.lower))

    @cached_property
    def last(self) -> int:
        """The number behind the last word but for signs behind the whole."""
        words = self.lower
        return next((at for at in range(len(words), self.first, -1) if words[at - 1] not in _AFTER), self.first)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where the words from number `start` up to `end` stand in the text."""
        return self._found[start][1], self._found[end - 1][2]


@lru_cache(maxsize=4_000)
def words_in(text: str, most: int = MOST_CHARACTERS) -> Words:
    """The words and signs of the first `most` characters of `text`."""
    return Words(text[:most])


def _unwrapped(text: str) -> str:
    """`text` without the quotation marks around the whole of it; its places stay."""
    inner = text.strip()
    if len(inner) > 1 and (inner[0], inner[-1]) in (('"', '"'), ("“", "”")) and inner[0] not in inner[1:-1]:
        return text.replace(inner[0], " ", 1)[::-1].replace(inner[-1], " ", 1)[::-1]
    return text


_CLASSES: Mapping[str, tuple[Callable[[str], bool], frozenset[str]]] = {
    "number": (lambda word: word[0].isdigit(), frozenset({_NUMBER})),
    "year": (lambda word: _YEAR.fullmatch(word) is not None, frozenset({_NUMBER})),
    "word": (lambda word: word[0].isalnum(), frozenset()),
    "quoted": (lambda word: word == _QUOTED, frozenset({_QUOTED})),
}
"""Whether a word is of a class, and by what a text is known to hold one."""


class _Slot(Record):
    """One slot: one of `words`, a word with a stem, in capitals or of a class, one of `rows`, or up to `gap` words.

    `signs` are the words of which a text must have one; none if the slot may be missing, or be any word.
    """

    signs: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    stems: tuple[str, ...] = ()
    capitals: frozenset[str] = frozenset()
    is_of_class: Callable[[str], bool] | None = None
    rows: tuple[tuple[_Slot, ...], ...] = ()
    gap: int = 0
    over_signs: bool = False
    is_start: bool = False
    is_end: bool = False
    may_be_missing: bool = False
    opens: bool = False
    closes: bool = False

    def starts(self, text: Words) -> Iterable[int]:
        """The places where a phrase may begin whose first slot it is."""
        if self.is_start:
            return (0,)
        if self.signs and not self.rows and self.is_of_class is None:
            return (at for at in range(len(text.lower)) if text.lower[at] in self.signs)
        return range(len(text.lower))

    def ends(self, text: Words, at: int) -> Iterator[int]:
        """The places behind what fits the slot from the word number `at` on."""
        if self.is_start or self.is_end:
            if (at <= text.first) if self.is_start else at >= text.last:
                yield max(at, text.first) if self.is_start else at
        elif self.gap:
            yield from self._over_gap(text, at)
        else:
            if at < len(text.lower) and self._fits(text, at):
                yield at + 1
            for row in self.rows:
                yield from (end for end, _ in _found(row, text, at))
            if self.may_be_missing:
                yield at

    def _fits(self, text: Words, at: int) -> bool:
        word = text.lower[at]
        return (
            word in self.words
            or (bool(self.stems) and word.startswith(self.stems))
            or text.written[at] in self.capitals
            or (self.is_of_class is not None and self.is_of_class(word))
        )

    def _over_gap(self, text: Words, at: int) -> Iterator[int]:
        for end in range(at, min(at + self.gap, len(text.lower)) + 1):
            yield end
            word = text.lower[end] if end < len(text.lower) else ""
            if not self.over_signs and not (word[:1].isalnum() or word == _QUOTED):
                return


def _found(
    slots: Sequence[_Slot], text: Words, at: int, marks: tuple[int, int] = (-1, -1)
) -> Iterator[tuple[int, tuple[int, int]]]:
    """Where a row of slots that begins at `at` may end, with the bounds of what it marks."""
    if not slots:
        yield at, marks
        return
    slot = slots[0]
    for end in slot.ends(text, at):
        yield from _found(slots[1:], text, end, (at if slot.opens else marks[0], end if slot.closes else marks[1]))


class Phrase(Record):
    """The slots of a phrase, and the words of which a text must have one for each slot."""

    slots: tuple[_Slot, ...]
    signs: tuple[frozenset[str], ...]

    def may_be_in(self, text: Words) -> bool:
        """Whether a text has a word for each slot that needs one of a few."""
        return not any(signs.isdisjoint(text.known) for signs in self.signs)

    def places(self, text: Words) -> Iterator[tuple[int, int]]:
        """The places of the phrase in a text."""
        for at in self.slots[0].starts(text):
            found = next(_found(self.slots, text, at), None)
            if found is not None:
                end, (start, until) = found
                yield text.place(
                    *((text.first if self.slots[0].is_start else at, end) if start < 0 else (start, until))
                )


class Phrases:
    """Phrases, and an index by which few of them are looked for in a text."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._phrases = phrases
        self._index: dict[str, list[int]] = {}
        for number, phrase in enumerate(phrases):
            for word in phrase.signs[0]:  # the rarest slot
                self._index.setdefault(word, []).append(number)

    def found(self, words: Words) -> Iterator[tuple[int, tuple[int, int]]]:
        """The numbers and the places of all phrases in a text, in the order of the phrases."""
        keys = words.known & self._index.keys()
        for number in sorted({number for word in keys for number in self._index[word]}) if keys else ():
            phrase = self._phrases[number]
            if phrase.may_be_in(words):
                yield from ((number, place) for place in phrase.places(words))

    def are_in(self, words: Words) -> bool:
        """Whether a text holds one of the phrases."""
        return next(self.found(words), None) is not None

    def may_be_in(self, text: str) -> bool:
        """Whether a text may hold one of the phrases, asked before its words are read: for long texts."""
        lower = text.lower()
        return any(sign in lower for sign in self._index)


def read_phrases(phrases: Iterable[str], sets: Sets) -> tuple[Phrase, ...]:
    """The phrases as they are looked for.

    Raises `ValueError` for a phrase that has no word by which to look for it, and for an unknown set.
    """
    reader = _Reader(sets)
    return tuple(map(reader.phrase, phrases))


class _Reader:
    """Reads phrases, each slot once."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets
        self._known: dict[str, _Slot] = {}

    def phrase(self, written: str) -> Phrase:
        slots = self._row(written)
        signs = tuple(sorted((slot.signs for slot in slots if slot.signs), key=_commonness))
        if not signs:
            raise ValueError(f"no word by which to look for the phrase “{written}”")
        return Phrase(slots, signs)

    def _row(self, phrase: str) -> tuple[_Slot, ...]:
        return tuple(map(self._slot, phrase.split()))

    def _slot(self, written: str) -> _Slot:
        known = self._known.get(written)
        if known is None:
            known = self._known[written] = self._read(written)
        return known

    def _read(self, written: str) -> _Slot:
        opens = written[0] == "{" and written[1:2] not in ("", "|")
        closes = written[-1] == "}" and written[-2:-1] not in ("", "|")
        if opens or closes:
            return replace(self._slot(written[opens : len(written) - closes]), opens=opens, closes=closes)
        if written in ("^", "$"):
            return _Slot(is_start=written == "^", is_end=written == "$")
        if written == "..." or (written[0] == "~" and written[1:].isdigit()):
            return _Slot(gap=_ANY_LENGTH if written == "..." else int(written[1:]), over_signs=written == "...")
        if written[-1] == "?" and len(written) > 1:
            return replace(self._slot(written[:-1]), may_be_missing=True, signs=frozenset[str]())
        if written[0] == "<" and written[-1] == ">" and len(written) > 1:
            return self._of_set(written[1:-1])
        words = [word[1:] if word[0] == "\\" and len(word) > 1 else word for word in written.split("|")]
        stems = tuple(word[:-1].lower() for word in words if word[-1] == "*" and len(word) > 1)
        capitals = frozenset(word for word in words if len(word) > 1 and word.isupper())
        plain = frozenset(words) - capitals - {f"{stem}*" for stem in stems}
        signs = frozenset(word.lower() for word in words) if not stems else frozenset[str]()
        return _Slot(signs=signs, words=plain, stems=stems, capitals=capitals)

    def _of_set(self, name: str) -> _Slot:
        if name in _CLASSES:
            is_of_class, signs = _CLASSES[name]
            return _Slot(signs=signs, is_of_class=is_of_class)
        if name not in self._sets:
            raise ValueError(f"there is no set “{name}”")
        rows = tuple(self._row(entry) for entry in self._sets[name])
        single = [row[0] for row in rows if len(row) == 1 and row[0].words and not row[0].may_be_missing]
        words = frozenset[str]().union(*(slot.words for slot in single))
        of_rows = [min((slot.signs for slot in row if slot.signs), key=_commonness, default=None) for row in rows]
        signs = frozenset[str]().union(*(each for each in of_rows if each is not None))
        return _Slot(signs=frozenset() if None in of_rows else signs, words=words, rows=tuple(filter(_is_longer, rows)))


def _is_longer(row: Sequence[_Slot]) -> bool:
    """Whether a row is more than some words of which one stands there."""
    slot = row[0]
    return len(row) > 1 or bool(slot.rows or slot.stems or slot.capitals) or not slot.words or slot.may_be_missing


def _commonness(signs: frozenset[str]) -> tuple[bool, int]:
    return not signs.isdisjoint(_COMMON), len(signs)


_MOST_ASKED = 8_000
"""How many characters of a conversation are read."""


class KindRow(Record, rename="kebab", forbid_unknown_fields=True, kw_only=True):
    """Phrases with one message.

    `message` and `why` may hold `{words}` (the reported words), `{text}` (the whole text), `{points}` (what the point
    is worth) and `{more}` (how often it is so). Nothing is reported of a text that holds a phrase of `unless`, of a
    prompt that holds one of `unless_asked`, nor if the next point holds one of `unless_next`. `fix` is a title, and
    what is written in the place of the reported words.
    """

    name: str = ""
    message: str
    why: str = ""
    level: Severity | None = None
    phrases: tuple[str, ...]
    unless: tuple[str, ...] = ()
    unless_asked: tuple[str, ...] = ()
    unless_next: tuple[str, ...] = ()
    fix: tuple[str, str] | None = None


class FamilyRow(Record, rename="kebab", forbid_unknown_fields=True, kw_only=True):
    """A file: what the rule says of itself, and its kinds.

    `block` is where its texts stand, None for both. `together` says what one report is about: a point, or all points of
    a file with one text, with the same words, or with one message. Points with a citation are left alone unless
    `cited`, those of paths unless `in_paths`.
    """

    code: str
    slug: str
    level: Severity
    why: str
    block: Block | None = None
    together: Literal["point", "text", "words", "file"] = "point"
    cited: bool = True
    in_paths: bool = True
    page: str
    sets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unless: tuple[str, ...] = ()
    kinds: tuple[KindRow, ...]


class Kind:
    """The phrases of one message, which are read at the first text."""

    def __init__(self, row: KindRow, sets: Sets, unless: tuple[str, ...]) -> None:
        self.row = row
        self._sets = sets
        self._unless = (*row.unless, *unless)
        self._read: dict[tuple[str, ...], Phrases] = {}

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """The phrases."""
        return read_phrases(self.row.phrases, self._sets)

    def is_refused(self, words: Words) -> bool:
        """Whether a text is left alone for a phrase of `unless`."""
        return self._holds(self._unless, words)

    def is_settled(self, asked: Callable[[], str], following: str) -> bool:
        """Whether the conversation or the next point says what makes the text a good one."""
        if self.row.unless_asked and self._holds(self.row.unless_asked, words_in(asked(), _MOST_ASKED)):
            return True
        return self._holds(self.row.unless_next, words_in(following))

    def _holds(self, written: tuple[str, ...], words: Words) -> bool:
        """Whether a text holds one of some phrases, which are read when they are first looked for."""
        if written not in self._read:
            self._read[written] = Phrases(read_phrases(written, self._sets))
        return self._read[written].are_in(words)


class Family:
    """One family: its row and its kinds."""

    def __init__(self, row: FamilyRow, sets: Sets) -> None:
        self.row = row
        self.kinds = tuple(Kind(kind, {**sets, **row.sets}, row.unless) for kind in row.kinds)


class Found(Record):
    """Words of a family in a text."""

    kind: Kind
    start: int
    end: int

    def words_of(self, text: str) -> str:
        """The words, on one line."""
        return " ".join(text[self.start : self.end].split())


_FOLDER = Path(__file__).parent
OF_PROMPTS: Final = "unfilled-placeholder"
"""The family that is looked for in prompts too, and by its own rule."""
_NOTHING: Mapping[str, Found] = {}


@cache
def family(slug: str) -> Family:
    """The family whose file has this name."""
    return Family(msgspec.convert(tomllib.loads(_text(slug)), FamilyRow), _sets())


@cache
def family_slugs() -> tuple[str, ...]:
    """The names of all families."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml") if path.name != "sets.toml"))


@cache
def _sets() -> dict[str, tuple[str, ...]]:
    """The sets that all families share."""
    return {name: tuple(entries) for name, entries in tomllib.loads(_text("sets")).items()}


def _text(name: str) -> str:
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


@cache
def _prompt_phrases(slug: str) -> Sequence[tuple[Kind, Phrases]]:
    return tuple((kind, Phrases(kind.phrases)) for kind in family(slug).kinds)


@lru_cache(maxsize=8_000)
def places_of(slug: str, text: str, most: int) -> tuple[tuple[int, int], ...]:
    """All places where a family is found in the first `most` characters of a text, in their order."""
    found: set[tuple[int, int]] = set()
    for kind, phrases in _prompt_phrases(slug):
        if phrases.may_be_in(text):
            words = words_in(text, most)
            places = {place for _, place in phrases.found(words)}
            found |= places if places and not kind.is_refused(words) else set()
    ordered = sorted(found)
    return tuple(place for number, place in enumerate(ordered) if not number or place[0] >= ordered[number - 1][1])


@cache
def _of_points() -> tuple[Phrases, Sequence[tuple[str, Kind]]]:
    """The phrases of all families of points, and the family and the kind of each."""
    slugs = [slug for slug in family_slugs() if slug != OF_PROMPTS]
    owned = [(phrase, slug, kind) for slug in slugs for kind in family(slug).kinds for phrase in kind.phrases]
    return Phrases([phrase for phrase, _, _ in owned]), [(slug, kind) for _, slug, kind in owned]


@lru_cache(maxsize=50_000)
def found_in(text: str) -> Mapping[str, Found]:
    """What the text of a point holds, by the family: a file may have thousands, and is checked at every keystroke."""
    phrases, owners = _of_points()
    words = words_in(text)
    found: dict[str, Found] = {}
    refused: set[Kind] = set()
    for number, place in phrases.found(words):
        slug, kind = owners[number]
        if slug in found or kind in refused:
            continue
        if kind.is_refused(words):
            refused.add(kind)
        else:
            found[slug] = Found(kind, *place)
    return found or _NOTHING
