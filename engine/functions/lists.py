"""Checks for several texts or patterns: any, all, or at least n of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias, TypeGuard

from engine.functions.function_text import count, expected, listed, what_is, written
from engine.functions.literals import CONTAINS, ICONTAINS, IMATCHES, MATCHES, Search
from engine.functions.point_function import (
    Args,
    Checked,
    CheckError,
    PointFunction,
    Quantifier,
    Result,
    Subject,
)
from engine.javascript.tasks import Outcome, Task
from engine.text.record import replace
from engine.text.spans import Span

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

FUNCTIONS = (
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
