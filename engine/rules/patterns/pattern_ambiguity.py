"""Finds ambiguous repetitions in a pattern, and a text that makes the regex engine try all the ways to match.

A pattern becomes Glushkov's automaton: one position for each character or class, with the positions that may follow it.
Two different paths from a position back to itself over the same text double the work with each repetition. Two loops
that can share a text multiply it. The result is only a suspicion, because lookarounds and counted repetitions are
approximated; `slow_regex` measures the time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from engine.rules.source.regex_parser import parse_regex
from engine.rules.source.regex_tree import (
    Alternation,
    Assertion,
    Backreference,
    CharacterClass,
    Concatenation,
    Group,
    Literal,
    Regex,
    Repeat,
    parts,
)
from engine.text import Span

_MAX_POSITIONS = 150
_MAX_STEPS = 20_000
_MAX_SUSPICIONS = 4
_UNROLLED = 3
"""A repetition of up to this number is expanded; a longer one counts as a loop."""
_SAMPLES = "aZ0 _-.,:;!\n\té中"
_START = -1


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A text of `prefix`, many times `pump`, and one of `suffixes` may take long, because of `span` of the pattern.

    With `doubles`, each repetition multiplies the work; otherwise it grows with a power of the length.
    """

    span: Span
    prefix: str
    pump: str
    suffixes: tuple[str, ...]
    doubles: bool


@lru_cache(maxsize=4096)
def suspicions(pattern: str, flags: str) -> tuple[Suspicion, ...]:
    """Up to four suspicions against `pattern`, the worst first; none if it is invalid or too large."""
    tree = parse_regex(pattern)
    if tree is None or sum(_loops(part) for part in parts(tree)) < 1:
        return ()
    automaton = _Automaton(pattern, any_case="i" in flags)
    try:
        automaton.build(tree)
    except _TooLarge:
        return ()
    found = {each.span: each for each in reversed([*automaton.doubling(), *automaton.multiplying()])}
    return tuple(sorted(found.values(), key=lambda each: not each.doubles))[:_MAX_SUSPICIONS]


class _TooLarge(Exception):
    """The pattern has too many positions to be examined on a keystroke."""


def _loops(part: Regex) -> bool:
    return isinstance(part, Repeat) and (part.most is None or part.most > _UNROLLED)


@dataclass(frozen=True, slots=True)
class _Ends:
    """The positions at which a part may begin and end, and whether it may be empty."""

    first: tuple[int, ...]
    last: tuple[int, ...]
    empty: bool


@dataclass(slots=True)
class _Automaton:
    """The positions of a pattern: the sample characters that each accepts, as a bit set, and what may follow it."""

    pattern: str
    any_case: bool
    accepts: list[int] = field(default_factory=list[int])
    follow: dict[int, dict[int, int]] = field(default_factory=dict[int, dict[int, int]])
    """For each position, the number of ways to each next one: 1, or 2 for several."""
    loops: list[tuple[Span, int, int]] = field(default_factory=list[tuple[Span, int, int]])
    """The span of each loop and its range of positions, the inner loops first."""
    _alphabet: str = ""

    def build(self, tree: Regex) -> None:
        written = {part.character for part in parts(tree) if isinstance(part, Literal)}
        ends = {end for part in parts(tree) if isinstance(part, CharacterClass) for pair in part.ranges for end in pair}
        self._alphabet = "".join(dict.fromkeys([*_SAMPLES, *sorted(written | ends)]))
        whole = self._part(tree)
        self._join((_START,), whole.first)

    def _part(self, tree: Regex) -> _Ends:
        match tree:
            case Literal() | CharacterClass():
                return self._place(tree)
            case Assertion() | Backreference():
                return _Ends((), (), empty=True)
            case Group(body=body):
                inner = self._part(body)
                return _Ends(inner.first, inner.last, inner.empty or tree.is_lookaround)
            case Alternation(options=options):
                each = [self._part(option) for option in options]
                return _Ends(
                    tuple(place for ends in each for place in ends.first),
                    tuple(place for ends in each for place in ends.last),
                    any(ends.empty for ends in each),
                )
            case Concatenation(items=items):
                return self._sequence(self._part(item) for item in items)
            case Repeat():
                return self._repeat(tree)

    def _place(self, tree: Literal | CharacterClass) -> _Ends:
        place = len(self.accepts)
        if place >= _MAX_POSITIONS:
            raise _TooLarge
        self.accepts.append(sum(1 << at for at, each in enumerate(self._alphabet) if self._matches(tree, each)))
        self.follow[place] = {}
        return _Ends((place,), (place,), empty=False)

    def _matches(self, tree: Literal | CharacterClass, character: str) -> bool:
        cases = {character, character.lower(), character.upper()} if self.any_case else {character}
        if isinstance(tree, Literal):
            return tree.character in cases or (self.any_case and tree.character.lower() in cases)
        return any(len(each) == 1 and tree.holds(each) for each in cases)

    def _sequence(self, several: Iterable[_Ends]) -> _Ends:
        whole = _Ends((), (), empty=True)
        for ends in several:
            self._join(whole.last, ends.first)
            whole = _Ends(
                whole.first + ends.first if whole.empty else whole.first,
                whole.last + ends.last if ends.empty else ends.last,
                whole.empty and ends.empty,
            )
        return whole

    def _repeat(self, tree: Repeat) -> _Ends:
        start = len(self.accepts)
        if not _loops(tree):
            most = tree.most or 0
            copies = [self._part(tree.body) for _ in range(most)]
            optional = [_Ends(each.first, each.last, each.empty or at >= tree.least) for at, each in enumerate(copies)]
            return self._sequence(optional)
        inner = self._part(tree.body)
        self._join(inner.last, inner.first)
        self.loops.append((tree.span, start, len(self.accepts)))
        return _Ends(inner.first, inner.last, inner.empty or tree.least == 0)

    def _join(self, before: Iterable[int], after: tuple[int, ...]) -> None:
        for place in before:
            ways = self.follow.setdefault(place, {})
            for next_place in after:
                ways[next_place] = min(ways.get(next_place, 0) + 1, 2)

    # Sources of slowness

    def doubling(self) -> Iterator[Suspicion]:
        """Positions with two different paths back to themselves over one text."""
        reported: set[Span] = set()
        for span, start, end in self.loops:
            for place in range(start, end):
                if span in reported:
                    break
                pump = self._pump_of_two_paths(place, range(start, end))
                if pump:
                    reported.add(span)
                    yield self._suspicion(span, place, pump, doubles=True)

    def _pump_of_two_paths(self, place: int, within: range) -> str | None:
        """A text over which two paths lead from `place` to itself without leaving the loop."""
        queue: deque[tuple[int, int, bool, str]] = deque([(place, place, False, "")])
        seen = {(place, place, False)}
        while queue and len(seen) < _MAX_STEPS:
            one, other, diverged, text = queue.popleft()
            for left, ways in self.follow[one].items():
                if left not in within:
                    continue
                for right in self.follow[other]:
                    shared = self.accepts[left] & self.accepts[right]
                    if right not in within or not shared:
                        continue
                    apart = diverged or left != right or (one == other and ways > 1)
                    step = text + self._character(shared)
                    if apart and left == right == place:
                        return step
                    if (left, right, apart) not in seen:
                        seen.add((left, right, apart))
                        queue.append((left, right, apart, step))
        return None

    def multiplying(self) -> Iterator[Suspicion]:
        """Pairs of loops, one after the other, that accept the same text and can share it."""
        for span, start, end in self.loops:
            for other_span, other_start, other_end in self.loops:
                if other_start < end:
                    continue
                for place in range(start, end):
                    pump = self._shared(place, range(start, end), range(other_start, other_end))
                    if pump is not None:
                        text, _ = pump
                        yield self._suspicion(Span(span.start, other_span.end), place, text, doubles=False)
                        break

    def _shared(self, place: int, loop: range, other_loop: range) -> tuple[str, int] | None:
        """A text that leads from `place` to itself, from `place` to the other loop, and from there to itself."""
        for goal in other_loop:
            queue: deque[tuple[int, int, int, str]] = deque([(place, place, goal, "")])
            seen = {(place, place, goal)}
            while queue and len(seen) < _MAX_STEPS // 10:
                one, middle, other, text = queue.popleft()
                for triple in self._steps(one, middle, other, loop, other_loop):
                    shared = self.accepts[triple[0]] & self.accepts[triple[1]] & self.accepts[triple[2]]
                    if not shared or triple in seen:
                        continue
                    step = text + self._character(shared)
                    if triple == (place, goal, goal):
                        return step, goal
                    seen.add(triple)
                    queue.append((*triple, step))
        return None

    def _steps(
        self, one: int, middle: int, other: int, loop: range, other_loop: range
    ) -> Iterator[tuple[int, int, int]]:
        return (
            (first, second, third)
            for first in self.follow[one]
            if first in loop
            for third in self.follow[other]
            if third in other_loop
            for second in self.follow[middle]
            if self.accepts[first] & self.accepts[third] & self.accepts[second]
        )

    def _suspicion(self, span: Span, place: int, pump: str, *, doubles: bool) -> Suspicion:
        return Suspicion(span, self._path_to(place), pump, self._mismatches(place), doubles)

    def _path_to(self, place: int) -> str:
        """The shortest text that leads to `place`; empty if none does."""
        queue: deque[tuple[int, str]] = deque([(_START, "")])
        seen = {_START}
        while queue:
            at, text = queue.popleft()
            if at == place:
                return text
            for after in self.follow.get(at, {}):
                if after not in seen and self.accepts[after]:
                    seen.add(after)
                    queue.append((after, text + self._character(self.accepts[after])))
        return ""

    def _mismatches(self, place: int) -> tuple[str, ...]:
        """Texts after which the pattern probably does not match: first a character that cannot follow `place`."""
        accepted = 0
        for after in self.follow[place]:
            accepted |= self.accepts[after]
        free = [each for at, each in enumerate(self._alphabet) if not accepted >> at & 1 and each in _SAMPLES]
        ends = [each for each in ("!", "\n", *free) if each in free]
        return tuple(dict.fromkeys([*ends[:1], "\n\n", "", "!"]))

    def _character(self, shared: int) -> str:
        """The first of the sample characters in `shared`."""
        return self._alphabet[(shared & -shared).bit_length() - 1]
