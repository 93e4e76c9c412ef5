"""Problems whose evidence is a labelled answer follow its label, its grades, and the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.study.file_places import beside
from tests.session.faces import Face, open_face

WORDS = "- id: p\n  prompt: Which?\n  ideal: Lagos.\n  should:\n    - - Names Lagos\n    - - Names Cairo\n"
CASE = "version: 1\ncases:\n  - prompt: p\n    answer: Lagos and Cairo.\n    label: good\n"
GRADES = (
    "    grades: [{criterion: Names Lagos, grade: fully present}, {criterion: Names Cairo, grade: majorly present}]\n"
)


@pytest.fixture
async def face(tmp_path: Path) -> Face:
    """An open file with a good answer that two lone paths are graded for."""
    path = tmp_path / "p.yml"
    beside(path).write_text(CASE + GRADES, "utf-8")
    return await open_face(path, text=WORDS)


def messages(face: Face) -> list[str]:
    analysis = face.session.state.analysis
    found = () if analysis is None else analysis.diagnostics or ()
    return [f"{one.severity.value}: {one.message}" for one in found if one.slug == "single-element-path"]


HINT = "hint: any one of these 2 earns the whole score"
WARNING = "warning: any one of these 2 earns the whole score, and case 1, a good answer, meets 2 of them"


async def test_grades_of_a_good_answer_are_evidence(face: Face) -> None:
    await face.until(lambda: messages(face) == [WARNING])


async def test_it_follows_the_case_file(face: Face) -> None:
    await face.until(lambda: messages(face) == [WARNING])
    beside(face.session.state.path).write_text(CASE, "utf-8")
    await face.until(lambda: messages(face) == [HINT])


async def test_it_follows_the_text(face: Face) -> None:
    await face.until(lambda: messages(face) == [WARNING])
    face.replace("Names Cairo", "Names Cairo, too")
    await face.until(lambda: messages(face) == [HINT])
    face.replace("Names Cairo, too", "Names Cairo")
    await face.until(lambda: messages(face) == [WARNING])


async def test_a_text_that_rests_is_not_checked_for_ever(face: Face) -> None:
    await face.until(lambda: messages(face) == [WARNING])
    await face.settled()
    seen = face.session.state.analysis
    await face.settled()
    assert face.session.state.analysis is seen
