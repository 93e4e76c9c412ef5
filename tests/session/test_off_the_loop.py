"""Nothing of the database and of files is touched on the event loop: one turn of it that waits for a disk is felt."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.evaluation.sources import FixtureSource, ModelSource, StoredSource, WrittenSource
from engine.files.open_files import open_file
from engine.files.own_files import data_dir
from engine.scoring.assessment import Grade
from engine.store import Store
from studio.session.result_files import export_results
from tests.loop_io import watched_loop
from tests.session.faces import Face, open_face
from tests.session.story import story
from tests.studio.model_server import ModelServer, is_for_a_judge, verdict
from tests.studio.text_files import text_file

BLUEPRINT = text_file("off-the-loop.yml")


def says(body: dict[str, Any]) -> str:
    return verdict("CLASS_FULLY_PRESENT") if is_for_a_judge(body) else "It is 30 days, as the lease says."


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    httpserver.expect_request("/check", method="POST").respond_with_json({"score": 0.5, "explain": "Half of it."})
    return ModelServer(httpserver, says)


@pytest.fixture
def touched() -> Iterator[list[str]]:
    """What the product touches on the loop while the test runs."""
    with watched_loop() as seen:
        yield seen


@pytest.fixture
def path(tmp_path: Path, server: ModelServer, httpserver: HTTPServer) -> Path:
    path = tmp_path / "tenants.yml"
    host = f"{httpserver.host}:{httpserver.port}"
    path.write_text(BLUEPRINT.format(model=server.model("judge"), host=host), "utf-8")
    return path


async def ready(path: Path, *answers: Any) -> Face:
    """A face with the cursor in the first prompt."""
    return await open_face(path, *answers, at="notice period")


def is_judged(face: Face) -> bool:
    found = face.runs.selection.run
    return found is not None and not found.running and found.explanation is not None and found.explanation.bounds.closed


# --- Stories


async def test_opening_editing_fixing_saving_and_streaming(
    tmp_path: Path, server: ModelServer, touched: list[str]
) -> None:
    server.held = True
    await story(tmp_path, server.url.removesuffix("/chat/completions"))
    server.release()
    assert touched == []


async def test_judges_services_and_grades_anew_and_from_before(path: Path, touched: list[str]) -> None:
    for _ in range(2):  # the second time all verdicts and the service's reply are in the database
        face = await ready(path, "ask", "ask", "ask", "ask")
        face.judged()
        await face.f5()
        assert is_judged(face)
        await face.grade(4, Grade.ABSENT)
        await face.grade(4, None)
        await face.judge()
        await face.close()
    assert touched == []


async def test_a_model_s_answer_anew_from_before_in_all_prompts_and_after_reopening(
    path: Path, server: ModelServer, touched: list[str]
) -> None:
    face = await ready(path, "ask", "ask", "ask", "ask")
    await face.choose(ModelSource("own:judge"))
    await face.f5()
    await face.f5()
    await face.f5(fresh=True)
    await face.f6()
    face.author.answers = ["Another answer: 30 days."]
    await face.runs.edits.edit(face.runs.views.answer().turns[-1])
    await face.settled()
    face.runs.edits.undo()
    await face.settled()
    await face.close()
    again = await ready(path)
    await again.until(lambda: (found := again.runs.selection.run) is not None and found.restored)
    history = await again.runs.history.view()
    await again.runs.history.open(history.runs[0])
    await again.settled()
    await again.close()
    assert touched == []


async def test_answers_of_the_author_and_of_files(path: Path, tmp_path: Path, touched: list[str]) -> None:
    fixtures = tmp_path / "fixtures.yml"
    fixtures.write_text("notice: It is 30 days.\nwho: The lease.\n", "utf-8")
    face = await ready(path, "ask", "ask")
    await face.choose(WrittenSource(""))
    face.runs.selection.write("It is 30 days.")
    await face.f5()
    await face.choose(FixtureSource(fixtures))
    await face.f5()
    out = tmp_path / "result.json"
    face.author.answers = [str(out)]
    await export_results(face.runs)
    assert out.is_file()
    await face.choose(StoredSource(out, "fixtures"))
    await face.f5()
    await face.close()
    assert touched == []


async def test_choosing_answers_and_judges_planning_saving_elsewhere_and_loading_again(
    path: Path, tmp_path: Path, touched: list[str]
) -> None:
    face = await ready(path)
    await face.runs.configuration.ask()
    await face.runs.choose_judges()
    await face.runs.preview(all_prompts=False)
    await face.runs.preview(all_prompts=True)
    face.author.answers = [str(tmp_path / "other.yml")]
    assert await face.session.file.save_as()
    face.replace("Is friendly", "Is very friendly")
    await face.session.file.write_journal()
    face.author.answers = ["reload"]
    await face.session.file.reload()
    await face.until(lambda: "very" not in face.text)
    await face.settled()
    face.replace("Is friendly", "Is very friendly")
    await face.session.file.write_journal()
    await face.close()
    again = await ready(tmp_path / "other.yml", "take")
    await again.until(lambda: "Is very friendly" in again.text)
    again.session.remember(lambda settings: setattr(settings, "wrap", False))
    await again.settled()
    again.author.answers = ["discard"]
    assert await again.session.file.may_leave()
    await again.close()
    assert touched == []


@pytest.mark.parametrize("way", ["stopped", "abandoned"])
async def test_a_run_that_ends_early_is_saved_off_the_loop(
    way: str, path: Path, server: ModelServer, touched: list[str]
) -> None:
    server.held = True
    face = await ready(path, "ask", "ask", "ask")
    await face.choose(ModelSource("own:judge"))
    face.runs.run_or_stop()
    await face.until(lambda: face.session.state.arriving)
    if way == "stopped":
        await face.f5()
    await face.close()
    server.release()
    states = await asyncio.to_thread(_states)
    assert states == ["stopped"]
    assert touched == []


def _states() -> list[str]:
    """How the runs in the database ended."""
    store = Store()
    connection = sqlite3.connect(data_dir() / "studio.sqlite3")
    try:
        return [state for (state,) in connection.execute("SELECT state FROM run")]
    finally:
        connection.close()
        store.close()


# --- The guard itself


async def test_the_guard_sees_a_database_that_is_used_on_the_loop(touched: list[str]) -> None:
    store = Store()
    store.close()
    assert [each for each in touched if "sqlite3.connect" in each]
    assert [each for each in touched if "sqlite3 execute" in each]


async def test_the_guard_sees_a_file_that_is_read_and_one_that_is_looked_for(
    tmp_path: Path, touched: list[str]
) -> None:
    (tmp_path / "x.yml").write_text("a: 1\n", "utf-8")
    open_file(tmp_path / "x.yml")
    assert [each.split(": ")[1].split()[0] for each in touched] == ["os.stat", "open", "os.access"]


async def test_the_guard_lets_threads_do_it(tmp_path: Path, touched: list[str]) -> None:
    (tmp_path / "x.yml").write_text("a: 1\n", "utf-8")
    await asyncio.to_thread(open_file, tmp_path / "x.yml")
    assert touched == []
