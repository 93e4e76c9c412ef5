"""Searches of a response for texts, whole words and patterns. Each returns the spans that it found.

No span means that nothing was found; an empty text is found at the start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from engine.functions.function_text import quoted
from engine.functions.point_function import CheckError, SearchTraits, Target
from engine.javascript.tasks import JsError, Killed, Matches, Outcome, RegexTask, Task, TimedOut, Value
from engine.record import Record, replace
from engine.text import Span

EVIDENCE = 25
"""The maximum number of spans returned for one text."""

Hit: TypeAlias = "tuple[Span, ...] | CheckError"


class Search(Record):
    """One kind of search. `task` makes the task for V8, None if V8 is not needed; `hit` returns the spans found."""

    traits: SearchTraits
    hit: Callable[[str, str, Outcome | None], Hit]
    task: Callable[[str, str], Task] | None = None

    @property
    def noun(self) -> str:
        """The noun for messages: text, word or pattern."""
        return self.traits.target.value

    def tasks(self, wanted: Sequence[str], response: str) -> tuple[Task, ...]:
        """The tasks for V8 that search for all of `wanted`; empty if V8 is not needed."""
        return () if self.task is None else tuple(self.task(text, response) for text in wanted)

    def hits(
        self, wanted: Sequence[str], response: str, outcomes: Sequence[Outcome]
    ) -> list[tuple[Span, ...]] | CheckError:
        """The spans of each of `wanted`, or the first error."""
        found: list[tuple[Span, ...]] = []
        for index, text in enumerate(wanted):
            hit = self.hit(text, response, outcomes[index] if self.task is not None else None)
            if isinstance(hit, CheckError):
                return hit
            found.append(hit)
        return found


_SURROGATE = re.compile("[\ud800-\udfff]")


class Haystack(Record):
    """A text to search, with a map from its offsets to those of the response.

    It is in lower case if case is ignored, which can make it longer (İ), and split into UTF-16 units if the wanted text
    has a lone surrogate: `\\ud83d` is then found in 😀, as in JavaScript.
    """

    text: str
    offsets: Sequence[int] | None = None

    def span(self, start: int, end: int) -> Span:
        """The span of the response for `start` to `end` of this text."""
        if self.offsets is None:
            return Span(start, end)
        if end == start:
            return Span(self.offsets[start], self.offsets[start])
        return Span(self.offsets[start], self.offsets[end - 1] + 1)


def prepared(response: str, wanted: str, *, any_case: bool) -> tuple[Haystack, str]:
    """`response` and `wanted` in comparable form.

    With `any_case`, both are in lower case as by JavaScript's `toLowerCase` (platform A10), including final sigma.
    """
    text, offsets = response, None
    if any_case:
        (text, offsets), wanted = _folded(response), wanted.lower()
    if _SURROGATE.search(wanted) or (not wanted.isascii() and _SURROGATE.search(text)):
        units = [(unit, index) for index, character in enumerate(text) for unit in _units(character)]
        places = [index if offsets is None else offsets[index] for _, index in units]
        return Haystack("".join(unit for unit, _ in units), [*places, len(response)]), "".join(_units(wanted))
    return Haystack(text, offsets), wanted


@lru_cache(maxsize=4)
def _folded(response: str) -> tuple[str, Sequence[int] | None]:
    """The response in lower case, with its map of offsets if it is longer. Cached for the checks of one rubric."""
    text = response.lower()
    if len(text) == len(response):
        return text, None
    offsets = [index for index, character in enumerate(response) for _ in character.lower()]
    return text, [*offsets, len(response)]


def _units(text: str) -> list[str]:
    encoded = text.encode("utf-16-be", "surrogatepass")
    return [chr(encoded[at] << 8 | encoded[at + 1]) for at in range(0, len(encoded), 2)]


def _anywhere(any_case: bool) -> Callable[[str, str, Outcome | None], Hit]:
    def hit(wanted: str, response: str, _outcome: Outcome | None) -> Hit:
        haystack, needle = prepared(response, wanted, any_case=any_case)
        if not needle:
            return (Span(0, 0),)
        spans: list[Span] = []
        at = haystack.text.find(needle)
        while at >= 0 and len(spans) < EVIDENCE:
            spans.append(haystack.span(at, at + len(needle)))
            at = haystack.text.find(needle, at + len(needle))
        return tuple(spans)

    return hit


CONTAINS = Search(SearchTraits(Target.TEXT), _anywhere(any_case=False))
"""As JavaScript's `includes`."""
ICONTAINS = Search(SearchTraits(Target.TEXT, ignores_case=True), _anywhere(any_case=True))
"""The same after `toLowerCase` of both sides."""


_INLINE_CASE = "(?i)"


def _pattern_task(flags: str) -> Callable[[str, str], Task]:
    def task(pattern: str, response: str) -> Task:
        # The documents write `(?i)` at the start of a pattern (002), which JavaScript refuses (platform A8).
        bare = pattern.removeprefix(_INLINE_CASE)
        return RegexTask(bare, "i" if bare != pattern else flags, response, EVIDENCE)

    return task


def _pattern_hit(pattern: str, _response: str, outcome: Outcome | None) -> Hit:
    match outcome:
        case Matches(spans):
            return spans
        case JsError(_, message):
            return CheckError(f"The pattern {quoted(pattern)} cannot be read: {message.rpartition(': ')[2]}.")
        case TimedOut(milliseconds):
            return CheckError(
                f"The pattern {quoted(pattern)} took longer than {milliseconds} ms on this response and was stopped. "
                "The usual cause is a repetition inside a repetition, such as (a+)+.",
                stopped=True,
            )
        case Killed(reason):
            return CheckError(f"The pattern {quoted(pattern)} could not be run: {reason}.")
        case Value() | None:
            raise TypeError("the outcome of a pattern is its matches")


MATCHES = Search(SearchTraits(Target.PATTERN), _pattern_hit, _pattern_task(""))
"""As `new RegExp(pattern).test(response)`."""
IMATCHES = Search(SearchTraits(Target.PATTERN, ignores_case=True), _pattern_hit, _pattern_task("i"))
"""The same with the flag `i`."""

_SYNTAX = re.compile(r"[.*+?^${}()|[\]\\]")
_WORD_CHARACTER = r"[\p{L}\p{N}_]"


def _word_task(flags: str) -> Callable[[str, str], Task]:
    def task(word: str, response: str) -> Task:
        escaped = _SYNTAX.sub(r"\\\g<0>", word)
        return RegexTask(f"(?<!{_WORD_CHARACTER}){escaped}(?!{_WORD_CHARACTER})", flags, response, EVIDENCE)

    return task


def _word_hit(word: str, response: str, outcome: Outcome | None) -> Hit:
    if not word:
        return (Span(0, 0),)
    hit = _pattern_hit(word, response, outcome)
    if isinstance(hit, CheckError):
        return replace(hit, message=f"The word {quoted(word)} could not be searched for.")
    return hit


WORD = Search(SearchTraits(Target.WORD), _word_hit, _word_task("u"))
"""Not next to a letter, a digit or an underscore, in any script."""
IWORD = Search(SearchTraits(Target.WORD, ignores_case=True), _word_hit, _word_task("iu"))
"""The same with simple case folding."""
