"""Connections to a model server: those whose answer was read to its end are used again; closing leaves none open."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import FunctionCall, Header
from engine.functions.point_function import Subject
from engine.models import http
from engine.models.chat import Failure, ProviderError
from engine.models.definitions import Environment, filled_url, service_call
from engine.models.http import close_clients, recipient_of, shared_client
from engine.models.provider_registry import resolve
from engine.models.server import ChatServer
from engine.models.service_client import PreparedCall, ask, prepare
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data
from tests.engine.openai_server import chat_server
from tests.engine.provider_server import failure_of, said, text_of
from tests.many_cases import every
from tests.still_clock import standing_still

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class CountingServer:
    """Streams one word in chunks, after all of `together` have asked, and counts connections. `ends` tells whether it
    closes what it has said is done, `hangs_up` whether it leaves after one answer, without a word, and `silent` whether
    it answers nothing."""

    def __init__(self, *, ends: bool = True, hangs_up: bool = False, together: int = 1, silent: bool = False) -> None:
        self.connections = 0
        self.open = 0
        self.requests = 0
        self._ends = ends
        self._hangs_up = hangs_up
        self._silent = silent
        self._together = asyncio.Barrier(together)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        try:
            while length := await self._asked(reader):
                await reader.readexactly(length)
                self.requests += 1
                if self._silent:
                    continue
                await self._together.wait()
                await self._answer(writer)
                if self._hangs_up:
                    break
        except asyncio.IncompleteReadError:
            pass  # cancelled before it was sent to its end
        finally:
            self.open -= 1
            writer.close()

    async def until(self, done: Callable[[CountingServer], bool]) -> None:
        """Waits until it has come to that."""
        async with asyncio.timeout(30):
            while not done(self):
                await asyncio.sleep(0.001)

    async def _asked(self, reader: asyncio.StreamReader) -> int:
        length = 0
        while line := (await reader.readline()).strip().lower():
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        return length

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        writer.write(_HEAD)
        for data in (json.dumps({"choices": [{"delta": {"content": "Hello"}, "finish_reason": "stop"}]}), "[DONE]"):
            line = f"data: {data}\n\n".encode()
            writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        if self._ends:
            writer.write(b"0\r\n\r\n")
        await writer.drain()


@asynccontextmanager
async def asked(counting: CountingServer) -> AsyncGenerator[ChatServer]:
    """A provider that asks the server; its connections are closed at the end, while the server still listens."""
    async with await asyncio.start_server(counting.connected, "127.0.0.1", 0, backlog=256) as server:
        yield chat_server(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        await close_clients()


pytestmark = pytest.mark.usefixtures("own_connections")


async def test_one_connection_serves_several_requests() -> None:
    counting = CountingServer()
    async with asked(counting) as provider:
        assert [await text_of(provider) for _ in range(3)] == ["Hello"] * 3
    assert counting.connections == 1


async def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    counting = CountingServer(hangs_up=True)
    said: list[str] = []
    async with asked(counting) as provider:
        for _ in range(3):
            said.append(await text_of(provider))
            await asyncio.sleep(0.05)
    assert (said, counting.connections) == (["Hello"] * 3, 3)


@pytest.mark.parametrize("count", [5, 64])
async def test_requests_at_once_have_a_connection_each_that_serves_the_next(count: int) -> None:
    counting = CountingServer(together=count)
    async with asked(counting) as provider:
        for _ in range(2):
            await asyncio.gather(*(text_of(provider) for _ in range(count)))
    assert counting.connections == count


@pytest.mark.parametrize("count", [1, 40])
async def test_closing_leaves_no_connection_open(count: int) -> None:
    counting = CountingServer(together=count)
    async with asked(counting) as provider:
        await asyncio.gather(*(text_of(provider) for _ in range(count)))
        assert counting.open == count
        await close_clients()
        await counting.until(lambda server: not server.open)


async def test_forty_answers_that_are_cancelled_end_at_once_with_their_connections() -> None:
    counting = CountingServer(silent=True)
    async with asked(counting) as provider:
        answers = [asyncio.create_task(text_of(provider)) for _ in range(40)]
        await counting.until(lambda server: server.requests == 40)
        await _cancel(answers)
        await counting.until(lambda server: not server.open)


@pytest.mark.parametrize("connected", [0, 20])
async def test_closing_leaves_no_connection_open_that_was_cancelled_on_its_way(connected: int) -> None:
    counting = CountingServer(silent=True)
    async with asked(counting) as provider:
        answers = [asyncio.create_task(text_of(provider)) for _ in range(40)]
        await counting.until(lambda server: server.connections >= connected)
        await _cancel(answers)
        await close_clients()
        await counting.until(lambda server: not server.open)


async def _cancel(answers: list[asyncio.Task[str]]) -> None:
    with standing_still():
        for answer in answers:
            answer.cancel()
        await asyncio.wait(answers)
    assert all(answer.cancelled() for answer in answers)


async def test_a_connection_that_stays_open_after_the_answer_is_not_waited_for() -> None:
    counting = CountingServer(ends=False)
    async with asked(counting) as provider, asyncio.timeout(30):
        assert [await text_of(provider) for _ in range(2)] == ["Hello"] * 2
    assert counting.connections == 2


# Connections to models are closed once nothing has been asked for a while, and at the end


class Server:
    """Answers requests on loopback, and counts the connections that are open, and all that were opened."""

    def __init__(self) -> None:
        self.open = 0
        self.opened = 0

    async def start(self) -> str:
        """Listen; the address."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return f"127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.opened += 1
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except asyncio.IncompleteReadError:
            self.open -= 1
        writer.close()

    async def closed(self) -> None:
        """Wait until no connection is open."""
        async with asyncio.timeout(30):
            while self.open:
                await asyncio.sleep(0.005)


async def get_from(host: str) -> None:
    async with shared_client(host, direct=True) as client:
        assert (await client.get(f"http://{host}/")).text == "ok"


async def test_a_connection_that_nobody_uses_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "IDLE_SECONDS", 0.05)
    server = Server()
    await get_from(await server.start())
    await server.closed()


async def test_a_connection_is_used_again_before_that() -> None:
    server = Server()
    host = await server.start()
    await get_from(host)
    await get_from(host)
    assert server.opened == 1
    await close_clients()
    await server.closed()


async def test_a_connection_in_use_outlasts_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "IDLE_SECONDS", 0.02)
    server = Server()
    host = await server.start()
    await get_from(host)
    async with shared_client(host, direct=True) as client:
        await asyncio.sleep(0.1)
        assert (await client.get(f"http://{host}/")).text == "ok"
    await server.closed()


# A variable in an address: where it may stand, and that its value is nowhere to be read


# A variable in an address: where it may stand, and that its value is nowhere to be read


KEY = "s3cr3t"
LONG = "sk-9a8b7c6d5e4f3a2b1c0d"


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "KEY": KEY,
        "LONG": LONG,
        "PORT": "8080",
        "SCHEME": "https",
        "BASE": "https://there.example/v1",
        "ROOT": "http://there.example",
        "FULL": f"https://me:{LONG}@there.example/{KEY}/x?k={LONG}",
        "ODD": "a/b@evil.example:1?c=d#e f",
    }.items():
        monkeypatch.setenv(name, value)


def filled(written: str) -> str:
    return filled_url(written, Environment("The model x"))


def definition(url: str) -> dict[str, Data]:
    return {"id": "own:x", "url": url, "modelName": "tiny", "inherit": "openai"}


def call(url: str) -> PreparedCall:
    return prepare(service_call(FunctionCall("call", {"url": url}), Header(NOWHERE)), Subject(""))


@pytest.mark.usefixtures("variables")
@every("url", ["${BASE}", "${BASE}/score", "${FULL}", "${SCHEME}://there.example/${KEY}"])
def test_the_host_in_a_variable_is_shown_before_anything_is_sent(url: str) -> None:
    provider, _ = resolve("own:x", custom=[definition(url)])
    assert provider.recipient == "there.example"
    assert call(url).host == "there.example"


_VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\\"), min_size=1, max_size=20)


@given(
    value=_VALUES,
    place=st.sampled_from(["http://u:{}@host.example/x", "http://host.example/{}", "http://host.example/x?k={}"]),
)
def test_no_value_changes_who_receives_it(value: str, place: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANY_VALUE", value)
        assert recipient_of(filled(place.format("${ANY_VALUE}"))) == "host.example"


# Where nothing of it is to be read

WHERE = ["/{}/chat", "/chat?k={}", "/chat?a=1&k={}#x"]


@pytest.mark.usefixtures("variables")
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("name", ["KEY", "LONG"])
async def test_no_failure_shows_it(httpserver: HTTPServer, where: str, name: str) -> None:
    """The server says all that it got: in its words, its model's name, and where it sends us."""

    def handle(request: Request) -> Response:
        return said({"error": {"message": f"Cannot POST {request.url} nor {request.full_path}"}}, 404)

    httpserver.expect_request(re.compile(".*")).respond_with_handler(handle)
    url = httpserver.url_for("") + where.format(f"${{{name}}}").lstrip("/")
    provider, _ = resolve("own:x", custom=[definition(url)])
    error = await failure_of(provider)
    assert "Cannot POST" in error.detail
    assert not any(value in f"{error.title} {error.detail} {error.advice}" for value in (KEY, LONG))


@pytest.mark.usefixtures("variables")
async def test_no_redirect_shows_it(httpserver: HTTPServer) -> None:
    def handle(request: Request) -> Response:
        return Response("", status=307, headers={"Location": f"http://elsewhere.example{request.full_path}"})

    httpserver.expect_request(re.compile(".*")).respond_with_handler(handle)
    provider, _ = resolve("own:x", custom=[definition(httpserver.url_for("/${KEY}?k=${LONG}"))])
    error = await failure_of(provider)
    assert "http://elsewhere.example" in error.advice
    assert not any(value in error.advice for value in (KEY, LONG))


@pytest.mark.usefixtures("variables")
async def test_no_failure_of_a_service_shows_it(httpserver: HTTPServer) -> None:
    def handle(request: Request) -> Response:
        return said({"error": f"Cannot POST {request.url} nor {request.full_path}"}, 400)

    httpserver.expect_request(re.compile(".*")).respond_with_handler(handle)
    with pytest.raises(ProviderError) as caught:
        await ask(call(httpserver.url_for("/${KEY}?k=${LONG}")), private_too=True)
    told = f"{caught.value.title} {caught.value.detail} {caught.value.advice}"
    assert "Cannot POST" in told
    assert not any(value in told for value in (KEY, LONG))


@pytest.mark.usefixtures("variables")
@every("url", ["https://h.example/${KEY}?k=${LONG}", "https://${KEY}:${LONG}@h.example/", "${FULL}"])
def test_what_is_sent_does_not_print_it(url: str) -> None:
    provider, _ = resolve("own:x", custom=[definition(url)])
    printed = f"{call(url)!r} {call(url).host} {provider.recipient}"
    assert not any(value in printed for value in (KEY, LONG))


# Addresses and names in blueprints and options that no request can have: a message, and never a traceback


ADDRESSES = (
    "http://127.0.0.1:1/\ud83d",
    "http://127.0.0.1:1/?a=\ud83d",
    "http://\ud83d.example/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:0/",
    "http://[::1",
    "http://" + "a" * 70 + ".example/",
    "http://a..b/",
)


FailureOf = Callable[[str], Awaitable[ProviderError]]


async def of_a_model(url: str) -> ProviderError:
    own: dict[str, Data] = {"id": "custom:tiny", "url": url, "modelName": "tiny", "inherit": "openai"}
    try:
        return await failure_of(resolve("custom:tiny", None, custom=[own])[0])
    except ProviderError as error:
        return error


async def of_a_server(url: str) -> ProviderError:
    return await failure_of(resolve("tiny", url)[0])


async def of_a_service(url: str) -> ProviderError:
    call = service_call(FunctionCall("call", {"url": url, "max_retries": 0}), Header(NOWHERE))
    try:
        await ask(prepare(call, Subject("x")), private_too=True)
    except ProviderError as error:
        return error
    raise AssertionError("it was answered")


@pytest.mark.parametrize("url", ADDRESSES, ids=lambda url: url[:30].encode("ascii", "backslashreplace").decode())
@pytest.mark.parametrize("failure", [of_a_model, of_a_server, of_a_service])
async def test_an_address_that_is_none_is_reported(failure: FailureOf, url: str) -> None:
    assert (await failure(url)).failure in (Failure.MISCONFIGURED, Failure.UNREACHABLE)


async def test_half_a_character_in_the_name_of_a_model_is_sent_as_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "sk-test")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")
    provider, _ = resolve("google:gemini-\ud83d", None)
    assert (await failure_of(provider)).failure is Failure.UNREACHABLE
