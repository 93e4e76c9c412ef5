r"""The families of phrases, each a file with its page, its messages and what is left alone, and the rule of each.

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
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from engine.blueprint import Block, Point, Prompt
from engine.rules.checks import is_negated, sent_text
from engine.rules.rule import FileView, OnFile, OnPrompt, PromptView, Report, Rule, grouped, rule_of
from engine.scoring.explanation import points_of_100, shares_of
from engine.text import Fix, Record, Related, Severity, Span, TextEdit, in_quotes
from engine.text.record import field

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
_ANY_LENGTH = 200
_BEFORE, _AFTER = "\"'“*([•–—-", ".!;…\"'”)]"

_COMMON_WORDS = "a an and are as be for has if in is it no not of on or that the this to was with ( ) , . : ? ] > -"
_COMMON = frozenset(_COMMON_WORDS.split())


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
    def lines(self) -> str:
        """The words and signs, a line each: what the patterns of phrases are looked for in."""
        return "".join([f"{word}\n" for word, _, _ in self._found])

    def place(self, found: re.Match[str]) -> tuple[int, int]:
        """Where the marked lines of a phrase stand in the text."""
        start, end = (self.lines.count("\n", 0, at) for at in found.span("marked"))
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


_CLASSES = {
    "number": (r"\d[^\n]*\n", frozenset({_NUMBER})),
    "year": (r"(?:1[5-9]|20)\d\d\n", frozenset({_NUMBER})),
    "word": (r"[^\W_][^\n]*\n", frozenset[str]()),
    "quoted": (f"{_QUOTED}\\n", frozenset({_QUOTED})),
}
"""The pattern of a word of each class, and by what a text is known to hold one."""
_START = rf"\A(?:[{re.escape(_BEFORE)}]\n)*+"
_END = rf"(?=(?:[{re.escape(_AFTER)}]\n)*\Z)"


class _Slot(NamedTuple):
    """The pattern of a slot, and the words of which a text must have one; none if it may be missing, or be any."""

    pattern: str
    signs: frozenset[str] = frozenset()


class Phrase:
    """A phrase as it is looked for, with the words of which a text must have one for each slot."""

    def __init__(self, pattern: str, signs: tuple[frozenset[str], ...]) -> None:
        self._pattern = pattern
        self.signs = signs

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(rf"^(?={self._pattern})", re.IGNORECASE | re.MULTILINE)

    def places(self, text: Words) -> Iterator[tuple[int, int]]:
        """The places of the phrase in a text."""
        if not any(signs.isdisjoint(text.known) for signs in self.signs):
            yield from map(text.place, self._regex.finditer(text.lines))


class Phrases:
    """Phrases, and an index by which few of them are looked for in a text."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._phrases = phrases
        rarest = ((phrase.signs[0], number) for number, phrase in enumerate(phrases))
        self._index = grouped((word, number) for words, number in rarest for word in words)

    def found(self, words: Words) -> Iterator[tuple[int, tuple[int, int]]]:
        """The numbers and the places of all phrases in a text, in the order of the phrases."""
        keys = words.known & self._index.keys()
        for number in sorted({number for word in keys for number in self._index[word]}) if keys else ():
            yield from ((number, place) for place in self._phrases[number].places(words))

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
        opening, *slots = [*map(self._slot, written.split())] if written[0] == "^" else [_Slot(""), *self._row(written)]
        signs = tuple(sorted((slot.signs for slot in slots if slot.signs), key=_commonness))
        if not signs:
            raise ValueError(f"no word by which to look for the phrase “{written}”")
        whole = "".join(slot.pattern for slot in slots)
        return Phrase(opening.pattern + (whole if "(?P<marked>" in whole else f"(?P<marked>{whole})"), signs)

    def _row(self, phrase: str) -> list[_Slot]:
        return [*map(self._slot, phrase.split())]

    def _slot(self, written: str) -> _Slot:
        known = self._known.get(written)
        if known is None:
            known = self._known[written] = self._read(written)
        return known

    def _read(self, written: str) -> _Slot:
        opens = written[0] == "{" and written[1:2] not in ("", "|")
        closes = written[-1] == "}" and written[-2:-1] not in ("", "|")
        if opens or closes:
            slot = self._slot(written[opens : len(written) - closes])
            return _Slot("(?P<marked>" * opens + slot.pattern + ")" * closes, slot.signs)
        if written in ("^", "$"):
            return _Slot(_START if written == "^" else _END)
        if written == "...":
            return _Slot(rf"(?:[^\n]*\n){{0,{_ANY_LENGTH}}}?")
        if written[0] == "~" and written[1:].isdigit():
            return _Slot(rf"(?:(?:[^\W_][^\n]*|{_QUOTED})\n){{0,{written[1:]}}}?")
        if written[-1] == "?" and len(written) > 1:
            return _Slot(f"(?:{self._slot(written[:-1]).pattern})?")
        if written[0] == "<" and written[-1] == ">" and len(written) > 1:
            return self._of_set(written[1:-1])
        words = [word[1:] if word[0] == "\\" and len(word) > 1 else word for word in written.split("|")]
        has_stems = any(word[-1] == "*" and len(word) > 1 for word in words)
        signs = frozenset[str]() if has_stems else frozenset(word.lower() for word in words)
        return _Slot(rf"(?:{'|'.join(map(_pattern, words))})\n", signs)

    def _of_set(self, name: str) -> _Slot:
        if name in _CLASSES:
            return _Slot(*_CLASSES[name])
        if name not in self._sets:
            raise ValueError(f"there is no set “{name}”")
        rows = [self._row(entry) for entry in sorted(self._sets[name], key=_is_longer)]
        signs = [min((slot.signs for slot in row if slot.signs), key=_commonness, default=None) for row in rows]
        known = [each for each in signs if each is not None]
        patterns = ("".join(slot.pattern for slot in row) for row in rows)
        return _Slot(
            f"(?:{'|'.join(patterns)})", frozenset[str]().union(*known) if len(known) == len(rows) else frozenset()
        )


def _pattern(word: str) -> str:
    """The pattern of a word of a slot, of one with a stem, or of one in capitals."""
    if len(word) > 1 and word[-1] == "*":
        return rf"{re.escape(word[:-1])}[^\n]*"
    return f"(?-i:{re.escape(word)})" if word.isupper() else re.escape(word)


def _is_longer(entry: str) -> bool:
    """Whether an entry is more than some words of which one stands there."""
    return " " in entry or entry[-1] in "?>"


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


class Family(NamedTuple):
    """One family: its row and its kinds."""

    row: FamilyRow
    kinds: tuple[Kind, ...]


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
    row = msgspec.convert(tomllib.loads(_text(slug)), FamilyRow)
    return Family(row, tuple(Kind(kind, {**_sets(), **row.sets}, row.unless) for kind in row.kinds))


@cache
def family_slugs() -> tuple[str, ...]:
    """The names of all families."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml") if path.stem not in ("sets", "signs")))


@cache
def _sets() -> dict[str, tuple[str, ...]]:
    """The sets that all families share."""
    return {name: tuple(entries) for name, entries in tomllib.loads(_text("sets")).items()}


def _text(name: str) -> str:
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


@cache
def _phrases_of(*slugs: str) -> tuple[Phrases, Sequence[tuple[str, Kind]]]:
    """The phrases of some families, and the family and the kind of each."""
    owned = [(phrase, slug, kind) for slug in slugs for kind in family(slug).kinds for phrase in kind.phrases]
    return Phrases([phrase for phrase, _, _ in owned]), [(slug, kind) for _, slug, kind in owned]


def says(sign: str, text: str) -> bool:
    """Whether a text holds a sign, one of those in `signs.toml`."""
    return next(signs_in(sign, text), None) is not None


def signs_in(sign: str, text: str) -> Iterator[tuple[int, int]]:
    """The places of a sign in a text; none if the text is left alone."""
    words = words_in(text, MOST_CHARACTERS if len(text) <= MOST_CHARACTERS else _MOST_ASKED)
    for phrases, unless in _rows(sign):
        found = [place for _, place in phrases.found(words)]
        yield from () if found and unless.are_in(words) else found


@cache
def _rows(sign: str) -> Sequence[tuple[Phrases, Phrases]]:
    """The phrases of each row of a sign, and those of its `unless`."""
    signs = _signs()
    sets = {**_sets(), **msgspec.convert(signs["sets"], dict[str, tuple[str, ...]])}
    rows = msgspec.convert(signs[sign], list[dict[str, tuple[str, ...]]])
    read = [[Phrases(read_phrases(row.get(key, ()), sets)) for key in ("phrases", "unless")] for row in rows]
    return [(phrases, unless) for phrases, unless in read]


@cache
def _signs() -> Mapping[str, object]:
    return tomllib.loads(_text("signs"))


@lru_cache(maxsize=8_000)
def places_of(slug: str, text: str, most: int) -> tuple[tuple[int, int], ...]:
    """All places where a family is found in the first `most` characters of a text, in their order."""
    phrases, owners = _phrases_of(slug)
    if not phrases.may_be_in(text):
        return ()
    words = words_in(text, most)
    found = sorted({place for number, place in phrases.found(words) if not owners[number][1].is_refused(words)})
    return tuple(place for number, place in enumerate(found) if not number or place[0] >= found[number - 1][1])


@lru_cache(maxsize=50_000)
def found_in(text: str) -> Mapping[str, Found]:
    """What the text of a point holds, by the family: a file may have thousands, and is checked at every keystroke."""
    phrases, owners = _phrases_of(*(slug for slug in family_slugs() if slug != OF_PROMPTS))
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


def phrase_rule(slug: str, *, on_prompt: OnPrompt | None = None, on_file: OnFile | None = None) -> Rule:
    """The rule of a family, with the hooks of its own or, without any, with the usual ones."""
    row = family(slug).row
    if on_prompt is None and on_file is None:

        def of_prompt(view: PromptView) -> Iterator[Report]:
            return phrase_reports(view.file, slug, text_points(view, slug))

        def of_file(view: FileView) -> Iterator[Report]:
            return phrase_reports(view, slug, text_points_in_file(view, slug))

        on_prompt, on_file = (of_prompt, None) if row.together == "point" else (None, of_file)
    return rule_of(slug, on_prompt=on_prompt, on_file=on_file, written_page=row.page)


def phrase_reports(view: FileView, slug: str, points: Iterable[TextPoint]) -> Iterator[Report]:
    """The reports on what a family found in `points`."""
    meant = [each for each in points if is_meant(each, slug)]
    together = grouped((_subject(each, number, family(slug).row), each) for number, each in enumerate(meant))
    yield from (_report(view, places) for places in together.values())


def _subject(each: TextPoint, number: int, row: FamilyRow) -> str | int:
    """What one report is about."""
    match row.together:
        case "point":
            return number
        case "text":
            return " ".join(each.text.split()).casefold()
        case "words":
            return each.found.words_of(each.text).casefold()
        case "file":
            return each.found.kind.row.message


def is_meant(each: TextPoint, slug: str) -> bool:
    """Whether the family speaks of such points, and neither the prompt nor the next point settles what is open."""
    row = family(slug).row
    if row.block not in (None, each.block) or (each.point.citation is not None and not row.cited):
        return False
    if not row.in_paths and not shares_of(each.prompt).is_required(each.point):
        return False
    return not each.found.kind.is_settled(lambda: sent_text(each.prompt), each.following)


def _report(view: FileView, places: Sequence[TextPoint]) -> Report:
    first, *others = places
    row = first.found.kind.row
    words = first.found.words_of(first.text)
    points = points_of_100(first.prompt, first.point)
    said = {
        "words": f"“{words}”",
        "text": in_quotes(shortened(first.text)),
        "points": "this criterion" if points is None else f"{points} points of 100",
        "more": _more(places),
    }
    return Report(
        words_place(view.text, first.point, first.found.start, first.found.end),
        row.message.format(**said),
        why=row.why.format(**said) if points is not None else "",
        severity=row.level,
        fixes=_fixes(view, places),
        related=tuple(Related(each.point.subject_span, "here, too") for each in others),
    )


def _more(places: Sequence[TextPoint]) -> str:
    """How often a file has a text, or a message; empty for once."""
    if len(places) == 1:
        return ""
    if len({each.text for each in places}) == 1:
        return f" ({len(places)} times in this file)"
    prompts = len({each.prompt.index for each in places})
    return f" ({len(places)} criteria {'of this prompt' if prompts == 1 else f'in {prompts} prompts'})"


def _fixes(view: FileView, places: Sequence[TextPoint]) -> tuple[Fix, ...]:
    """One fix that applies the fix of every place; none if the words of a place cannot be found in the source."""
    fix = places[0].found.kind.row.fix
    spans = [words_span(view.text, each.point, each.found.start, each.found.end) for each in places]
    if fix is None or None in spans:
        return ()
    title, instead = fix
    after = 0 if instead else 1  # with the blank behind them
    found = (Span(span.start, span.end + after) for span in spans if span is not None)
    edits = tuple(dict.fromkeys(TextEdit(span, instead) for span in found))
    return (Fix(title if len(edits) == 1 else f"{title} ({len(edits)} times)", False, edits),)


class TextPoint(Record):
    """A text point with its prompt and block, and what was found in it. `following` is the text of the next point."""

    prompt: Prompt
    block: Block
    point: Point
    text: str
    found: Found
    following: str


_Index: TypeAlias = tuple[dict[str, list[TextPoint]], dict[tuple[int, str], list[TextPoint]]]


def text_points_in_file(view: FileView, slug: str) -> Sequence[TextPoint]:
    """The points of the whole file whose text has words of a family, in source order."""
    return _index(view)[0].get(slug, ())


def text_points(view: PromptView, slug: str) -> Sequence[TextPoint]:
    """The points of one prompt whose text has words of a family, in source order."""
    return _index(view.file)[1].get((view.prompt.index, slug), ())


@lru_cache(maxsize=1)
def _index(view: FileView) -> _Index:
    """What is found in all points, by family, and by prompt and family: built once for all rules."""
    every: list[tuple[str, TextPoint]] = []
    for prompt in view.blueprint.prompts:
        for rubric in prompt.rubrics:
            texts = [point.text or "" for point in rubric.points()]
            for point, text, following in zip(rubric.points(), texts, (*texts[1:], ""), strict=False):
                found = found_in(text).items()
                every += ((slug, TextPoint(prompt, rubric.block, point, text, each, following)) for slug, each in found)
    return grouped(every), grouped(((each.prompt.index, slug), each) for slug, each in every)


def words_span(source: str, point: Point, start: int, end: int) -> Span | None:
    """The place of `point.text[start:end]` in `source`.

    None if it is unknown: after an escape, across a line break, or if the text is written elsewhere.
    """
    text = point.text or ""
    words = text[start:end]
    written = point.subject_span.of(source)
    places = [match.start() for match in re.finditer(re.escape(words), written)] if words else []
    in_text = [match.start() for match in re.finditer(re.escape(words), text)] if words else []
    if start not in in_text or len(places) != len(in_text):
        return None
    at = point.subject_span.start + places[in_text.index(start)]
    return Span(at, at + len(words))


def words_place(source: str, point: Point, start: int, end: int) -> Span:
    """As `words_span`; the whole text of the point where the place of the words is unknown."""
    return words_span(source, point, start, end) or point.subject_span


def shortened(text: str, most: int = 60) -> str:
    """`text` on one line, cut after a word if it is longer than `most` code points."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: line.rfind(" ", 0, most)].rstrip(" ,;:") + " …"


def is_negative_point(point: Point) -> bool:
    """Whether a point is a criterion in the form of a prohibition, or a `$not_` check."""
    if point.function is not None:
        return is_negated(point)
    return "double-negative" in found_in(point.text or "")
