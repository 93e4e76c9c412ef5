"""Conversations in the studio: the thread as it grows, turns told apart, edited, and generated again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot
from textual.widgets import Static

from engine.evaluation.sources import ModelSource, WrittenSource
from studio.session.run import Run
from studio.session.run_configuration import AnswerChoice
from studio.session.views.conversation_view import TurnState
from studio.tui.app import Studio
from studio.tui.dialogs.edit_answer import EditAnswer
from studio.tui.panes.conversation_pane import ConversationPane
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.side import CONVERSATION, RESPONSE
from tests.studio.driving import WIDE, press, runs_of, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer

TALK = """\
system: Be brief.
---
- id: taxes
  messages:
    - user: I need help with my taxes.
    - assistant: null
    - user: I moved states.
    - assistant: null
    - user: Anything else?
  should:
    - $contains: second
    - Asks back
"""
ONE = """\
- id: notice
  prompt: What is the notice period?
  should:
    - $contains: 30 days
"""


def numbered(names: str) -> Callable[[dict[str, Any]], str]:
    """AnswerChoice with the next of `names`, one for each request."""
    following = iter(names.split())
    return lambda _: f"This is the {next(following)} answer."


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[ModelServer]:
    model = ModelServer(httpserver, numbered("first second third fourth fifth sixth"))
    yield model
    model.release()


async def opened(pilot: Pilot[Any], server: ModelServer, tab: int = CONVERSATION) -> BlueprintScreen:
    """The screen with the model as source, the cursor in the prompt, and one tab of the side open."""
    screen = await settle(pilot)
    tiny = ModelSource("tiny", server.url.removesuffix("/chat/completions"))
    await runs_of(screen).configuration.choose(AnswerChoice((tiny,)))
    screen.editor.go_to(screen.editor.text_out().index("- id:") + 3)
    screen.show_tab(tab)
    return await settle(pilot)


def pane(screen: BlueprintScreen) -> ConversationPane:
    assert screen.side.conversation is not None
    return screen.side.conversation


def states(screen: BlueprintScreen) -> list[tuple[str, str]]:
    """What is shown of each turn: its words, and how it came about."""
    return [(turn.text, (turn.origin or turn.state).value) for turn in pane(screen).turns]


def run_of(screen: BlueprintScreen) -> Run:
    run = runs_of(screen).selection.run
    assert run is not None
    return run


def asked(server: ModelServer, number: int) -> list[str]:
    """All that request `number` said, but the system prompt."""
    return [message["content"] for message in server.bodies[number]["messages"] if message["role"] != "system"]


async def edit_to(pilot: Pilot[Any], text: str) -> None:
    """Write `text` in the place of what stands in the dialog, and take it."""
    app = pilot.app
    await wait_until(pilot, lambda: isinstance(app.screen, EditAnswer))
    await pilot.press("ctrl+a", "delete", *text, "ctrl+s")
    await wait_until(pilot, lambda: not isinstance(app.screen, EditAnswer))
    await settle(pilot)


WRITTEN = [
    ("Be brief.", "from the header"),
    ("I need help with my taxes.", "written"),
    ("", "to be generated"),
    ("I moved states.", "written"),
    ("", "to be generated"),
    ("Anything else?", "written"),
    ("", "to be generated"),
]


async def test_before_a_run_the_thread_shows_what_is_written_and_what_is_to_come(
    tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        assert states(await opened(pilot, server)) == WRITTEN


async def test_the_thread_grows_turn_by_turn_while_a_model_answers(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        server.held = True
        await pilot.press("f5")
        await wait_until(pilot, lambda: states(screen)[2] == ("This ", "being generated …"))
        assert states(screen)[3:] == WRITTEN[3:]
        await wait_until(pilot, lambda: "being&#160;generated" in app.export_screenshot())
        server.release()
        await settle(pilot)
        assert [said for said in states(screen) if said[1] == "generated"] == [
            ("This is the first answer.", "generated"),
            ("This is the second answer.", "generated"),
            ("This is the third answer.", "generated"),
        ]


async def test_a_turn_is_said_to_be_generated_before_the_first_word_of_the_next_has_come(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    go_on = threading.Event()
    numbers = numbered("first second third")
    server = ModelServer(httpserver, lambda body: numbers(body) if len(body["messages"]) < 3 or go_on.wait(60) else "")
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        await pilot.press("f5")
        await wait_until(pilot, lambda: len(server.bodies) == 2)
        await wait_until(pilot, lambda: states(screen)[2] == ("This is the first answer.", "generated"))
        assert states(screen)[4] == ("", "being generated …")
        go_on.set()
        await settle(pilot)


async def test_a_turn_is_generated_again_with_those_after_it_and_those_before_it_stand(
    tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        await press(pilot, "f5")
        pane(screen).list.select(4)
        await press(pilot, "g")
        assert run_of(screen).response is not None
        assert [text for text, state in states(screen) if state == "generated"] == [
            "This is the first answer.",
            "This is the fourth answer.",
            "This is the fifth answer.",
        ]
    assert len(server.bodies) == 5
    assert asked(server, 3) == ["I need help with my taxes.", "This is the first answer.", "I moved states."]
    assert asked(server, 4)[3:] == ["This is the fourth answer.", "Anything else?"]


async def test_an_edited_answer_is_judged_at_once_without_a_request_and_is_the_author_s(
    tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", ONE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server, RESPONSE)
        await press(pilot, "f5")
        assert run_of(screen).explanation.score == 0.0  # pyright: ignore[reportOptionalMemberAccess]
        await pilot.press("e")
        await edit_to(pilot, "It is 30 days.")
        run = run_of(screen)
        assert run.explanation is not None
        assert (run.explanation.score, len(server.bodies)) == (1.0, 1)
        assert (run.answered, run.key) == (WrittenSource("It is 30 days."), "response")
        assert "edited by you" in str(screen.query_one("#response-head", Static).render())
        assert run.label == "tiny, edited by you"
        await wait_until(pilot, lambda: app.resources.store().latest_response(run.place, "response") is not None)
        kept, model_s = (app.resources.store().latest_response(run.place, key) for key in ("response", "tiny"))
        assert kept is not None
        assert model_s is not None
        assert (kept.subject, kept.model) == ("It is 30 days.", None)
        assert [turn.edited for turn in kept.thread] == [False, True]
        assert model_s.subject == "This is the first answer."


async def test_what_was_answered_is_one_key_away_from_an_edit(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", ONE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server, RESPONSE)
        await press(pilot, "f5")
        before = run_of(screen)
        await pilot.press("e")
        await edit_to(pilot, "It is 30 days.")
        await press(pilot, "u")
        after = run_of(screen)
        assert (after.response, after.edited) == (before.response, None)
        assert after.explanation is not None
        assert after.explanation.score == 0.0
        assert "edited by you" not in str(screen.query_one("#response-head", Static).render())
    assert len(server.bodies) == 1


async def test_an_edit_of_one_turn_marks_that_turn_and_generating_after_it_keeps_it(
    tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        await press(pilot, "f5")
        pane(screen).list.select(2)
        await pilot.press("e")
        await edit_to(pilot, "Mine.")
        assert states(screen)[2] == ("Mine.", "edited by you")
        assert states(screen)[4] == ("This is the second answer.", "generated")
        pane(screen).list.select(6)
        await press(pilot, "g")
        assert asked(server, 3)[1] == "Mine."
        assert (states(screen)[2], states(screen)[6]) == (
            ("Mine.", "edited by you"),
            ("This is the fourth answer.", "generated"),
        )
        assert run_of(screen).key == "response"


async def test_editing_a_turn_back_to_what_was_said_is_no_edit(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", ONE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server, RESPONSE)
        await press(pilot, "f5")
        for text in ("Mine.", "This is the first answer."):
            await pilot.press("e")
            await edit_to(pilot, text)
        assert run_of(screen).edited is None


async def test_leaving_the_editor_without_a_change_changes_nothing(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", ONE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server, RESPONSE)
        await press(pilot, "f5")
        before = run_of(screen)
        await pilot.press("e")
        await wait_until(pilot, lambda: isinstance(app.screen, EditAnswer))
        await pilot.press("escape")
        await settle(pilot)
        assert run_of(screen) is before


async def test_an_answer_of_several_turns_is_edited_in_the_conversation(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server, RESPONSE)
        await press(pilot, "f5", "e")
        assert screen.side.open == CONVERSATION
        await wait_until(pilot, lambda: pane(screen).turn is not None and pane(screen).turn.generated == 2)  # pyright: ignore[reportOptionalMemberAccess]


async def test_a_stopped_conversation_shows_what_is_left_and_goes_on_from_there(
    tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        server.held = True
        await pilot.press("f5")
        await wait_until(pilot, lambda: states(screen)[2][0] == "This ")
        await pilot.press("f5")
        await settle(pilot)
        server.release()
        assert states(screen)[2:] == [("This ", "stopped before its end"), *WRITTEN[3:]]
        pane(screen).list.select(2)
        await press(pilot, "g")
        assert [turn.state for turn in pane(screen).turns if turn.generated is not None] == [TurnState.GENERATED] * 3


async def test_enter_on_a_turn_goes_to_its_place_in_the_blueprint(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        await press(pilot, "f5")
        screen.editor.insert("# one line more\n", (0, 0))
        await settle(pilot)
        pane(screen).list.select(3)
        await press(pilot, "enter")
        assert screen.editor.document[screen.editor.cursor_location[0]] == "    - user: I moved states."


@pytest.mark.parametrize(("turn", "key"), [(1, "e"), (1, "g")])
async def test_a_written_turn_is_neither_edited_nor_generated_here(
    turn: int, key: str, tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        await press(pilot, "f5")
        before = run_of(screen)
        pane(screen).list.select(turn)
        await press(pilot, key)
        assert run_of(screen) is before
        assert "This turn is written in the blueprint" in _told(app)


def _told(app: Studio) -> str:
    return " ".join(note.message for note in app._notifications)  # pyright: ignore[reportPrivateUsage]


async def generating_its_last_turn(pilot: Pilot[Any], server: ModelServer) -> BlueprintScreen:
    """The thread of a run whose last turn is generated again, and waits behind its first word."""
    server.said = lambda _: "A long answer.\n\n" * 30
    screen = await opened(pilot, server)
    await press(pilot, "f5")
    server.held = True
    pane(screen).list.select(6)
    await pilot.press("end", "g")
    await wait_until(pilot, lambda: states(screen)[6][1] == "being generated …")
    return screen


async def test_what_is_read_stays_in_place_while_the_thread_grows(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await generating_its_last_turn(pilot, server)
        turns = pane(screen).list
        turns.select(2)
        turns.scroll_to(y=5, animate=False, immediate=True)
        server.release()
        await settle(pilot)
        assert (turns.scroll_offset.y, turns.selected) == (5, 2)


async def test_the_end_of_a_thread_stays_in_view_while_it_grows(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await generating_its_last_turn(pilot, server)
        server.release()
        await settle(pilot)
        turns = pane(screen).list
        await wait_until(pilot, lambda: turns.scroll_offset.y == turns.max_scroll_y)


async def test_a_recalled_thread_knows_its_places_and_what_was_edited(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", TALK)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        await press(pilot, "f5")
        place = run_of(screen).place
    again = studio_on(tmp_path / "x.yml")
    async with again.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        await wait_until(pilot, lambda: states(screen)[2] == ("This is the first answer.", "generated"))
        assert all(turn.span is not None for turn in pane(screen).turns[1:])
        assert again.resources.store().latest_response(place, "tiny") is not None
    assert len(server.bodies) == 3
