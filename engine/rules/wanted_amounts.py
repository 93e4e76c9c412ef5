"""Amounts that a criterion wants of an answer: at most 50 words, exactly three sentences, a single paragraph."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.text.patterns import lazy
from engine.text.record import Record, replace

_NAMES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_MORE_NAMES = {"a single": 1, "single": 1, "a": 1, "thirty": 30, "forty": 40, "fifty": 50, "a hundred": 100}
_NUMBERS = {name: number for number, name in enumerate(_NAMES.split())} | _MORE_NAMES
_UNITS = {
    "word": "word",
    "sentence": "sentence",
    "paragraph": "paragraph",
    "line": "line",
    "bullet point": "bullet",
    "bullet": "bullet",
    "character": "character",
}
_NUMBER = rf"\d{{1,3}}(?:,\d{{3}})+|\d+|{'|'.join(map(re.escape, sorted(_NUMBERS, key=len, reverse=True)))}"
_AMOUNT = lazy(
    rf"""\b(?:
      (?P<most>at\ most|limits?\ (?:\w+\ ){{1,4}}to|no\ more\ than|not\ more\ than|up\ to|a\ maximum\ of
        |maximum(?:\ of)?|max\.?|not\ exceed(?:ing)?|does\ not\ exceed|within|not\ longer\ than|no\ longer\ than)
      |(?P<under>under|fewer\ than|less\ than|shorter\ than|below)
      |(?P<least>at\ least|no\ fewer\ than|no\ less\ than|not\ less\ than|a\ minimum\ of|minimum(?:\ of)?|min\.?)
      |(?P<over>more\ than|over|longer\ than|above|exceeds)
      |(?P<exact>exactly|precisely)
      |(?P<in>(?:is|in|has|uses|contains|of|be|have|only|just|an?(?=\ \d+-))(?:\ only|\ just)?)
      |(?P<between>between)
    )\ (?P<number>{_NUMBER})(?:(?P<to>\ (?:and|to|or)\ |\s?[-–]\s?)(?P<second>{_NUMBER}))?[\ -]
    (?P<unit>{"|".join(map(re.escape, _UNITS))})s?\b(?P<more>\ or\ (?:more|longer|fewer|less|shorter))?""",
    re.IGNORECASE | re.VERBOSE,
)
_PARTS = lazy(r"\b(?:each|every|per|first|last|opening|closing|title|heading|quote|quotes|example)\b", re.IGNORECASE)


_ENDS = lazy(r"\W*(?:$|(?:in\ (?:all|total)|only|long)\W*$)", re.VERBOSE)
_ITEMS = lazy(
    rf"""\b(?:
      (?P<exact>exactly|precisely|only|just)
      |(?P<least>at\ least|no\ fewer\ than|no\ less\ than|a\ minimum\ of)
      |(?P<most>at\ most|no\ more\ than|not\ more\ than|up\ to|a\ maximum\ of)
      |(?P<over>more\ than)
      |(?P<under>fewer\ than|less\ than)
      |(?P<plain>(?:lists?|gives?|names?|has|contains?|includes?|offers?|suggests?|uses?|asks?|provides?|presents?|writes?|proposes?
        |recommends?|mentions?|identif(?:y|ies))(?:\ me|\ us)?)
    )\ (?P<number>{_NUMBER})\ (?:(?:different|distinct|separate|further|specific|concrete|possible|main|key|short
      |good)\ )*
    (?P<noun>[a-z]+s)\b(?P<more>(?:,?\ (?:and\ |but\ )?(?:no|not)\ more|,?\ no\ fewer|\ or\ (?:more|fewer
      |less))\b)?(?P<rest>[^.!?;]*)""",
    re.IGNORECASE | re.VERBOSE,
)
_ABOUT = 0.5
_EXACT = ("exactly", "precisely")
_PARTS_OF_PARTS = ("paragraph", "sentence", "word", "character")
"""Units, each of which consists of one or more of the next."""


class Amount(Record):
    """From `least` to `most` of a unit, and the words that say so."""

    unit: str
    least: float
    most: float
    written: str

    def excludes(self, other: Amount) -> bool:
        """Whether no answer has both amounts: each paragraph has a sentence at least, each sentence a word."""
        if self.unit == other.unit:
            return self.most < other.least or other.most < self.least
        if self.unit not in _PARTS_OF_PARTS or other.unit not in _PARTS_OF_PARTS:
            return False
        longer, shorter = sorted((self, other), key=lambda each: _PARTS_OF_PARTS.index(each.unit))
        least = 2 * longer.least - 1 if (longer.unit, shorter.unit) == ("word", "character") else longer.least
        return shorter.most < least


@lru_cache(maxsize=4_000)
def amounts_in(text: str, *, is_order: bool = False) -> tuple[Amount, ...]:
    """The amounts that the whole answer should have; none where a text speaks of parts of it.

    An order to write "a poem of two lines" is one for the whole, "has two sentences on the price" is said of a part.
    """
    if not any(unit in text for unit in _UNITS) or _PARTS.search(text):
        return ()
    return tuple(each for found in _AMOUNT.finditer(text) if (each := _amount(found, is_order=is_order)) is not None)


def _amount(found: re.Match[str], *, is_order: bool) -> Amount | None:
    number, second = _value(found["number"]), found["second"]
    least = most = number
    more = found["more"]
    if second is not None:
        most = _value(second)
    elif found["most"]:
        least = 0
    elif found["under"]:
        least, most = 0, number - 1
    elif found["least"]:
        most = float("inf")
    elif found["over"]:
        least, most = number + 1, float("inf")
    elif more is not None and more.split()[-1] in ("more", "longer"):
        most = float("inf")
    elif more is not None:
        least = 0
    elif (
        found["in"]
        and found["in"].lower() in ("has", "uses", "contains", "have", "" if is_order else "of")
        and not _ENDS.match(found.string, found.end())
    ):
        return None
    return Amount(_UNITS[found["unit"].lower()], least, most, found[0]) if least <= most else None


def ordered_amounts(text: str) -> tuple[Amount, ...]:
    """The amounts in an order: "in 100 words" is followed by an answer of 50 to 150."""
    return tuple(
        replace(each, least=each.least * (1 - _ABOUT), most=each.most * (1 + _ABOUT))
        if 1 < each.least == each.most and each.unit == "word" and not each.written.lower().startswith(_EXACT)
        else each
        for each in amounts_in(text, is_order=True)
    )


@lru_cache(maxsize=4_000)
def items_in(text: str) -> Amount | None:
    """How many things of a kind an answer should have: “exactly four options”; None if a text does not say.

    “Lists three causes” wants at least three. The unit is the noun with what follows it.
    """
    found = _ITEMS.search(text) if _PARTS.search(text) is None else None
    if found is None or found["noun"].lower().rstrip("s") in _UNITS:
        return None
    number, most = _value(found["number"]), float("inf")
    least = number
    more = (found["more"] or "").lower()
    if found["exact"] or more.endswith(("no more", "not more")):
        most = number
    elif found["most"] or more.endswith(("or fewer", "or less")):
        least, most = 0, number
    elif found["under"]:
        least, most = 0, number - 1
    elif found["over"]:
        least = number + 1
    rest = found["rest"].strip().lower()
    return Amount(
        f"{found['noun'].lower()} {rest}".strip(), least, most, found[0][: len(found[0]) - len(found["rest"])]
    )


def _value(text: str) -> float:
    known = _NUMBERS.get(text.lower())
    return float(text.replace(",", "")) if known is None else float(known)
