"""Checks of the length of the response, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from engine.functions.function_text import count, expected, written
from engine.functions.point_function import Args, Checked, CheckError, PointFunction, Result, Subject
from engine.javascript.tasks import Outcome
from engine.text.patterns import lazy

JAVASCRIPT_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""JavaScript's `\\s`, for a character class. Unlike Python's, it has U+FEFF, but not U+0085 and U+001C-1F."""

_DIFFERENT_SPACES = "\u0085\ufeff\x1c\x1d\x1e\x1f"
"""Characters that are a space only for JavaScript, or only for Python's `split`, which takes a tenth of the time."""
_WORD = lazy(f"[^{JAVASCRIPT_SPACE}]+")
_EXAMPLE = "$word_count_between: [50, 100]"
_SHAPE = "[low, high], two numbers of words"


def _bounds(args: Args) -> tuple[float, float] | None:
    if not isinstance(args, list) or len(args) != 2:
        return None
    low, high = args
    if isinstance(low, bool) or isinstance(high, bool):
        return None
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    return float(low), float(high)


def _unusable(args: Args) -> str | None:
    bounds = _bounds(args)
    if bounds is None or bounds[0] < 0 or (bounds[1] < 0 and not math.isnan(bounds[0])):
        return expected(_SHAPE, args, _EXAMPLE)
    low, high = bounds
    if low > high:
        return f"{written(low)} is more than {written(high)}, so no length passes. Example: {_EXAMPLE}"
    return None


def _problem(args: Args) -> str | None:
    bounds = _bounds(args)
    if bounds is not None and any(map(math.isnan, bounds)):
        return expected(_SHAPE, args, _EXAMPLE)
    return _unusable(args)


@lru_cache(maxsize=4)
def words_in(response: str) -> int:
    """The number of words in `response`, separated by the characters that JavaScript counts as spaces."""
    if any(space in response for space in _DIFFERENT_SPACES):
        return sum(1 for _ in _WORD.finditer(response))
    return len(response.split())


def _conclude(args: Args, subject: Subject, _outcomes: Sequence[Outcome]) -> Result:
    bounds, problem = _bounds(args), _unusable(args)
    if bounds is None or problem is not None:
        return CheckError(problem or "")
    low, high = bounds
    words = words_in(subject.response)
    detail = f"{count(words, 'word')}; expected {written(low)}–{written(high)}"
    if words < low:
        return Checked(words / low, detail)
    if words > high:
        return Checked(high / words if words else -math.inf, detail)  # `high` is below 0 only if the other bound is NaN
    return Checked(1.0, detail)


FUNCTIONS = (
    PointFunction(
        "word_count_between",
        "The response has at least low and at most high words; part marks by how near it is.",
        "[low, high]",
        _EXAMPLE,
        _conclude,
        problem=_problem,
        graded=True,
        mark_note="Part marks: half of the least number of words is 50, and so is twice the greatest.",
    ),
)
