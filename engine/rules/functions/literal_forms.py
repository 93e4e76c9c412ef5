"""Forms of a literal that differ only in how it is written, and what an answer has in another form only."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress
from typing import Literal, TypeAlias
from unicodedata import is_normalized, normalize

from engine import functions
from engine.blueprint import FunctionCall, Point
from engine.functions import run_pairs
from engine.functions.point_function import Checked, Quantifier, SearchTraits, Subject, Target
from engine.functions.tasks import TaskRunner
from engine.rules.checks import is_negated, searched
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span

# Forms of one text that differ only in how it is written: quotes, dashes, blanks, emphasis, thousands.


APOSTROPHES = "\u2018\u2019\u201b\u02bc"
QUOTES = "\u201c\u201d\u201e\u201f"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
_STRAIGHT = str.maketrans(dict.fromkeys(APOSTROPHES, "'") | dict.fromkeys(QUOTES, '"'))
_SPECIAL = lazy(r"[.*+?^${}()|[\]\\/]")


def straight(text: str) -> str:
    """`text` with straight quotes and apostrophes."""
    return text.translate(_STRAIGHT)


def escaped(text: str) -> str:
    """`text` as a pattern of JavaScript that matches only this text."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def either_quote(pattern: str) -> str:
    """`pattern` with classes of straight and curly quotes for its straight ones."""
    return pattern.replace("'", "['\u2019]").replace('"', '["\u201c\u201d]')


_REMOVED = frozenset("*_`~\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff^")
_THOUSANDS = frozenset(",'\u2019\u00a0\u202f ")
_TIGHT_BEFORE = frozenset("=%")
"""Signs before which a blank makes no difference; after `=`, neither."""
_NO_GROUP = lazy(r"\d{3}(?!\d)")


class PlainForm(Record):
    """A text without what is only format: `text`, and for each of its characters the place in the original."""

    text: str
    places: tuple[int, ...]

    def original(self, start: int, end: int) -> Span:
        """The place in the original of `text[start:end]`, which is not empty."""
        return Span(self.places[start], self.places[end - 1] + 1)


@lru_cache(maxsize=256)
def plain_form(text: str) -> PlainForm:
    """`text` with straight quotes, hyphens for dashes, one blank between words, and without emphasis and separators.

    Subscripts and other compatibility characters are written as their plain forms.
    """
    letters: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        for plain in _plain_character(text, at, character):
            if plain in _TIGHT_BEFORE and letters[-1:] == [" "]:
                letters.pop()
                places.pop()
            if plain != " " or letters[-1:] not in ([" "], ["="], []):
                letters.append(plain)
                places.append(at)
    while letters[-1:] == [" "]:
        letters.pop()
        places.pop()
    return PlainForm("".join(letters), tuple(places))


def _plain_character(text: str, at: int, character: str) -> str:
    if character in _THOUSANDS and text[at - 1 : at].isdigit() and at and _NO_GROUP.match(text, at + 1):
        return ""
    if character in _REMOVED:
        return ""
    if character.isspace():
        return " "
    if character in _DASHES:
        return "-"
    return character if character.isascii() else straight(unicodedata.normalize("NFKC", character))


# A literal of a check that an answer has in another format only: with a curly quote, a separator, or emphasis.


class FormatMiss(Record):
    """A literal of a check, the form of it that is missed, and the pattern that accepts both."""

    literal: str
    form: str
    pattern: str


def literal_search(point: Point) -> SearchTraits | None:
    """How the check of `point` searches for literal text; None if it does not, or if its argument is wrong."""
    found = searched(point)
    return found[1] if found is not None and found[1].is_literal else None


def missed_by_format(point: Point, ideal: str) -> FormatMiss | None:
    """The literal of `point` that `ideal` has in another format only; None if there is none, or if the check passes."""
    search = literal_search(point)
    call = point.function
    if search is None or call is None or is_negated(point) or len(ideal) > 20_000:
        return None
    texts = [text for text in call.texts() if text.strip()]
    missing = [text for text in texts if not finds(text, ideal, search)]
    if not missing or (search.quantifier is Quantifier.ANY and len(missing) < len(texts)):
        return None
    return next((found for text in missing if (found := _in_other_format(text, ideal, search)) is not None), None)


def finds(text: str, answer: str, search: SearchTraits) -> bool:
    """Whether a search for literal text finds `text` in `answer`."""
    if search.ignores_case:
        text, answer = text.lower(), answer.lower()
    match search.target:
        case Target.START:
            return answer.startswith(text)
        case Target.END:
            return answer.endswith(text)
        case Target.WORD:
            return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", answer) is not None
        case _:
            return text in answer


def _in_other_format(text: str, ideal: str, search: SearchTraits) -> FormatMiss | None:
    plain_ideal, plain = plain_form(ideal), plain_form(text).text
    if text != text.strip() or not plain or not finds(plain, plain_ideal.text, search):
        return None
    where, wanted = (plain_ideal.text.lower(), plain.lower()) if search.ignores_case else (plain_ideal.text, plain)
    at = where.rfind(wanted) if search.target is Target.END else where.find(wanted)
    if at < 0 or len(where) != len(plain_ideal.places):
        return None
    if len({*plain_ideal.places[at : at + len(wanted)]}) < len(wanted):
        return None  # one character for several letters, a ligature: `unicode-form` reports it
    place = plain_ideal.original(at, at + len(wanted))
    form = _with_marks(ideal, place)
    return FormatMiss(text, form, _tolerant(plain, form))


def _with_marks(ideal: str, place: Span) -> str:
    """The text at `place` with the marks of emphasis right before and after it."""
    start, end = place.start, place.end
    while start and ideal[start - 1] in "*_`":
        start -= 1
    while end < len(ideal) and ideal[end] in "*_`":
        end += 1
    return ideal[start:end]


def _tolerant(plain: str, form: str) -> str:
    """A pattern that finds `plain`, and the form in which the ideal writes it."""
    written = form if len(form) == len(plain) else plain
    pairs = zip(plain, written, strict=True)  # a subscript, `CO₂`, is another letter
    pattern = either_quote(
        "".join(f"[{one}{two}]" if one != two and two.isalnum() else escaped(one) for one, two in pairs)
    )
    pattern = re.sub(r"\\?-", "[-\u2013\u2014]", pattern) if "-" in plain else pattern
    if re.search(r"\d[,'\u2019\u00a0\u202f ]\d{3}", form) or re.search(r"\d{4}", plain):
        pattern = re.sub(r"(?<=\d)(?=(?:\d{3})+(?!\d))", "[,.\\\\s]?", pattern)
    pattern = pattern.replace(" ", r"[\s*_]+") if " " in plain else pattern
    return pattern.replace("=", r"\s*=\s*").replace("%", r"\s*%")


CHARACTER_CLASS = lazy(r"\[(?:\\.|[^\]\\])*\]", re.DOTALL)
"""A class of characters in a pattern, such as `['’]`."""


class SearchedText(Record):
    """A text that a check looks for, or that it matches as a pattern.

    `others` are all texts of a check that passes with any of them, or with some; none of one that needs them all.
    """

    point: Point
    text: str
    is_pattern: bool
    others: tuple[str, ...]


def searched_texts(points: Iterable[Point]) -> Iterator[SearchedText]:
    """The texts of all checks of `points` that search the answer, in order."""
    for point in points:
        call = point.function
        function = None if call is None else functions.find(call.name)
        if call is None or function is None or function.search is None:
            continue
        texts = tuple(call.texts())
        any_will_do = function.search.quantifier in (Quantifier.ANY, Quantifier.AT_LEAST_N)
        for text in texts:
            yield SearchedText(point, text, not function.search.is_literal, texts if any_will_do else ())


def written_texts(points: Iterable[Point]) -> Iterator[str]:
    """All texts among the arguments of checks."""
    for point in points:
        if point.function is not None:
            yield from point.function.texts()


NormalForm: TypeAlias = Literal["NFC", "NFD", "NFKC"]
"""Letters with their marks as one character each, or apart, or as NFC and with no character for several others."""
_Try: TypeAlias = tuple[FunctionCall, str]
"""A check, and the answer that it is tried on."""
_FORMS: tuple[NormalForm, ...] = ("NFC", "NFD", "NFKC")


def twin_of(name: str) -> str | None:
    """The function that does the same but ignores case, by the name that Weval knows; None if there is none."""
    function = functions.find(name)
    if function is None or function.negates is not None or function.search is None or function.search.ignores_case:
        return None
    twin = functions.find(f"i{function.name}")
    return None if twin is None else twin.weval_name


def missed_by_case(point: Point, answer: str, javascript: TaskRunner) -> str | None:
    """The twin of the point's function, if `answer` fails the function but passes the twin in full; else None."""
    call = point.function
    twin = None if call is None else twin_of(call.name)
    if call is None or twin is None:
        return None
    return twin if any(_passed(call, answer, [(FunctionCall(twin, call.args), answer)], javascript)) else None


def missed_by_form(point: Point, answer: str, javascript: TaskRunner) -> NormalForm | None:
    """The normal form of Unicode in which `answer` passes the point, which it fails as written; else None.

    NFD is tried for a check that is not in NFC: else `cafe` would be found in “café”.
    """
    call = point.function
    if call is None or answer.isascii():
        return None
    tried: tuple[NormalForm, ...] = ("NFC", "NFKC") if is_normalized("NFC", "".join(call.texts())) else _FORMS
    forms: list[NormalForm] = [form for form in tried if not is_normalized(form, answer)]
    others = [(call, normalize(form, answer)) for form in forms]
    return next(compress(forms, _passed(call, answer, others, javascript)), None)


def _passed(call: FunctionCall, answer: str, others: Sequence[_Try], javascript: TaskRunner) -> list[bool]:
    """Which of `others` pass in full, where `answer` does not pass `call`."""
    pairs = [(each, Subject(text)) for each, text in ((call, answer), *others)] if others else []
    extents = [each.extent if isinstance(each, Checked) else math.nan for each in run_pairs(pairs, javascript)]
    return [extents[0] < 1 <= extent for extent in extents[1:]]
