"""Repeats: asked how often and for consent, then the variation of generation and of judging, told apart."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.asking.run_plan import plan_lines
from engine.asking.spending import Cap
from engine.evaluation.sources import IdealSource, ModelSource
from studio.session.host import Choose, RunDecision, RunQuestion
from tests.session.faces import Face, at_work
from tests.studio.test_cli_run_repeat import Bench

SEND = RunDecision(Cap())


@pytest.fixture
def bench(httpserver: HTTPServer) -> Bench:
    return Bench(httpserver)


@asynccontextmanager
async def ready(folder: Path, text: str, models: tuple[str, ...], *answers: Any) -> AsyncIterator[Face]:
    """The cursor is in the prompt; these models answer, and the blueprint's judge judges."""
    async with at_work(folder, text, *answers) as face:
        face.judged()
        await face.choose(*(ModelSource(f"own:{name}") for name in models) if models else (IdealSource(),))
        face.session.move(face.analysis.starts[0])
        await face.settled()
        yield face


async def repeated(face: Face) -> str:
    """What is said once the repeats are done."""
    assert await face.runs.repeats.ask(all_prompts=False)
    await face.settled()
    shown = face.session.state.repeated
    assert shown is not None
    return "\n".join(shown.lines)


async def test_generation_and_judging_are_told_apart_and_the_last_result_is_shown_again(
    tmp_path: Path, bench: Bench
) -> None:
    bench.verdicts = ["CLASS_FULLY_PRESENT", "CLASS_UNMET"]

    def again(question: Choose) -> str:
        return next(each.id for each in question.choices if "Show the last result" in each.label)

    async with ready(tmp_path, bench.blueprint(), ("mixed",), "4", "2", SEND, again) as face:
        text = await repeated(face)
        assert "generation  ±" in text
        assert "judging     ±" in text
        asked = [question.text for question in face.author.asked[:2]]  # pyright: ignore[reportAttributeAccessIssue]
        assert ["How often is the prompt answered" in asked[0], "How often does each judge" in asked[1]] == [True, True]
        assert (bench.sent["mixed"], bench.sent["judge"]) == (4, 8)
        assert await repeated(face) == text
    assert bench.sent["mixed"] == 4


async def test_the_plan_is_shown_although_everything_stays_here_and_can_be_declined(
    tmp_path: Path, bench: Bench
) -> None:
    async with ready(tmp_path, bench.blueprint(), ("steady",), "3", "2", None) as face:
        assert not await face.runs.repeats.ask(all_prompts=False)
        question = face.author.asked[-1]
        assert isinstance(question, RunQuestion)
        assert "Each prompt is answered 3 times, and each answer is judged 2 times by each judge" in question.note
    assert not bench.sent


async def test_two_models_are_compared(tmp_path: Path, bench: Bench) -> None:
    async with ready(tmp_path, bench.blueprint(checks=True), ("steady", "bad"), "4", SEND) as face:
        assert "exact permutation test, 70 splits" in await repeated(face)


async def test_without_a_model_and_judges_it_says_what_repeats(tmp_path: Path) -> None:
    text = "- {id: a, prompt: When?, ideal: Now., should: [{$contains: Now}]}\n"
    async with ready(tmp_path, text, ()) as face:
        assert not await face.runs.repeats.ask(all_prompts=False)
        assert "Only a model gives another answer" in face.told[-1]


async def test_the_plan_of_all_prompts_is_shown(tmp_path: Path, bench: Bench) -> None:
    async with ready(tmp_path, bench.blueprint(3, checks=True), ("steady",), "2", None) as face:
        assert not await face.runs.repeats.ask(all_prompts=True)
        question = face.author.asked[-1]
        assert isinstance(question, RunQuestion)
        assert "own:steady answers: gets the prompt's messages · 6 requests" in "\n".join(plan_lines(question.plan))
    assert not bench.sent
