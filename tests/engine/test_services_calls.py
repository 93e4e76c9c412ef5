"""What a `$call` sends: services as declared, templates, variables, and who would be called."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Header
from engine.functions.pages import page
from engine.functions.point_function import Subject
from engine.models.addresses import PrivateAddressError, is_private
from engine.models.chat import ProviderError
from engine.models.definitions import SETTINGS, filled, service_call
from engine.models.service_client import Host, ask, hosts, prepare
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data
from tests.engine.builders import check, prompt, text
from tests.engine.provider_server import answers, said
from tests.engine.service_requests import GOOD, SECRET, found_at, trouble, url_of, verdict, words
from tests.engine.short_cases import assert_says, data_of
from tests.many_cases import every

SUBJECT = Subject(
    "Paris is the capital.",
    ({"role": "user", "content": "Capital of France?"},),
    "openai:gpt-4o-mini",
    "capital",
    "Capital of France?",
)
VARIABLES = {
    "FACTS_KEY": "sk-12345678",
    "FACTS_URL": "https://facts.example",
    "FACTCHECK_ENDPOINT_URL": "https://check.example/facts",
}
_USUAL = {"host", "accept", "accept-encoding", "connection", "content-length", "user-agent"}


def header(**services: Data) -> Header:
    return Header(NOWHERE, fields={"externalServices": dict(services)})


# What is sent


def sent(mark: str, text: str) -> Iterator[str]:
    """The request of a case, and how it is sent; or why nothing can be."""
    case = data_of(text)
    declared = Header(NOWHERE, fields={"externalServices": case.get("services", {})})
    try:
        call = service_call(FunctionCall(mark, case.get("args", ABSENT)), declared)
        prepared = prepare(call, SUBJECT)
    except ProviderError as error:
        yield f"{error.title}. {error.advice}"
        return
    assert "sk-12345678" not in repr(prepared) + repr(call)
    request, service = prepared.request, call.service
    yield f"{request.method} {request.url}, {'as on Weval' if call.works_on_weval else 'only here'}"
    yield from (f"{name}: {value}" for name, value in request.headers.items() if name not in _USUAL)
    if request.content is not None:
        yield request.content.decode()
    yield f"{service.seconds:g} s, {service.retries} retries after {service.pause:g} s, cached: {service.cached}"
    yield f"consent to {prepared.host} with {', '.join(call.variables) or 'no variable'}"


def test_a_call_is_sent_as_its_file_says(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    def say(mark: str, text: str) -> list[str]:
        with monkeypatch.context() as patch:
            for name, value in VARIABLES.items():
                patch.setenv(name, value)
            patch.delenv(data_of(text).get("unset", "NONE"), raising=False)
            return list(sent(mark, text))

    assert_says(Path(__file__).parent / "wire_cases" / "services.txt", say, pytestconfig)


@given(st.text())
def test_what_a_response_holds_is_never_filled_again(said: str) -> None:
    response = f"{said} ${{SECRET}} {{promptId}}"
    sent = filled({"claim": "({response})", "whole": "{response}"}, Subject(response), lambda name, where: "put in")
    assert sent == {"claim": f"({response})", "whole": response}


@every("name", [*SETTINGS, "{response}", "{modelId}", "{promptId}", "{messages}", "{promptText}"])
def test_the_page_of_call_names_every_setting_and_template(name: str) -> None:
    function = functions.find("call")
    assert function is not None
    assert name in page(function)


# The key of an answer


def key(args: Data, response: str = "Paris", declared: Header | None = None) -> str:
    return prepare(service_call(FunctionCall("call", args), declared or header()), Subject(response)).key


def test_how_long_it_may_take_is_not_in_the_key() -> None:
    assert key({"url": "https://a.example", "timeout_ms": 5}) == key({"url": "https://a.example"})


def test_a_new_credential_of_the_author_has_the_same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    args: Data = {"url": "https://a.example", "headers": {"X-Key": "${FACTS_KEY}"}}
    monkeypatch.setenv("FACTS_KEY", "first-secret")
    first = key(args)
    monkeypatch.setenv("FACTS_KEY", "second-secret")
    assert key(args) == first


# Who would be called


def test_hosts_are_told_with_calls_services_and_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-12345678")
    monkeypatch.setenv("FACTCHECK_ENDPOINT_URL", "http://localhost:8888/facts")
    declared = header(facts={"url": "https://facts.example/a", "headers": {"X-Key": "${FACTS_KEY}"}})
    capital = prompt(
        [text("names Paris"), check("call", {"service": "facts"}), [check("factcheck", "dates")]],
        [check("not_call", {"url": "https://FACTS.example:443/b"}), check("contains", "Rome")],
    )
    first, second = hosts(declared, [capital, capital])
    assert (first.name, first.calls, first.variables) == ("facts.example", 4, ("FACTS_KEY",))
    assert first.services == ("the service facts", "the service")
    assert (second.name, second.calls) == ("localhost:8888", 2)
    assert second.services == ("the fact-checker",)


def test_consent_is_to_a_host_and_to_the_variables_that_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-12345678")
    plain: Data = {"url": "https://facts.example"}
    keyed: Data = {**plain, "headers": {"X-Key": "${FACTS_KEY}"}}
    assert [host.consent for host in hosts(header(), [prompt([check("call", plain)])])] == ["service at facts.example"]
    assert [host.consent for host in hosts(header(), [prompt([check("call", keyed)])])] == [
        "service at facts.example (FACTS_KEY)"
    ]


def test_a_host_in_this_network_is_agreed_to_apart() -> None:
    host = Host("nas.example", "https://nas.example/", ("the service",), 1, ())
    assert not host.is_agreed_nearby(["service at nas.example"])
    assert host.is_agreed_nearby(["service at nas.example, in this network"])


def test_consent_to_this_machine_by_its_name_is_enough() -> None:
    host = Host("localhost:8888", "http://localhost:8888/", ("the service",), 1, ())
    assert host.is_agreed_nearby(["service at this machine (localhost:8888)"])


def test_a_call_that_cannot_be_made_asks_nobody() -> None:
    assert hosts(header(), [prompt([check("call", {"service": "facts"}), check("call", {"url": "${NOT_SET}"})])]) == ()


# Which host a service is asked on: redirects, addresses that are refused, certificates, and what counts as asked


@pytest.fixture
def elsewhere() -> Iterator[HTTPServer]:
    """A second server, which is another host."""
    with HTTPServer() as server:
        yield server


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
    "host",
    ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0"],
)
async def test_however_this_machine_is_spelt_it_is_not_asked(httpserver: HTTPServer, host: str) -> None:
    requests = answers(httpserver, said(GOOD))
    with pytest.raises(PrivateAddressError):
        await verdict(f"http://{host}:{httpserver.port}/check", private_too=False)
    assert requests == []


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


# What counts as a request


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
        assert await counted(url, private_too=True, timeout_ms=1000, max_retries=0) == 1


async def test_a_request_that_is_sent_is_counted_once(httpserver: HTTPServer) -> None:
    answers(httpserver, said(GOOD))
    assert await counted(url_of(httpserver), private_too=True) == 1
