"""The screen of blind grading: keys, what is on it when, and pictures of its states."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot

from engine.blueprint import Block
from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.scoring.assessment import Criterion
from engine.store import Store
from engine.store.run_records import PairId
from studio.session.blind_grading import draw_sample
from studio.session.views.grading_view import FaultRow
from studio.tui.app import Studio
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.grading_screen import FaultRows, GradingScreen
from studio.tui.screens.side import RESULT
from studio.tui.theme import LIGHT
from tests.engine.judged import save_answer
from tests.studio.driving import NARROW, WIDE, press, run_of, screen_lines, see, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer
from tests.studio.test_judged_runs import blueprint as judged_blueprint
from tests.studio.test_judged_runs import judged, says

Snap = Callable[..., bool]
Run = Callable[[Pilot[Any]], Awaitable[None]]

TEXT = """\
title: Tenants' rights
---
- id: deposit-not-protected
  prompt: My landlord has not protected my deposit. What can I do?
  should:
    - Says that the deposit must be protected within 30 days of receipt
  should_not:
    - Advises to withhold the rent
- id: visits-without-notice
  prompt: May my landlord come in whenever he likes?
  should:
    - Names emergencies as the exception
"""
ANSWERS = (
    (
        "Your landlord must protect it within 30 days, in an authorised scheme.\n\nAsk the county court.",
        [1.0, 0.5],
        [0.0],
    ),
    ("Talk to your landlord first. Until it is protected, you need not pay the rent.", [0.25, 0.0], [1.0, 0.75]),
    ("You have a right to quiet enjoyment: 24 hours of notice, but in an emergency.", [0.5], [0.25]),
)


@pytest.fixture(autouse=True)
def _one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.session.blind_grading.new_seed", lambda: 3)


def with_answers(path: Path) -> Studio:
    """The app on a file with three judged answers to each of its prompts."""
    blueprint = parse(TEXT, path).blueprint
    store = Store(data_dir() / "studio.sqlite3")
    for number, (answer, *extents) in enumerate(ANSWERS):
        for prompt in blueprint.prompts:
            given = extents[: len(prompt.points())]
            save_answer(store, blueprint, prompt, answer, given, f"openai:gpt-{number}", file=path)
    store.close()
    return studio_on(path, TEXT)


async def opened(pilot: Pilot[Any], *keys: str) -> GradingScreen:
    """The screen of grading after `b` in the result, and then these keys."""
    screen = await settle(pilot)
    screen.show_tab(RESULT)
    screen.side.focus_open()
    await pilot.press("b")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, GradingScreen))
    await pilot.press(*keys)
    await pilot.pause()
    found = pilot.app.screen
    assert isinstance(found, GradingScreen)
    return found


def shown(app: Studio) -> str:
    return "\n".join(screen_lines(app))


HIDDEN = ("strict", "mild", "says so", "gpt-", "the judges", "of 100")


async def test_verdicts_are_hidden_until_the_pair_is_graded(tmp_path: Path) -> None:
    app = with_answers(tmp_path / "rights.yml")
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        assert [text for text in HIDDEN if text in shown(app)] == []
        await pilot.press("4")
        assert "strict says so." in shown(app)


async def test_space_skips_and_enter_goes_on(tmp_path: Path) -> None:
    app = with_answers(tmp_path / "rights.yml")
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "space", "4", "enter")
        assert "3 of 9, 1 skipped" in shown(app)


async def test_a_long_answer_scrolls_and_the_next_one_begins_at_its_top(tmp_path: Path) -> None:
    app = with_answers(tmp_path / "rights.yml")
    async with app.run_test(size=(80, 14)) as pilot:
        screen = await opened(pilot, "pagedown")
        body = screen.query_one("#grading-body")
        await wait_until(pilot, lambda: body.scroll_y > 0)
        await pilot.press("space")
        await wait_until(pilot, lambda: body.scroll_y == 0)


async def test_the_footer_shows_what_can_be_done_now(tmp_path: Path) -> None:
    app = with_answers(tmp_path / "rights.yml")
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        assert screen_lines(app)[-1].startswith(" 1…5 grade  Space skip  Esc back")
        await pilot.press("4")
        await pilot.pause()
        assert screen_lines(app)[-1].startswith(" Enter next  0 take back  Esc back")


async def test_hostile_texts_are_inert(tmp_path: Path) -> None:
    path = tmp_path / "rights.yml"
    app = with_answers(path)
    blueprint = parse(TEXT, path).blueprint
    store = Store(data_dir() / "studio.sqlite3")
    for number in range(30):
        save_answer(store, blueprint, blueprint.prompts[1], f"[bold]\x1b[2J[/] {number}", [[0.5]], file=path)
    store.close()
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "space")
        await wait_until(pilot, lambda: "[bold]␛[2J[/]" in shown(app))


async def test_grades_count_in_the_score_after_leaving(tmp_path: Path, httpserver: HTTPServer) -> None:
    server = ModelServer(httpserver, says)
    app = studio_on(tmp_path / "x.yml", judged_blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await judged(pilot)
        await opened(pilot, "1", "enter", "1", "enter")
        assert "The judges agree with you on 1 of 2 pairs (50%)." in shown(app)
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, BlueprintScreen))
        screen = await settle(pilot)
        await wait_until(pilot, lambda: [each.extent for each in run_of(screen).assessments] == [1.0, 0.0, 0.0])


async def test_a_disagreement_leads_to_its_answer(tmp_path: Path, httpserver: HTTPServer) -> None:
    server = ModelServer(httpserver, says)
    app = studio_on(tmp_path / "x.yml", judged_blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await judged(pilot)
        await opened(pilot, "1", "enter", "1", "enter")
        assert "false pass" in shown(app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, BlueprintScreen))
        screen = await settle(pilot)
        await wait_until(pilot, lambda: screen.side.result is not None and screen.side.result.row is not None)
        result: Any = screen.side.result
        await wait_until(pilot, lambda: result.row is not None and result.row.point == 1)


async def test_space_looks_for_faults_after_the_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.session.blind_grading.draw_sample", partial(draw_sample, size=1))
    app = with_answers(tmp_path / "rights.yml")
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "1", "enter")
        await see(pilot, "looks for faults")
        await pilot.press("space")
        await see(pilot, "looking for faults:")


async def test_the_palette_opens_it(tmp_path: Path) -> None:
    app = with_answers(tmp_path / "rights.yml")
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p", *"grade blind")
        await wait_until(pilot, lambda: app.screen.query_one("CommandList").option_count == 1)  # pyright: ignore[reportAttributeAccessIssue]
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, GradingScreen))


async def test_without_verdicts_it_teaches(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "rights.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "1", "space", "enter", "0", "n")
        assert "Choose judges (w in the result)" in shown(app)
        await press(pilot, "escape")


# Pictures


def showing(*keys: str, shows: tuple[str, ...], light: bool = False) -> Run:
    """Open the screen, press `keys`; the screen must show `shows`."""

    async def run(pilot: Pilot[Any]) -> None:
        if light:
            pilot.app.theme = LIGHT
        await opened(pilot, *keys)
        await see(pilot, *shows)

    return run


def test_asking(snap_compare: Snap, tmp_path: Path) -> None:
    run = showing(shows=("1 of 9", "How far does the answer do this?", "Space", "skip"))
    assert snap_compare(with_answers(tmp_path / "rights.yml"), run_before=run, terminal_size=WIDE)


def test_revealed_on_a_narrow_screen(snap_compare: Snap, tmp_path: Path) -> None:
    run = showing("1", shows=("You: absent", "strict", "take back"))
    assert snap_compare(with_answers(tmp_path / "rights.yml"), run_before=run, terminal_size=NARROW)


@pytest.mark.parametrize("detail", ["you: slightly present, judged 50.0", "you: partially present, judged 100.0"])
def test_a_blank_stands_between_the_grades_and_the_criterion(detail: str) -> None:
    pair = PairId("rent", "digest", Criterion(Block.SHOULD, "Names the day"))
    row = FaultRow(pair, "false pass", "rent", "Names the day", detail)
    drawn = "".join(text for text, _ in FaultRows().draw(row, 118))
    assert f"{detail}  " in drawn


def test_the_rate(snap_compare: Snap, tmp_path: Path) -> None:
    keys = [key for grade in "115151511" for key in (grade, "enter")]
    run = showing(*keys, shows=("The judges agree with you", "Where you and the judges disagree"), light=True)
    assert snap_compare(with_answers(tmp_path / "rights.yml"), run_before=run, terminal_size=WIDE)
