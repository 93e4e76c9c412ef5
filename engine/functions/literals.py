"""Checks for one text, word or pattern anywhere, or for a text at the start or the end.

Each search returns the spans that it found: none where nothing was found. An empty text is found at the start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from engine.functions.function_text import QUOTE_LENGTH, expected, quoted, times
from engine.functions.point_function import (
    Args,
    Checked,
    CheckError,
    PointFunction,
    Result,
    SearchTraits,
    Subject,
    Target,
)
from engine.javascript.tasks import JsError, Killed, Matches, Outcome, RegexTask, Task, TimedOut, Value
from engine.text.record import Record, replace
from engine.text.spans import Span

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


_LEAST_SHOWN = 24
"""How many characters of the start or the end of a response are shown at least."""


def _text_problem(shape: str, example: str) -> Callable[[Args], str | None]:
    def problem(args: Args) -> str | None:
        return None if isinstance(args, str) else expected(shape, args, example)

    return problem


def _sought(search: Search, name: str, summary: str, example: str, *aliases: str) -> PointFunction:
    problem = _text_problem(f"one {search.noun}", example)

    def plan(args: Args, subject: Subject) -> Sequence[Task]:
        return search.tasks([args], subject.response) if isinstance(args, str) else ()

    def conclude(args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
        if not isinstance(args, str):
            return CheckError(expected(f"one {search.noun}", args, example))
        hits = search.hits([args], subject.response, outcomes)
        if isinstance(hits, CheckError):
            return hits
        (spans,) = hits
        if not spans:
            return Checked(0.0, f"{quoted(args)} not found")
        found = f"at least {times(len(spans))}" if len(spans) == EVIDENCE else times(len(spans))
        return Checked(1.0, f"{quoted(args)} found {found}", spans)

    return PointFunction(name, summary, search.noun, example, conclude, plan, problem, aliases, search=search.traits)


def _start_text(response: str, length: int) -> str:
    """The first words of a response, about as long as what it should start with; a blank before them is named."""
    words = response.lstrip()
    shown = words[: _shown_length(length)]
    if len(shown) < len(words):
        shown = f"{shown.rpartition(' ')[0] or shown} …"
    before = _blank_text(response[: len(response) - len(words)])
    return " and ".join(filter(None, (before, quoted(shown) if words else "")))


def _end_text(response: str, length: int) -> str:
    """The last words of a response, about as long as what it should end with; a blank behind them is named."""
    words = response.rstrip()
    shown = words[-_shown_length(length) :]
    if len(shown) < len(words):
        shown = f"… {shown.partition(' ')[2] or shown}"
    behind = _blank_text(response[len(words) :])
    return " and ".join(filter(None, (quoted(shown) if words else "", behind)))


def _shown_length(length: int) -> int:
    return min(max(length, _LEAST_SHOWN), QUOTE_LENGTH - 2)


def _blank_text(blank: str) -> str:
    if not blank:
        return ""
    return "a line break" if "\n" in blank else "a blank"


def _placed(name: str, summary: str, example: str, alias: str, *, at_start: bool, any_case: bool) -> PointFunction:
    problem = _text_problem("one text", example)
    verb = "starts" if at_start else "ends"

    def conclude(args: Args, subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
        if not isinstance(args, str):
            return CheckError(expected("one text", args, example))
        response = subject.response
        haystack, needle = prepared(response, args, any_case=any_case)
        start = 0 if at_start else len(haystack.text) - len(needle)
        if start >= 0 and haystack.text.startswith(needle, start):
            return Checked(1.0, f"{verb} with {quoted(args)}", (haystack.span(start, start + len(needle)),))
        if not response:
            return Checked(0.0, f"does not {verb[:-1]} with {quoted(args)}: the response is empty")
        found = _start_text(response, len(args)) if at_start else _end_text(response, len(args))
        return Checked(0.0, f"{verb} with {found}, not with {quoted(args)}")

    traits = SearchTraits(Target.START if at_start else Target.END, ignores_case=any_case)
    return PointFunction(name, summary, "text", example, conclude, problem=problem, aliases=(alias,), search=traits)


FUNCTIONS = (
    _sought(CONTAINS, "contains", "The response contains this exact text.", '$contains: "fiduciary duty"', "contain"),
    _sought(
        ICONTAINS,
        "icontains",
        "The response contains this text, ignoring case.",
        '$icontains: "fiduciary duty"',
        "icontain",
    ),
    _sought(
        WORD,
        "contains_word",
        "The response contains this text as whole words, in any script.",
        '$contains_word: "Paraná"',
        "contain_word",
    ),
    _sought(
        IWORD,
        "icontains_word",
        "The response contains this text as whole words, ignoring case.",
        '$icontains_word: "são paulo"',
        "icontain_word",
    ),
    _sought(
        MATCHES,
        "matches",
        "The response matches this JavaScript regular expression.",
        "$matches: '^The ruling states'",
        "match",
    ),
    _sought(
        IMATCHES,
        "imatches",
        "The response matches this regular expression, ignoring case.",
        "$imatches: '^the ruling'",
        "imatch",
    ),
    _placed(
        "starts_with",
        "The response starts with this exact text.",
        '$starts_with: "The ruling"',
        "start_with",
        at_start=True,
        any_case=False,
    ),
    _placed(
        "istarts_with",
        "The response starts with this text, ignoring case.",
        '$istarts_with: "the ruling"',
        "istart_with",
        at_start=True,
        any_case=True,
    ),
    _placed(
        "ends_with",
        "The response ends with this exact text.",
        '$ends_with: "conclusion."',
        "end_with",
        at_start=False,
        any_case=False,
    ),
    _placed(
        "iends_with",
        "The response ends with this text, ignoring case.",
        '$iends_with: "CONCLUSION."',
        "iend_with",
        at_start=False,
        any_case=True,
    ),
)
