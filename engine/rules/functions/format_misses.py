"""A literal of a check that an answer has in another format only: with a curly quote, a separator, or emphasis."""

from __future__ import annotations

import re

from engine import functions
from engine.blueprint import Point
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.record import Record
from engine.rules.checks import is_negated
from engine.rules.functions.literal_forms import either_quote, escaped, plain_form
from engine.text import Span


class FormatMiss(Record):
    """A literal of a check, the form of it that is missed, and the pattern that accepts both."""

    literal: str
    form: str
    pattern: str


def literal_search(point: Point) -> SearchTraits | None:
    """How the check of `point` searches for literal text; None if it does not, or if its argument is wrong."""
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.problem(call.args) is not None:
        return None
    search = function.search
    return search if search is not None and search.is_literal else None


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
