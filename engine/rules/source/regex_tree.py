"""A regular expression taken apart, as JavaScript reads it without the `u` flag, so that a rule can point into it.

Only for looking at: what a pattern does is found out by running it. Offsets are those of the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from engine.functions.counts import JAVASCRIPT_SPACE
from engine.text import Span


@dataclass(frozen=True, slots=True)
class Literal:
    """One character that stands for itself; `escaped` where it was written with a backslash."""

    span: Span
    character: str
    escaped: bool = False


@dataclass(frozen=True, slots=True)
class OneOf:
    """One character of a set: a class in brackets, `.`, `\\d` and their like."""

    span: Span
    ranges: tuple[tuple[str, str], ...]
    negated: bool = False

    def holds(self, character: str) -> bool:
        """Whether `character` is in it, where capitals count."""
        return any(first <= character <= last for first, last in self.ranges) is not self.negated


@dataclass(frozen=True, slots=True)
class Assertion:
    """`^`, `$`, `\\b` or `\\B`: `kind` is how it is written."""

    span: Span
    kind: str


@dataclass(frozen=True, slots=True)
class Backreference:
    """What a group has matched, once more."""

    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """Something in brackets. `opening` is `(`, `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!` or that of a name."""

    span: Span
    opening: str
    body: Regex

    @property
    def looks_around(self) -> bool:
        """Whether it takes up no text of its own."""
        return self.opening in ("(?=", "(?!", "(?<=", "(?<!")


@dataclass(frozen=True, slots=True)
class Repeat:
    """`body` several times: `most` is None where there is no end to it. `sign` is where the quantifier stands."""

    span: Span
    sign: Span
    body: Regex
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other."""

    span: Span
    items: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One or the other."""

    span: Span
    options: tuple[Regex, ...]


Regex: TypeAlias = Literal | OneOf | Assertion | Backreference | Group | Repeat | Sequence | Choice

_DIGITS = (("0", "9"),)
_WORD = (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))
_SPACES = tuple((found[0][0], found[0][-1]) for found in re.finditer(r".-.|.", JAVASCRIPT_SPACE, re.DOTALL))
_BREAKS = (("\n", "\n"), ("\r", "\r"), ("\u2028", "\u2029"))
_SETS = {"d": _DIGITS, "w": _WORD, "s": _SPACES}
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "0": "\0"}
_QUANTIFIER = re.compile(r"([*+?]|\{(\d+)(,(\d*))?\})\??")
_OPENING = re.compile(r"\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?")
_CODE = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})")
_LAST = "\U0010ffff"


class Unreadable(ValueError):
    """The pattern is none; V8 says why."""


@lru_cache(maxsize=4096)
def read(pattern: str) -> Regex | None:
    """`pattern` taken apart; None where it cannot be read."""
    try:
        reader = _Reader(pattern)
        tree = reader.choice()
    except (Unreadable, RecursionError):
        return None
    return tree if reader.at == len(pattern) else None


def parts(tree: Regex) -> Iterator[Regex]:
    """`tree` and everything in it, in the order written."""
    yield tree
    for child in _children(tree):
        yield from parts(child)


def _children(tree: Regex) -> tuple[Regex, ...]:
    match tree:
        case Group(body=body) | Repeat(body=body):
            return (body,)
        case Sequence(items=several) | Choice(options=several):
            return several
        case _:
            return ()


def sequences(tree: Regex) -> Iterator[tuple[Regex, ...]]:
    """What stands beside each other, for every run of it; a single part is a run of one."""
    if not isinstance(tree, Sequence):
        yield (tree,)
    for part in parts(tree):
        if isinstance(part, Sequence):
            yield part.items
        elif not isinstance(part, Literal):
            yield from ((child,) for child in _children(part) if not isinstance(child, Sequence))


def may_be_empty(tree: Regex) -> bool:
    """Whether it matches the empty text at any place: nothing in it has to be there, not even an edge."""
    match tree:
        case Literal() | OneOf() | Assertion() | Backreference():
            return False
        case Group():
            return not tree.looks_around and may_be_empty(tree.body)
        case Repeat(body=body, least=least):
            return least == 0 or may_be_empty(body)
        case Sequence(items=items):
            return all(map(may_be_empty, items))
        case Choice(options=options):
            return any(map(may_be_empty, options))


def takes_text(tree: Regex) -> bool:
    """Whether it cannot match without at least one character."""
    match tree:
        case Literal() | OneOf():
            return True
        case Assertion() | Backreference():
            return False
        case Group():
            return not tree.looks_around and takes_text(tree.body)
        case Repeat(body=body, least=least):
            return least > 0 and takes_text(body)
        case Sequence(items=items):
            return any(map(takes_text, items))
        case Choice(options=options):
            return all(map(takes_text, options))


@dataclass(slots=True)
class _Reader:
    """Reads a pattern from left to right."""

    pattern: str
    at: int = 0
    _names: bool = field(init=False)

    def __post_init__(self) -> None:
        self._names = "(?<" in self.pattern

    def choice(self) -> Regex:
        start = self.at
        options = [self._sequence()]
        while self.pattern.startswith("|", self.at):
            self.at += 1
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(Span(start, self.at), tuple(options))

    def _sequence(self) -> Regex:
        start = self.at
        items: list[Regex] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            items.append(self._repeated(self._atom()))
        return items[0] if len(items) == 1 else Sequence(Span(start, self.at), tuple(items))

    def _repeated(self, atom: Regex) -> Regex:
        ahead = self.pattern[self.at : self.at + 1]
        found = _QUANTIFIER.match(self.pattern, self.at) if ahead and ahead in "*+?{" else None
        if found is None:
            return atom
        if isinstance(atom, Assertion) or (
            isinstance(atom, Group) and atom.opening.startswith("(?<") and atom.looks_around
        ):
            raise Unreadable
        least, most = _bounds(found)
        if most is not None and least > most:
            raise Unreadable
        self.at = found.end()
        return Repeat(Span(atom.span.start, self.at), Span(found.start(), self.at), atom, least, most)

    def _atom(self) -> Regex:
        pattern, start = self.pattern, self.at
        character = pattern[start]
        match character:
            case "(":
                return self._group()
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case "*" | "+" | "?":
                raise Unreadable
            case "{" if _QUANTIFIER.match(pattern, start):
                raise Unreadable
            case _:
                pass
        self.at += 1
        span = Span(start, self.at)
        if character in "^$":
            return Assertion(span, character)
        return OneOf(span, _BREAKS, negated=True) if character == "." else Literal(span, character)

    def _group(self) -> Group:
        start = self.at
        opening = _OPENING.match(self.pattern, start)
        assert opening is not None
        self.at = opening.end()
        body = self.choice() if not self.pattern.startswith(")", self.at) else Sequence(Span(self.at, self.at), ())
        if not self.pattern.startswith(")", self.at):
            raise Unreadable
        self.at += 1
        return Group(Span(start, self.at), opening[0], body)

    def _class(self) -> OneOf:
        start = self.at
        self.at += 1
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        ranges: list[tuple[str, str]] = []
        while not self.pattern.startswith("]", self.at):
            first = self._class_member()
            if self.pattern.startswith("-", self.at) and not self.pattern.startswith("-]", self.at):
                self.at += 1
                last = self._class_member()
                if isinstance(first, str) and isinstance(last, str):
                    if first > last:
                        raise Unreadable
                    ranges.append((first, last))
                    continue
                ranges += [*_ranges(first), ("-", "-"), *_ranges(last)]
                continue
            ranges += _ranges(first)
        self.at += 1
        return OneOf(Span(start, self.at), tuple(ranges), negated)

    def _class_member(self) -> str | tuple[tuple[str, str], ...]:
        if self.at >= len(self.pattern):
            raise Unreadable
        character = self.pattern[self.at]
        self.at += 1
        if character != "\\":
            return character
        if self.at >= len(self.pattern):
            raise Unreadable
        if self.pattern[self.at] == "b":
            self.at += 1
            return "\b"
        return self._escaped()

    def _escape(self) -> Regex:
        start = self.at
        self.at += 1
        if self.at >= len(self.pattern):
            raise Unreadable
        named = re.compile(r"k<[^>]*>").match(self.pattern, self.at) if self._names else None
        number = re.compile(r"[1-9]\d*").match(self.pattern, self.at)
        found = named or number
        if found is not None:
            self.at = found.end()
            return Backreference(Span(start, self.at))
        if self.pattern[self.at] in "bB":
            self.at += 1
            return Assertion(Span(start, self.at), self.pattern[start : self.at])
        what = self._escaped()
        span = Span(start, self.at)
        return Literal(span, what, escaped=True) if isinstance(what, str) else OneOf(span, what)

    def _escaped(self) -> str | tuple[tuple[str, str], ...]:
        """What stands behind a backslash: a character, or a set."""
        character = self.pattern[self.at]
        code = _CODE.match(self.pattern, self.at)
        if code is not None:
            self.at = code.end()
            return chr(int(code[1] or code[2], 16))
        self.at += 1
        if character.lower() in _SETS:
            ranges = _SETS[character.lower()]
            return ranges if character.islower() else _all_but(ranges)
        return _ESCAPES.get(character, character)


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


def _ranges(member: str | tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return ((member, member),) if isinstance(member, str) else member


def _all_but(ranges: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The characters that are in none of `ranges`."""
    left: list[tuple[str, str]] = []
    start = 0
    for first, last in sorted(ranges):
        if start < ord(first):
            left.append((chr(start), chr(ord(first) - 1)))
        start = ord(last) + 1
    return (*left, (chr(start), _LAST))
