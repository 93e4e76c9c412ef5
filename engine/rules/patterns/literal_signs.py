"""Special characters of a pattern that were meant literally: `+` in `C++`, `.` in `3.5`, brackets around words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from engine.rules.source.regex_parser import (
    Assertion,
    CharacterClass,
    Concatenation,
    Group,
    Literal,
    Regex,
    Repeat,
    concatenations,
    parse_regex,
    parts,
)
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span

_SIGN = lazy(r"[A-Za-z0-9 ][+*?]|\$\d|\w\^\w|\d\.\d|\((?!\?)[^()|[\]*+?]+\)(?![*+?{])")
"""A quick filter: a pattern without a match has no sign that was meant literally."""
_DOUBLED = lazy(r"(?<![\w\\])(?:[A-Za-z]|[A-Za-z]+pad)(\+\+)(?![\w+*?{])")
_QUESTION = lazy(
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|would|will|should|shall|may)"
    r"\b",
    re.IGNORECASE,
)


_LABEL = lazy(r"\w|\d+|[A-Z]{2,4}|[ivx]{2,4}")
"""What is a label in brackets: `(A)`, `(12)`, `(iv)`. A longer group without alternatives only groups."""


class LiteralSign(Record):
    """Signs of a pattern that were meant literally: their places, and the part of the pattern to show.

    `refused` says that the pattern is invalid because of them.
    """

    sign: str
    places: tuple[Span, ...]
    shown: Span
    refused: bool = False


def is_meant_literally(pattern: str) -> bool:
    """Whether a sign that was meant literally makes the pattern invalid, as in `C++`."""
    return any(each.refused for each in literal_signs(pattern))


def has_warning(pattern: str) -> bool:
    """Whether `unescaped-literal` reports a warning for `pattern`, so that other rules need not."""
    return any(each.sign != "." for each in literal_signs(pattern))


@lru_cache(maxsize=4096)
def literal_signs(pattern: str) -> tuple[LiteralSign, ...]:
    """All signs in `pattern` that were meant literally, in source order."""
    if _SIGN.search(pattern) is None:
        return ()
    tree = parse_regex(pattern)
    if tree is None:
        doubled = _DOUBLED.search(pattern)
        if doubled is None or parse_regex(pattern[: doubled.start(1)] + pattern[doubled.end(1) :]) is None:
            return ()
        start, end = doubled.span(1)
        return (LiteralSign("+", (Span(start, start + 1), Span(start + 1, end)), Span(*doubled.span()), refused=True),)
    quantified = {part.body.span for part in parts(tree) if isinstance(part, Repeat)}
    found = [
        each
        for row in concatenations(tree)
        for each in _in_row(pattern, row)
        if each.sign != "(" or each.shown not in quantified
    ]
    return tuple(sorted(found, key=lambda each: each.shown))


def _in_row(pattern: str, row: tuple[Regex, ...]) -> Iterator[LiteralSign]:
    for at, part in enumerate(row):
        before = row[at - 1] if at else None
        after = row[at + 1] if at + 1 < len(row) else None
        match part:
            case Repeat(body=Literal(escaped=False)) if pattern[part.sign.start : part.sign.end] in "+*?":
                sign = pattern[part.sign.start]
                second = row[at - 2] if at > 1 else None
                is_meant = (
                    _is_question(pattern, part, before, after)
                    if sign == "?"
                    else _is_sum(sign, part, second, before, after, row[at + 2] if at + 2 < len(row) else None)
                )
                if is_meant:
                    yield LiteralSign(sign, (part.sign,), _around(part, before, after))
            case Assertion(kind="$") if _is_a_digit(after):
                yield LiteralSign("$", (part.span,), _around(part, None, after))
            case Assertion(kind="^") if _is_single(before) and _is_alphanumeric(after):
                yield LiteralSign("^", (part.span,), _around(part, before, after))
            case Group(opening="(") if _is_label(part, before, after) and "\\1" not in pattern:
                yield LiteralSign("(", (_first(part.span), _last(part.span)), part.span)
            case CharacterClass() if part.span.of(pattern) == "." and _is_a_digit(before) and _is_a_digit(after):
                yield LiteralSign(".", (part.span,), _around(part, before, after))
            case _:
                pass


def _is_sum(
    sign: str, part: Repeat, second: Regex | None, before: Regex | None, after: Regex | None, next_but_one: Regex | None
) -> bool:
    """Whether the text is a sum such as `x+y` or `2 * 3`, or a mark such as `B+`."""
    body = part.body
    assert isinstance(body, Literal)
    if body.character == " ":
        return _is_operand(before, second) and _is_a(after, " ") and _is_operand(next_but_one, None)
    if not body.character.isalnum() or not body.character.isascii():
        return False
    is_number = body.character.isdigit()
    stands_alone = is_number or not _is_alphanumeric(before)
    if not stands_alone:
        return False
    if _is_alphanumeric(after) and _is_a_digit(after) == is_number:
        return is_number or not _is_alphanumeric(next_but_one)
    is_mark = sign == "+" and body.character.isupper() and (before is None or _is_a(before, " "))
    return is_mark and (after is None or _is_a(after, " "))


def _is_operand(part: Regex | None, before: Regex | None) -> bool:
    return _is_a_digit(part) or (_is_alphanumeric(part) and not _is_alphanumeric(before))


def _is_question(pattern: str, part: Repeat, before: Regex | None, after: Regex | None) -> bool:
    """Whether the text is a question: several words that begin with a question word and end with the sign."""
    sentence = re.split(r"[.!?^]\s+|\^", pattern[: part.sign.start])[-1].lstrip()
    ends = after is None or (isinstance(after, Literal) and after.character in " \"'")
    return ends and " " in sentence and _QUESTION.match(sentence) is not None and _is_alphanumeric(before)


def _is_label(group: Group, before: Regex | None, after: Regex | None) -> bool:
    """Whether the brackets belong to what is looked for, `(A)` or `f(x)`; in `(federal) court` they only group."""
    body = group.body
    items = body.items if isinstance(body, Concatenation) else (body,)
    letters = [item.character for item in items if isinstance(item, Literal)]
    if not items or len(letters) < len(items):
        return False
    return _is_single(before) or _is_single(after) or _LABEL.fullmatch("".join(letters)) is not None


def _is_single(part: Regex | None) -> bool:
    return isinstance(part, Literal) and part.character.isalnum()


def _is_alphanumeric(part: Regex | None) -> bool:
    if isinstance(part, Repeat):
        part = part.body
    return isinstance(part, Literal) and part.character.isalnum() and not part.escaped


def _is_a_digit(part: Regex | None) -> bool:
    return isinstance(part, Literal) and part.character.isdigit()


def _is_a(part: Regex | None, character: str) -> bool:
    return isinstance(part, Literal) and part.character == character


def _around(part: Regex, before: Regex | None, after: Regex | None) -> Span:
    return Span(
        part.span.start if before is None else before.span.start, part.span.end if after is None else after.span.end
    )


def _first(span: Span) -> Span:
    return Span(span.start, span.start + 1)


def _last(span: Span) -> Span:
    return Span(span.end - 1, span.end)
