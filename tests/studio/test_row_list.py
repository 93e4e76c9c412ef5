"""A list of rows: what its scrollbar shows as rows come and go."""

from __future__ import annotations

import pytest

from studio.tui.pieces import Piece
from studio.tui.row_list import Rows
from tests.studio.driving.alone import Alone


class Numbers(Rows[int]):
    """A list of numbers."""

    def draw(self, row: int, width: int) -> list[Piece]:
        return [(str(row), "")]


@pytest.mark.parametrize(("first", "then"), [(20, 40), (40, 20), (0, 20)])
async def test_the_scrollbar_has_the_length_of_the_list(first: int, then: int) -> None:
    numbers = Numbers("nothing")
    async with Alone(numbers).run_test(size=(40, 10)) as pilot:
        numbers.show_rows(range(first))
        await pilot.pause()
        numbers.show_rows(range(then))
        await pilot.pause()
        assert numbers.vertical_scrollbar.window_virtual_size == then


async def test_a_list_that_became_shorter_does_not_stay_scrolled_below_its_end() -> None:
    numbers = Numbers("nothing")
    async with Alone(numbers).run_test(size=(40, 10)) as pilot:
        numbers.show_rows(range(40))
        numbers.select(39)
        await pilot.pause()
        numbers.show_rows(range(12))
        await pilot.pause()
        assert numbers.scroll_offset.y == 2


async def test_a_list_that_fits_has_no_scrollbar() -> None:
    numbers = Numbers("nothing")
    async with Alone(numbers).run_test(size=(40, 10)) as pilot:
        numbers.show_rows(range(40))
        await pilot.pause()
        numbers.show_rows(range(5))
        await pilot.pause()
        assert not numbers.show_vertical_scrollbar
