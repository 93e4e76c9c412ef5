"""The response and conversation panes: untrusted text shown as data, with its evidence lit up."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.events import Paste

from engine.evaluation.events import Response
from engine.parsing import parse
from engine.providers.chat import Usage
from engine.text import Span
from studio.editor import PlainEditor
from studio.panes.conversation import prompt_thread
from studio.panes.response import ResponsePane, described, lit_up
from studio.theme import DARK, THEMES


def test_evidence_stands_in_brackets_so_that_it_shows_without_colour() -> None:
    assert lit_up("only if proportionate.", [Span(8, 21)]).plain == "only if ⟦proportionate⟧."


def test_evidence_keeps_its_place_beside_control_characters() -> None:
    assert lit_up("\x1b\x9bab", [Span(2, 3)]).plain == "␛\\x9b⟦a⟧b"


def test_evidence_that_overlaps_or_lies_outside_is_left_out() -> None:
    assert lit_up("abc", [Span(0, 2), Span(1, 3), Span(2, 9)]).plain == "⟦ab⟧c"


def test_markup_in_an_answer_stays_text() -> None:
    assert lit_up("[bold red]x[/bold red] [/", []).plain == "[bold red]x[/bold red] [/"


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (Response("one two", ()), "2 words"),
        (Response("one", (), "m", 1.84, Usage(None, 3)), "m · 1 word · 1.8 s · 3 tokens"),
        (Response("one", (), cut_off=True), "1 word · cut off by its length"),
        (Response("one", (), complete=False), "1 word · stopped before its end"),
    ],
)
def test_a_response_says_how_it_came_about(response: Response, said: str) -> None:
    assert described(response) == said


CONVERSATION = """
- messages:
    - user: I need help with my taxes.
    - assistant: null
    - user: "[b]Anything else?[/b]"
"""


def test_written_turns_and_turns_to_be_generated_are_told_apart() -> None:
    thread = prompt_thread(parse(CONVERSATION).blueprint.prompts[0], "Be kind.").plain
    assert thread.split("\n\n") == [
        "system prompt  written\nBe kind.",
        "user  written\nI need help with my taxes.",
        "assistant  to be generated",
        "user  written\n[b]Anything else?[/b]",
        "assistant  to be generated",
    ]


class PaneApp(App[None]):
    """The response pane alone."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.told: list[str] = []

    def compose(self) -> ComposeResult:
        yield ResponsePane()

    def on_response_pane_answer_edited(self, event: ResponsePane.AnswerEdited) -> None:
        self.told.append(event.text)


async def test_an_answer_is_told_as_the_author_writes_it_and_not_when_it_is_put_there() -> None:
    app = PaneApp()
    async with app.run_test(size=(50, 8)) as pilot:
        pane = app.query_one(ResponsePane)
        pane.write("Yes")
        pane.focus_content()
        await pilot.pause()
        assert app.told == []
        await pilot.press("end", "!")
        await pilot.pause()
        assert (app.told, pane.written) == (["Yes!"], "Yes!")


async def test_an_answer_with_control_characters_is_judged_as_pasted_and_shown_without_them() -> None:
    app = PaneApp()
    async with app.run_test(size=(50, 8)) as pilot:
        pane = app.query_one(ResponsePane)
        pane.write("")
        pane.focus_content()
        await pilot.pause()
        editor = app.query_one(PlainEditor)
        editor.post_message(Paste("\x1b]0;title\x07 thirty days"))
        await pilot.pause()
        assert pane.written == "\x1b]0;title\x07 thirty days"
        assert editor.render_line(0).text.rstrip() == "␛]0;title␇ thirty days"
