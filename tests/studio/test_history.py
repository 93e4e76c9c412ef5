"""The History tab: what it lists, how an earlier run is opened, and how to go back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot

from engine.blueprint import Block
from engine.evaluation.sources import IdealSource, ModelSource
from engine.files.user_settings import SavedAnswers, Settings
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import DOCUMENTED_JUDGES
from engine.judging.verdict import Verdict
from engine.models.chat import ChatRequest
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, RunState, Store
from studio.session.run import Run
from studio.tui.panes.history_pane import HistoryPane
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.side import HISTORY, RESULT
from tests.engine.provider_server import answers, sse, streamed
from tests.studio.driving import WIDE, analysis_of, press, runs_of, settle, studio_on, wait_until
from tests.studio.histories import IDEAL, NOW, prompt_of, ran

RUBRIC = """\
- id: notice
  prompt: What is the notice period?
  ideal: It is 30 days.
  should:
    - $icontains: 30 days
    - Names the lease
- id: rent
  prompt: What is the rent?
  ideal: It is high.
  should:
    - $icontains: high
"""


@pytest.fixture(autouse=True)
def _it_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    def now() -> datetime:
        return NOW

    monkeypatch.setattr("studio.session.views.figures.now", now)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.yml"
    path.write_text(RUBRIC, "utf-8")
    return path


def pane_of(screen: BlueprintScreen) -> HistoryPane:
    assert screen.side.history is not None
    return screen.side.history


def shown(screen: BlueprintScreen) -> Run:
    run = runs_of(screen).selection.run
    assert run is not None
    return run


def drawn(pilot: Pilot[Any]) -> str:
    return pilot.app.export_screenshot().replace("&#160;", " ")


def told(pilot: Pilot[Any]) -> str:
    """What the messages at the edge of the screen say."""
    return " ".join(said.message for said in pilot.app._notifications)


async def history_of(pilot: Pilot[Any], count: int) -> BlueprintScreen:
    """The screen with its History tab open and focused, once it lists so many runs."""
    screen = await settle(pilot)
    screen.show_tab(HISTORY)
    await pilot.pause()
    await wait_until(pilot, lambda: len(pane_of(screen).rows.rows) == count)
    await pilot.pause()
    return screen


async def opened(pilot: Pilot[Any], screen: BlueprintScreen) -> Run:
    """The run that Enter on the selected row opens."""
    await pilot.press("enter")
    await wait_until(pilot, lambda: screen.side.open == RESULT)
    await settle(pilot)
    return shown(screen)


async def test_runs_are_listed_newest_first_with_what_they_scored_then(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25)
    ran(path, ago=timedelta(hours=2), score=0.5, bounds=(0.5, 1.0))
    async with studio_on(path).run_test(size=WIDE) as pilot:
        await history_of(pilot, 2)
        screen = drawn(pilot)
        assert screen.index("2 h ago") < screen.index("3 days ago")
        assert "50–100" in screen


async def test_without_runs_the_next_step_is_told(path: Path) -> None:
    async with studio_on(path).run_test(size=WIDE) as pilot:
        await history_of(pilot, 0)
        await wait_until(pilot, lambda: "No run of this prompt yet. F5 runs it" in drawn(pilot))


async def test_a_run_appears_with_its_score_when_it_ends(path: Path) -> None:
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await history_of(pilot, 0)
        await pilot.press("f5")
        await wait_until(pilot, lambda: any(run.score == 1.0 for run in pane_of(screen).rows.rows))
        assert [run.candidate.key for run in pane_of(screen).rows.rows] == ["ideal"]


async def test_each_prompt_has_a_history_of_its_own(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25)
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await history_of(pilot, 1)
        screen.go_to(analysis_of(screen).parsed.blueprint.prompts[1].span.start, analysis_of(screen).revision)
        await wait_until(pilot, lambda: not pane_of(screen).rows.rows)


async def test_an_earlier_run_is_opened_and_scored_by_the_rubric_of_today(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25, rubric="another", answer="It is 30 days.")
    async with studio_on(path).run_test(size=WIDE) as pilot:
        run = await opened(pilot, await history_of(pilot, 1))
        assert run.response is not None
        assert (run.response.subject, run.explanation and run.explanation.score) == ("It is 30 days.", 1.0)
        assert "From 3 days ago: it scored 25.0 then, by" in drawn(pilot)


async def test_opening_uses_the_grades_and_the_verdicts_that_are_kept_and_asks_nobody(path: Path) -> None:
    number = ran(path, ago=timedelta(days=3), score=0.25)
    store = Store()
    for judge in DOCUMENTED_JUDGES:
        attempt = Attempt(ChatRequest("judge", ()), "CLASS_ABSENT", Verdict(0.5, None, "Half."))
        store.save_run_judgement(number, Judgement(judge, "Names the lease", (attempt,), "nobody"))
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await history_of(pilot, 1)
        judged = await opened(pilot, screen)
        assert judged.explanation is not None
        assert judged.explanation.score == 0.75
        place = PromptPlace.of(path, prompt_of(path))
        store.grade(place, "It is 30 days.", Criterion(Block.SHOULD, "Names the lease"), Grade.FULLY_PRESENT)
        screen.show_tab(HISTORY)
        graded = await opened(pilot, screen)
        assert graded.explanation is not None
        assert graded.explanation.score == 1.0


async def test_escape_goes_back_to_the_newest_run_and_then_to_the_text(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25, answer="No idea.")
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await press(pilot, "f5")
        newest = shown(screen).started
        await history_of(pilot, 2)
        await pilot.press("end")
        assert (await opened(pilot, screen)).past is not None
        await press(pilot, "escape")
        assert shown(screen).started == newest
        assert screen.side.has_focus_within
        await press(pilot, "escape")
        assert screen.focused is screen.editor


async def test_an_opened_run_follows_the_rubric_and_changes_no_score_of_the_outline(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25, answer="No idea.", candidate=IDEAL)
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await press(pilot, "f5")
        await history_of(pilot, 2)
        await pilot.press("end")
        run = await opened(pilot, screen)
        assert (run.source, run.explanation and run.explanation.score) == (IdealSource(), 0.0)
        (notice, *_) = runs_of(screen).views.standings()
        assert notice.headline is not None
        assert notice.headline.whole_figure == "50–100"


async def test_a_run_without_an_answer_says_why(path: Path) -> None:
    ran(path, ago=timedelta(days=3), state=RunState.FAILED, answer="", words="The server said no. Ask again.")
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await history_of(pilot, 1)
        assert "The server said no. Ask again." in drawn(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: "There is no answer in this run." in told(pilot))
        assert screen.side.open == HISTORY


async def test_an_answer_to_other_messages_is_told(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25, asked="What is the rent?")
    async with studio_on(path).run_test(size=WIDE) as pilot:
        await opened(pilot, await history_of(pilot, 1))
        assert "something else" in drawn(pilot)


# Answers that are not asked for twice


def served(httpserver: HTTPServer, path: Path, *texts: str) -> Callable[[], int]:
    """A model that says each of `texts` in turn is chosen for the file; how often it was asked."""
    said = [
        streamed(sse({"choices": [{"delta": {"content": text}}]}), sse({"choices": [{"finish_reason": "stop"}]}))
        for text in texts
    ]
    requests = answers(httpserver, *said)
    source = SavedAnswers(kind="model", value="tiny", base_url=httpserver.url_for("/v1"))
    Settings(answers={str(path): source}).save()
    return lambda: len(requests)


async def test_f5_sends_nothing_for_what_was_answered_before_and_ctrl_n_asks_anew(
    path: Path, httpserver: HTTPServer
) -> None:
    asked = served(httpserver, path, "It is 30 days.", "No idea.")
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await press(pilot, "f5", "f5")
        response = shown(screen).response
        assert response is not None
        assert (asked(), response.reused, isinstance(shown(screen).source, ModelSource)) == (1, True, True)
        assert "This answer is cached." in drawn(pilot)
        await press(pilot, "ctrl+n")
        response = shown(screen).response
        assert response is not None
        assert (asked(), response.subject, response.reused) == (2, "No idea.", False)


async def test_a_prompt_with_no_cache_is_asked_anew(path: Path, httpserver: HTTPServer) -> None:
    path.write_text(RUBRIC.replace("  ideal: It is 30 days.", "  noCache: true"), "utf-8")
    asked = served(httpserver, path, "It is 30 days.", "No idea.")
    async with studio_on(path).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f5", "f5")
        assert asked() == 2
