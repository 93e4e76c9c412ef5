"""A parser for regular expressions as JavaScript reads them without the flag `u`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from engine import functions
from engine.blueprint import Point
from engine.functions.response_checks import JAVASCRIPT_SPACE
from engine.rules.views import FileView
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span
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
_OPENING = lazy(r"\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?")
_CODE = lazy(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})")
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
    _names: bool = field(init=False)

    def __post_init__(self) -> None:
        self._names = "(?<" in self.pattern

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
        ahead = self.pattern[self.at : self.at + 1]
        found = _QUANTIFIER.match(self.pattern, self.at) if ahead and ahead in "*+?{" else None
        if found is None:
            return atom
        if isinstance(atom, Assertion) or (
            isinstance(atom, Group) and atom.opening.startswith("(?<") and atom.is_lookaround
        ):
            raise _InvalidRegex(self.at)
        least, most = _bounds(found)
        if most is not None and least > most:
            raise _InvalidRegex(self.at)
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
                raise _InvalidRegex(start)
            case "{" if _QUANTIFIER.match(pattern, start):
                raise _InvalidRegex(start)
            case _:
                pass
        self.at += 1
        span = Span(start, self.at)
        if character in "^$":
            return Assertion(span, character)
        return CharacterClass(span, _BREAKS, negated=True) if character == "." else Literal(span, character)

    def _group(self) -> Group:
        start = self.at
        opening = _OPENING.match(self.pattern, start)
        assert opening is not None
        self.at = opening.end()
        body = (
            self.alternation()
            if not self.pattern.startswith(")", self.at)
            else Concatenation(Span(self.at, self.at), ())
        )
        if not self.pattern.startswith(")", self.at):
            raise _InvalidRegex(start)
        self.at += 1
        return Group(Span(start, self.at), opening[0], body)

    def _class(self) -> CharacterClass:
        start = self.at
        self.at += 1
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        ranges: list[tuple[str, str]] = []
        if self.pattern.find("]", self.at) < 0:
            raise _InvalidRegex(start)
        while not self.pattern.startswith("]", self.at):
            first = self._class_member()
            if self.pattern.startswith("-", self.at) and not self.pattern.startswith("-]", self.at):
                self.at += 1
                last = self._class_member()
                if isinstance(first, str) and isinstance(last, str):
                    if first > last:
                        raise _InvalidRegex(self.at - 1)
                    ranges.append((first, last))
                    continue
                ranges += [*_ranges(first), ("-", "-"), *_ranges(last)]
                continue
            ranges += _ranges(first)
        self.at += 1
        return CharacterClass(Span(start, self.at), tuple(ranges), negated)

    def _class_member(self) -> str | tuple[tuple[str, str], ...]:
        if self.at >= len(self.pattern):
            raise _InvalidRegex(self.at - 1)
        character = self.pattern[self.at]
        self.at += 1
        if character != "\\":
            return character
        if self.at >= len(self.pattern):
            raise _InvalidRegex(self.at - 1)
        if self.pattern[self.at] == "b":
            self.at += 1
            return "\b"
        return self._escaped()

    def _escape(self) -> Regex:
        start = self.at
        self.at += 1
        if self.at >= len(self.pattern):
            raise _InvalidRegex(self.at - 1)
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
        return Literal(span, what, escaped=True) if isinstance(what, str) else CharacterClass(span, what)

    def _escaped(self) -> str | tuple[tuple[str, str], ...]:
        """The character or the set of characters after a backslash."""
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


class Literal(Record):
    """One literal character; `escaped` if it is written with a backslash."""

    span: Span
    character: str
    escaped: bool = False


class CharacterClass(Record):
    """One character out of a set: a class in brackets, `.`, `\\d` and the like."""

    span: Span
    ranges: tuple[tuple[str, str], ...]
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


def may_be_empty(tree: Regex) -> bool:
    """Whether it matches the empty text at every position: no part is required, not even an assertion."""
    match tree:
        case Literal() | CharacterClass() | Assertion() | Backreference():
            return False
        case Group():
            return not tree.is_lookaround and may_be_empty(tree.body)
        case Repeat(body=body, least=least):
            return least == 0 or may_be_empty(body)
        case Concatenation(items=items):
            return all(map(may_be_empty, items))
        case Alternation(options=options):
            return any(map(may_be_empty, options))


def takes_text(tree: Regex) -> bool:
    """Whether every match has at least one character."""
    match tree:
        case Literal() | CharacterClass():
            return True
        case Assertion() | Backreference():
            return False
        case Group():
            return not tree.is_lookaround and takes_text(tree.body)
        case Repeat(body=body, least=least):
            return least > 0 and takes_text(body)
        case Concatenation(items=items):
            return any(map(takes_text, items))
        case Alternation(options=options):
            return all(map(takes_text, options))


# The regular expressions of a point, and their places in the source.


INLINE_CASE = "(?i)"


class Pattern(Record):
    """One pattern as `written`, and the flags with which it runs, without the documented `(?i)`."""

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
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.search is None or function.search.is_literal:
        return
    flags = "i" if function.search.ignores_case else ""
    args = call.args
    if isinstance(args, list) and len(args) == 2 and isinstance(args[1], list):
        args = args[1]
    for item in args if isinstance(args, list) else [args]:
        if isinstance(item, str):
            yield Pattern(item, "i" if item.startswith(INLINE_CASE) else flags)


def place_in_source(view: FileView, point: Point, pattern: Pattern, within: Span | None) -> Span:
    """The place of `within`, a span of the bare pattern; the whole pattern if that is unknown."""
    node = point.argument_node(pattern.written)
    if node is None:
        return point.subject_span
    if within is not None:
        start, end = (source_offset(view.text, node, at + len(pattern.head)) for at in (within.start, within.end))
        if start is not None and end is not None:
            return Span(start, end)
    return first_line(view.text, node.span)
