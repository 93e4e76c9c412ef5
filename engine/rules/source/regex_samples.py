"""An answer that a regular expression matches, made from its parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.record import Record
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
)
from engine.text import Span

_PREFERRED = "a1 A-_.,:"
_LONGEST = 400


class LineRun(Record):
    """A `.*` or `.+` of a pattern: its span, and the place in the sample of the text for it, with blanks around it."""

    span: Span
    place: Span


class Sample(Record):
    """An answer that a pattern matches, and the runs of any characters in it, in source order."""

    text: str
    runs: tuple[LineRun, ...]


@lru_cache(maxsize=1024)
def sample_of(pattern: str, filler: str) -> Sample | None:
    """A short answer that `pattern` matches, with `filler` for each `.*` and `.+`; None if it cannot be made.

    Lookaheads are taken as text at their place, so the answer has to be tried against the pattern.
    """
    tree = parse_regex(pattern)
    if tree is None:
        return None
    maker = _SampleMaker(filler)
    made = maker.add(tree)
    return Sample(maker.text, tuple(maker.runs)) if made and len(maker.text) <= _LONGEST else None


class _SampleMaker:
    """Writes a sample and finds the runs in it."""

    def __init__(self, filler: str) -> None:
        self._filler = filler
        self.text = ""
        self.runs: list[LineRun] = []

    def _write(self, text: str) -> bool:
        last = self.runs[-1] if self.runs else None
        if last is not None and last.place.end == len(self.text) and text[:1].isalnum():
            self.runs[-1] = LineRun(last.span, Span(last.place.start, last.place.end + 1))
            self.text += " "
        self.text += text
        return True

    def add(self, tree: Regex) -> bool:
        """Write a text for `tree`; whether there is one."""
        match tree:
            case Literal(character=character):
                return self._write(character)
            case CharacterClass():
                return self._write_one_of(tree)
            case Assertion():
                return True
            case Backreference():
                return False
            case Group(opening=opening, body=body):
                return True if opening in ("(?!", "(?<!") else self.add(body)
            case Repeat():
                return self._repeat(tree)
            case Concatenation(items=items):
                return all(map(self.add, items))
            case Alternation(options=options):
                return self._write_longest(options)

    def _write_one_of(self, part: CharacterClass) -> bool:
        found = next((each for each in _PREFERRED if part.holds(each)), None)
        found = found or (part.ranges[0][0] if part.ranges and not part.negated else None)
        return found is not None and self._write(found)

    def _repeat(self, part: Repeat) -> bool:
        if is_any_run(part):
            start = len(self.text)
            self.text += f" {self._filler}" if self.text[-1:].isalnum() else self._filler
            self.runs.append(LineRun(part.span, Span(start, len(self.text))))
            return True
        return all(self.add(part.body) for _ in range(min(part.least, 20)))

    def _write_longest(self, options: Sequence[Regex]) -> bool:
        """Write the option that has a run of any characters, else the first."""
        chosen = next((option for option in options if any(is_any_run(part) for part in _below(option))), options[0])
        return self.add(chosen)


def _below(tree: Regex) -> Sequence[Regex]:
    match tree:
        case Concatenation(items=items):
            return items
        case _:
            return (tree,)


def is_any_run(part: Regex) -> bool:
    """Whether it is `.*`, `.+` or `.{2,}`: any number of characters of one line."""
    return (
        isinstance(part, Repeat)
        and part.most is None
        and isinstance(part.body, CharacterClass)
        and part.body.negated
        and part.body.holds(" ")
        and not part.body.holds("\n")
        and part.body.span.end - part.body.span.start == 1
    )
