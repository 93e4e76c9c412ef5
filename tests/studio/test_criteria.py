"""The list of the criteria: what is selected, in which order, what stands below it, and the words of judges."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from engine.blueprint import Role
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, PanelJudge
from engine.judging.verdict import NoVerdict, Reason
from engine.models.chat import ChatRequest, Turn
from engine.scoring.assessment import Grade
from engine.text.record import replace
from studio.session.views.overview_view import FileResult, Overview
from studio.session.views.result_view import ResultView, blank_view
from studio.session.what_if import Hypothesis
from studio.tui.dialogs.page import WordForWord
from studio.tui.panes.criteria import Criteria
from studio.tui.session_screen import SessionScreen
from tests.studio.driving.alone import Alone
from tests.studio.results import MARCH, judged, said, text_of, verdict, view
from tests.studio.text_files import text_file

FIVE = "- id: five\n  prompt: x\n  should: [first, second, third, fourth, fifth]\n"
WAYS = text_file("criteria-ways.yml")
THREE_WAYS = "- prompt: x\n  should: [[first, second], [third, fourth, fifth], [sixth, seventh]]\n"
EMPTY = FileResult(Overview((), (), "the ideal"))


class Runs:
    """What the pane asks of the runs of a session."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []
        self.selection = self
        self.what_if = self
        self.tried: Hypothesis | None = None

    def select_row(self, *row: object) -> None:
        self.told.append(row)

    async def grade(self, place: int, grade: Grade | None) -> None:
        self.told.append(("grade", place, grade))

    def attempt(self, change: Any) -> None:
        assert self.tried is not None
        self.tried = change(self.tried)


class Screen(SessionScreen):
    """A screen with the criteria alone."""

    def __init__(self, pane: Criteria) -> None:
        super().__init__()
        self.pane = pane
        self.runs = Runs()
        state = SimpleNamespace(row=None)
        self.session: Any = SimpleNamespace(runs=self.runs, state=state, with_runs=self.act)
        self.went: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.pane

    def act(self, act: Any) -> None:
        if (work := act(self.runs)) is not None:
            self.run_worker(work)


@asynccontextmanager
async def shown(
    first: ResultView | FileResult, size: tuple[int, int] = (60, 30)
) -> AsyncIterator[tuple[Criteria, Pilot[None], Runs]]:
    pane = Criteria()
    app = Alone()
    async with app.run_test(size=size) as pilot:
        screen = Screen(pane)
        await app.push_screen(screen)
        pane.focus()
        pane.show_view(first)
        await pilot.pause()
        yield pane, pilot, screen.runs


def selected(pane: Criteria) -> str:
    return "" if pane.row is None else pane.row.key


def lines(pane: Criteria) -> list[str]:
    return [pane.render_line(y).text.rstrip() for y in range(pane.size.height)]


def order(pane: Criteria) -> list[int]:
    return [row.point for row in pane.rows if row.point is not None]


def scored(extents: list[float], **more: Any) -> ResultView:
    return replace(view(FIVE, dict(enumerate(extents))), **more)


# --- Order and selection


async def test_after_a_run_the_dearest_is_selected_and_told() -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (pane, _, runs):
        assert (order(pane), selected(pane)) == ([2, 1, 0, 3, 4], "point:2")
        assert runs.told[-1] == (2, ())


async def test_the_dearest_is_selected_even_where_it_is_not_the_first() -> None:
    async with shown(view(MARCH, {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.5, 4: 0.0})) as (pane, _, _):
        assert (order(pane)[0], selected(pane)) == (0, "point:3")


async def test_the_criterion_at_the_cursor_is_selected_instead() -> None:
    first = scored([1, 0.5, 0, 1, 1])
    async with shown(first) as (pane, _, _):
        pane.show_view(first, at_cursor=3)
        assert selected(pane) == "point:3"
        pane.show_view(scored([0, 1, 1, 1, 1], started=2, newest=2), at_cursor=3)
        assert (order(pane)[0], selected(pane)) == (0, "point:3")


async def test_the_cursor_selects_only_when_it_comes_to_another_criterion() -> None:
    first = scored([1, 0.5, 0, 1, 1])
    async with shown(first) as (pane, pilot, _):
        pane.show_view(first, at_cursor=3)
        await pilot.press("home", "down")
        pane.show_view(scored([1, 0.5, 0, 1, 1]), at_cursor=3)
        assert selected(pane) == "point:2"


async def test_before_a_run_the_criteria_stand_in_the_order_of_the_file() -> None:
    prompt = scored([1]).prompt
    async with shown(replace(blank_view(prompt), teaching="F5 runs it.")) as (pane, _, _):
        assert order(pane) == [0, 1, 2, 3, 4]
        assert lines(pane)[:3] == [" not run yet", " F5 runs it.", "▌    –  first"]


@pytest.mark.parametrize(
    "later",
    [
        pytest.param({}, id="a grade"),
        pytest.param({"started": 2, "newest": 2, "running": "Judges have 1 point to go …"}, id="while it runs"),
        pytest.param({"started": 0, "newest": 1}, id="the next answer"),
    ],
)
async def test_what_is_no_end_of_a_run_sorts_nothing_anew(later: dict[str, Any]) -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (pane, pilot, _):
        await pilot.press("down")
        pane.show_view(scored([0, 0.5, 1, 1, 1], **later))
        assert (order(pane), selected(pane)) == ([2, 1, 0, 3, 4], "point:1")


async def test_the_end_of_a_run_sorts_them_anew() -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (pane, pilot, _):
        await pilot.press("down")
        pane.show_view(scored([0, 0.5, 1, 1, 1], started=2, newest=3))
        assert (order(pane), selected(pane)) == ([0, 1, 2, 3, 4], "point:0")


async def test_s_sorts_and_the_order_stays_for_the_next_run() -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (pane, pilot, _):
        await pilot.press("s")
        assert (order(pane), selected(pane)) == ([0, 1, 2, 3, 4], "point:2")
        pane.show_view(scored([0.5, 1, 0, 1, 1], started=2, newest=2))
        assert order(pane) == [0, 1, 2, 3, 4]


async def test_of_an_earlier_prompt_the_order_is_still_known() -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (pane, _, _):
        pane.show_view(view(MARCH, {}))
        pane.show_view(scored([0, 0.5, 1, 1, 1]))
        assert order(pane) == [2, 1, 0, 3, 4]


async def test_an_arrow_moves_no_row() -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (pane, pilot, _):
        before = [line[1:] for line in lines(pane)[:6]]
        for _ in range(5):
            await pilot.press("down")
            assert [line[1:] for line in lines(pane)[:6]] == before


async def test_a_verdict_that_arrives_moves_no_row() -> None:
    going = "Judges have some to go … F5 stops it; their verdicts stay."
    async with shown(replace(judged({}, waiting=frozenset({0, 1, 2})), running=going)) as (pane, _, _):
        before = [line[9:].split("  ")[0] for line in lines(pane)[:5]]
        one = judged({0: (said("strict", verdict(0.75, "In passing.")),)}, waiting=frozenset({1, 2}))
        pane.show_view(replace(one, running=going))
        assert [line[9:].split("  ")[0] for line in lines(pane)[:5]][1:] == before[1:]


# --- Ways


async def test_a_way_that_does_not_count_is_a_line_until_it_is_selected_while_the_list_is_cut() -> None:
    async with shown(view(WAYS, {0: 1.0, 1: 1.0, 2: 0.0}), (44, 9)) as (pane, pilot, _):
        assert [row.key for row in pane.rows][-1] == "way:path_1"
        await pilot.press("end")
        assert [row.key for row in pane.rows][-2:] == ["way:path_1", "point:2"]
        await pilot.press("home")
        assert [row.key for row in pane.rows][-1] == "point:2"


async def test_with_room_all_ways_are_open() -> None:
    async with shown(view(WAYS, {0: 1.0, 1: 1.0, 2: 0.0}), (44, 30)) as (pane, _, _):
        assert order(pane) == [0, 1, 2]


@pytest.mark.parametrize("height", range(6, 20))
async def test_no_way_is_folded_while_two_rows_are_blank_whichever_row_is_selected(height: int) -> None:
    async with shown(view(THREE_WAYS, {0: 1.0, 1: 1.0}), (44, height)) as (pane, pilot, _):
        for key in ("home", *["down"] * 9):
            await pilot.press(key)
            assert lines(pane).count("") < 2 or len(order(pane)) == 7


@pytest.mark.parametrize("height", range(6, 20))
async def test_an_arrow_opens_the_way_that_it_comes_to_and_moves_no_other_row(height: int) -> None:
    async with shown(view(THREE_WAYS, {0: 1.0, 1: 1.0}), (44, height)) as (pane, pilot, _):
        await pilot.press("home")
        for key in ("down",) * 10:
            before = [*pane.rows]
            await pilot.press(key)
            assert pane.row is not None
            assert [row for row in pane.rows if row in before] == before
            assert {row.way for row in pane.rows if row not in before} <= {pane.row.way}


async def test_the_cursor_opens_the_way_of_its_criterion() -> None:
    first = view(WAYS, {0: 1.0, 1: 1.0, 2: 0.0})
    async with shown(first, (44, 9)) as (pane, _, _):
        pane.show_view(first, at_cursor=2)
        assert selected(pane) == "point:2"


# --- What cannot be read, and the file


async def test_the_criteria_last_read_stay_while_the_prompt_cannot_be_read() -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (pane, pilot, runs):
        part = view("- id: five\n  prompt: x\n  should: [first]\n", {0: 1.0})
        pane.show_view(replace(part, is_unread=True))
        assert (order(pane), len(pane.rows)) == ([], 6)
        assert "Part of this file cannot be read now. These are the" in " ".join(lines(pane))
        await pilot.press("end", "3")
        assert not [told for told in runs.told if told[0] == "grade"]
        pane.show_view(replace(EMPTY, is_unread=True))
        assert len(pane.rows) == 6


@pytest.mark.parametrize("between", [(), (replace(EMPTY, is_unread=True),)], ids=["at once", "after it was unread"])
async def test_in_the_header_the_head_is_selected(between: tuple[FileResult, ...]) -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (pane, _, _):
        for each in (*between, replace(EMPTY)):
            pane.show_view(each)
        assert (selected(pane), lines(pane)[:2]) == ("head", ["▌no score yet", "▌F6 runs all prompts with the ideal."])


# --- What is done


async def test_enter_on_the_head_opens_its_arithmetic() -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (pane, pilot, _):
        await pilot.press("home", "enter")
        assert "▌required: (1.00 + 0.50 + 0.00 + 1.00 + 1.00) ÷ 5 = 70.0" in lines(pane)
        await pilot.press("enter")
        assert not [line for line in lines(pane) if "÷" in line]


async def test_digits_grade_a_criterion_in_words() -> None:
    async with shown(scored([1, 0.5, 0, 1, 1])) as (_, pilot, runs):
        await pilot.press("4", "0")
        await pilot.pause()
        assert runs.told[-2:] == [("grade", 2, Grade.MAJORLY_PRESENT), ("grade", 2, None)]


async def test_the_filter_takes_what_is_true_of_a_criterion() -> None:
    async with shown(judged({0: (said("a", verdict(1.0)), said("b", verdict(0.0)))})) as (pane, pilot, _):
        await pilot.press("slash")
        assert lines(pane)[0] == " / ▌  failing · open · judges differ · should_not"
        await pilot.press(*"diff")
        assert (order(pane), lines(pane)[0]) == ([0], " / diff▌  1 of 3 · Esc shows all")


async def test_in_what_if_keys_try_weights_verdicts_and_what_is_off() -> None:
    first = view(MARCH, {0: 1.0, 1: 0.75, 2: 0.5, 3: 0.0, 4: 0.0})
    async with shown(first) as (pane, pilot, runs):
        runs.tried = Hypothesis.of(first.prompt, first.assessments)

        async def tries(*keys: str) -> list[str]:
            assert runs.tried is not None
            pane.show_view(replace(first, tried=runs.tried))
            await pilot.press(*keys)
            pane.show_view(replace(first, tried=runs.tried))
            return lines(pane)

        pane.select_criterion(1)
        assert "▌●  100  Says" not in "".join(await tries("right"))
        assert any("◂1.25▸" in line for line in await tries("5"))
        assert any(line.startswith("▌● 100  Says that offence alone") for line in lines(pane))
        assert lines(pane)[0].startswith(" 37.5 → 42.")
        assert any("tried: weight 1 → 1.25 · 75 → 100  0 takes it back" in line for line in lines(pane))
        assert any(line.startswith("▌– off  Says") for line in await tries("o"))
        await tries("0")
        pane.select("way:path_4")
        assert any("way 2, all of it required" in line for line in await tries("right"))


# --- The passage of the answer


LIT = "It is lawful. The three-part test is what a court applies. Nothing else."


@pytest.mark.parametrize(
    ("size", "is_alone", "shows_answer", "is_there"),
    [
        ((60, 30), False, False, True),
        ((60, 30), False, True, False),
        ((60, 13), False, False, False),
        ((60, 13), True, True, True),
    ],
)
async def test_the_passage_stands_below_where_the_answer_is_not_seen_and_rows_are_blank(
    size: tuple[int, int], is_alone: bool, shows_answer: bool, is_there: bool
) -> None:
    first = replace(view(MARCH, {0: 0.0, 1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0}), answer=LIT)
    async with shown(first, size) as (pane, _, _):
        pane.show_beside(is_alone=is_alone, shows_answer=shows_answer)
        assert pane.row is not None
        found = text_of(pane.foot(pane.row, 58))
        assert any("closest sentence  ⟦The three-part test is" in line for line in found) is is_there


# --- The words of judges: what they were sent, and what they replied


async def test_a_key_shows_what_the_judges_of_the_selected_point_were_sent_and_what_they_answered() -> None:
    first = judged({1: (said("strict", verdict(1)), said("kind", NoVerdict(Reason.DECLINED, "declined")))})
    async with shown(first, (100, 40)) as (pane, pilot, _):
        app = pane.app
        pane.select_criterion(1)
        await pilot.press("x")
        await pilot.pause()
        words = str(app.screen.query_one("#words", Static).content)
        assert "=== Request to m" in words
        assert "[user]\nGrade this." in words
        assert words.endswith("=== Read as: fully present (1)")
        assert "strict, word for word · judge 1 of 2" in str(app.screen.query_one(".dialog").border_title)
        await pilot.press("right")
        assert "no verdict, as it declined" in str(app.screen.query_one("#words", Static).content)
        await pilot.press("x")
        assert not isinstance(app.screen, WordForWord)


async def test_a_point_without_judges_says_what_the_key_is_for() -> None:
    async with shown(judged({}), (100, 40)) as (pane, pilot, _):
        await pilot.press("x")
        await pilot.pause()
        assert not isinstance(pane.app.screen, WordForWord)
        assert len(pane.app._notifications) == 1


@pytest.mark.parametrize("hostile", ["[bold]not bold[/bold]", "\x1b[31mred\u202e"])
async def test_a_reply_is_shown_as_text_and_steers_nothing(hostile: str) -> None:
    request = ChatRequest("m", (Turn(Role.USER, "Grade this."),))
    attempt = Attempt(request, hostile, NoVerdict(Reason.OFF_FORM, "named no class"))
    judgement = Judgement(PanelJudge("strict", "openai:m", Approach.STANDARD), "c", (attempt,))
    app = Alone()
    async with app.run_test(size=(100, 40)) as pilot:
        await app.push_screen(WordForWord((judgement,)))
        await pilot.pause()
        words = str(app.screen.query_one("#words", Static).content)
        assert ("[bold]not bold[/bold]" in words) is hostile.startswith("[")
        assert "\x1b" not in words
        assert "\u202e" not in words
