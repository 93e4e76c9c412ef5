"""One contract for all wire formats: what each sends, and what is made of the answers of its servers."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Role
from engine.blueprint.conversation import Standing, Stop, StopReason, ThreadTurn, worst
from engine.evaluation.events import Response
from engine.models import failures, limits
from engine.models.chat import ChatRequest, Finished, Provider, ProviderError, TextDelta, Turn
from engine.models.provider_registry import resolve
from engine.models.server import events_of
from engine.models.wires import AnthropicWire, GoogleWire, OpenAIWire, Wire, stop_of
from tests.engine.provider_server import TALK, sse
from tests.engine.short_cases import assert_says, data_of
from tests.engine.wire_line import WHOLE, Connect, adapted, connect, made, outcome_of, sent
from tests.expected import present
from tests.many_cases import every

__all__ = ["connect"]

CASES = Path(__file__).parent / "wire_cases"


def test_a_request_is_sent_as_its_file_says(connect: Connect, pytestconfig: pytest.Config) -> None:
    assert_says(CASES / "requests.txt", lambda mark, text: sent(connect, mark, text), pytestconfig)


def test_an_answer_is_read_as_its_file_says(connect: Connect, pytestconfig: pytest.Config) -> None:
    assert_says(CASES / "answers.txt", lambda mark, text: made(connect, mark, text), pytestconfig)


def test_a_refusal_is_adapted_to_as_its_file_says(connect: Connect, pytestconfig: pytest.Config) -> None:
    def say(mark: str, text: str) -> Iterator[str]:
        limits._memories.clear()  # pyright: ignore[reportPrivateUsage]
        Path(os.environ["BLUEPRINT_STUDIO_HOME"], "state", "parameter-support.json").unlink(missing_ok=True)
        return adapted(connect, mark, text)

    assert_says(CASES / "refusals.txt", say, pytestconfig)


EVERY_WORD = [
    (wire, word, StopReason(reason))
    for wire, reasons in data_of((CASES / "stop_words.yml").read_text("utf-8")).items()
    for reason, words in reasons.items()
    for word in words.split()
]
WIRES: dict[str, Wire] = {
    "openai": OpenAIWire("https://a.example"),
    "anthropic": AnthropicWire("https://a.example"),
    "google": GoogleWire(url="https://a.example"),
}


def ends(wire: str, word: str | None) -> list[Any]:
    """What a server sends at the end of a stream, and as a whole answer, when it ended for `word`."""
    match wire:
        case "openai":
            choices = [{"delta": {}}, {"message": {"content": "Hel"}}, {"text": "Hel"}]
            return [{"choices": [{**choice, "finish_reason": word}]} for choice in choices]
        case "anthropic":
            return [
                {"type": "message_delta", "delta": {"stop_reason": word}},
                {"type": "message", "content": [], "stop_reason": word},
            ]
        case _:
            return [{"candidates": [{"finishReason": word}]}]


@every(("wire", "word", "reason"), EVERY_WORD)
def test_every_word_of_a_server_has_its_reason(wire: str, word: str, reason: StopReason) -> None:
    for sent_by_it in ends(wire, word):
        chunk = present(WIRES[wire].read(sent_by_it))
        assert chunk.stop == Stop(reason, word)


@every("model", ["o1", "o1-mini", "o3-mini", "gpt-5", "gpt-5-mini", "gpt-5.1", "openai/o3"])
def test_reasoning_families_get_no_temperature(model: str) -> None:
    body = OpenAIWire("https://a.example", families=True).write(ChatRequest(model, TALK, max_tokens=50)).body
    assert body["max_completion_tokens"] == 50
    assert not body.keys() & {"max_tokens", "temperature"}


@every("model", ["gpt-4o", "o1x", "gpt-50", "llama3:8b"])
def test_other_models_get_a_temperature(model: str) -> None:
    assert OpenAIWire("https://a.example", families=True).write(ChatRequest(model, TALK)).body["temperature"] == 0.0


def test_a_lone_surrogate_in_a_prompt_can_be_sent(connect: Connect) -> None:
    line = connect(httpx.Response(200, json=WHOLE))
    provider, name = resolve("openai:tiny")
    outcome_of(provider, ChatRequest(name, (Turn(Role.USER, "a\ud800b"),)))
    assert json.loads(line.requests[0].content)["messages"][0]["content"] == "a\ud800b"


@every(("body", "detail"), [("x" * 9000, "x" * 399 + "…"), ("[" * 9000, "[" * 399 + "…")])
def test_what_the_server_said_is_cut(connect: Connect, body: str, detail: str) -> None:
    connect(httpx.Response(400, text=body))
    _, error = outcome_of(*asked())
    assert isinstance(error, ProviderError)
    assert error.detail == detail


def asked() -> tuple[Provider, ChatRequest]:
    """A hosted model, and a question to it."""
    provider, name = resolve("openai:tiny")
    return provider, ChatRequest(name, TALK)


# Why an answer ended


def test_a_word_is_read_in_any_case_and_spelling() -> None:
    assert stop_of(" Max-Tokens ") == Stop(StopReason.LENGTH, "Max-Tokens")


def test_no_word_is_no_reason() -> None:
    assert stop_of(" ") is None


def test_a_word_of_any_length_is_bounded() -> None:
    stop = present(stop_of("x\n" * 1000))
    assert (len(stop.word), stop.word[:3]) == (60, "x x")


def test_the_worst_of_several_turns_is_the_answer_s() -> None:
    cut, whole, unknown = Stop(StopReason.LENGTH), Stop(StopReason.STOP), None
    assert worst([whole, cut, unknown, whole]) == cut


@every("reason", StopReason)
def test_every_reason_has_words_for_authors_and_a_standing(reason: StopReason) -> None:
    assert Stop(reason, "x\x1b[31m").label.isprintable()
    assert reason.standing in Standing


@given(st.lists(st.sampled_from([None, *StopReason]), max_size=6))
def test_no_turn_ended_worse_than_the_answer(reasons: list[StopReason | None]) -> None:
    turns = tuple(
        ThreadTurn(Role.ASSISTANT, "x", generated=True, stop=None if each is None else Stop(each)) for each in reasons
    )
    stop = Response("x", turns).stop
    order = list(StopReason)
    assert (stop is None) == (not any(reasons))
    assert all(stop is not None and order.index(each) <= order.index(stop.reason) for each in reasons if each)


# However an answer is cut into pieces, it is the same


async def _read(wire: str, *pieces: bytes) -> tuple[str, Stop | str]:
    """The text of a body as `wire` reads it, and how it ended: a stop reason, or what went wrong."""

    async def body() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    texts: list[str] = []
    request = failures.Request("m", "here")
    try:
        async with aclosing(events_of(httpx.Response(200, content=body()), WIRES[wire], request, 1.0)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        texts.append(text)
                    case Finished():
                        return "".join(texts), event.stop
                    case _:
                        pass
    except ProviderError as error:
        return "".join(texts), error.failure.value
    raise AssertionError("no end")


@given(
    st.lists(st.text("ab <", min_size=1), min_size=1, max_size=5),
    st.sampled_from([None, *(word for wire, word, _ in EVERY_WORD if wire == "openai")]),
    st.booleans(),
)
def test_a_streamed_answer_ends_as_the_whole_one_does(texts: list[str], word: str | None, refuses: bool) -> None:
    field = "refusal" if refuses else "content"
    deltas = [{"choices": [{"delta": {field: text}}]} for text in texts]
    end = {"choices": [{"delta": {}, "finish_reason": word}]}
    stream = b"".join(map(sse, [*deltas, end])) + b"data: [DONE]\n\n"
    whole = json.dumps({"choices": [{"message": {field: "".join(texts)}, "finish_reason": word}]}).encode()
    assert asyncio.run(_read("openai", stream)) == asyncio.run(_read("openai", whole))


SAID = {
    "openai": [{"choices": [{"delta": {"content": "é€😀"}}]}],
    "anthropic": [{"type": "content_block_delta", "delta": {"type": "text_delta", "text": "é€😀"}}],
    "google": [{"candidates": [{"content": {"parts": [{"text": "é€😀"}]}}]}],
}


@every("wire", WIRES)
def test_a_stream_may_be_cut_anywhere(wire: str) -> None:
    word = next(word for each, word, reason in EVERY_WORD if each == wire and reason is StopReason.STOP)
    raw = b": keep-alive\n\n" + b"".join(map(sse, [*SAID[wire], ends(wire, word)[0]]))
    for size in (1, 2, 3, 7):
        for stream in (raw, raw.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + raw):
            pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
            assert asyncio.run(_read(wire, *pieces)) == ("é€😀", Stop(StopReason.STOP, word))
