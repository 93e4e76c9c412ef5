"""Finds criteria in words that the prompt's own ideal fails, by what its form and its letters show.

An amount, a text in quotation marks, the first or the last words: each is seen in the ideal without understanding it.
What a criterion means beyond that is left to judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from engine.blueprint import Point
from engine.patterns import lazy
from engine.record import Record
from engine.rules.described_ideals import describes_answer
from engine.rules.phrases.families import found_in
from engine.rules.repetition.stated_forms import SUBJECT, Literal, PlacedText, literal_in
from engine.rules.wanted_amounts import Amount, amounts_in, items_in
from engine.rules.words import all_words, word_set
from engine.text import in_quotes

_LONGEST = 300
_MOST_READ = 8_000
"""How long an ideal may be: of a longer one, nothing is said."""
_MOST_SHOWN = 60
_TOLERANCE = 1.2
"""Nobody counts words exactly."""
_CHOICES = word_set("if unless until except where whenever or either such example instead rather")
"""Words of a condition or a choice, with which an ideal may meet the criterion all the same."""
_OF_CONTENT = lazy(r"\b(?:that|how|why|what|which|who|whether)\b", re.IGNORECASE)
_OF_WHOLE = lazy(
    rf"""{SUBJECT}(?:(?:is|are|be|has|have|answers?|repl(?:ies|y)|responds?|consists?\s+of|contains?|uses?|keeps?(?:\s+to)?
      |stays?|remains?|runs?|(?:does\s+not\s+)?exceeds?|limits?\s+itself\s+to|fits?|takes?|comprises?|goes|go)\b
    |at\s+(?:most|least)|under|fewer|less|more|no\s+more|exactly|between|longer|shorter|over|within|up\s+to)""",
    re.IGNORECASE | re.VERBOSE,
)
_LENGTH = lazy(
    rf"{SUBJECT}(?:(?:is|runs(?:\s+to)?|contains|uses|has)\s+)?(?:exceeds?|over|longer\s+than|more\s+than|goes\s+over)\s+",
    re.IGNORECASE,
)
_LETTER = lazy(r"\w")
_BLANK = lazy(r"\n[ \t]*\n")
_END = lazy(r"(?<![.!?])[.!?]++[\"”’')\]*_]*\s+(?=[\"“‘'(*_]*[A-Z])")
_ABBREVIATED = lazy(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Art|Sec|Fig|Vol|Inc|Ltd|Co|vs|etc|approx|ca|cf|al|Jr|Sr|e\.g|i\.e|a\.m|p\.m)"
    r"|\b[A-Za-z]|(?:^|\n)\s*\d+)$"
)
"""Before a stop that ends no sentence."""
_ANY_END = lazy(r"(?<![.!?;:])[.!?;:]++(?=\s|$)|\n+")
_ITEM = lazy(r"^[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]+\S.*$", re.MULTILINE)
_INLINE_ITEM = lazy(r"(?:^|\s)(?:[-*•–]|\(?\d{1,2}[.)])\s")


class FailedByIdeal(Record):
    """A point that the prompt's own ideal does not meet, the words of the point, and what the ideal has instead."""

    point: Point
    words: str
    instead: str


def failed_by_ideal(required: Sequence[PlacedText], ideal: str) -> Iterator[FailedByIdeal]:
    """The texts that the ideal fails, by what can be seen of it."""
    ideal = ideal.strip()
    if not ideal or len(ideal) > _MOST_READ:
        return
    for each in required:
        if len(each.text) > _LONGEST or not _CHOICES.isdisjoint(all_words(each.text)):
            continue
        instead = _failed_amount(each.text, ideal, wanted=each.wanted) or _failed_literal(
            each.text, ideal, wanted=each.wanted
        )
        if instead is not None and "optional-point" not in found_in(each.text) and not describes_answer(ideal):
            yield FailedByIdeal(each.point, each.text, instead)


def _failed_amount(text: str, ideal: str, *, wanted: bool) -> str | None:
    """The amount that the ideal has in the place of the wanted one, or that it has though it should not."""
    if _OF_CONTENT.search(text) is not None:
        return None
    for amount in amounts_in(text) if _OF_WHOLE.match(text) is not None else ():
        counts = count_of(amount.unit, ideal)
        if counts is None:
            continue
        fewest, most = counts
        margin = _TOLERANCE if amount.unit == "word" else 1.0
        too_many, too_few = fewest > amount.most * margin, most * margin < amount.least
        is_within = fewest >= amount.least * (1 if amount.least <= 1 else margin) and most * margin <= amount.most
        if (too_many or too_few) if wanted else is_within and _LENGTH.match(text) is not None:
            count = fewest if too_many or not wanted else most
            return f"has {count} {amount.unit}{'' if count == 1 else 's'}"
    return _failed_items(items_in(text), ideal) if wanted else None


def _failed_items(items: Amount | None, ideal: str) -> str | None:
    count = 0 if items is None or " " in items.unit else list_items(ideal)
    is_open = count < (0 if items is None else items.least) and re.search(r",|\band\b", ideal) is not None
    is_met = items is None or not count or is_open or items.least <= count <= items.most
    return None if is_met else f"is a list of {count}"


def _failed_literal(text: str, ideal: str, *, wanted: bool) -> str | None:
    """What the ideal has in the place of a quoted text that it should hold, begin or end with, or has of one."""
    found = literal_in(text)
    if found is None:
        return None
    is_wanted = found.is_wanted is wanted
    if found.place:
        return _failed_end(found, ideal, is_wanted=is_wanted)
    spaced = r"\s+".join(map(re.escape, found.word.split()))
    place = re.search(rf"(?<!\w){spaced}(?!\w)", ideal, re.IGNORECASE)
    if not is_wanted:
        return None if place is None else f"has {in_quotes(place[0])} in {in_quotes(_around(ideal, place))}"
    is_missing = place is None and found.is_exact and not _shares_a_word(found.word, ideal)
    return f"has no {in_quotes(found.word)}" if is_missing else None


def _failed_end(found: Literal, ideal: str, *, is_wanted: bool) -> str | None:
    at_end = found.place == "end"
    plain = " ".join(ideal.split()).strip(" *_#>\"“”'`")
    word, lower = re.sub(r"\W+$", "", found.word).lower(), re.sub(r"\W+$", "", plain).lower()
    meets = re.search(rf"(?<!\w){re.escape(word)}$" if at_end else rf"^{re.escape(word)}(?!\w)", lower) is not None
    if not word or meets is is_wanted:
        return None
    shown = _cut(plain[-40:] if at_end else plain[:40])
    return f"{'ends with' if at_end else 'begins with'} “{'…' if at_end and len(plain) > 40 else ''}{shown}”"


def _shares_a_word(name: str, ideal: str) -> bool:
    """Whether the ideal has a part of a name, or what may stand for it: its stems, its first letters."""
    plain = ideal.lower().replace(".", "").replace("-", "").replace("’", "'")
    parts = [part for part in re.findall(r"\w+", name.lower()) if len(part) > 2] or [name.lower()]
    initials = "".join(part[0] for part in re.findall(r"\w+", name.lower()))
    return any(part[: max(4, len(part) - 3)] in plain for part in parts) or (
        len(initials) > 1 and re.search(rf"\b{re.escape(initials)}", plain) is not None
    )


def _around(ideal: str, place: re.Match[str]) -> str:
    start = ideal.rfind(" ", 0, max(0, place.start() - 12)) + 1
    end = ideal.find(" ", min(len(ideal), place.end() + 12))
    return _cut(ideal[start : len(ideal) if end < 0 else end])


def _cut(text: str) -> str:
    """The start of a text, on one line."""
    plain = " ".join(text.split())
    return plain if len(plain) <= _MOST_SHOWN else f"{plain[: _MOST_SHOWN - 1].rstrip()}…"


def count_of(unit: str, text: str) -> tuple[int, int] | None:
    """The fewest and the most words, sentences, paragraphs, characters or bullets that `text` can be said to have.

    None for a unit that the form does not show, as lines: an author may have wrapped them.
    """
    match unit:
        case "word":
            words = _lettered(text.split())
            return words, words
        case "paragraph":
            return _lettered(_BLANK.split(text)), _lettered(text.splitlines())
        case "character":
            return len(text.strip()), len(text.strip())
        case "sentence":
            return _sentences(text)
        case "bullet":
            return len(_ITEM.findall(text)), max(len(_ITEM.findall(text)), len(_INLINE_ITEM.findall(text)))
        case _:
            return None


def _lettered(parts: Iterable[str]) -> int:
    """How many of `parts` have a letter or a digit."""
    return sum(_LETTER.search(part) is not None for part in parts)


def _sentences(text: str) -> tuple[int, int]:
    ends = [
        end for end in _END.finditer(text) if _ABBREVIATED.search(text[max(0, end.start() - 12) : end.start()]) is None
    ]
    starts = [0, *(end.end() for end in ends)]
    parts = [text[start:stop] for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]
    fewest = sum(_lettered(part.split()) > 1 for part in parts)
    most = _lettered(_ANY_END.split(text))
    return max(fewest, 1), max(most, fewest, 1)


def list_items(text: str) -> int:
    """The number of items of a text that is one list, with at most a line before and after it; 0 for other texts."""
    lines = [line for line in text.splitlines() if line.strip()]
    items = [index for index, line in enumerate(lines) if _ITEM.match(line) and not line.startswith((" ", "\t"))]
    if len(items) < 2 or items != list(range(items[0], items[-1] + 1)):
        return 0
    return len(items) if items[0] <= 1 and items[-1] >= len(lines) - 2 else 0
