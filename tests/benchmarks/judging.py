"""One prompt with 20 points in words and two judges, from the request to the last verdict; and what stopping takes."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from functools import partial
from typing import Any

import aiohttp

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.events import Assessed, Delta, Event, JudgingBegan, Scored
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import AnswerSource, ModelSource, WrittenSource
from engine.evaluation.verdicts import Judges
from engine.functions.v8 import JavaScript
from engine.judging.panel import panel
from engine.models.provider_registry import resolve
from engine.parsing import parse
from tests.benchmarks.model_server import Pace, model, running
from tests.benchmarks.table import Row, row

POINTS = 20
ROUNDS = 15
_MODEL = ModelSource("own:first")
ANSWER, JUDGE = 0.3, 0.2
"""Seconds that the servers take."""
MOST = 1.15
"""How many times the servers' own time a run may take."""
MOST_OF_RAW = 1.5
"""How many times the time of the same requests, sent by another client, a run may take."""
CANCEL_MOST = 200


def measure() -> Iterator[Row]:
    """Runs beside the same requests sent by `aiohttp` alone, in turn; then from the wish to stop to the end."""
    what = f"{POINTS} points × 2 judges"
    with running(Pace(ANSWER, JUDGE)) as first, running(Pace(ANSWER, JUDGE)) as second, JavaScript() as javascript:
        blueprint = _blueprint(first, second)
        for label, source, seconds in (
            ("judged run", _MODEL, ANSWER + JUDGE),
            ("judges only", WrittenSource("Everything."), JUDGE),
        ):
            pairs = asyncio.run(_pairs(blueprint, source, javascript, (first, second)))
            yield row(f"{label}: raw aiohttp", what, "ms", [raw for raw, _ in pairs])
            most = (MOST * seconds * 1000, float("inf")) if source is _MODEL else None
            yield row(f"{label}: engine", what, "ms", [engine for _, engine in pairs], most)
            ratios = [engine / raw for raw, engine in pairs]
            yield row(f"{label}: engine ÷ aiohttp", what, "×", ratios, (MOST_OF_RAW, float("inf")))
        stopped = asyncio.run(_repeated(lambda: _stopped(blueprint, javascript, Assessed)))
        yield row("stop: while judges answer", what, "ms", stopped, (CANCEL_MOST, CANCEL_MOST))
    with running(Pace(0.0, JUDGE, between=0.005, words=2000)) as slow, JavaScript() as javascript:
        blueprint = _blueprint(slow, slow)
        stopped = asyncio.run(_repeated(lambda: _stopped(blueprint, javascript, Delta)))
        yield row("stop: while an answer streams", "200 tokens a second", "ms", stopped, (CANCEL_MOST, CANCEL_MOST))


def _blueprint(first: str, second: str) -> Blueprint:
    models = [model("first", first), model("second", second)]
    judges = [{"model": f"own:{name}", "approach": "holistic", "id": name} for name in ("first", "second")]
    header = {"models": models, "evaluationConfig": {"llm-coverage": {"judges": judges}}}
    points = [f"Says what criterion number {number} asks for" for number in range(POINTS)]
    prompt = {"id": "one", "prompt": "Tell me everything.", "should": points}
    return parse(f"{json.dumps(header)}\n---\n{json.dumps([prompt])}\n").blueprint


async def _repeated(once: Callable[[], Awaitable[float]]) -> list[float]:
    """Milliseconds of each round after the first, which opens the connections."""
    return [await once() * 1000 for _ in range(ROUNDS + 1)][1:]


async def _pairs(
    blueprint: Blueprint, source: AnswerSource, javascript: JavaScript, urls: tuple[str, str]
) -> list[tuple[float, float]]:
    """Milliseconds by hand and by the engine of each round after the first, which opens the connections."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def once() -> tuple[float, float]:
            raw = await _by_hand(session, urls, answer=source is _MODEL)
            return raw * 1000, await _judged(blueprint, source, javascript) * 1000

        return [await once() for _ in range(ROUNDS + 1)][1:]


def _events(
    prompt: Prompt, blueprint: Blueprint, source: AnswerSource, javascript: JavaScript, stop: asyncio.Event
) -> AsyncGenerator[Event]:
    providers = partial(resolve, custom=blueprint.header.models)
    judges = Judges(panel(blueprint.header), providers)
    return evaluate(prompt, blueprint, source, javascript=javascript, judges=judges, stop=stop)


async def _judged(blueprint: Blueprint, source: AnswerSource, javascript: JavaScript) -> float:
    """Seconds from the request to the last verdict."""
    began = time.perf_counter()
    last: Event | None = None
    async with aclosing(_events(blueprint.prompts[0], blueprint, source, javascript, asyncio.Event())) as events:
        async for event in events:
            last = event
    took = time.perf_counter() - began
    assert isinstance(last, Scored)
    assert last.explanation.bounds.closed
    return took


async def _stopped(blueprint: Blueprint, javascript: JavaScript, at: type[Event]) -> float:
    """Seconds from the wish to stop, at the first event of a kind, to the end of the run."""
    stop = asyncio.Event()
    asked = 0.0
    async with aclosing(_events(blueprint.prompts[0], blueprint, _MODEL, javascript, stop)) as events:
        async for event in events:
            if not asked and isinstance(event, (at, JudgingBegan)):
                asked = time.perf_counter()
                stop.set()
    return time.perf_counter() - asked


async def _by_hand(session: aiohttp.ClientSession, urls: tuple[str, str], *, answer: bool) -> float:
    """Seconds for one request where an `answer` is wanted, and then twenty to each server at once."""
    ask: dict[str, Any] = {
        "model": "m",
        "stream": True,
        "messages": [{"role": "user", "content": "Tell me everything."}],
    }
    judge = {**ask, "messages": [{"role": "system", "content": "You are an examiner."}, *ask["messages"]]}

    async def post(url: str, body: dict[str, Any]) -> None:
        async with session.post(f"{url}/chat/completions", json=body) as response:
            await response.read()

    began = time.perf_counter()
    if answer:
        await post(urls[0], ask)
    await asyncio.gather(*(post(url, judge) for url in urls for _ in range(POINTS)))
    return time.perf_counter() - began
