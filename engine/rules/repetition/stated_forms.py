"""What criteria in words say of the form of an answer, and which of it no answer has together.

An amount ("at most 50 words"), a text in quotation marks, a beginning and an end are read; what a criterion means
beyond that is left to judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from engine.blueprint import Point, Prompt, Role
from engine.patterns import lazy
from engine.record import Record
from engine.rules.repetition.exclusive_checks import Shape
from engine.rules.wanted_amounts import Amount, amounts_in, items_in, ordered_amounts

_MOST_TEXTS = 40
"""How many texts of one prompt are compared."""
_MOST_READ = 4_000
"""How much of a message is read."""
SUBJECT = (
    r"\W*(?:(?:the\s+)?(?:whole\s+|entire\s+)?(?:response|answer|model|assistant|reply|output|summary|text|message|it)\s+)?"
    r"(?:(?:should|must)\s+)?"
)
"""How a criterion may begin."""
_NOT = r"(?P<not>(?:(?:does|do|should|must)\s+not|not|doesn['’]t|shouldn['’]t|never|avoids?)\s+)?"
_QUOTED = r"""["“‘'`](?P<word>[^"”’'`]{1,60}?)[.,]?["”’'`]"""
_LITERAL = lazy(
    rf"""{SUBJECT}{_NOT}
    (?:us(?:e|es|ing)|sa(?:y|ys|ying)|mention(?:s|ing)?|contain(?:s|ing)?|includ(?:e|es|ing)|nam(?:e|es|ing)|quot(?:e|es|ing)
      |cit(?:e|es|ing)|writ(?:e|es|ing)|has)\s+
    (?:the\s+)?(?:(?:exact\s+|literal\s+)?(?P<kind>words?|terms?|phrases?|expression|name|string|text)\s+)?{_QUOTED}\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_END = lazy(
    rf"""{SUBJECT}{_NOT}(?P<verb>begin|start|open|end|close|finish|conclude)s?\s+with\s+(?:the\s+)?
    (?:(?:exact\s+)?(?:words?|phrase|sentence)\s+)?{_QUOTED}\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_AT_END = frozenset({"end", "close", "finish", "conclude"})
_OF_CONTENT = lazy(r"\b(?:that|how|why|what|which|who|whether)\b", re.IGNORECASE)
_ORDERS = lazy(
    r"\b(?:answer|reply|respond|response|write|use|keep|limit|summari[sz]e|explain|describe|give|list|name|compose|draft"
    r"|make|in\s+(?:at\s+most|no\s+more|exactly|only|under))\b",
    re.IGNORECASE,
)
_OF_PARTS = lazy(r"\bfirst\b[^.!?]*\b(?:then|afterwards|after that|followed by|second(?:ly)?|next)\b", re.IGNORECASE)
"""An order for several parts of an answer: what is said of one is not said of the whole."""
_SENTENCE_END = lazy(r"(?<=[.!?])\s+|\n+")
_DOCUMENT = lazy(
    r"^\W{0,12}(?:(?:begin|start)(?: of)?(?: the)? )?"
    r"(?:document|article|e-?mail|passage|context|transcript|source|file)\b[^\n.?!]{0,20}"
    r"(?:[>\]:=-]|start|begin)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a document begins that a message encloses: what stands in there orders nothing of the author's."""


class Literal(Record):
    """A text in quotation marks that an answer holds, begins or ends with (`place`), or must not (`is_wanted`).

    `is_exact`: it is named as a word or a text, not as what the answer speaks of.
    """

    word: str
    place: str
    is_wanted: bool
    is_exact: bool


@lru_cache(maxsize=4_000)
def literal_in(text: str) -> Literal | None:
    """The quoted text that a criterion is about, if it says nothing else."""
    found = _END.match(text) if '"' in text or "'" in text or "“" in text or "`" in text or "‘" in text else None
    if found is not None:
        place = "end" if found["verb"].lower() in _AT_END else "start"
        return Literal(found["word"].strip(), place, found["not"] is None, is_exact=True)
    found = _LITERAL.match(text)
    if found is None:
        return None
    is_exact = found["kind"] is not None or re.match(rf"{SUBJECT}(?:contain|include|use)s?\b", text, re.I) is not None
    return Literal(found["word"].strip(), "", found["not"] is None, is_exact)


def shape_of_text(text: str) -> Shape | None:
    """How an answer begins or ends that meets a criterion; None if it does not say."""
    found = literal_in(text)
    if found is None or not found.place or not found.is_wanted:
        return None
    start, end = (found.word, "") if found.place == "start" else ("", found.word)
    return Shape(text, start=start, end=end, ignores_case=True)


class PlacedText(Record):
    """A text point, and whether an answer should meet it."""

    point: Point
    text: str
    wanted: bool


class Conflict(Record):
    """Two points that no answer meets both, in source order, and the words of each that say so."""

    one: PlacedText
    other: PlacedText
    one_words: str
    other_words: str


def required_texts(prompt: Prompt) -> list[PlacedText]:
    """The required text points of both blocks, up to a number that can be compared with each other."""
    return [
        PlacedText(point, point.text, not rubric.block.inverted)
        for rubric in prompt.rubrics
        for point in rubric.required[: 2 * _MOST_TEXTS]
        if point.text is not None and point.function is None
    ]


def forbidden_text(required: Sequence[PlacedText]) -> Conflict | None:
    """The first two texts of which one wants the quoted text that the other forbids; None if there are none."""
    first: dict[tuple[str, str], tuple[PlacedText, bool]] = {}
    for each in required:
        found = literal_in(each.text)
        if found is not None:
            wanted = found.is_wanted is each.wanted
            earlier, was_wanted = first.setdefault((found.word.casefold(), found.place), (each, wanted))
            if was_wanted is not wanted:
                return _conflict(earlier, each, earlier.text, each.text)
    return None


def _conflict(one: PlacedText, other: PlacedText, one_words: str, other_words: str) -> Conflict:
    if one.point.span.start <= other.point.span.start:
        return Conflict(one, other, one_words, other_words)
    return Conflict(other, one, other_words, one_words)


def exclusive_texts(required: Sequence[PlacedText]) -> Conflict | None:
    """The first two wanted texts that no answer meets both, by their amounts, beginnings or ends."""
    texts = [each for each in required if each.wanted][:_MOST_TEXTS]
    stated = [each for each in texts if _amounts(each.text) or items_in(each.text) or shape_of_text(each.text)]
    for one, other in combinations(stated, 2):
        words = exclusive_words(one.text, other.text)
        if words is not None:
            return _conflict(one, other, *words)
    return None


def exclusive_words(one: str, other: str) -> tuple[str, str] | None:
    """The words by which two criteria exclude each other, in their form alone; None if they do not."""
    first, second = shape_of_text(one), shape_of_text(other)
    if first is not None and second is not None and first.excludes(second):
        return one, other
    for left in _amounts(one):
        for right in _amounts(other):
            if left.excludes(right):
                return left.written, right.written
    left, right = items_in(one), items_in(other)
    is_excluded = left is not None and right is not None and left.unit == right.unit and left.excludes(right)
    return (left.written, right.written) if is_excluded and left is not None and right is not None else None


def _amounts(text: str) -> tuple[Amount, ...]:
    """What a criterion says of the length of an answer; what it says of the content is no amount of the answer."""
    return () if _OF_CONTENT.search(text) is not None else amounts_in(text)


class Order(Record):
    """A point that loses if the prompt is obeyed, with the sentence of the prompt."""

    point: Point
    sentence: str
    is_of_system: bool


def disobeying(required: Sequence[PlacedText], prompt: Prompt) -> Order | None:
    """The first point whose amount only an answer has that disobeys the prompt; None if there is none."""
    wanted = [(each, amounts) for each in required if each.wanted and (amounts := _amounts(each.text))]
    for sentence, is_of_system in _orders(prompt) if wanted else ():
        ordered = ordered_amounts(sentence)
        for each, amounts in wanted:
            if any(one.excludes(other) for one in ordered for other in amounts):
                return Order(each.point, sentence, is_of_system)
    return None


def _orders(prompt: Prompt) -> Iterator[tuple[str, bool]]:
    """The sentences of the system prompt (True) and of the last message (False) that may order something."""
    system = prompt.system if isinstance(prompt.system, str) else ""
    last = prompt.messages[-1] if prompt.messages else None
    asked = last.content if last is not None and last.role is Role.USER and last.content is not None else ""
    for text, is_of_system in ((system[:_MOST_READ], True), (asked[:_MOST_READ], False)):
        document = _DOCUMENT.search(text) if "\n" in text else None
        for sentence in _SENTENCE_END.split(text if document is None else text[: document.start()]):
            if _ORDERS.search(sentence) is not None and _OF_PARTS.search(sentence) is None:
                yield sentence.strip(), is_of_system
