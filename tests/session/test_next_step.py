"""What would help most now, of a file that is written, run, judged and read; nothing is sent to find out."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.evaluation.sources import ControlKind, ControlSource, IdealSource, ModelSource
from engine.scoring.assessment import Grade
from studio.session.state import Where
from studio.session.views.next_view import SITUATIONS
from tests.session.criterion_faces import Opener
from tests.session.faces import Face, at_work
from tests.session.test_judged_runs import blueprint, says
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file

IN_CRITERIA = {"judge": "J", "grade": "1…5", "choose_judges": "w", "fix": "f"}
ELSEWHERE = {name: name.upper() for row in SITUATIONS for name in row.actions} | {"grade_answer": "1…5"}
ELSEWHERE = {
    name: ELSEWHERE[name]
    for name in ELSEWHERE
    if name not in (*IN_CRITERIA, "apply_what_if", "fix_problem", "go_to_problem", "next_prompt", "make_case")
}


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


def at_keys(face: Face, *, in_criteria: bool = False, sees_answer: bool = False, sees_answers: bool = False) -> None:
    """Let the keys be in the text, or in the criteria."""
    keys = ELSEWHERE | IN_CRITERIA if in_criteria else ELSEWHERE
    face.session.keys_at(Where(keys, in_criteria, sees_answer, sees_answers))


def told(face: Face) -> str:
    """What would help most, in its longest form."""
    forms = face.runs.next_step.view().forms
    return forms[0] if forms else ""


async def see(face: Face, sentence: str) -> None:
    """Wait until this is what would help most, and nothing else comes of waiting on."""
    with suppress(TimeoutError):
        async with asyncio.timeout(10):
            await face.until(lambda: told(face) == sentence)
    await face.settled()
    assert told(face) == sentence


CHECKS = text_file("next-step-checks.yml")


async def test_from_the_first_key_to_a_rubric_that_is_run(tmp_path: Path) -> None:
    async with at_work(tmp_path, CHECKS, at="- id: rent") as face:
        at_keys(face)
        await see(face, "RUN tries prompt 1 with its ideal (free)")
        await face.f5()
        await see(face, "ideal 100 · the prompt repeated 100: this rubric does not tell them apart")
        await face.change("    - $contains: 3rd\n", "    - $matches: ^It is due\n")
        await see(face, "SAVE saves the file")
        await face.at("- id: notice")
        await face.f5()
        await see(face, "RESULT shows why the dearest criterion costs 50.0")
        await face.change("    - $contains: lease\n", "")
        await face.session.file.save()
        await see(face, "nothing is left to do here: PALETTE lists all actions")


async def test_prompts_that_were_not_run_are_counted(tmp_path: Path) -> None:
    async with at_work(tmp_path, CHECKS, at="- id: notice") as face:
        at_keys(face)
        await face.change("    - $contains: lease\n", "")
        await face.f5()
        await face.session.file.save()
        await see(face, "RUN_ALL runs all 2 prompts (free)")


async def test_what_cannot_be_read_or_is_missing_comes_first(tmp_path: Path) -> None:
    async with at_work(tmp_path, CHECKS, at="- id: rent") as face:
        at_keys(face)
        await face.rewrite(CHECKS.replace("title: Rent", "title: [Rent"))
        assert told(face).startswith("PROBLEMS says why part of the file cannot be read, from line ")
        await face.rewrite("title: Rent\n")
        assert told(face) == "COMPLETE lists what can stand at the cursor: the file has no prompt yet"
        await face.rewrite("title: Rent\n---\n- id: rent\n  prompt:\n")
        await face.at("- id: rent")
        assert told(face) == "write what prompt 1 asks: without a question nothing of it is scored"
        await face.rewrite("title: Rent\n---\n- id: rent\n  prompt: When?\n")
        assert told(face).startswith("write below `should:` what an answer must say")
        await face.rewrite("title: Rent\n---\n- id: rent\n  prompt: When?\n  should: [Names the day]\n")
        assert told(face) == "CHOOSE_ANSWERS chooses where answers come from: prompt 1 has no ideal"


async def test_open_criteria_ask_for_judges_and_then_for_their_price(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        at_keys(face)
        await face.f5()
        await see(face, "RESULT goes to 2 open criteria: choose who judges, or grade by hand")
        at_keys(face, in_criteria=True)
        await see(face, "2 open criteria: w chooses who judges, or grade by hand")
        assert face.runs.next_step.judge_price() is None
        face.judged()
        await see(face, "J asks the judges about 2 open criteria (2 requests, free)")
        assert face.runs.next_step.judge_price() == "2 requests, free"
        at_keys(face)
        await see(face, "RUN asks the judges about 2 open criteria (2 requests, free)")
        assert server.bodies == []
        await face.f5()
        await see(face, "RESULT shows why the dearest criterion costs 33.3")
        at_keys(face, in_criteria=True)
        face.runs.selection.select_row(2, ())
        await face.grade(2, Grade.FULLY_PRESENT)
        assert "cost" not in told(face)


async def test_at_the_file_as_a_whole_all_prompts_are_judged(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        at_keys(face)
        await face.f5()
        face.session.move(0)
        await face.settled()
        face.judged()
        await see(face, "RUN_ALL asks the judges about 2 open criteria (2 requests, free)")


async def test_the_ideal_is_judged_where_nothing_of_the_answer_is_open(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        face.judged()
        await face.choose(ControlSource(ControlKind.REFUSAL))
        await face.f5()
        at_keys(face, in_criteria=True)
        await see(face, "J judges the ideal on this rubric (2 requests, free)")
        await face.judge()
        assert len(server.bodies) == 4
        assert face.run.candidate.source == ControlSource(ControlKind.REFUSAL)
        evidence = face.run.explanation and face.run.explanation.against_ideal
        assert evidence == "evidence: look at the answer and the rubric, as the ideal scores 66.7 on this rubric, " + (
            "more than this answer"
        )
        assert "ideal" not in told(face)
        await face.judge()
    assert len(server.bodies) == 4


async def test_a_model_is_priced_with_its_judges_before_it_is_asked(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        at_keys(face)
        await face.choose(ModelSource("openai:gpt-4o-mini"))
        await face.until(lambda: "(" in told(face))
        assert told(face) == "RUN tries prompt 1 with gpt-4o-mini (1 request, less than $0.001)"
        await face.choose(ModelSource("openai:of-no-known-price"))
        await face.until(lambda: "(" in told(face))
        assert told(face).endswith("(1 request, price not known: asks first)")
    assert server.bodies == []


async def test_while_a_run_goes_on_the_line_says_what_and_how_to_stop_it(tmp_path: Path, server: ModelServer) -> None:
    server.held = True
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        at_keys(face)
        face.judged()
        face.runs.run_or_stop()
        await face.until(lambda: told(face).startswith("RUN stops it: the judges have 2 criteria to go · "))
        at_keys(face, sees_answers=True)
        assert told(face).startswith("RUN_ALL stops the run: ")
        at_keys(face)
        await face.f5()
        assert "stops" not in told(face)


async def test_a_run_that_failed_is_asked_again_or_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with at_work(tmp_path, CHECKS, at="- id: rent") as face:
        at_keys(face)
        await face.choose(ModelSource("openai:gpt-4o-mini"))
        await face.f5()
        await see(
            face,
            "RUN asks again (1 request, less than $0.001), CHOOSE_ANSWERS chooses other answers: "
            "openai:gpt-4o-mini: no key for OpenAI",
        )


async def test_an_impostor_that_a_case_calls_good_is_none(tmp_path: Path) -> None:
    case = "{prompt: rent, answer: 'When is the rent due, on the 3rd or on the 5th?', label: good}"
    (tmp_path / "x.yml.cases").write_text(f"version: 1\ncases:\n  - {case}\n", "utf-8")
    async with at_work(tmp_path, CHECKS, at="- id: rent") as face:
        at_keys(face)
        await face.f5()
        await see(face, "ideal 100 · the criteria pasted 100: this rubric does not tell them apart")


async def test_an_impostor_is_named_beside_any_answer_once_the_ideal_is_scored(tmp_path: Path) -> None:
    async with at_work(tmp_path, CHECKS, at="- id: rent") as face:
        at_keys(face)
        await face.choose(ControlSource(ControlKind.STUFFING))
        await face.f5()
        assert "apart" not in told(face)
        await face.choose(IdealSource())
        await face.f5()
        await face.choose(ControlSource(ControlKind.STUFFING))
        await see(face, "ideal 100 · the prompt repeated 100: this rubric does not tell them apart")


async def test_a_wording_is_judged_and_eased_where_the_ideal_fails_it(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    at_keys(face, sees_answers=True)
    await face.at("    - Is friendly")
    await face.runs.criterion.open(None, face.text.index("Is friendly"))
    await see(face, "RUN asks the judges about this wording on 3 answers (6 requests, free)")
    await face.runs.criterion.again()
    await see(face, "the ideal fails this wording: ease it, or grade the ideal 5 if the judges are wrong")
    current = face.runs.criterion.current
    assert current is not None
    (ideal,) = (each for each in current.answers.every if each.is_ideal)
    await face.runs.criterion.grade(ideal.key, Grade.FULLY_PRESENT)
    await see(face, "1 good answer fails this wording: ease it, then RUN tries it again")
