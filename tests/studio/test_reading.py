"""What was answered, on the screen: the conversation and its keys, earlier runs, and a file that is opened again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.evaluation.sources import Candidate, ModelSource
from engine.scoring.explanation import Bounds
from engine.store import PastRun, PromptPlace, RunState, Store
from engine.text.record import replace
from studio.session.views.figures import ago
from studio.session.views.history_view import description_of, history_view, line_of, score_of
from studio.tui.action import Place
from tests.session.test_turns import TALK
from tests.studio.driving import QUOTED, Page, opened, words
from tests.studio.histories import IDEAL, NOW, prompt_of, ran
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file

RUBRIC = text_file("reading.yml")


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[ModelServer]:
    numbers = iter(("first", "second", "third", "fourth", "fifth"))
    model = ModelServer(httpserver, lambda _: f"This is the {next(numbers)} answer.")
    yield model
    model.release()


async def answered(page: Page, server: ModelServer, tab: str) -> None:
    """Run the prompt with the model, with this tab open."""
    await page.choose(server.source())
    await page.at("- id:")
    await page.show(tab)
    await page.press("f5")


async def edit(page: Page, text: str) -> None:
    """Press `e`, and write `text` in the place of what stands there."""
    await page.hit("e", asks="Edit")
    await page.reply("ctrl+a", "delete", *text, "ctrl+s")


# --- The conversation


async def test_a_turn_is_edited_and_generated_again_by_keys(tmp_path: Path, server: ModelServer) -> None:
    async with opened(tmp_path, TALK) as page:
        await answered(page, server, "Answer")
        assert page.selected_turn() == 6  # the last answer
        await page.turn(2)
        await edit(page, "Mine.")
        assert page.turn_texts()[2:5:2] == [("Mine.", "edited by you"), ("This is the second answer.", "generated")]
        await page.turn(6)
        assert page.footer().count("R generate again (price not known)") == 1
        await page.press("R")
        assert page.turn_texts()[6] == ("This is the fourth answer.", "generated")
        await page.turn(1)
        await page.press("e", "R")
        assert ["This turn is written in the blueprint" in each for each in page.told] == [True, True]


async def test_enter_on_a_turn_goes_to_its_place_in_the_blueprint(tmp_path: Path, server: ModelServer) -> None:
    async with opened(tmp_path, TALK) as page:
        await answered(page, server, "Answer")
        await page.write("# one line more\n")
        await page.turn(3)
        await page.press("enter")
        assert page.line == "    - user: I moved states."


@pytest.mark.parametrize("reads_on", [True, False], ids=["above", "at the end"])
async def test_what_is_read_stays_in_place_while_the_thread_grows_and_so_does_its_end(
    tmp_path: Path, server: ModelServer, reads_on: bool
) -> None:
    server.said = lambda _: "A long answer.\n\n" * 30
    async with opened(tmp_path, TALK) as page:
        await answered(page, server, "Answer")
        server.held = True
        await page.turn(6)
        await page.hit("end", "R", until=lambda: page.turn_texts()[6][1] == "being generated …")
        if reads_on:
            await page.turn(2)
            page.scroll_turns(5)
        server.release()
        await page.settle()
        await page.until(lambda: page.turns_at() == (5 if reads_on else page.turns_at(end=True)))


# --- Earlier runs


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("studio.session.views.figures.now", lambda: NOW)
    path = tmp_path / "x.yml"
    path.write_text(RUBRIC, "utf-8")
    return path


async def test_an_earlier_run_is_opened_by_enter_and_escape_goes_back_to_the_newest_and_then_to_the_text(
    path: Path,
) -> None:
    ran(path, ago=timedelta(days=3), score=0.25, answer="No idea.", asked="What is the rent?")
    ran(path, ago=timedelta(hours=2), score=0.5, bounds=(0.5, 1.0))
    async with opened(path, keys=("f5",)) as page:
        newest = page.run.started
        await page.open_history()
        assert len(page.history()) == 3
        await page.see("2 h ago", "3 days ago")
        assert page.seen.index("2 h ago") < page.seen.index("3 days ago")
        assert "50–100" in page.seen
        await page.press("end")
        await page.open_run()
        assert page.run.past is not None
        await page.see("From 3 days ago: it scored 25.0 then", "something else")
        await page.press("escape")
        assert (page.run.started, page.place) == (newest, Place.RESULT)
        await page.press("escape")
        assert page.place is Place.EDITOR


async def test_earlier_runs_are_sorted_by_their_scores(path: Path) -> None:
    ran(path, ago=timedelta(days=3), score=0.25, asked="What is the rent?")
    ran(path, ago=timedelta(hours=2), score=0.5)
    async with opened(path) as page:
        await page.open_history()
        await page.see("2 h ago", "3 days ago")
        await page.hit("s", until=lambda: page.seen.index("3 days ago") < page.seen.index("2 h ago"))


async def test_a_cached_answer_says_so(path: Path, server: ModelServer) -> None:
    async with opened(path) as page:
        await answered(page, server, "Criteria")
        await page.press("f5")
        await page.see("This answer is cached.")


# --- A file that is opened again


async def test_the_cursor_is_in_its_line_also_where_the_file_has_changed_and_it_is_shown(tmp_path: Path) -> None:
    place = QUOTED.index("Names the lease")
    async with opened(tmp_path, QUOTED, at="ideal: It is", keys=("f5",)) as page:
        await page.at("Names the lease")
    async with opened(tmp_path) as page:
        assert page.cursor == place
        assert page.prompt() == "second"
        assert words(page.outline()[0]) == "2 prompts · 50 from 1 of 2 prompts"
        await page.at("ideal: It is")
        await page.see("The last run, just now")
        await page.at("Names the lease")
    longer = "# a comment\n" * 200
    async with opened(tmp_path, longer + QUOTED) as page:
        assert page.cursor == len(longer) + place
        await page.see("- Names the lease")


# --- The history in words and lines, apart from any screen


@pytest.fixture(autouse=True)
def _days_begin_as_in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


TODAY = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
SCORED = PastRun(
    1, Candidate(ModelSource("openai:m")), TODAY, RunState.SCORED, TODAY, 0.375, Bounds(0.375, 0.375), "today"
)
RUN = replace(SCORED, judged=4, points=4)
OPEN = replace(RUN, bounds=Bounds(0.25, 0.5), judged=3)


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=1), "1 h ago"),
        (timedelta(hours=24), "yesterday"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=13), "13 days ago"),
        (timedelta(days=14), "2026-02-28"),
    ],
)
def test_how_long_ago_is_said_as_people_say_it(passed: timedelta, said: str) -> None:
    assert ago(TODAY - passed, TODAY) == said


def test_a_score_that_could_still_move_has_its_bounds() -> None:
    nothing = replace(RUN, score=None, bounds=None, judged=None, points=None)
    assert [score_of(RUN), score_of(OPEN), score_of(nothing)] == ["37.5", "25–50", "–"]


def test_a_run_of_which_nothing_was_judged_says_so() -> None:
    run = replace(RUN, score=None, bounds=Bounds(0.0, 1.0), judged=0)
    assert description_of(run, "today") == "m · not judged yet"


def test_a_run_from_before_points_were_counted_tells_that_not_all_were_judged() -> None:
    assert (
        description_of(replace(OPEN, judged=None, points=None), "today") == "m · scored 25–50, not all criteria judged"
    )


def test_a_run_is_told_with_its_bounds_and_how_it_ended() -> None:
    stopped = replace(OPEN, state=RunState.STOPPED)
    assert description_of(stopped, "today") == "m · scored 25–50, 3 of 4 criteria judged · stopped"


def test_another_rubric_is_told() -> None:
    assert description_of(RUN, "tomorrow") == "m · scored 37.5 · ≠ the rubric was another"


def test_a_rubric_that_is_not_known_is_not_called_another() -> None:
    assert description_of(replace(RUN, rubric=""), "today") == "m · scored 37.5"


def test_an_answer_from_before_runs_were_kept_has_no_score() -> None:
    assert description_of(replace(RUN, score=None, bounds=None), "today") == "m · no score was saved"


def test_scores_are_steps_on_one_scale_the_last_ones_where_room_is_short() -> None:
    assert line_of([0.0, 0.5, 0.99, 1.0], 10) == "▁▅██"
    assert line_of([0.0, 0.5, 1.0], 2) == "▅█"
    assert line_of([1.0], 0) == ""


def test_each_candidate_has_its_own_line_from_its_earliest_score_to_its_newest(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text("- id: p\n  prompt: x\n  should:\n    - Is kind\n", "utf-8")
    ran(path, ago=timedelta(days=4), score=0.25)
    ran(path, ago=timedelta(days=3), score=0.375, bounds=(0.25, 0.5))
    ran(path, ago=timedelta(days=2), score=1.0, candidate=IDEAL)
    ran(path, ago=timedelta(days=1), state=RunState.FAILED)
    found = history_view(Store().past_runs(PromptPlace.of(path, prompt_of(path))), "p", "today", None)
    assert [(trend.label, trend.scores, trend.newest) for trend in found.trends] == [
        ("the ideal", (1.0,), "100.0"),
        ("gpt-4o-mini, temp 0.7", (0.25, 0.375), "25–50"),
    ]
