"""How many other models meet a point of the result that is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.cases.met_by import MetBy
from engine.conversation import Variant
from engine.evaluation.candidates import Candidate
from engine.evaluation.sources import ModelSource
from engine.scoring import explain
from studio.session.views.result_view import ResultView
from studio.tui.panes.sections import result_rows
from tests.session.faces import Author, Face

TEXT = """\
- id: rent
  prompt: When is the rent due?
  ideal: On the 3rd.
  should:
    - $contains: 3rd
    - $contains: lease
"""


async def scored(path: Path) -> Face:
    path.write_text(TEXT, "utf-8")
    face = Face(path, Author())
    await face.settled()
    face.cursor_at("prompt")
    face.runs.run_or_stop()
    await face.settled()
    return face


def answered(face: Face, model: str, *extents: float, temperature: float | None = None) -> None:
    """Let a run of `model` be there, with these extents."""
    run = face.runs.selection.newest(face.runs.selection.place, "ideal")  # pyright: ignore[reportArgumentType]
    assert run is not None
    assessments = tuple(replace(each, extent=extent) for each, extent in zip(run.assessments, extents, strict=True))
    candidate = Candidate(ModelSource(model), Variant(temperature=temperature))
    again = replace(run, candidate=candidate, assessments=assessments, explanation=explain(run.prompt, assessments))
    face.runs.selection.put(again)


def shown(face: Face) -> ResultView:
    view = face.runs.views.result()
    assert isinstance(view, ResultView)
    return view


async def test_each_other_model_counts_once_and_the_detail_says_so(tmp_path: Path) -> None:
    face = await scored(tmp_path / "rent.yml")
    answered(face, "openai:a", 1.0, 1.0)
    answered(face, "openai:b", 1.0, 1.0)
    answered(face, "openai:b", 0.0, 1.0, temperature=0.7)
    view = shown(face)
    assert view.met_by == (MetBy(1, 2), MetBy(2, 2))
    detail = next([cell.text for cell in row.detail] for row in result_rows(view) if row.key == "point:1")
    assert "evidence: 2 of 2 other models meet this: rather the answer" in detail
    await face.close()


async def test_nothing_is_said_where_no_other_answer_is_scored(tmp_path: Path) -> None:
    face = await scored(tmp_path / "rent.yml")
    assert shown(face).met_by == ()
    await face.close()
