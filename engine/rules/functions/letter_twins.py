"""Whether an answer fails a check only because its letters have another case, or another form of Unicode."""

from __future__ import annotations

import unicodedata
from typing import Literal, TypeAlias

from engine import functions
from engine.blueprint import Absent, FunctionCall, Point
from engine.functions.point_function import Checked, Subject
from engine.javascript.tasks import TaskRunner
from engine.yaml_nodes.nodes import Data

NormalForm: TypeAlias = Literal["NFC", "NFD"]
"""Letters with their marks as one character each, or apart."""
_FORMS: tuple[NormalForm, ...] = ("NFC", "NFD")


def twin_of(name: str) -> str | None:
    """The function that does the same but ignores case, by the name that Weval knows; None if there is none."""
    function = functions.find(name)
    if function is None or function.negates is not None or function.search is None or function.search.ignores_case:
        return None
    twin = functions.find(f"i{function.name}")
    return None if twin is None else twin.weval_name


def missed_by_case(point: Point, answer: str, javascript: TaskRunner) -> str | None:
    """The twin of the point's function, if `answer` fails the function but passes the twin in full; else None."""
    call = point.function
    twin = None if call is None else twin_of(call.name)
    if call is None or twin is None:
        return None
    return twin if _passes_only(FunctionCall(twin, call.args), call, answer, javascript) else None


def missed_by_form(point: Point, answer: str, javascript: TaskRunner) -> NormalForm | None:
    """The normal form of Unicode in which `answer` has the point's texts, which it fails as written; else None."""
    call = point.function
    if call is None or isinstance(call.args, Absent) or answer.isascii():
        return None
    for form in _FORMS:
        other = FunctionCall(call.name, _in_form(call.args, form))
        if other != call and _passes_only(other, call, answer, javascript):
            return form
    return None


def _in_form(args: Data, form: NormalForm) -> Data:
    if isinstance(args, list):
        return [_in_form(each, form) for each in args]
    return unicodedata.normalize(form, args) if isinstance(args, str) else args


def _passes_only(other: FunctionCall, call: FunctionCall, answer: str, javascript: TaskRunner) -> bool:
    """Whether `answer` passes `other` in full, and not `call`."""
    own, changed = functions.run([call, other], Subject(answer), javascript)
    return isinstance(own, Checked) and isinstance(changed, Checked) and own.extent < 1 <= changed.extent
