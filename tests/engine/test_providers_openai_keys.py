"""Keys stay where they belong: in no error and no event of the OpenAI-shaped client, whatever the server repeats."""

from __future__ import annotations

import json
import traceback

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.models.chat import TextDelta
from engine.models.secret import Secret
from engine.models.server import OpenAIShaped
from tests.engine.openai_server import DONE, delta, event, provider_at, stop
from tests.engine.provider_server import SECRET, answers, events_of, failure_of, streamed

pytestmark = pytest.mark.usefixtures("own_connections")


@pytest.fixture
def provider(httpserver: HTTPServer) -> OpenAIShaped:
    return provider_at(httpserver)


@pytest.mark.parametrize("status", [400, 401, 404, 413, 429, 500])
async def test_a_key_that_the_server_repeats_is_in_no_error(
    httpserver: HTTPServer, provider: OpenAIShaped, status: int
) -> None:
    told = json.dumps({"error": {"message": f"Incorrect API key: {SECRET}"}})
    answers(httpserver, Response(told, status=status, headers={"Retry-After": "0"}))
    error = await failure_of(provider)
    whole = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    assert "***" in error.detail
    assert SECRET not in "".join((*whole, error.title, error.detail, error.advice, repr(error), repr(vars(error))))


@pytest.mark.parametrize(
    "response",
    [
        streamed(event(error={"message": SECRET, "code": 400})),
        Response(SECRET, content_type="text/html"),
        streamed(b"data: " + SECRET.encode() + b"\n\n"),
    ],
    ids=["error in the stream", "web page", "nonsense"],
)
async def test_a_key_in_what_came_instead_of_an_answer_is_in_no_error(
    httpserver: HTTPServer, provider: OpenAIShaped, response: Response
) -> None:
    answers(httpserver, response)
    assert (await failure_of(provider)).detail == "***"


async def test_a_key_is_in_no_error_about_the_way() -> None:
    error = await failure_of(OpenAIShaped("http://nowhere.invalid/v1", key=Secret(SECRET)))
    whole = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    assert SECRET not in "".join(whole)


@pytest.mark.parametrize("size", [1, 3, 100])
async def test_a_key_that_the_server_repeats_is_in_no_event(
    httpserver: HTTPServer, provider: OpenAIShaped, size: int
) -> None:
    said = f"Your key is {SECRET}, is it not? sk-t"
    pieces = [delta(said[start : start + size]) for start in range(0, len(said), size)]
    answers(httpserver, streamed(*pieces, event(choices=[], model=SECRET), stop(), DONE))
    events = await events_of(provider)
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "Your key is ***, is it not? sk-t"
    assert SECRET not in repr(events)


def test_an_address_with_a_password_is_named_without_it() -> None:
    assert OpenAIShaped("http://me:word@models.example:8000/v1").recipient == "models.example:8000"
