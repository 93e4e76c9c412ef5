"""A service over a real line: answers, failures in words, tries again, and keys that are not told."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.models.chat import Failure
from engine.models.service_client import Answer
from engine.yaml.nodes import Data
from tests.engine.provider_server import answers, said
from tests.engine.service_requests import GOOD, SECRET, trouble, url_of, verdict, words
from tests.held_replies import held

# Answers


async def test_a_score_and_an_explanation_come_back(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said(GOOD))
    assert await verdict(url_of(httpserver), claim="It is {response}") == Answer(0.75, "Mostly so.")
    (request,) = requests
    assert (request.method, request.headers["Content-Type"]) == ("POST", "application/json")
    assert json.loads(request.get_data())["claim"] == "It is Paris."


@pytest.mark.parametrize(("score", "read"), [(0, 0.0), (1, 1.0), (0.5, 0.5), (1e-9, 1e-9)])
async def test_any_number_from_0_to_1_is_a_score(httpserver: HTTPServer, score: float, read: float) -> None:
    answers(httpserver, said({"score": score}))
    assert await verdict(url_of(httpserver)) == Answer(read)


async def test_an_explanation_is_bounded_and_kept_word_for_word(httpserver: HTTPServer) -> None:
    answers(httpserver, said({"score": 1, "explain": "\x1b[31m" + "a" * 30_000}))
    answer = await verdict(url_of(httpserver))
    assert answer.explanation == "\x1b[31m" + "a" * 19_994 + "…"


@pytest.mark.parametrize("explain", [None, 5, ["a"], "", {"a": 1}])
async def test_what_is_no_text_is_no_explanation(httpserver: HTTPServer, explain: Any) -> None:
    answers(httpserver, said({"score": 1, "explain": explain}))
    assert await verdict(url_of(httpserver)) == Answer(1.0)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('{"score": "0.9"}', "its score is the string “0.9”, and must be a number from 0 to 1"),
        ('{"score": NaN}', "its score is NaN, and must be a number from 0 to 1"),
        ('{"score": Infinity}', "its score is out of range, and must be"),
        ('{"score": 1.01}', "its score is 1.01, and must be"),
        ('{"score": -1}', "its score is -1, and must be"),
        ('{"score": 85}', "its score is 85, and must be"),
        (f'{{"score": {"9" * 400}}}', "its score is out of range, and must be"),
        (f'{{"score": {"9" * 5000}}}', "its score is out of range, and must be"),
        ('{"score": true}', "its score is not a number from 0 to 1"),
        ('{"score": null}', "its score is not a number from 0 to 1"),
        ('{"result": 1}', "its answer has no `score`"),
        ("[0.5]", "its answer is not a JSON object with a `score`"),
        ("0.5", "its answer is not a JSON object with a `score`"),
        ("", "its answer is not JSON"),
        ("<html>hi</html>", "its answer is not JSON"),
        ("[" * 100_000, "its answer is not JSON"),
        ('{"score": 1, "error": "no sources"}', "it reports an error | no sources"),
        ('{"error": {"code": 7}}', 'it reports an error | {"code": 7}'),
    ],
    ids=lambda part: part[:40],
)
async def test_an_answer_that_is_none_is_told_in_words(httpserver: HTTPServer, body: str, told: str) -> None:
    requests = answers(httpserver, Response(body, content_type="application/json"))
    error = await trouble(url_of(httpserver))
    assert error.failure is Failure.NONSENSE
    assert told in words(error)
    assert len(requests) == 1


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


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "it refused the request (400)"),
        (401, "it needs a key (401)"),
        (403, "it needs a key (403)"),
        (404, "there is no such service (404)"),
        (405, "there is no such service (405)"),
        (413, "the request is too long for it (413)"),
        (418, "it refused the request (418)"),
    ],
)
async def test_what_will_not_change_is_not_asked_again(httpserver: HTTPServer, status: int, told: str) -> None:
    requests = answers(httpserver, said({"error": {"message": "because"}}, status=status))
    error = await trouble(url_of(httpserver))
    assert f"The service at 127.0.0.1:{httpserver.port}: {told} | because" in words(error)
    assert len(requests) == 1


async def test_a_failed_server_is_asked_twice_more(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said({}, status=500), said({}, status=502), said(GOOD))
    assert (await verdict(url_of(httpserver))).score == 0.75
    assert len(requests) == 3


async def test_after_two_more_it_has_failed(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said({"error": "boom"}, status=500))
    error = await trouble(url_of(httpserver))
    assert f"The service at 127.0.0.1:{httpserver.port}: it failed (500) | boom" in words(error)
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
    authorization = requests[0].authorization
    assert authorization is not None
    assert authorization.parameters == {"username": "me", "password": "hunter22hunter"}
    assert "hunter22hunter" not in words(error)


async def test_an_authors_content_type_replaces_ours(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said(GOOD))
    await verdict(url_of(httpserver), headers={"content-type": "application/vnd.facts+json"})
    assert requests[0].headers.getlist("Content-Type") == ["application/vnd.facts+json"]
