"""Whether an answer fails a check only because its letters have another case, or another form of Unicode."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress
from typing import Literal, TypeAlias
from unicodedata import is_normalized, normalize

from engine import functions
from engine.blueprint import FunctionCall, Point
from engine.functions import run_pairs
from engine.functions.point_function import Checked, Subject
from engine.javascript.tasks import TaskRunner

NormalForm: TypeAlias = Literal["NFC", "NFD", "NFKC"]
"""Letters with their marks as one character each, or apart, or as NFC and with no character for several others."""
_Try: TypeAlias = tuple[FunctionCall, str]
"""A check, and the answer that it is tried on."""
_FORMS: tuple[NormalForm, ...] = ("NFC", "NFD", "NFKC")


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
    return twin if any(_passed(call, answer, [(FunctionCall(twin, call.args), answer)], javascript)) else None


def missed_by_form(point: Point, answer: str, javascript: TaskRunner) -> NormalForm | None:
    """The normal form of Unicode in which `answer` passes the point, which it fails as written; else None.

    NFD is tried for a check that is not in NFC: else `cafe` would be found in “café”.
    """
    call = point.function
    if call is None or answer.isascii():
        return None
    tried: tuple[NormalForm, ...] = ("NFC", "NFKC") if is_normalized("NFC", "".join(call.texts())) else _FORMS
    forms: list[NormalForm] = [form for form in tried if not is_normalized(form, answer)]
    others = [(call, normalize(form, answer)) for form in forms]
    return next(compress(forms, _passed(call, answer, others, javascript)), None)


def _passed(call: FunctionCall, answer: str, others: Sequence[_Try], javascript: TaskRunner) -> list[bool]:
    """Which of `others` pass in full, where `answer` does not pass `call`."""
    pairs = [(each, Subject(text)) for each, text in ((call, answer), *others)] if others else []
    extents = [each.extent if isinstance(each, Checked) else math.nan for each in run_pairs(pairs, javascript)]
    return [extents[0] < 1 <= extent for extent in extents[1:]]
