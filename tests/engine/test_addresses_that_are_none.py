"""Addresses and names in blueprints and options that no request can have: a message, and never a traceback."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from engine.blueprint import FunctionCall, Header
from engine.functions.point_function import Subject
from engine.models.chat import Failure, ProviderError
from engine.models.definitions import service_call
from engine.models.provider_registry import resolve
from engine.models.service_client import ask, prepare
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data
from tests.engine.provider_server import failure_of

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
