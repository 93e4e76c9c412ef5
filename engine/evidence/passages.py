"""Passages of an answer: where to look for a criterion, and what a check for a text just misses.

A criterion's place is what its judges quote, else the sentence that is closest to it: the one that shares the rarest
words with it. A sentence never crosses a blank line, a list item, a heading, a table row or the end of a code block.
These show what a sentence is about, and not whether it meets or contradicts the criterion, so no figure leaves this
module. A check's nearest miss is named by what differs: `Paraná` inside `Paranáense`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache

from engine.functions.point_function import SearchTraits, Target
from engine.rules.functions.literal_forms import PlainForm, plain_form
from engine.text.record import Record
from engine.text.spans import Span

_UNITS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_NUMBERS = (
    {word: str(number * 10) for number, word in enumerate(_TENS.split())}
    | {word: str(number) for number, word in enumerate(_UNITS.split())}
    | {word: f"{number}th" for number, word in enumerate(_ORDINALS.split())}
)
_UNITS_BELOW_TEN = {*_UNITS.split()[1:10], *_ORDINALS.split()[1:10]}
_ENDING = re.compile(r"(?<=\d)(?:st|nd|rd)$")


def without_accents(character: str) -> str:
    """A character without its accents; other letters with strokes and ligatures stay."""
    if character.isascii():
        return character
    plain = "".join(each for each in unicodedata.normalize("NFD", character) if not unicodedata.combining(each))
    return plain or ""


def singular(word: str) -> str:
    """A word in lower case without the ending of an English or Romance plural: `leases` is `lease`."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def figures(word: str) -> str:
    """A number in words, in lower case, in figures: `three` is `3`, `third` is `3th`, `twenty-four` is `24`; else the
    word."""
    tens, _, unit = word.partition("-")
    if unit and is_compound(tens, unit):
        return f"{_NUMBERS[tens][0]}{_NUMBERS[unit]}"
    return _NUMBERS.get(word) or _ENDING.sub("th", word)


def is_compound(tens: str, unit: str) -> bool:
    """Whether two words, in lower case, make one number, as `twenty` and `four` do."""
    return tens in _TENS.split()[2:] and unit in _UNITS_BELOW_TEN


_WORD = re.compile(r"\w+(?:['’]\w+)*")
_DIGITS = re.compile(r"\d+")
_WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, kana and Chinese characters."""
_SHORTEST_SPELLING = 4
_MOST_WANTED = 200
_MOST_SEARCHED = 50_000
"""Code points of a wanted text and of an answer beyond which only other case and place are tried."""


class MissKind(StrEnum):
    """By what an answer misses a text."""

    PLACE = "place"
    BOUNDARY = "boundary"
    CASE = "case"
    FORM = "form"
    ACCENT = "accent"
    PLURAL = "plural"
    DIGITS = "digits"
    SPELLING = "spelling"


class NearestMiss(Record):
    """The passage at `span` is nearest to `wanted`, and differs in `kinds`, one or more.

    `within` is the word or words around it, for a boundary. `distance` is the edit distance, for other spellings and
    digits; else 0. `at_end`: for another place, whether the end was searched, and not the start.
    """

    wanted: str
    kinds: tuple[MissKind, ...]
    span: Span
    within: Span
    distance: int = 0
    at_end: bool = False


def nearest_miss(wanted: str, answer: str, search: SearchTraits) -> NearestMiss | None:
    """The nearest passage to `wanted` in `answer`, which a literal search does not find; None if nothing is near.

    The fewest differences win: another place or boundary, then case, form (quotes, dashes, blanks, emphasis), accents,
    plurals, numbers in words; then other digits and spellings, up to a quarter of the text.
    """
    if not wanted.strip() or not answer:
        return None
    for finder in (_elsewhere, _in_other_letters, _in_other_words, _in_other_spelling):
        found = finder(wanted, answer, search)
        if found is not None:
            return found
    return None


def _elsewhere(wanted: str, answer: str, search: SearchTraits) -> NearestMiss | None:
    """The very text, but within a longer word, or not at the start or the end."""
    text, part = (answer.lower(), wanted.lower()) if search.ignores_case else (answer, wanted)
    if len(text) != len(answer):
        return None
    at = text.rfind(part) if search.target is Target.END else text.find(part)
    if at < 0:
        return None
    span = Span(at, at + len(part))
    match search.target:
        case Target.WORD:
            return NearestMiss(wanted, (MissKind.BOUNDARY,), span, _words_around(answer, span))
        case Target.START | Target.END:
            return NearestMiss(wanted, (MissKind.PLACE,), span, span, at_end=search.target is Target.END)
        case _:
            return None


def folded(text: str, kinds: frozenset[MissKind]) -> PlainForm:
    """`text` without what `kinds` name: case, accents, and what is only format."""
    form = plain_form(text) if MissKind.FORM in kinds else None
    source, places = (text, range(len(text))) if form is None else (form.text, form.places)
    letters: list[str] = []
    at: list[int] = []
    for character, place in zip(source, places, strict=True):
        folded = without_accents(character) if MissKind.ACCENT in kinds else character
        folded = folded.lower() if MissKind.CASE in kinds else folded
        letters.append(folded)
        at += [place] * len(folded)
    return PlainForm("".join(letters), tuple(at))


_LETTERS = (MissKind.CASE, MissKind.FORM, MissKind.ACCENT)


def _sets_of_letters(search: SearchTraits) -> Iterator[frozenset[MissKind]]:
    """The sets of differences to try, the smallest first; case makes none where it is ignored anyway."""
    free = frozenset({MissKind.CASE}) if search.ignores_case else frozenset[MissKind]()
    kinds = [kind for kind in _LETTERS if kind not in free]
    for mask in sorted(range(1, 1 << len(kinds)), key=int.bit_count):
        yield frozenset(kind for place, kind in enumerate(kinds) if mask >> place & 1) | free


def _in_other_letters(wanted: str, answer: str, search: SearchTraits) -> NearestMiss | None:
    if len(answer) > _MOST_SEARCHED:
        return None
    for kinds in _sets_of_letters(search):
        text, part = folded(answer, kinds), folded(wanted, kinds).text
        at = text.text.rfind(part) if search.target is Target.END else text.text.find(part)
        if part and at >= 0:
            differ = kinds - {MissKind.CASE} if search.ignores_case else kinds
            span = text.original(at, at + len(part))
            return NearestMiss(wanted, _ordered(differ), span, span)
    return None


def _ordered(kinds: frozenset[MissKind]) -> tuple[MissKind, ...]:
    return tuple(kind for kind in MissKind if kind in kinds)


_WORD_FORMS: tuple[tuple[MissKind, Callable[[str], str]], ...] = (
    (MissKind.PLURAL, singular),
    (MissKind.DIGITS, figures),
)


def _in_other_words(wanted: str, answer: str, search: SearchTraits) -> NearestMiss | None:
    """The same words, one of them in the plural or singular, or a number in words."""
    if len(answer) > _MOST_SEARCHED:
        return None
    for kind, form in _WORD_FORMS:
        own, found = _words(wanted, kind), _words(answer, kind)
        place = _sequence([form(each.plain) for each in own], [form(each.plain) for each in found])
        if own and place is not None:
            there = found[place : place + len(own)]
            span = Span(there[0].span.start, there[-1].span.end)
            return NearestMiss(wanted, _kinds_beside(kind, own, there, search), span, span)
    return None


class _Word(Record):
    """A word as it is written, without accents and capitals, and its place."""

    written: str
    plain: str
    span: Span


def _words(text: str, kind: MissKind) -> list[_Word]:
    """The words of `text`; for other figures, `twenty-four` and `twenty four` are one."""
    words: list[_Word] = []
    for found in _WORD.finditer(text):
        word = _Word(found[0], _plain(found[0]), Span(*found.span()))
        last = words[-1] if words and kind is MissKind.DIGITS else None
        is_near = last is not None and text[last.span.end : word.span.start] in ("-", "\u2010", "\u2011", " ")
        if last is not None and is_near and is_compound(last.plain, word.plain):
            span = Span(last.span.start, word.span.end)
            words[-1] = _Word(span.of(text), f"{last.plain}-{word.plain}", span)
        else:
            words.append(word)
    return words


def _plain(word: str) -> str:
    return "".join(without_accents(each) for each in word).lower()


def _sequence(sought: Sequence[str], words: Sequence[str]) -> int | None:
    """The first place in `words` where `sought` stands."""
    count = len(sought)
    return next((at for at in range(len(words) - count + 1) if list(words[at : at + count]) == list(sought)), None)


def _kinds_beside(
    kind: MissKind, own: Sequence[_Word], found: Sequence[_Word], search: SearchTraits
) -> tuple[MissKind, ...]:
    pairs = list(zip(own, found, strict=True))
    is_same = all(here.plain == there.plain for here, there in pairs)
    kinds = {MissKind.FORM if is_same else kind}  # the same words may have other signs between them
    for here, there in pairs:
        is_lower_same = here.written.lower() == there.written.lower()
        if here.plain == there.plain and not is_lower_same:
            kinds.add(MissKind.ACCENT)
        if not search.ignores_case and is_lower_same and here.written != there.written:
            kinds.add(MissKind.CASE)
    return _ordered(frozenset(kinds))


def _in_other_spelling(wanted: str, answer: str, search: SearchTraits) -> NearestMiss | None:
    """The passage with the least edit distance, at most a quarter of the text."""
    part = wanted.strip()
    if not _SHORTEST_SPELLING <= len(part) <= _MOST_WANTED or len(answer) > _MOST_SEARCHED:
        return _with_other_digits(part, answer)
    text = answer.lower()
    if len(text) != len(answer):
        return None
    most = max(len(part) // 4, 1)
    found = closest_substring(part.lower(), text, most)
    if found is None or not found[0].of(answer).strip():
        return _with_other_digits(part, answer)
    closest, distance = found
    span = whole_words(answer, closest)
    if span != closest:
        distance = _distance(part.lower(), span.of(text))
    if distance > most:  # the rest of its words, or a blank at its end, makes it another text
        return _with_other_digits(part, answer)
    is_digits = _DIGITS.sub("0", span.of(answer)) == _DIGITS.sub("0", part)
    return NearestMiss(wanted, (MissKind.DIGITS if is_digits else MissKind.SPELLING,), span, span, distance)


def _with_other_digits(wanted: str, answer: str) -> NearestMiss | None:
    """The same text with other digits: `30 days` for `14 days`."""
    if not _DIGITS.search(wanted):
        return None
    pattern = r"\d+".join(re.escape(piece) for piece in _DIGITS.split(wanted))
    found = re.search(rf"(?<!\d){pattern}(?!\d)", answer, re.IGNORECASE)
    if found is None:
        return None
    span = Span(*found.span())
    return NearestMiss(wanted, (MissKind.DIGITS,), span, span, _distance(wanted, found[0]))


def _distance(one: str, other: str) -> int:
    """The edit distance of two texts."""
    row = list(range(len(other) + 1))
    for at, character in enumerate(one, 1):
        before, row[0] = row[0], at
        for place, there in enumerate(other, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (character != there))
    return row[-1]


def whole_words(text: str, span: Span) -> Span:
    """`span` of `text` without blanks at its ends, and with the rest of the words that it cuts.

    Scripts that write no blanks between words have none to complete.
    """
    return _words_around(text, span.stripped(text))


def _words_around(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start and _is_of_word(text[start - 1]) and _is_of_word(text[start]):
        start -= 1
    while end < len(text) and _is_of_word(text[end]) and _is_of_word(text[end - 1]):
        end += 1
    return Span(start, end)


def _is_of_word(character: str) -> bool:
    return (character.isalnum() or character == "_") and not _WITHOUT_BLANKS.match(character)


def closest_substring(wanted: str, text: str, most: int) -> tuple[Span, int] | None:
    """The substring of `text` with the least edit distance to `wanted`, and that distance; None beyond `most`.

    It is how many characters have to be inserted, deleted or replaced. Of several substrings, it is the first, and the
    longest that ends there.
    """
    if not wanted:
        return None
    distance, end = _best_end(wanted, text)
    if distance > most:
        return None
    before = text[:end]
    window = before[max(end - len(wanted) - most, 0) :][::-1]
    length = _best_end(wanted[::-1], window, is_last=True)[1]
    return Span(end - length, end), distance


def _best_end(wanted: str, text: str, *, is_last: bool = False) -> tuple[int, int]:
    """The least edit distance of `wanted` to a substring of `text`, and the first or last place where one ends."""
    bits: dict[str, int] = {}
    for place, character in enumerate(wanted):
        bits[character] = bits.get(character, 0) | 1 << place
    everything, last = (1 << len(wanted)) - 1, 1 << (len(wanted) - 1)
    positive, negative, distance = everything, 0, len(wanted)
    best, end = distance, 0
    for place, character in enumerate(text, 1):
        equal = bits.get(character, 0)
        vertical = equal | negative
        horizontal = (((equal & positive) + positive) ^ positive) | equal
        up, down = negative | (~(horizontal | positive) & everything), positive & horizontal
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1) & everything, (down << 1) & everything
        positive, negative = down | (~(vertical | up) & everything), up & vertical
        if distance < best or (is_last and distance == best):
            best, end = distance, place
    return best, end


# Where to look for a criterion


_QUOTED = re.compile(
    r"“([^“”]{4,600})”|«([^«»]{4,600})»|„([^„“]{4,600})“|\"([^\"\n]{4,600})\"|`([^`\n]{4,600})`"
    r"|(?<!\w)['‘]([^\n]{4,600}?)['’](?!\w)"
)
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.|\[…\]|\[\.\.\.\])\s*")
_EDGES = " .,;:!?…*_"
_SHORTEST = 4
_LONGEST_ANSWER = 200_000
_LONGEST_READ = 50_000
"""Code points of an answer beyond which no sentence is looked for: the screen waits for it."""
_LEAST_SHARED = 2
_STEM = 6
_FENCE = re.compile(r"\s*(```|~~~)")
_OWN_LINE = re.compile(r"\s*(?:#{1,6}\s|\||(?:-{3,}|\*{3,}|_{3,})\s*$)")
_MARKER = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+•‣–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+|#{1,6}\s+|\|\s*)?")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+•‣–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+\S")
_CLOSING = "\"'”’»)\\]}*_"
_END = re.compile(
    rf"(?P<wide>[。！？｡]+[{_CLOSING}」』）】]*)"
    rf"|(?P<mark>[.!?…।॥؟۔።։။។]+)(?P<closing>[{_CLOSING}]*)(?=\s)"
)
_LAST_WORD = re.compile(r"[\w.]*\Z")
_ABBREVIATIONS = re.compile(
    r"(?:mrs?|ms|dr|prof|st|sr|jr|rev|hon|gen|col|sgt|capt|lt|cf|vs?|approx|est|dept|inc|ltd|co|corp|e\.g|i\.e|al|ca|resp"
    r"|bzw|z\.b|d\.h|u\.a|bsp|vgl)\Z",
    re.IGNORECASE,
)
_BEFORE_A_NUMBER = re.compile(
    r"(?:nos?|nr|arts?|abs|secs?|paras?|ch|figs?|vol|eds?|pp?|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\Z",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]\Z")
_CLUTTER = re.compile(r"[*_`#|]+")
_LETTERS_OF_WORD = re.compile(r"[^\W_]+")
_COMMON = """
    about above according after all also and answer any are because been before being below between both but can
    case could describes did does each either every example explain explains for from give gives had has have her here
    his how however identifies include includes into its just like made make many may mention mentions might more most
    much must name names not note one only other our out over point provide provides response same say says should some
    state states such than that the their them then there these they this those through under use used user very was
    way well were what when where whether which while who will with within without would you your
"""
"""Words that show nothing of what a sentence is about: frequent ones, and those of criteria."""
_COMMON_WORDS = frozenset(_COMMON.split())


def quotes_found(reflections: Iterable[str], answer: str) -> tuple[Span, ...]:
    """The places in `answer` of what `reflections` quote, in the order of the answer, without repeats.

    Case, accents, quotes, dashes, blanks and emphasis may differ; of a quote with an ellipsis, each part is looked for.
    A quote that is not in the answer is left out: judges quote criteria too, and sometimes what nobody wrote.
    """
    if len(answer) > _LONGEST_ANSWER:
        return ()
    spans = {span for text in reflections for part in _parts(text) if (span := _place(part, answer)) is not None}
    return tuple(sorted(spans))


def _parts(reflection: str) -> Iterator[str]:
    for found in _QUOTED.finditer(reflection):
        quote = next(group for group in found.groups() if group is not None)
        for part in _ELLIPSIS.split(quote):
            stripped = part.strip(_EDGES)
            if len(stripped) >= _SHORTEST:
                yield stripped


def _place(part: str, answer: str) -> Span | None:
    wanted, text = _plain_form(part), _plain_form(answer)
    at = text.text.find(wanted.text) if wanted.text else -1
    return None if at < 0 else text.original(at, at + len(wanted.text))


@lru_cache(maxsize=64)
def _plain_form(text: str) -> PlainForm:
    return folded(text, frozenset({MissKind.CASE, MissKind.FORM, MissKind.ACCENT}))


def closest_sentence(criterion: str, answer: str) -> Span | None:
    """The place in `answer` of the sentence that shares the rarest words with `criterion`, the first one in a tie.

    A word is rarer the fewer sentences of the answer have it. Plurals, accents, numbers in words and endings make no
    difference. None where no sentence shares two words that are not common, and for very long answers.
    """
    if len(answer) > _LONGEST_READ:
        return None
    found, counts = _words_by_sentence(answer)
    wanted = _rare_words(criterion)
    best, rarity = None, 0.0
    for span, words in found:
        shared = wanted & words
        score = sum(1 / counts[word] for word in shared)
        if len(shared) >= _LEAST_SHARED and score > rarity:
            best, rarity = span, score
    return best


def sentence_text(span: Span, answer: str) -> str:
    """A sentence of `answer` on one line, without the signs of Markdown."""
    return " ".join(_CLUTTER.sub(" ", span.of(answer)).split())


@lru_cache(maxsize=16)
def _words_by_sentence(answer: str) -> tuple[tuple[tuple[Span, frozenset[str]], ...], Counter[str]]:
    """The sentences with their words, and in how many each word is."""
    found = tuple((span, _rare_words(span.of(answer))) for span in sentences(answer))
    return found, Counter(word for _, words in found for word in words)


def _rare_words(text: str) -> frozenset[str]:
    """The words of `text` that are not common, each by its first letters: `protected` and `protection` are one."""
    words = (word.lower() for word in _LETTERS_OF_WORD.findall(text))
    rare = (word for word in words if word not in _COMMON_WORDS and (len(word) > 2 or word.isdigit()))
    return frozenset(figures(singular("".join(map(without_accents, word))))[:_STEM] for word in rare)


@lru_cache(maxsize=16)
def sentences(text: str) -> tuple[Span, ...]:
    """The spans of the sentences of `text` that have a letter or a digit, in order."""
    spans = (span.stripped(text) for block in _blocks(text) for span in _within(text, block))
    return tuple(span for span in spans if any(each.isalnum() for each in span.of(text)))


def _blocks(text: str) -> Iterator[Span]:
    """The blocks that no sentence crosses, without their leading markers."""
    start: int | None = None
    end = place = 0
    code = False
    for line in text.splitlines(keepends=True):
        begin, place = place, place + len(line)
        fence = _FENCE.match(line) is not None
        alone = not code and _OWN_LINE.match(line) is not None
        if start is not None and (fence or alone or code or not line.strip() or _ITEM.match(line)):
            yield Span(start, end)
            start = None
        if fence:
            code = not code
        elif line.strip():
            if start is None:
                marker = None if code else _MARKER.match(line)
                start = begin + (0 if marker is None else marker.end())
            end = begin + len(line.rstrip())
            if alone:
                yield Span(start, end)
                start = None
    if start is not None:
        yield Span(start, end)


def _within(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    for end in _END.finditer(text, block.start, block.end):
        if end["wide"] is None and not _ends(text, end, start, block.end):
            continue
        yield Span(start, end.end())
        start = end.end()
    if start < block.end:
        yield Span(start, block.end)


def _ends(text: str, end: re.Match[str], start: int, stop: int) -> bool:
    """Whether a sentence ends at the mark `end`: not after an abbreviation, and not inside a sentence."""
    rest = text[end.end() : min(end.end() + 40, stop)].lstrip(" \t\n\"'“‘«([*_")
    if rest[:1].islower():
        return False
    if end["mark"] != "." or end["closing"]:
        return True
    last = _LAST_WORD.search(text, max(start, end.start() - 30), end.start())
    word = "" if last is None else last[0]
    if rest[:1].isdigit() and _BEFORE_A_NUMBER.match(word):
        return False
    return not (_ABBREVIATIONS.match(word) or _INITIALS.match(word))
