"""Finds criteria in words that the prompt's own ideal fails, by what its form and its letters show.

An amount, a link, a list, a word in quotation marks, a name, the first or the last words, a refusal, a number: each is
seen in the ideal without understanding it. What a criterion means beyond that is left to judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.blueprint import Point
from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.answer_facts import (
    SHOWN,
    certainly_lacks,
    count_of,
    list_items,
    may_refuse,
    refusal_in,
    shown_in,
)
from engine.rules.language.demands import last_word
from engine.rules.language.described_ideals import describes_answer
from engine.rules.language.features import has, lacks
from engine.rules.language.named_features import Feature
from engine.rules.language.permissions import permission_in
from engine.rules.language.words import all_words, is_english, word_set, words_of
from engine.rules.repetition.conflicting_texts import PlacedText
from engine.rules.repetition.ideal_statements import NUMBER_VALUES, SUBJECT, Failure, cut, failed_statement
from engine.rules.wanted_amounts import Amount, amounts_in, items_in
from engine.text import in_quotes

_LONGEST = 300
_MOST_READ = 8_000
"""How long an ideal may be: of a longer one, nothing is said."""
_TOLERANCE = 1.2
"""Nobody counts words exactly."""


class FailedByIdeal(Record):
    """A point that the prompt's own ideal does not meet, the words of the point, and what the ideal has instead.

    `is_certain`: anyone can count or see it; else it is very likely.
    """

    point: Point
    words: str
    instead: str
    is_certain: bool = True


def failed_by_ideal(required: Sequence[PlacedText], ideal: str) -> Iterator[FailedByIdeal]:
    """The texts that the ideal fails, by what can be seen of it."""
    texts = [each for each in required if _is_comparable(each.text)]
    if not texts or not ideal.strip() or len(ideal) > _MOST_READ or describes_answer(ideal):
        return
    ideal = ideal.strip()
    for each in texts:
        found = _failure(each.text, ideal, wanted=each.wanted)
        if found is not None:
            yield FailedByIdeal(each.point, each.text, found.instead, found.is_certain)


_CHOICES = word_set("if unless until except where whenever or either such example instead rather")
"""Words of a condition or a choice, with which an ideal may meet the criterion all the same."""
_SIGNS = word_set(
    """refuse refuses decline declines emoji emojis list lists bullet bullets bulleted numbered table tables heading
    headings headline headlines header headers link links url urls hyperlink hyperlinks question questions
    exclamation number numbers digit digits numeral numerals code hashtag hashtags bold email mail phone
    telephone percentage percentages apology apologies apologise apologises apologize apologizes quotation
    quotations quote quotes word words sentence sentences paragraph paragraphs character characters say says
    state states claim claims that name names mention mentions cite cites items exactly"""
)
_QUOTE = lazy(r"(?<!\w)[\"“‘'`]")


@lru_cache(maxsize=20_000)
def _is_comparable(text: str) -> bool:
    """Whether a text has a sign of something that can be seen, and neither a condition nor a choice."""
    words = all_words(text)
    if len(text) > _LONGEST or not _CHOICES.isdisjoint(words):
        return False
    if _SIGNS.isdisjoint(words) and _QUOTE.search(text) is None:
        return False
    return is_english(words_of(text)) and permission_in(text) is None


def _failure(text: str, ideal: str, *, wanted: bool) -> Failure | None:
    return (
        _failed_amount(text, ideal, wanted=wanted)
        or _failed_literal(text, ideal, wanted=wanted)
        or _failed_end(text, ideal, wanted=wanted)
        or _failed_form(text, ideal, wanted=wanted)
        or _failed_name(text, ideal, wanted=wanted)
        or _failed_refusal(text, ideal, wanted=wanted)
        or failed_statement(text, ideal, wanted=wanted)
    )


_OF_CONTENT = lazy(r"\b(?:that|how|why|what|which|who|whether)\b", re.IGNORECASE)
_OF_WHOLE = lazy(
    rf"""{SUBJECT}(?:(?:is|are|be|has|have|answers?|replies|reply|responds?|consists?\s+of|contains?|uses?|keeps?(?:\s+to)?|stays?|remains?|runs?
    |(?:does\s+not\s+)?exceeds?|exceed|limits?\s+itself\s+to|fits?|takes?|comprises?|goes|go)\b|at\s+(?:most|least)|under|fewer|less|more|no\s+more|exactly|between
    |longer|shorter|over|within|up\s+to)""",
    re.IGNORECASE | re.VERBOSE,
)
_WITH_ONE = lazy(
    rf"{SUBJECT}(?:answers?|replies|reply|responds?)\s+(?:only\s+)?(?:with|in)\s+(?:just\s+|only\s+|exactly\s+)?(?:one|a\s+single)\s+"
    r"(?P<unit>word|sentence|paragraph)(?:\s+only)?\W*$",
    re.IGNORECASE,
)
_LENGTH = lazy(
    rf"{SUBJECT}(?:(?:is|runs(?:\s+to)?|contains|uses|has)\s+)?(?P<over>exceeds?|over|longer\s+than|more\s+than|goes\s+over|runs\s+over)\s+(?P<number>\d[\d,]*|{'|'.join(NUMBER_VALUES)})\s+"
    r"(?P<unit>word|sentence|paragraph|character)s?(?:\s+long)?\W*$",
    re.IGNORECASE,
)


def _failed_amount(text: str, ideal: str, *, wanted: bool) -> Failure | None:
    """An amount that the ideal misses, or has though it should not."""
    for amount in _amounts(text):
        counts = count_of(amount.unit, ideal)
        if counts is None:
            continue
        fewest, most = counts
        margin = _TOLERANCE if amount.unit == "word" else 1.0
        too_many, too_few = fewest > amount.most * margin, most * margin < amount.least
        is_within = fewest >= amount.least * (1 if amount.least <= 1 else margin) and most * margin <= amount.most
        if (too_many or too_few) if wanted else is_within and _LENGTH.match(text) is not None:
            count = fewest if too_many or not wanted else most
            return Failure(f"has {count} {amount.unit}{'' if count == 1 else 's'}")
    items = items_in(text) if wanted and _OF_CONTENT.search(text) is None else None
    count = 0 if items is None or " " in items.unit else list_items(ideal)
    is_open = count < (0 if items is None else items.least) and re.search(r",|\band\b", ideal) is not None
    if items is not None and count and not is_open and not items.least <= count <= items.most:
        return Failure(f"is a list of {count}")
    return None


def _value(number: str) -> int:
    return int(NUMBER_VALUES.get(number.lower(), number.replace(",", "")))


def _amounts(text: str) -> tuple[Amount, ...]:
    if _OF_CONTENT.search(text) is not None:
        return ()
    one = _WITH_ONE.match(text)
    if one is not None:
        return (Amount(one["unit"].lower(), 1, 1, one[0]),)
    length = _LENGTH.match(text)
    if length is not None:
        return (Amount(length["unit"].lower(), _value(length["number"]) + 1, float("inf"), length[0]),)
    return amounts_in(text) if _OF_WHOLE.match(text) is not None else ()


_QUOTED = r"""["“‘'`](?P<word>[^"”’'`]{1,60}?)[.,]?["”’'`]"""
_LITERAL = lazy(
    rf"""{SUBJECT}(?P<not>(?:(?:does|do|should|must)\s+not|doesn['’]t|shouldn['’]t|not|never|avoids?)\s+)?
    (?:us(?:e|es|ing)|sa(?:y|ys|ying)|mention(?:s|ing)?|contain(?:s|ing)?|includ(?:e|es|ing)|nam(?:e|es|ing)|quot(?:e|es|ing)|cit(?:e|es|ing)|writ(?:e|es|ing)|has)\s+
    (?:the\s+)?(?:(?:exact\s+|literal\s+)?(?P<kind>words?|terms?|phrases?|expression|name|string|text)\s+)?{_QUOTED}\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_END = lazy(
    rf"""{SUBJECT}(?P<not>(?:does\s+not|doesn['’]t|never)\s+)?(?P<verb>begin|start|open|end|close|finish|conclude)s?\s+with\s+(?:the\s+)?(?:(?:exact\s+)?(?:words?|phrase|sentence)\s+)?
    (?:{_QUOTED}|an?\s+(?:\w+\s+)?(?P<question>question)(?:\s+mark)?)\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_AT_END = ("end", "close", "finish", "conclude")


def _failed_literal(text: str, ideal: str, *, wanted: bool) -> Failure | None:
    """A word in quotation marks that the ideal has or lacks."""
    found = _LITERAL.match(text)
    if found is None:
        return None
    word = found["word"].strip()
    place = _find(word, ideal)
    if (found["not"] is None) is not wanted:
        return None if place is None else Failure(f"has {in_quotes(place[0])} in {in_quotes(_around(ideal, place))}")
    is_literal = (
        found["kind"] is not None
        or re.match(r"(?i)\W*(?:the\s+\w+\s+)?(?:contains?|includes?|uses?)\b", text) is not None
    )
    return Failure(f"has no {in_quotes(word)}") if is_literal and not _shares_a_word(word, ideal) else None


def _find(word: str, ideal: str) -> re.Match[str] | None:
    spaced = r"\s+".join(map(re.escape, word.split()))
    return re.search(rf"(?<!\w){spaced}(?!\w)", ideal, re.IGNORECASE) if spaced else None


def _shares_a_word(name: str, ideal: str) -> bool:
    """Whether the ideal has a part of a name, or what may stand for it: its stems, its first letters."""
    plain = ideal.lower().replace(".", "").replace("-", "").replace("’", "'")
    parts = [part for part in re.findall(r"\w+", name.lower()) if len(part) > 2] or [name.lower()]
    initials = "".join(part[0] for part in re.findall(r"\w+", name.lower()))
    letters = "".join(part[0] for part in re.findall(r"\b[A-Z]\w*", name)).lower()
    return any(part[: max(4, len(part) - 3)] in plain for part in parts) or any(
        len(each) > 1 and re.search(rf"\b{re.escape(each)}", plain) for each in (initials, letters)
    )


def _around(ideal: str, place: re.Match[str]) -> str:
    start = ideal.rfind(" ", 0, max(0, place.start() - 12)) + 1
    end = ideal.find(" ", min(len(ideal), place.end() + 12))
    return cut(ideal[start : len(ideal) if end < 0 else end])


def _failed_end(text: str, ideal: str, *, wanted: bool) -> Failure | None:
    """How the ideal begins or ends."""
    found = _END.match(text)
    if found is None:
        return None
    at_end = found["verb"].lower() in _AT_END
    plain = " ".join(ideal.split()).strip(" *_#>\"“”'`")
    shown = cut(plain[-40:] if at_end else plain[:40])
    if found["question"] is not None:
        if at_end:
            meets = re.search(r"\?[\"”’')*_\s]*$", plain) is not None
            is_certain = meets or "?" not in plain[-200:]
        else:
            meets = re.match(r"[^.!?]*\?", plain) is not None
            is_certain = meets or "?" not in plain[:200]
    else:
        word, lower = re.sub(r"\W+$", "", found["word"]).lower(), re.sub(r"\W+$", "", plain).lower()
        meets = re.search(rf"(?<!\w){re.escape(word)}$" if at_end else rf"^{re.escape(word)}(?!\w)", lower) is not None
        is_certain = bool(word)
    is_wanted = wanted is (found["not"] is None)
    if meets is is_wanted or not is_certain:
        return None
    return Failure(f"{'ends with' if at_end else 'begins with'} “{'…' if at_end and len(plain) > 40 else ''}{shown}”")


_FORM_SIGNS = {"number": lazy(r"\b(?:digits?|numerals?|numbers)\b", re.IGNORECASE)}
_MARKS = lazy(r"\b(?:bullet|numbered)", re.IGNORECASE)
_DESCRIBED: dict[tuple[str, str], str] = {
    ("number", "phone"): "phone",
    ("number", "telephone"): "phone",
    ("address", "email"): "email",
    ("address", "e-mail"): "email",
    ("block", "code"): "code-block",
    ("code", ""): "code-block",
    ("text", "bold"): "bold",
}
"""Kinds that two words name."""
_NEVER_MISSED = ("number", "phone", "percentage", "quotation", "apology", "code-block", "bold", "heading")
"""An author may mean these in a wider sense, so that an ideal without one may still meet the criterion."""
_JOINED = lazy(r"\b(?:and|without|but|only|too|overly|unnecessary|excessive|invented|fake|broken)\b", re.IGNORECASE)


_HAS = lazy(
    rf"{SUBJECT}(?:us|includ|contain|ha|add|provid|giv|offer|format|is|are|present|display|insert|show|ask|end|clos|finish|conclud|begin"
    r"|start|open|apologi|quot|mak|writ|put)(?:e|s|es|ed|ve|ze|se|zes|ses)?\b",
    re.IGNORECASE,
)
_ASKS = lazy(
    rf"{SUBJECT}(?:asks?|includes?|contains?|has|poses?|ends?\s+with|closes?\s+with)\s+(?:at\s+least\s+)?(?:an?|one|two|three|\d)\s+(?:[\w-]+\s+){{0,2}}questions?\b",
    re.IGNORECASE,
)
_LINKING = lazy(r"(?:^|\bnot\s|\bnever\s|\bavoids?\s|\w+ly\s)\W*link(?:s|ing)?\b", re.IGNORECASE)
"""The verb, “links poverty to crime”."""


def _kind_of(each: Feature, text: str) -> str | None:
    if each.noun == "exclamation-mark" and "xclamation" not in text:
        return "question"
    if not each.content and each.noun in SHOWN:
        return each.noun
    return _DESCRIBED.get((each.noun, " ".join(sorted(each.content))))


def _failed_form(text: str, ideal: str, *, wanted: bool) -> Failure | None:
    """A thing that the ideal has or lacks, by what its form shows."""
    if _LINKING.search(text) is not None:
        return None
    of_answer = _HAS.match(text) is not None
    positive = has(text) if of_answer and wanted else ()
    negative = lacks(text) if wanted else has(text) if of_answer else ()
    for each in negative:
        kind = None if each.is_bounded or _JOINED.search(text) is not None else _kind_of(each, text)
        if kind is None or (kind in _FORM_SIGNS and _FORM_SIGNS[kind].search(text) is None):
            continue
        shown = shown_in(ideal, kind)
        if shown is not None:
            return Failure(f"has {in_quotes(cut(shown))}")
    for each in positive:
        kind = _kind_of(each, text)
        if kind is None or kind in _NEVER_MISSED or (kind == "list" and _MARKS.search(text) is None):
            continue
        if kind == "question" and _ASKS.match(text) is None:
            continue
        if certainly_lacks(ideal, kind):
            return Failure(f"has no {SHOWN[kind].name}")
    return None


_NAMED = lazy(
    r"\W*(?:(?:[Tt]he\s+)?(?:response|answer|model|assistant|reply|it)\s+)?(?P<verb>[Mm]entions?|[Nn]ames?|[Cc]ites?)\s+(?:the\s+)?"
    r"(?P<name>[A-Z][\w'’-]*(?:\s+(?:(?:of|the|for|and|de|von)\s+)*[A-Z][\w'’-]*)*)(?:\s+by\s+name)?\W*$"
)


def _failed_name(text: str, ideal: str, *, wanted: bool) -> Failure | None:
    """A proper name that the ideal has or lacks, where the criterion says nothing else."""
    found = _NAMED.match(text)
    if found is None:
        return None
    name = found["name"]
    if not wanted:
        place = _find(name, ideal)
        return None if place is None else Failure(f"has {in_quotes(place[0])} in {in_quotes(_around(ideal, place))}")
    if len(name.split()) < 2 or name.isupper() or _shares_a_word(name, ideal):
        return None  # one word has too many synonyms: Holland, the Netherlands
    return Failure(f"does not have {in_quotes(name)}", is_certain=False)


_REFUSES = lazy(
    rf"{SUBJECT}(?:\w+ly\s+)?(?:refuses?|declines?)(?P<what>\s+to\s+(?:answer|help|assist|comply|respond|engage|provide|give|write|do|explain"
    r"|offer|share)\b[^.;,]*|\s+the\s+(?:request|question|task)\b[^.;,]*)?\W*$",
    re.IGNORECASE,
)
_BARE = lazy(
    r"\s*(?:to\s+(?:answer|help|comply))?(?:\s+with)?(?:\s+(?:the|this)\s+(?:user['’]s\s+)?(?:request|question|task))?",
    re.IGNORECASE,
)
"""Who withholds a detail refuses to give it without a word; not so the whole request."""


def _failed_refusal(text: str, ideal: str, *, wanted: bool) -> Failure | None:
    """A refusal that is there or not."""
    found = _REFUSES.match(text)
    if found is None:
        return None
    if wanted:
        is_bare = _BARE.fullmatch(found["what"] or "") is not None
        return None if not is_bare or may_refuse(ideal) else Failure("has no word of refusal", is_certain=False)
    words = refusal_in(ideal)
    last = last_word(text)
    is_of_it = _BARE.fullmatch(found["what"] or "") is not None or (words is not None and last in words.lower())
    return None if words is None or not is_of_it else Failure(f"begins with {in_quotes(cut(words))}")
