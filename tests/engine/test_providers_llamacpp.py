"""Models of a blueprint's own against a server that was not written for us: llama.cpp's, with the embedded weights."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.blueprint import Role
from engine.blueprint.conversation import StopReason
from engine.models import embedded
from engine.models.chat import ChatRequest, Failure, Finished, Provider, Turn
from engine.models.embedded import SMOLLM2, EmbeddedServer, models_folder
from engine.models.http import close_clients
from engine.models.prices import tokens_of
from engine.models.provider_registry import resolve
from tests.engine.provider_server import events_of, failure_of, text_of

pytestmark = pytest.mark.skipif(
    embedded.what_is_missing() is not None,
    reason="the embedded model is not there: the README installs it, then run `studio models install`",
)
INSTALLED_IN = models_folder().parent
ASK = (Turn(Role.SYSTEM, "Be brief."), Turn(Role.USER, "Why is the sky blue?"))


@pytest.fixture(autouse=True)
async def _surroundings(clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(INSTALLED_IN))
    yield
    await close_clients()


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    server = EmbeddedServer(SMOLLM2)
    yield server
    server.close()


@pytest.fixture
def address(server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> str:
    address, key = server.start()
    monkeypatch.setenv("LLAMA_TEST_KEY", key.reveal())
    return address


def own(address: str, path: str, **more: Any) -> Provider:
    definition = {
        "id": "local:smollm",
        "url": f"{address}{path}",
        "modelName": "smollm2",
        "inherit": "openai",
        "headers": {"Authorization": "Bearer ${LLAMA_TEST_KEY}"},
    }
    return resolve("local:smollm", custom=[definition | more])[0]


def ended(events: list[Any]) -> Finished:
    assert isinstance(events[-1], Finished)
    return events[-1]


async def test_chat_streams_and_counts(address: str) -> None:
    provider = own(address, "/v1/chat/completions", parameters={"max_tokens": 7})
    finished = ended(await events_of(provider, ChatRequest("smollm2", ASK)))
    assert (finished.stop_reason, finished.usage.output_tokens) == (StopReason.LENGTH, 7)


async def test_without_stream_it_is_the_same_answer(address: str) -> None:
    streamed = own(address, "/v1/chat/completions", parameters={"max_tokens": 12})
    whole = own(address, "/v1/chat/completions", parameters={"max_tokens": 12, "stream": None})
    request = ChatRequest("smollm2", ASK)
    assert await text_of(whole, request) == await text_of(streamed, request)


@pytest.mark.parametrize("prompt_format", ["conversational", "raw"])
async def test_completions_continue_the_text(address: str, prompt_format: str) -> None:
    parameters = {"max_tokens": 9}
    provider = own(address, "/v1/completions", format="completions", promptFormat=prompt_format, parameters=parameters)
    finished = ended(await events_of(provider, ChatRequest("smollm2", ASK)))
    assert (finished.stop_reason, finished.usage.output_tokens) == (StopReason.LENGTH, 9)


async def test_a_stop_sequence_ends_the_answer(address: str) -> None:
    plain = await text_of(own(address, "/v1/chat/completions", parameters={"max_tokens": 30}), ChatRequest("m", ASK))
    word = plain.split()[3]
    provider = own(address, "/v1/chat/completions", parameters={"max_tokens": 30, "stop": [word]})
    assert await text_of(provider, ChatRequest("m", ASK)) == plain[: plain.index(word)]


async def test_a_wrong_key_is_told(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_TEST_KEY", "wrong-key-123")
    error = await failure_of(own(address, "/v1/chat/completions"), ChatRequest("smollm2", ASK))
    assert error.failure is Failure.UNAUTHORISED
    assert "LLAMA_TEST_KEY" in error.advice


async def test_anthropic_s_format_is_understood_there_too(address: str) -> None:
    headers = {"x-api-key": "${LLAMA_TEST_KEY}"}
    provider = own(address, "/v1/messages", inherit="anthropic", headers=headers, parameters={"max_tokens": 8})
    finished = ended(await events_of(provider, ChatRequest("smollm2", ASK)))
    assert finished.stop_reason is StopReason.LENGTH
    assert finished.usage.output_tokens == 8


@pytest.mark.parametrize(
    "text",
    [
        "A tenant has thirty days after the end of the lease. The landlord must then return the deposit, unless …",
        "Nachdem die Kündigungsfrist abgelaufen war, übergab der Mieter die Schlüssel der Hausverwaltung.",
        "भारत की राजधानी क्या है और वहाँ कितने लोग रहते हैं?",
        "法国的首都是哪里？请用一句话回答。",
        "SELECT id, name FROM tenants WHERE rent > 1200 ORDER BY name; -- 2024-05-13",
    ],
    ids=["english", "german", "hindi", "chinese", "code"],
)
async def test_the_range_of_tokens_holds_the_true_count(server: EmbeddedServer, text: str) -> None:
    address, key = server.start()
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {key.reveal()}"}) as client:
        answer = await client.post(f"{address}/tokenize", json={"content": text})
    found = tokens_of(text)
    assert found.low <= len(answer.json()["tokens"]) <= found.high
