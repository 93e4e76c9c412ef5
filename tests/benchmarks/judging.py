"""One prompt with 20 points in words and two judges, from the request to the last verdict; and what stopping takes."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from functools import partial
from typing import Any

import httpx

from engine.blueprint import Blueprint, Prompt
from engine.evaluation import AllJudged, Delta, Event, JudgingBegan, ModelSource, PointAssessed, evaluate
from engine.evaluation.judged import Judges
from engine.javascript import JavaScript
from engine.judging import panel
from engine.parsing import parse
from engine.providers import resolve
from tests.benchmarks.model_server import Pace, running
from tests.benchmarks.table import Row, row

POINTS = 20
ROUNDS = 15
ANSWER, JUDGE = 0.3, 0.2
"""Seconds that the servers take."""
MOST = 1.15
"""How many times the servers' own time a run may take."""
CANCEL_MOST = 200


def measure() -> Iterator[Row]:
    """All of it, beside the same requests sent by hand; then from the wish to stop to the end of a run."""
    what = f"{POINTS} points × 2 judges"
    with running(Pace(ANSWER, JUDGE)) as first, running(Pace(ANSWER, JUDGE)) as second, JavaScript() as javascript:
        blueprint = _blueprint(first, second)
        most = MOST * (ANSWER + JUDGE) * 1000
        yield row("judged run: bare requests", what, "ms", asyncio.run(_repeated(lambda: _by_hand(first, second))))
        samples = asyncio.run(_repeated(lambda: _judged(blueprint, javascript)))
        yield row("judged run: engine", what, "ms", samples, (most, float("inf")))
        stopped = asyncio.run(_repeated(lambda: _stopped(blueprint, javascript, PointAssessed)))
        yield row("stop: while judges answer", what, "ms", stopped, (CANCEL_MOST, CANCEL_MOST))
    with running(Pace(0.0, JUDGE, between=0.005, words=2000)) as slow, JavaScript() as javascript:
        blueprint = _blueprint(slow, slow)
        stopped = asyncio.run(_repeated(lambda: _stopped(blueprint, javascript, Delta)))
        yield row("stop: while an answer streams", "200 tokens a second", "ms", stopped, (CANCEL_MOST, CANCEL_MOST))


def _blueprint(first: str, second: str) -> Blueprint:
    models = [
        {"id": f"own:{name}", "url": f"{url}/chat/completions", "modelName": name, "inherit": "openai"}
        for name, url in (("first", first), ("second", second))
    ]
    judges = [{"model": f"own:{name}", "approach": "holistic", "id": name} for name in ("first", "second")]
    header = {"models": models, "evaluationConfig": {"llm-coverage": {"judges": judges}}}
    points = [f"Says what criterion number {number} asks for" for number in range(POINTS)]
    prompt = {"id": "one", "prompt": "Tell me everything.", "should": points}
    return parse(f"{json.dumps(header)}\n---\n{json.dumps([prompt])}\n").blueprint


async def _repeated(once: Callable[[], Awaitable[float]]) -> list[float]:
    """Milliseconds of each round after the first, which opens the connections."""
    return [await once() * 1000 for _ in range(ROUNDS + 1)][1:]


def _events(prompt: Prompt, blueprint: Blueprint, javascript: JavaScript, stop: asyncio.Event) -> AsyncGenerator[Event]:
    providers = partial(resolve, custom=blueprint.header.models)
    judges = Judges(panel(blueprint.header), blueprint.header, providers)
    return evaluate(prompt, blueprint, ModelSource("own:first"), javascript=javascript, judges=judges, stop=stop)


async def _judged(blueprint: Blueprint, javascript: JavaScript) -> float:
    began = time.perf_counter()
    last: Event | None = None
    async with aclosing(_events(blueprint.prompts[0], blueprint, javascript, asyncio.Event())) as events:
        async for event in events:
            last = event
    took = time.perf_counter() - began
    assert isinstance(last, AllJudged)
    assert last.scored.explanation.bounds.closed
    return took


async def _stopped(blueprint: Blueprint, javascript: JavaScript, at: type[Event]) -> float:
    """Seconds from the wish to stop, at the first event of a kind, to the end of the run."""
    stop = asyncio.Event()
    asked = 0.0
    async with aclosing(_events(blueprint.prompts[0], blueprint, javascript, stop)) as events:
        async for event in events:
            if not asked and isinstance(event, (at, JudgingBegan)):
                asked = time.perf_counter()
                stop.set()
    return time.perf_counter() - asked


async def _by_hand(first: str, second: str) -> float:
    """Seconds for one request and then twice twenty, as bare as `httpx` sends them."""
    ask: dict[str, Any] = {
        "model": "m",
        "stream": True,
        "messages": [{"role": "user", "content": "Tell me everything."}],
    }
    judge = {**ask, "messages": [{"role": "system", "content": "You are an examiner."}, *ask["messages"]]}
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=200)) as client:
        began = time.perf_counter()
        await client.post(f"{first}/chat/completions", json=ask)
        await asyncio.gather(
            *(client.post(f"{url}/chat/completions", json=judge) for url in (first, second) for _ in range(POINTS))
        )
        return time.perf_counter() - began
