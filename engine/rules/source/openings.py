"""How the points of a rubric begin, so that a line that begins like a point is told from a line of a wrapped text.

No language is known here: a line begins like a point if its first word is capitalised like those of the points, is the
first word of one of them, ends in their most common letter or is followed by a short word that is common in them, and
stands within none of them, as names do. Without capitals, the line above it must also be too short for a wrapped one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from engine.blueprint import Point
from engine.text.patterns import lazy
from engine.text.record import Record

_WORD = lazy(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE_END = ".!?…。"
_SENTENCES = lazy(rf"[{_SENTENCE_END}][\"'”»)*]*[ \t]+\S")
_WITHIN_SENTENCE = ",;:(-–—/&"
_LONGEST_LINK = 5
"""Letters of the words that link others, such as `of` and `under`, in the languages that have them."""
_LONGEST_ARTICLE = 3
"""Letters of the words that hardly end a sentence, in the same languages."""
_FEWEST = 2
_NARROWEST = 30
"""Characters of the lines to which hardly anybody wraps a text."""


class Openings(Record):
    """The first words of points, the last letter of most of them ("" if they differ), and the words inside points.

    `last` are their last words. `are_capital`: most begin with a capital letter. `are_phrases`: a point may end without
    a full stop. `are_sentences`: with a full stop the point ends, as none has a second sentence.
    """

    first: frozenset[str]
    ending: str
    within: Counter[str]
    last: frozenset[str]
    are_capital: bool
    are_phrases: bool
    are_sentences: bool

    def begins(self, line: str, above: str) -> bool:
        """Whether `line` begins like a point, below the line `above` of another one."""
        word, *others = _words(line)[:2] or [""]
        if not word or word[0].isupper() is not self.are_capital or self.within[word] or not self.ends(above):
            return False
        if word in self.first:
            return True
        last = above.split()[-1]
        if not may_end(above) and last not in self.last:
            return False  # what follows `of`, `que` or `der` may be a name
        is_alike = word.isalpha() and word[-1] == self.ending
        if not self.are_capital:
            is_caseless = word.isalpha() and not word[0].islower()
            is_alike = is_alike or (is_caseless and any(each[0] == word[0] for each in self.first))
            return is_alike and len(above) + len(word) < _NARROWEST
        is_linked = len(last) >= _LONGEST_LINK and last.islower() and any(map(self._links, others))
        return is_alike or is_linked

    def ends(self, line: str) -> bool:
        """Whether a point may end with `line`: not within brackets, nor with a short word found only inside points."""
        line = line.rstrip()
        if not line or line[-1] in _WITHIN_SENTENCE or line.count("(") > line.count(")"):
            return False
        word = line.split()[-1]
        if self._links(word) and word not in self.last:
            return False
        return self.are_sentences if _ends_sentence(line) else self.are_phrases

    def _links(self, word: str) -> bool:
        return len(word) <= _LONGEST_LINK and word.islower() and self.within[word] > 1


def openings_of(points: Iterable[list[str]]) -> Openings:
    """The openings of points, each given by its lines: the first word of a line is not taken for one inside a point."""
    written = [lines for lines in points if lines]
    first = [word for lines in written if (word := first_word(lines[0]))]
    ending, count = Counter(word[-1] for word in first).most_common(1)[0] if first else ("", 0)
    stopped = [_ends_sentence(lines[-1]) for lines in written]
    return Openings(
        first=frozenset(first),
        ending=ending if 2 * count >= len(first) else "",
        within=Counter(word for lines in written for line in lines for word in _WORD.findall(line)[1:]),
        last=frozenset(found[-1] for lines in written if (found := _WORD.findall(lines[-1]))),
        are_capital=2 * sum(word[0].isupper() for word in first) > len(first),
        are_phrases=not all(stopped) or len(stopped) < _FEWEST,
        are_sentences=not any(_SENTENCES.search(line) for lines in written for line in lines),
    )


def may_end(line: str) -> bool:
    """Whether a line ends with a longer word than those that link others, such as `of` and `dem`."""
    return len(line.split()[-1]) > _LONGEST_ARTICLE or not line[-1].islower()


def first_word(text: str) -> str:
    """The first word of `text`, behind marks of emphasis and quotation; empty if it begins with none."""
    return (_words(text) or [""])[0]


def _words(text: str) -> list[str]:
    """The words of `text`; none if it begins with another sign."""
    return _WORD.findall(text) if text.lstrip("*_\"'“‘„«")[:1].isalnum() else []


def _ends_sentence(line: str) -> bool:
    return line.rstrip("\"'”»)*").endswith(tuple(_SENTENCE_END))


# Labels of the levels of a scale, with which criteria begin: “Score 3: …”, “Excellent: …”.


_LABEL = lazy(
    r"""\W*(?P<label>
      (?:score|level|rating|grade|band|tier|stufe|niveau|nivel|puntuación|livello|punteggio|poziom|уровень
        |оценка|等级|评分|分数|レベル)\s*(?:of\s+)?(?:\d{1,3}(?:\.\d+)?|(?-i:[A-F]\b)[+-]?|one|two|three|four|five|zero)
      |\d{1,3}(?:\s*[-–]\s*\d{1,3})?\s*(?:points?|stars?|marks?|pts?|%)|\d{1,2}\s*/\s*\d{1,2}|\d{1,3}\s*[-–]\s*\d{1,3}(?=:)|\d(?=\s*=)
      |(?P<word>[a-z]+(?:[ -][a-z]+)?))
    \s*(?:\([^)]*\)\s*)?(?:[:：=–—]|\s-\s)\s*\S""",
    re.IGNORECASE | re.VERBOSE,
)
_WORDS = {
    word: f"words {scale}"
    for scale, words in enumerate(
        (
            """excellent outstanding exemplary superior good very-good proficient competent satisfactory adequate
            average fair mediocre limited developing emerging poor bad very-poor unsatisfactory inadequate failing
            perfect great weak strong needs-improvement insufficient sufficient terrible partial complete incomplete
            acceptable unacceptable ideal""",
            "full-credit partial-credit no-credit half-credit full-marks half-marks no-marks partial-marks zero-credit",
            "pass fail borderline partial-pass passes fails distinction merit",
            "exceeds-expectations meets-expectations below-expectations",
            "fully-met partially-met not-met mostly-met fully-correct partially-correct incorrect",
        )
    )
    for word in words.split()
}


class Level(Record):
    """A point that begins with the label of a level, and the place of the label in its text."""

    point: Point
    scale: str
    place: tuple[int, int]

    @property
    def label(self) -> str:
        """The label in lower case, on one line."""
        return " ".join((self.point.text or "")[slice(*self.place)].casefold().split())


def level_of(point: Point) -> Level | None:
    """The level with whose label a point begins; None without one."""
    found = None if point.text is None else _LABEL.match(point.text)
    if found is None:
        return None
    word = found["word"]
    scale = "numbers" if word is None else _WORDS.get("-".join(word.casefold().split()))
    return None if scale is None else Level(point, scale, found.span("label"))
