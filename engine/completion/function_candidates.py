"""Point functions as candidates, from the registry."""

from __future__ import annotations

from collections.abc import Iterator

from engine.completion.candidate import Candidate, Kind
from engine.completion.cursor_place import Place
from engine.completion.insertion_text import Written, fn_written, function_written, reference_written
from engine.completion.name_matching import fitting
from engine.functions import ALL, PointFunction

_REFERENCE = "ref"
_BY_NAME: dict[str, PointFunction | None] = {
    **{function.name: function for function in ALL if function.negates is None},
    _REFERENCE: None,
    **{function.name: function for function in ALL if function.negates is not None},
}
"""The functions by their documented names, `not_` twins last. `$ref` is written like a function; None stands for it."""


def functions_for(typed: str, place: Place, *, as_point: bool) -> Iterator[Candidate]:
    """The functions whose names match `typed` (without `$`), as points or as the value of `fn`.

    An alias is offered only if it starts with `typed` and no documented name matches.
    """
    names = [name for name in _BY_NAME if as_point or name != _REFERENCE]
    fit = fitting(typed, names, str)
    for name in fit:
        function = _BY_NAME[name]
        yield _reference(place) if function is None else _function(name, function, place, as_point=as_point)
    if not fit and typed:
        for function in ALL:
            for alias in function.aliases:
                if alias.startswith(typed):
                    yield _function(alias, function, place, as_point=as_point)


def _function(name: str, function: PointFunction, place: Place, *, as_point: bool) -> Candidate:
    is_alias = name != function.name
    written: Written = function_written(name, function, place) if as_point else fn_written(name, function, place)
    return Candidate(
        label=f"${name}" if as_point else name,
        text=written.text,
        cursor=written.cursor,
        kind=Kind.ALIAS if is_alias else Kind.FUNCTION,
        summary=f"Another name of ${function.name}. {function.summary}" if is_alias else function.summary,
        argument=function.argument,
        example=f"- {function.example}",
        caution=_caution(name, function),
    )


def _caution(name: str, function: PointFunction) -> str:
    if function.known_to_weval_as(name):
        return ""
    known = function.weval_name
    return "Weval does not know it." if known is None else f"Weval knows it only as ${known}."


def _reference(place: Place) -> Candidate:
    written = reference_written(place)
    return Candidate(
        label="$ref",
        text=written.text,
        cursor=written.cursor,
        kind=Kind.FUNCTION,
        summary="A point that is defined once, under point_defs in the header.",
        argument="name",
        example="- $ref: scoreBand",
    )
