"""Which provider a model id names, what is found ready, and how keys are held."""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
import pickle
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from engine.models import provider_registry
from engine.models.chat import Failure, ProviderError
from engine.models.http import close_clients
from engine.models.provider_registry import discover_loopback, keys_found, resolve
from engine.models.secret import Secret, key_from_environment
from engine.models.wires import TextJoiner, read_chunk
from engine.text.record import replace

KEY = "sk-test-7Hq2+/xyz"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for row in (provider_registry.HOSTED | provider_registry.LOOPBACK).values():
        monkeypatch.delenv(row.key_variable or "NONE", raising=False)
        monkeypatch.delenv(row.base_variable or "NONE", raising=False)


def refused(model: str, base_url: str | None = None) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        resolve(model, base_url)
    return caught.value


# Model ids


@pytest.mark.parametrize(
    ("model", "variable", "recipient", "bare"),
    [
        ("openai:gpt-4o-mini", "OPENAI_API_KEY", "api.openai.com", "gpt-4o-mini"),
        ("openai:ft:gpt-4o:me::id", "OPENAI_API_KEY", "api.openai.com", "ft:gpt-4o:me::id"),
        ("openrouter:openai/gpt-4o", "OPENROUTER_API_KEY", "openrouter.ai", "openai/gpt-4o"),
        ("anthropic:claude-3-5-haiku", "ANTHROPIC_API_KEY", "api.anthropic.com", "claude-3-5-haiku-20241022"),
        ("anthropic:claude-3.5-haiku", "ANTHROPIC_API_KEY", "api.anthropic.com", "claude-3-5-haiku-20241022"),
        ("anthropic:claude-haiku-4.5", "ANTHROPIC_API_KEY", "api.anthropic.com", "claude-haiku-4-5"),
        ("anthropic:claude-opus-4-7", "ANTHROPIC_API_KEY", "api.anthropic.com", "claude-opus-4-7"),
        ("anthropic:a-gateway-s-own-3.5", "ANTHROPIC_API_KEY", "api.anthropic.com", "a-gateway-s-own-3.5"),
        ("openrouter:anthropic/claude-haiku-4.5", "OPENROUTER_API_KEY", "openrouter.ai", "anthropic/claude-haiku-4.5"),
        ("google:gemini-2.5-flash", "GOOGLE_API_KEY", "generativelanguage.googleapis.com", "gemini-2.5-flash"),
        ("mistral:mistral-small", "MISTRAL_API_KEY", "api.mistral.ai", "mistral-small"),
        ("together:meta/llama", "TOGETHER_API_KEY", "api.together.xyz", "meta/llama"),
        ("xai:grok-3", "XAI_API_KEY", "api.x.ai", "grok-3"),
        ("ollama:llama3:8b", "NONE", "this machine (127.0.0.1:11434)", "llama3:8b"),
        ("llamacpp:any", "NONE", "this machine (127.0.0.1:8080)", "any"),
        ("lmstudio:any", "NONE", "this machine (127.0.0.1:1234)", "any"),
        ("vllm:any", "NONE", "this machine (127.0.0.1:8000)", "any"),
        ("embedded:smollm2", "NONE", "this machine", "smollm2"),
    ],
)
def test_a_model_id_names_its_provider(
    monkeypatch: pytest.MonkeyPatch, model: str, variable: str, recipient: str, bare: str
) -> None:
    monkeypatch.setenv(variable, KEY)
    provider, name = resolve(model)
    assert (provider.recipient, name) == (recipient, bare)


def test_openai_can_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1/")
    assert resolve("openai:gpt-4o")[0].recipient == "models.example"


@pytest.mark.parametrize("model", ["llama3:8b", "mistral:7b", "plain"])
def test_a_given_address_takes_the_whole_name(model: str) -> None:
    provider, name = resolve(model, "http://127.0.0.1:9000/v1")
    assert (provider.recipient, name) == ("this machine (127.0.0.1:9000)", model)


@pytest.mark.parametrize("model", ["openai:", "nobody:x", "gpt-4o", "CORE", "", ":x", "embedded:gpt-5"])
def test_a_name_that_names_nothing_is_refused_in_words(model: str) -> None:
    error = refused(model)
    assert error.failure is Failure.NO_SUCH_MODEL
    assert error.advice


@pytest.mark.parametrize("provider", list(provider_registry.HOSTED))
def test_a_missing_key_is_named_by_its_variable(provider: str) -> None:
    error = refused(f"{provider}:some-model")
    assert error.failure is Failure.MISSING_KEY
    assert f"{provider.upper()}_API_KEY" in error.advice


@pytest.mark.parametrize("model", [" openai:gpt-4o", "OpenAI:gpt-4o", "openai : gpt-4o ", "openai: gpt-4o"])
def test_small_slips_in_a_model_id_are_corrected(monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    provider, name = resolve(model)
    assert (provider.recipient, name) == ("api.openai.com", "gpt-4o")


@pytest.mark.parametrize("address", ["localhost:8080", "ftp://x", "", "javascript:x"])
def test_an_address_needs_its_scheme(address: str) -> None:
    assert "http://" in refused("x", address).advice


def test_importing_the_room_loads_neither_http_nor_asyncio() -> None:
    check = "import sys, engine.models; sys.exit(bool({'httpx', 'asyncio'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", check], check=True)


# What is ready


def test_keys_are_found_by_name_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", KEY)
    monkeypatch.setenv("XAI_API_KEY", "  ")
    assert keys_found() == ("MISTRAL_API_KEY",)


@pytest.fixture
def only_ollama(monkeypatch: pytest.MonkeyPatch, httpserver: HTTPServer) -> HTTPServer:
    row = replace(provider_registry.LOOPBACK["ollama"], base_url=f"http://127.0.0.1:{httpserver.port}/v1")
    monkeypatch.setattr("engine.models.provider_registry.LOOPBACK", {"ollama": row})
    return httpserver


async def test_a_server_on_loopback_is_found_with_its_models(only_ollama: HTTPServer) -> None:
    only_ollama.expect_request("/v1/models").respond_with_json({"data": [{"id": "llama3"}, {"id": 4}, {"name": "x"}]})
    [found] = await discover_loopback()
    assert (found.row.label, found.model_ids) == ("Ollama", ("ollama:llama3",))
    await close_clients()


async def test_a_server_that_wants_a_key_is_found(only_ollama: HTTPServer) -> None:
    only_ollama.expect_request("/v1/models").respond_with_data("no", status=401)
    [found] = await discover_loopback()
    assert found.wants_key
    await close_clients()


@pytest.mark.parametrize("body", ["<html>a web page</html>", "{}", "[]", '{"data": {}}', ""])
async def test_something_else_on_the_port_is_no_server(only_ollama: HTTPServer, body: str) -> None:
    only_ollama.expect_request("/v1/models").respond_with_data(body)
    assert await discover_loopback() == []
    await close_clients()


async def test_a_port_that_listens_but_never_answers_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    row = replace(provider_registry.LOOPBACK["ollama"], base_url=f"http://127.0.0.1:{port}/v1")
    monkeypatch.setattr("engine.models.provider_registry.LOOPBACK", {"a": row, "b": row, "c": row})
    monkeypatch.setattr("engine.models.provider_registry._PROBE_SECONDS", 0.6)
    started = time.monotonic()
    assert await discover_loopback() == []
    assert time.monotonic() - started < 30
    server.close()
    await close_clients()


# Keys


@pytest.mark.parametrize(
    "shown",
    [repr, str, "{}".format, "{:>20}".format, lambda key: f"{key!r}{key!s}{key}", lambda key: repr([key]), ascii],
)
def test_a_secret_prints_as_stars(shown: object) -> None:
    assert KEY not in shown(Secret(KEY))  # type: ignore[operator]


@pytest.mark.parametrize("save", [json.dumps, pickle.dumps])
def test_a_secret_cannot_be_saved(save: object) -> None:
    with pytest.raises(TypeError):
        save(Secret(KEY))  # type: ignore[operator]


def test_a_copied_secret_is_the_same() -> None:
    key = Secret(KEY)
    assert copy.deepcopy([key]) == [key]


@pytest.mark.parametrize("text", [KEY, "sk-test-7Hq2%2B%2Fxyz", f'{{"key": "{KEY}"}}'])
def test_a_secret_is_scrubbed_in_each_of_its_forms(text: str) -> None:
    assert "7Hq2" not in Secret(KEY).scrub(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "delta", "message", "content", "error", "code", "usage", "finish_reason", "refusal"]
            ),
            inner,
            max_size=4,
        )
    ),
)


@given(JSON)
def test_any_json_is_a_piece_of_an_answer_or_none(data: object) -> None:
    chunk = read_chunk(data)
    assert chunk is None or isinstance(chunk.text, str)


@given(st.text("abc", min_size=1, max_size=4), st.text("abc", max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_a_key_never_comes_through_pieces(key: str, text: str, cuts: list[int]) -> None:
    bounds = [0, *sorted(cuts), len(text)]
    joiner = TextJoiner([Secret(key)])
    pieces = [joiner.feed(text[start:end]) for start, end in itertools.pairwise(bounds)]
    assert "".join((*pieces, joiner.flush())) == Secret(key).scrub(text)


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=3), st.lists(st.text("abc", max_size=5)))
def test_none_of_several_keys_comes_through_pieces(keys: list[str], pieces: list[str]) -> None:
    joiner = TextJoiner([Secret(key) for key in sorted(keys, key=len, reverse=True)])
    said = "".join((*map(joiner.feed, pieces), joiner.flush()))
    assert not any(key in said for key in keys)


def test_a_key_before_half_a_character_does_not_come_through() -> None:
    assert TextJoiner([Secret(KEY)]).feed(f"{KEY}\ud83d") == "***"


@pytest.mark.parametrize("value", ["two words", "line\nbreak", "schlüssel", "nul\x00"])
def test_what_can_be_no_key_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr("os.environ", {"TEST_KEY": value})
    with pytest.raises(ProviderError) as caught:
        key_from_environment("TEST_KEY")
    assert value not in repr(vars(caught.value))


@pytest.mark.parametrize(("value", "found"), [(f" {KEY}\n", True), ("", False), ("  ", False)])
def test_blanks_around_a_key_do_not_count(monkeypatch: pytest.MonkeyPatch, value: str, found: bool) -> None:
    monkeypatch.setenv("TEST_KEY", value)
    assert (key_from_environment("TEST_KEY") is not None) is found
