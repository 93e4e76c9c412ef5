"""Several variants of one prompt, and all prompts with one of them: choosing, running, comparing, stopping."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.widgets import OptionList

from engine.evaluation.sources import ControlKind, ControlSource, IdealSource, ModelSource
from studio.session.run_configuration import AnswerChoice
from studio.session.run_queue import AT_ONCE, Progress
from studio.tui.dialogs.answer_dialog import ChooseAnswers
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import NARROW, WIDE, analysis_of, press, run_of, runs_of, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer

PROMPTS = """\
- id: notice
  prompt: What is the notice period?
  ideal: It is 30 days.
  should:
    - $icontains: 30 days
- id: court
  prompt: Who decides?
  ideal: The landlord.
  weight: 3
  should:
    - $icontains: court
- id: last
  prompt: And then?
  should:
    - $icontains: then
"""
SMALL, LARGE = ModelSource("own:small"), ModelSource("own:large")


def as_model_says(body: dict[str, Any]) -> str:
    return f"{body['model']} at {body['temperature']:g} says 30 days"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with HTTPServer(threaded=True) as several_at_once:
        yield ModelServer(several_at_once, as_model_says)


def blueprint(server: ModelServer, header: str = "temperatures: [0, 0.7]") -> str:
    return f"models: [{server.model('small')}, {server.model('large')}]\n{header}\n---\n{PROMPTS}"


async def at_the_first_prompt(pilot: Any, answers: AnswerChoice | None = None) -> BlueprintScreen:
    screen = await settle(pilot)
    runs_of(screen).configuration.answers = answers
    screen.editor.go_to(analysis_of(screen).starts[0])
    return await settle(pilot)


def result_text(screen: BlueprintScreen) -> str:
    assert screen.side.result is not None
    return "\n".join(f"{row.text} {''.join(cell.text for cell in row.tail)}" for row in screen.side.result.rows.rows)


async def test_f5_runs_every_variant_that_was_chosen(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL, LARGE), ("[temp:0]", "[temp:0.7]")))
        await press(pilot, "f5")
    asked = sorted((body["model"], body["temperature"]) for body in server.bodies)
    assert asked == [("large", 0), ("large", 0.7), ("small", 0), ("small", 0.7)]


async def test_the_result_lists_the_variants_with_their_scores(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL, ControlSource(ControlKind.EMPTY)), ("[temp:0.7]",)))
        screen = await press(pilot, "f5")
        rows = [line.split() for line in result_text(screen).splitlines()[1:3]]
        assert rows == [["small,", "temp", "0.7", "100"], ["test", "answer:", "empty", "0"]]


async def test_a_variant_that_waits_for_its_judge_has_its_bounds(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server).replace("$icontains: 30 days", "Names the 30 days"))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL, ControlSource(ControlKind.EMPTY))))
        screen = await press(pilot, "f5")
        assert [line.split()[-1] for line in result_text(screen).splitlines()[1:3]] == ["0–100"] * 2


async def test_v_shows_the_next_variant(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL, LARGE)))
        screen = await press(pilot, "f5", "ctrl+r", "v")
        response = run_of(screen).response
        assert response is not None
        assert response.subject == "large at 0 says 30 days"


async def test_enter_on_a_variant_shows_its_result(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL, LARGE)))
        screen = await press(pilot, "f5", "ctrl+r", "home", "down", "enter")
        assert run_of(screen).candidate.key == "own:large[temp:0]"


async def test_several_are_marked_with_space_and_remembered(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await at_the_first_prompt(pilot)
        await pilot.press("f9")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseAnswers))
        options = app.screen.query_one(OptionList)
        lines = [str(option.prompt) for option in options.options]
        options.highlighted = next(place for place, line in enumerate(lines) if "small" in line)
        await pilot.press("space", "down", "space")
        options.highlighted = next(place for place, line in enumerate(lines) if "temp 0.7" in line)
        await pilot.press("space", "enter")
        await wait_until(pilot, lambda: app.screen is screen)
    again = studio_on(tmp_path / "x.yml")
    async with again.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert runs_of(screen).configuration.answers == AnswerChoice((SMALL, LARGE), ("[temp:0]", "[temp:0.7]"))


async def test_a_temperature_that_is_gone_from_the_header_gives_way_to_the_first(
    tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server, "temperatures: [0.2, 0.4]"))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL,), ("[temp:0.7]",)))
        await press(pilot, "f5")
    assert [body["temperature"] for body in server.bodies] == [0.2]


async def test_f6_runs_every_prompt_and_each_score_stands_in_the_outline(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL,)))
        screen = await press(pilot, "f6")
        assert [str(row.score) for row in screen.query_one("Outline").rows[1:]] == ["100", "0", "0"]  # pyright: ignore


async def test_the_blueprint_score_weighs_prompts_and_says_how_many_it_is_from(
    tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL,)))
        screen = await press(pilot, "f6")
        assert "20 of 100 from 3 of 3 prompts" in str(screen.query_one("StatusLine").render())


async def test_f6_with_the_ideal_leaves_out_prompts_without_one(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((IdealSource(),)))
        screen = await press(pilot, "f6")
        assert "25 of 100 from 2 of 3 prompts" in str(screen.query_one("StatusLine").render())


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_while_all_prompts_run_the_status_says_how_far_they_are(
    tmp_path: Path, server: ModelServer, size: tuple[int, int]
) -> None:
    server.held = True
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=size) as pilot:
        screen = await at_the_first_prompt(pilot, AnswerChoice((SMALL,)))
        await pilot.press("f6")
        await wait_until(pilot, lambda: "running 0 of 3" in str(screen.query_one("StatusLine").render()))
        server.release()
        await settle(pilot)
        assert "running" not in str(screen.query_one("StatusLine").render())


async def test_f6_again_stops_them_all_and_what_had_arrived_stays(tmp_path: Path, server: ModelServer) -> None:
    server.held = True
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await at_the_first_prompt(pilot, AnswerChoice((SMALL,)))
        trying = runs_of(screen)
        assert trying is not None
        await pilot.press("f6")
        await wait_until(pilot, lambda: trying.state.arriving)
        await pilot.press("f6")
        await settle(pilot)
        server.release()
        assert trying.selection.run is not None
        assert trying.selection.run.response is not None
        assert (trying.selection.run.response.subject, trying.selection.run.response.complete) == ("small ", False)


async def test_prompts_that_wait_for_their_turn_are_not_asked_after_a_stop(tmp_path: Path, server: ModelServer) -> None:
    server.held = True
    many = "\n".join(f"- {{id: p{number}, prompt: 'Question {number}?', should: [a]}}" for number in range(40))
    app = studio_on(tmp_path / "x.yml", f"models: [{server.model('small')}]\n---\n{many}")
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL,)))
        await pilot.press("f6")
        await wait_until(pilot, lambda: len(server.bodies) > 0)
        await pilot.press("f6")
        await settle(pilot)
        server.release()
    assert len(server.bodies) <= AT_ONCE


def test_progress_reckons_with_what_the_others_took() -> None:
    assert str(Progress(done=3, total=12, seconds=60.0)) == "3 of 12 · 3 min left"


def test_progress_says_no_time_before_anything_is_done() -> None:
    assert str(Progress(done=0, total=12, seconds=60.0)) == "0 of 12"


async def test_home_goes_to_the_first_row_that_says_something(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await at_the_first_prompt(pilot, AnswerChoice((SMALL, LARGE)))
        screen = await press(pilot, "f5", "ctrl+r", "end", "home")
        assert screen.side.result is not None
        assert screen.side.result.row is not None
        assert screen.side.result.row.candidate == "own:small[temp:0]"


async def test_where_nothing_is_judged_yet_the_status_says_so_of_all_prompts(tmp_path: Path) -> None:
    prompts = "\n".join(f"- {{id: p{number}, prompt: Why?, ideal: So., should: [a, b]}}" for number in range(3))
    app = studio_on(tmp_path / "x.yml", prompts)
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f6")
        assert "not judged yet, from 3 of 3 prompts" in str(screen.query_one("StatusLine").render())
