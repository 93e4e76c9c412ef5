"""The list of all panes: rows as tall as their text, and nothing that moves under an arrow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import ClassVar

import pytest
from textual.pilot import Pilot

from studio.tui.paragraphs import Line, cells, paragraph
from studio.tui.tall_list import TallList
from tests.patience import SECONDS
from tests.studio.driving.alone import Alone

RULE = f" {'─' * 28}"
WORDS = "Any person making a request to a public authority has a general right of access to information."


class Texts(TallList[str]):
    """Rows of text alone; below them the first word of the selected one, over and over."""

    def draw(self, row: str, width: int, most: int | None) -> Sequence[Line]:
        return paragraph(row, width, most=most)

    def facets(self, row: str) -> str:
        return row

    def foot(self, row: str, width: int) -> Sequence[Line]:
        return [((f"of {row.split()[0]}", ""),) for _ in range(row.count("!"))]


class Bare(Texts):
    """The same with nothing below them."""

    def foot(self, row: str, width: int) -> Sequence[Line]:
        return ()


class Headed(Bare):
    """The same; what begins with a dash is a heading."""

    def is_selectable(self, row: str) -> bool:
        return not row.startswith("-")


class Cut(Bare):
    """The same, cut where they have no room."""

    LEAST: ClassVar[int] = 2


class Ranked(Bare):
    """The same in two orders, below a first row that stays."""

    ORDERS: ClassVar = {"as they are": None, "shortest first": len}
    HEADS = 1


@asynccontextmanager
async def shown(
    rows: Sequence[str], *, kind: type[TallList[str]] = Texts, size: tuple[int, int] = (30, 12)
) -> AsyncIterator[tuple[TallList[str], Pilot[None]]]:
    list = kind("Nothing yet.")
    async with Alone(list).run_test(size=size) as pilot:
        list.focus()
        list.show(rows)
        await pilot.pause()
        yield list, pilot


def lines(list: TallList[str]) -> list[str]:
    return [list.render_line(y).text.rstrip() for y in range(list.size.height)]


async def test_a_row_takes_as_many_lines_as_its_text() -> None:
    async with shown(["one", WORDS, "two"]) as (list, _):
        assert lines(list)[:6] == [
            "▌one",
            " Any person making a request",
            " to a public authority has a",
            " general right of access to",
            " information.",
            " two",
        ]


async def test_an_arrow_reads_on_in_a_row_that_is_taller_than_the_pane() -> None:
    async with shown([WORDS, "two"], kind=Bare, size=(30, 3)) as (list, pilot):
        await pilot.press("down")
        assert (list.at, lines(list)) == (
            0,
            ["▌to a public authority has a", "▌general right of access to", "▌information."],
        )
        await pilot.press("down", "up")
        assert (list.at, lines(list)[0]) == (0, "▌Any person making a request")
        await pilot.press("down", "down")
        assert list.at == 1


async def test_rows_are_laid_out_anew_beside_a_scrollbar() -> None:
    async with shown(["12345 78901 34567 90123 56789"] * 20) as (list, pilot):
        await pilot.pause()
        assert [len(line) for line in lines(list)[:2]] == [24, 6]


async def test_an_empty_list_says_what_to_do_next() -> None:
    async with shown([]) as (list, _):
        assert lines(list)[0] == " Nothing yet."


async def test_what_belongs_to_the_selected_row_stands_below_the_last() -> None:
    async with shown(["one!", "two!!"]) as (list, pilot):
        assert lines(list)[:5] == ["▌one!", " two!!", RULE, " of one!", ""]
        await pilot.press("down")
        assert lines(list)[:5] == [" one!", "▌two!!", RULE, " of two!!", " of two!!"]


async def test_an_arrow_moves_no_row() -> None:
    rows = ["one!", WORDS, "two!!!", "three"]
    async with shown(rows) as (list, pilot):
        before = [line[1:] for line in lines(list)[:7]]
        for _ in rows:
            await pilot.press("down")
            assert [line[1:] for line in lines(list)[:7]] == before


async def test_the_foot_takes_at_most_three_fifths_of_a_long_list() -> None:
    async with shown([f"row{'!' * 20}", *map(str, range(30))], size=(30, 20)) as (list, _):
        assert lines(list)[7:10] == [" 6", RULE, " of row!!!!!!!!!!!!!!!!!!!!"]


async def test_the_rest_of_a_long_foot_comes_page_by_page() -> None:
    async with shown([f"row{'!' * 20}", *map(str, range(30))], size=(30, 20)) as (list, pilot):
        await pilot.press("space")
        assert RULE not in lines(list)
        await pilot.press("space")
        assert lines(list)[8] == RULE


async def test_the_selected_row_is_whole_in_view() -> None:
    async with shown([*map(str, range(20)), WORDS, "end"], size=(30, 8)) as (list, pilot):
        await pilot.press("end", "up")
        assert lines(list)[3:7] == [
            "▌Any person making a request",
            "▌to a public authority has a",
            "▌general right of access to",
            "▌information.",
        ]


async def test_going_up_to_a_row_brings_the_headings_above_it_into_view() -> None:
    rows = ["- one", "a", "b", "- two", "- three", "c", *"defgh"]
    async with shown(rows, kind=Headed, size=(30, 4)) as (list, pilot):
        await pilot.press("end", *["up"] * 5)
        assert lines(list) == [" - two", " - three", "▌c", " d"]
        await pilot.press("home")
        assert lines(list)[:2] == [" - one", "▌a"]


async def test_the_line_that_is_read_stays_where_it_is_when_rows_come() -> None:
    async with shown([*map(str, range(30))]) as (list, pilot):
        await pilot.press(*["down"] * 20)
        place = lines(list).index("▌20")
        list.show(["new", WORDS, *map(str, range(30))])
        assert lines(list)[place] == "▌20"


async def test_cut_rows_take_the_lines_that_are_free() -> None:
    async with shown([WORDS, WORDS, WORDS], kind=Cut, size=(30, 9)) as (list, _):
        text = lines(list)
        assert text[:4] == [
            "▌Any person making a request",
            "▌to a public authority has a",
            "▌general right of access to",
            "▌information.",
        ]
        assert (text[6][-1], text[8][-1]) == ("…", "…")


async def test_nothing_is_cut_while_there_is_room() -> None:
    async with shown([WORDS, WORDS], kind=Cut, size=(30, 9)) as (list, _):
        assert "…" not in "".join(lines(list))


@pytest.mark.parametrize(("typed", "left"), [("wo", ["two"]), ("T e", ["three"]), ("zz", [])])
async def test_a_filter_shows_the_rows_that_have_all_its_words(typed: str, left: list[str]) -> None:
    async with shown(["one", "two", "three"]) as (list, pilot):
        await pilot.press("slash", *("space" if letter == " " else letter for letter in typed))
        assert [*list.rows] == left


async def test_escape_shows_all_rows_again() -> None:
    async with shown(["one", "two"]) as (list, pilot):
        await pilot.press("slash", "t", "w", "enter")
        assert (list.filter, lines(list)[0]) == ("tw", " / tw  1 of 2 · Esc shows all")
        await pilot.press("escape")
        assert [*list.rows] == ["one", "two"]


async def test_rows_are_sorted_by_the_next_order_below_those_that_stay() -> None:
    async with shown(["all of them", "three", "two"], kind=Ranked) as (list, _):
        list.action_sort()
        assert [*list.rows] == ["all of them", "two", "three"]
        list.action_sort()
        assert [*list.rows] == ["all of them", "three", "two"]


async def test_sorting_leaves_the_same_row_selected() -> None:
    async with shown(["all of them", "three", "two"], kind=Ranked) as (list, pilot):
        await pilot.press("down")
        list.action_sort()
        assert list.row == "three"


async def test_a_filter_keeps_the_order() -> None:
    async with shown(["all of them", "three", "two", "to"], kind=Ranked) as (list, pilot):
        list.action_sort()
        await pilot.press("slash", "t", "o")
        assert [*list.rows] == ["to"]
        await pilot.press("backspace", "enter")
        assert [*list.rows] == ["all of them", "to", "two", "three"]


async def test_rows_that_come_take_their_place() -> None:
    async with shown(["all of them", "three", "two"], kind=Ranked) as (list, _):
        list.action_sort()
        list.show(["all of them", "three", "four", "two"])
        assert [*list.rows] == ["all of them", "two", "four", "three"]


def test_one_row_needs_no_order() -> None:
    list = Ranked()
    list.show(["all of it", "one"])
    assert "sort" in list.idle_actions


async def test_many_rows_come_from_a_thread() -> None:
    rows = [f"{number} {WORDS}" for number in range(1000)]
    async with shown(rows) as (list, pilot):
        async with asyncio.timeout(SECONDS):
            while list.virtual_size.height < len(rows):
                await pilot.pause(0.01)
        await pilot.press("end")
        assert any(line.startswith("▌999 Any") for line in lines(list))


def test_no_line_is_wider_than_the_list() -> None:
    assert {cells(line) <= 20 for line in paragraph("漢字 " * 30 + "x" * 90, 20)} == {True}


def test_the_last_line_of_a_cut_text_says_so() -> None:
    assert paragraph(WORDS, 20, most=2)[-1][-1] == ("…", "")
