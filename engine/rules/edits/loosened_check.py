"""Loosening a check so that it accepts what an answer has instead."""

from __future__ import annotations

from collections.abc import Sequence

from engine import functions
from engine.blueprint import Point
from engine.diagnostics import Fix
from engine.functions.point_function import Target
from engine.rules.checks import renamed_function
from engine.rules.functions.literal_forms import escaped
from engine.rules.functions.missed_literals import FormatMiss, twin_of
from engine.rules.functions.rewritten_checks import tolerant_fixes
from engine.rules.views import FileView

_WITHOUT_PLACE = {
    "contains_word": "contains",
    "icontains_word": "icontains",
    "starts_with": "contains",
    "istarts_with": "icontains",
    "ends_with": "contains",
    "iends_with": "icontains",
}


def loosened_check(view: FileView, point: Point, forms: Sequence[tuple[str, str]]) -> Fix | None:
    """The fix after which the check of `point` finds each text of `forms` in its other form too; None for none.

    Where only case differs, the check ignores case; where the very text stands in another place or in a longer word,
    it may stand anywhere; else both forms are accepted.
    """
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.search is None or not forms:
        return None
    negation = "not_" if function.negates is not None else ""
    bare = function.negates or function.name
    if all(_same(text, form, ignores_case=function.search.ignores_case) for text, form in forms):
        return _renamed(view, point, bare, negation, _WITHOUT_PLACE.get(bare))
    if all(text.lower() == form.lower() for text, form in forms) and function.search.target is not Target.PATTERN:
        return _renamed(view, point, bare, negation, twin_of(bare))
    if not function.search.is_literal:
        return None
    missed = [FormatMiss(text, form, _either(text, form)) for text, form in forms if text]
    return next(iter(tolerant_fixes(view, point, missed)), None)


def _same(text: str, form: str, *, ignores_case: bool) -> bool:
    return text.lower() == form.lower() if ignores_case else text == form


def _renamed(view: FileView, point: Point, bare: str, negation: str, name: str | None) -> Fix | None:
    edit = None if name is None else renamed_function(view, point, f"{negation}{name}")
    return None if edit is None or bare == name else Fix(f"use ${negation}{name}", False, (edit,))


def _either(text: str, form: str) -> str:
    """A pattern of both forms."""
    return f"(?:{escaped(text)}|{escaped(form)})"
