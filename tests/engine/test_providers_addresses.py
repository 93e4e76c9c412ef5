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
from engine.models.definitions import Environment, filled_url, service_call
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
