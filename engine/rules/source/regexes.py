"""A parser for regular expressions as JavaScript reads them without the flag `u`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import chain
from typing import TypeAlias

from engine import functions
from engine.blueprint import Point
from engine.functions.response_checks import JAVASCRIPT_SPACE
from engine.text import Record, Span, lazy
from engine.yaml.layout import first_line, source_offset

LONGEST_PARSED = 5_000
"""Characters of a pattern whose parts are examined; the longest of the public collection has 1,139."""
_DIGITS = (("0", "9"),)
_WORD = (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))
_SPACES = tuple((found[0][0], found[0][-1]) for found in re.finditer(r".-.|.", JAVASCRIPT_SPACE, re.DOTALL))
_BREAKS = (("\n", "\n"), ("\r", "\r"), ("\u2028", "\u2029"))
_SETS = {"d": _DIGITS, "w": _WORD, "s": _SPACES}
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "0": "\0"}
_QUANTIFIER = lazy(r"([*+?]|\{(\d+)(,(\d*))?\})\??")
_CHARACTER = r"\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\."
_ATOM = lazy(
    r"(?P<opening>\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?)|(?P<set>\[\^?(?P<members>(?:\\.|[^\]\\])*)\])|(?P<any>\.)"
    rf"|(?P<edge>\\[bB]|[$^])|(?P<number>\\[1-9]\d*)|(?P<name>\\k<[^>]*>)|(?P<character>{_CHARACTER}|[^\\*+?\[])",
    re.DOTALL,
)
_MEMBER = lazy(rf"{_CHARACTER}|[^\\]", re.DOTALL)
_Range: TypeAlias = tuple[str, str]
_LAST = "\U0010ffff"
_SHORTEST_RUN = 3
"""Letters of a text that says something by itself."""


class _InvalidRegex(ValueError):
    """The pattern is not valid because of the character `at`; V8 gives the reason."""

    def __init__(self, at: int) -> None:
        self.at = at


def parse_regex(pattern: str) -> Regex | None:
    """The parts of `pattern`; None if it is not valid, or longer than `LONGEST_PARSED`."""
    parsed = _parsed(pattern)
    return None if isinstance(parsed, int) else parsed


def invalid_place(pattern: str) -> Span | None:
    """The character because of which `pattern` is not valid; None if it is valid, or if that is not known."""
    parsed = _parsed(pattern)
    return Span(parsed, parsed + 1) if isinstance(parsed, int) else None


@lru_cache(maxsize=1024)
def _parsed(pattern: str) -> Regex | int | None:
    """The parts of `pattern`, or the place of the first error."""
    if len(pattern) > LONGEST_PARSED:
        return None
    try:
        parser = _RegexParser(pattern)
        tree = parser.alternation()
    except _InvalidRegex as error:
        return error.at
    except RecursionError:
        return None
    return tree if parser.at == len(pattern) else parser.at


@dataclass(slots=True)
class _RegexParser:
    """A recursive descent parser: one method for each part of the grammar."""

    pattern: str
    at: int = 0

    def alternation(self) -> Regex:
        start = self.at
        options = [self._concatenation()]
        while self.pattern.startswith("|", self.at):
            self.at += 1
            options.append(self._concatenation())
        return options[0] if len(options) == 1 else Alternation(Span(start, self.at), tuple(options))

    def _concatenation(self) -> Regex:
        start = self.at
        items: list[Regex] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            items.append(self._repeated(self._atom()))
        return items[0] if len(items) == 1 else Concatenation(Span(start, self.at), tuple(items))

    def _repeated(self, atom: Regex) -> Regex:
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None:
            return atom
        is_lookbehind = isinstance(atom, Group) and atom.opening in ("(?<=", "(?<!")
        least, most = _bounds(found)
        if isinstance(atom, Assertion) or is_lookbehind or (most is not None and least > most):
            raise _InvalidRegex(self.at)
        self.at = found.end()
        return Repeat(Span(atom.span.start, self.at), Span(*found.span()), atom, least, most)

    def _atom(self) -> Regex:
        start, found = self.at, _ATOM.match(self.pattern, self.at)
        if found is None or _QUANTIFIER.match(self.pattern, start):
            raise _InvalidRegex(start)
        self.at = found.end()
        span, written = Span(start, self.at), found[0]
        match found.lastgroup:
            case "opening":
                return self._group(start, written)
            case "set":
                return CharacterClass(span, tuple(_members(found)), negated=written.startswith("[^"))
            case "any":
                return CharacterClass(span, _BREAKS, negated=True)
            case "edge":
                return Assertion(span, written)
            case "name" if "(?<" not in self.pattern:
                self.at = start + len(r"\k")
                return Literal(Span(start, self.at), "k", escaped=True)
            case "number" | "name":
                return Backreference(span)
            case _:
                meaning, is_escaped = _meaning(written), written.startswith("\\")
                return Literal(span, meaning, is_escaped) if isinstance(meaning, str) else CharacterClass(span, meaning)

    def _group(self, start: int, opening: str) -> Group:
        body = self.alternation()
        if not self.pattern.startswith(")", self.at):
            raise _InvalidRegex(start)
        self.at += 1
        return Group(Span(start, self.at), opening, body)


def _members(found: re.Match[str]) -> Iterator[_Range]:
    """The characters of a class in brackets."""
    members = [*_MEMBER.finditer(found.string, *found.span("members"))]
    at = 0
    while at < len(members):
        first, *others = (each[0] for each in members[at : at + 3])
        first, last = _member(first), _member(others[1]) if len(others) == 2 and others[0] == "-" else None
        if isinstance(first, str) and isinstance(last, str):
            if first > last:
                raise _InvalidRegex(members[at + 2].end() - 1)
            yield first, last
        else:
            yield from (*_ranges(first), *(() if last is None else (("-", "-"), *_ranges(last))))
        at += 1 if last is None else 3


def _member(written: str) -> str | tuple[_Range, ...]:
    return "\b" if written == r"\b" else _meaning(written)


def _meaning(written: str) -> str | tuple[_Range, ...]:
    """The character, or the set of characters, for which a character or an escape stands."""
    if not written.startswith("\\"):
        return written
    if len(written) > 2:
        return chr(int(written[2:], 16))
    letter = written[1]
    if letter.lower() in _SETS:
        return _SETS[letter] if letter.islower() else _all_but(_SETS[letter.lower()])
    return _ESCAPES.get(letter, letter)


def _bounds(found: re.Match[str]) -> tuple[int, int | None]:
    match found[1]:
        case "*":
            return 0, None
        case "+":
            return 1, None
        case "?":
            return 0, 1
        case _:
            least = int(found[2])
            return least, least if found[3] is None else int(found[4]) if found[4] else None


def _ranges(member: str | tuple[_Range, ...]) -> tuple[_Range, ...]:
    return ((member, member),) if isinstance(member, str) else member


def _all_but(ranges: tuple[_Range, ...]) -> tuple[_Range, ...]:
    """The characters that are in none of `ranges`."""
    left: list[_Range] = []
    start = 0
    for first, last in sorted(ranges):
        if start < ord(first):
            left.append((chr(start), chr(ord(first) - 1)))
        start = ord(last) + 1
    return (*left, (chr(start), _LAST))


class Literal(Record):
    """One literal character; `escaped` if it is written with a backslash."""

    span: Span
    character: str
    escaped: bool = False


class CharacterClass(Record):
    """One character out of a set: a class in brackets, `.`, `\\d` and the like."""

    span: Span
    ranges: tuple[_Range, ...]
    negated: bool = False

    def holds(self, character: str) -> bool:
        """Whether the class contains `character`; case matters."""
        return any(first <= character <= last for first, last in self.ranges) is not self.negated


class Assertion(Record):
    """`^`, `$`, `\\b` or `\\B`, which is its `kind`."""

    span: Span
    kind: str


class Backreference(Record):
    """A reference to the text that a group has matched."""

    span: Span


class Group(Record):
    """A group. `opening` is `(`, `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!` or `(?<name>`."""

    span: Span
    opening: str
    body: Regex

    @property
    def is_lookaround(self) -> bool:
        """Whether the group is a lookahead or lookbehind, which matches no text of its own."""
        return self.opening in ("(?=", "(?!", "(?<=", "(?<!")


class Repeat(Record):
    """`body` from `least` to `most` times, None for no limit. `sign` is the span of the quantifier."""

    span: Span
    sign: Span
    body: Regex
    least: int
    most: int | None


class Concatenation(Record):
    """Parts one after the other."""

    span: Span
    items: tuple[Regex, ...]


class Alternation(Record):
    """Alternatives, separated by `|`."""

    span: Span
    options: tuple[Regex, ...]


Regex: TypeAlias = Literal | CharacterClass | Assertion | Backreference | Group | Repeat | Concatenation | Alternation


def parts(tree: Regex) -> Iterator[Regex]:
    """`tree` and all of its parts, in source order."""
    yield tree
    for child in _children(tree):
        yield from parts(child)


def _children(tree: Regex) -> tuple[Regex, ...]:
    match tree:
        case Group(body=body) | Repeat(body=body):
            return (body,)
        case Concatenation(items=several) | Alternation(options=several):
            return several
        case _:
            return ()


def concatenations(tree: Regex) -> Iterator[tuple[Regex, ...]]:
    """All runs of adjacent parts; a single part is a run of one."""
    if not isinstance(tree, Concatenation):
        yield (tree,)
    for part in parts(tree):
        if isinstance(part, Concatenation):
            yield part.items
        elif not isinstance(part, Literal):
            yield from ((child,) for child in _children(part) if not isinstance(child, Concatenation))


def letters_of(pattern: str) -> Iterator[str]:
    """The runs of literal letters and blanks in a pattern, including those in alternatives and groups."""
    tree = parse_regex(pattern.removeprefix("(?i)"))
    for items in () if tree is None else concatenations(tree):
        run = ""
        for item in (*items, None):
            if isinstance(item, Literal):
                run += item.character
                continue
            if len(run.strip()) >= _SHORTEST_RUN:
                yield run.strip()
            run = ""


class Need(IntEnum):
    """What every match of a pattern has at the least: nothing at all, a certain place in the answer, or text."""

    NOTHING = 0
    PLACE = 1
    TEXT = 2


def need_of(tree: Regex) -> Need:
    """What every match of `tree` has."""
    match tree:
        case Literal() | CharacterClass():
            return Need.TEXT
        case Assertion() | Backreference():
            return Need.PLACE
        case Group():
            return Need.PLACE if tree.is_lookaround else need_of(tree.body)
        case Repeat(body=body, least=least):
            return need_of(body) if least else Need.NOTHING
        case Concatenation(items=items):
            return max(map(need_of, items), default=Need.NOTHING)
        case Alternation(options=options):
            return min(map(need_of, options))


# The regular expressions of a point, and their places in the source.


INLINE_CASE = "(?i)"


class Pattern(Record):
    """One pattern of a `point` as `written`, and the flags with which it runs, without the documented `(?i)`."""

    point: Point
    written: str
    flags: str

    @property
    def head(self) -> str:
        """What stands before the pattern that JavaScript gets: `(?i)` or nothing."""
        return self.written[: len(self.written) - len(self.bare)]

    @property
    def bare(self) -> str:
        """The pattern that JavaScript gets."""
        return self.written.removeprefix(INLINE_CASE)


def patterns_of(point: Point) -> Iterator[Pattern]:
    """The patterns of a point's function, in source order; none if it takes no patterns."""
    function = functions.find(point.call.name)
    if function is None or function.search is None or function.search.is_literal:
        return
    flags = "i" if function.search.ignores_case else ""
    args = point.call.args
    if isinstance(args, list) and len(args) == 2 and isinstance(args[1], list):
        args = args[1]
    for item in args if isinstance(args, list) else [args]:
        if isinstance(item, str):
            yield Pattern(point, item, "i" if item.startswith(INLINE_CASE) else flags)


def patterns_in(points: Iterable[Point]) -> Iterator[Pattern]:
    """The patterns of all `points`, in their order."""
    return chain.from_iterable(map(patterns_of, points))


def place_in_source(text: str, pattern: Pattern, within: Span | None) -> Span:
    """The place of `within`, a span of the bare pattern; the whole pattern if that is unknown."""
    node = pattern.point.argument_node(pattern.written)
    if node is None:
        return pattern.point.subject_span
    if within is not None:
        start, end = (source_offset(text, node, at + len(pattern.head)) for at in (within.start, within.end))
        if start is not None and end is not None:
            return Span(start, end)
    return first_line(text, node.span)
