"""The families of phrases: each is a file with its page, its messages, its phrases and what is left alone."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from engine.blueprint import Block
from engine.rules.phrases.matcher import Phrase, Phrases, Sets, Words, read_phrases, words_in
from engine.text.diagnostics import Severity
from engine.text.record import Record, field

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
