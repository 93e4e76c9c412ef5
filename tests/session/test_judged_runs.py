"""Judges: asked, kept, and what they said held while the rubric is edited; and what the ideal scores beside."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.asking.run_plan import plan_lines
from engine.judging.panel import JudgesAs
from studio.session.host import JudgeChoice
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


# --- Verdicts that are carried over


def carried(face: Face) -> list[tuple[str, ...]]:
    return [tuple(map(str, each.carried_over)) for each in face.run.assessments]


async def test_another_description_carries_holistic_verdicts_over_in_every_prompt(
    tmp_path: Path, server: ModelServer
) -> None:
    async with judged(tmp_path, f"description: On leases.\n{blueprint(server, 'holistic')}") as face:
        await face.change("On leases", "Not On leases")
        await face.until(lambda: carried(face) == [(), ("description",), ("description",)])
        await face.change("Not On leases", "On leases")
        await face.until(lambda: carried(face) == [(), (), ()])
    assert len(server.bodies) == 2
