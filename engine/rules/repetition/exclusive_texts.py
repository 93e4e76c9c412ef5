"""Why no answer meets two criteria in words, or a criterion and an order: by what their wording rules out.

Every kind needs a sign of its own in at least one text, which is looked for first: most criteria have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product

from engine.patterns import lazy
from engine.rules.language.clauses import clause_of
from engine.rules.language.features import Feature, has, lacks, may_have, missing_feature
from engine.rules.language.inflections import third_person
from engine.rules.language.opposite_claims import may_be_opposite, may_claim, opposite_claims
from engine.rules.language.refused_requests import refused_request
from engine.rules.language.stances import may_oppose, opposed_stances
from engine.rules.language.verbs import base_form
from engine.rules.language.whole_answer import are_exclusive, aspects_of, with_shared_aspects
from engine.rules.language.words import all_words, word_set
from engine.rules.wanted_amounts import Amount, amounts_in, items_in, ordered_amounts

_BOUND = lazy(
    r"\b(?:[Ee]xactly|[Pp]recisely|[Oo]nly|[Jj]ust|[Aa]t (?:least|most)|(?:no|not) (?:more|fewer|less)|[Mm]ore than"
    r"|[Ff]ewer than|[Ll]ess than"
    r"|[Uu]p to|(?:maximum|minimum) of|or (?:more|fewer|less))\b"
)
_BOUND_WORDS = word_set("exactly precisely only just at no not more fewer less up maximum minimum")
_OF_LENGTH = {"haiku": 3, "limerick": 5, "sonnet": 14, "couplet": 2, "quatrain": 4}
"""Lines of a poem."""
_POEM = lazy(
    rf"\b(?:write|compose|make)\b[^.]{{0,20}}?\ba (?P<form>{'|'.join(_OF_LENGTH)})\b(?! (?:or|and)\b)", re.IGNORECASE
)
_OPENING = lazy(
    r"^\W*(?:(?:and|but|also|then|so|now|always|only|kindly|please|just|can you|could you|would you|will you"
    r"|i want you to"
    r"|i['’]d like you to|you (?:must|should|have to|need to|will|may)(?! not))\b[\s,]*)+",
    re.IGNORECASE,
)
_SPEAKS = lazy(r"\b(?:only|always) (?:speak|answer|reply|respond|write)s? (?:in )?(?P<language>[A-Z][a-z]+)\b")
_IN_SHORT = lazy(
    r"^\W*(?P<form>(?:in|with) (?:exactly |just |only )?(?:a single|one|two|three) (?:word|sentence|line"
    r"|paragraph)s?)\s*[:,]",
    re.I,
)
_NEGATIVE_OPENING = lazy(
    r"^\W*(?:do not|don['’]t|never|no|avoid|without|not|leave out|skip|omit|you (?:do not|don['’]t|never|must not"
    r"|should not|may not|are not))\b"
    r"|\b(?:it|the (?:\w+ )?(?:answer|response|reply|text|letter|poem|story|summary|post|email|message)) (?:must"
    r"|should|may|can) not\b",
    re.IGNORECASE,
)
_OF_PARTS = lazy(r"\bfirst\b[^.!?]*\b(?:then|afterwards|after that|followed by|second(?:ly)?|next)\b", re.IGNORECASE)
"""An order for several parts of an answer: what is said of one is not said of the whole."""


def exclusive_pair(wanted: Sequence[str], request: str = "") -> tuple[int, int, tuple[str, str]] | None:
    """The first two wanted criteria that no answer meets both, by their places, with the words of each."""

    def among(may_exclude: Callable[[str], bool]) -> list[int]:
        return [at for at, text in enumerate(wanted) if may_exclude(text)]

    def by_stance(one: str, other: str) -> tuple[str, str] | None:
        return opposed_stances(one, other) or refused_request(one, other, request, outright=True)

    everywhere = range(len(wanted))
    compared: tuple[tuple[Iterable[tuple[int, int]], Callable[[str, str], tuple[str, str] | None]], ...] = (
        (combinations(among(may_claim), 2), _by_claim),
        (combinations(with_shared_aspects(wanted), 2), _by_aspect),
        (product(among(_is_bounded), everywhere), _by_number),
        (product(among(may_oppose), everywhere), by_stance),
    )
    for pairs, compare in compared:
        for first, second in pairs:
            words = compare(wanted[first], wanted[second]) if first != second else None
            if words is not None:
                return first, second, words
    return None


def _is_bounded(text: str) -> bool:
    """Whether a text has a word for “exactly”, “at least” and the like."""
    return not _BOUND_WORDS.isdisjoint(all_words(text)) and _BOUND.search(text) is not None


def _by_aspect(one: str, other: str) -> tuple[str, str] | None:
    for left in aspects_of(one):
        for right in aspects_of(other):
            if are_exclusive(left, right):
                return left.written, right.written
    return None


def _by_claim(one: str, other: str) -> tuple[str, str] | None:
    return opposite_claims(one, other) if may_be_opposite(one, other) else None


def _by_number(one: str, text: str) -> tuple[str, str] | None:
    """A number of things and another one of the same in a text: both are named by the same noun."""
    number = items_in(one)
    other = None if number is None or number.unit.partition(" ")[0] not in all_words(text) else items_in(text)
    return None if number is None or other is None or not number.excludes(other) else (number.written, other.written)


def lacking_and_wanted(wanted: Sequence[str], forbidden: Sequence[str]) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """Pairs of texts of which one wants what the other rules out, with the words of each.

    `wanted` are criteria to be met, `forbidden` those that are not to be met.
    """
    lacked = [(text, lacks(text)) for text in wanted]
    lacked = [(text, features) for text, features in lacked if features]
    lacked += [(text, _ruled_out(text)) for text in forbidden]
    for text, features in lacked:
        for other in wanted:
            if other is text or not features or not may_have(other, features):
                continue
            found = missing_feature(has(other), features)
            if found is not None:
                yield text, other, (found[1].words, found[0].words)


def _ruled_out(text: str) -> tuple[Feature, ...]:
    """What an answer may not have if `text` is not to be met: a single thing, wherever it is."""
    found = has(text)
    return found if len(found) == 1 and not found[0].is_bounded and found[0].is_whole else ()


@lru_cache(maxsize=4_000)
def as_criterion(sentence: str) -> str | None:
    """A sentence of a prompt as the criterion that it is for an answer; None if it orders nothing.

    “Please use the third person.” is “uses the third person.”, “In one word: why?” is “answers in one word”.
    """
    short = _IN_SHORT.match(sentence)
    if short is not None:
        return f"Answers {short['form'].lower()}"
    speaks = _SPEAKS.search(sentence)
    if speaks is not None:
        return f"The answer is in {speaks['language']}"
    head = sentence.partition(": ")[0] if ":" in sentence and "?" in sentence else sentence
    negative = _NEGATIVE_OPENING.search(head)
    if negative is not None:
        return head
    opening = _OPENING.match(head)
    rest = head[opening.end() :] if opening is not None else head.lstrip(" -*•")
    first, _, following = rest.partition(" ")
    base = base_form(first.lower().strip(",:;"))
    if base is not None and following:
        return f"{third_person(base).capitalize()} {following}"
    clause = clause_of(head)
    return head if clause is not None and clause.names_answer else None


def disobedience(sentence: str, text: str) -> tuple[str, str] | None:
    """The words of an order and of a criterion that an answer cannot both meet; None if it can."""
    order = None if _OF_PARTS.search(sentence) is not None else as_criterion(sentence)
    if order is None:
        return None
    lacked = _lacked(sentence, order)
    if lacked and missing_feature(has(text), lacked) is not None:
        return sentence, text
    if _by_aspect(order, text) is not None or _sizes_differ(sentence, text):
        return sentence, text
    wanted = items_in(order, is_order=True)
    own = items_in(text) if wanted is not None else None
    if own is None or wanted is None or own.unit.split()[0] != wanted.unit.split()[0]:
        return None
    numbers = Amount(wanted.unit, own.least, own.most, own.written)
    return (sentence, text) if wanted.excludes(numbers) else None


_ASIDE = lazy(
    r"(?:^|[,.;:–-]\s*|\()(?P<aside>(?:no|without)\s[^.,;:()]{2,40}?)(?:,?\s+please\b)?\s*[.!)]*$", re.IGNORECASE
)


@lru_cache(maxsize=4_000)
def _lacked(sentence: str, order: str) -> tuple[Feature, ...]:
    """What a sentence orders an answer to be without."""
    return (*lacks(order), *_no_asides(sentence))


def _no_asides(sentence: str) -> tuple[Feature, ...]:
    """“…, no bullet points please” at the end of a sentence."""
    found = _ASIDE.search(sentence)
    return () if found is None else lacks(f"Uses {found['aside'].replace('without ', 'no ')}")


def _sizes_differ(sentence: str, text: str) -> bool:
    """Whether an order for so many lines, sentences or words leaves no room for what a criterion wants."""
    wanted = _order_sizes(sentence)
    return bool(wanted) and any(one.excludes(other) for one in wanted for other in amounts_in(text))


@lru_cache(maxsize=4_000)
def _order_sizes(sentence: str) -> tuple[Amount, ...]:
    poem = _POEM.search(sentence)
    if poem is not None:
        lines = _OF_LENGTH[poem["form"].lower()]
        return (Amount("line", lines, lines, poem["form"]),)
    return ordered_amounts(sentence) if as_criterion(sentence) is not None else ()
