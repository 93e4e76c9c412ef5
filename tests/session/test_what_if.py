"""The what-if mode: what is tried, on this answer and on labelled ones, and what is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.session.host import NotDone
from studio.session.what_if import Hypothesis
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
        await face.runs.what_if.begin()
        return face

    return opened


def view(face: Face) -> Hypothesis:
    assert face.runs.state.tried is not None
    return face.runs.state.tried.changes


async def test_an_ideal_that_a_case_has_too_is_paired_once_in_what_if(begun: Callable[..., Any]) -> None:
    face = await begun(cases=CASES.replace("answer: On the 3RD.", "answer: On the 3RD, says Parana."))
    assert view(face).pairs[0] == 1


async def test_a_change_that_has_no_room_changes_nothing(begun: Callable[..., Any]) -> None:
    text = TEXT.replace("should:", "should: &points") + "- id: two\n  prompt: y\n  ideal: z\n  should: *points\n"
    face = await begun(text)
    face.runs.what_if.drop()
    face.cursor_at("prompt: y")
    await face.f5()
    await face.runs.what_if.begin()
    face.runs.what_if.attempt(lambda tried: tried.weighed(0, 1))
    with pytest.raises(NotDone, match="Nothing was changed: the weight of “Names the lease” has no place"):
        await face.runs.what_if.apply()
    assert face.runs.state.tried is not None


async def test_there_is_nothing_to_try_without_a_score(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    face = await open_face(path, text=TEXT, at="prompt")
    with pytest.raises(NotDone, match="There is no score to try changes on: F5 runs this prompt"):
        await face.runs.what_if.begin()
