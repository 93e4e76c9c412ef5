"""Which provider a model id names, what is found ready, and how keys are held."""

from __future__ import annotations

import asyncio
import base64
import copy
import html
import itertools
import json
import math
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from engine.files.user_settings import Settings
from engine.models import provider_registry, secret
from engine.models.chat import Failure, ProviderError, Usage
from engine.models.failures import Request
from engine.models.http import Access, close_clients
from engine.models.prices import (
    OwnPrices,
    Price,
    TokenRange,
    cost,
    own_prices,
    price_of,
    read_prices,
    tokens_of,
    tokens_of_messages,
)
from engine.models.provider_registry import discover_loopback, keys_found, model_names, resolve
from engine.models.secret import Secret, environment_keys, key_from_environment, scrub_all
from engine.models.wires import TextJoiner, read_chunk
from engine.text.record import replace
from tests.engine.openai_server import chat_server
from tests.engine.provider_server import answers, failure_of, said, sse, streamed, text_of
from tests.many_cases import every

# Which provider a model id names, what is found ready, and how keys are held


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


def test_openai_can_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1/")
    assert resolve("openai:gpt-4o")[0].recipient == "models.example"


@every("model", ["llama3:8b", "mistral:7b", "plain"])
def test_a_given_address_takes_the_whole_name(model: str) -> None:
    provider, name = resolve(model, "http://127.0.0.1:9000/v1")
    assert (provider.recipient, name) == ("this machine (127.0.0.1:9000)", model)


@every("provider", list(provider_registry.HOSTED))
def test_a_missing_key_is_named_by_its_variable(provider: str) -> None:
    error = refused(f"{provider}:some-model")
    assert error.failure is Failure.MISSING_KEY
    assert f"{provider.upper()}_API_KEY" in error.advice


@every("address", ["localhost:8080", "ftp://x", "", "javascript:x"])
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


@every(
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


@every("text", [KEY, "sk-test-7Hq2%2B%2Fxyz", f'{{"key": "{KEY}"}}'])
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
    max_leaves=12,
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


# The list of models that a server on this machine sends is not trusted


def listed(*names: object) -> bytes:
    return json.dumps({"object": "list", "data": [{"id": name} for name in names]}).encode()


def test_names_come_in_the_order_of_the_list() -> None:
    assert model_names(listed("b", "a")) == ("b", "a")


@every("name", [None, 7, "", "x" * 201, "half \ud800", ["a"]], ids=str)
def test_what_no_blueprint_could_name_is_left_out(name: object) -> None:
    assert model_names(listed(name, "a")) == ("a",)


@every("body", [b"", b"[]", b'{"data": 1}', b"\xff", b"[" * 100_000], ids=lambda body: str(body[:9]))
def test_another_body_is_no_list(body: bytes) -> None:
    assert model_names(body) is None


# What models cost and how long texts are: known, given by the author, or honestly not known


MINI = Price(0.15, 0.60)


def test_the_author_s_own_price_wins() -> None:
    own = OwnPrices({"openai:gpt-4o-mini": Price(9.0, 9.0, is_own=True)})
    assert price_of("openai:gpt-4o-mini-2024-07-18", own) == Price(9.0, 9.0, is_own=True)
    assert price_of("openai:gpt-4o", own) == price_of("openai:gpt-4o")


def test_own_prices_stand_in_the_settings_and_survive_their_saving(clean_environment: Path) -> None:
    file = clean_environment / "config" / "settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"prices": {"local:mine": {"input": 1, "output": 2.5}}}))
    Settings.load().save()
    assert own_prices() == OwnPrices({"local:mine": Price(1.0, 2.5, is_own=True)})


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"prices": null}'])
def test_without_prices_in_the_settings_there_are_none(clean_environment: Path, text: str) -> None:
    file = clean_environment / "config" / "settings.json"
    file.parent.mkdir()
    file.write_text(text)
    assert own_prices() == OwnPrices({})


NO_PRICES = (None, 3, {"input": 1}, *({"input": paid, "output": 1} for paid in (-1, "1", 10**400, math.inf, math.nan)))


@every("price", NO_PRICES, ids=lambda price: str(price)[:20])
def test_a_price_that_cannot_be_used_is_named(price: Any) -> None:
    read = read_prices({"local:mine": price, "local:other": {"input": 1, "output": 1}})
    assert list(read.prices) == ["local:other"]
    assert "local:mine" in read.problems[0]


def test_a_cost_is_that_of_both_sides() -> None:
    assert cost(Usage(2_000_000, 1_000_000), Price(0.5, 2.0)) == 3.0


@every("usage", [Usage(), Usage(1, None), Usage(None, 1)])
def test_what_was_not_counted_has_no_cost(usage: Usage) -> None:
    assert cost(usage, MINI) is None


# Tokens


@every(
    ("text", "count"),
    [
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("What is the capital of France?", 7),
        ("", 0),
    ],
)
def test_the_range_holds_what_is_known(text: str, count: int) -> None:
    found = tokens_of(text)
    assert found.low <= count <= found.high


@given(st.text())
def test_the_least_is_never_more_than_the_most(text: str) -> None:
    found = tokens_of(text)
    assert 0 <= found.low <= found.high


@given(st.text())
def test_a_text_has_at_most_as_many_tokens_as_bytes(text: str) -> None:
    assert tokens_of(text).high <= len(text.encode("utf-8", "replace"))


def test_a_conversation_costs_its_texts_and_a_little() -> None:
    whole = tokens_of_messages(["Hello", "Hello"])
    assert whole.low == 2 * tokens_of("Hello").low
    assert whole.high > 2 * tokens_of("Hello").high


def test_ranges_add_up() -> None:
    assert TokenRange(1, 3) + TokenRange(2, 5) == TokenRange(3, 8)


# Keys in whatever form a server sends them back are masked, also where only a part of them is there


@pytest.fixture(autouse=True)
def no_key_of_another_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a process used as a key is masked, and other tests in it use keys of one letter."""
    monkeypatch.setattr(secret, "_used", set())


ODD_KEY = 'sk-7Hq2+/x=&"<Zk40vW9pLmT1'
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60)

FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in a URL": lambda key: quote(key, safe=""),
    "in a URL, in small letters": lambda key: re.sub("%..", lambda found: found[0].lower(), quote(key)),
    "in a path": quote,
    "in a form": quote_plus,
    "in JSON": lambda key: json.dumps({"key": key}),
    "in JSON in JSON": lambda key: json.dumps({"error": json.dumps({"key": key})}),
    "in JSON of PHP": lambda key: json.dumps(key).replace("/", "\\/"),
    "in JSON of Go": lambda key: (
        json.dumps(key).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    ),
    "in HTML": html.escape,
    "in HTML of Go": lambda key: html.escape(key).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
    "in Python": repr,
    "in bytes of Python": lambda key: repr(f"Bearer {key}".encode()),
    "in Base64": lambda key: base64.b64encode(key.encode()).decode(),
    "in Basic authentication": lambda key: base64.b64encode(f"me:{key}".encode()).decode(),
    "in Base64 of a header": lambda key: base64.b64encode(f"Bearer {key}\r\n".encode()).decode(),
    "in Base64 for URLs": lambda key: base64.urlsafe_b64encode(f"a{key}".encode()).decode(),
    "in hexadecimal digits": lambda key: key.encode().hex(),
    "backwards": lambda key: key[::-1],
}


@given(key=KEYS)
def test_no_form_of_a_key_comes_through(key: str) -> None:
    """What is left is what surrounds the key; in Base64 its first and last bytes share a character with that."""
    for name, form in FORMS.items():
        left = Secret(key).scrub(form(key))
        assert len(left) <= len(form("")) + len("***") + 4, name


@every("form", FORMS.values())
def test_no_form_comes_through_pieces(form: Callable[[str], str]) -> None:
    joiner = TextJoiner([Secret(ODD_KEY)])
    streamed = "".join((*(joiner.feed(each) for each in form(ODD_KEY)), joiner.flush()))
    assert "7Hq2" not in streamed
    assert "***" in streamed


def test_a_usual_text_is_left_as_it_is() -> None:
    text = "The notice period is 30 days; see section 4, and sk-7 is no key."
    assert Secret(ODD_KEY).scrub(text) == text


def test_an_answer_that_is_cut_off_within_a_key_ends_masked() -> None:
    joiner = TextJoiner([Secret(ODD_KEY)])
    assert joiner.feed(f"Your key is {ODD_KEY[:20]}") + joiner.flush() == "Your key is ***"


def test_a_few_letters_that_may_begin_a_key_stay() -> None:
    joiner = TextJoiner([Secret(ODD_KEY)])
    assert joiner.feed("A key begins with sk-") + joiner.flush() == "A key begins with sk-"


@every("part", [ODD_KEY[:12], ODD_KEY[-12:], ODD_KEY[6:18], ODD_KEY[:12][::-1]])
def test_a_part_of_a_key_in_a_message_is_masked(part: str) -> None:
    named = Request("tiny", "api.example", Access.by(Secret(ODD_KEY), "TEST_KEY"))
    error = named.failure(Failure.UNAUTHORISED, "the key was refused", f"Incorrect key: {part}********wxyz.")
    assert error.detail == "Incorrect key: ***********wxyz."


async def test_the_whole_request_sent_back_by_a_model_has_no_key(httpserver: HTTPServer) -> None:
    answers(httpserver, streamed(sse({"choices": [{"delta": {"content": FORMS["in Basic authentication"](ODD_KEY)}}]}),
                                 b"data: [DONE]\n\n"))  # fmt: skip
    provider = chat_server(httpserver.url_for("/v1"), key=Secret(ODD_KEY))
    assert "***" in await text_of(provider)


async def test_a_key_of_another_provider_is_masked_too(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-4fK9pQz7Lm")
    answers(httpserver, streamed(sse({"choices": [{"delta": {"content": "env: sk-ant-4fK9pQz7Lm"}}]}),
                                 b"data: [DONE]\n\n"))  # fmt: skip
    assert await text_of(chat_server(httpserver.url_for("/v1"))) == "env: ***"


async def test_a_key_of_another_provider_is_masked_in_errors(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_4fK9pQz7LmX0")
    answers(httpserver, said({"error": {"message": "no hf_4fK9pQz7LmX0"}}, 500))
    error: ProviderError = await failure_of(chat_server(httpserver.url_for("/v1")))
    assert error.detail == "no ***"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KEYBOARD_LAYOUT", "de-latin1-nodeadkeys"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/secrets/google-4fK9.json"),
        ("PASSWORD_STORE_DIR", "~/passwords-4fK9"),
        ("MY_TOKEN", "short1"),
        ("MY_SECRET", "a plain sentence"),
        ("HOME_PAGE", "x4fK9pQz7LmX0"),
    ],
)
def test_what_is_no_key_is_not_masked(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert value not in [key.reveal() for key in environment_keys()]


def test_everything_that_was_used_as_a_key_is_masked_in_a_report() -> None:
    Secret("pw-9Zk4")
    assert scrub_all("ValueError: pw-9Zk4 cannot be used") == "ValueError: *** cannot be used"


async def test_the_password_of_an_address_is_masked_in_what_comes_back(httpserver: HTTPServer) -> None:
    answers(httpserver, said({"error": {"message": "You are me:4fK9pQz7LmX0, that is bWU6NGZLOXBRejdMbVgw"}}, 500))
    address = httpserver.url_for("/v1").replace("http://", "http://me:4fK9pQz7LmX0@")
    error = await failure_of(chat_server(address))
    assert error.detail == "You are me:***, that is bWU6***"


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("4fK9pQz7LmX0abcd", "4fK9pQz7LmX0abcd"),
        ("http://me:pw-9Zk4%2B@proxy.example:8080", "pw-9Zk4%2B"),
        ("http://me:pw-9Zk4%2B@proxy.example:8080", "pw-9Zk4+"),
        ("https://api.example/v1?key=9Zk4x", "9Zk4x"),
    ],
)
def test_a_report_shows_no_variable_that_looks_like_a_key(
    value: str, quoted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAIN_NAME", value)
    assert scrub_all(f"ValueError: {quoted} cannot be used") == "ValueError: *** cannot be used"
