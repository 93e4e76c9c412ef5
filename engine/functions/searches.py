"""Checks for a text, word or pattern anywhere, for a text at the start or the end, and for several of them.

Each search returns the spans that it found: none where nothing was found. An empty text is found at the start.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TypeAlias, TypeGuard

from engine.functions.function_text import QUOTE_LENGTH, count, expected, listed, quoted, times, what_is, written
from engine.functions.point_function import (
    Args,
    Checked,
    CheckError,
    PointFunction,
    Quantifier,
    Result,
    SearchTraits,
    Subject,
    Target,
)
from engine.functions.tasks import JsError, Killed, Matches, Outcome, RegexTask, Task, TimedOut, Value
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


OF_ONE = (
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


Hits: TypeAlias = Sequence[tuple[Span, ...]]
"""For each text or pattern, the spans where it was found."""


def _are_texts(args: Args) -> TypeGuard[list[str]]:
    return isinstance(args, list) and all(isinstance(item, str) for item in args)


def _list_problem(search: Search, args: Args, example: str) -> str | None:
    if _are_texts(args):
        return None
    shape = f"a list of {search.noun}s"
    if not isinstance(args, list):
        return expected(shape, args, example)
    number, stranger = next((index, item) for index, item in enumerate(args, 1) if not isinstance(item, str))
    return f"This needs {shape}, but item {number} is {what_is(stranger)}. Example: {example}"


def _evidence(hits: Hits) -> tuple[Span, ...]:
    return tuple(sorted({span for spans in hits for span in spans}))


def _shares(found: Sequence[bool], wanted: Sequence[str]) -> str:
    missing = [text for text, there in zip(wanted, found, strict=True) if not there]
    found_text = f"{sum(found)} of {len(wanted)} found"
    return f"{found_text}; missing: {listed(missing)}" if missing else found_text


def _any_result(wanted: list[str], hits: Hits) -> Checked:
    found = [text for text, spans in zip(wanted, hits, strict=True) if spans]
    if found:
        return Checked(1.0, f"{listed(found)} found", _evidence(hits))
    return Checked(0.0, f"none of {listed(wanted)} found" if wanted else "the list is empty, so nothing can be found")


def _all_result(wanted: list[str], hits: Hits) -> Checked:
    if not wanted:
        return Checked(1.0, "the list is empty, so nothing is missing")
    found = [bool(spans) for spans in hits]
    return Checked(sum(found) / len(wanted), _shares(found, wanted), _evidence(hits))


def _over_list(
    result: Callable[[list[str], Hits], Checked], quantifier: Quantifier, mark_note: str,
    search: Search, name: str, summary: str, example: str, alias: str,
) -> PointFunction:  # fmt: skip
    """A function that searches for a list of texts or patterns; `result` makes a verdict of their hits."""

    def problem(args: Args) -> str | None:
        return _list_problem(search, args, example)

    def plan(args: Args, subject: Subject) -> Sequence[Task]:
        return search.tasks(args, subject.response) if _are_texts(args) else ()

    def conclude(args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
        if not _are_texts(args):
            return CheckError(problem(args) or "")
        hits = search.hits(args, subject.response, outcomes)
        return hits if isinstance(hits, CheckError) else result(args, hits)

    return PointFunction(
        name,
        summary,
        f"[{search.noun}, …]",
        example,
        conclude,
        plan,
        problem,
        (alias,),
        graded=bool(mark_note),
        search=replace(search.traits, quantifier=quantifier),
        mark_note=mark_note,
    )


_any_of = partial(_over_list, _any_result, Quantifier.ANY, "")
_all_of = partial(
    _over_list,
    _all_result,
    Quantifier.ALL,
    "Gives part marks: 2 of 3 is 67. Write one point for each to see which is missing, or use $js for all or nothing.",
)


def _number_and_texts(args: Args) -> tuple[float, list[str]] | None:
    if isinstance(args, list) and len(args) == 2:
        number, wanted = args
        if isinstance(number, int | float) and not isinstance(number, bool) and _are_texts(wanted):
            return float(number), wanted
    return None


def _at_least_n_of(search: Search, name: str, summary: str, example: str, *aliases: str) -> PointFunction:
    def unusable(args: Args) -> str | None:
        if _number_and_texts(args) is not None:
            return None
        return expected(f"[n, [{search.noun}, …]], a number and a list of {search.noun}s", args, example)

    def problem(args: Args) -> str | None:
        parts = _number_and_texts(args)
        if parts is None:
            return unusable(args)
        number, wanted = parts
        if number > len(wanted):
            return (
                f"This requires {written(number)} of only {count(len(wanted), search.noun)}, "
                f"so it can never be met. Example: {example}"
            )
        if not number > 0:
            return f"This requires {written(number)}, but n must be at least 1. Example: {example}"
        return None

    def plan(args: Args, subject: Subject) -> Sequence[Task]:
        parts = _number_and_texts(args)
        return search.tasks(parts[1], subject.response) if parts is not None and not parts[0] <= 0 else ()

    def conclude(args: Args, subject: Subject, outcomes: Sequence[Outcome]) -> Result:
        parts = _number_and_texts(args)
        if parts is None:
            return CheckError(unusable(args) or "")
        number, wanted = parts
        if number <= 0:
            return Checked(1.0, f"expected {written(number)}, so nothing has to be found")
        if not wanted:
            return Checked(0.0, "the list is empty, so nothing can be found")
        hits = search.hits(wanted, subject.response, outcomes)
        if isinstance(hits, CheckError):
            return hits
        if math.isnan(number):
            return Checked(math.nan, "expected NaN, which is not a number")
        found = [bool(spans) for spans in hits]
        detail = f"{_shares(found, wanted)}; expected {written(number)}"
        return Checked(min(1.0, sum(found) / number), detail, _evidence(hits))

    return PointFunction(
        name,
        summary,
        f"[n, [{search.noun}, …]]",
        example,
        conclude,
        plan,
        problem,
        aliases,
        graded=True,
        search=replace(search.traits, quantifier=Quantifier.AT_LEAST_N),
        mark_note="Gives part marks below n: 1 of 2 is 50. More than n earns nothing extra.",
    )


_ANY = "The response {} at least one of these {}{}."
_ALL = "The response {} all of these {}{}; part marks for some of them."
_MANY = "The response {} at least n of these {}{}; part marks for fewer."
_ANY_CASE = ", ignoring case"

OF_SEVERAL = (
    _any_of(
        CONTAINS,
        "contains_any_of",
        _ANY.format("contains", "texts", ""),
        '$contains_any_of: ["fiduciary", "duty"]',
        "contain_any_of",
    ),
    _any_of(
        ICONTAINS,
        "icontains_any_of",
        _ANY.format("contains", "texts", _ANY_CASE),
        '$icontains_any_of: ["Fiduciary", "DUTY"]',
        "icontain_any_of",
    ),
    _all_of(
        CONTAINS,
        "contains_all_of",
        _ALL.format("contains", "texts", ""),
        '$contains_all_of: ["fiduciary", "duty"]',
        "contain_all_of",
    ),
    _all_of(
        ICONTAINS,
        "icontains_all_of",
        _ALL.format("contains", "texts", _ANY_CASE),
        '$icontains_all_of: ["Fiduciary", "DUTY"]',
        "icontain_all_of",
    ),
    _all_of(
        MATCHES,
        "matches_all_of",
        _ALL.format("matches", "patterns", ""),
        "$matches_all_of: ['^The ruling', 'states that$']",
        "match_all_of",
    ),
    _all_of(
        IMATCHES,
        "imatches_all_of",
        _ALL.format("matches", "patterns", _ANY_CASE),
        "$imatches_all_of: ['^the ruling', 'states that$']",
        "imatch_all_of",
    ),
    _at_least_n_of(
        CONTAINS,
        "contains_at_least_n_of",
        _MANY.format("contains", "texts", ""),
        '$contains_at_least_n_of: [2, ["apples", "oranges", "pears"]]',
        "contain_at_least_n_of",
    ),
    _at_least_n_of(
        ICONTAINS,
        "icontains_at_least_n_of",
        _MANY.format("contains", "texts", _ANY_CASE),
        '$icontains_at_least_n_of: [2, ["Apples", "ORANGES", "pears"]]',
        "icontain_at_least_n_of",
    ),
    _at_least_n_of(
        MATCHES,
        "matches_at_least_n_of",
        _MANY.format("matches", "patterns", ""),
        "$matches_at_least_n_of: [1, ['\\bcity\\b', '\\btown\\b']]",
        "match_at_least_n_of",
    ),
    _at_least_n_of(
        IMATCHES,
        "imatches_at_least_n_of",
        _MANY.format("matches", "patterns", _ANY_CASE),
        "$imatches_at_least_n_of: [1, ['\\bcity\\b', '\\btown\\b']]",
        "imatch_at_least_n_of",
    ),
)
