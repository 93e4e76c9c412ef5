"""The words with a fixed meaning, defined once: `docs/words.md`, F1 and reports are made from this table."""

from __future__ import annotations

from enum import StrEnum

from engine.record import Record


class Word(Record):
    """A word, what it is said of, and its meaning in one or two sentences."""

    name: str
    of: str
    meaning: str


class Words(StrEnum):
    """The words by name."""

    COST = "cost"
    GAIN = "gain"
    CARRIED_OVER = "carried over"
    CATCHES = "catches"
    FAILS = "fails"
    UNDECIDED = "undecided"
    UNTESTED = "untested"
    UNASSESSED = "unassessed"


WORDS: tuple[Word, ...] = (
    Word(
        Words.COST,
        "a point of a result",
        "What the point takes from 100: its share of the required points, or of the best path. Costs add up "
        "to 100 less the score.",
    ),
    Word(
        Words.GAIN,
        "a point or path of a result",
        "What the score would rise by if this alone changed: the point fully met, or the path. Gains need not add up.",
    ),
    Word(
        Words.CARRIED_OVER,
        "a verdict",
        "The judge saw other criteria, another description or another conversation than there are now. The verdict "
        "counts in the score, with a mark, and is left out of agreement. In JSON and for cases the point is open.",
    ),
    Word(
        Words.CATCHES,
        "a point, over labelled answers",
        "How many bad answers the point fails, of those for which that is known.",
    ),
    Word(
        Words.FAILS,
        "a point, or a case",
        "A point fails an answer that is known to meet it by less than half, after inversion in `should_not`. A case "
        "fails if every score that is still possible lies outside its range, or the answer meets the point that it "
        "should fail.",
    ),
    Word(
        Words.UNDECIDED,
        "a case",
        "Whether it passes or fails depends on points that are not judged.",
    ),
    Word(
        Words.UNTESTED,
        "a point of `should_not`",
        "No person has said of a labelled answer that it commits this fault, so nothing shows that the point would "
        "notice it.",
    ),
    Word(
        Words.UNASSESSED,
        "a sentence of the ideal",
        "Every point was tried on the ideal without it, and none noticed. That is no fault by itself.",
    ),
)


def meaning(word: Words) -> str:
    """The meaning of a word."""
    return next(each.meaning for each in WORDS if each.name == word)


def page() -> str:
    """`docs/words.md`: all words as a table."""
    rows = "".join(f"| *{word.name}* | {word.of} | {word.meaning} |\n" for word in WORDS)
    return f"""# Words

These words mean the same everywhere: in the studio, on the command line, in reports and on these pages. `F1` shows
them too.

| word | said of | meaning |
| --- | --- | --- |
{rows}
[Scores](scores.md) explains costs and gains, [Cases](cases.md) what labelled answers show, and
[Judges](judges.md#carried-over-verdicts) verdicts that are carried over.
"""
