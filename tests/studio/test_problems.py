"""The problems on the screen: one in a line, all in a drawer, walked through, fixed and explained, and selected."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from engine.rules.causes import by_cause
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Position, Span, TextEdit
from studio.session.views.problems_view import Problem, ProblemRow, ProblemsView
from studio.tui.action import Place
from studio.tui.panes.problems import Problems
from studio.tui.paragraphs import Line
from tests.repeated_problems import quoted_checks
from tests.studio.driving import NARROW, QUOTED, Page, opened
from tests.studio.driving.alone import Alone

FOUR = quoted_checks(4)
REPEATED = "×4 ● Check written as text: “…” is one unknown name: remove the quotes around it f fix"
PLACES = [f"{line} │ - \"$icontains: 'Number {number}'\"" for number, line in enumerate((4, 9, 15, 20), 1)]


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


async def test_f3_opens_all_problems_and_enter_goes_to_one_and_closes_them(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f3", "down", "enter")) as page:
        assert (page.place, page.number, page.has_problems_open) == (Place.EDITOR, 14, False)
        await page.press("f3")
        assert "Alternatives of one criterion" in page.problem()


async def test_f_and_f4_fix_the_selected_problem_and_the_next_one_is_selected(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f3", "f")) as page:
        assert (page.slugs, page.place) == (["single-element-path"], Place.PROBLEMS)
        assert "Alternatives of one criterion" in page.problem()
        await page.press("ctrl+z", "home", "f4")
        assert page.slugs == ["single-element-path"]


async def test_the_drawer_takes_half_of_the_rows_and_moves_no_pane(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f2",)) as page:
        before = page.panes(), [line[1:60] for line in page.lines[1:10]]
        await page.press("f3")
        assert (page.panes(), [line[1:60] for line in page.lines[1:10]]) == before
        (at,) = (row for row, line in enumerate(page.lines) if line.startswith("─Problems 2─"))
        assert 15 <= at <= 18
        assert page.seen.count("is one unknown name") == 1
        await page.press("escape")
        assert (page.place, page.has_problems_open) == (Place.OUTLINE, False)


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


async def test_the_outline_counts_problems_and_follows_the_cursor(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8",)) as page:
        assert [row.count("●1") - row.count("▲1") for row in page.outline()] == [0, 1, -1]
        assert page.prompt() == "first"
        await page.press("f2", "down", "enter")
        assert page.number == 9


async def test_one_line_says_what_is_wrong_at_the_cursor_or_nearest_to_it_and_counts_all(tmp_path: Path) -> None:
    async with opened(tmp_path, f"# a comment\n{FOUR}") as page:
        assert page.cursor_line().startswith(" ● line 5: \"$icontains: 'Number 1'\" is one unknown name")
        assert page.cursor_line().endswith("● 4 errors · ▲ 1 warning  F3 ")
        await page.press("f8")
        assert page.cursor_line().startswith(" ● \"$icontains: 'Number 1'\" is one unknown name")
        assert "F4 fix" in page.cursor_line()


# --- Explained


SOUND = "- id: p\n  prompt: q\n  should:\n    - $icontains_all_of: [the lease, thirty days]\n"


async def test_the_reason_of_a_problem_stands_below_the_list_and_its_title_under_the_mouse(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, keys=("f8", "f3")) as page:
        assert page.problem().startswith("7 ● Check written as text: ")
        assert page.why()[0].startswith("The check never runs: it counts 0 here")
        assert page.why()[-1] == "error · quoted-function"
        await page.press("escape")
        await page.point_at('"$icontains')
        assert page.tooltip().startswith("Check written as text: ")
        await page.rewrite(SOUND)
        await page.point_at("$icontains")
        assert "all of these texts" in page.tooltip()
        assert "1 of 2" in page.tooltip()


@pytest.mark.parametrize("keys", [("f3", "question_mark"), ("f8", "ctrl+e")], ids=["in the list", "in the text"])
async def test_a_key_opens_the_page_of_the_rule_which_scrolls_and_closes(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async with opened(tmp_path, QUOTED, keys=keys[:1], size=NARROW) as page:
        before = page.place
        await page.hit(keys[1])
        asked = await page.asked("is one unknown name: remove the quotes around it", "Level: error. Code: Y003.")
        assert asked.title == "Check written as text (quoted-function)"
        assert "Suppress: `# studio: ignore[quoted-function] reason` at the end of the line" in asked.text
        await page.hit("pagedown", until=lambda: asked.scrolled("VerticalScroll") > 0)
        await page.reply("escape" if keys[0] == "f3" else "ctrl+e")
        assert page.place is before


async def test_ctrl_e_opens_the_page_of_a_sound_check_or_says_that_there_is_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, SOUND, keys=("ctrl+e",)) as page:
        assert page.question is None
        assert page.told == ["There is neither a problem nor a check on this line. F8 goes to the next problem."]
        await page.at("$icont")
        await page.hit("ctrl+e", asks="part marks, from 0 to 1")


# --- A cause that is repeated


async def test_a_repeated_cause_is_one_row_with_its_places_below(tmp_path: Path) -> None:
    async with opened(tmp_path, FOUR, keys=("f3",)) as page:
        assert (len(page.problems()), page.problem()) == (2, REPEATED)
        assert page.why()[1:] == ["error · quoted-function · Enter goes to line 4, 1 of 4", *PLACES]


async def test_of_several_places_enter_goes_to_the_one_at_the_cursor_or_after_it_and_f8_goes_on(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, FOUR) as page:
        await page.at("What is 3?")
        await page.press("f3", "home")
        assert page.why()[1:] == ["error · quoted-function · Enter goes to line 15, 3 of 4", *PLACES[2:], *PLACES[:2]]
        await page.press("enter")
        assert (page.place, page.number) == (Place.EDITOR, 15)
        await page.press("f8")
        assert page.number == 20


async def test_the_places_follow_what_is_typed(tmp_path: Path) -> None:
    async with opened(tmp_path, FOUR, keys=("f3",)) as page:
        await page.write("# a line above\n")
        await page.until(lambda: page.why()[2:3] == [PLACES[0].replace("4 │", "5 │")])


async def test_a_row_of_which_two_places_are_left_becomes_two_rows(tmp_path: Path) -> None:
    async with opened(tmp_path, quoted_checks(3).replace("idael", "ideal"), keys=("f8", "f4", "f3")) as page:
        assert [row.partition(" ")[0] for row in page.problems()] == ["9", "15"]


async def test_thousands_of_problems_cost_no_frame(tmp_path: Path) -> None:
    text = "".join(f"- id: p{number}\n  prompt: Why?\n  should:\n    - $check_{number}: x\n" for number in range(160))
    async with opened(tmp_path, text) as page:
        threads: set[threading.Thread] = set()
        draw = page.screen.problems.draw

        def noted(row: ProblemRow, width: int, most: int | None) -> Sequence[Line]:
            threads.add(threading.current_thread())
            return draw(row, width, most)

        page.screen.problems.draw = noted
        await page.press("f3")
        await page.see("there is no function $check_9:")
        assert threading.main_thread() not in threads


async def test_s_sorts_problems_by_how_bad_they_are(tmp_path: Path) -> None:
    text = QUOTED + "- {id: late, prompt: Which?, should: [$nosuch: a]}\n"
    async with opened(tmp_path, text, keys=("f3",)) as page:
        before = page.problems()
        await page.press("s")
        assert page.problems() == sorted(before, key=lambda row: "●" not in row) != before


# --- Which problem is selected: the one at the cursor, else the same one as before, however fast the checking is


class Listed(Alone):
    """The list of problems alone on the screen, of a text in which nothing moves."""

    def __init__(self) -> None:
        self.list = Problems()
        super().__init__(self.list)

    def found(self, letters: str, *, is_complete: bool) -> None:
        """Show these problems of a text. Each is at the place of its letter in the alphabet."""
        found = [
            Diagnostic(letter, letter, Severity.WARNING, Span(ord(letter), ord(letter) + 1), f"is {letter}", "")
            for letter in letters
        ]
        problems = tuple(Problem(each, Position(0, each.span.start)) for each in found)
        rows = tuple(ProblemRow(cause, (each,)) for each, cause in zip(problems, by_cause(found), strict=True))
        view = ProblemsView(1, "", problems, rows, tuple(range(len(rows))), frozenset(), may_be_run=True)
        self.list.show_view(view, lambda at, _: at, is_complete=is_complete)

    @property
    def selected(self) -> str:
        assert self.list.row is not None
        return self.list.row.places[0].diagnostic.slug

    def select(self, letter: str) -> None:
        self.list.open(ord(letter))
        assert self.selected == letter


@pytest.fixture
async def problems() -> AsyncIterator[Listed]:
    app = Listed()
    async with app.run_test(size=(80, 10)):
        app.list.open(0)
        yield app


@pytest.mark.parametrize("at_first", ["ade", "ad", "e", "abcde", ""])
async def test_the_next_problem_is_the_same_whatever_was_found_first(problems: Listed, at_first: str) -> None:
    problems.found("abcde", is_complete=True)
    problems.select("b")
    problems.found(at_first.replace("b", ""), is_complete=False)
    problems.found("acde", is_complete=True)
    assert problems.selected == "c"


async def test_a_problem_that_is_missing_for_a_moment_is_selected_again(problems: Listed) -> None:
    problems.found("abc", is_complete=True)
    problems.select("b")
    problems.found("ac", is_complete=False)
    problems.found("abc", is_complete=True)
    assert problems.selected == "b"


async def test_a_problem_that_was_selected_by_a_key_stays_selected_when_more_are_found(problems: Listed) -> None:
    problems.found("abe", is_complete=True)
    problems.select("b")
    problems.found("ae", is_complete=False)
    problems.list.action_move(-1)
    problems.found("ace", is_complete=True)
    assert problems.selected == "a"


async def test_the_problem_that_an_author_comes_to_stays_selected_when_more_are_found(problems: Listed) -> None:
    problems.list.display = False
    problems.found("b", is_complete=False)
    problems.list.open(0)
    problems.found("ab", is_complete=True)
    assert problems.selected == "b"


async def test_after_the_last_problem_the_one_before_it_is_selected(problems: Listed) -> None:
    problems.found("abc", is_complete=True)
    problems.select("c")
    problems.found("ab", is_complete=True)
    assert problems.selected == "b"


@pytest.mark.parametrize("at_first", ["b", "ab", ""])
async def test_in_a_file_that_is_opened_the_first_problem_is_selected(problems: Listed, at_first: str) -> None:
    problems.found(at_first, is_complete=False)
    problems.found("ab", is_complete=True)
    assert problems.selected == "a"
