"""One trial: slips made in one prompt, what is reported of each, and what is left once all fixes are applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import LineIndex, apply_edits
from tests.slips.excerpts import Excerpt, excerpt, form
from tests.slips.operators import Kind, Made

_MOST_ROUNDS = 12
_MOST_TRIES = 400


@dataclass(frozen=True, slots=True)
class Trial:
    """A text with slips, the text that was meant, and for each slip its kind and the lines that hold it."""

    text: str
    meant: str
    slips: tuple[tuple[Kind, frozenset[int]], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one slip: reported at its line, with its cause, and fixed together with the others."""

    kind: Kind
    reported: bool
    named: bool
    fixed: bool


def trial(kinds: Sequence[Kind], seed: str) -> Trial | None:
    """A trial with a slip of each of `kinds`, at a seeded place; None if no place of the corpus has room for them."""
    rng = Random(seed)
    for _ in range(_MOST_TRIES):
        where = excerpt(rng)
        made = None if where is None else _make(where, kinds, rng)
        if where is not None and made is not None:
            found = _joined(where, kinds, made)
            if form(found.meant) is not None:
                return found
    return None


def made_trial(kind: Kind, kinds: Sequence[Kind], several: int, seed: str) -> Trial | None:
    """A trial of `kind` with `several - 1` other slips of kinds for which a fix is due."""
    rng = Random(seed)
    for attempt in range(8 if several > 1 else 1):
        others = rng.sample([each for each in kinds if each is not kind and each.fix], several - 1)
        made = trial([kind, *others], f"{seed} {attempt}")
        if made is not None:
            return made
    return None


def _make(where: Excerpt, kinds: Sequence[Kind], rng: Random) -> list[Made] | None:
    made: list[Made] = []
    for kind in kinds:
        one = kind.make(where, rng)
        if one is None or any(_touch(one, other) for other in made):
            return None
        made.append(one)
    return made


def _touch(one: Made, other: Made) -> bool:
    return one.first <= other.first + other.count and other.first <= one.first + one.count


def _joined(where: Excerpt, kinds: Sequence[Kind], made: Sequence[Made]) -> Trial:
    slip, meant = list(where.lines), list(where.lines)
    slips: list[tuple[Kind, frozenset[int]]] = []
    for kind, one in sorted(zip(kinds, made, strict=True), key=lambda each: -each[1].first):
        slip[one.first : one.first + one.count] = one.slip
        meant[one.first : one.first + one.count] = one.meant
        grown = len(one.slip) - one.count
        slips = [(other, frozenset(line + grown for line in lines)) for other, lines in slips]
        slips.append((kind, frozenset(one.first + place for place in one.places)))
    return Trial("\n".join(slip) + "\n", "\n".join(meant) + "\n", tuple(slips))


def verdicts(tried: Trial) -> Iterator[Verdict]:
    """What becomes of each slip."""
    found = _problems(tried.text)
    after, _ = fixed(tried.text)
    is_fixed = form(after) == form(fixed(tried.meant)[0])
    index = LineIndex(tried.text)
    for kind, lines in tried.slips:
        here = [one for one in found if one.slug in kind.slugs and not lines.isdisjoint(_lines(one, index))]
        named = any(kind.cause.search(one.message) for one in here)
        yield Verdict(kind, bool(here), named, is_fixed)


def fixed(text: str) -> tuple[str, Sequence[Diagnostic]]:
    """`text` after the first safe fix of its first problem, again and again, and the problems that are left."""
    found = _problems(text)
    for _ in range(_MOST_ROUNDS):
        fix = next((fix for one in found for fix in one.fixes if fix.safe), None)
        if fix is None:
            break
        text = apply_edits(text, fix.edits)
        found = _problems(text)
    return text, found


@lru_cache(maxsize=64)
def _problems(text: str) -> Sequence[Diagnostic]:
    return [one for one in check(parse(text)) if one.severity is not Severity.HINT]


def _lines(one: Diagnostic, index: LineIndex) -> range:
    first = index.position(one.span.start).line
    return range(first, index.position(max(one.span.end - 1, one.span.start)).line + 1)


@dataclass(slots=True)
class Shares:
    """How many slips of a kind were made, reported at their line, with their cause, and fixed."""

    made: int = 0
    reported: int = 0
    named: int = 0
    fixed: int = 0

    def add(self, verdict: Verdict) -> None:
        """Count one slip."""
        self.made += 1
        self.reported += verdict.reported
        self.named += verdict.named
        self.fixed += verdict.fixed

    def __add__(self, other: Shares) -> Shares:
        return Shares(
            self.made + other.made,
            self.reported + other.reported,
            self.named + other.named,
            self.fixed + other.fixed,
        )
