"""Alternative paths of which one asks in so many words for less than another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Path
from engine.record import Record
from engine.rules.language.clauses import clause_of
from engine.rules.language.words import Phrases, phrases, starts_with, word_set, words_of

_LITTLE = phrases(
    *("briefly", "brief", "partially", "partly", "somewhat", "superficially", "superficial", "vaguely", "vague"),
    *("minimal", "minimally", "cursory", "roughly", "loosely", "in passing", "touches on", "touches upon", "a little"),
    *(
        "incomplete",
        "simple mention",
        "mere mention",
        "merely",
        "simply mentions",
        "just mentions",
        "at least mentions",
    ),
)
_MUCH = phrases(
    *("comprehensive", "comprehensively", "thorough", "thoroughly", "detailed", "extensive", "extensively"),
    *(
        "exhaustive",
        "exhaustively",
        "fully",
        "completely",
        "well-researched",
        "well researched",
        "in-depth",
        "in depth",
    ),
    *("in detail", "in full", "in great detail", "carefully", "well-sourced", "rigorous", "rigorously", "meticulous"),
    *("complete answer", "complete account", "complete explanation", "full answer", "full account", "full explanation"),
    *("elaborate", "nuanced", "step-by-step"),
)
_WANTED = word_set(
    """mention name reference cite include say state note raise tell list refer describe discuss explain give provide
    identify report present quote acknowledge clarify outline summarise summarize address detail introduce indicate
    offer share suggest recommend highlight define compare cover answer respond write make show touch treat do"""
)
_MOST_PATHS = 20


class UnequalPaths(Record):
    """The places, from 0, of a poorer and a better path, and the word of each that says so."""

    poorer: int
    better: int
    poorer_word: str
    better_word: str


def unequal_paths(paths: Sequence[Path]) -> UnequalPaths | None:
    """The first path that asks for less than another, with that one; None if none says so."""
    words = [(_degree(path, _LITTLE), _degree(path, _MUCH)) for path in paths[:_MOST_PATHS]]
    poorer = next((index for index, (little, much) in enumerate(words) if little and not much), None)
    better = next((index for index, (little, much) in enumerate(words) if much and not little), None)
    if poorer is None or better is None:
        return None
    return UnequalPaths(poorer, better, words[poorer][0], words[better][1])


def _degree(path: Path, table: Phrases) -> str:
    """The first phrase of `table` in the texts of a path that say what an answer gives; empty if there is none."""
    return next((found for point in path.points if point.text for found in _phrases_in(point.text, table)), "")


def _phrases_in(text: str, table: Phrases) -> Iterator[str]:
    clause = clause_of(text)
    if clause is None or clause.is_negative or (clause.verb is not None and clause.verb.base not in _WANTED):
        return
    words = words_of(text)
    for at, word in enumerate(words):
        length = starts_with(words, at, table)
        if length and not word.is_quoted:
            yield text[word.start : words[at + length - 1].end]
