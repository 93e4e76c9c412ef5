"""Lists and mappings in brackets, JSON included: which of them are open at a place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.completion.place import ITEM, At, Step

_TOKEN = re.compile(
    r"""(?P<quoted>"(?:[^"\\\r\n]|\\.)*"?|'(?:[^'\r\n]|'')*'?)
    |(?P<comment>(?<=\s)\#[^\r\n]*)
    |(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)|(?P<colon>:(?=[\s,\[\]{}"']|$))
    |(?P<plain>(?:[^\s,\[\]{}:\#]|:(?=[^\s,\[\]{}"'])|(?<=\S)\#)(?:[^,\[\]{}:\r\n]|:(?=[^\s,\[\]{}]))*)
    |(?P<odd>[:\#])""",
    re.VERBOSE,
)


@dataclass(slots=True)
class _Bracket:
    """One open bracket: the keys it has so far, the one whose value is being written, and the last text in it."""

    is_mapping: bool
    keys: set[str] = field(default_factory=set[str])
    key: str | None = None
    pending: str | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """The open brackets at a place: the way into the innermost, what begins there, and its keys so far.

    `word` is where the word before the place begins, the place itself where there is none; `quote` its mark.
    """

    at: At
    path: tuple[Step, ...]
    siblings: frozenset[str]
    word: int
    quote: str


def open_brackets(text: str, start: int, end: int) -> Open | None:
    """What is open at `end`, read from `start`, which lies outside any text in quotes; None where nothing is."""
    stack: list[_Bracket] = []
    word, quote = end, ""
    for match in _TOKEN.finditer(text, start, end):
        inner = stack[-1] if stack else None
        match match.lastgroup:
            case "open":
                stack.append(_Bracket(match[0] == "{"))
            case "close":
                if stack:
                    stack.pop()
            case "comma" if inner is not None:
                inner.key = inner.pending = None
            case "colon" if inner is not None and inner.pending is not None:
                inner.key, inner.pending = inner.pending, None
                inner.keys.add(inner.key)
            case "comment" if match.end() == end:
                return None
            case "quoted":
                is_open = match.end() == end and (len(match[0]) == 1 or match[0][-1] != match[0][0])
                if is_open:
                    word, quote = match.start() + 1, match[0][0]
                elif match.end() == end:
                    return None
                elif inner is not None:
                    inner.pending = match[0][1:-1]
            case "plain":
                if match.end() == end:
                    word = match.start()
                elif inner is not None:
                    inner.pending = match[0].rstrip()
            case _:
                pass
    return _innermost(stack, word, quote) if stack else None


def _innermost(stack: list[_Bracket], word: int, quote: str) -> Open:
    path: list[Step] = []
    for bracket in stack:
        if not bracket.is_mapping:
            path.append(ITEM)
        elif bracket.key is not None:
            path.append(bracket.key)
    inner = stack[-1]
    at = At.ITEM if not inner.is_mapping else At.KEY if inner.key is None else At.VALUE
    siblings = inner.keys - ({inner.key} if inner.key is not None else set())
    return Open(at, tuple(path), frozenset(siblings), word, quote)
