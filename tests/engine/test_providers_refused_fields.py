"""Which fields a server's refusal names, in the shapes that servers have been seen to answer with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
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
from engine.models.server import MOST_ADAPTATIONS, ChatServer, OpenAIShaped
from engine.yaml.nodes import Data
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
MESSAGE = {"type": "message", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}
CANDIDATE = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}


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
        server.expect_request("/v1/messages").respond_with_handler(self._handle)
        server.expect_request("/v1beta/models/gemini:streamGenerateContent").respond_with_handler(self._handle)

    @property
    def url(self) -> str:
        return self._server.url_for("/v1")

    @property
    def provider(self) -> OpenAIShaped:
        return OpenAIShaped(self.url)

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
        sent: Mapping[str, Any] = {**body, **body.get("generationConfig", {})}
        for field in self.refuses:
            if field in sent:
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


async def test_a_refused_limit_of_tokens_goes_by_its_other_name(picky: Picky) -> None:
    picky.refuses = ("max_tokens",)
    assert await text_of(picky.provider, ASK) == "Hi"
    assert [body.get("max_completion_tokens") for body in picky.bodies] == [None, 50]
    assert "max_tokens" not in picky.bodies[1]


async def test_the_other_name_goes_back_where_it_is_refused(picky: Picky) -> None:
    picky.refuses = ("max_completion_tokens",)
    assert await text_of(picky.provider, ChatRequest("o3", TALK, max_tokens=50)) == "Hi"
    assert picky.bodies[1]["max_tokens"] == 50


async def test_a_limit_of_tokens_that_is_refused_by_both_names_fails(picky: Picky) -> None:
    picky.refuses = ("max_tokens", "max_completion_tokens")
    error = await failure_of(picky.provider, ASK)
    assert "max_completion_tokens" in error.detail
    assert len(picky.bodies) == 2


@pytest.mark.parametrize("temperature", [0.0, 0.7, 2.0])
async def test_a_refused_temperature_is_left_out_and_told(picky: Picky, temperature: float) -> None:
    picky.refuses = ("temperature",)
    end = await finished(picky.provider, ChatRequest("gpt-new", TALK, temperature))
    assert end.ignored == (Knob.TEMPERATURE,)
    assert "temperature" not in picky.bodies[-1]


async def test_a_family_that_takes_no_temperature_says_so(picky: Picky) -> None:
    assert (await finished(picky.provider, ChatRequest("gpt-5-mini", TALK))).ignored == (Knob.TEMPERATURE,)


async def test_a_model_that_takes_everything_ignores_nothing(picky: Picky) -> None:
    assert (await finished(picky.provider)).ignored == ()


@pytest.mark.parametrize("field", ["stream", "stream_options"])
async def test_how_an_answer_comes_is_no_setting_that_is_ignored(picky: Picky, field: str) -> None:
    picky.refuses = (field,)
    assert (await finished(picky.provider)).ignored == ()
    assert "stream_options" not in picky.bodies[1]


async def test_each_field_is_given_up_once_and_all_in_one_answer(picky: Picky) -> None:
    picky.refuses = ("stream_options", "max_tokens", "temperature")
    assert await text_of(picky.provider, ASK) == "Hi"
    assert len(picky.bodies) == 1 + MOST_ADAPTATIONS
    assert picky.bodies[-1].keys() == {"model", "messages", "stream", "max_completion_tokens"}


async def test_fields_that_are_refused_together_are_given_up_together(picky: Picky) -> None:
    picky.refuses = ("temperature",)
    picky.words = lambda _: {"detail": [*mistral("stream_options")["detail"], *mistral("temperature")["detail"]]}
    picky.status = 422
    assert await text_of(picky.provider, ASK) == "Hi"
    assert len(picky.bodies) == 2


async def test_a_server_that_refuses_whatever_it_gets_is_not_asked_for_ever(picky: Picky) -> None:
    picky.refuses = ("model",)
    picky.words = lambda _: openai("temperature")
    error = await failure_of(picky.provider, ASK)
    assert "temperature" in error.detail
    assert len(picky.bodies) == 2


async def test_another_refusal_is_shown_at_once(picky: Picky) -> None:
    picky.refuses = ("temperature",)
    picky.words = lambda _: {"message": "temperature must be between 0.1 and 1"}
    assert "must be between" in (await failure_of(picky.provider, ASK)).detail
    assert len(picky.bodies) == 1


async def test_anthropic_s_temperature_is_left_out(picky: Picky, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-a-test")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", picky.url)
    picky.refuses, picky.answer = ("temperature",), MESSAGE
    picky.words = lambda _: {"error": {"message": "`temperature` is deprecated for this model."}}
    provider, model = resolve("anthropic:claude-new")
    end = await finished(provider, ChatRequest(model, TALK, 0.7))
    assert (end.ignored, len(picky.bodies)) == ((Knob.TEMPERATURE,), 2)


async def test_google_s_temperature_is_left_out(picky: Picky, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "sk-of-a-test")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", picky.url.replace("/v1", "/v1beta"))
    picky.refuses, picky.answer = ("temperature",), CANDIDATE
    message = "Invalid JSON payload received. Unknown name \"temperature\" at 'generation_config': Cannot find field."
    picky.words = lambda _: {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}
    provider, model = resolve("google:gemini")
    assert (await finished(provider, ChatRequest(model, TALK))).ignored == (Knob.TEMPERATURE,)
    assert picky.bodies[1]["generationConfig"] == {"maxOutputTokens": 1500}


async def test_a_refusal_within_a_stream_is_adapted_to(httpserver: HTTPServer) -> None:
    """As OpenRouter answers: 200, and the error of the server behind it in the stream."""
    bodies: list[Any] = []

    def handle(request: Request) -> Response:
        bodies.append(body_of(request))
        if "temperature" not in bodies[-1]:
            return said(CHAT_ANSWER)
        error = {
            "message": "Provider returned error",
            "code": 400,
            "metadata": {"raw": json.dumps(openai("temperature"))},
        }
        return Response(f"data: {json.dumps({'error': error})}\n\n", content_type="text/event-stream")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(handle)
    assert await text_of(OpenAIShaped(httpserver.url_for("/v1")), ASK) == "Hi"
    assert len(bodies) == 2


async def test_mistral_is_not_sent_what_it_refuses(picky: Picky, monkeypatch: pytest.MonkeyPatch) -> None:
    picky.refuses, picky.words, picky.status = ("stream_options", "max_completion_tokens"), mistral, 422
    assert await text_of(picky.defined(inherit="mistral"), ASK) == "Hi"
    assert len(picky.bodies) == 1


async def test_mistral_itself_is_not_asked_to_count_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-of-a-test")
    provider, model = resolve("mistral:mistral-small-latest")
    assert isinstance(provider, ChatServer)
    assert provider.most_resent(model) == 3


# What the author wrote


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("temperature", {"parameters": {"temperature": 0.3}}),
        ("max_tokens", {"parameters": {"max_tokens": 900}}),
        ("stop", {"parameters": {"stop": ["END"]}}),
        ("reasoning_effort", {"parameters": {"reasoningEffort": "low"}}),
        ("seed", {"parameters": {"seed": 7}}),
        ("stream_options", {"parameters": {"stream_options": {"include_usage": True}}}),
        ("limit", {"parameterMapping": {"maxTokens": "limit"}}),
        ("temperature", {"parameterMapping": {"temperature": "temperature"}}),
    ],
)
async def test_what_the_author_wrote_is_not_dropped(picky: Picky, field: str, written: dict[str, Data]) -> None:
    picky.refuses = (field,)
    error = await failure_of(picky.defined(**written), ASK)
    assert field in error.detail
    assert len(picky.bodies) == 1


async def test_what_the_author_did_not_write_is_adapted_for_a_model_of_his_own(picky: Picky) -> None:
    picky.refuses = ("max_tokens", "temperature")
    provider = picky.defined(parameters={"seed": 7})
    assert (await finished(provider, ASK)).ignored == (Knob.TEMPERATURE,)
    assert picky.bodies[-1]["seed"] == 7


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
    provider = OpenAIShaped(picky.url, at_once=1)
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
