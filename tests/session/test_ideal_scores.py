"""What the ideal of a prompt scores is worked out once for all answers of a launch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.asking.planner import PlannedRuns, Wanted
from engine.evaluation.prompt_evaluation import IdealScores
from engine.evaluation.sources import AnswerSource, Candidate, ControlKind, ControlSource, WrittenSource
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.scoring.explanation import Bounds, IdealScore
from engine.store import PromptPlace, Store
from studio.session.evaluator import Cache, Evaluator
from studio.session.run import Run

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
        run = Run(PLACE, FIRST, "", 0, Candidate(source))
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
