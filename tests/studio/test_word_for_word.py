"""The words of judges: what they were sent, and what they replied."""

from __future__ import annotations

import pytest
from textual.widgets import Static

from engine.blueprint import Role
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, PanelJudge
from engine.judging.verdict import NoVerdict, Reason
from engine.models.chat import ChatRequest, Turn
from studio.tui.dialogs.page import WordForWord
from tests.studio.driving.alone import Alone
from tests.studio.results import judged, said, verdict
from tests.studio.test_criteria import shown


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
