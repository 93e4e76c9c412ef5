"""Labels of levels that are levels only beside each other: “A: …”, “5 – …”, “Gold: …”, “a good answer names …”.

A letter, a number or “gold” may label anything. Two of them in a list label levels if what follows is graded: one says
a part of what the other says, or the same with another number, or with “only”, “none” or “partly”.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.inflections import Form
from engine.rules.language.verbs import SAYING, verb
from engine.rules.language.words import word_set

_AFTER = r"\s*(?:[:：=–—]|-(?=\s)|,(?=\s))\s*(?=\S)"
_LABEL = lazy(
    rf"""["'“*]*(?:
      (?P<letter>[A-F][+-]?){_AFTER}
    | (?P<number>\d{{1,2}}(?:\s*[-–]\s*\d{{1,2}})?)(?:{_AFTER}|\s+for\s+)
    | (?P<bracket>[\[(]\s*\d{{1,2}}\s*[\])])\s*:?\s+(?=\S)
    | (?P<star>[★⭐*]+(?:☆*))\s*:?\s+(?=\S)
    | (?P<tier>(?i:tier|stage|level|grade|class|category|rank|mark)\s+
        (?:\d{{1,2}}|[IVX]{{1,4}}|[A-F]|one|two|three|four|five))
      (?:\s*\([^)]*\))?{_AFTER}
    | (?P<scores>(?i:scores?|earns?|gets?|receives?|achieves?)\s+(?:an?\s+)?
        (?:\d{{1,3}}|[A-F])(?:\s+points?|\s+marks?)?)\s+(?:if|when|for)\s
    | (?P<goal>(?i:for|to\s+(?:get|earn|reach|achieve|score))\s+(?:an?\s+)?
        (?:\d{{1,3}}(?:\s+points?|\s+marks?)?|[A-F]|(?i:full|half|partial|top)
      \s+(?:marks|credit|points))){_AFTER}?\s*
    | (?P<degree>1st|2:1|2:2|3rd){_AFTER}
    )""",
    re.VERBOSE,
)
_END = lazy(r"(?:=\s*|[:–—(\[-]\s*)(?P<end>\d{1,2})\s*(?P<unit>points?|pts?|marks?)?\s*[)\]]?\s*\.?$", re.IGNORECASE)
_FRACTION = lazy(r"[,;:–—(\[-]\s*(?P<mark>\d{1,3}\s*/\s*(?:3|4|5|6|10|20|100))\s*[)\]]?\s*\.?$")
_WORD_LABEL = lazy(
    rf"""["'“*]*(?P<article>(?i:an?|the)\s+)?(?P<word>[A-Za-z]+
      (?:[ -](?!(?i:answer|response|reply|essay|case|quality|standard|work))[a-z]+)?)
    (?P<noun>\s+(?i:answers?|responses?|replies|reply|essays?|case|quality|standards?|work|performance|level))?
    (?:{_AFTER}|(?<=[a-z])\s+(?=(?i:names?|gives?|cites?|lists?|explains?|says?|states?|mentions?|has|have|contains?|includes?|shows?|uses?)\b))""",
    re.VERBOSE,
)
_WORDS = {
    word: scale
    for scale, words in enumerate(
        (
            "gold silver bronze",
            "distinction merit pass fail credit",
            "fully partially partly not-at-all mostly completely somewhat barely yes no maybe not",
            "strong weak good bad poor excellent adequate mediocre perfect great ideal best worst average top"
            " acceptable unacceptable",
            "high medium low",
            "green amber yellow red",
            "below at above meets exceeds approaching below-standard at-standard above-standard",
            "not-yet almost achieved nearly",
            "novice beginner intermediate expert advanced competent",
            "minimum minimal expected stretch basic full",
        )
    )
    for word in words.split()
}
LEVEL_WORDS = frozenset(word.split("-")[0] for word in _WORDS)
"""The first words of labels that are words."""
_STRONG = word_set(
    """fully partially somewhat unacceptable acceptable strong weak excellent adequate mediocre poor novice distinction
    merit not-yet almost achieved below-standard at-standard above-standard"""
)
"""Words that label levels and hardly anything else; with a noun for an answer, all words do."""
_GRADING = word_set(
    """only none neither nothing no partly partially missing fewer less incomplete both all some any most without half
    not never several every few more correctly"""
)
_NUMBERS = word_set("one two three four five six seven eight nine ten 1 2 3 4 5 6 7 8 9 10 a an single")
_SMALL = word_set("the and or of to in on at for with by as is are was it its this that their them then be")
_NOTHING = frozenset({"none", "neither", "nothing", "no", "missing", "only"})
_LACKING = frozenset({"missing", "fewer", "incomplete"})
_OF_THE_WORLD = frozenset({"tier", "fraction", "end"})
"""Labels that the world has, too: stages of a disease, scores of a test."""
_ENUMERATING = frozenset({"letter", "number", "bracket"})
_NO_CONTENT = _GRADING | _NUMBERS | _SMALL
_CONTENT = lazy(r"[a-z0-9]+")
SCORES = "scores"
"""The kind of “scores 3 if …”, which labels a level beside its like and is a measure alone."""


class LevelLabel(Record):
    """A label, `text[start:end]`, of the form `kind`; `is_strong` if it can hardly label anything but a level."""

    kind: str
    start: int
    end: int
    rest: str
    value: str
    is_strong: bool = False


@lru_cache(maxsize=4_000)
def labels_of(text: str) -> tuple[LevelLabel, ...]:
    """What may be labels of a level in a text: one at its beginning, one at its end."""
    return tuple(_labels(text[:400]))


def _labels(text: str) -> Iterator[LevelLabel]:
    found = _LABEL.match(text)
    if found is not None and found.lastgroup is not None:
        kind = found.lastgroup
        start, end = found.span(kind)
        yield LevelLabel(kind, start, end, text[found.end() :], text[start:end].lower())
    worded = _WORD_LABEL.match(text[:60])
    if worded is not None:
        word = "-".join(worded["word"].lower().split())
        scale = _WORDS.get(word)
        if scale is not None and (worded["article"] is None or worded["noun"] is not None):
            start, end = worded.start("word"), worded.end("noun" if worded["noun"] else "word")
            strong = worded["noun"] is not None or word in _STRONG
            yield LevelLabel(f"word {scale}", start, end, text[worded.end() :], word, strong)
    fraction = _FRACTION.search(text)
    if fraction is not None:
        yield LevelLabel("fraction", *fraction.span("mark"), text[: fraction.start()], fraction["mark"])
    last = _END.search(text)
    if last is not None:
        yield LevelLabel("end", last.start(), last.end(), text[: last.start()], last["end"], last["unit"] is not None)


def are_levels(labels: Sequence[LevelLabel]) -> bool:
    """Whether labels of one form, with what follows them, are levels of one scale."""
    if len({label.value for label in labels}) < 2:
        return False
    kind = labels[0].kind
    if {label.value for label in labels} <= {"yes", "no"}:
        return False
    if (kind == "tier" or kind.startswith("word")) and all(_is_criterion(label) for label in labels):
        return True
    if kind in _OF_THE_WORLD and not any(_starts_with_deed(label) for label in labels):
        return False
    if kind == "fraction":
        return True
    if kind.startswith("word") and sum(label.is_strong for label in labels) >= 2:
        return True
    if kind.startswith("word") and not any(_is_of_answer(label) for label in labels):
        return False
    return _are_graded(labels)


def _is_criterion(label: LevelLabel) -> bool:
    """Whether “tier 1”, “level A”, “high” labels what an answer does; stages and classes may be those of the world."""
    is_of_answer = label.kind != "tier" or label.value.split()[0] in ("tier", "level", "grade", "mark")
    return is_of_answer and _starts_with_deed(label)


def _is_of_answer(label: LevelLabel) -> bool:
    """Whether the text is about an answer: “names …”, “both dates named”, “one step missing”."""
    if _starts_with_deed(label):
        return True
    for word in _CONTENT.findall(label.rest.lower()):
        known = verb(word)
        if word in _LACKING or (known is not None and known.form is Form.PAST and known.base in SAYING):
            return True
    return False


def _starts_with_deed(label: LevelLabel) -> bool:
    """Whether the text says what an answer does: “names …”."""
    first = label.rest.split(None, 1)[:1]
    known = verb(first[0].lower()) if first else None
    return known is not None and known.form is Form.THIRD


def _are_graded(labels: Sequence[LevelLabel]) -> bool:
    """Whether neighbours say a part of each other, or the same with another number or “only”.

    A list may be numbered or lettered from its beginning, so there half of the neighbours have to.
    """
    graded = sum(_is_step(first, second) for first, second in pairwise(labels))
    is_enumeration = labels[0].kind in _ENUMERATING
    return graded * 2 >= len(labels) - 1 if is_enumeration else graded > 0


def _is_step(first: LevelLabel, second: LevelLabel) -> bool:
    words, grading, numbers = _read(first.rest)
    others, more_grading, more_numbers = _read(second.rest)
    if words != others:
        is_part = bool(words & others) and (words < others or others < words)
        is_counted = bool(words & others) and grading != more_grading and bool(numbers | more_numbers)
        has_nothing = grading != more_grading and not _NOTHING.isdisjoint(more_grading)
        is_of_answer = _starts_with_deed(first) and first.kind not in _ENUMERATING
        return is_part or is_counted or (has_nothing and is_of_answer)
    is_other_number = bool(numbers and more_numbers) and numbers != more_numbers and _is_criterion(first)
    return is_other_number or grading != more_grading


def _read(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The content, the grading words and the numbers of a text."""
    words = frozenset(_CONTENT.findall(text.lower()))
    content = {word.removesuffix("s") for word in words - _NO_CONTENT if not word.isdigit()}
    return frozenset(content), words & _GRADING, words & _NUMBERS
