"""The things that a phrase names: “tables or lists”, “the name of the donor”."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.feature_words import GENERIC, OF_ANSWERS, PARTS, noun_of, singular
from engine.rules.language.inflections import Form
from engine.rules.language.verbs import verb
from engine.rules.language.words import Word, word_set

_SKIPPED = word_set(
    """a an the any its his her their your my our some all this that these those at least most one single two three four
    five six seven eight nine ten several many more further additional multiple numerous various both each every kind
    sort type of exactly also me us him user reader them use explicit clear whatsoever possible actual specific
    concrete individual particular certain"""
)
_PREPOSITIONS = word_set(
    """for in on at to from by with as about regarding per that who which where when whose why how if whether because
    between against into during after before while since through toward towards under over within beyond than is are
    was were will can may must should has have not but so then only unless until except instead rather either using
    without like such including especially"""
)
_WHOLE = lazy(
    r"""[\s,]*(?:(?:anywhere\ |at\ all\ )?(?:in|throughout|within|from)\ (?:the|its|your|this)[ ]
      (?:whole\ |entire\ |final\ )?
      (?:answer|response|reply|text|output|message|letter|poem|story|summary|essay|post|email|mail|article|speech)
      |at\ all|whatsoever|anywhere|throughout|please|either|back|in\ it|again|in\ any\ way|of\ any\ kind|at\ any\ point
      |even\ if\ asked.*|ever|in\ return|(?:at\ least\ )?once|as\ asked|right\ away|directly)?[\s.!;:]*""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED_WORD = lazy(
    r"\b(?:words?|terms?|phrase|expression|adjective|name)\s+[\"“‘'](?P<word>[^\"”’']{2,40})[\"”’']", re.IGNORECASE
)
_JOINTS = frozenset(("or", "and", "nor"))
_BEHIND_NOUNS = word_set("please back only again ever once throughout too anywhere either")
"""Words behind a noun that say nothing of it."""
_LEAST_LETTERS = 3


class Feature(Record):
    """A thing that an answer has or lacks: the singular of its noun, the stems of what describes it, and the words.

    `is_bounded`: the text speaks of a place or a case, so that the answer may have or lack it elsewhere. `is_speech`:
    the answer speaks of it, or may not.
    """

    noun: str
    content: frozenset[str]
    words: str
    is_bounded: bool
    is_speech: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether answers themselves have such a thing: emojis, a table, an apology."""
        return self.noun in OF_ANSWERS

    def is_forbidden_by(self, lacking: Feature) -> bool:
        """Whether an answer that has this cannot be without `lacking`."""
        if lacking.is_bounded or (self.is_speech and not lacking.is_speech) or not lacking.content <= self.content:
            return False
        return self.noun == lacking.noun or (not lacking.content and self.noun in PARTS.get(lacking.noun, ()))


def features_in(rest: Sequence[Word], text: str) -> Iterator[Feature]:
    """The things that `rest`, words of `text`, begins with; a quoted word for which the text asks counts as one."""
    quoted = quoted_feature(text)
    if quoted is not None and any(word.is_quoted for word in rest):
        yield quoted
        return
    groups, end = _noun_groups(rest)
    bounded = not ends_whole(rest, end)
    for group in groups:
        feature = _feature(group, text, bounded=bounded)
        if feature is not None:
            yield feature


def quoted_feature(text: str) -> Feature | None:
    """The word in quotation marks that a text speaks of: “the word 'cheap'”."""
    quoted = _QUOTED_WORD.search(text)
    return None if quoted is None else Feature(f"“{quoted['word'].casefold()}”", frozenset(), text, is_bounded=False)


def _noun_groups(rest: Sequence[Word]) -> tuple[list[list[Word]], int]:
    """The words of each thing that `rest` begins with, and the index of what follows the last."""
    groups: list[list[Word]] = [[]]
    for index, word in enumerate(rest):
        if word.text in _JOINTS:
            groups.append([])
            continue
        if word.text in _PREPOSITIONS or word.is_quoted or (bool(groups[-1]) and _is_gerund(word)):
            return groups, index
        groups[-1].append(word)
        if word.ends_clause:
            return groups, index + 1
        if word.has_comma:
            groups.append([])
    return groups, len(rest)


def _is_gerund(word: Word) -> bool:
    known = verb(word.text) if word.text.endswith("ing") else None
    return known is not None and known.form is Form.GERUND


def ends_whole(rest: Sequence[Word], end: int) -> bool:
    """Whether nothing that bounds the deed follows the first `end` words of `rest`."""
    if end >= len(rest):
        return True
    tail = " ".join(word.text for word in rest[end:])
    return _WHOLE.fullmatch(tail) is not None or (end > 0 and rest[end - 1].ends_clause)


def _feature(words: Sequence[Word], text: str, *, bounded: bool) -> Feature | None:
    """The thing that a noun phrase names: its last noun before “of”; None for what could be anything."""
    texts = [word.text for word in words]
    owner = next((each[:-2] for each in texts if each.endswith("'s")), None)
    of = texts.index("of") if "of" in texts else len(texts)
    head = [each for each in texts[:of] if each not in _SKIPPED]
    tail = [each for each in texts[of + 1 :] if each not in _SKIPPED]
    while head and head[-1] in _BEHIND_NOUNS:
        head.pop()
    if head and head[-1] in ("name", "names", "identity"):
        head = [owner] if owner is not None else tail or head
        tail = []
    if not head or any(each in ("no", "not") for each in head):
        return None
    noun = noun_of(head[-1])
    if noun in GENERIC or len(noun) < _LEAST_LETTERS:
        return None
    return Feature(noun, frozenset(map(singular, (*head[:-1], *tail))), text, is_bounded=bounded)
