"""Judges: asked, kept, and what they said held while the rubric is edited; and what the ideal scores beside."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.asking.run_plan import plan_lines
from engine.evaluation.sources import ControlKind, ControlSource
from engine.judging.panel import JudgesAs
from engine.scoring.assessment import Grade
from studio.session.questions import JudgeChoice
from tests.session.faces import Face, at_work
from tests.studio.model_server import ModelServer, verdict
from tests.studio.text_files import text_file

PROMPT = text_file("judged-runs.yml")


def says(body: dict[str, Any]) -> str:
    criterion = body["messages"][1]["content"].rpartition("<criterion")[2]
    return verdict("CLASS_FULLY_PRESENT" if "lease" in criterion.partition("</")[0] else "CLASS_UNMET")


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


def blueprint(server: ModelServer, approach: str = "standard") -> str:
    return f"{server.judging(approach)}{PROMPT}"


@asynccontextmanager
async def judged(folder: Path, text: str) -> AsyncIterator[Face]:
    """The prompt after it was run with judges."""
    async with at_work(folder, text, at="- id: notice") as face:
        face.judged()
        await face.f5()
        yield face


async def test_points_in_words_are_judged_and_the_same_question_is_not_asked_twice(
    tmp_path: Path, server: ModelServer
) -> None:
    async with judged(tmp_path, blueprint(server)) as face:
        assert (face.extents, face.bounds) == ([1.0, 1.0, 0.0], (2 / 3, 2 / 3))
        await face.f5()
        assert face.bounds == (2 / 3, 2 / 3)
    assert len(server.bodies) == 2


async def test_nobody_is_asked_while_the_author_judges_alone(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        await face.f5()
        assert face.extents == [1.0, None, None]
    assert server.bodies == []


async def test_a_verdict_holds_while_its_criterion_moves(tmp_path: Path, server: ModelServer) -> None:
    async with judged(tmp_path, blueprint(server)) as face:
        await face.change("    - Names", "    - Says when it begins\n    - Names")
        assert face.extents == [1.0, None, 1.0, 0.0]
    assert len(server.bodies) == 2


async def test_a_criterion_that_is_written_otherwise_is_open_and_judging_again_asks_only_about_it(
    tmp_path: Path, server: ModelServer
) -> None:
    async with judged(tmp_path, blueprint(server)) as face:
        await face.change("Is friendly", "Very Is friendly")
        assert face.extents == [1.0, 1.0, None]
        await face.judge()
        assert face.extents == [1.0, 1.0, 0.0]
    assert len(server.bodies) == 3


async def test_your_own_grade_counts_over_a_verdict_and_the_verdict_comes_back_without_it(
    tmp_path: Path, server: ModelServer
) -> None:
    async with judged(tmp_path, blueprint(server)) as face:
        await face.grade(1, Grade.ABSENT)
        assert face.extents == [1.0, 0.0, 0.0]
        await face.grade(1, None)
        assert face.extents == [1.0, 1.0, 0.0]
    assert len(server.bodies) == 2


async def test_who_judges_is_chosen_and_remembered(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, blueprint(server), JudgeChoice(JudgesAs.DOCUMENTED)) as face:
        await face.runs.choose_judges()
        await face.settled()
    async with at_work(tmp_path) as face:
        assert face.judges is JudgesAs.DOCUMENTED


async def test_judges_elsewhere_are_named_before_they_get_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "not-a-real-key")
    async with judged(tmp_path, PROMPT) as face:
        assert "openrouter.ai" in "\n".join(plan_lines(face.asked_to_send.plan))
        assert face.shown is None


async def test_an_answer_that_is_there_is_judged_without_asking_for_another(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        await face.f5()
        face.judged()
        await face.judge()
        assert face.extents == [1.0, 1.0, 0.0]
    assert len(server.bodies) == 2


# --- Verdicts that are carried over


def carried(face: Face) -> list[tuple[str, ...]]:
    return [tuple(map(str, each.carried_over)) for each in face.run.assessments]


async def test_a_holistic_verdict_is_carried_over_when_another_criterion_changes_and_asked_about_anew(
    tmp_path: Path, server: ModelServer
) -> None:
    async with judged(tmp_path, blueprint(server, "holistic")) as face:
        assert carried(face) == [(), (), ()]
        await face.change("Is friendly", "Very Is friendly")
        assert [bool(each) for each in carried(face)] == [False, True, False]
        assert "1 verdict before this edit" in str(face.result.headline)
        await face.judge()
        assert carried(face) == [(), (), ()]
    assert len(server.bodies) == 4


async def test_another_description_carries_holistic_verdicts_over_in_every_prompt(
    tmp_path: Path, server: ModelServer
) -> None:
    async with judged(tmp_path, f"description: On leases.\n{blueprint(server, 'holistic')}") as face:
        await face.change("On leases", "Not On leases")
        await face.until(lambda: carried(face) == [(), ("description",), ("description",)])
        await face.change("Not On leases", "On leases")
        await face.until(lambda: carried(face) == [(), (), ()])
    assert len(server.bodies) == 2


# --- What the ideal scores

ECHO = ControlSource(ControlKind.ECHO)


def against_ideal(face: Face) -> str | None:
    assert face.run.explanation is not None
    return face.run.explanation.against_ideal


async def test_verdicts_on_the_ideal_count(tmp_path: Path, server: ModelServer) -> None:
    async with judged(tmp_path, blueprint(server)) as face:
        assert face.score == pytest.approx(2 / 3)
        await face.choose(ECHO)
        await face.f5()
        assert against_ideal(face) == (
            "evidence: look at the answer and the rubric, as the ideal scores 66.7 on this rubric, more than this "
            "answer"
        )


async def test_grades_of_the_ideal_count(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(tmp_path, blueprint(server), at="- id: notice") as face:
        await face.f5()
        await face.grade(1, Grade.FULLY_PRESENT)
        await face.grade(2, Grade.FULLY_PRESENT)
        assert face.score == 1
        await face.choose(ECHO)
        await face.f5()
        assert against_ideal(face) == "evidence: look at the answer, as the ideal scores 100.0 on this rubric"


async def test_where_what_the_ideal_scores_is_not_known_that_is_said(tmp_path: Path, server: ModelServer) -> None:
    async with at_work(
        tmp_path, blueprint(server).replace("    - $icontains: 30 days\n", ""), at="- id: notice"
    ) as face:
        await face.choose(ECHO)
        await face.f5()
        await face.grade(0, Grade.ABSENT)
        assert against_ideal(face) == (
            "the ideal's score on this rubric is not known: run the ideal, and grade or judge it"
        )
