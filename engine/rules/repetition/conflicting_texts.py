"""Finds criteria in words that no answer meets together, and those that the prompt rules out.

All functions compare only texts that a cheap sign makes worth comparing: a last word that both have, two languages, two
amounts, a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from engine.blueprint import Point, Prompt, Role
from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.demands import Demand, demand_of, is_forbidden_by, last_word, names_what_is_forbidden
from engine.rules.language.named_languages import LANGUAGES
from engine.rules.language.opposed import opposition
from engine.rules.language.words import all_words, word_set
from engine.rules.repetition.exclusion import PointRequirement
from engine.rules.repetition.exclusive_texts import as_criterion, disobedience, exclusive_pair, lacking_and_wanted
from engine.rules.source.criterion_signs import Sign, signs
from engine.rules.source.prompt_texts import question_of
from engine.rules.wanted_amounts import amounts_in

_MOST_TEXTS = 40
"""How many texts of one prompt are compared."""
_MOST_LONGER = 16
"""By how many characters two texts differ that differ in one word."""
_MOST_READ = 4_000
"""How much of a message is read."""
_LANGUAGES = "|".join(sorted(name.capitalize() for name in LANGUAGES))
_LANGUAGE = lazy(rf"\b[Ii]n (?:{_LANGUAGES})\b|\blanguage is (?:{_LANGUAGES})\b")
_UNIT = lazy(r"\b(?:words?|sentences?|paragraphs?|lines?|bullets?|bullet points?|characters?)\b")
_UNITS = word_set("word words sentence sentences paragraph paragraphs line lines bullet bullets character characters")
_SAYS_THAT = lazy(r"\b(?:[Ss]a|[Ss]tate|[Ee]xplain|[Mm]ention|[Nn]ote|[Ii]ndicate)\w*\s+(?:that|how|why)\b")
_REFUSAL = lazy(r"\b(?:[Rr]efuse|[Dd]ecline|[Rr]eject|[Ww]ithhold)")
_ORDER = lazy(
    r"\b(?:[Dd]o not|[Dd]on['’]t|DO NOT|[Nn]ever|[Aa]void|[Mm]ust not|[Ss]hould not|[Rr]efrain)\b"
    rf"|\b[Ii]n (?:{_LANGUAGES})\b|\b(?:words?|sentences?|paragraphs?|lines?|haiku|limerick|sonnet|couplet|quatrain)\b"
    r"|\b(?:[Nn]o|NO|[Ww]ithout|[Oo]nly|ONLY|[Jj]ust|[Ee]xactly|[Nn]othing|[Ll]eave out|[Ss]kip|[Oo]mit|person"
    r"|tense|spelling|order|prose"
    r"|formal|informal|casual|humorous|serious|[Aa]lways|table|list|bullets|JSON|capitals|lower ?case|upper ?case)\b"
)
_OF_ORDERS = LANGUAGES | word_set(
    """do don never avoid must should refrain word words sentence sentences paragraph paragraphs line lines haiku
    limerick sonnet couplet quatrain no without only just exactly nothing leave skip omit person tense spelling order
    prose formal informal casual humorous serious always table list bullets json capitals lower lowercase upper
    uppercase"""
)
"""Every text in which `_ORDER` is found has one of these."""
_SENTENCE_END = lazy(r"(?<=[.!?])\s+|\n+")
_QUESTIONS = lazy(
    r"\W*(?:[Aa]sks?)\s+(?P<none>no\s+(?:\w+\s+)?questions?)|\W*[Aa]sks?\s+(?P<some>(?:at\s+least\s+|exactly\s+)?"
    r"(?:one|two|three|an?|\d+)\s+(?:\w+\s+){0,2}questions?)"
)
_CHOICE = lazy(
    r"\W*(?:(?:[Tt]he\s+)?(?:response|answer|model)\s+)?(?:[Ss]elects?|[Cc]hooses?|[Pp]icks?|[Aa]nswers?(?:\s+with)?|is)\s+"
    r"(?:(?:the\s+)?(?:option|answer|choice|letter)\s+)?[\"'(]?(?P<letter>[A-H])[\"')]?\W*$"
)


class Facet(Record):
    """What a text has that may rule out another text."""

    language: bool
    amount: bool
    refuses: bool
    questions: bool


@lru_cache(maxsize=20_000)
def _facet(text: str) -> Facet:
    words = all_words(text)
    return Facet(
        not LANGUAGES.isdisjoint(words) and _LANGUAGE.search(text) is not None,
        not _UNITS.isdisjoint(words) and _UNIT.search(text) is not None and _SAYS_THAT.search(text) is None,
        _may_refuse(text) and _REFUSAL.search(text, 0, 80) is not None,
        text[:12].lstrip().lower().startswith("ask"),
    )


def _may_refuse(text: str) -> bool:
    return "efuse" in text or "ecline" in text or "eject" in text or "ithhold" in text


class PlacedText(Record):
    """A text point, and whether an answer should meet it."""

    point: Point
    text: str
    wanted: bool


def required_texts(prompt: Prompt) -> list[PlacedText]:
    """The required text points of both blocks, up to a number that can be compared with each other."""
    return [
        PlacedText(point, point.text, not rubric.block.inverted)
        for rubric in prompt.rubrics
        for point in rubric.required[: 2 * _MOST_TEXTS]
        if point.text is not None and point.function is None
    ]


def as_texts(points: Sequence[PointRequirement]) -> list[PlacedText]:
    """The text points among `points`."""
    return [
        PlacedText(each.point, each.point.text, each.requirement.wanted)
        for each in points
        if each.point.text is not None and each.point.function is None
    ]


class Conflict(Record):
    """Two points that no answer meets both, and the words of each that say so."""

    one: PlacedText
    other: PlacedText
    one_words: str
    other_words: str


def _those(texts: Sequence[PlacedText], *, wanted: bool) -> list[PlacedText]:
    return [each for each in texts if each.wanted is wanted][:_MOST_TEXTS]


def opposed_texts(required: Sequence[PlacedText], prompt: Prompt) -> Conflict | None:
    """The first two wanted texts that no answer meets both; None if there are none."""
    texts = _those(required, wanted=True)
    if not texts or len(required) < 2:
        return None
    request = question_of(prompt)
    for one, other in _possible_pairs(texts):
        first, second = one.text, other.text
        if _is_negative(first) is not _is_negative(second):
            continue
        found = opposition(first, second, request[:_MOST_READ])
        if found is not None and not _is_amount_of_content(first, found.one):
            return Conflict(one, other, found.one, found.other)
        answered = _asked(first, second) or _chosen(first, second)
        if answered is not None:
            return Conflict(one, other, *answered)
    return _opposed_by_wording(required, request[:_MOST_READ])


def _opposed_by_wording(required: Sequence[PlacedText], request: str) -> Conflict | None:
    """Two texts that exclude each other by what they say of the answer as a whole, of its sides and its parts."""
    wanted = _those(required, wanted=True)
    pair = exclusive_pair([each.text for each in wanted], request)
    if pair is not None:
        return _in_order(wanted[pair[0]], wanted[pair[1]], *pair[2])
    forbidden = _those(required, wanted=False)
    by_text = {each.text: each for each in (*forbidden, *wanted)}
    found = next(lacking_and_wanted([each.text for each in wanted], [each.text for each in forbidden]), None)
    return None if found is None else _in_order(by_text[found[0]], by_text[found[1]], *found[2])


def _in_order(one: PlacedText, other: PlacedText, one_words: str, other_words: str) -> Conflict:
    """The conflict with the earlier text first."""
    if one.point.span.start <= other.point.span.start:
        return Conflict(one, other, one_words, other_words)
    return Conflict(other, one, other_words, one_words)


def _is_amount_of_content(text: str, words: str) -> bool:
    """Whether the words are an amount that the answer states, and not one that it should have."""
    return not _facet(text).amount and any(amount.written == words for amount in amounts_in(text))


def _is_negative(text: str) -> bool:
    """Whether a text forbids a deed: then `forbidden_text` compares it."""
    demand = demand_of(text) if Sign.NEGATION in signs(text) else None
    return demand is not None and demand.is_negative


def _possible_pairs(texts: Sequence[PlacedText]) -> Iterator[tuple[PlacedText, PlacedText]]:
    """The pairs with a sign that no answer meets both, and those that begin or end alike: they may differ in a word."""
    read = [(each, _facet(each.text), each.text[:8], last_word(each.text), len(each.text)) for each in texts]
    for (one, first, start, last, length), (other, second, other_start, other_last, other_length) in combinations(
        read, 2
    ):
        is_alike = (start == other_start or last == other_last) and abs(length - other_length) <= _MOST_LONGER
        if (
            (is_alike and one.text != other.text)
            or first.refuses is not second.refuses
            or (first.language and second.language)
            or (first.amount and second.amount)
            or (first.questions and second.questions)
        ):
            yield one, other


def _asked(one: str, other: str) -> tuple[str, str] | None:
    """“Asks no questions” and “asks two questions”."""
    first, second = _QUESTIONS.match(one), _QUESTIONS.match(other)
    if first is None or second is None or (first["none"] is None) is (second["none"] is None):
        return None
    return first["none"] or first["some"], second["none"] or second["some"]


def _chosen(one: str, other: str) -> tuple[str, str] | None:
    """Two options: “selects option A” and “selects option B”."""
    first, second = _CHOICE.match(one), _CHOICE.match(other)
    if first is None or second is None or first["letter"] == second["letter"]:
        return None
    return first["letter"], second["letter"]


def forbidden_text(required: Sequence[PlacedText]) -> Conflict | None:
    """The first text that wants what another text forbids, in whatever block and words; None if there is none."""
    wanted = _those(required, wanted=True)
    forbidding = _those(required, wanted=False)
    forbidding += [each for each in wanted if Sign.NEGATION in signs(each.text)]
    if not forbidding or len(required) < 2:
        return None
    lower = [(each, each.text.lower()) for each in wanted]
    for forbidder in forbidding:
        last = last_word(forbidder.text)
        named = [each for each, words in lower if each is not forbidder and last in words]
        forbidden = demand_of(forbidder.text) if named else None
        if forbidden is None or forbidden.is_negative is not forbidder.wanted:
            continue
        for each in named:
            asked = demand_of(each.text)
            if asked is not None and not asked.is_negative and is_forbidden_by(asked, forbidden):
                return Conflict(each, forbidder, each.text, forbidder.text)
    return None


class Order(Record):
    """A point that loses if the prompt is obeyed, with the sentence of the prompt."""

    point: Point
    sentence: str
    is_of_system: bool


def disobeying(required: Sequence[PlacedText], prompt: Prompt) -> Order | None:
    """The first point that only an answer meets that disobeys the prompt; None if there is none."""
    wanted = _those(required, wanted=True)
    if not wanted:
        return None
    for sentence, is_of_system in _orders(prompt):
        facet, order = _facet(sentence), demand_of(sentence)
        last = last_word(sentence)
        for each in wanted:
            own = _facet(each.text)
            is_compared = (facet.language and own.language) or (facet.amount and own.amount)
            is_opposed = is_compared and as_criterion(sentence) is not None and opposition(sentence, each.text)
            if is_opposed or disobedience(sentence, each.text) is not None or _is_forbidden(each.text, last, order):
                return Order(each.point, sentence, is_of_system)
    return None


def _is_forbidden(text: str, last: str, order: Demand | None) -> bool:
    """Whether a negative order forbids what `text` asks for; `last` is the last word of the order."""
    asked = demand_of(text) if order is not None and order.is_negative and last in text.lower() else None
    if order is None or asked is None or asked.is_negative:
        return False
    return is_forbidden_by(asked, order) or names_what_is_forbidden(asked, order)


def _orders(prompt: Prompt) -> Iterator[tuple[str, bool]]:
    """The sentences of the system prompt (True) and of the last message (False) that may order something."""
    system = prompt.system if isinstance(prompt.system, str) else ""
    last = prompt.messages[-1] if prompt.messages else None
    asked = last.content if last is not None and last.role is Role.USER and last.content is not None else ""
    for text, is_of_system in ((system[:_MOST_READ], True), (asked[:_MOST_READ], False)):
        yield from ((each, is_of_system) for each in _ordering(text))


@lru_cache(maxsize=1_000)
def _ordering(text: str) -> tuple[str, ...]:
    """The sentences of a message that may order something."""
    if _OF_ORDERS.isdisjoint(all_words(text)):
        return ()
    sentences = _SENTENCE_END.split(_before_document(text))
    signed = (each for each in sentences if not _OF_ORDERS.isdisjoint(all_words(each)))
    return tuple(each.strip() for each in signed if _ORDER.search(each) is not None)


_DOCUMENT = lazy(
    r"^\W{0,12}(?:(?:begin|start)(?: of)?(?: the)? )?"
    r"(?:document|article|e-?mail|passage|context|transcript|source|file)\b[^\n.?!]{0,20}"
    r"(?:[>\]:=-]|start|begin)\W*$",
    re.IGNORECASE | re.MULTILINE,
)


def _before_document(text: str) -> str:
    """`text` up to a document that it encloses: what stands in there orders nothing of the author's."""
    found = _DOCUMENT.search(text) if "\n" in text else None
    return text if found is None else text[: found.start()]
