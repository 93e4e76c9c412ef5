"""The problems on the screen: listed, walked through, selected, explained, and folded where a cause is repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.spans import Span, TextEdit
from studio.tui.action import Place
from tests.repeated_problems import quoted_checks
from tests.studio.driving import NARROW, QUOTED, Page, opened

FOUR = quoted_checks(4)
CLOSED = "▸ ×4 ● quoted-function “…” is one unknown name: remove the quotes around it f fix a fix all"
OPEN = CLOSED.replace("▸", "▾")
PLACE_1, PLACE_2 = "4:7 │ - \"$icontains: 'Number 1'\"", "9:7 │ - \"$icontains: 'Number 2'\""


async def test_problems_follow_what_is_typed(tmp_path: Path) -> None:
    async with opened(tmp_path, "- id: a\n  prompt: b\n  should:\n    - Says it\n") as page:
        assert "quoted-function" not in page.slugs
        await page.press("ctrl+end")
        await page.hit(*'    - "$icontains: x"')
        await page.settle()
        assert "quoted-function" in page.slugs


async def walked(page: Page, *keys: str) -> list[int]:
    """The numbers of the lines that the cursor comes to."""
    numbers: list[int] = []
    for key in keys:
        await page.press(key)
        numbers.append(page.number)
    return numbers


async def test_f8_and_f7_walk_all_places_round_the_file_in_the_order_of_the_text(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED) as page:
        assert await walked(page, "f8", "f8", "f8", "f7") == [7, 14, 7, 14]
        await page.rewrite(FOUR)
        await page.press("ctrl+home")
        assert await walked(page, *["f8"] * 6) == [4, 9, 11, 15, 20, 4]


async def test_enter_goes_to_a_problem_f_and_f4_fix_it_and_the_next_one_is_selected(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f3", "down", "enter")) as page:
        assert (page.place, page.number) == (Place.EDITOR, 14)
        await page.press("f3", "up", "f")
        assert page.slugs == ["single-element-path"]
        assert page.problem().split()[2] == "single-element-path"
        await page.press("ctrl+z", "home", "f4")
        assert page.slugs == ["single-element-path"]


async def test_a_refresh_keeps_the_selected_problem(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f3", "down")) as page:
        await page.write("# a line above\n")
        assert page.problem().startswith("15:5 ▲ single-element-path")


async def test_a_cursor_in_a_newer_text_selects_no_problem_by_the_places_of_an_older_one(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8",)) as page:
        await page.press("ctrl+home")
        await page.write(f"# {'x' * QUOTED.index('- - $icontains: lease')}\n")
        assert "quoted-function" in page.problem()


async def test_a_key_leads_back_to_where_the_author_typed_and_the_footer_shows_it(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("ctrl+j",)) as page:
        assert page.cursor == 0
        await page.press("down", "end", "space")
        assert "Ctrl+J" not in page.footer()
        await page.press("f8", "f8", "f7")
        assert "Ctrl+J go back" in page.footer()
        page.screen.editor.apply_edits([TextEdit(Span(0, 0), "# above\n# it\n")])
        await page.press("f4", "f3", "ctrl+j")
        assert (page.place, page.number, page.line[-1:]) == (Place.EDITOR, 4, " ")
        await page.press("x")
        assert page.line.endswith(" x")
        assert "Ctrl+J" not in page.footer()


# --- Outline and status


async def test_outline_and_status_count_problems_and_the_outline_follows_the_cursor(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8",)) as page:
        assert [row.count("●1") - row.count("▲1") for row in page.outline()] == [0, 1, -1]
        assert page.prompt() == "first"
        await page.press("f2", "down", "enter")
        assert page.number == 9
        await page.rewrite(FOUR)
        assert "● 4 errors · ▲ 1 warning" in page.lines[0]
        await page.see("Problems 5")


async def test_on_a_narrow_screen_one_line_says_what_is_wrong_at_the_cursor_and_it_is_seen(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, "# a comment\n" * 40 + QUOTED, size=NARROW) as page:
        assert "unknown name" not in page.cursor_line()
        await page.press("f8")
        assert "is one unknown name: remove the quotes" in page.cursor_line()
        await page.press("f3")
        assert page.cursor_is_seen


# --- Explained


async def test_a_blank_line_stands_between_a_full_list_and_the_explanation(tmp_path: Path) -> None:
    full = "".join(f"- id: p{number}\n  prompt: Why?\n  should:\n    - $check_{number}: x\n" for number in range(9))
    async with opened(tmp_path, full, keys=("f3",), size=NARROW) as page:
        why = page.region("#why")
        assert page.lines[why.y].strip() == ""
        assert page.lines[why.y + 1].strip() != ""
        assert page.region("ProblemList").height >= 3


SOUND = "- id: p\n  prompt: q\n  should:\n    - $icontains_all_of: [the lease, thirty days]\n"


async def test_the_title_of_its_rule_explains_a_problem_below_the_list_and_under_the_mouse(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8", "f3")) as page:
        assert page.why().startswith("Check written as text: ")
        await page.point_at('"$icontains')
        assert page.tooltip().startswith("Check written as text: ")
        await page.rewrite(SOUND)
        await page.point_at("$icontains")
        assert "all of these texts" in page.tooltip()
        assert "1 of 2" in page.tooltip()


@pytest.mark.parametrize("keys", [("f3", "w"), ("f8", "ctrl+e")], ids=["in the list", "in the text"])
async def test_a_key_opens_the_page_of_the_rule_which_scrolls_and_closes(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async with opened(tmp_path, QUOTED, keys=keys[:1], size=NARROW) as page:
        before = page.place
        await page.hit(keys[1])
        asked = await page.asked("is one unknown name: remove the quotes around it", "Level: error. Code: Y003.")
        assert asked.title == "Check written as text (quoted-function)"
        assert "Suppress: `# studio: ignore[quoted-function] reason` at the end of the line" in asked.text
        await page.hit("pagedown")
        await page.until(lambda: asked.scrolled("VerticalScroll") > 0)
        await page.hit("escape" if keys[1] == "w" else "ctrl+e")
        await page.answered()
        assert page.place is before


async def test_ctrl_e_opens_the_page_of_a_sound_check_or_says_that_there_is_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, SOUND, keys=("ctrl+e",)) as page:
        assert page.question is None
        assert page.told == ["There is neither a problem nor a check on this line. F8 goes to the next problem."]
        await page.at("$icont")
        await page.hit("ctrl+e")
        await page.asked("part marks, from 0 to 1")


# --- A cause that is repeated


@pytest.mark.parametrize("key", ["right", "enter"])
async def test_a_repeated_cause_is_one_row_and_keys_list_its_places_and_hide_them(key: str, tmp_path: Path) -> None:
    async with opened(tmp_path, FOUR, keys=("f3", "home")) as page:
        assert [row.partition(" ")[0] for row in page.problems()] == ["▸", "11:3"]
        assert page.problem() == CLOSED
        for closing in (("left",), ("enter",), ("down", "down", "left")):
            await page.press(key)
            assert page.problems()[:3] == [OPEN, PLACE_1, PLACE_2]
            await page.press(*closing)
            assert (len(page.problems()), page.problem()) == (2, CLOSED)


async def test_of_an_open_row_right_goes_to_its_first_place_and_enter_there(tmp_path: Path) -> None:
    async with opened(tmp_path, FOUR, keys=("f3", "home", "right", "right")) as page:
        assert page.problem() == PLACE_1
        await page.press("down", "enter")
        assert (page.place, page.number) == (Place.EDITOR, 9)
        await page.press("f8", "f7")
        assert page.problem() == PLACE_2  # the cursor selects it


async def test_a_click_on_the_row_opens_it(tmp_path: Path) -> None:
    async with opened(tmp_path, FOUR) as page:
        await page.click("ProblemList", (10, 0))
        assert len(page.problems()) == 6


async def test_the_cursor_selects_a_closed_row_and_its_place_is_explained(tmp_path: Path) -> None:
    async with opened(tmp_path, FOUR, keys=("f8", "f8")) as page:
        assert page.problem() == CLOSED
        what = "Check written as text: \"$icontains: 'Number 2'\" is one unknown name: remove the quotes around it"
        assert page.why() == f"line 9, 2 of 4 · {what}"


async def test_an_open_row_stays_open_and_its_places_follow_what_is_typed(tmp_path: Path) -> None:
    async with opened(tmp_path, FOUR, keys=("f3", "home", "right", "escape")) as page:
        await page.write("# a line above\n")
        assert page.problems()[:2] == [OPEN, PLACE_1.replace("4:7", "5:7")]
        await page.at("'Number 4'\"", behind=True)
        await page.press(*" # mine")
        await page.until(lambda: any("# mine" in line for line in page.lines[26:]))


async def test_a_row_of_which_two_places_are_left_becomes_two_rows(tmp_path: Path) -> None:
    async with opened(tmp_path, quoted_checks(3).replace("idael", "ideal"), keys=("f8", "f4")) as page:
        assert [row.partition(" ")[0] for row in page.problems()] == ["9:7", "15:7"]


async def test_the_footer_offers_what_the_row_can_do(tmp_path: Path) -> None:
    async with opened(tmp_path, FOUR, keys=("f3",)) as page:
        for keys, offered in (
            (("home",), "→ open  f fix  a fix all"),
            (("right",), "← close  f fix  a fix all"),
            (("down",), "Enter go there  ← close  f fix  a fix all"),
            (("end",), "Enter go there  f fix  w why"),
        ):
            await page.press(*keys)
            await page.until(lambda offered=offered: offered in page.footer())
