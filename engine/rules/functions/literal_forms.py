"""Forms of a literal that differ only in how it is written, and what an answer has in another form only."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import compress
from typing import Literal, TypeAlias
from unicodedata import is_normalized, normalize

from engine import functions
from engine.blueprint import FunctionCall, Point
from engine.functions import run_pairs
from engine.functions.point_function import Checked, Quantifier, SearchTraits, Subject, Target
from engine.functions.searches import literal_spans
from engine.functions.tasks import TaskRunner
from engine.rules.checks import is_negated, renamed
from engine.rules.rule import FileView
from engine.rules.source.check_names import pattern_signs
from engine.rules.source.regexes import Alternation, letters_of, parse_regex
from engine.text import Fix, Record, Span, TextEdit, lazy
from engine.yaml.layout import column, dash_before, line_end, newline_of, quoted
from engine.yaml.nodes import Style

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
    search = functions.search_of(point.call)
    return search if search is not None and search.is_literal else None


def missed_by_format(point: Point, ideal: str) -> FormatMiss | None:
    """The literal of `point` that `ideal` has in another format only; None if there is none, or if the check passes."""
    search = literal_search(point)
    if search is None or is_negated(point) or len(ideal) > 20_000:
        return None
    texts = [text for text in point.call.texts() if text.strip()]
    missing = [text for text in texts if not finds(text, ideal, search)]
    if not missing or (search.quantifier is Quantifier.ANY and len(missing) < len(texts)):
        return None
    return next((found for text in missing if (found := _in_other_format(text, ideal, search)) is not None), None)


def finds(text: str, answer: str, search: SearchTraits) -> bool:
    """Whether a search for literal text finds `text` in `answer`."""
    if search.target is not Target.WORD:
        return bool(literal_spans(search, text, answer, 1))
    text, answer = (text.lower(), answer.lower()) if search.ignores_case else (text, answer)
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", answer) is not None


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
        if (search := functions.search_of(point.call)) is not None:
            texts = tuple(point.call.texts())
            any_will_do = search.quantifier in (Quantifier.ANY, Quantifier.AT_LEAST_N)
            yield from (
                SearchedText(point, text, not search.is_literal, texts if any_will_do else ()) for text in texts
            )


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
    call, twin = point.call, twin_of(point.call.name)
    if twin is None:
        return None
    return twin if any(_passed(call, answer, [(FunctionCall(twin, call.args), answer)], javascript)) else None


def missed_by_form(point: Point, answer: str, javascript: TaskRunner) -> NormalForm | None:
    """The normal form of Unicode in which `answer` passes the point, which it fails as written; else None.

    NFD is tried for a check that is not in NFC: else `cafe` would be found in “café”.
    """
    call = point.call
    if answer.isascii():
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


# The passage of an answer that is most similar to what a check looks for and does not find.


_MIN_LENGTH = 3
_MAX_TEXTS = 12
"""How many texts of a long list are searched for: each search takes time in proportion to the answer's length."""


class Passage(Record):
    """A similar passage of the answer; `missing` is a wanted part that the answer does not contain."""

    span: Span
    missing: str = ""


def closest_passage(call: FunctionCall, answer: str) -> Passage | None:
    """The passage of `answer` that is most similar to a text or pattern of `call`; None if nothing is similar.

    For a list, each text that is not found is tried; for a pattern, its runs of literal letters.
    """
    wanted = wanted_texts(call, answer)
    lowered = answer.lower()
    similar = [(share, place, text) for text in wanted for share, place in _similar(text, lowered)]
    if not similar:
        return None
    _, place, text = max(similar, key=lambda each: (each[0], len(each[2])))
    search = functions.search_of(call)
    if search is None or search.is_literal:
        return Passage(place)
    missing = [other for other in wanted if other is not text and other.lower() not in lowered]
    return Passage(place, max(missing, key=len, default=""))


def wanted_texts(call: FunctionCall, answer: str) -> list[str]:
    """The first texts that `call` looks for: literals that `answer` does not contain, and the letters of patterns."""
    return list(_wanted(call, answer))[:_MAX_TEXTS]


def _wanted(call: FunctionCall, answer: str) -> Iterator[str]:
    search = functions.search_of(call)
    if search is None:
        return
    if search.is_literal:
        yield from (text for text in call.texts() if text not in answer)
    else:
        for pattern in call.texts():
            yield from dict.fromkeys(letters_of(pattern))


def _similar(wanted: str, lowered: str) -> Iterator[tuple[float, Span]]:
    """The share of `wanted` that the answer contains, 0–1, and the span that all of it would take."""
    matcher = SequenceMatcher(None, lowered, wanted.lower(), autojunk=False)
    found = matcher.find_longest_match(0, len(lowered), 0, len(wanted.lower()))
    if found.size >= max(_MIN_LENGTH, len(wanted) // 2):
        start = max(0, found.a - found.b)
        yield found.size / len(wanted), Span(start, min(len(lowered), start + len(wanted)))


# Fixes that write a check with other texts, as a check for patterns, or with other forms of its literals.


_LITERAL = lazy(
    r"(?P<kind>(?:not_)?i?)(?:(?:starts_with|ends_with|contains(?:_word|_any_of)?)|contains(?P<list>_all_of|_at_least_n_of))"
)


def pattern_twin(name: str) -> str | None:
    """The function that finds patterns where the function `name` finds texts, as Weval knows it; None without one."""
    found = _LITERAL.fullmatch(name)
    twin = None if found is None else functions.find(f"{found['kind']}matches{found['list'] or ''}")
    return None if twin is None else twin.weval_name


def meant_as_patterns(point: Point, known: str) -> dict[str, str]:
    """The literals of a check that were meant as patterns, and a sign of each; none of what the prompt `known` has."""
    texts = () if literal_search(point) is None else point.call.texts()
    found = {text: signs[0] for text in texts if (signs := pattern_signs(text))}
    own, known = pattern_signs(known) if found else [], known.casefold()
    return {text: sign for text, sign in found.items() if sign not in own and text.casefold() not in known}


def rewritten(view: FileView, point: Point, texts: Mapping[str, str], name: str | None = None) -> tuple[TextEdit, ...]:
    """The edits that replace `texts` of a check, all of them if it gets the new `name`.

    None if one of them is written elsewhere or twice.
    """
    own = [*point.call.texts()]
    nodes = {text: node for text in texts if (node := point.argument_node(text)) is not None}
    naming = renamed(view, point, name)
    if len(nodes) < len(texts) or any(own.count(text) > 1 for text in texts):
        return ()
    if name is not None and (not naming or len(texts) < len(own)):
        return ()
    edits = (
        TextEdit(node.span, quoted(texts[text], is_json=view.is_json or node.style is Style.DOUBLE))
        for text, node in nodes.items()
    )
    return (*naming, *edits)


def as_patterns(
    view: FileView, point: Point, patterns: Mapping[str, str], title: str, target: Target | None = None
) -> tuple[Fix, ...]:
    """The unsafe fix that makes a check for literals one for `patterns`, which are those of some of its literals.

    They are looked for where the literals are, unless there is a `target`. None if a literal is written elsewhere or
    twice, or if no function finds such patterns.
    """
    search, node, twin = literal_search(point), point.argument, pattern_twin(point.call.name)
    if search is None or node is None or twin is None:
        return ()
    target = target or search.target
    found = {text: patterns.get(text, escaped(text)) for text in point.call.texts()}
    edits = rewritten(view, point, {text: _placed(each, target) for text, each in found.items()}, twin)
    if edits and search.quantifier is Quantifier.ANY:
        joined = quoted(_placed("|".join(found.values()), target), is_json=view.is_json)
        edits = (edits[0], TextEdit(node.span, joined)) if "#" not in node.span.of(view.text) else ()
    return (Fix(f"{title}: ${twin}", False, edits),)


def _placed(pattern: str, target: Target) -> str:
    """`pattern` at the place of `target`."""
    inner = f"(?:{pattern})" if isinstance(parse_regex(pattern), Alternation) else pattern
    match target:
        case Target.START:
            return f"^{inner.removeprefix('^')}"
        case Target.END:
            return f"{inner.removesuffix('$')}$"
        case Target.WORD:
            return rf"\b{inner}\b"
        case _:
            return pattern


def tolerant_fixes(view: FileView, point: Point, missed: Sequence[FormatMiss]) -> tuple[Fix, ...]:
    """The unsafe fix after which the check of `point` finds the literals in `missed` in their other form, too.

    A list of which any text will do gets the other forms; else the check becomes one for patterns. None if a literal is
    written elsewhere or twice, if there is no such function, or for a form of several lines.
    """
    search = literal_search(point)
    if search is None or search.quantifier is not Quantifier.ANY:
        return as_patterns(view, point, {each.literal: each.pattern for each in missed}, "accept both forms")
    found = rewritten(view, point, {each.literal: each.form for each in missed})
    if not found or any("\n" in each.form for each in missed):
        return ()
    title = "accept the other form, too" if len(missed) == 1 else "accept the other forms, too"
    return (Fix(title, False, tuple(_added(view, each) for each in found)),)


def _added(view: FileView, other: TextEdit) -> TextEdit:
    """The edit that adds the new text of `other` to the list behind its place."""
    dash = dash_before(view.text, other.span.start)
    if dash is None:
        return TextEdit(Span(other.span.end, other.span.end), f", {other.text}")
    end = line_end(view.text, other.span.end)
    return TextEdit(Span(end, end), f"{newline_of(view.text)}{' ' * column(view.text, dash)}- {other.text}")
