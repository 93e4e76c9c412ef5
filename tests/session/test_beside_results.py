"""Beside a result: what other models meet, the expected score, evidence of cases, and quick grades; what F5 runs."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Role
from engine.blueprint.conversation import ThreadTurn, Variant
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, ModelSource
from engine.scoring.assessment import Grade
from engine.scoring.explanation_builder import explain
from engine.store import PromptPlace, RunState, Store
from engine.study.criterion_counts import MetBy
from engine.study.file_places import beside
from engine.text.record import replace
from studio.session.host import EnterText, NotDone
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


# --- The score that the author expected: asked for, remembered for its prompt, and forgotten


RENT = text_file("expected-scores.yml")


async def scored_for(folder: Path, *answers: Any) -> Face:
    """A file with the answer of the ideal, and an author with these answers to questions."""
    face = await open_face(folder, *answers, text=RENT, at="prompt")
    await face.f5()
    return face


async def test_it_is_remembered_until_it_is_asked_for_again(tmp_path: Path) -> None:
    face = await scored_for(tmp_path, "87,5 %")
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted == 0.875
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted is None
    assert len(face.author.asked) == 1


async def test_it_is_asked_for_until_it_can_be_read(tmp_path: Path) -> None:
    face = await scored_for(tmp_path, "850", "good", "85")
    await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted == 0.85
    texts = [each.text for each in face.author.asked if isinstance(each, EnterText)]
    assert [text.startswith("Write a number from 0 to 100, such as 85.") for text in texts] == [False, True, True]


async def test_nothing_is_expected_where_the_author_cancels(tmp_path: Path) -> None:
    face = await scored_for(tmp_path, None)
    with pytest.raises(NotDone):
        await face.runs.expected.ask_or_clear()
    assert face.runs.expected.wanted is None


async def test_it_needs_a_score(tmp_path: Path) -> None:
    face = await open_face(tmp_path, text=RENT, at="prompt")
    await face.runs.expected.ask_or_clear()
    assert face.author.messages[-1] == "There is no score yet: F5 runs this prompt."


# --- Problems whose evidence is a labelled answer follow its label, its grades, and the text


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


# --- Grades that follow each other quickly


ONE_POINT = "- id: a\n  prompt: x\n  ideal: y\n  should:\n    - Names it\n"


async def test_the_last_of_two_grades_counts_however_long_the_first_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    face = await open_face(tmp_path, text=ONE_POINT, at="prompt")
    await face.f5()
    stored = Store.grade

    def slowly(self: Store, *given: object) -> None:
        if given[-1] is Grade.FULLY_PRESENT:
            time.sleep(0.2)
        stored(self, *given)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Store, "grade", slowly)
    await asyncio.gather(face.runs.grade(0, Grade.FULLY_PRESENT), face.runs.grade(0, Grade.ABSENT))
    await face.settled()
    run = face.run
    assert run.assessments[0].extent == 0.0


async def test_grades_of_two_prompts_given_quickly_both_count(tmp_path: Path) -> None:
    face = await open_face(
        tmp_path, text=ONE_POINT + ONE_POINT.replace("id: a", "id: b").replace("prompt: x", "prompt: z")
    )
    for prompt in ("prompt: x", "prompt: z"):
        face.cursor_at(prompt)
        await face.f5()
    for prompt in ("prompt: x", "prompt: z"):
        face.cursor_at(prompt)
        await face.runs.grade(0, Grade.ABSENT)
    await face.settled()
    assert [run.assessments[0].extent for run in face.runs.selection.all] == [0.0, 0.0]


# --- F5 with the cursor in no prompt runs one, and says which: the one that ran last, else the first


HEADER = "title: Two\n---\n"
PROMPTS = "".join(f"- id: {name}\n  prompt: x\n  ideal: {name}\n  should: [$contains: {name}]\n" for name in ("a", "b"))


async def test_in_the_header_the_first_prompt_runs_and_then_the_last_one_again(tmp_path: Path) -> None:
    file = tmp_path / "x.yml"
    file.write_text(HEADER + PROMPTS, "utf-8")
    face = await open_face(file, at="title")
    await face.f5()
    assert [run.prompt.id for run in face.runs.state.runs.values()] == ["a"]
    assert face.author.messages[-1] == "The cursor is in no prompt: F5 runs prompt 1, a."
    face.cursor_at("id: b")
    await face.f5()
    first = {run.prompt.id: run.started for run in face.runs.state.runs.values()}
    face.cursor_at("title")
    await face.f5()
    again = {run.prompt.id: run.started for run in face.runs.state.runs.values()}
    assert (again["a"], again["b"] > first["b"]) == (first["a"], True)
    assert face.author.messages[-1] == "The cursor is in no prompt: F5 runs prompt 2, b."


async def test_a_file_without_prompts_says_so(tmp_path: Path) -> None:
    file = tmp_path / "x.yml"
    file.write_text(HEADER, "utf-8")
    face = await open_face(file)
    await face.f5()
    assert face.author.messages[-1] == "This file has no prompt to run."


# --- Items of the list of prompts that are no prompts, as while an author begins one


PROMPT = "- id: a\n  prompt: b\n  ideal: c\n  should:\n    - $icontains: c\n"


@pytest.mark.parametrize("before", ["- \n", "- \n- \n", "- null\n", "- 5\n", "-\n  # not yet\n"])
async def test_an_item_before_a_prompt_leaves_the_prompt_its_place_and_number(tmp_path: Path, before: str) -> None:
    file = tmp_path / "x.yml"
    file.write_text(f"{before}{PROMPT}", "utf-8")
    face = await open_face(file, at="prompt:")
    await face.f5()
    row = face.session.outline()[-1]
    assert row.score.startswith("100")
    assert row.number == len(face.runs.overview.view().prompts)
