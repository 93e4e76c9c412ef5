"""A service over a real line: answers, failures in words, tries again, and keys that are not told."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import Blueprint, Header, Point, Prompt
from engine.evaluation.events import Assessed, Event, Scored
from engine.evaluation.prompt_evaluation import FRESH_FOR, Services, evaluate, rescore
from engine.evaluation.sources import WrittenSource
from engine.functions.v8 import JavaScript
from engine.models.chat import Failure
from engine.models.service_client import Answer
from engine.store import Store
from engine.text.record import replace
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data
from tests.engine.builders import check, prompt, text
from tests.engine.provider_server import answers, said
from tests.engine.service_requests import GOOD, SECRET, trouble, url_of, verdict, words
from tests.engine.short_cases import assert_says, data_of
from tests.expected import of_kind, present
from tests.held_replies import held

# Answers


async def test_a_score_and_an_explanation_come_back(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said(GOOD))
    assert await verdict(url_of(httpserver), claim="It is {response}") == Answer(0.75, "Mostly so.")
    (request,) = requests
    assert (request.method, request.headers["Content-Type"]) == ("POST", "application/json")
    assert json.loads(request.get_data())["claim"] == "It is Paris."


async def test_an_explanation_is_bounded_and_kept_word_for_word(httpserver: HTTPServer) -> None:
    answers(httpserver, said({"score": 1, "explain": "\x1b[31m" + "a" * 30_000}))
    answer = await verdict(url_of(httpserver))
    assert answer.explanation == "\x1b[31m" + "a" * 19_994 + "…"


@pytest.mark.parametrize("body", ["", f'{{"score": {"9" * 5000}}}', "[" * 100_000], ids=["empty", "long", "deep"])
async def test_an_answer_of_any_size_that_is_none_is_told_in_words(httpserver: HTTPServer, body: str) -> None:
    answers(httpserver, Response(body, content_type="application/json"))
    assert (await trouble(url_of(httpserver))).failure is Failure.NONSENSE


async def test_a_body_without_end_is_left_unread(httpserver: HTTPServer) -> None:
    def body() -> Iterator[bytes]:
        while True:
            yield b"x" * 100_000

    answers(httpserver, Response(body(), content_type="application/json"))
    assert "its answer is longer than a megabyte" in words(await trouble(url_of(httpserver)))


async def test_what_is_packed_small_is_bounded_as_unpacked(httpserver: HTTPServer) -> None:
    packed = gzip.compress(b" " * 50_000_000)
    answers(httpserver, Response(packed, content_type="application/json", headers={"Content-Encoding": "gzip"}))
    assert "its answer is longer than a megabyte" in words(await trouble(url_of(httpserver)))


# Failures and tries again


async def test_a_failed_server_is_asked_twice_more(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said({}, status=500), said({}, status=502), said(GOOD))
    assert (await verdict(url_of(httpserver))).score == 0.75
    assert len(requests) == 3


async def test_the_pause_grows(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(httpserver, said({}, status=500))
    pauses: list[float] = []

    async def noted(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("engine.models.service_client.asyncio.sleep", noted)
    await trouble(url_of(httpserver), retry_backoff_ms=50)
    assert pauses == [0.05, 0.1]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_without_retries_it_is_asked_once(httpserver: HTTPServer, status: int) -> None:
    requests = answers(httpserver, said({}, status=status))
    await trouble(url_of(httpserver), max_retries=0)
    assert len(requests) == 1


async def test_a_busy_service_is_waited_for_as_long_as_it_asks(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said({}, status=429, **{"Retry-After": "0.3"}), said(GOOD))
    began = time.monotonic()
    assert (await verdict(url_of(httpserver))).score == 0.75
    assert 0.3 <= time.monotonic() - began < 30
    assert len(requests) == 2


async def test_nobody_waits_an_hour(httpserver: HTTPServer) -> None:
    answers(httpserver, said({"error": "slow down"}, status=429, **{"Retry-After": "3600"}))
    error = await trouble(url_of(httpserver))
    assert error.failure is Failure.RATE_LIMITED
    assert "Try again in 60 minutes." in words(error)


async def test_many_calls_to_a_service_that_takes_two_at_once_are_all_answered() -> None:
    free = threading.Semaphore(2)

    def two_at_once(_request: Request) -> Response:
        if not free.acquire(blocking=False):
            return said({}, status=429, **{"Retry-After": "0.05"})
        time.sleep(0.02)
        free.release()
        return said(GOOD)

    with HTTPServer(threaded=True) as server:
        server.expect_request("/check").respond_with_handler(two_at_once)
        found = await asyncio.gather(*(verdict(url_of(server), number=number) for number in range(20)))
    assert [answer.score for answer in found] == [0.75] * 20


async def test_a_slow_drip_ends_with_the_time_that_it_has(httpserver: HTTPServer) -> None:
    def drip() -> Iterator[bytes]:
        for _ in range(2000):
            yield b" "
            time.sleep(0.05)

    answers(httpserver, Response(drip(), content_type="application/json"))
    began = time.monotonic()
    error = await trouble(url_of(httpserver), timeout_ms=200, max_retries=0)
    assert "no answer within 0.2 seconds" in words(error)
    assert time.monotonic() - began < 30  # it drips for more than a minute


async def test_where_nobody_listens_it_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = await trouble(f"http://127.0.0.1:{port}/")
    assert (error.failure, "nobody answers there" in error.title) == (Failure.UNREACHABLE, True)


async def test_a_call_that_is_cancelled_ends_at_once(httpserver: HTTPServer) -> None:
    with held(lambda: said(GOOD)) as holding:
        httpserver.expect_request("/check").respond_with_handler(holding)
        task = asyncio.ensure_future(verdict(url_of(httpserver)))
        await asyncio.to_thread(holding.arrived.wait)
        task.cancel()
        await asyncio.wait((task,), timeout=30)
        assert task.cancelled()


# Keys


async def test_a_key_that_comes_back_is_not_told(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", SECRET)
    headers: Data = {"Authorization": "Bearer ${FACTS_KEY}"}

    def echo(request: Request) -> Response:
        return said({"error": f"bad key {request.headers['Authorization']}"}, status=401)

    httpserver.expect_request("/check").respond_with_handler(echo)
    error = await trouble(url_of(httpserver), headers=headers)
    assert "the key was refused (401) | bad key Bearer ***" in words(error)
    assert SECRET not in words(error) + repr(error.__context__)


async def test_a_key_in_an_explanation_is_taken_out(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", SECRET)
    answers(httpserver, said({"score": 1, "explain": f"used {SECRET}"}))
    answer = await verdict(url_of(httpserver), headers={"X-Key": "${FACTS_KEY}"})
    assert answer.explanation == "used ***"


async def test_a_key_of_digits_spoils_no_score(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", "12345678")
    answers(httpserver, said({"score": 0.12345678, "explain": "12345678"}))
    assert await verdict(url_of(httpserver), headers={"X-Key": "${FACTS_KEY}"}) == Answer(0.12345678, "***")


async def test_a_password_in_an_address_is_sent_as_one_and_not_told(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said({"error": "hunter22hunter"}, status=403))
    error = await trouble(url_of(httpserver).replace("127.0.0.1", "me:hunter22hunter@127.0.0.1"))
    authorization = present(requests[0].authorization)
    assert authorization.parameters == {"username": "me", "password": "hunter22hunter"}
    assert "hunter22hunter" not in words(error)


async def test_an_authors_content_type_replaces_ours(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said(GOOD))
    await verdict(url_of(httpserver), headers={"content-type": "application/vnd.facts+json"})
    assert requests[0].headers.getlist("Content-Type") == ["application/vnd.facts+json"]


# Services in an evaluation: verdicts as they come, inversion, errors, consent, answers kept for a day, stopping


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
    return of_kind(Scored, events[-1])


def points(written: Sequence[Any], server: HTTPServer) -> list[Point]:
    """Criteria as a case has them; a service without an address is the one at `server`."""
    found: list[Point] = []
    for each in written:
        if isinstance(each, str):
            found.append(text(each))
            continue
        ((function, args),) = each.items()
        of_a_service = function != "$contains"
        found.append(asks(server, function[1:], **args) if of_a_service else check(function[1:], args))
    return found


def services_of(case: dict[str, Any], server: HTTPServer, store: Store) -> Services | None:
    declared = Header(NOWHERE, fields={"externalServices": {"facts": {"url": "https://a.example"}}})
    match case.get("services"):
        case "none":
            return None
        case "elsewhere":
            return allowed(server, allowed=frozenset({"facts.example", "127.0.0.1"}))
        case "abroad":
            return allowed(server, private=frozenset())
        case _:
            return allowed(server, header=declared, cache=store)


async def told(case: dict[str, Any], server: HTTPServer, store: Store, javascript: JavaScript) -> list[str]:
    """What comes of each answer of a case, one after the other."""
    replies = [said(each, each.pop("status", 200)) for each in case.get("replies", [{"score": 1}])]
    requests = answers(server, *replies)
    rubric = prompt(points(case.get("should", ()), server), points(case.get("should_not", ()), server))
    services, lines = services_of(case, server, store), list[str]()
    for answer in case.get("answers", ["Paris."]):
        blueprint, source = Blueprint(Header(NOWHERE), (rubric,)), WrittenSource(answer)
        events = await events_of(evaluate(rubric, blueprint, source, javascript=javascript, services=services))
        end = scored(events)
        told_of = map(str, sorted(each.index for each in events if isinstance(each, Assessed)))
        lines.append(
            f"{end.explanation.score} of {end.explanation.bounds.low:g}–{end.explanation.bounds.high:g}, "
            f"told of {' '.join(told_of) or 'nothing'}"
        )
        for each in end.assessments:
            lines.append(f"  {each.extent}, on Weval {each.on_weval}: {each.detail}")
            lines += [f"    {more}" for more in (each.reflection, each.error) if more and more != each.detail]
    return [*lines, f"{len(requests)} requests"]


def test_services_are_asked_as_the_file_says(
    httpserver: HTTPServer, javascript: JavaScript, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    def say(_: str, written: str) -> Iterator[str]:
        httpserver.clear()
        path = tmp_path / "s.sqlite3"
        with closing(Store(path)) as store:
            lines = asyncio.run(told(data_of(written), httpserver, store, javascript))
        path.unlink()
        return (line.replace(f":{httpserver.port}", ":PORT") for line in lines)

    assert_says(Path(__file__).with_name("service_runs.txt"), say, pytestconfig)


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


async def test_with_cache_false_too_a_verdict_stands_while_nobody_is_asked(
    httpserver: HTTPServer, javascript: JavaScript, store: Store
) -> None:
    answers(httpserver, said({"score": 0.5}))
    services, rubric = allowed(httpserver, cache=store), prompt([asks(httpserver, cache=False)])
    before = scored(await run(rubric, services, javascript))
    stream = rescore(rubric, PARIS, before.response, javascript=javascript, header=Header(NOWHERE), services=services)
    assert scored(await events_of(stream)).assessments[0].extent == 0.5


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
