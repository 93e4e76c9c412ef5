"""A view is made anew only where it is another."""

from __future__ import annotations

from studio.session.views.latest import Latest, Same


def test_the_view_of_a_version_is_made_once() -> None:
    made: list[int] = []
    latest = Latest[list[int]]()
    views = [latest.of((version,), lambda: [*made, made.append(1) or 0]) for version in (1, 1, 2)]
    assert (views[0] is views[1], views[1] is views[2], len(made)) == (True, False, 2)


def test_an_equal_view_is_the_one_that_is_there() -> None:
    latest = Latest[tuple[str, ...]]()
    first = latest.same(("a", "b"))
    assert latest.same(tuple("ab")) is first


def test_what_was_shown_between_two_times_of_one_version_does_not_stay() -> None:
    latest = Latest[str]()
    latest.of((1,), lambda: "a result")
    latest.same("no result")
    assert latest.of((1,), lambda: "a result") == "a result"


def test_a_version_knows_an_object_from_another_that_equals_it() -> None:
    one, other = [1], [1]
    assert (Same(one) == Same(one), Same(one) == Same(other)) == (True, False)


def test_a_new_version_that_shows_the_same_is_the_very_same_view() -> None:
    latest = Latest[list[int]]()
    assert latest.of((1,), lambda: [1]) is latest.of((2,), lambda: [1])
