"""A service over a real line: answers, failures in words, tries again, redirects, and addresses that are refused."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import FunctionCall, Header
from engine.functions.point_function import Subject
from engine.providers.chat import Failure, ProviderError
from engine.services.addresses import PrivateAddressError, is_private, is_public
from engine.services.calls import service_call
from engine.services.service_answer import Answer
from engine.services.service_client import ask, prepare
from engine.text import NOWHERE
from engine.yaml_nodes.nodes import Data
from tests.engine.provider_server import answers, said
from tests.held_replies import held

SUBJECT = Subject("Paris.", model_id="openai:gpt-4o-mini", prompt_id="capital")
SECRET = "sk-test-7Hq2+/xyz"
GOOD = {"score": 0.75, "explain": "Mostly so."}
NO_PAUSE: dict[str, Data] = {"retry_backoff_ms": 0}


@pytest.fixture
def elsewhere() -> Iterator[HTTPServer]:
    """A second server, which is another host."""
    with HTTPServer() as server:
        yield server


def url_of(server: HTTPServer, path: str = "/check") -> str:
    return server.url_for(path).replace("localhost", "127.0.0.1")


async def verdict(url: str, *, private_too: bool = True, **written: Data) -> Answer:
    args: dict[str, Data] = {"url": url, **NO_PAUSE, **written}
    call = prepare(service_call(FunctionCall("call", args), Header(NOWHERE)), SUBJECT)
    return await ask(call, private_too=private_too)


async def trouble(url: str, *, private_too: bool = True, **written: Data) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await verdict(url, private_too=private_too, **written)
    return caught.value


def words(error: ProviderError) -> str:
    return f"{error.title} | {error.detail} | {error.advice}"


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


async def test_the_pause_grows(httpserver: HTTPServer) -> None:
    answers(httpserver, said({}, status=500))
    began = time.monotonic()
    await trouble(url_of(httpserver), retry_backoff_ms=50)
    assert 0.15 <= time.monotonic() - began < 1.0


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_without_retries_it_is_asked_once(httpserver: HTTPServer, status: int) -> None:
    requests = answers(httpserver, said({}, status=status))
    await trouble(url_of(httpserver), max_retries=0)
    assert len(requests) == 1


async def test_a_busy_service_is_waited_for_as_long_as_it_asks(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said({}, status=429, **{"Retry-After": "0.3"}), said(GOOD))
    began = time.monotonic()
    assert (await verdict(url_of(httpserver))).score == 0.75
    assert 0.3 <= time.monotonic() - began < 2.0
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
        for _ in range(100):
            yield b" "
            time.sleep(0.05)

    answers(httpserver, Response(drip(), content_type="application/json"))
    began = time.monotonic()
    error = await trouble(url_of(httpserver), timeout_ms=200, max_retries=0)
    assert "no answer within 0.2 seconds" in words(error)
    assert time.monotonic() - began < 4  # it drips for five seconds


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


# Redirects


def redirects(server: HTTPServer, target: str, status: int = 307) -> None:
    server.expect_request("/check").respond_with_response(Response(status=status, headers={"Location": target}))


async def test_no_redirect_leads_to_another_host(httpserver: HTTPServer, elsewhere: HTTPServer) -> None:
    requests = answers(elsewhere, said(GOOD))
    redirects(httpserver, url_of(elsewhere))
    error = await trouble(url_of(httpserver), headers={"X-Key": SECRET})
    assert "it redirects to another host, which gets no keys" in words(error)
    assert f"Give that address instead, if you trust it: http://127.0.0.1:{elsewhere.port}" in words(error)
    assert requests == []


@pytest.mark.parametrize(
    "target",
    [
        "//{port}.example/check",
        "http://localhost:{port}/check",
        "https://127.0.0.1:{port}/check",
        "http://127.0.0.1/check",
        "file:///etc/passwd",
        "http://127.0.0.1:{port}@evil.example/check",
    ],
)
async def test_another_name_port_or_scheme_is_another_host(httpserver: HTTPServer, target: str) -> None:
    redirects(httpserver, target.format(port=httpserver.port))
    assert "it redirects to another host" in words(await trouble(url_of(httpserver)))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_another_path_of_the_same_host_is_followed(httpserver: HTTPServer, status: int) -> None:
    redirects(httpserver, "/moved", status)
    seen: list[Request] = []

    def moved(request: Request) -> Response:
        request.get_data()
        seen.append(request)
        return said(GOOD)

    httpserver.expect_request("/moved", method="POST").respond_with_handler(moved)
    assert (await verdict(url_of(httpserver), headers={"X-Key": "1"})).score == 0.75
    assert json.loads(seen[0].get_data())["response"] == "Paris."
    assert seen[0].headers["X-Key"] == "1"


async def test_see_other_is_fetched(httpserver: HTTPServer) -> None:
    redirects(httpserver, "/result", 303)
    httpserver.expect_request("/result", method="GET").respond_with_response(said(GOOD))
    assert (await verdict(url_of(httpserver))).score == 0.75


async def test_a_circle_of_redirects_ends(httpserver: HTTPServer) -> None:
    redirects(httpserver, "/check")
    assert "it redirects too often" in words(await trouble(url_of(httpserver)))
    assert len(httpserver.log) == 5


# Addresses


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.9.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fd00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "2001:0:53aa:64c:0:fffe:80ff:fffe",
    ],
)
def test_an_address_of_this_machine_or_its_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8"])
def test_an_address_of_the_open_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0"],
)
async def test_however_this_machine_is_spelt_it_is_not_asked(httpserver: HTTPServer, host: str) -> None:
    requests = answers(httpserver, said(GOOD))
    with pytest.raises(PrivateAddressError):
        await verdict(f"http://{host}:{httpserver.port}/check", private_too=False)
    assert requests == []


Lookup = Callable[..., list[Any]]


def found_at(*addresses: str) -> Lookup:
    """A look-up that finds these addresses for every name."""

    def look_up(_host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in addresses
        ]

    return look_up


@pytest.mark.parametrize(
    "addresses",
    [
        ["169.254.169.254"],
        ["10.0.0.5"],
        ["::ffff:127.0.0.1"],
        ["fe80::1"],
        ["93.184.215.14", "127.0.0.1"],
    ],
)
async def test_a_name_that_leads_here_is_not_asked(monkeypatch: pytest.MonkeyPatch, addresses: list[str]) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", found_at(*addresses))
    with pytest.raises(PrivateAddressError) as caught:
        await verdict("http://innocent.example/check", private_too=False)
    assert caught.value.host == "innocent.example"


async def test_what_was_looked_at_is_what_is_connected_to(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = answers(httpserver, said(GOOD))
    looked_up: list[str] = []
    find = found_at("127.0.0.1")

    def once(host: str, *args: Any, **named: Any) -> list[Any]:
        looked_up.append(host)
        return find(host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", once)
    answer = await verdict(f"http://innocent.example:{httpserver.port}/check")
    assert answer.score == 0.75
    assert requests[0].headers["Host"] == f"innocent.example:{httpserver.port}"
    assert looked_up.count("innocent.example") == 1


async def test_the_next_address_is_tried_where_nobody_answers(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(httpserver, said(GOOD))
    monkeypatch.setattr(socket, "getaddrinfo", found_at("127.0.0.2", "127.0.0.1"))
    assert (await verdict(f"http://two.example:{httpserver.port}/check", max_retries=0)).score == 0.75


async def test_a_name_that_nobody_knows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> list[Any]:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert "its host name is unknown" in words(await trouble("http://nowhere.example/"))


async def test_whether_a_host_is_here_can_be_asked_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await is_private("http://localhost:8888/facts")
    monkeypatch.setattr(socket, "getaddrinfo", found_at("93.184.215.14"))
    assert not await is_private("https://facts.example/")


async def test_a_proxy_is_not_asked(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    answers(httpserver, said(GOOD))
    assert (await verdict(url_of(httpserver))).score == 0.75


# Certificates


@pytest.fixture
def guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HTTPServer]:
    """A server with a certificate for facts.example, which is trusted here."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=facts.example -addext subjectAltName=DNS:facts.example"
    written = ["openssl", *made.split(), "-keyout", key, "-out", certificate]
    subprocess.run(written, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr(socket, "getaddrinfo", found_at("127.0.0.1"))
    with HTTPServer(host="127.0.0.1", ssl_context=context) as server:
        yield server


async def test_a_certificate_is_held_against_the_name_not_the_address(guarded: HTTPServer) -> None:
    answers(guarded, said(GOOD))
    assert (await verdict(f"https://facts.example:{guarded.port}/check")).score == 0.75


async def test_certificates_that_cannot_be_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "none.pem").write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    assert "the certificates named in the environment cannot be used" in words(await trouble("https://127.0.0.1:9/"))


async def test_the_certificate_of_another_name_is_not_trusted(guarded: HTTPServer) -> None:
    requests = answers(guarded, said(GOOD))
    error = await trouble(f"https://other.example:{guarded.port}/check", max_retries=0)
    assert "its certificate could not be trusted" in words(error)
    assert requests == []


class Counter:
    """Counts as a run does."""

    requests = 0

    async def count_request(self) -> None:
        self.requests += 1

    async def take_back_request(self) -> None:
        self.requests -= 1


async def counted(url: str, *, private_too: bool, **settings: Data) -> int:
    """How many requests are counted for a call, whether it is answered or fails."""
    counter = Counter()
    args: dict[str, Data] = {"url": url, "retry_backoff_ms": 0, **settings}
    call = prepare(service_call(FunctionCall("call", args), Header(NOWHERE)), SUBJECT)
    with suppress(ProviderError, PrivateAddressError):
        await ask(call, private_too=private_too, counter=counter)
    return counter.requests


async def test_a_request_to_an_address_that_is_not_allowed_is_not_counted(httpserver: HTTPServer) -> None:
    assert await counted(url_of(httpserver), private_too=False) == 0


async def test_a_request_to_a_host_that_is_unknown_is_not_counted() -> None:
    assert await counted("https://nowhere.invalid/check", private_too=False) == 0


async def test_a_request_to_which_nobody_answers_is_not_counted() -> None:
    assert await counted("http://127.0.0.1:1/check", private_too=True) == 0


async def test_a_request_to_a_server_that_takes_no_connection_in_time_is_not_counted() -> None:
    listening = socket.create_server(("127.0.0.1", 0), backlog=0)
    port = listening.getsockname()[1]
    waiting = [socket.socket() for _ in range(3)]
    for each in waiting:
        each.setblocking(False)
        each.connect_ex(("127.0.0.1", port))
    url = f"http://127.0.0.1:{port}/check"
    assert await counted(url, private_too=True, timeout_ms=200, max_retries=0) == 0
    for each in (*waiting, listening):
        each.close()


async def test_a_request_that_is_not_answered_in_time_was_sent_and_is_counted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/check"
        assert await counted(url, private_too=True, timeout_ms=200, max_retries=0) == 1


async def test_a_request_that_is_sent_is_counted_once(httpserver: HTTPServer) -> None:
    answers(httpserver, said(GOOD))
    assert await counted(url_of(httpserver), private_too=True) == 1
