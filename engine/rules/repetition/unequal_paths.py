"""Alternative paths of which one asks in so many words for less than another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.blueprint import Path
from engine.record import Record
from engine.rules.phrases.matcher import Phrases, read_phrases, words_in

_SETS = {
    "deed": [
        "mention|mentions|name|names|refer|refers|cite|cites|include|includes|say|says|state|states|note|notes|list|lists",
        "describe|describes|discuss|discusses|explain|explains|give|gives|provide|provides|identify|identifies|present",
        "acknowledge|acknowledges|outline|outlines|summarises|summarizes|addresses|covers|answers|compares|shows",
    ]
}
_LITTLE = (
    "^ ~2 {briefly|partially|partly|somewhat|superficially|vaguely|minimally|roughly|loosely|merely} <deed>",
    "^ ~2 {simply|just mentions|touches}",
    "^ <deed> ~5 {briefly|partially|partly|somewhat|superficially|vaguely} $",
    "^ <deed> ~5 {in passing}",
    "^ ~1 {touches|touch on|upon}",
    "^ <deed> a|an|some {brief|superficial|vague|minimal|cursory|incomplete}",
    "^ a? {simple|mere|brief mention}",
)
_MUCH = (
    "^ ~2 {comprehensively|thoroughly|extensively|exhaustively|fully|completely|carefully|rigorously} <deed>",
    "^ <deed> ~6 {comprehensively|thoroughly|extensively|exhaustively|fully|completely|carefully} $",
    "^ <deed> ~6 {in ~1 detail|depth|full}",
    "^ <deed> a|an|the? {comprehensive|thorough|detailed|extensive|exhaustive|complete|full|in-depth|rigorous}",
    "^ <deed> a|an|the? {step-by-step|well-researched|nuanced|elaborate}",
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


@cache
def _phrases(written: tuple[str, ...]) -> Phrases:
    return Phrases(read_phrases(written, _SETS))


def _degree(path: Path, written: tuple[str, ...]) -> str:
    """The first of some phrases in the texts of a path; empty if there is none."""
    for point in path.points:
        found = None if point.text is None else next(_phrases(written).found(words_in(point.text)), None)
        if found is not None:
            return (point.text or "")[slice(*found[1])]
    return ""
