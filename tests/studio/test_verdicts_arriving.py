"""Verdicts that arrive while a point is being read: nothing moves under the hand, and a key shows their words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Static

from engine.blueprint import Role
from engine.judging.judgement import Agreement, Attempt, Interpretation, Judgement
from engine.judging.panel import Approach, PanelJudge
from engine.judging.verdict import NoVerdict, Reason
from engine.models.chat import ChatRequest, Turn
from engine.text.record import replace
from studio.tui.dialogs.page import WordForWord
from studio.tui.panes.result_pane import ResultPane
from studio.tui.theme import DARK, THEMES
from tests.studio.test_verdict_rows import said, verdict, view

ALL = frozenset({0, 1, 2})
LONG = "The river is named, though only once and in passing. " * 20


class Shown(App[None]):
    """The result pane alone."""

    CSS: ClassVar[str] = "ResultPane { max-width: 60; height: 30; }"

    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[tuple[Judgement, ...]] = []
        self.register_theme(next(theme for theme in THEMES if theme.name == DARK))
        self.theme = DARK

    def compose(self) -> ComposeResult:
        yield ResultPane()

    def on_result_pane_words_wanted(self, event: ResultPane.WordsWanted) -> None:
        self.wanted.append(event.judgements)
        self.push_screen(WordForWord(event.judgements))


def detail_text(pane: ResultPane) -> str:
    return str(pane.query_one("#result-detail-text", Static).content)


async def test_a_verdict_that_arrives_moves_neither_the_list_nor_the_detail() -> None:
    app = Shown()
    async with app.run_test(size=(60, 30)) as pilot:
        pane = app.query_one(ResultPane)
        pane.show(view({}, waiting=ALL))
        await pilot.pause()
        detail = pane.query_one("#result-detail", VerticalScroll)
        before = (pane.rows.region, detail.region, pane.rows.row.key if pane.rows.row else "")
        pane.show(view({0: (said("strict", verdict(0.75, LONG)),)}, waiting=ALL))
        await pilot.pause()
        assert (pane.rows.region, detail.region, pane.rows.row.key if pane.rows.row else "") == before
        assert "strict: majorly present" in detail_text(pane)


@pytest.mark.parametrize(
    "acts",
    [
        pytest.param(lambda pilot: pilot.press("down"), id="a key"),
        pytest.param(lambda pilot: pilot.resize_terminal(59, 30), id="another width"),
    ],
)
async def test_the_list_stays_in_its_place_when_judging_is_done_until_the_author_acts(
    acts: Callable[[Pilot[None]], Awaitable[None]],
) -> None:
    app = Shown()
    async with app.run_test(size=(60, 30)) as pilot:
        pane = app.query_one(ResultPane)
        almost = {0: (said("strict", verdict(1)),), 1: (said("strict", verdict(1)),)}
        pane.show(
            replace(
                view(almost, waiting=frozenset({2})),
                running="Judges have 1 point to go … F5 stops it; their verdicts stay in their place.",
            )
        )
        await pilot.pause()
        before = pane.rows.region
        pane.show(view({**almost, 2: (said("strict", verdict(0)),)}))
        await pilot.pause()
        assert pane.rows.region.y == before.y
        pane.rows.focus()
        await acts(pilot)
        await pilot.pause()
        assert pane.rows.region.y < before.y


async def test_who_reads_on_in_the_detail_stays_there_when_the_next_verdict_comes() -> None:
    app = Shown()
    async with app.run_test(size=(60, 30)) as pilot:
        pane = app.query_one(ResultPane)
        one = (said("strict", verdict(0.75, LONG)),)
        pane.show(view({0: one}, waiting=ALL))
        await pilot.pause()
        detail = pane.query_one("#result-detail", VerticalScroll)
        detail.scroll_to(y=5, animate=False)
        await pilot.pause()
        pane.show(view({0: (*one, said("kind", verdict(0.5)))}))
        await pilot.pause()
        assert detail.scroll_y == 5
        await pilot.press("down")
        await pilot.pause()
        assert detail.scroll_y == 0


async def test_a_key_shows_what_the_judges_of_the_selected_point_were_sent_and_what_they_answered() -> None:
    app = Shown()
    async with app.run_test(size=(100, 40)) as pilot:
        pane = app.query_one(ResultPane)
        pane.show(view({1: (said("strict", verdict(1)), said("kind", NoVerdict(Reason.DECLINED, "declined")))}))
        pane.rows.focus()
        await pilot.press("down", "x")
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
    app = Shown()
    async with app.run_test(size=(100, 40)) as pilot:
        pane = app.query_one(ResultPane)
        pane.show(view({}))
        pane.rows.focus()
        await pilot.press("x")
        await pilot.pause()
        assert app.wanted == []
        assert len(app._notifications) == 1


@pytest.mark.parametrize("hostile", ["[bold]not bold[/bold]", "\x1b[31mred\u202e"])
async def test_a_reply_is_shown_as_text_and_steers_nothing(hostile: str) -> None:
    request = ChatRequest("m", (Turn(Role.USER, "Grade this."),))
    attempt = Attempt(request, hostile, NoVerdict(Reason.OFF_FORM, "named no class"))
    judgement = Judgement(PanelJudge("strict", "openai:m", Approach.STANDARD), "c", (attempt,))
    app = Shown()
    async with app.run_test(size=(100, 40)) as pilot:
        await app.push_screen(WordForWord((judgement,)))
        await pilot.pause()
        words = str(app.screen.query_one("#words", Static).content)
        assert ("[bold]not bold[/bold]" in words) is hostile.startswith("[")
        assert "\x1b" not in words
        assert "\u202e" not in words


async def test_once_all_have_spoken_the_head_says_how_far_they_agree() -> None:
    app = Shown()
    async with app.run_test(size=(60, 30)) as pilot:
        pane = app.query_one(ResultPane)
        both = view({0: (said("strict", verdict(1)), said("kind", verdict(0.75)))})
        pane.show(replace(both, agreement=Agreement(0.7, 1, 2, 1, Interpretation.TENTATIVE, "", ())))
        await pilot.pause()
        head = str(pane.query_one("#result-head", Static).content)
        assert "judges agree on 1 point: 0.7, tentative" in head
