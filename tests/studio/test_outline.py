"""The outline: prompts in their own words, two lines of each at least, and whole where there is room."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.parsing import parse
from studio.session.analysis import Tally
from studio.session.prompt_names import prompt_names
from studio.session.views.outline_view import OutlineRow
from studio.tui.action import Place
from studio.tui.panes.outline import Outline
from tests.studio.driving import opened
from tests.studio.driving.alone import Alone
from tests.world import CORPUS, needs_corpus

LONG = "I asked my council for a report on road maintenance. They sent it, but I lost the file. May they refuse?"
NOTES = ("Left to do: write an ideal.",)


def row(number: int, name: str, score: str = "", **fields: object) -> OutlineRow:
    return OutlineRow(number, f"p{number}", name, **({"tally": Tally(), "score": score} | fields))  # pyright: ignore[reportArgumentType]


HEAD = OutlineRow(None, "", "3 prompts · 61 · … = the Act", Tally(), notes=("Rent",))
ROWS = (HEAD, row(1, "Who may ask?", "75"), row(2, LONG, tally=Tally(1, 12)), row(3, "Why?", failed=True))


@asynccontextmanager
async def shown(
    rows: Sequence[OutlineRow] = ROWS, *, size: tuple[int, int] = (44, 14), at: int = 0
) -> AsyncIterator[list[str]]:
    outline = Outline()
    async with Alone(outline).run_test(size=size) as pilot:
        pilot.app.set_focus(None)
        outline.show(rows)
        outline.at = at
        await pilot.pause()
        yield [outline.render_line(y).text.rstrip() for y in range(outline.size.height)]


async def test_a_row_has_the_words_of_its_prompt_the_score_and_below_that_its_problems() -> None:
    async with shown() as lines:
        assert lines[:7] == [
            "▏3 prompts · 61 · … = the Act",
            " 1 Who may ask?                          75",
            " 2 I asked my council for a report on     –",
            "   road maintenance. They sent it,    ●1▲12",
            "   but I lost the file. May they",
            "   refuse?",
            " 3 Why?                                   !",
        ]


async def test_a_prompt_keeps_two_lines_where_not_all_have_room_and_the_selected_one_is_whole_below() -> None:
    rows = (HEAD, *(row(number, f"{number}. {LONG}", notes=NOTES) for number in range(1, 6)))
    async with shown(rows, at=5, size=(44, 16)) as lines:
        assert [line[:5] for line in lines[5:11:2]] == [" 3 3.", " 4 4.", "▏5 5."]
        assert [line.strip() for line in lines[11:]] == [
            "─" * 42,
            "5. I asked my council for a report on road",
            "maintenance. They sent it, but I lost the",
            "file. May they refuse?",
            NOTES[0],
        ]


async def test_what_is_known_of_the_selected_prompt_stands_below_the_last() -> None:
    async with shown((HEAD, row(1, "Why?", notes=("The last run, 3 days ago.", *NOTES))), at=1) as lines:
        assert [line.strip() for line in lines[3:5]] == ["The last run, 3 days ago.", NOTES[0]]


@pytest.mark.parametrize("score", ["50 (33–67)", "100"])
async def test_a_score_is_never_cut(score: str) -> None:
    async with shown((HEAD, row(1, LONG, score)), size=(30, 14)) as lines:
        assert any(line.endswith(f" {score}") for line in lines)


@needs_corpus
@pytest.mark.parametrize("name", ["strawberry.yml", "compass/extroverted.yml", "rolp-system-prompt-injection.yml"])
async def test_no_two_rows_of_a_file_read_the_same(name: str) -> None:
    names = prompt_names(parse((CORPUS / name).read_text("utf-8")).blueprint.prompts).names
    rows = [row(number, name) for number, name in enumerate(names, 1)]
    outline = Outline()
    async with Alone(outline).run_test():
        outline.show((HEAD, *rows))
        for width in (29, 43, 52):
            assert len({str([line[1:] for line in outline.draw(each, width, 2)]) for each in rows}) == len(rows)


TWO = "- id: first\n  prompt: Who may ask?\n- id: second\n  prompt: And why?\n"


async def test_the_text_follows_the_selected_prompt_and_enter_goes_there(tmp_path: Path) -> None:
    async with opened(tmp_path, TWO, keys=("f2", "down")) as page:
        assert (page.place, page.number) == (Place.OUTLINE, 3)
        await page.press("home")
        assert (page.place, page.number) == (Place.OUTLINE, 1)
        await page.press("down", "enter")
        assert (page.place, page.number, page.prompt()) == (Place.EDITOR, 1, "first")


async def test_a_click_selects_a_prompt_and_another_one_goes_there(tmp_path: Path) -> None:
    async with opened(tmp_path, TWO) as page:
        await page.click("Outline", (5, 3))
        assert (page.place, page.prompt(), page.number) == (Place.OUTLINE, "second", 3)
        await page.click("Outline", (5, 3))
        assert page.place is Place.EDITOR


async def test_a_control_character_is_made_visible(tmp_path: Path) -> None:
    async with opened(tmp_path, '- id: x\n  prompt: "bell\\a"\n') as page:
        assert "bell␇" in page.seen


async def test_a_prompt_is_found_by_its_words_or_its_id(tmp_path: Path) -> None:
    async with opened(tmp_path, TWO, keys=("f2", "slash", *"sec", "enter", "enter")) as page:
        assert (page.place, page.number) == (Place.EDITOR, 3)


async def test_many_words_are_laid_out_off_the_event_loop() -> None:
    outline = Outline()
    async with Alone(outline).run_test():
        assert not outline.takes_long(ROWS, 40)
        assert outline.takes_long([row(number, LONG) for number in range(50)], 40)


@pytest.mark.parametrize("height", [30, 31, 32, 38])
async def test_nothing_is_cut_while_two_lines_are_free(height: int) -> None:
    rows = (HEAD, *(row(number, f"{LONG} {number}", notes=NOTES) for number in range(9)))
    async with shown(rows, size=(44, height)) as lines:
        assert "…" in "".join(lines[1:])
        assert any(lines[-2:])
