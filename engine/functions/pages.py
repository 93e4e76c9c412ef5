"""The reference pages of the point functions, as plain text for a terminal, a hover or a palette."""

from __future__ import annotations

from difflib import get_close_matches
from textwrap import wrap

from engine.functions import ALL, find
from engine.functions.point_function import REGISTERED, PointFunction, as_parsed
from engine.functions.remarks import notes

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
    unknown = [name for name in function.names if as_parsed(name) not in REGISTERED]
    if not unknown:
        return "known"
    if not function.on_weval:
        return "unknown: the point is left out of the score"
    known = [name for name in function.names if as_parsed(name) in REGISTERED]
    return f"known as {_names(known)}, not as {_names(unknown)}"


def _names(names: list[str]) -> str:
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
