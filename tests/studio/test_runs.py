"""F5: running a prompt with each kind of answer, reading the result, grading, and asking before anything is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.widgets import OptionList, Static
from werkzeug import Request, Response

from engine.blueprint import Block
from engine.evaluation.sources import ControlKind, ControlSource, FixtureSource, IdealSource, ModelSource, WrittenSource
from engine.scoring.assessment import Criterion, Grade
from engine.store import Store
from studio.session.run_configuration import AnswerChoice, from_saved, saved_form
from studio.tui.app import Studio
from studio.tui.dialogs.answer_dialog import ChooseAnswers
from studio.tui.dialogs.before_run import BeforeRun
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.side import RESPONSE
from tests.studio.driving import NARROW, WIDE, analysis_of, press, runs_of, settle, studio_on, wait_until

RUBRIC = """\
- id: notice
  prompt: What is the notice period?
  ideal: It is 30 days, by the lease.
  should:
    - $icontains: 30 days
    - Names the lease
- id: no-ideal
  prompt: And who says so?
  should:
    - $icontains: court
"""


def newest(screen: BlueprintScreen, number: int = 0) -> Any:
    """The newest run of a prompt of the screen's file."""
    prompt = analysis_of(screen).parsed.blueprint.prompts[number]
    return runs_of(screen).selection.of(prompt)


async def test_f5_runs_the_ideal_and_shows_its_score_in_outline_and_status(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f5")
        run = newest(screen)
        assert run.source == IdealSource()
        assert run.explanation.score == 1.0
        assert "50–100, 1 of 2 points judged, from 1 of 2 prompts" in str(screen.query_one("StatusLine").render())
        assert "100" in app.export_screenshot()


async def test_the_footer_names_what_runs(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert "F5 run the ideal" in str(screen.query_one("Footer").render())
        await runs_of(screen).configuration.choose(AnswerChoice((ControlSource(ControlKind.REFUSAL),)))
        await pilot.pause()
        assert "F5 run test answer: refusal" in str(screen.query_one("Footer").render())


async def test_without_an_ideal_the_first_f5_asks_where_answers_come_from(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(RUBRIC.index("no-ideal"))
        await pilot.press("f5")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseAnswers))


async def test_a_test_answer_is_chosen_by_keys_and_remembered_for_the_file(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press("f9")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseAnswers))
        await pilot.press("down", "down", "down", "down", "down", "enter")
        await wait_until(pilot, lambda: app.screen is screen)
        await press(pilot, "f5")
        assert newest(screen).source == ControlSource(ControlKind.REFUSAL)
        assert newest(screen).explanation.score == 0.0
    again = studio_on(tmp_path / "x.yml")
    async with again.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert runs_of(screen).configuration.answers == AnswerChoice((ControlSource(ControlKind.REFUSAL),))


async def test_an_answer_typed_into_the_response_pane_is_judged(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press("f9")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseAnswers))
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: app.screen is screen)
        await settle(pilot)
        await pilot.press(*"30 days")
        await press(pilot, "f5")
        assert newest(screen).source == WrittenSource("30 days")
        assert newest(screen).explanation.score == 1.0
        await press(pilot, "ctrl+r")
        assert screen.side.result is not None
        assert (screen.side.open, screen.side.result.rows.has_focus) == (0, True)


async def test_saved_answers_are_read_from_a_fixtures_file(tmp_path: Path) -> None:
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps({"responses": {"notice": {"default": "Thirty days."}}}), "utf-8")
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.answers = AnswerChoice((FixtureSource(fixtures),))
        await press(pilot, "f5")
        assert newest(screen).response.subject == "Thirty days."
        assert newest(screen).explanation.score == 0.0


async def test_a_grade_changes_the_score_and_is_there_after_a_restart(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f5", "ctrl+r", "down", "3")
        assert newest(screen).explanation.score == 0.75
        assert newest(screen).explanation.bounds.closed
        await press(pilot, "0")
        assert not newest(screen).explanation.bounds.closed
        await press(pilot, "5")
        place = newest(screen).place
    store = Store()
    grades = store.grades(place, "It is 30 days, by the lease.")
    store.close()
    assert grades == {Criterion(Block.SHOULD, "Names the lease"): Grade.FULLY_PRESENT}
    again = studio_on(tmp_path / "x.yml")
    async with again.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f5")
        assert newest(screen).explanation.bounds.closed


async def test_enter_on_a_point_goes_to_its_line_though_lines_were_added_since(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f5")
        screen.editor.insert("# one line more\n", (0, 0))
        await press(pilot, "ctrl+r", "down", "enter")
        assert screen.editor.document[screen.editor.cursor_location[0]] == "    - Names the lease"


async def test_a_result_says_when_the_question_changed_since(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f5")
        screen.editor.insert(" indeed", (1, len("  prompt: What is the notice period?")))
        await settle(pilot)
        assert "changed since" in str(screen.query_one("#result-head").render())


async def test_while_the_rubric_is_mended_the_score_follows_without_another_run(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f5")
        screen.editor.insert(" exactly", (4, len("    - $icontains: 30 days")))
        await settle(pilot)
        assert newest(screen).explanation.score == 0.0
        assert "changed since" not in str(screen.query_one("#result-head").render())


async def test_what_a_model_answered_is_judged_again_and_not_asked_for_again(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    source = _serve(httpserver, _streamed(["It is 30 days."]))
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.answers = AnswerChoice((source,))
        await press(pilot, "f5")
        screen.editor.insert(" exactly", (4, len("    - $icontains: 30 days")))
        await settle(pilot)
        assert newest(screen).explanation.score == 0.0
    assert len(httpserver.log) == 1


async def test_a_prompt_keeps_its_result_while_the_cursor_visits_another(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f5")
        screen.editor.go_to(RUBRIC.index("no-ideal"))
        await settle(pilot)
        assert "no-ideal" in str(screen.query_one("#result-head").render())
        screen.editor.go_to(0)
        await settle(pilot)
        assert "50–100" in str(screen.query_one("#result-head").render())


def _streamed(pieces: list[str]) -> Iterator[bytes]:
    for piece in pieces:
        yield b"data: " + json.dumps({"choices": [{"delta": {"content": piece}}]}).encode() + b"\n\n"
    yield b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'
    yield b"data: [DONE]\n\n"


def _serve(server: HTTPServer, pieces: Iterator[bytes]) -> ModelSource:
    def answer(_: Request) -> Response:
        return Response(pieces, content_type="text/event-stream")

    server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(answer)
    return ModelSource("some-model", server.url_for("/v1"))


async def test_a_model_on_this_machine_streams_its_answer_and_it_is_kept(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    source = _serve(httpserver, _streamed(["It is ", "30 days."]))
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.answers = AnswerChoice((source,))
        await press(pilot, "f5")
        run = newest(screen)
        assert run.response.subject == "It is 30 days."
        kept = app.resources.store().latest_response(run.place, "some-model")
        assert kept is not None
        assert kept.subject == "It is 30 days."


async def test_f5_again_stops_the_run_and_what_had_arrived_stays(tmp_path: Path, httpserver: HTTPServer) -> None:
    import threading

    go_on = threading.Event()

    def slowly() -> Iterator[bytes]:
        yield next(_streamed(["The first words"]))
        go_on.wait(60)
        yield from _streamed([" and the rest"])

    source = _serve(httpserver, slowly())
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        trying = runs_of(screen)
        assert trying is not None
        trying.configuration.answers = AnswerChoice((source,))
        await pilot.press("f5")
        await wait_until(pilot, lambda: trying.state.arriving)
        assert "F5 stop" in str(screen.query_one("Footer").render())
        await pilot.press("f5")
        await settle(pilot)
        go_on.set()
        run = newest(screen)
        assert run.explanation is None
        assert run.response.subject == "The first words"
        assert not run.response.complete
        assert run.state == "stopped"
        assert str(screen.query_one("#result-head").render()).endswith("Stopped.\nWhat came: The first words")
        assert trying.state.read == {}
        screen.show_tab(RESPONSE)
        await wait_until(pilot, lambda: trying.state.read)


async def test_a_failing_model_is_told_with_advice_and_no_score(tmp_path: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data("no", status=401)
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.answers = AnswerChoice((ModelSource("some-model", httpserver.url_for("/v1")),))
        await press(pilot, "f5")
        run = newest(screen)
        assert run.explanation is None
        assert run.failed is not None
        assert run.state == "failed"
        assert run.failed.title in str(screen.query_one("#result-head").render()).replace("\n", " ")


def shown(app: Studio) -> str:
    """All that stands in the dialog."""
    texts = (str(each.render()) for each in app.screen.query(Static))
    return " ".join(" ".join(texts).split())


async def test_before_a_text_first_leaves_this_machine_its_recipient_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.answers = AnswerChoice((ModelSource("openai:gpt-4o-mini"),))
        await pilot.press("f5")
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeRun))
        assert "api.openai.com" in shown(app)
        await pilot.press("escape")
        await settle(pilot)
        assert newest(screen) is None
        assert app.resources.settings.values.consented == []


async def test_a_blueprint_s_own_model_is_named_with_the_variables_that_go_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_MODEL_KEY", "not-a-real-key")
    headers = "headers: {Authorization: 'Bearer ${OWN_MODEL_KEY}'}"
    own = f"{{id: 'own:one', url: 'https://models.invalid/v1', modelName: x, inherit: openai, {headers}}}"
    app = studio_on(tmp_path / "x.yml", f"models: [{own}]\n---\n{RUBRIC}")
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.answers = AnswerChoice((ModelSource("own:one"),))
        await press(pilot, "ctrl+end")
        await pilot.press("f5")
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeRun))
        said = shown(app)
        assert "models.invalid" in said
        assert "what is in OWN_MODEL_KEY" in said
        assert "not-a-real-key" not in said
        await pilot.press("escape")
        await settle(pilot)
        assert newest(screen) is None


async def test_a_blueprint_s_own_models_can_be_chosen_once_their_variables_are_set(tmp_path: Path) -> None:
    own = "{id: 'own:one', url: 'http://127.0.0.1:9/v1', modelName: x, inherit: openai}"
    lacks = "{id: 'own:two', url: 'http://127.0.0.1:9/${NOWHERE_SET}', modelName: x, inherit: openai}"
    app = studio_on(tmp_path / "x.yml", f"models: [{own}, {lacks}]\n---\n{RUBRIC}")
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("f9")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseAnswers))
        options = {str(option.prompt): option.disabled for option in app.screen.query_one(OptionList).options}
        [one] = [disabled for text, disabled in options.items() if "this blueprint's own" in text]
        [two] = [disabled for text, disabled in options.items() if "NOWHERE_SET is not set" in text]
        assert (one, two) == (False, True)


@pytest.mark.parametrize(
    "source",
    [
        IdealSource(),
        WrittenSource(""),
        ControlSource(ControlKind.ECHO),
        FixtureSource(Path("/tmp/f.yml"), "m"),
        ModelSource("openai:x"),
        ModelSource("x", "http://127.0.0.1:1/v1"),
    ],
    ids=str,
)
def test_what_the_settings_keep_gives_the_same_answers_again(source: Any) -> None:
    answers = AnswerChoice((source, IdealSource()), ("[temp:0.7]",))
    assert from_saved(saved_form(answers, "")) == answers


async def test_a_run_in_which_nothing_is_judged_says_so(tmp_path: Path) -> None:
    text = "- id: a\n  prompt: b\n  ideal: c\n  should:\n    - Says c\n    - Says it kindly\n"
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=NARROW) as pilot:
        screen = await press(pilot, "f5")
        assert "not judged yet, from 1 of 1 prompt" in str(screen.query_one("StatusLine").render())


async def test_running_all_prompts_of_a_file_without_any_says_so(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", "").run_test(size=WIDE, notifications=True) as pilot:
        await press(pilot, "f6")
        assert [note.message for note in pilot.app._notifications] == ["This file has no prompt to run."]
