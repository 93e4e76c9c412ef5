"""The embedded model for real: llama.cpp's own HTTP server with the SmolLM2 weights, in its child process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import aclosing
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.blueprint import Role
from engine.blueprint.conversation import StopReason
from engine.models import embedded
from engine.models.chat import ChatRequest, Failure, Finished, Provider, ProviderError, TextDelta, Turn
from engine.models.embedded import SMOLLM2, EmbeddedServer, models_folder
from engine.models.prices import tokens_of
from engine.models.provider_registry import LOOPBACK, discover_loopback, resolve
from engine.models.secret import Secret
from engine.text.record import replace
from tests.engine.openai_server import chat_server
from tests.engine.provider_server import events_of, failure_of, text_of
from tests.still_clock import standing_still

MISSING = "the embedded model is not there: the README installs it, then run `studio models install`"
needs_model = pytest.mark.skipif(embedded.what_is_missing() is not None, reason=MISSING)
INSTALLED_IN = models_folder().parent
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system shows no processes under /proc")


def ask(text: str, tokens: int = 6) -> ChatRequest:
    return ChatRequest("smollm2", (Turn(Role.USER, text),), max_tokens=tokens)


def runs(pid: str) -> bool:
    """Whether a process is there and no mere entry that nobody has collected yet."""
    try:
        return "(zombie)" not in Path(f"/proc/{pid.strip()}/status").read_text()
    except FileNotFoundError:
        return False


@pytest.fixture(autouse=True)
def _weights_of_this_machine(clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test's home is empty; the weights are too large to be fetched into each."""
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(INSTALLED_IN))


pytestmark = pytest.mark.usefixtures("own_connections")


@pytest.fixture(scope="module")
def server() -> EmbeddedServer:
    if embedded.what_is_missing() is not None:
        pytest.skip(MISSING)
    return embedded.SERVER


@pytest.fixture(scope="module", autouse=True)
def _embedded_servers_end_with_the_module() -> Iterator[None]:
    yield
    embedded.SERVER.close()


@needs_model
async def test_it_streams_an_answer_and_counts_tokens() -> None:
    provider, _ = resolve("embedded:smollm2")
    events = await events_of(provider, ask("Why is the sky blue?", tokens=14))
    finished = events[-1]
    assert all(isinstance(event, TextDelta) for event in events[:-1])
    assert len(events) > 10
    assert isinstance(finished, Finished)
    assert finished.stop_reason is StopReason.LENGTH
    assert finished.usage.output_tokens == 14


@needs_model
async def test_the_same_question_gets_the_same_answer() -> None:
    provider, _ = resolve("embedded:smollm2")
    first = await events_of(provider, ask("Name three colours."))
    await events_of(provider, ask("Name three colours and two towns."))
    assert await events_of(provider, ask("Name three colours.")) == first


@needs_model
async def test_the_server_answers_the_plain_client_with_its_key(server: EmbeddedServer) -> None:
    address, key = server.start()
    events = await events_of(chat_server(f"{address}/v1", key=key), ask("Hello"))
    assert isinstance(events[-1], Finished)


@needs_model
@pytest.mark.parametrize(
    ("key", "failure"), [(Secret("wrong"), Failure.UNAUTHORISED), (None, Failure.MISSING_KEY)], ids=["wrong", "none"]
)
async def test_the_server_refuses_everybody_else(server: EmbeddedServer, key: Secret | None, failure: Failure) -> None:
    address, _ = server.start()
    with pytest.raises(ProviderError) as caught:
        await events_of(chat_server(f"{address}/v1", key=key, key_variable="TEST_KEY"), ask("Hello"))
    assert caught.value.failure is failure


@needs_model
async def test_a_prompt_beyond_its_context_is_too_long() -> None:
    provider, _ = resolve("embedded:smollm2")
    with pytest.raises(ProviderError) as caught:
        await events_of(provider, ask("word " * (embedded.CONTEXT_TOKENS + 100)))
    assert caught.value.failure is Failure.TOO_LONG


@needs_model
async def test_cancelling_is_prompt_and_the_next_question_is_answered() -> None:
    provider, _ = resolve("embedded:smollm2")
    async with aclosing(provider.stream(ask("Tell a very long story.", tokens=1500))) as events:
        await anext(events)
        with standing_still():
            await events.aclose()
    assert isinstance((await events_of(provider, ask("Hello", tokens=3)))[-1], Finished)


@needs_model
async def test_a_crash_is_told_and_the_next_question_starts_it_anew() -> None:
    provider, _ = resolve("embedded:smollm2")
    async with aclosing(provider.stream(ask("Tell a very long story.", tokens=1500))) as events:
        await anext(events)
        os.kill(embedded.SERVER.pid() or 0, signal.SIGSEGV)
        with pytest.raises(ProviderError, match="process ended"):
            [event async for event in events]
    assert isinstance((await events_of(provider, ask("Hello", tokens=3)))[-1], Finished)


@needs_model
@pytest.mark.parametrize(("known", "found"), [(True, ("llamacpp:smollm2",)), (False, ())])
async def test_a_llama_cpp_server_is_discovered(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, known: bool, found: tuple[str, ...]
) -> None:
    address, key = server.start()
    monkeypatch.setenv("LLAMA_API_KEY", key.reveal() if known else "")
    row = replace(LOOPBACK["llamacpp"], base_url=f"{address}/v1")
    monkeypatch.setattr("engine.models.provider_registry.LOOPBACK", {"llamacpp": row})
    [server_found] = await discover_loopback()
    assert (server_found.model_ids, server_found.wants_key) == (found, not known)


@needs_model
@needs_proc
def test_its_key_is_in_no_command_line_and_no_environment(server: EmbeddedServer) -> None:
    _, key = server.start()
    process = Path(f"/proc/{server.pid()}")
    assert key.reveal().encode() not in (process / "cmdline").read_bytes() + (process / "environ").read_bytes()


@needs_model
@needs_proc
def test_it_ends_with_the_program_even_when_that_is_killed() -> None:
    program = (
        "from engine.models.embedded import EmbeddedServer, SMOLLM2\n"
        "import os, signal\n"
        "server = EmbeddedServer(SMOLLM2)\n"
        "server.start()\n"
        "print(server.pid(), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    deadline = time.monotonic() + 60
    while runs(ended.stdout) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert ended.returncode == -signal.SIGKILL
    assert not runs(ended.stdout)


@pytest.mark.skipif(not embedded.runnable(), reason="the extra `local` is not installed")
def test_weights_that_cannot_be_read_are_an_error_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(tmp_path))
    junk = b"GGUF junk"
    broken = replace(SMOLLM2, name="broken", file="broken.gguf", size=9, sha256=sha256(junk).hexdigest())
    broken.folder.mkdir(parents=True)
    broken.path.write_bytes(junk)
    with pytest.raises(ProviderError, match="could not be started"):
        EmbeddedServer(broken).start()


async def test_without_weights_the_command_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(tmp_path))
    monkeypatch.setattr(embedded, "runnable", lambda: True)
    with pytest.raises(ProviderError) as caught:
        EmbeddedServer(SMOLLM2).start()
    assert caught.value.failure is Failure.NOT_INSTALLED
    assert "studio models install" in caught.value.advice


def test_without_the_extra_its_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "runnable", lambda: False)
    with pytest.raises(ProviderError, match="not installed") as caught:
        EmbeddedServer(SMOLLM2).start()
    assert "pip install" in caught.value.advice


# Models of a blueprint's own against a server that was not written for us: llama.cpp's, with the embedded weights


ASK = (Turn(Role.SYSTEM, "Be brief."), Turn(Role.USER, "Why is the sky blue?"))


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
    streamed = own(address, "/v1/chat/completions", parameters={"max_tokens": 6})
    whole = own(address, "/v1/chat/completions", parameters={"max_tokens": 6, "stream": None})
    request = ChatRequest("smollm2", ASK)
    assert await text_of(whole, request) == await text_of(streamed, request)


@pytest.mark.parametrize("prompt_format", ["conversational", "raw"])
async def test_completions_continue_the_text(address: str, prompt_format: str) -> None:
    parameters = {"max_tokens": 9}
    provider = own(address, "/v1/completions", format="completions", promptFormat=prompt_format, parameters=parameters)
    finished = ended(await events_of(provider, ChatRequest("smollm2", ASK)))
    assert (finished.stop_reason, finished.usage.output_tokens) == (StopReason.LENGTH, 9)


async def test_a_stop_sequence_ends_the_answer(address: str) -> None:
    plain = await text_of(own(address, "/v1/chat/completions", parameters={"max_tokens": 12}), ChatRequest("m", ASK))
    word = plain.split()[2]
    provider = own(address, "/v1/chat/completions", parameters={"max_tokens": 12, "stop": [word]})
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
