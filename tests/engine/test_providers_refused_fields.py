"""Which fields a server's refusal names, in the shapes that servers have been seen to answer with."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.asking.spending import Cap, Spending
from engine.models import limits
from engine.models.chat import ChatRequest, Failure, Finished, Knob, Resent
from engine.models.failures import refused_fields
from engine.models.limits import ParameterSupport, model_key, remember, support_of
from engine.models.provider_registry import resolve
from engine.models.server import MOST_ADAPTATIONS, ChatServer
from engine.yaml.nodes import Data
from tests.engine.openai_server import chat_server
from tests.engine.provider_server import TALK, body_of, events_of, failure_of, said, text_of
from tests.engine.short_cases import assert_says

# Which fields a server's refusal names, in the shapes that servers have been seen to answer with


SENT = ("stream", "stream_options", "max_tokens", "temperature", "stop", "presence_penalty", "reasoning_effort", "seed")


def named(_: str, body: str) -> list[str]:
    return [", ".join(sorted(refused_fields(body.strip(), SENT))) or "no field"]


def test_a_refusal_names_its_fields(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("refusal_cases.txt"), named, pytestconfig)


def test_only_what_was_sent_is_named() -> None:
    assert refused_fields(json.dumps(openai("max_tokens")), ("temperature",)) == frozenset()


def test_a_body_that_is_cut_off_still_names_its_field() -> None:
    whole = json.dumps({"detail": [*mistral("stream_options")["detail"], {"loc": ["body"], "input": "x" * 999}]})
    assert refused_fields(whole[:300], SENT) == {"stream_options"}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["error", "loc", "param", "msg", "x"]), inner),
)


@given(_JSON)
def test_no_body_is_too_odd(body: Any) -> None:
    assert refused_fields(json.dumps(body), SENT) <= set(SENT)


# A server that refuses a field of a request is asked without it, once, and right at once from then on


pytestmark = pytest.mark.usefixtures("own_connections")

ASK = ChatRequest("gpt-new", TALK, max_tokens=50)
CHAT_ANSWER = {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 1},
}


def openai(field: str) -> Any:
    message = f"Unsupported parameter: '{field}' is not supported with this model."
    return {"error": {"message": message, "param": field, "code": "unsupported_parameter"}}


def mistral(field: str) -> Any:
    return {"detail": [{"type": "extra_forbidden", "loc": ["body", field], "msg": "Extra inputs are not permitted"}]}


class Picky:
    """A server that refuses the first field of `refuses` that a request has, with the status and words given."""

    def __init__(self, server: HTTPServer) -> None:
        self.refuses: tuple[str, ...] = ()
        self.words: Any = openai
        self.status = 400
        self.answer: Any = CHAT_ANSWER
        self.bodies: list[dict[str, Any]] = []
        self._server = server
        server.expect_request("/v1/chat/completions").respond_with_handler(self._handle)

    @property
    def url(self) -> str:
        return self._server.url_for("/v1")

    @property
    def provider(self) -> ChatServer:
        return chat_server(self.url)

    def defined(self, **fields: Data) -> ChatServer:
        """A model of the blueprint's own at this server."""
        definition: dict[str, Data] = {
            "id": "own:x",
            "url": f"{self.url}/chat/completions",
            "modelName": "gpt-new",
            "inherit": "openai",
            **fields,
        }
        provider, _ = resolve("own:x", custom=[definition])
        assert isinstance(provider, ChatServer)
        return provider

    def _handle(self, request: Request) -> Response:
        body = body_of(request)
        self.bodies.append(body)
        for field in self.refuses:
            if field in body:
                return said(self.words(field), self.status)
        return said(self.answer)


@pytest.fixture
def picky(httpserver: HTTPServer) -> Picky:
    return Picky(httpserver)


async def finished(provider: Any, request: ChatRequest = ASK) -> Finished:
    last = (await events_of(provider, request))[-1]
    assert isinstance(last, Finished)
    return last


# What is adapted


async def test_mistral_itself_is_not_asked_to_count_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-of-a-test")
    provider, model = resolve("mistral:mistral-small-latest")
    assert isinstance(provider, ChatServer)
    assert provider.most_resent(model) == 3


# What is remembered


async def test_the_next_request_is_right_at_once(picky: Picky) -> None:
    picky.refuses = ("max_tokens", "temperature")
    await text_of(picky.provider, ASK)
    sent = len(picky.bodies)
    assert (await finished(picky.provider)).ignored == (Knob.TEMPERATURE,)
    assert len(picky.bodies) == sent + 1


async def test_it_is_right_at_once_in_the_next_session(picky: Picky, monkeypatch: pytest.MonkeyPatch) -> None:
    picky.refuses = ("temperature",)
    await text_of(picky.provider, ASK)
    monkeypatch.setattr(limits, "_memories", {})
    await text_of(picky.provider, ASK)
    assert ["temperature" in body for body in picky.bodies] == [True, False, False]


async def test_it_is_remembered_for_that_model_alone(picky: Picky) -> None:
    picky.refuses = ("temperature",)
    await text_of(picky.provider, ASK)
    picky.refuses = ()
    await text_of(picky.provider, ChatRequest("gpt-other", TALK))
    assert "temperature" in picky.bodies[-1]


async def test_it_is_remembered_for_that_address_alone(picky: Picky) -> None:
    picky.refuses = ("temperature",)
    await text_of(picky.defined(url=f"{picky.url}/chat/completions?a=1"), ASK)
    picky.refuses = ()
    await text_of(picky.defined(url=f"{picky.url}/chat/completions"), ASK)
    assert "temperature" in picky.bodies[-1]


async def test_who_waits_for_its_turn_goes_by_what_others_heard(picky: Picky) -> None:
    picky.refuses = ("max_tokens", "temperature")
    provider = chat_server(picky.url, at_once=1)
    assert await asyncio.gather(*(text_of(provider, ASK) for _ in range(6))) == ["Hi"] * 6
    assert len(picky.bodies) == 6 + 2


async def test_what_was_presumed_is_given_up_where_it_helped_nothing(picky: Picky) -> None:
    picky.refuses = ("model",)
    picky.words = lambda _: openai("temperature")
    await failure_of(picky.provider, ASK)
    assert "temperature" in picky.bodies[0]
    await failure_of(picky.provider, ASK)
    assert ["temperature" in body for body in picky.bodies] == [True, False, True, False]


async def test_what_was_presumed_is_given_up_where_nobody_waits_for_it(picky: Picky) -> None:
    picky.refuses = ("temperature",)
    stream = picky.provider.stream(ASK)
    await anext(stream)
    await stream.aclose()
    await text_of(picky.provider, ASK)
    assert ["temperature" in body for body in picky.bodies] == [True, True, False]


async def test_a_refusal_that_helped_nothing_is_not_remembered(picky: Picky) -> None:
    picky.refuses = ("model",)
    picky.words = lambda _: openai("temperature")
    await failure_of(picky.provider, ASK)
    picky.refuses = ()
    assert (await finished(picky.provider)).ignored == ()


async def test_a_model_that_answered_may_not_be_resent(picky: Picky) -> None:
    provider = picky.provider
    assert provider.most_resent("gpt-new") == MOST_ADAPTATIONS
    await text_of(provider, ASK)
    assert provider.most_resent("gpt-new") == 0


async def test_no_key_and_no_address_is_kept(
    picky: Picky, monkeypatch: pytest.MonkeyPatch, clean_environment: Path
) -> None:
    monkeypatch.setenv("SECRET_PART", "s3cr3t-part-of-it")
    picky.refuses = ("temperature",)
    await text_of(picky.defined(url=f"{picky.url}/chat/completions?k=${{SECRET_PART}}"), ASK)
    kept = (clean_environment / "state" / "parameter-support.json").read_text()
    assert "s3cr3t" not in kept
    assert "localhost" not in kept


async def test_where_nothing_can_be_written_it_holds_for_the_session(picky: Picky, clean_environment: Path) -> None:
    (clean_environment / "state").write_text("a file where a folder should be")
    picky.refuses = ("temperature",)
    await text_of(picky.provider, ASK)
    await text_of(picky.provider, ASK)
    assert len(picky.bodies) == 3


KEY = model_key("somewhere", "gpt-new")
TODAY = datetime.now(UTC).date()


def written(home: Path, text: str) -> None:
    (home / "state").mkdir(exist_ok=True)
    (home / "state" / "parameter-support.json").write_text(text)


def entry(day: str = TODAY.isoformat(), dropped: Any = ("temperature",), renamed: Any = ("max_tokens",)) -> str:
    return json.dumps({"format": 1, "models": {KEY: {"dropped": dropped, "renamed": renamed, "day": day}}})


def test_what_was_kept_is_read(clean_environment: Path) -> None:
    written(clean_environment, entry())
    assert support_of(KEY) == ParameterSupport(frozenset({"temperature"}), frozenset({"max_tokens"}))


def test_what_was_kept_and_is_read_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    support = ParameterSupport(frozenset({"stream", "generationConfig.temperature"}), frozenset({"max_tokens"}))
    remember(KEY, support)
    monkeypatch.setattr(limits, "_memories", {})
    assert support_of(KEY) == support


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"format": 2, "models": {}}',
        '{"format": 1, "models": []}',
        entry((TODAY - timedelta(days=31)).isoformat()),
        entry((TODAY + timedelta(days=2)).isoformat()),
        entry("yesterday"),
        entry(dropped="temperature"),
        entry().replace(KEY, "no digest"),
        "[" * 100_000,
    ],
)
def test_what_cannot_be_used_is_passed_over(clean_environment: Path, text: str) -> None:
    written(clean_environment, text)
    assert support_of(KEY) is None


@pytest.mark.parametrize("name", [5, "a b", "\x1b[0m", "a.b.c", "temperature\n"])
def test_a_model_with_a_name_that_is_none_is_passed_over(clean_environment: Path, name: object) -> None:
    written(clean_environment, entry(dropped=["temperature", name]))
    assert support_of(KEY) is None


def test_names_of_the_other_list_are_passed_over(clean_environment: Path) -> None:
    written(clean_environment, entry(dropped=["temperature", "max_tokens"], renamed=["model"]))
    assert support_of(KEY) == ParameterSupport(frozenset({"temperature"}))


async def test_a_file_that_drops_the_messages_drops_nothing(picky: Picky, clean_environment: Path) -> None:
    await text_of(picky.provider, ASK)
    file = clean_environment / "state" / "parameter-support.json"
    file.write_text(file.read_text().replace('"dropped": []', '"dropped": ["messages", "model", "temperature"]'))
    limits._memories.clear()  # pyright: ignore[reportPrivateUsage]
    await text_of(picky.provider, ASK)
    assert picky.bodies[-1].keys() == picky.bodies[0].keys() - {"temperature"}


# What is counted


async def test_each_request_that_follows_is_told_before_it_is_sent(picky: Picky) -> None:
    picky.refuses = ("temperature",)
    stream = picky.provider.stream(ASK)
    assert isinstance(await anext(stream), Resent)
    assert len(picky.bodies) == 1
    await stream.aclose()


def spending(cap: Cap) -> Spending:
    return Spending(cap, price_of=lambda *_: None)


async def test_the_cap_counts_the_request_that_follows(picky: Picky) -> None:
    picky.refuses = ("temperature",)
    taken = spending(Cap(requests=5))
    provider, _ = taken.guarded(lambda *_: (picky.provider, "gpt-new"))("openai:gpt-new", None)
    await text_of(provider, ASK)
    assert taken.requests == len(picky.bodies) == 2


async def test_the_cap_stops_the_request_that_follows(picky: Picky) -> None:
    picky.refuses = ("temperature",)
    taken = spending(Cap(requests=1))
    provider, _ = taken.guarded(lambda *_: (picky.provider, "gpt-new"))("openai:gpt-new", None)
    error = await failure_of(provider, ASK)
    assert (error.failure, len(picky.bodies)) == (Failure.CAPPED, 1)


async def test_many_at_once_never_pass_the_cap(picky: Picky) -> None:
    picky.refuses = ("max_tokens", "temperature")
    taken = spending(Cap(requests=9))
    provider, _ = taken.guarded(lambda *_: (picky.provider, "gpt-new"))("openai:gpt-new", None)
    await asyncio.gather(*(events_of(provider, ASK) for _ in range(8)), return_exceptions=True)
    assert taken.requests == len(picky.bodies) == 9


# What it says where nothing can be done


@pytest.mark.parametrize(
    ("message", "title"),
    [
        (
            "This model is only supported in v1/responses and not in v1/chat/completions.",
            "it answers only OpenAI's Responses API, which is not supported here",
        ),
        (
            "This is not a chat model and thus not supported in the v1/chat/completions endpoint. "
            "Did you mean to use v1/completions?",
            "it does not answer chat completions",
        ),
    ],
)
async def test_a_model_that_does_not_chat_is_told_as_such(picky: Picky, message: str, title: str) -> None:
    picky.refuses, picky.status = ("model",), 404
    picky.words = lambda _: {"error": {"message": message, "type": "invalid_request_error", "param": "model"}}
    error = await failure_of(picky.provider, ASK)
    assert error.title.endswith(title)
    assert (error.detail, len(picky.bodies)) == (message, 1)


async def test_a_refusal_is_read_whole(picky: Picky) -> None:
    picky.refuses, picky.status = ("model",), 422
    picky.words = lambda _: mistral("safe_prompt")
    assert (await failure_of(picky.provider, ASK)).detail == "safe_prompt: Extra inputs are not permitted"


async def test_what_the_server_behind_a_gateway_said_is_read(picky: Picky) -> None:
    raw = json.dumps({"error": {"message": "Model supports at most 1 image per prompt."}})
    picky.refuses = ("model",)
    picky.words = lambda _: {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}}}
    detail = (await failure_of(picky.provider, ASK)).detail
    assert detail == "Provider returned error: Model supports at most 1 image per prompt."
