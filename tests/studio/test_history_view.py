"""The history in words and lines, apart from any screen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.evaluation.sources import Candidate, ModelSource
from engine.scoring.explanation import Bounds
from engine.store import PastRun, PromptPlace, RunState, Store
from engine.text.record import replace
from studio.session.views.figures import ago
from studio.session.views.history_view import description_of, history_view, line_of, score_of
from tests.studio.histories import IDEAL, prompt_of, ran


@pytest.fixture(autouse=True)
def _days_begin_as_in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
SCORED = PastRun(1, Candidate(ModelSource("openai:m")), NOW, RunState.SCORED, NOW, 0.375, Bounds(0.375, 0.375), "today")
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
    assert ago(NOW - passed, NOW) == said


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
