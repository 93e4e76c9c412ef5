"""The response and conversation panes: untrusted text shown as data, with its evidence lit up."""

from __future__ import annotations

import pytest
from textual.events import Paste

from engine.blueprint import Role
from engine.blueprint.conversation import Stop, StopReason
from engine.evaluation.events import Response, ThreadTurn
from engine.models.chat import Usage
from engine.store import PromptPlace
from studio.session.views.conversation_view import WrittenResponse
from studio.tui.editor import PlainEditor
from studio.tui.panes.response_pane import About, ResponsePane, described
from tests.studio.driving.alone import Alone

CUT = Response("one", (ThreadTurn(Role.ASSISTANT, "one", generated=True, stop=Stop(StopReason.LENGTH, "length")),))
ALOUD = "<think>Hm.</think> Paris."


@pytest.mark.parametrize(
    ("response", "about", "said"),
    [
        (Response("one two", ()), About("the ideal"), ["the ideal", "2 words"]),
        (
            Response("one", (), "m", 1.84, Usage(3, 3)),
            About("openai:gpt-4o-mini", 0.0, 0.00041),
            ["openai:gpt-4o-mini", "temp 0", "1 word", "1.8 s", "0.0004 $"],
        ),
        (Response("one", ()), About("m", 0.7, 0.00000041), ["m", "temp 0.7", "1 word", "under 0.0001 $"]),
        (Response("one", ()), About("m", dollars=0.0), ["m", "1 word"]),
        (CUT, About("m"), ["m", "1 word", "cut off at the token limit"]),
        (Response(ALOUD, ()), About("m"), ["m", "2 words", "with a <think> block"]),
        (Response("one", (), complete=False), About("m"), ["m", "1 word", "stopped before its end"]),
        (Response("one", (), seconds=1.0), About("m", restored=True), ["m", "1 word", "saved earlier"]),
        (Response("a\u0085b\ufeffc", ()), About("m"), ["m", "2 words"]),
        (Response("a\x1cb c\n", ()), About("m"), ["m", "2 words"]),
    ],
)
def test_a_response_says_how_it_came_about(response: Response, about: About, said: list[str]) -> None:
    assert described(response, about) == said


PLACE = PromptPlace("x.yml", "a")


class PaneApp(Alone):
    """The response pane alone."""

    def __init__(self) -> None:
        super().__init__(ResponsePane())
        self.told: list[str] = []

    def on_response_pane_answer_edited(self, event: ResponsePane.AnswerEdited) -> None:
        self.told.append(event.text)


async def test_an_answer_is_told_as_the_author_writes_it_and_not_when_it_is_put_there() -> None:
    app = PaneApp()
    async with app.run_test(size=(50, 8)) as pilot:
        pane = app.query_one(ResponsePane)
        pane.show(WrittenResponse(PLACE, "Yes", 0))
        pane.focus_content()
        await pilot.pause()
        assert app.told == []
        await pilot.press("end", "!")
        await pilot.pause()
        assert (app.told, pane.written) == (["Yes!"], "Yes!")


async def test_letters_that_are_keys_for_readers_are_letters_for_who_writes() -> None:
    app = PaneApp()
    async with app.run_test(size=(50, 8)) as pilot:
        pane = app.query_one(ResponsePane)
        pane.show(WrittenResponse(PLACE, "", 0))
        pane.focus_content()
        await pilot.pause()
        await pilot.press("e", "u")
        assert pane.written == "eu"


async def test_an_answer_with_control_characters_is_judged_as_pasted_and_shown_without_them() -> None:
    app = PaneApp()
    async with app.run_test(size=(50, 8)) as pilot:
        pane = app.query_one(ResponsePane)
        pane.show(WrittenResponse(PLACE, "", 0))
        pane.focus_content()
        await pilot.pause()
        editor = app.query_one(PlainEditor)
        editor.post_message(Paste("\x1b]0;title\x07 thirty days"))
        await pilot.pause()
        assert pane.written == "\x1b]0;title\x07 thirty days"
        assert editor.render_line(0).text.rstrip() == "␛]0;title␇ thirty days"
