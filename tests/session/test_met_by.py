"""How many other models meet a point of the result that is shown."""

from __future__ import annotations

from pathlib import Path

from engine.blueprint import Role
from engine.blueprint.conversation import ThreadTurn, Variant
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, ModelSource
from engine.scoring.explanation_builder import explain
from engine.store import PromptPlace, RunState, Store
from engine.study.criterion_counts import MetBy
from engine.text.record import replace
from tests.session.faces import Face, open_face
from tests.studio.results import foot
from tests.studio.text_files import text_file

TEXT = text_file("met-by.yml")


async def scored(path: Path) -> Face:
    face = await open_face(path, text=TEXT, at="prompt")
    await face.f5()
    return face


def answered(face: Face, model: str, *extents: float, temperature: float | None = None) -> None:
    """Let a run of `model` be there, with these extents."""
    run = face.runs.selection.newest(face.runs.state.place, "ideal")  # pyright: ignore[reportArgumentType]
    assert run is not None
    assessments = tuple(replace(each, extent=extent) for each, extent in zip(run.assessments, extents, strict=True))
    candidate = Candidate(ModelSource(model), Variant(temperature=temperature))
    again = replace(run, candidate=candidate, assessments=assessments, explanation=explain(run.prompt, assessments))
    face.runs.selection.put(again)


async def test_each_other_model_counts_once_and_the_detail_says_so(tmp_path: Path) -> None:
    face = await scored(tmp_path / "rent.yml")
    answered(face, "openai:a", 1.0, 1.0)
    answered(face, "openai:b", 1.0, 1.0)
    answered(face, "openai:b", 0.0, 1.0, temperature=0.7)
    view = face.result
    assert view.met_by == (MetBy(1, 2), MetBy(2, 2))
    assert "evidence: 2 of 2 other models meet this, so look at the answer" in foot(view, 1)


async def test_nothing_is_said_where_no_other_answer_is_scored(tmp_path: Path) -> None:
    face = await scored(tmp_path / "rent.yml")
    assert face.result.met_by == ()


def stored(path: Path, model: str, answer: str) -> None:
    """Store an answer of `model` from an earlier session."""
    thread = (
        ThreadTurn(Role.USER, "When is the rent due?", generated=False),
        ThreadTurn(Role.ASSISTANT, answer, generated=True),
    )
    place, candidate = PromptPlace(str(path), "rent"), Candidate(ModelSource(model))
    number = Store().begin_run(place, candidate, "")
    Store().save_run_answer(number, place, candidate, Response(answer, thread, model))
    Store().end_run(number, RunState.SCORED)


async def test_stored_answers_of_other_models_count_by_the_present_rubric(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    stored(path, "openai:a", "On the 3rd, by the lease.")
    stored(path, "openai:b", "On the 5th, by the lease.")
    face = await scored(path)
    assert face.result.met_by == (MetBy(1, 2), MetBy(2, 2))


async def test_a_run_of_this_session_counts_before_the_stored_one(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    stored(path, "openai:a", "On the 3rd, by the lease.")
    face = await scored(path)
    answered(face, "openai:a", 0.0, 0.0)
    assert face.result.met_by == (MetBy(0, 1), MetBy(0, 1))
