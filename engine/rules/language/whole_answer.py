"""What a criterion says of an answer as a whole: its form, its register, its choice. An answer has one of each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache

from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.clauses import clause_of
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.words import bare_words, word_set

_SAYS = r"(?:says|states|answers|replies|responds|concludes|begins|starts|opens)"
_CHOOSES = r"(?:chooses|selects|picks|answers|gives|marks|names|identifies|recommends)"
_PRODUCES = r"(?:answers|replies|responds|returns|outputs|writes|formats|produces)"


class Aspect(Enum):
    """What an answer has one of."""

    FORM = "form"
    REGISTER = "register"
    PERSON = "person"
    TENSE = "tense"
    POEM = "form of a poem"
    SPELLING = "spelling"
    DECISION = "yes or no"
    CHOICE = "choice"
    YEAR = "year"
    TRANSLATION = "language of a translation"
    ADDRESS = "form of address"
    MOOD = "mood"
    LETTERS = "capitals or small letters"
    ORDER = "order"
    IDENTITY = "whether it says that it is a machine"
    REASONS = "the bare result or its reasons"

    __hash__ = object.__hash__  # that of enums is slow, and each criterion makes sets of aspects


class AspectValue(Record):
    """The value of an aspect, and the words that say so."""

    aspect: Aspect
    value: str
    written: str


_FORM = r"""(?P<json>(?:valid\ )?json)|(?P<prose>(?:continuous\ |running\ |plain\ )?prose)
    |(?P<sentences>(?:full|complete)\ sentences)
    |(?P<table>(?:markdown\ )?table)|(?P<poem>poem|verse|sonnet|haiku|limerick)
    |(?P<letter>(?:single|one)\ letter|(?:single|one)\ word)|(?P<list>(?:bullet(?:ed)?|numbered)\ (?:list|points))"""
_TONE = r"\b(?:uses|has|keeps|adopts|strikes|in|writes\ in|is\ in|with)\ (?:a\ |an\ )?(?:\w+ly\ )?"
_OF_TONE = r"(?:,?\ (?:and\ )?\w+)?\ (?:tone|register|style|language|voice)\b"
_IS_OF_TONE = r"\b(?:is|stays)\ (?:\w+ly\ )?"
_WHOLE = r"(?!\ (?:to|in(?!\ (?:tone|style|register))|at|for|when|if)\b)"
_REGISTERS = "formal|informal|casual|colloquial|slangy|chatty"
_MOODS = "humorous|funny|playful|light-hearted|serious|solemn|sober|sombre|optimistic|pessimistic"
_ONLY = r"(?:only\ |just\ |exactly\ )"
_RESULT = r"number|letter|name|word|label|result|json|code|[\"“']?yes[\"”']?\ or\ [\"“']?no[\"”']?|yes/no"
_NOT_INSIDE = r"(?!.*\b(?:in|under|inside|within)\b.*\b(?:fields?|keys?|comments?|docstrings?)\b)"
_PATTERNS = {
    Aspect.FORM: rf"""(?:is|are|be|written|formatted|{_PRODUCES}|as|in)\ (?:entirely\ |only\ )?(?:in\ |as\ |with\ )?
        (?:a\ |an\ |the\ )?(?:form\ of\ )?(?:{_FORM})\b""",
    Aspect.REGISTER: rf"""{_TONE}(?P<register>{_REGISTERS}){_OF_TONE}
        |{_IS_OF_TONE}(?P<register2>{_REGISTERS})\b{_WHOLE}""",
    Aspect.MOOD: rf"""{_TONE}(?P<mood>{_MOODS}){_OF_TONE}|{_IS_OF_TONE}(?P<mood2>{_MOODS})\b{_WHOLE}""",
    Aspect.ADDRESS: r"""\b(?:address(?:es|ed)?|uses?|with|keeps?\ to)\b[^.;]{0,40}?["'“«]?
        \b(?P<address>du|sie|tu|vous|tú|usted|ustedes|first\ name|surname|last\ name|family\ name)\b["'”»]?
        (?:\ (?:form|address|pronoun|only|throughout|as\ a\ form\ of\ address)\b
          |\ for\ the\ (?:reader|user|customer)|\W*$)""",
    Aspect.LETTERS: r"""\b(?:all|only|entirely|completely|written|throughout)\ (?:(?:written\ |entirely\ )?in\ |only\ )*
        (?P<letters>capital\ letters|capitals|upper[- ]?case|small\ letters|lower[- ]?case)\b""",
    Aspect.ORDER: r"""\b(?:in|by)\ (?:strict(?:ly)?\ )?(?P<order>reverse\ chronological|chronological|alphabetical
        |reverse\ alphabetical|ascending|descending|random)\ order\b""",
    Aspect.IDENTITY: r"""\b(?P<identity>admits|discloses|acknowledges|reveals|confirms|says|states|mentions|never|not
        |denies|hides|conceals)\b[^.;]{0,30}?\b(?:(?:it|he|she)\ is|it['’]s|being)\ (?:an?\ )?
        (?:artificial\ intelligence|ai|bot|chatbot|machine|language\ model|computer)\b""",
    Aspect.REASONS: rf"""^\W*(?:the\ \w+\ )?(?:
        (?P<bare>(?:is|consists\ of|{_PRODUCES}|gives|states|names)\ {_ONLY}?(?:with\ |in\ |of\ )?{_ONLY}?
            (?:a\ single|one)\ (?:word|letter|number|digit|character)(?!\ (?:of|per|for|to)\b)
          |(?:\w+\ ){{1,3}}(?:only|just|nothing\ but)\ (?:with\ )?(?:the\ |a\ |valid\ |its\ )?(?:{_RESULT})\b
            (?=\W*$|\ and\ nothing)
          |(?:\w+\ ){{1,3}}(?:with\ |in\ )?(?:the\ |a\ |valid\ )?(?:{_RESULT})\ (?:only|alone
            |and\ nothing\ (?:else|more)))
        |(?P<reasons>{_NOT_INSIDE}(?:(?:also|briefly|clearly)\ )?(?:
          (?:explains|justifies)(?!\ (?:nothing|no|none|neither)\b)
          |shows\ (?:the\ |its\ |all\ )?(?:steps|work|calculation|working|reasoning)
          |(?:gives|states|adds)\ (?:a\ |the\ |its\ |two\ |three\ |one\ |short\ |main\ )*
            (?:reasons?|explanation|history|background|justification|examples?))))\b""",
    Aspect.PERSON: r"""\b(?P<person>first|second|third)[-\ ]person\b(?!\ for)
        |\bin\ the\ (?P<person2>first|second|third)\ person\b(?!\ for)""",
    Aspect.TENSE: r"\b(?P<tense>past|present|future)[- ]tense\b",
    Aspect.POEM: r"""(?:is|as|a|the\ form\ of\ a)
        \ (?P<verse>haiku|sonnet|limerick|villanelle|sestina|couplet|quatrain)\b""",
    Aspect.SPELLING: r"\b(?P<spelling>british|american)\ (?:english|spellings?)\b",
    Aspect.DECISION: rf"""^\W*(?:the\ \w+\ )?{_SAYS}\ (?:with\ )?(?:a\ )?(?:clear\ |plain\ )?["'“]?(?P<decision>yes|no)
        ["'”]?(?=\W*$|[,.;]|\ and\b)""",
    Aspect.CHOICE: rf"""^\W*(?:the\ \w+\ )?(?:{_CHOOSES}|(?:final\ |correct\ )?answer\ is|is)\ (?:only\ |with\ )?
        (?:option\ |answer\ |letter\ |choice\ )?["'“(]?(?P<choice>[A-H])["'”)]?\W*$""",
    Aspect.YEAR: r"""^\W*(?:the\ \w+\ )?(?:says|states|gives|answers)(?:\ with)?
        \ (?:that\ [^.;]{1,60}\ in\ |the\ year\ )?
        (?P<year>\d{4}|\d{1,3}(?:[.,]\d+)*)\W*$""",
    Aspect.TRANSLATION: r"\btranslates?\b[^.;]{0,40}\binto\ (?P<translation>[A-Z][a-z]+)\b",
}
_CASED = (Aspect.CHOICE, Aspect.TRANSLATION)
_COMPILED = {
    aspect: lazy(pattern, re.VERBOSE if aspect in _CASED else re.VERBOSE | re.IGNORECASE)
    for aspect, pattern in _PATTERNS.items()
}
_SAME = (
    {"informal", "casual", "colloquial", "slangy", "chatty"},
    {"humorous", "funny", "playful", "light-hearted", "optimistic"},
    {"serious", "solemn", "sober", "sombre", "pessimistic"},
    {"serious", "solemn", "sober", "optimistic"},
    {"capitals", "capital letters", "upper case", "uppercase"},
    {"small letters", "lower case", "lowercase"},
    {"list", "table", "sentences"},
    {"prose", "sentences"},
    {"poem", "sentences"},
)
"""Values that an answer may have together."""
_MOST_CHARACTERS = 200
_OF_CHOICE = (Aspect.CHOICE, Aspect.DECISION)
_OF_CONTENT = (*_OF_CHOICE, Aspect.YEAR, Aspect.IDENTITY, Aspect.REASONS)
_SAYS_THAT = lazy(
    r"\W*(?:the \w+ )?(?:\w+ly )?(?:says|states|explains|mentions|notes|tells)\b.{0,20}?\b(?:that|how|why|what|when)\b",
    re.I,
)
_ONE_OF_SEVERAL = lazy(r"\b(?:first|second|third|fourth|last|next|other|each|question \d+)\b", re.IGNORECASE)
_FAMILIAR = ("du", "tu", "tú", "first name")
_DENYING = ("never", "not", "denies", "hides", "conceals")
_SIGNS: Mapping[Aspect, str] = {
    Aspect.POEM: "haiku sonnet limerick villanelle sestina couplet quatrain",
    Aspect.FORM: "json prose sentences table poem verse sonnet haiku limerick letter word list points",
    Aspect.REGISTER: "formal informal casual colloquial slangy chatty",
    Aspect.MOOD: "humorous funny playful light serious solemn sober sombre optimistic pessimistic",
    Aspect.ADDRESS: "du sie tu vous tú usted ustedes name surname",
    Aspect.LETTERS: "capital capitals upper uppercase small lower lowercase",
    Aspect.ORDER: "order",
    Aspect.IDENTITY: "ai intelligence bot chatbot machine model computer",
    Aspect.REASONS: """word letter number digit character name label result json code yes explains justifies steps work
        calculation working reasoning reason reasons explanation history background justification example examples""",
    Aspect.PERSON: "person",
    Aspect.TENSE: "tense",
    Aspect.SPELLING: "english spelling spellings",
    Aspect.DECISION: "yes no",
    Aspect.TRANSLATION: "translate translates",
}
"""A word of each pattern, in lower case; a choice and a year are the last letter or digit of a text."""
_OF_ONE_SIDE: Mapping[Aspect, frozenset[str]] = {
    Aspect.IDENTITY: word_set("never not denies hides conceals"),
    Aspect.REASONS: word_set("only just nothing alone single one"),
}
"""A word that one of two texts has that exclude each other: one denies what the other admits, or wants no reasons."""
_AROUND = " \t\n.,;:!?\"'“”‘’«»()[]{}*_`-–—/"
_BY_WORD: dict[str, tuple[Aspect, ...]] = {}
for _aspect, _words in _SIGNS.items():
    for _word in _words.split():
        _BY_WORD[_word] = (*_BY_WORD.get(_word, ()), _aspect)
_ANY_WORD = frozenset(_BY_WORD)
_LETTERS = frozenset("ABCDEFGH")
_NO_ASPECT = frozenset[Aspect]()


def possible_aspects(text: str) -> frozenset[Aspect]:
    """The aspects of which `text` has a word: a quick filter for `aspects_of`."""
    words = bare_words(text) & _ANY_WORD
    found = {aspect for word in words for aspect in _BY_WORD[word]} if words else set[Aspect]()
    last = text[:_MOST_CHARACTERS].rstrip(_AROUND)[-2:]
    if last[-1:].isdigit():
        found.add(Aspect.YEAR)
    elif last[-1:] in _LETTERS and not last[:-1].isalnum():
        found.add(Aspect.CHOICE)
    return frozenset(found) if found else _NO_ASPECT


def with_shared_aspects(texts: Sequence[str]) -> list[int]:
    """The places of the texts that may say something of an aspect of which another says something else."""
    by_aspect: dict[Aspect, list[int]] = {}
    for at, text in enumerate(texts):
        for aspect in possible_aspects(text):
            by_aspect.setdefault(aspect, []).append(at)
    return sorted({at for aspect, places in by_aspect.items() if _may_differ(aspect, texts, places) for at in places})


def _may_differ(aspect: Aspect, texts: Sequence[str], places: Sequence[int]) -> bool:
    if len(places) < 2:
        return False
    words = _OF_ONE_SIDE.get(aspect)
    return words is None or any(not words.isdisjoint(bare_words(texts[at])) for at in places)


@lru_cache(maxsize=4_000)
def aspects_of(text: str) -> tuple[AspectValue, ...]:
    """The values that an English criterion wants of the whole answer."""
    head = text[:_MOST_CHARACTERS]
    possible = possible_aspects(text)
    clause = clause_of(text) if possible else None
    if clause is None or clause.mood in (Mood.DOES_NOT, Mood.AVOIDS, Mood.IS_NOT):
        return ()
    found: list[AspectValue] = []
    says_that = _SAYS_THAT.match(head) is not None
    for aspect in Aspect:
        if aspect not in possible:
            continue
        if (says_that and aspect not in _OF_CONTENT) or (
            aspect in _OF_CHOICE and _ONE_OF_SEVERAL.search(head) is not None
        ):
            continue
        pattern = _COMPILED[aspect]
        match = pattern.search(head if aspect not in _CASED else _with_small_verb(head))
        if match is not None:
            found.append(AspectValue(aspect, _value(match), match[0].strip(" \"'“”.")))
    return tuple(found)


def _with_small_verb(text: str) -> str:
    """`text` with a small first letter: the letter of an option keeps its case."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _value(match: re.Match[str]) -> str:
    name, text = next((name.rstrip("2"), text) for name, text in match.groupdict().items() if text is not None)
    match name:
        case "json" | "prose" | "table" | "poem" | "letter" | "list" | "sentences" | "bare" | "reasons":
            return name
        case "address":
            return "familiar" if text.lower() in _FAMILIAR else "polite"
        case "identity":
            return "denied" if text.lower() in _DENYING else "admitted"
        case _:
            return text.lower()


def are_exclusive(one: AspectValue, other: AspectValue) -> bool:
    """Whether no answer has both values."""
    if one.aspect is not other.aspect or one.value == other.value:
        return False
    if one.aspect is Aspect.YEAR and _without(one) != _without(other):
        return False
    return not any({one.value, other.value} <= same for same in _SAME)


def _without(found: AspectValue) -> str:
    """What is said of a number: two numbers exclude each other if they are of the same thing."""
    return found.written.lower().replace(found.value, "")
