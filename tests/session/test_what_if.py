"""The what-if mode: what is tried, on this answer and on labelled ones, and what is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.scoring.assessment import Grade
from engine.study.case import CaseState
from engine.text.spans import apply_edits
from studio.session.fixes import TextChange
from studio.session.views.what_if_view import WhatIfView
from tests.session.faces import Face, open_face
from tests.studio.text_files import text_file

TEXT = text_file("what-if.yml")
CASES = text_file("what-if.yml.cases")


@pytest.fixture
def begun(tmp_path: Path) -> Callable[..., Any]:
    """Opens a file with the answer of the ideal, and its cases, and begins to try changes."""

    async def opened(text: str = TEXT, cases: str = CASES) -> Face:
        path = tmp_path / "rent.yml"
        path.write_text(text, "utf-8")
        path.with_name("rent.yml.cases").write_text(cases, "utf-8")
        face = await open_face(path, at="prompt")
        await face.f5()
        assert await face.runs.what_if.begin()
        return face

    return opened


def view(face: Face) -> WhatIfView:
    found = face.runs.what_if.view()
    assert found is not None
    return found


async def applied(face: Face) -> str:
    """The text with what is tried."""
    change = await face.runs.what_if.apply()
    assert isinstance(change, TextChange)
    return apply_edits(face.text, change.edits)


def bounds(face: Face) -> tuple[float, float]:
    after = view(face).after
    return round(after.low * 100, 1), round(after.high * 100, 1)


async def test_nothing_is_changed_at_first(begun: Callable[..., Any]) -> None:
    shown = view(await begun())
    assert (shown.count, shown.before) == (0, shown.after)


async def test_a_verdict_that_is_tried_is_kept_as_a_grade_once_it_is_applied(begun: Callable[..., Any]) -> None:
    face = await begun()
    face.runs.what_if.attempt(lambda tried: tried.graded(0, Grade.FULLY_PRESENT))
    assert bounds(face) == (25.0, 25.0)
    assert await face.runs.what_if.apply() is None  # a grade is no edit
    await face.settled()
    run = face.run
    assert face.score == 0.25
    assert run.assessments[0].detail == "you graded it fully present"


async def test_a_weight_is_written_in_its_place(begun: Callable[..., Any]) -> None:
    face = await begun()
    face.runs.what_if.attempt(lambda tried: tried.weighed(1, 1))
    face.runs.what_if.attempt(lambda tried: tried.weighed(1, 1))
    assert view(face).points[1].weight_then == 1.5
    assert await applied(face) == TEXT.replace("3rd   # the day\n", "3rd   # the day\n      weight: 1.5\n")


async def test_a_weight_that_is_back_is_no_change(begun: Callable[..., Any]) -> None:
    face = await begun()
    face.runs.what_if.attempt(lambda tried: tried.weighed(1, 1))
    face.runs.what_if.attempt(lambda tried: tried.weighed(1, -1))
    assert view(face).count == 0


async def test_a_loosened_check_is_run_on_this_answer_and_on_labelled_ones(begun: Callable[..., Any]) -> None:
    face = await begun()
    await face.runs.what_if.loosen(1)
    shown = view(face)
    assert (shown.points[1].extent_then, shown.points[1].loosened) == (1.0, "use $icontains")
    good, bad = shown.cases
    assert (round(good.before.high, 3), round(good.after.high, 3)) == (0.25, 0.5)
    assert bad.before == bad.after
    assert await applied(face) == TEXT.replace("$contains: 3rd", "$icontains: 3rd")


async def test_a_case_flips_as_soon_as_the_rubric_would(begun: Callable[..., Any]) -> None:
    face = await begun()
    face.runs.what_if.attempt(lambda tried: tried.flattened("path_2"))
    face.runs.what_if.attempt(lambda tried: tried.switched(3))
    good, bad = view(face).cases
    assert (bad.state_before, bad.state_after) == (CaseState.FAILED, CaseState.PASSED)
    assert (good.state_before, good.state_after) == (CaseState.FAILED, CaseState.FAILED)


async def test_the_ideal_is_one_of_the_good_answers_that_are_paired(begun: Callable[..., Any]) -> None:
    shown = view(await begun())
    assert (shown.pairs, [case.name for case in shown.cases]) == (2, ["case 1", "case 2"])


async def test_an_ideal_that_a_case_has_too_is_paired_once_in_what_if(begun: Callable[..., Any]) -> None:
    face = await begun(cases=CASES.replace("answer: On the 3RD.", "answer: On the 3RD, says Parana."))
    assert view(face).pairs == 1


async def test_several_changes_are_one_change_of_the_text(begun: Callable[..., Any]) -> None:
    face = await begun()
    what_if = face.runs.what_if
    what_if.attempt(lambda tried: tried.weighed(0, -1))
    what_if.attempt(lambda tried: tried.switched(1))
    what_if.attempt(lambda tried: tried.flattened("path_2"))
    predicted = bounds(face)
    face.write(await applied(face))
    assert (
        face.text
        == """\
- id: rent   # the first
  prompt: When is the rent due?
  ideal: On the 3RD, says Parana.
  should:
    - text: Names the lease
      weight: 0.75
    # - $contains: 3rd   # the day
    - $contains: Paraná
    - - $contains: lease
"""
    )
    await face.settled()
    await face.until(lambda: len(face.runs.selection.run.assessments) == 3)
    run = face.run
    assert run.explanation is not None
    made = run.explanation.bounds
    assert (round(made.low * 100, 1), round(made.high * 100, 1)) == predicted


async def test_0_takes_all_changes_of_a_point_back(begun: Callable[..., Any]) -> None:
    face = await begun()
    face.runs.what_if.attempt(lambda tried: tried.weighed(0, 1))
    face.runs.what_if.attempt(lambda tried: tried.graded(0, Grade.ABSENT))
    face.runs.what_if.attempt(lambda tried: tried.without(0))
    assert view(face).count == 0


async def test_editing_the_text_drops_what_is_tried(begun: Callable[..., Any]) -> None:
    face = await begun()
    face.runs.what_if.attempt(lambda tried: tried.switched(1))
    await face.change("the first", "the second")
    assert face.runs.state.tried is None
    dropped = "The text or the result is another one now: the changes that were tried are dropped."
    assert face.author.messages.count(dropped) == 1


async def test_a_change_that_has_no_room_changes_nothing(begun: Callable[..., Any]) -> None:
    text = TEXT.replace("should:", "should: &points") + "- id: two\n  prompt: y\n  ideal: z\n  should: *points\n"
    face = await begun(text)
    face.runs.what_if.drop()
    face.cursor_at("prompt: y")
    await face.f5()
    assert await face.runs.what_if.begin()
    face.runs.what_if.attempt(lambda tried: tried.weighed(0, 1))
    assert await face.runs.what_if.apply() is None
    assert face.runs.state.tried is not None
    assert face.author.messages[-1].startswith("Nothing was changed: the weight of “Names the lease” has no place")


async def test_there_is_nothing_to_try_without_a_score(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    face = await open_face(path, text=TEXT, at="prompt")
    assert not await face.runs.what_if.begin()
    assert face.author.messages[-1] == "There is no score to try changes on: F5 runs this prompt."
