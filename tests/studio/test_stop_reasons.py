"""How an answer ended, in the studio: a cut one is scored and marked, a withheld one fails and is never scored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot
from textual.widgets import Static

from engine.blueprint.conversation import Stop, StopReason
from engine.evaluation.sources import ModelSource
from engine.files.user_settings import SavedAnswers, Settings
from studio.session.run import Run
from studio.session.run_configuration import AnswerChoice
from studio.tui.panes.outline import Outline
from studio.tui.panes.response_pane import ResponsePane
from studio.tui.panes.result_rows import ResultRows
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.side import CONVERSATION, HISTORY, RESPONSE, RESULT
from tests.studio.driving import WIDE, runs_of, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer
from tests.studio.test_turns import edit_to, pane

ONE = """\
- id: notice
  prompt: What is the notice period?
  should:
    - $contains: 30 days
"""
TALK = """\
- id: taxes
  messages:
    - user: I need help with my taxes.
    - assistant: null
    - user: I moved states.
    - assistant: null
  should:
    - $contains: days
"""
SAID = "It is 30 days, unless"
CUT = Stop(StopReason.LENGTH, "length")
WITHHELD = Stop(StopReason.WITHHELD, "content_filter")


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[ModelServer]:
    model = ModelServer(httpserver, lambda _: SAID)
    yield model
    model.release()


async def opened(pilot: Pilot[Any], server: ModelServer, tab: int = RESULT) -> BlueprintScreen:
    """The screen with the model as source, the cursor in the prompt, and one tab of the side open."""
    screen = await settle(pilot)
    tiny = ModelSource("tiny", server.url.removesuffix("/chat/completions"))
    await runs_of(screen).configuration.choose(AnswerChoice((tiny,)))
    screen.editor.go_to(screen.editor.text_out().index("- id:") + 3)
    screen.show_tab(tab)
    return await settle(pilot)


def run_of(screen: BlueprintScreen) -> Run:
    run = runs_of(screen).selection.run
    assert run is not None
    return run


async def run_it(pilot: Pilot[Any], server: ModelServer, requests: int = 1) -> BlueprintScreen:
    """Run the prompt, and wait until so many more requests were answered and the run has ended."""
    sent = len(server.bodies) + requests
    await pilot.press("f5")
    await wait_until(pilot, lambda: len(server.bodies) == sent)
    return await settle(pilot)


def words(screen: BlueprintScreen, selector: str) -> str:
    return " ".join(str(screen.query_one(selector, Static).render()).split())


async def test_a_cut_answer_is_scored_and_says_so(tmp_path: Path, server: ModelServer) -> None:
    server.finish = "length"
    async with studio_on(tmp_path / "x.yml", ONE).run_test(size=WIDE) as pilot:
        await opened(pilot, server)
        screen = await run_it(pilot, server)
        run = run_of(screen)
        assert (run.explanation is not None and run.explanation.score, run.failed) == (1.0, None)
        assert run.response is not None
        assert run.response.stop == CUT
        screen.show_tab(RESPONSE)
        await settle(pilot)
        assert "cut off at the token limit" in words(screen, "#response-head")


async def test_a_withheld_answer_fails_and_can_be_read(tmp_path: Path, server: ModelServer) -> None:
    server.finish = "content_filter"
    async with studio_on(tmp_path / "x.yml", ONE).run_test(size=WIDE) as pilot:
        await opened(pilot, server)
        screen = await run_it(pilot, server)
        run = run_of(screen)
        assert (run.state, run.explanation) == ("withheld", None)
        assert "withheld by the provider's safety filter" in words(screen, "#result-head")
        screen.show_tab(RESPONSE)
        await settle(pilot)
        assert "withheld by the provider's safety filter" in words(screen, "#response-head")
        assert run.response is not None
        assert run.response.subject == SAID


@pytest.mark.parametrize(
    ("finish", "shown"),
    [("stop", "100"), ("length", "100¦"), ("content_filter", "!")],
    ids=["whole", "cut", "withheld"],
)
async def test_the_outline_marks_what_was_cut_or_withheld(
    tmp_path: Path, server: ModelServer, finish: str, shown: str
) -> None:
    server.finish = finish
    async with studio_on(tmp_path / "x.yml", ONE).run_test(size=WIDE) as pilot:
        await opened(pilot, server)
        screen = await run_it(pilot, server)
        outline = screen.query_one(Outline)
        await wait_until(pilot, lambda: "".join(text for text, _ in outline.draw(outline.rows[1], 25)).endswith(shown))


async def test_variants_beside_each_other_say_which_was_cut_or_withheld(tmp_path: Path, server: ModelServer) -> None:
    async with studio_on(tmp_path / "x.yml", f"temperatures: [0, 1]\n---\n{ONE}").run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        url = server.url.removesuffix("/chat/completions")
        models = tuple(ModelSource(name, url) for name in ("whole", "cut", "withheld"))
        runs_of(screen).configuration.answers = AnswerChoice(models)
        server.finish_of = {"cut": "length", "withheld": "content_filter"}
        screen = await run_it(pilot, server, 3)
        rows = screen.query_one(ResultRows).rows
        said = {row.text: row.tail[0].text.strip() for row in rows if row.candidate is not None}
        assert said == {"whole, temp 0": "100", "cut, temp 0": "100 cut off", "withheld, temp 0": "withheld"}


async def test_the_next_run_asks_again_for_a_withheld_answer(tmp_path: Path, server: ModelServer) -> None:
    server.finish = "content_filter"
    async with studio_on(tmp_path / "x.yml", ONE).run_test(size=WIDE) as pilot:
        await opened(pilot, server)
        await run_it(pilot, server)
        server.finish = "stop"
        screen = await run_it(pilot, server)
        run = run_of(screen)
        assert (len(server.bodies), run.failed) == (2, None)
        assert run.explanation is not None
        assert run.explanation.score == 1.0


async def test_a_withheld_answer_is_not_scored_after_a_restart(tmp_path: Path, server: ModelServer) -> None:
    server.finish = "content_filter"
    path = tmp_path / "x.yml"
    async with studio_on(path, ONE).run_test(size=WIDE) as pilot:
        await opened(pilot, server)
        await run_it(pilot, server)
    url = server.url.removesuffix("/chat/completions")
    Settings(answers={str(path): SavedAnswers(kind="model", value="tiny", base_url=url)}).save()
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await wait_until(pilot, lambda: runs_of(screen) is not None and runs_of(screen).selection.run is not None)
        run = run_of(screen)
        assert (run.state, run.explanation, run.restored) == ("withheld", None, True)


async def test_no_judge_is_asked_about_a_withheld_answer(tmp_path: Path, server: ModelServer) -> None:
    server.finish = "content_filter"
    async with studio_on(tmp_path / "x.yml", ONE).run_test(size=WIDE) as pilot:
        screen = await opened(pilot, server)
        await run_it(pilot, server)
        runs_of(screen).judge_or_stop()
        await settle(pilot)
        assert len(server.bodies) == 1


async def test_a_withheld_answer_that_the_author_edits_is_the_author_s(tmp_path: Path, server: ModelServer) -> None:
    server.finish = "content_filter"
    async with studio_on(tmp_path / "x.yml", ONE).run_test(size=WIDE) as pilot:
        await opened(pilot, server, RESPONSE)
        screen = await run_it(pilot, server)
        screen.query_one(ResponsePane).action_edit_response()
        await edit_to(pilot, "30 days")
        run = run_of(screen)
        assert (run.failed, run.response and run.response.stop) == (None, None)
        assert run.explanation is not None
        assert run.explanation.score == 1.0


async def test_a_withheld_run_of_the_history_is_shown_and_not_scored(tmp_path: Path, server: ModelServer) -> None:
    server.finish = "content_filter"
    async with studio_on(tmp_path / "x.yml", ONE).run_test(size=WIDE) as pilot:
        await opened(pilot, server)
        await run_it(pilot, server)
        server.finish = "stop"
        screen = await run_it(pilot, server)
        screen.show_tab(HISTORY)
        await pilot.pause()
        history = screen.side.history
        assert history is not None
        await wait_until(pilot, lambda: len(history.rows.rows) == 2)
        history.rows.select(1)
        history.rows.choose()
        await wait_until(pilot, lambda: run_of(screen).past is not None)
        run = run_of(screen)
        assert (run.state, run.explanation) == ("withheld", None)


async def test_each_turn_says_how_it_ended(tmp_path: Path, server: ModelServer) -> None:
    server.finish = "length"
    async with studio_on(tmp_path / "x.yml", TALK).run_test(size=WIDE) as pilot:
        await opened(pilot, server, CONVERSATION)
        screen = await run_it(pilot, server, 2)
        ends = [turn.ended for turn in pane(screen).turns if turn.generated is not None]
        assert ends == ["cut off at the token limit"] * 2
        assert "cut off at the token limit" in pilot.app.export_screenshot().replace("&#160;", " ")


async def test_a_cut_turn_stays_cut_where_those_after_it_are_generated_again(
    tmp_path: Path, server: ModelServer
) -> None:
    server.finish = "length"
    async with studio_on(tmp_path / "x.yml", TALK).run_test(size=WIDE) as pilot:
        await opened(pilot, server, CONVERSATION)
        screen = await run_it(pilot, server, 2)
        server.finish = "stop"
        pane(screen).select_generated(1)
        pane(screen).action_generate_turn()
        await wait_until(pilot, lambda: len(server.bodies) == 3)
        await settle(pilot)
        ends = [turn.ended for turn in pane(screen).turns if turn.generated is not None]
        assert ends == ["cut off at the token limit", ""]
