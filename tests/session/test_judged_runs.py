"""Judges: asked, kept, and what they said held while the rubric is edited; and what the ideal scores beside."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.asking.planner import PlannedRuns, Wanted
from engine.asking.run_plan import plan_lines
from engine.evaluation.prompt_evaluation import IdealScores
from engine.evaluation.sources import AnswerSource, Candidate, ControlKind, ControlSource, WrittenSource
from engine.functions.v8 import JavaScript
from engine.judging.panel import JudgesAs
from engine.parsing import parse
from engine.scoring.explanation import Bounds, IdealScore
from engine.store import PromptPlace, Store
from studio.session.evaluator import Cache, Evaluator
from studio.session.host import JudgeChoice
from studio.session.run import Run
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


# --- What the ideal of a prompt scores is worked out once for all answers of a launch


EVIDENCE = "evidence: look at the answer and the rubric, as the ideal scores 50.0 on this rubric, more than this answer"
SCORE = IdealScore(Bounds(1.0, 1.0), 1, "100.0")
BLUEPRINT = parse(
    "- {id: a, prompt: Where?, ideal: Paris, should: [$contains: Paris, $contains: Seine]}\n- {id: b, prompt: Who?}\n"
).blueprint
FIRST, SECOND = BLUEPRINT.prompts
PLACE = PromptPlace.of(Path("a.yml"), FIRST)


class Counting(Cache):
    """Counts how often the grades of an ideal are wanted, which is once for each time that it is scored."""

    def __init__(self) -> None:
        super().__init__(Store, lambda error: pytest.fail(str(error)))
        self.wanted = 0

    def grades(self, place: PromptPlace, subject: str):
        self.wanted += subject == FIRST.ideal
        return super().grades(place, subject)


class Working:
    """Works out a score, slowly; the first times it fails with what is in `troubles`."""

    def __init__(self, *troubles: BaseException) -> None:
        self.times = 0
        self.troubles = list(troubles)

    async def __call__(self) -> IdealScore:
        self.times += 1
        await asyncio.sleep(0)
        if self.troubles:
            raise self.troubles.pop(0)
        return SCORE


@pytest.fixture
def javascript() -> Iterator[JavaScript]:
    with JavaScript() as running:
        yield running


async def test_all_who_want_it_at_once_get_the_same_one() -> None:
    ideals, work = IdealScores(), Working()
    found = await asyncio.gather(*(ideals.of(FIRST, work) for _ in range(5)))
    assert (found, work.times) == ([SCORE] * 5, 1)


async def test_each_prompt_has_its_own() -> None:
    ideals, work = IdealScores(), Working()
    await ideals.of(FIRST, work)
    await ideals.of(SECOND, work)
    assert work.times == 2


async def test_where_the_first_fails_at_it_the_next_one_works_it_out() -> None:
    ideals, work = IdealScores(), Working(trouble := RuntimeError("a fault"))
    found = await asyncio.gather(ideals.of(FIRST, work), ideals.of(FIRST, work), return_exceptions=True)
    assert (found, work.times) == ([trouble, SCORE], 2)


async def test_where_the_first_is_ended_the_next_one_works_it_out() -> None:
    ideals, work = IdealScores(), Working()
    first, second = [asyncio.create_task(ideals.of(FIRST, work)) for _ in range(2)]
    await asyncio.sleep(0)
    first.cancel()
    assert await second == SCORE


def launched() -> PlannedRuns:
    return PlannedRuns(Wanted(BLUEPRINT, ()), None)


async def evaluated(javascript: JavaScript, *launches: PlannedRuns) -> tuple[list[str | None], int]:
    """What three answers are told of the ideal, each by its launch, and how often the ideal was scored."""
    cache = Counting()
    evaluator = Evaluator(cache, lambda: javascript)

    async def end(source: AnswerSource, launch: PlannedRuns) -> Run:
        run = Run(PLACE, FIRST, "", Candidate(source))
        async for event in evaluator.run(run, launch, asyncio.Event()):
            run = run.after(event)
        return run

    sources = (WrittenSource("Lyon"), WrittenSource("Nice"), ControlSource(ControlKind.REFUSAL))
    runs = await asyncio.gather(*map(end, sources, launches))
    return [run.explanation and run.explanation.against_ideal for run in runs], cache.wanted


async def test_runs_of_one_launch_share_it(javascript: JavaScript) -> None:
    launch = launched()
    told, times = await evaluated(javascript, launch, launch, launch)
    assert told == [EVIDENCE] * 3
    assert times == 1


async def test_another_launch_works_it_out_anew(javascript: JavaScript) -> None:
    _, times = await evaluated(javascript, launched(), launched(), launched())
    assert times == 3
