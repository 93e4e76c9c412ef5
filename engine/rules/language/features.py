"""What an answer has or lacks, as a criterion or an instruction says it: “uses emojis”, “without tables or lists”.

“Contains no numbers” and “gives the amount of the fine” are a lack and a thing that cannot be without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from engine.patterns import lazy
from engine.record import replace
from engine.rules.language.clauses import Clause, clause_of
from engine.rules.language.feature_words import (
    BEGINNING,
    DEEDS_OF_NOUNS,
    FORMS,
    HAVING,
    HINDERING,
    LEAVING,
    OF_ANSWERS,
    OF_SPEECH,
    ONLY_SAYING,
    PARTS,
    SYNONYMS,
    noun_of,
)
from engine.rules.language.inflections import Form, Inflected
from engine.rules.language.named_features import Feature, ends_whole, features_in, quoted_feature
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.verbs import verb
from engine.rules.language.words import Word, all_words, is_english, word_set, words_of

_PHRASES = (
    (lazy(r"\b(?:technical|specialist|specialised|specialized) (?:terms?|language|vocabulary)\b"), "jargon"),
    (lazy(r"\b(?:bullet(?:ed)?|numbered)[ -](?:points?|lists?)\b"), "list"),
    (lazy(r"\b(?:exclamation|question) (?:marks?|points?)\b"), "exclamation-mark"),
    (lazy(r"^\W*please,?\s+", re.IGNORECASE), ""),
    (lazy(r"\bat (?:least|most)\b"), "one"),
    (lazy(r"\bno one\b|\bno longer\b|\bno matter\b|\bno doubt\b|\bno more than\b|\bno fewer than\b"), "noone"),
)
_ANY_PHRASE = lazy(r"\b(?:at |no |technical|speciali|bullet|number|exclam|quest|[Pp]lease)")
_PROSE = lazy(
    r"\b(?:in|as|is|of|only|entirely|just) (?:entirely )?(?:plain |continuous |running |flowing )?(?P<prose>prose"
    r"|plain text)\b"
    r"|\b(?P<only>(?:plain|continuous|running|flowing) prose|plain text only)\b",
    re.IGNORECASE,
)
_NOT_IN_PROSE = ("list", "table", "rhyme", "stanza")
_SECRET = lazy(
    r"""\b(?:keeps?|leaves?|holds?)\ (?P<kept>[^.,;]{2,50}?)\ (?:anonymous|secret|confidential|private|unnamed
      |hidden|undisclosed|out
      |unmentioned|unsaid|to\ itself)\b
    |^\W*(?:the\ )?(?P<left>[^.,;]{2,50}?)\ (?:stays?|remains?|is\ kept|is\ left|are\ kept|are\ left)\ (?:anonymous
      |secret|confidential|private
      |unnamed|hidden|undisclosed|out|unmentioned)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SIGN = lazy(
    r"""\b(?:no|not|without|never|free|lacks?|zero|avoid\w*|omit\w*|skip\w*|exclud\w*|leav(?:e|es|ing)|refrain\w*|keeps?|stays?
      |remains?|prose|plain\ text|devoid|nothing|withholds?|drops?)\b|n['’]t\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SIGN_WORDS = word_set(
    """no not without never free lack lacks zero leave leaves leaving keep keeps stay stays remain remains prose plain
    devoid nothing withhold withholds drop drops t"""
)
"""Every text in which `_SIGN` is found has one of these words, or one of those of avoiding."""
_LACKING = word_set("without lacks lack lacking zero")
_IN_FORM = lazy(
    r"\b(?:in|as|with|using|into) (?:an? |the )?(?:\w+ ){0,2}?(?P<form>tables?|list|bullets|emojis|headings)\b"
)
_ASKING = lazy(
    r"\basks?\b(?! no\b| nothing\b)(?! (?:the \w+|them|him|her|users?) (?:to|not to)\b)(?! not\b)", re.IGNORECASE
)
_ASKS_NOTHING = lazy(
    r"\basks?\b(?: \w+){0,2} nothing\b|\bwithout (?:first )?asking(?: back| first| anything| (?:any )?questions?)?\W*$",
    re.IGNORECASE,
)
_CONDITION = lazy(r"\b(?:only (?:if|when|where|after|to)|if|unless|until|except)\b", re.IGNORECASE)
_OF_SECRETS = word_set("anonymous secret confidential private unnamed hidden undisclosed out unmentioned unsaid itself")
_OF_PROSE = frozenset({"prose", "text"})
_OF_ASKING = frozenset({"nothing", "asking"})
"""Every text in which `_SECRET`, `_PROSE` or `_ASKS_NOTHING` is found has one of these words."""
_NO_OBJECT = word_set("no zero neither that how why what whether if to not out")
"""After these, a verb has no thing as its object."""


@lru_cache(maxsize=8_000)
def lacks(text: str) -> tuple[Feature, ...]:
    """What an English criterion or instruction wants an answer to be without; what is bounded is left out."""
    if not _may_lack(text) or _SIGN.search(text) is None:
        return ()
    return tuple(each for each in _lacks(text) if not each.is_bounded and each.noun)


def _may_lack(text: str) -> bool:
    if not _SIGN_WORDS.isdisjoint(all_words(text)):
        return True
    lower = text.lower()
    return "avoid" in lower or "omit" in lower or "skip" in lower or "exclud" in lower or "refrain" in lower


def _lacks(text: str) -> Iterator[Feature]:
    clause, words = _prepared(text)
    if not words or clause is None or not is_english(words):
        return
    all_of_text = all_words(text)
    secret = None if _OF_SECRETS.isdisjoint(all_of_text) else _SECRET.search(text)
    if secret is not None:
        name = secret["kept"] or secret["left"]
        yield from _unsaid(words_of(name), name)
    prose = None if _OF_PROSE.isdisjoint(all_of_text) else _PROSE.search(text)
    if prose is not None and not clause.is_negative:
        yield from (Feature(noun, frozenset(), prose[0], is_bounded=False) for noun in _NOT_IN_PROSE)
    nothing = None if _OF_ASKING.isdisjoint(all_of_text) else _ASKS_NOTHING.search(text)
    if nothing is not None:
        yield Feature("question", frozenset(), nothing[0], is_bounded=False)
    yield from _lacks_after(clause, words, text)


def _lacks_after(clause: Clause, words: Sequence[Word], text: str) -> Iterator[Feature]:
    """What follows a negative verb, “no” or “without”."""
    if clause.mood in (Mood.DOES_NOT, Mood.AVOIDS):
        yield from _not_done(clause, text)
        return
    known = _verb(clause)
    if known is not None and known.base in LEAVING and known.form in (Form.BASE, Form.THIRD):
        yield from _unsaid(clause.words[clause.after + 1 :], text)
    for at, word in enumerate(words):
        if word.is_quoted:
            continue
        before = words[at - 1] if at else None
        if word.text in ("leave", "leaves") and at + 1 < len(words) and words[at + 1].text == "out":
            yield from _unsaid(words[at + 2 :], text)
        elif word.text == "no" and _opens_lack(before):
            yield from features_in(words[at + 1 :], text)
        elif word.text in _LACKING or (word.text in ("of", "from") and _is_free(before)):
            yield from _done_without(words, at + 1, text)


def _not_done(clause: Clause, text: str) -> Iterator[Feature]:
    """What an answer lacks that does not use or avoids a thing."""
    known = _verb(clause)
    does_not_do = known is not None and (clause.mood is Mood.DOES_NOT or known.form is Form.GERUND)
    if known is not None and does_not_do:
        yield from _hindered(known, clause.words, clause.after, text)
    elif clause.mood is Mood.AVOIDS:
        yield from features_in(clause.words[clause.after :], text)


def _done_without(words: Sequence[Word], at: int, text: str) -> Iterator[Feature]:
    """What an answer lacks that is “without tables”, or “without using tables”."""
    known = FORMS.get(words[at].text) or verb(words[at].text) if at < len(words) else None
    if known is not None and known.form is Form.GERUND:
        yield from _hindered(known, words, at, text)
        return
    found = features_in(words[at:], text)
    yield from (each for each in found if each.noun in OF_ANSWERS or each.noun.startswith("“"))


def _hindered(known: Inflected, words: Sequence[Word], at: int, text: str) -> Iterator[Feature]:
    """What an answer lacks that does not do what the verb at `words[at]` says."""
    if known.base in HINDERING:
        yield from _of_verb(known.base, words, at, text, is_speech=known.base in OF_SPEECH)


def _is_free(before: Word | None) -> bool:
    return before is not None and before.text in ("free", "devoid")


def _unsaid(words: Sequence[Word], text: str) -> Iterator[Feature]:
    """What an answer leaves out: it does not speak of it either."""
    for each in features_in(words, text):
        yield replace(each, is_speech=True)


def _verb(clause: Clause) -> Inflected | None:
    word = clause.words[clause.after].text if clause.after < len(clause.words) else ""
    return FORMS.get(word) or clause.verb


def _opens_lack(before: Word | None) -> bool:
    """Whether “no” after this word says that the answer has none."""
    if before is None or before.has_comma or before.ends_clause:
        return True
    known = FORMS.get(before.text)
    return before.text == "with" or (
        known is not None and known.base in HAVING and known.form in (Form.BASE, Form.THIRD)
    )


@lru_cache(maxsize=8_000)
def has(text: str) -> tuple[Feature, ...]:
    """What an English criterion wants an answer to have."""
    clause, words = _prepared(text)
    if clause is None or clause.is_negative or not words or _CONDITION.search(text) is not None:
        return ()
    found: list[Feature] = []
    known = _verb(clause)
    if known is not None and known.base in HAVING and known.form in (Form.BASE, Form.THIRD):
        found += _of_verb(known.base, clause.words, clause.after, text, is_speech=known.base in ONLY_SAYING)
    form = _IN_FORM.search(text)
    if form is not None and _SIGN.search(text) is None:
        found.append(Feature(noun_of(form["form"]), frozenset(), form[0], is_bounded=True))
    if known is not None and known.base == "ask" and _ASKING.search(text) is not None:
        found.append(Feature("question", frozenset(), text, is_bounded=True))
    return tuple(each for each in found if each.noun)


def _prepared(text: str) -> tuple[Clause | None, tuple[Word, ...]]:
    """The clause and the words of a text with its set phrases as one word each."""
    if _ANY_PHRASE.search(text) is not None:
        for pattern, name in _PHRASES:
            text = pattern.sub(name, text)
    return clause_of(text), words_of(text)


def _of_verb(base: str, words: Sequence[Word], at: int, text: str, *, is_speech: bool) -> Iterator[Feature]:
    """What an answer has that does what the verb at `words[at]` says."""
    for each in _of_deed(base, words, at, text):
        yield replace(each, is_speech=is_speech)


def _of_deed(base: str, words: Sequence[Word], at: int, text: str) -> Iterator[Feature]:
    rest = words[at + 1 :]
    if base in DEEDS_OF_NOUNS:
        yield _deed_alone(base, rest, text)
        return
    if base in BEGINNING:
        if not rest or rest[0].text != "with":
            return
        rest = rest[1:]
    if base in ("cite", "link") and rest and rest[0].text not in ("no", "zero"):
        yield Feature("source" if base == "cite" else "link", frozenset(), text, is_bounded=True)
    if rest and rest[0].text in _NO_OBJECT:
        return
    quoted = quoted_feature(text)
    if quoted is not None:
        yield quoted
        return
    yield from (each for each in features_in(rest, text) if base != "ask" or each.noun == "question")


def _deed_alone(base: str, rest: Sequence[Word], text: str) -> Feature:
    """What an answer has that does what a verb says by itself: an apology, or the diagnosis of `rest`."""
    is_diagnosis = base == "diagnose"
    described = next(features_in(rest, text), None) if is_diagnosis else None
    content = frozenset[str]() if described is None else described.content
    bounded = bool(rest) and not is_diagnosis and not ends_whole(rest, 0)
    return Feature(DEEDS_OF_NOUNS[base], content, text, is_bounded=bounded)


def may_have(text: str, lacking: Iterable[Feature]) -> bool:
    """Whether `text` has a word of what `lacking` is without: a quick filter for `missing_feature`."""
    lower = text.lower()
    return any(sign in lower for each in lacking for sign in _signs_of(each.noun))


@lru_cache(maxsize=1_000)
def _signs_of(noun: str) -> tuple[str, ...]:
    """What the words for a thing or a part of it begin with."""
    same = {noun.strip("“”"), *(word for word, first in SYNONYMS.items() if first == noun), *PARTS.get(noun, ())}
    same |= {verb for verb, thing in DEEDS_OF_NOUNS.items() if thing == noun}
    same |= {"term", "language"} if noun == "jargon" else set[str]()
    same |= {"cite"} if noun == "source" else set[str]()
    same |= {"ask", "mark"} if noun in ("question", "exclamation-mark") else set[str]()
    return tuple(word.removesuffix("y") for word in same)


def missing_feature(wanted: Iterable[Feature], lacking: Iterable[Feature]) -> tuple[Feature, Feature] | None:
    """A thing that is wanted, and the lack that forbids it; None if both can be met."""
    lacked = tuple(lacking)
    for each in wanted:
        for other in lacked:
            if each.is_forbidden_by(other):
                return each, other
    return None
