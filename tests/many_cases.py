"""Tests of one contract over many cases: one test that names every case for which it does not hold.

pytest takes longer to begin and end a test than most of these cases take, so thousands of them are one test each.
"""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

_MOST_TOLD = 20

Test = Callable[..., None]


def every(
    name: str | tuple[str, ...],
    cases: Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    ids: Callable[[Any], object] = repr,
) -> Callable[[Test], Test]:
    """Hold what a test says of its argument `name` against each of `cases`. The other arguments are fixtures.

    A function makes the cases once the test runs, where it takes long to make them.

    With several names each case has a value for each, as in `pytest.mark.parametrize`. It fails where it does not hold
    for one of them, with the `ids` of all of these and what was wrong with the first 20, and where there is no case at
    all. The cases share the fixtures: nothing that one leaves may change another.
    """
    names = (name,) if isinstance(name, str) else name

    def held_against() -> list[tuple[Any, dict[str, Any]]]:
        found = cases if isinstance(cases, Iterable) else cases()
        return [(case, dict(zip(names, (case,) if isinstance(name, str) else case, strict=True))) for case in found]

    def decorated(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def of_every_case(**fixtures: Any) -> None:
            _hold(test, held_against(), ids, fixtures)

        others = [each for each in signature.parameters.values() if each.name not in names]
        of_every_case.__signature__ = signature.replace(parameters=others)  # pyright: ignore[reportAttributeAccessIssue]
        return of_every_case

    return decorated


def _hold(
    test: Test, cases: Collection[tuple[Any, dict[str, Any]]], ids: Callable[[Any], object], fixtures: dict[str, Any]
) -> None:
    __tracebackhide__ = True
    wrong: list[tuple[str, Exception]] = []
    for case, arguments in cases:
        try:
            test(**arguments, **fixtures)
        except Exception as error:  # noqa: BLE001 - whatever a case raises is told beside its name
            wrong.append((str(ids(case)), error))
    if not cases:
        pytest.fail("there is no case to hold it against", pytrace=False)
    if wrong:
        told = "\n".join(f"--- {which}\n{_told(error)}" for which, error in wrong[:_MOST_TOLD])
        names = "\n".join(which for which, _ in wrong)
        pytest.fail(f"{len(wrong)} of {len(cases)} cases:\n{names}\n{told}", pytrace=False)


def _told(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {error}\n  at {frames[-1].filename}:{frames[-1].lineno}"
