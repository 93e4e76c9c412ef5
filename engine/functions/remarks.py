"""Facts about a check that are not mistakes: shown on request, never reported as a problem.

`notes` describe a function, for its reference page; `remarks` describe one call of it, for a hover.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.blueprint import FunctionCall
from engine.functions import find
from engine.functions.function_text import count, quoted
from engine.functions.point_function import PointFunction, Quantifier

_ESCAPED = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)
_TWO_SPACES = re.compile(r" {2,}")
_NONE_OF_ALL_NOTE = "Full marks only if none is found: each one that is found costs its share."
_DOT_NOTE = r"`.` matches any character except a line break; [\s\S] matches any character."
_END_NOTE = "`^` and `$` match the start and the end of the response, not of a line."
_CASE_NOTE = "Case matters."
_SPACES_NOTE = "Spaces and line breaks matter: “a  b” with two spaces does not match “a b”."


def notes(function: PointFunction) -> tuple[str, ...]:
    """What an author should know of a function's part marks, case and blanks; none where all is plain."""
    return tuple(_notes(function))


def _notes(function: PointFunction) -> Iterator[str]:
    search = function.search
    if search is not None and search.quantifier is Quantifier.ALL and function.negates is not None:
        yield _NONE_OF_ALL_NOTE
    elif function.mark_note:
        yield function.mark_note
    if search is not None and search.quantifier is Quantifier.ALL and function.negates is None:
        any_of = find(function.name.replace("_all_of", "_any_of"))
        if any_of is not None:
            yield f"If any one of them will do, use ${any_of.name}."
    yield from function.notes
    if search is None:
        return
    if search.is_literal:
        yield _SPACES_NOTE
    else:
        yield _DOT_NOTE
        yield _END_NOTE
    if not search.ignores_case:
        yield _case_note(function)


def remarks(call: FunctionCall) -> tuple[str, ...]:
    """The notes on one call, with its own numbers, and only where they apply; none for an unknown function."""
    function = find(call.name)
    return () if function is None or function.problem(call.args) is not None else tuple(_remarks(function, call))


def _remarks(function: PointFunction, call: FunctionCall) -> Iterator[str]:
    texts = list(call.texts())
    search = function.search
    if search is not None and search.quantifier is Quantifier.ALL:
        if len(texts) > 1:
            yield _share_remark(function, len(texts))
    elif function.mark_note:
        yield function.mark_note
    if search is None:
        return
    if search.is_literal:
        spaced = next((text for text in texts if _TWO_SPACES.search(text)), None)
        if spaced is not None:
            yield f"{quoted(spaced)} has two spaces together, and does not match where there is one."
    else:
        yield from _on_patterns(texts)
    if not search.ignores_case and any(text.lower() != text.upper() for text in texts):
        yield _case_note(function)


def _share_remark(function: PointFunction, number: int) -> str:
    """What one of the `number` texts or patterns of a list is worth."""
    if function.negates is not None:
        return f"Full marks only if none is found: each of the {number} that is found costs {100 / number:.0f}."
    part = f"{number - 1} of {number} is {100 * (number - 1) / number:.0f}"
    return f"Part marks: {part}. Split it into {count(number, 'point')}, or use $js for all or nothing."


def _case_note(function: PointFunction) -> str:
    twin = find(f"i{function.negates or function.name}")
    return _CASE_NOTE if twin is None else f"{_CASE_NOTE} ${twin.name} ignores it."


def _on_patterns(patterns: list[str]) -> Iterator[str]:
    bare = [_ESCAPED.sub("", pattern) for pattern in patterns]
    if any("." in pattern for pattern in bare):
        yield _DOT_NOTE
    if any("$" in pattern for pattern in bare):
        yield "`$` matches the end of the response, not of a line."
    if any(_TWO_SPACES.search(pattern) for pattern in bare):
        yield r"Two spaces together match exactly two; \s+ matches any number of them."
