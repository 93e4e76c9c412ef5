"""Keys in whatever form a server sends them back are masked, also where only a part of them is there."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from engine.models import secret
from engine.models.chat import Failure, ProviderError
from engine.models.failures import Request
from engine.models.http import Access
from engine.models.secret import Secret, environment_keys, scrub_all
from engine.models.wires import TextJoiner
from tests.engine.openai_server import chat_server
from tests.engine.provider_server import answers, failure_of, said, sse, streamed, text_of
from tests.many_cases import every


@pytest.fixture(autouse=True)
def no_key_of_another_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a process used as a key is masked, and other tests in it use keys of one letter."""
    monkeypatch.setattr(secret, "_used", set())


KEY = 'sk-7Hq2+/x=&"<Zk40vW9pLmT1'
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


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@given(key=KEYS)
def test_no_form_of_a_key_comes_through(form: Callable[[str], str], key: str) -> None:
    """What is left is what surrounds the key; in Base64 its first and last bytes share a character with that."""
    left = Secret(key).scrub(form(key))
    assert len(left) <= len(form("")) + len("***") + 4


@every("form", FORMS.values())
def test_no_form_comes_through_pieces(form: Callable[[str], str]) -> None:
    joiner = TextJoiner([Secret(KEY)])
    streamed = "".join((*(joiner.feed(each) for each in form(KEY)), joiner.flush()))
    assert "7Hq2" not in streamed
    assert "***" in streamed


def test_a_usual_text_is_left_as_it_is() -> None:
    text = "The notice period is 30 days; see section 4, and sk-7 is no key."
    assert Secret(KEY).scrub(text) == text


def test_an_answer_that_is_cut_off_within_a_key_ends_masked() -> None:
    joiner = TextJoiner([Secret(KEY)])
    assert joiner.feed(f"Your key is {KEY[:20]}") + joiner.flush() == "Your key is ***"


def test_a_few_letters_that_may_begin_a_key_stay() -> None:
    joiner = TextJoiner([Secret(KEY)])
    assert joiner.feed("A key begins with sk-") + joiner.flush() == "A key begins with sk-"


@every("part", [KEY[:12], KEY[-12:], KEY[6:18], KEY[:12][::-1]])
def test_a_part_of_a_key_in_a_message_is_masked(part: str) -> None:
    named = Request("tiny", "api.example", Access.by(Secret(KEY), "TEST_KEY"))
    error = named.failure(Failure.UNAUTHORISED, "the key was refused", f"Incorrect key: {part}********wxyz.")
    assert error.detail == "Incorrect key: ***********wxyz."


async def test_the_whole_request_sent_back_by_a_model_has_no_key(httpserver: HTTPServer) -> None:
    answers(httpserver, streamed(sse({"choices": [{"delta": {"content": FORMS["in Basic authentication"](KEY)}}]}),
                                 b"data: [DONE]\n\n"))  # fmt: skip
    provider = chat_server(httpserver.url_for("/v1"), key=Secret(KEY))
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
