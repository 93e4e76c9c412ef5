"""Proof that a pattern matches an answer of one line only: the answer, and the same on two lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.javascript.tasks import Matches, RegexTask, TaskRunner
from engine.record import Record
from engine.rules.source.pattern_places import Pattern
from engine.rules.source.regex_parser import (
    Alternation,
    Assertion,
    Backreference,
    CharacterClass,
    Concatenation,
    Group,
    Literal,
    Regex,
    Repeat,
    parse_regex,
    parts,
)
from engine.text import Span

_ANY = (".*", ".+", ".{")
_FILLER = "yes indeed"


class Witness(Record):
    """Two answers that differ in a line break only, of which a pattern matches one, and the run that is in between.

    With `excludes`, the one that is matched has two lines: the pattern excludes what is on one line.
    """

    matched: str
    missed: str
    place: Span
    excludes: bool = False

    @property
    def two_lines(self) -> str:
        """The answer of two lines."""
        return self.matched if self.excludes else self.missed


def may_be_line_bound(pattern: str) -> bool:
    """Whether a pattern has a run of any characters: a quick filter."""
    return any(sign in pattern for sign in _ANY)


def witness_against(pattern: Pattern, javascript: TaskRunner) -> Witness | None:
    """Proof that a line break at a run makes the pattern fail; None if there is none."""
    if not may_be_line_bound(pattern.bare):
        return None
    for option in options_of(pattern.bare):
        found = _excluding(pattern, option, javascript) or _failing(pattern, option, javascript)
        if found is not None:
            return found
    return None


def _failing(pattern: Pattern, option: Span, javascript: TaskRunner) -> Witness | None:
    """An answer of one line that the pattern matches by an alternative, and fails once it has two lines."""
    text = option.of(pattern.bare)
    runs = bound_runs(text)
    sample = sample_of(text, _FILLER) if runs else None
    if sample is None:
        return None
    split = [(run.span, _broken(sample.text, run.place)) for run in sample.runs if run.span in runs]
    split.sort(key=lambda each: text[: each[0].start].endswith('"'))  # JSON has no line break within a string
    passes, *found = matches(javascript, pattern, pattern.bare, [sample.text, *(answer for _, answer in split)])
    for (span, answer), is_found in zip(split, found, strict=True):
        if passes and not is_found:
            return Witness(sample.text, answer, span.shifted(option.start))
    return None


def _excluding(pattern: Pattern, option: Span, javascript: TaskRunner) -> Witness | None:
    """Proof that a lookahead such as `^(?!.*bad)` excludes what it names on the first line only."""
    text = option.of(pattern.bare)
    for lookahead in _leading_lookaheads(text, "(?!"):
        run = next((part for part in parts(lookahead) if is_any_run(part)), None)
        sample = None if run is None else sample_of(lookahead.body.span.of(text), _FILLER)
        if run is None or sample is None or not sample.runs:
            continue
        broken = _broken(sample.text, sample.runs[0].place)
        on_first, on_second, without = matches(javascript, pattern, pattern.bare, [sample.text, broken, _FILLER])
        if without and on_second and not on_first:
            return Witness(broken, sample.text, run.span.shifted(option.start), excludes=True)
    return None


def _leading_lookaheads(pattern: str, opening: str) -> Iterator[Group]:
    """The lookaheads with this `opening` at the start of a pattern, behind `^` and lookaheads of the same kind."""
    for item in items_of(pattern):
        if isinstance(item, Group) and item.opening == opening:
            yield item
        elif not is_assertion(item, "^"):
            return


def options_of(pattern: str) -> list[Span]:
    """The alternatives of the whole pattern, without a group around all of it; the pattern itself if it has none."""
    tree = parse_regex(pattern)
    while isinstance(tree, Group) and not tree.is_lookaround:
        tree = tree.body
    if tree is None:
        return []
    return [option.span for option in tree.options] if isinstance(tree, Alternation) else [tree.span]


def bound_runs(pattern: str) -> frozenset[Span]:
    """The runs of any characters that `^`, `$` or a lookahead at the start binds to one line."""
    tree, items = parse_regex(pattern), items_of(pattern)
    if tree is None or len(items) < 2:
        return frozenset()
    if is_assertion(items[0], "^") and is_assertion(items[-1], "$"):
        return frozenset(part.span for part in parts(tree) if is_any_run(part))
    found: set[Span] = set()
    if len(items) > 2:
        ends = ((items[0], "^", items[1]), (items[-1], "$", items[-2]))
        found.update(run.span for end, kind, run in ends if is_assertion(end, kind) and is_any_run(run))
    for lookahead in _leading_lookaheads(pattern, "(?="):
        found.update(part.span for part in parts(lookahead) if is_any_run(part))
    return frozenset(found)


def items_of(pattern: str) -> tuple[Regex, ...]:
    """The parts of a pattern one after the other; none of a single part, and of an invalid pattern."""
    tree = parse_regex(pattern)
    return tree.items if isinstance(tree, Concatenation) else ()


def is_assertion(part: Regex, kind: str) -> bool:
    """Whether the part is `^`, or `$`."""
    return isinstance(part, Assertion) and part.kind == kind


def matches(javascript: TaskRunner, pattern: Pattern, written: str, answers: Sequence[str]) -> list[bool]:
    """Whether each of `answers` matches `written`, with the flags of `pattern`."""
    outcomes = javascript.run([RegexTask(written, pattern.flags, answer, 1) for answer in answers])
    return [isinstance(outcome, Matches) and bool(outcome.spans) for outcome in outcomes]


def _broken(text: str, filler: Span) -> str:
    """`text` with a line break beside its filler, or within it if there is nothing else."""
    before, after = text[: filler.start], text[filler.end :]
    within = filler.of(text)
    if after:
        return f"{before}{within.rstrip()}\n{after}"
    return f"{before}\n{within.lstrip()}" if before else "\n".join(within.split())


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
