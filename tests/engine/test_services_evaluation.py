"""Services in an evaluation: verdicts as they come, inversion, errors, consent, answers kept for a day, stopping."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import Blueprint, Header, Point, Prompt
from engine.evaluation.events import Assessed, Event, Responded, Scored
from engine.evaluation.prompt_evaluation import evaluate, rescore
from engine.evaluation.service_assessment import FRESH_FOR, Services
from engine.evaluation.sources import WrittenSource
from engine.functions.v8 import JavaScript
from engine.scoring.assessment import OnWeval
from engine.store import Store
from engine.text.record import replace
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data
from tests.engine.builders import check, prompt, text
from tests.engine.provider_server import answers, said
from tests.held_replies import held

PARIS = WrittenSource("Paris.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "answers.sqlite3")
    yield store
    store.close()


@pytest.fixture
def several() -> Iterator[HTTPServer]:
    """A server that answers several at once."""
    with HTTPServer(threaded=True) as server:
        yield server


def asks(server: HTTPServer, name: str = "call", path: str = "/check", **more: Data) -> Point:
    url = server.url_for(path).replace("localhost", "127.0.0.1")
    return check(name, {"url": url, "max_retries": 0, **more})


def allowed(server: HTTPServer, **fields: Any) -> Services:
    host = frozenset({f"127.0.0.1:{server.port}"})
    return replace(Services(Header(NOWHERE), allowed=host, private=host), **fields)


async def events_of(stream: AsyncIterator[Event]) -> list[Event]:
    return [event async for event in stream]


async def run(
    rubric: Prompt, services: Services | None, javascript: JavaScript, stop: asyncio.Event | None = None
) -> list[Event]:
    blueprint = Blueprint(Header(NOWHERE), (rubric,))
    return await events_of(evaluate(rubric, blueprint, PARIS, javascript=javascript, services=services, stop=stop))


def scored(events: Sequence[Event]) -> Scored:
    end = events[-1]
    assert isinstance(end, Scored)
    return end


async def test_a_verdict_comes_before_the_score_with_its_explanation(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    answers(httpserver, said({"score": 0.85, "explain": "Two sources agree."}))
    rubric = prompt([check("contains", "Paris"), asks(httpserver), text("is friendly")])
    responded, first, second, end = await run(rubric, allowed(httpserver), javascript)
    assert isinstance(responded, Responded)
    assert [(event.index, event.assessment.extent) for event in (first, second) if isinstance(event, Assessed)] == [
        (0, 1.0),
        (1, 0.85),
    ]
    assert isinstance(end, Scored)
    assert end.assessments[1].reflection == "Two sources agree."
    assert end.assessments[1].detail == "the service gives 0.85 of 1"
    assert end.assessments[1].on_weval is OnWeval.SAME
    assert end.explanation.score == pytest.approx(0.925)


async def test_an_explanation_with_control_characters_is_saved_as_data(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    answers(httpserver, said({"score": 1, "explain": "\x1b]0;owned\x07 [b]bold[/b]"}))
    end = scored(await run(prompt([asks(httpserver)]), allowed(httpserver), javascript))
    assert end.assessments[0].reflection == "\x1b]0;owned\x07 [b]bold[/b]"
    assert end.assessments[0].detail.isprintable()


@pytest.mark.parametrize(
    ("block", "name", "extent", "detail"),
    [
        ("should", "call", 0.75, "the service gives 0.75 of 1"),
        ("should", "external", 0.75, "the service gives 0.75 of 1"),
        ("should", "not_call", 0.25, "the service gives 0.75 of 1, which is inverted here"),
        ("should_not", "call", 0.25, "the service gives 0.75 of 1, so it counts 25 here"),
        (
            "should_not",
            "not_call",
            0.75,
            "the service gives 0.75 of 1, which is inverted here, so it counts 75 here",
        ),
    ],
)
async def test_a_score_is_turned_round_as_for_other_checks(
    block: str, name: str, extent: float, detail: str, httpserver: HTTPServer, javascript: JavaScript
) -> None:
    answers(httpserver, said({"score": 0.75}))
    end = scored(await run(prompt(**{block: [asks(httpserver, name)]}), allowed(httpserver), javascript))
    assert (end.assessments[0].extent, end.assessments[0].detail) == (extent, detail)


@pytest.mark.parametrize("block", ["should", "should_not"])
@pytest.mark.parametrize("name", ["call", "not_call"])
async def test_a_service_that_fails_counts_0_after_every_turn(
    block: str, name: str, httpserver: HTTPServer, javascript: JavaScript
) -> None:
    answers(httpserver, said({"error": "boom"}, status=500))
    end = scored(await run(prompt(**{block: [asks(httpserver, name)]}), allowed(httpserver), javascript))
    (assessment,) = end.assessments
    assert (assessment.extent, assessment.on_weval) == (0.0, OnWeval.ERROR)
    assert assessment.error == (
        f"The service at 127.0.0.1:{httpserver.port}: it failed (500), saying “boom”. "
        "The service itself failed. Try again later."
    )


async def test_what_an_author_got_wrong_is_the_points_error(javascript: JavaScript) -> None:
    services = Services(Header(NOWHERE, fields={"externalServices": {"facts": {"url": "https://a.example"}}}))
    end = scored(await run(prompt([check("call", {"service": "fakts"})]), services, javascript))
    assert end.assessments[0].extent == 0.0
    assert end.assessments[0].error == ("There is no service “fakts” in `externalServices`. There is “facts”.")


async def test_what_only_works_here_is_an_error_on_weval(httpserver: HTTPServer, javascript: JavaScript) -> None:
    answers(httpserver, said({"score": 1}))
    end = scored(await run(prompt([asks(httpserver, method="GET")]), allowed(httpserver), javascript))
    assert (end.assessments[0].extent, end.assessments[0].on_weval) == (1.0, OnWeval.ERROR)


# Consent


async def test_without_services_a_point_stays_open(httpserver: HTTPServer, javascript: JavaScript) -> None:
    requests = answers(httpserver, said({"score": 1}))
    end = scored(await run(prompt([asks(httpserver), check("contains", "Paris")]), None, javascript))
    assert (end.assessments[0].extent, end.explanation.score) == (None, 1.0)
    assert (end.explanation.bounds.low, end.explanation.bounds.high) == (0.5, 1.0)
    assert requests == []


async def test_a_host_that_is_not_allowed_is_not_asked(httpserver: HTTPServer, javascript: JavaScript) -> None:
    requests = answers(httpserver, said({"score": 1}))
    services = allowed(httpserver, allowed=frozenset({"facts.example", "127.0.0.1"}))
    end = scored(await run(prompt([asks(httpserver)]), services, javascript))
    assert end.assessments[0].extent is None
    assert end.assessments[0].error == f"not called: this run may not send anything to 127.0.0.1:{httpserver.port}"
    assert requests == []


async def test_an_allowed_host_on_this_machine_has_to_be_allowed_as_such(
    httpserver: HTTPServer, javascript: JavaScript
) -> None:
    requests = answers(httpserver, said({"score": 1}))
    end = scored(await run(prompt([asks(httpserver)]), allowed(httpserver, private=frozenset()), javascript))
    assert end.assessments[0].extent is None
    assert end.assessments[0].error == (
        f"not called: 127.0.0.1:{httpserver.port} is on this machine or in its network, which must be allowed"
    )
    assert requests == []


# All at once


async def test_calls_are_made_at_the_same_time_and_reported_as_they_come(
    several: HTTPServer, javascript: JavaScript
) -> None:
    together = threading.Barrier(3)
    first_answered = threading.Event()

    def handle(request: Request) -> Response:
        together.wait(5)
        if request.path == "/0":
            first_answered.wait(5)
        return said({"score": int(request.path[1:]) / 2})

    for number in range(3):
        several.expect_request(f"/{number}").respond_with_handler(handle)
    rubric = prompt([asks(several, path=f"/{number}") for number in range(3)])
    blueprint = Blueprint(Header(NOWHERE), (rubric,))
    told: list[int] = []
    stream = evaluate(rubric, blueprint, PARIS, javascript=javascript, services=allowed(several))
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, Assessed):
                told.append(event.index)
                if len(told) == 2:
                    first_answered.set()
    assert sorted(told[:2]) == [1, 2]
    assert told[2] == 0


async def test_the_same_request_is_sent_once(httpserver: HTTPServer, javascript: JavaScript) -> None:
    requests = answers(httpserver, said({"score": 0.25}))
    rubric = prompt([asks(httpserver), asks(httpserver, "not_call")], [asks(httpserver)])
    end = scored(await run(rubric, allowed(httpserver), javascript))
    assert [each.extent for each in end.assessments] == [0.25, 0.75, 0.75]
    assert len(requests) == 1


# Kept for a day


async def test_an_answer_holds_for_a_day(httpserver: HTTPServer, javascript: JavaScript, store: Store) -> None:
    requests = answers(httpserver, said({"score": 0.5, "explain": "So so."}))
    services = allowed(httpserver, cache=store)
    first = scored(await run(prompt([asks(httpserver)]), services, javascript)).assessments[0]
    again = scored(await run(prompt([asks(httpserver)]), services, javascript)).assessments[0]
    assert len(requests) == 1
    assert (again.extent, again.reflection) == (first.extent, first.reflection)
    assert again.detail == "the service gives 0.5 of 1, as it did before"


async def test_after_a_day_it_is_asked_again(httpserver: HTTPServer, javascript: JavaScript, store: Store) -> None:
    class Later:
        """What is kept, seen a day later."""

        save_service_answer = store.save_service_answer

        def service_answer(self, key: str, not_before: datetime) -> str | None:
            assert timedelta(0) <= datetime.now(UTC) - not_before - FRESH_FOR < timedelta(minutes=1)
            return store.service_answer(key, not_before + FRESH_FOR + timedelta(seconds=1))

    requests = answers(httpserver, said({"score": 0.5}))
    await run(prompt([asks(httpserver)]), allowed(httpserver, cache=store), javascript)
    await run(prompt([asks(httpserver)]), allowed(httpserver, cache=Later()), javascript)
    assert len(requests) == 2


async def test_an_old_answer_is_held_against_the_rubric_with_what_was_said_of_it_then(
    httpserver: HTTPServer, javascript: JavaScript, store: Store
) -> None:
    class LongAgo:
        """What is kept, seen years later."""

        save_service_answer = store.save_service_answer

        def service_answer(self, key: str, not_before: datetime) -> str | None:
            return store.service_answer(key, not_before + 1000 * FRESH_FOR)

    answers(httpserver, said({"score": 0.5}))
    rubric = prompt([asks(httpserver)])
    before = scored(await run(rubric, allowed(httpserver, cache=store), javascript))
    services = allowed(httpserver, cache=LongAgo())
    stream = rescore(rubric, PARIS, before.response, javascript=javascript, header=Header(NOWHERE), services=services)
    assert scored(await events_of(stream)).assessments[0].extent == 0.5


async def test_a_failure_is_not_cached(httpserver: HTTPServer, javascript: JavaScript, store: Store) -> None:
    requests = answers(httpserver, said({}, status=400), said({"score": 1}))
    services = allowed(httpserver, cache=store)
    await run(prompt([asks(httpserver)]), services, javascript)
    assert scored(await run(prompt([asks(httpserver)]), services, javascript)).assessments[0].extent == 1.0
    assert len(requests) == 2


async def test_cache_false_asks_each_time(httpserver: HTTPServer, javascript: JavaScript, store: Store) -> None:
    requests = answers(httpserver, said({"score": 1}))
    rubric = prompt([asks(httpserver, cache=False), asks(httpserver, cache=False)])
    await run(rubric, allowed(httpserver, cache=store), javascript)
    assert len(requests) == 2


async def test_with_cache_false_too_a_verdict_stands_while_nobody_is_asked(
    httpserver: HTTPServer, javascript: JavaScript, store: Store
) -> None:
    answers(httpserver, said({"score": 0.5}))
    services, rubric = allowed(httpserver, cache=store), prompt([asks(httpserver, cache=False)])
    before = scored(await run(rubric, services, javascript))
    stream = rescore(rubric, PARIS, before.response, javascript=javascript, header=Header(NOWHERE), services=services)
    assert scored(await events_of(stream)).assessments[0].extent == 0.5


async def test_an_answer_to_another_response_is_not_taken(
    httpserver: HTTPServer, javascript: JavaScript, store: Store
) -> None:
    requests = answers(httpserver, said({"score": 1}))
    services, rubric = allowed(httpserver, cache=store), prompt([asks(httpserver)])
    blueprint = Blueprint(Header(NOWHERE), (rubric,))
    await run(rubric, services, javascript)
    await events_of(evaluate(rubric, blueprint, WrittenSource("Rome."), javascript=javascript, services=services))
    assert len(requests) == 2


async def test_no_key_reaches_the_database(
    httpserver: HTTPServer, javascript: JavaScript, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-secret-12345")
    answers(httpserver, said({"score": 1, "explain": "key sk-secret-12345"}))
    point = asks(httpserver, headers={"X-Key": "${FACTS_KEY}"}, depth="${FACTS_KEY}")
    end = scored(await run(prompt([point]), allowed(httpserver, cache=store), javascript))
    assert end.assessments[0].reflection == "key ***"
    assert not any(b"sk-secret" in path.read_bytes() for path in tmp_path.iterdir())


async def test_an_answer_held_against_the_rubric_again_asks_nobody(
    httpserver: HTTPServer, javascript: JavaScript, store: Store
) -> None:
    requests = answers(httpserver, said({"score": 0.5}))
    services, rubric = allowed(httpserver, cache=store), prompt([asks(httpserver)])
    before = scored(await run(rubric, services, javascript))
    more = prompt([asks(httpserver), asks(httpserver, path="/other")])
    stream = rescore(more, PARIS, before.response, javascript=javascript, header=Header(NOWHERE), services=services)
    end = scored(await events_of(stream))
    assert [each.extent for each in end.assessments] == [0.5, None]
    assert end.assessments[1].error == (
        f"not called again: no reply of 127.0.0.1:{httpserver.port} on this answer is cached"
    )
    assert len(requests) == 1


# Stopping


async def test_stop_ends_calls_at_once_and_keeps_what_had_come(several: HTTPServer, javascript: JavaScript) -> None:
    several.expect_request("/quick").respond_with_response(said({"score": 1}))
    rubric = prompt([asks(several, path="/slow"), asks(several, path="/quick")])
    blueprint = Blueprint(Header(NOWHERE), (rubric,))
    stop, events = asyncio.Event(), list[Event]()
    stream = evaluate(rubric, blueprint, PARIS, javascript=javascript, services=allowed(several), stop=stop)
    with held(lambda: said({"score": 1})) as holding:
        several.expect_request("/slow").respond_with_handler(holding)
        async with aclosing(stream):
            async for event in stream:
                events.append(event)
                if isinstance(event, Assessed) and event.index == 1:
                    stop.set()
    end = scored(events)
    assert [each.extent for each in end.assessments] == [None, 1.0]
    assert end.assessments[0].error == "stopped before the service answered"


async def test_closing_the_stream_ends_calls(several: HTTPServer, javascript: JavaScript) -> None:
    with held(lambda: said({"score": 1})) as holding:
        several.expect_request("/slow").respond_with_handler(holding)
        task = asyncio.ensure_future(run(prompt([asks(several, path="/slow")]), allowed(several), javascript))
        await asyncio.to_thread(holding.arrived.wait)
        task.cancel()
        await asyncio.wait((task,), timeout=30)
        assert (task.cancelled(), len(asyncio.all_tasks())) == (True, 1)
