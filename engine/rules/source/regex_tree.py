"""The parts of a regular expression, as JavaScript reads it without the flag `u`, each with its span in the pattern.

Only for examining a pattern: what it does is found by running it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from engine.record import Record
from engine.text import Span


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
