"""A variable in an address: where it may stand, and that its value is nowhere to be read."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import FunctionCall, Header
from engine.functions.point_function import Subject
from engine.models.chat import Failure, ProviderError
from engine.models.definitions import Environment, filled_url, has_variable_in_host, service_call
from engine.models.http import recipient_of
from engine.models.provider_registry import resolve
from engine.models.service_client import PreparedCall, ask, prepare
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data
from tests.engine.provider_server import failure_of, said
from tests.many_cases import every

# A variable in an address: where it may stand, and that its value is nowhere to be read


pytestmark = pytest.mark.usefixtures("own_connections")

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


IN_THE_HOST = [
    "http://${KEY}.host/",
    "http://host.${KEY}/",
    "http://a${KEY}b.example/v1",
    "http://${KEY}/",
    "http://${KEY}",
    "https://${KEY}:443/x",
    "https://user@${KEY}/x",
    "https://${KEY}@${KEY}/x",
    "https://${LONG}${KEY}/x",
    "https://host.example${KEY}/x",
    "https://host.example${KEY}",
    "https://host.example\\${KEY}/x",
    "https://host.example:8${PORT}/x",
    "https://host.example:${PORT}0/x",
    "https://${KEY}:${PORT}/x",
    "${ROOT}.evil.example/x",
    "${ROOT}${KEY}",
    "${ROOT}@evil.example/",
    "${KEY}host.example/x",
    "${BASE}:8080/x",
    "  http://${KEY}.host/",
    "HTTP://${KEY}.host/",
    "//${KEY}.host/",
    "http://host.example:${KEY}/",
    "${SCHEME}://${KEY}.host/",
    "${KEY}://host.example/",
    "${KEY}",
    "ht${KEY}://host.example/",
]


@pytest.mark.usefixtures("variables")
@every("url", IN_THE_HOST)
def test_a_variable_in_the_host_of_a_model_is_refused_without_its_value(url: str) -> None:
    with pytest.raises(ProviderError) as caught:
        resolve("own:x", custom=[definition(url)])
    error = caught.value
    assert error.failure is Failure.MISCONFIGURED
    assert not any(value in f"{error.title} {error.detail} {error.advice}" for value in (KEY, LONG))


@pytest.mark.usefixtures("variables")
@every("url", IN_THE_HOST)
def test_a_variable_in_the_host_of_a_service_is_refused_without_its_value(url: str) -> None:
    with pytest.raises(ProviderError) as caught:
        call(url)
    error = caught.value
    assert error.failure is Failure.MISCONFIGURED
    assert not any(value in f"{error.title} {error.detail} {error.advice}" for value in (KEY, LONG))


@pytest.mark.usefixtures("variables")
@every(
    ("written", "url"),
    [
        ("${BASE}", "https://there.example/v1"),
        (" ${BASE} ", "https://there.example/v1"),
        ("${BASE}/score?k=${KEY}", f"https://there.example/v1/score?k={KEY}"),
        ("${ROOT}:8080/v1", "http://there.example:8080/v1"),
        ("${ROOT}?k=${KEY}", f"http://there.example?k={KEY}"),
        ("${SCHEME}://host.example/x", "https://host.example/x"),
        ("http://host.example:${PORT}/x", "http://host.example:8080/x"),
        ("http://host.example/${KEY}/x", f"http://host.example/{KEY}/x"),
        ("http://host.example/x?a=1&k=${KEY}&b=${LONG}", f"http://host.example/x?a=1&k={KEY}&b={LONG}"),
        ("http://${KEY}:${LONG}@host.example/", f"http://{KEY}:{LONG}@host.example/"),
        ("http://host.example/${ODD}", "http://host.example/a/b@evil.example:1%3Fc=d%23e%20f"),
        ("http://u:${ODD}@host.example/", "http://u:a%2Fb%40evil.example%3A1%3Fc%3Dd%23e%20f@host.example/"),
        ("http://host.example/x?k=${ODD}", "http://host.example/x?k=a/b@evil.example:1?c=d%23e%20f"),
        ("http://host.example/x", "http://host.example/x"),
    ],
)
def test_elsewhere_a_variable_is_put_in(written: str, url: str) -> None:
    assert filled(written) == url


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


@pytest.mark.usefixtures("variables")
@every("url", [url for url in IN_THE_HOST if url not in ("${KEY}", "http://host.example:${KEY}/")])
def test_it_is_seen_without_the_value(url: str) -> None:
    seen = ("${BASE}:8080/x", "${KEY}://host.example/", "//${KEY}.host/")
    assert has_variable_in_host(url) or url in seen


@every(
    "url",
    [
        "${BASE}",
        "${BASE}/x",
        "${ROOT}:8080/v1",
        "${SCHEME}://host.example/x",
        "http://host.example:${PORT}/x",
        "http://host.example/${KEY}?k=${KEY}#${KEY}",
        "http://${KEY}:${LONG}@host.example/",
        "no address",
        "",
    ],
)
def test_what_may_work_is_not_taken_for_it(url: str) -> None:
    assert not has_variable_in_host(url)


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
