"""Checks for one text, word or pattern anywhere, or for a text at the start or the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
from engine.functions.text_search import (
    CONTAINS,
    EVIDENCE,
    ICONTAINS,
    IMATCHES,
    IWORD,
    MATCHES,
    WORD,
    Search,
    prepared,
)
from engine.javascript.tasks import Outcome, Task

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
