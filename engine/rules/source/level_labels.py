"""Labels of the levels of a scale, with which criteria begin: “Score 3: …”, “Excellent: …”."""

from __future__ import annotations

import re

from engine.blueprint import Point
from engine.text.patterns import lazy
from engine.text.record import Record

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
