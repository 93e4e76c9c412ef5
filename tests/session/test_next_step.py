"""What would help most now, of a file that is written, run, judged and read; nothing is sent to find out."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.evaluation.sources import ModelSource
from studio.session.state import Where
from studio.session.views.next_view import SITUATIONS
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
} | {"fix": "F4"}


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
