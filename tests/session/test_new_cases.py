"""Making cases of answers: what is asked, what is written, and what is said where it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Role
from engine.blueprint.conversation import Stop, StopReason, ThreadTurn
from engine.evaluation.sources import ControlKind
from engine.study.file_places import beside, in_data_folder
from engine.study.wordings import refusal_of
from studio.session.host import FirstCase
from tests.session.faces import Face, open_face
from tests.studio.text_files import text_file

USUAL = FirstCase("usual")
TEXT = text_file("new-cases.yml")


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Opens a file with the answer of the ideal, and an author with these answers to questions."""

    async def opened(*answers: Any, folder: Path = tmp_path) -> Face:
        folder.mkdir(exist_ok=True)
        path = folder / "rent.yml"
        face = await open_face(path, *answers, text=TEXT, at="prompt")
        await face.f5()
        return face

    return opened


async def test_the_first_case_can_stay_in_the_data_folder(run: Callable[..., Any]) -> None:
    face = await run("good", FirstCase("other"))
    await face.runs.cases.make()
    assert in_data_folder(face.session.state.path).exists()
    assert not beside(face.session.state.path).exists()


async def test_below_blueprints_cases_go_to_the_data_folder_unless_the_author_chooses(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    face = await run("good", USUAL, folder=tmp_path / "blueprints")
    await face.runs.cases.make()
    assert in_data_folder(face.session.state.path).exists()


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        ([StopReason.REFUSAL], ControlKind.REFUSAL),
        ([StopReason.REFUSAL, StopReason.STOP], None),
        ([StopReason.STOP], None),
        ([None], None),
        ([], None),
    ],
)
def test_only_what_the_provider_calls_a_refusal_is_taken_for_one(
    reasons: list[StopReason | None], expected: ControlKind | None
) -> None:
    said = "I'd rather not help with that, sorry."
    stops = [None if reason is None else Stop(reason, "word") for reason in reasons]
    turns = [ThreadTurn(Role.ASSISTANT, said, generated=True, stop=stop) for stop in stops]
    assert refusal_of(turns) is expected


# --- Of one of all answers

CASE = "version: 1\ncases:\n  - prompt: rent\n    answer: On the 5th.\n    label: bad\n"


async def made(face: Face, answer: str, *answers: Any) -> None:
    """Make a case of this one of all answers, with these answers to what is asked."""
    assert await face.open_criterion("Names the lease")
    current = face.runs.criterion.current
    assert current is not None
    (found,) = [each for each in current.answers.every if each.subject == answer]
    face.author.answers = list(answers)
    await face.runs.cases.make(found)
    await face.settled()


async def test_a_case_that_changed_on_disk_is_left_alone(run: Callable[..., Any]) -> None:
    face = await run()
    path = beside(face.session.state.path)
    path.write_text(CASE, "utf-8")
    other = CASE.replace("5th", "6th")

    def changes_meanwhile(_question: Any) -> str:
        path.write_text(other, "utf-8")
        return ""

    await made(face, "On the 5th.", "good", changes_meanwhile)
    assert path.read_text("utf-8") == other
    assert "It has changed on disk since it was read" in face.author.messages[-1]
