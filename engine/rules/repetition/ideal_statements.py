"""What an ideal states, against what a criterion wants or forbids it to state: the same sentence, another number."""

from __future__ import annotations

import re

from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.words import word_set, words_of
from engine.text import in_quotes

_MOST_SHOWN = 60
SUBJECT = (
    r"\W*(?:(?:the\s+)?(?:whole\s+|entire\s+)?(?:response|answer|model|assistant|reply|output|summary|text|message|it)\s+)?"
    r"(?:(?:should|must)\s+)?"
)
"""How a criterion may begin."""


class Failure(Record):
    """What the ideal has, in words that follow “the ideal”; `is_certain` if anyone can see that it fails by it."""

    instead: str
    is_certain: bool = True


def cut(text: str) -> str:
    """The start of a text, on one line."""
    plain = " ".join(text.split())
    return plain if len(plain) <= _MOST_SHOWN else f"{plain[: _MOST_SHOWN - 1].rstrip()}…"


_SAYS = lazy(
    rf"{SUBJECT}(?:says?|states?|claims?|asserts?|mentions?|notes?|explains?|tells\s+the\s+\w+)\s+(?:that\s+)?(?P<what>.+?)\W*$",
    re.IGNORECASE,
)
_UNSURE = lazy(
    r"(?i)\b(?:no|not|never|myth|false|wrong|incorrect|claim\w*|if|whether|some|say|says|said|believe\w*|may|might|could"
    r"|misconception|contrary|although|while|unless|however|but|or)\b|n['’]t\b|[?\"“]"
)
_ARTICLES = frozenset({"the", "a", "an"})
_SENTENCE = lazy(r"(?<=[.!?])\s+|\n+")
_NAMES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_TENS = "thirty forty fifty sixty seventy eighty ninety"
NUMBER_VALUES = {name: str(value) for value, name in enumerate(_NAMES.split())} | {
    name: str(10 * tens) for tens, name in enumerate(_TENS.split(), 3)
}
"""The digits of numbers in words."""
_UNIT = (
    r"days?|weeks?|months?|years?|hours?|minutes?|seconds?|km|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|kg|kilograms?|grams?|mg|ml|lit(?:er|re)s?"
    r"|percent|per\s+cent|%|euros?|dollars?|pounds?|crowns|francs|degrees|people|members|votes|seats|states|judges|times|cups|tablets|volts?|watts?"
)
_MEASURE = lazy(
    rf"(?P<sign>[$€£])\s?(?P<money>\d[\d,]*(?:\.\d+)?)|(?<![\w.,/–-])(?P<number>\d[\d,]*(?:\.\d+)?|{'|'.join(NUMBER_VALUES)})[\s-]?(?P<unit>{_UNIT})(?!\w)",
    re.IGNORECASE,
)
_FACT = lazy(
    r"(?:the\s+)?(?P<head>(?:[\w'’-]+\s+){1,5}?)(?P<verb>is|are|was|takes?|lasts?|costs?|has|must\s+be|amounts?\s+to|runs?|ends?\s+after)\s+(?:exactly\s+|only\s+|usually\s+)?"
    rf"(?:[$€£]\s?\d[\d,.]*|(?:\d[\d,.]*|{'|'.join(NUMBER_VALUES)})[\s-]?(?:{_UNIT}))",
    re.IGNORECASE,
)
_ROUGH = lazy(
    r"(?i)\b(?:about|around|roughly|approximately|nearly|almost|between|to|up|over|under|least|most|more|less|than)\b|[~–±≈<>]"
)
_BOUNDED = lazy(r"(?i)\b(?:for|per|before|until|if|when|unless|after|as|during|in|each|every|plus)\b")
_NUMBER = lazy(rf"\d[\d,]*(?:\.\d+)?|\b(?:{'|'.join(NUMBER_VALUES)})\b")
_OF_HEADS = word_set("the a an of for in on to its their this that your total normal usual maximum minimum")


def failed_statement(text: str, ideal: str, *, wanted: bool) -> Failure | None:
    """A sentence that the ideal says though it should not, or a number of which it says another."""
    found = _SAYS.match(text)
    if found is None:
        return None
    what = found["what"]
    if not wanted:
        said = _said(what, ideal)
        return None if said is None else Failure(f"says {in_quotes(cut(said))}")
    return _other_number(what, ideal)


def _plain_words(text: str) -> list[str]:
    return [each.text for each in words_of(text) if each.text not in _ARTICLES]


def _said(what: str, ideal: str) -> str | None:
    """The sentence of the ideal that says `what` in the same words, with nothing that takes it back."""
    wanted = _plain_words(what)
    if len(wanted) < 3:
        return None
    for sentence in _SENTENCE.split(ideal):
        words = _plain_words(sentence)
        for at in range(len(words) - len(wanted) + 1):
            if words[at : at + len(wanted)] == wanted:
                rest = " ".join([*words[:at], ".", *words[at + len(wanted) :]])
                if _UNSURE.search(rest) is None and "?" not in sentence:
                    return sentence.strip()
    return None


def _measures(text: str) -> list[tuple[str, str]]:
    """The values and units of a text, both in one spelling."""
    found: list[tuple[str, str]] = []
    for each in _MEASURE.finditer(text):
        number = (each["money"] or each["number"]).lower().replace(",", "")
        unit = each["sign"] or each["unit"].lower().rstrip("s").replace("metre", "meter").replace("litre", "liter")
        unit = {
            "per cent": "percent",
            "%": "percent",
            "kilometer": "km",
            "kilogram": "kg",
            "dollar": "$",
            "euro": "€",
        }.get(unit, unit)
        found.append((_plain_value(number), unit))
    return found


def _other_number(what: str, ideal: str) -> Failure | None:
    """The sentence of the ideal that gives another number in the same unit for the same thing."""
    fact, asked = _FACT.match(what), _measures(what)
    if fact is None or len(asked) != 1 or _ROUGH.search(what) is not None or _BOUNDED.search(what, fact.end()):
        return None
    value, unit = asked[0]
    head = _head(fact)
    told = [each for each, of in _measures(ideal) if of == unit]
    if not head or len(told) != 1 or value in {_plain_value(word) for word in _NUMBER.findall(ideal.lower())}:
        return None
    for sentence in _SENTENCE.split(ideal):
        said = _FACT.match(sentence)
        if said is None or _head(said) != head or [of for _, of in _measures(said[0])] != [unit]:
            continue
        is_past = said["verb"].lower() == "was"
        if is_past is (fact["verb"].lower() == "was") and _BOUNDED.search(sentence, said.end()) is None:
            return Failure(f"says {in_quotes(cut(sentence))}")
    return None


def _head(fact: re.Match[str]) -> frozenset[str]:
    return frozenset(word for word in _plain_words(fact["head"]) if word not in _OF_HEADS)


def _plain_value(number: str) -> str:
    digits = NUMBER_VALUES.get(number, number).replace(",", "")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
