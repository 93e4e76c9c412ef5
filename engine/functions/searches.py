"""Checks for a text, word or pattern anywhere, for a text at the start or the end, and for several of them.

Each search returns the spans that it found: none where nothing was found. An empty text is found at the start.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TypeAlias, TypeGuard

from engine.functions.function_text import QUOTE_LENGTH, expected, listed, quoted, times, what_is, written
from engine.functions.point_function import (
    DESCRIBED,
    MARK_NOTES,
    Args,
    Checked,
    CheckError,
    PointFunction,
    Quantifier,
    Result,
    SearchTraits,
    Subject,
    Target,
    described,
)
from engine.functions.tasks import JsError, Killed, Matches, Outcome, RegexTask, Task, TimedOut, Value
from engine.text import Record, Span, count, replace
from engine.yaml.nodes import utf16_units

EVIDENCE = 25
"""The maximum number of spans returned for one text."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class _Haystack(Record):
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


def _prepared(response: str, wanted: str, *, any_case: bool) -> tuple[_Haystack, str]:
    """`response` and `wanted` in comparable form.

    With `any_case`, both are in lower case as by JavaScript's `toLowerCase` (platform A10), including final sigma.
    """
    text, offsets = response, None
    if any_case:
        (text, offsets), wanted = _folded(response), wanted.lower()
    if _SURROGATE.search(wanted) or (not wanted.isascii() and _SURROGATE.search(text)):
        units = [(unit, index) for index, character in enumerate(text) for unit in utf16_units(character)]
        places = [index if offsets is None else offsets[index] for _, index in units]
        return _Haystack("".join(unit for unit, _ in units), [*places, len(response)]), "".join(utf16_units(wanted))
    return _Haystack(text, offsets), wanted


@lru_cache(maxsize=4)
def _folded(response: str) -> tuple[str, Sequence[int] | None]:
    """The response in lower case, with its map of offsets if it is longer. Cached for the checks of one rubric."""
    text = response.lower()
    if len(text) == len(response):
        return text, None
    offsets = [index for index, character in enumerate(response) for _ in character.lower()]
    return text, [*offsets, len(response)]


_SYNTAX = re.compile(r"[.*+?^${}()|[\]\\]")
_WORD_CHARACTER = r"[\p{L}\p{N}_]"
_INLINE_CASE = "(?i)"


def regex_task(search: SearchTraits, wanted: str, response: str, limit: int = EVIDENCE) -> RegexTask | None:
    """The task for V8 that searches for a word or a pattern; None for a text, which needs no V8.

    A word is not next to a letter, a digit or an underscore, in any script; case is folded simply. A pattern is that of
    `new RegExp(pattern).test(response)`.
    """
    match search.target:
        case Target.WORD:
            escaped = _SYNTAX.sub(r"\\\g<0>", wanted)
            pattern = f"(?<!{_WORD_CHARACTER}){escaped}(?!{_WORD_CHARACTER})"
            return RegexTask(pattern, "iu" if search.ignores_case else "u", response, limit)
        case Target.PATTERN:
            # The documents write `(?i)` at the start of a pattern (002), which JavaScript refuses (platform A8).
            bare = wanted.removeprefix(_INLINE_CASE)
            return RegexTask(bare, "i" if search.ignores_case or bare != wanted else "", response, limit)
        case Target.TEXT | Target.START | Target.END:
            return None


def literal_spans(search: SearchTraits, wanted: str, response: str, limit: int = EVIDENCE) -> tuple[Span, ...]:
    """Where a response has a text, by JavaScript's `includes`, `startsWith` and `endsWith`; `limit` spans at most."""
    return tuple(islice(_literal_spans(search, wanted, response), limit))


def _literal_spans(search: SearchTraits, wanted: str, response: str) -> Iterator[Span]:
    haystack, needle = _prepared(response, wanted, any_case=search.ignores_case)
    text, length = haystack.text, len(needle)
    at = text.find(needle)
    match search.target:
        case Target.START | Target.END:
            start = 0 if search.target is Target.START else len(text) - length
            if start >= 0 and text.startswith(needle, start):
                yield haystack.span(start, start + length)
        case _ if not needle:
            yield Span(0, 0)
        case _:
            while at >= 0:
                yield haystack.span(at, at + length)
                at = text.find(needle, at + length)


Hits: TypeAlias = Sequence[tuple[Span, ...]]
"""For each text or pattern, the spans where it was found."""


def _hits(search: SearchTraits, wanted: Sequence[str], response: str, outcomes: Sequence[Outcome]) -> Hits | CheckError:
    """The spans of each of `wanted`, or the first error."""
    found: list[tuple[Span, ...]] = []
    for index, text in enumerate(wanted):
        match search.target:
            case Target.WORD:
                hit = _word_hit(text, outcomes[index])
            case Target.PATTERN:
                hit = _pattern_hit(text, outcomes[index])
            case Target.TEXT | Target.START | Target.END:
                hit = literal_spans(search, text, response)
        if isinstance(hit, CheckError):
            return hit
        found.append(hit)
    return found


def _pattern_hit(pattern: str, outcome: Outcome) -> tuple[Span, ...] | CheckError:
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
        case Value():
            raise TypeError("the outcome of a pattern is its matches")


def _word_hit(word: str, outcome: Outcome) -> tuple[Span, ...] | CheckError:
    if not word:
        return (Span(0, 0),)
    hit = _pattern_hit(word, outcome)
    if isinstance(hit, CheckError):
        return replace(hit, message=f"The word {quoted(word)} could not be searched for.")
    return hit


# --- What an argument has to be


class _Wanted(Record):
    """The texts or patterns of an argument, and how many of them are wanted where it says so."""

    texts: Sequence[str]
    number: float = math.nan


def _are_texts(args: Args) -> TypeGuard[list[str]]:
    return isinstance(args, list) and all(isinstance(item, str) for item in args)


def _wanted(args: Args, search: SearchTraits) -> _Wanted | None:
    """What `args` asks for; None if it has another shape."""
    match search.quantifier, args:
        case Quantifier.ONE, str():
            return _Wanted([args])
        case ((Quantifier.ANY | Quantifier.ALL), _) if _are_texts(args):
            return _Wanted(args)
        case Quantifier.AT_LEAST_N, [int() | float() as number, texts] if _are_texts(texts):
            return None if isinstance(number, bool) else _Wanted([] if number <= 0 else texts, float(number))
        case _:
            return None


def _problem(args: Args, search: SearchTraits, example: str) -> str | None:
    wanted = _wanted(args, search)
    if wanted is None:
        return _wrong_shape(args, search, example)
    if search.quantifier is Quantifier.AT_LEAST_N and wanted.number > len(wanted.texts):
        there = f"only {count(len(wanted.texts), _noun(search))}, so it can never be met"
        return f"This requires {written(wanted.number)} of {there}. Example: {example}"
    if search.quantifier is Quantifier.AT_LEAST_N and not wanted.number > 0:
        return f"This requires {written(wanted.number)}, but n must be at least 1. Example: {example}"
    return None


def _wrong_shape(args: Args, search: SearchTraits, example: str) -> str:
    noun = _noun(search)
    match search.quantifier:
        case Quantifier.ONE:
            return expected(f"one {noun}", args, example)
        case Quantifier.AT_LEAST_N:
            return expected(f"[n, [{noun}, …]], a number and a list of {noun}s", args, example)
        case Quantifier.ANY | Quantifier.ALL:
            shape = f"a list of {noun}s"
            if not isinstance(args, list):
                return expected(shape, args, example)
            number, stranger = next((index, item) for index, item in enumerate(args, 1) if not isinstance(item, str))
            return f"This needs {shape}, but item {number} is {what_is(stranger)}. Example: {example}"


def _noun(search: SearchTraits) -> str:
    """What is searched for: text, word or pattern."""
    return "text" if search.target in _PLACES else search.target.value


# --- What was found


def _one_result(text: str, spans: tuple[Span, ...]) -> Checked:
    if not spans:
        return Checked(0.0, f"{quoted(text)} not found")
    found = f"at least {times(len(spans))}" if len(spans) == EVIDENCE else times(len(spans))
    return Checked(1.0, f"{quoted(text)} found {found}", spans)


_PLACES = (Target.START, Target.END)
_LEAST_SHOWN = 24
"""How many characters of the start or the end of a response are shown at least."""


def _placed_result(text: str, spans: tuple[Span, ...], target: Target, response: str) -> Checked:
    verb = "starts" if target is Target.START else "ends"
    if spans:
        return Checked(1.0, f"{verb} with {quoted(text)}", spans)
    if not response:
        return Checked(0.0, f"does not {verb[:-1]} with {quoted(text)}: the response is empty")
    found = _start_text(response, len(text)) if target is Target.START else _end_text(response, len(text))
    return Checked(0.0, f"{verb} with {found}, not with {quoted(text)}")


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


_NOTHING = "the list is empty, so nothing can be found"


def _result(search: SearchTraits, wanted: _Wanted, hits: Hits, response: str) -> Checked:
    texts = wanted.texts
    match search.quantifier:
        case Quantifier.ONE if search.target in _PLACES:
            return _placed_result(texts[0], hits[0], search.target, response)
        case Quantifier.ONE:
            return _one_result(texts[0], hits[0])
        case Quantifier.ANY:
            return _any_result(texts, hits)
        case Quantifier.ALL if not texts:
            return Checked(1.0, "the list is empty, so nothing is missing")
        case Quantifier.ALL:
            return Checked(sum(map(bool, hits)) / len(texts), _shares(hits, texts), _evidence(hits))
        case Quantifier.AT_LEAST_N if wanted.number <= 0:
            return Checked(1.0, f"expected {written(wanted.number)}, so nothing has to be found")
        case Quantifier.AT_LEAST_N if not texts:
            return Checked(0.0, _NOTHING)
        case Quantifier.AT_LEAST_N if math.isnan(wanted.number):
            return Checked(math.nan, "expected NaN, which is not a number")
        case Quantifier.AT_LEAST_N:
            detail = f"{_shares(hits, texts)}; expected {written(wanted.number)}"
            return Checked(min(1.0, sum(map(bool, hits)) / wanted.number), detail, _evidence(hits))


def _any_result(texts: Sequence[str], hits: Hits) -> Checked:
    found = [text for text, spans in zip(texts, hits, strict=True) if spans]
    if found:
        return Checked(1.0, f"{listed(found)} found", _evidence(hits))
    return Checked(0.0, f"none of {listed(texts)} found" if texts else _NOTHING)


def _evidence(hits: Hits) -> tuple[Span, ...]:
    return tuple(sorted({span for spans in hits for span in spans}))


def _shares(hits: Hits, texts: Sequence[str]) -> str:
    missing = [text for text, spans in zip(texts, hits, strict=True) if not spans]
    found_text = f"{len(texts) - len(missing)} of {len(texts)} found"
    return f"{found_text}; missing: {listed(missing)}" if missing else found_text


# --- The functions


def _function(name: str, search: SearchTraits, example: str) -> PointFunction:
    def problem(args: Args) -> str | None:
        return _problem(args, search, example)

    def plan(args: Args, subject: Subject) -> Sequence[Task]:
        wanted = _wanted(args, search)
        texts = () if wanted is None else wanted.texts
        return [task for text in texts if (task := regex_task(search, text, subject.response)) is not None]

    def conclude(args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
        wanted = _wanted(args, search)
        if wanted is None:
            return CheckError(_wrong_shape(args, search, example))
        hits = _hits(search, wanted.texts, subject.response, outcomes)
        return hits if isinstance(hits, CheckError) else _result(search, wanted, hits, subject.response)

    mark_note = MARK_NOTES.get(search.quantifier, "")
    function = described(name, conclude, plan=plan, problem=problem)
    return replace(function, mark_note=mark_note, graded=bool(mark_note))


OF_SEARCHES = tuple(
    _function(name, each.search, each.example) for name, each in DESCRIBED.items() if each.search is not None
)
