"""The reference pages of the point functions, as plain text for a terminal, a hover or a palette.

Their `notes` and the `remarks` on one call are facts about a check that are not mistakes: shown on request, never
reported as a problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from textwrap import wrap

from engine.blueprint import FunctionCall, normal_function_name
from engine.functions import ALL, find
from engine.functions.function_text import quoted
from engine.functions.point_function import REGISTERED, PointFunction, Quantifier
from engine.text.spans import count

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


_NO_TWIN = "none"
_LINE = 92


def page(function: PointFunction) -> str:
    """The reference page of one function, as several lines."""
    rows = [
        ("Argument", function.argument),
        ("Example", f"- {function.example}"),
        ("Marks", "part marks, from 0 to 1" if function.graded else "all or nothing"),
    ]
    if function.aliases:
        rows.append(("Also as", ", ".join(f"${alias}" for alias in function.aliases)))
    rows.append(("Opposite", _opposite(function)))
    rows.append(("On Weval", _on_weval(function)))
    if function.by_service:
        rows.append(("Calls", "a service, once you allow its host; until then, the point stays open"))
    width = max(len(label) for label, _ in rows) + 2
    lines = [f"${function.name}", "", f"  {function.summary}", ""]
    remarks = [f"  {line}" for note in notes(function) for line in wrap(note, _LINE)]
    return "\n".join(
        [*lines, *(f"  {label:<{width}}{text}" for label, text in rows), *([""] if remarks else []), *remarks]
    )


def _opposite(function: PointFunction) -> str:
    if function.negates is not None:
        return f"${function.negates}"
    twin = find(f"not_{function.name}")
    if twin is None:
        return _NO_TWIN
    return f"${twin.name}" if twin.on_weval else f"${twin.name} (works here only: unknown to Weval)"


def _on_weval(function: PointFunction) -> str:
    known = [name for name in function.names if normal_function_name(name) in REGISTERED]
    if len(known) == len(function.names):
        return "known"
    if not function.on_weval:
        return "unknown: the point is left out of the score"
    return f"known as {_names(known)}, not as {_names(name for name in function.names if name not in known)}"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"${name}" for name in names)


def overview() -> str:
    """One line for each function, without the `not_` twins."""
    functions = [function for function in ALL if function.negates is None]
    width = max(len(function.name) for function in functions) + 3
    lines = [f"  ${function.name:<{width}}{function.summary}" for function in functions]
    return "\n".join(
        [
            "Point functions check a response exactly, without a judge.",
            "",
            *lines,
            "",
            "Each has an opposite, such as $not_contains.",
            "`studio functions NAME` shows the page of a function.",
        ]
    )


def similar(name: str) -> tuple[str, ...]:
    """Up to three function names similar to `name`, the likeliest first."""
    names = [each for function in ALL for each in function.names]
    return tuple(get_close_matches(name.lower(), names, n=3, cutoff=0.6))
