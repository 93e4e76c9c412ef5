"""A list of rows: what its scrollbar shows as rows come and go."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from studio.tui.row_list import Piece, Rows
from studio.tui.theme import DARK, THEMES


class Numbers(Rows[int]):
    """A list of numbers."""

    def draw(self, row: int, width: int) -> list[Piece]:
        return [(str(row), "")]


class OneList(App[None]):
    """A list alone on the screen."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.numbers = Numbers("nothing")

    def compose(self) -> ComposeResult:
        yield self.numbers


@pytest.mark.parametrize(("first", "then"), [(20, 40), (40, 20), (0, 20)])
async def test_the_scrollbar_has_the_length_of_the_list(first: int, then: int) -> None:
    app = OneList()
    async with app.run_test(size=(40, 10)) as pilot:
        app.numbers.show_rows(range(first))
        await pilot.pause()
        app.numbers.show_rows(range(then))
        await pilot.pause()
        assert app.numbers.vertical_scrollbar.window_virtual_size == then


async def test_a_list_that_became_shorter_does_not_stay_scrolled_below_its_end() -> None:
    app = OneList()
    async with app.run_test(size=(40, 10)) as pilot:
        app.numbers.show_rows(range(40))
        app.numbers.select(39)
        await pilot.pause()
        app.numbers.show_rows(range(12))
        await pilot.pause()
        assert app.numbers.scroll_offset.y == 2


async def test_a_list_that_fits_has_no_scrollbar() -> None:
    app = OneList()
    async with app.run_test(size=(40, 10)) as pilot:
        app.numbers.show_rows(range(40))
        await pilot.pause()
        app.numbers.show_rows(range(5))
        await pilot.pause()
        assert not app.numbers.show_vertical_scrollbar
