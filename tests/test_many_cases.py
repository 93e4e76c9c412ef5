"""One test over many cases tells of each that fails, as many tests would."""

from __future__ import annotations

import pytest

from tests.many_cases import every


@pytest.fixture
def limit() -> int:
    return 2


@every("number", [0, 1, 2])
def test_it_holds_for_every_case_beside_fixtures(limit: int, number: int) -> None:
    assert number <= limit


@every(("number", "square"), [(1, 1), (2, 4)])
def test_a_case_may_have_several_values(number: int, square: int) -> None:
    assert number**2 == square


def test_each_case_that_fails_is_named_with_what_was_wrong() -> None:
    @every("number", [1, 2, 3], ids=lambda number: f"case {number}")
    def odd(number: int) -> None:
        assert number % 2 == 1, f"{number} is even"

    with pytest.raises(pytest.fail.Exception, match=r"^1 of 3 cases:\ncase 2\n--- case 2\nAssertionError: 2 is even"):
        odd()


def test_whatever_a_case_raises_is_told_and_the_others_go_on() -> None:
    @every("number", [0, 1, 2])
    def divides(number: int) -> None:
        assert 1 / number < 1

    with pytest.raises(pytest.fail.Exception, match=r"^2 of 3 cases:\n0\n1\n"):
        divides()


def test_without_a_case_it_fails() -> None:
    @every("number", [])
    def anything(number: int) -> None:
        assert number == number

    with pytest.raises(pytest.fail.Exception, match="no case"):
        anything()
