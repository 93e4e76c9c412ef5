"""A view is the very same object as long as it shows the same, whichever way it was asked for."""

from __future__ import annotations

from studio.session.views.latest import Latest


def test_the_same_version_is_the_very_same_view() -> None:
    latest = Latest[list[int]]()
    assert latest.of((1,), lambda: [1]) is latest.of((1,), lambda: [1])


def test_an_equal_view_is_the_very_same_view() -> None:
    latest = Latest[list[int]]()
    assert latest.same([1]) is latest.same([1])


def test_a_version_comes_back_after_another_view_was_shown() -> None:
    latest = Latest[list[int]]()
    latest.of((1,), lambda: [1])
    latest.same([2])
    assert latest.of((1,), lambda: [1]) == [1]
