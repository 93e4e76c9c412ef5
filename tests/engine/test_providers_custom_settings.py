"""A blueprint's own models: their parameters, the names of these, reasoning, and formats."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.blueprint import Role
from engine.blueprint.conversation import StopReason
from engine.models.chat import ChatRequest, Finished, TextDelta, Turn, Usage
from engine.models.provider_registry import resolve
from tests.engine.custom_models import CANDIDATE, CHAT, GENERATED, MESSAGE, TEXT, sent_body
from tests.engine.provider_server import (
    LONG_TALK,
    TALK,
    answers,
    events_of,
    sse,
    streamed,
)

# parameters


@pytest.mark.parametrize("value", [0, 0.0, False, "", [], {}], ids=repr)
async def test_a_falsy_value_is_kept(httpserver: HTTPServer, value: Any) -> None:
    body = await sent_body(httpserver, {"parameters": {"temperature": value, "own": value}})
    assert (body["temperature"], body["own"]) == (value, value)
    assert type(body["own"]) is type(value)


@pytest.mark.parametrize("name", ["temperature", "max_tokens", "stream_options", "top_p", "messages", "model"])
async def test_null_removes_a_parameter_entirely(httpserver: HTTPServer, name: str) -> None:
    body = await sent_body(httpserver, {"parameters": {name: None}})
    assert body.keys() == GENERATED - {name}


async def test_parameters_win_over_everything_generated(httpserver: HTTPServer) -> None:
    own = {"model": "other", "messages": [], "temperature": 1.5, "max_tokens": 5, "stream": False}
    assert await sent_body(httpserver, {"parameters": own}) == own


async def test_false_for_stream_takes_the_count_of_tokens_along(httpserver: HTTPServer) -> None:
    body = await sent_body(httpserver, {"parameters": {"stream": False}})
    assert body.keys() == GENERATED - {"stream_options"}
    assert body["stream"] is False


async def test_an_object_is_sent_whole(httpserver: HTTPServer) -> None:
    nested = {"a": [1, {"b": None}], "c": {"d": False}}
    assert (await sent_body(httpserver, {"parameters": {"own": nested}}))["own"] == nested


async def test_parameters_reach_into_google_s_own_place(httpserver: HTTPServer) -> None:
    parameters = {"temperature": None, "maxOutputTokens": 9, "seed": 0, "safetySettings": [], "own": "x"}
    body = await sent_body(httpserver, {"inherit": "google", "parameters": parameters}, answer=CANDIDATE)
    assert body["generationConfig"] == {"maxOutputTokens": 9, "seed": 0}
    assert (body["safetySettings"], body["own"]) == ([], "x")


async def test_parameters_win_in_anthropic_s_format(httpserver: HTTPServer) -> None:
    parameters = {"max_tokens": 5, "temperature": None, "system": None, "metadata": {"user_id": ""}}
    body = await sent_body(httpserver, {"inherit": "anthropic", "parameters": parameters}, answer=MESSAGE)
    assert body == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": 5,
        "metadata": {"user_id": ""},
        "stream": True,
    }


# parameterMapping

ALL: dict[str, Any] = {"reasoning_effort": "high", "thinking_budget": 2000}


async def test_settings_have_their_usual_names(httpserver: HTTPServer) -> None:
    body = await sent_body(httpserver, {}, **ALL)
    assert {name: body[name] for name in body.keys() - {"messages", "model", "stream", "stream_options"}} == {
        "temperature": 0.0,
        "max_tokens": 1500,
        "reasoning_effort": "high",
        "thinking": {"type": "enabled", "budget_tokens": 2000},
    }


@pytest.mark.parametrize(
    ("standard", "usual"),
    [
        ("temperature", "temperature"),
        ("maxTokens", "max_tokens"),
        ("reasoningEffort", "reasoning_effort"),
        ("thinkingBudget", "thinking"),
    ],
)
async def test_each_setting_can_be_renamed(httpserver: HTTPServer, standard: str, usual: str) -> None:
    plain = await sent_body(httpserver, {}, **ALL)
    httpserver.clear()
    renamed = await sent_body(httpserver, {"parameterMapping": {standard: "own_name"}}, **ALL)
    assert renamed.pop("own_name") == plain.pop(usual)
    assert renamed == plain


async def test_a_renamed_parameter_is_removed_by_its_new_name(httpserver: HTTPServer) -> None:
    definition = {"parameterMapping": {"temperature": "heat"}, "parameters": {"heat": None}}
    assert (await sent_body(httpserver, definition)).keys() == GENERATED - {"temperature"}


async def test_the_old_name_of_a_renamed_parameter_is_the_author_s_own(httpserver: HTTPServer) -> None:
    definition = {"parameterMapping": {"temperature": "heat"}, "parameters": {"temperature": 0.4}}
    body = await sent_body(httpserver, definition)
    assert (body["heat"], body["temperature"]) == (0.0, 0.4)


async def test_renaming_reaches_into_google_s_own_place(httpserver: HTTPServer) -> None:
    definition = {"inherit": "google", "parameterMapping": {"maxTokens": "limit"}, "parameters": {"limit": 3}}
    body = await sent_body(httpserver, definition, answer=CANDIDATE)
    assert body["generationConfig"] == {"temperature": 0.0, "limit": 3}


# Reasoning


@pytest.mark.parametrize(
    ("inherit", "parameters", "expected"),
    [
        ("openai", {"reasoningEffort": "high"}, {"reasoning_effort": "high"}),
        ("openai", {"thinkingBudget": 2048}, {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("anthropic", {"thinkingBudget": 1024}, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ("anthropic", {"reasoningEffort": "medium"}, {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
        ("xai", {"reasoningEffort": "low"}, {"reasoning_effort": "low"}),
    ],
)
async def test_effort_and_budget_are_sent_as_the_server_knows_them(
    httpserver: HTTPServer, inherit: str, parameters: dict[str, Any], expected: dict[str, Any]
) -> None:
    answer = MESSAGE if inherit == "anthropic" else CHAT
    body = await sent_body(httpserver, {"inherit": inherit, "parameters": parameters}, answer=answer)
    assert {name: body[name] for name in expected} == expected
    assert not body.keys() & {"reasoningEffort", "thinkingBudget"}


async def test_a_budget_for_google_stands_in_its_own_place(httpserver: HTTPServer) -> None:
    definition = {"inherit": "google", "parameters": {"thinkingBudget": 0}}
    body = await sent_body(httpserver, definition, answer=CANDIDATE)
    assert body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}


async def test_null_takes_an_effort_away(httpserver: HTTPServer) -> None:
    definition = {"parameters": {"reasoningEffort": None}}
    assert (await sent_body(httpserver, definition, reasoning_effort="high")).keys() == GENERATED


# format and promptFormat


@pytest.mark.parametrize(
    ("prompt_format", "talk", "prompt"),
    [
        (None, TALK[1:], "User: Hello\nAssistant:"),
        ("conversational", TALK, "Be brief.\n\nUser: Hello\nAssistant:"),
        (
            "conversational",
            LONG_TALK,
            "Be brief.\n\nUser: Hello\nAssistant: Hi there.\nUser: And now?\nAssistant:",
        ),
        ("raw", (Turn(Role.USER, " Once upon a time\n"),), " Once upon a time\n"),
        ("raw", TALK, "Be brief.\n\nHello"),
        ("raw", LONG_TALK, "Be brief.\n\nHello\n\nHi there.\n\nAnd now?"),
    ],
)
async def test_a_conversation_becomes_one_text(
    httpserver: HTTPServer, prompt_format: str | None, talk: tuple[Turn, ...], prompt: str
) -> None:
    definition = {"format": "completions", "promptFormat": prompt_format}
    body = await sent_body(httpserver, definition, answer=TEXT, of=talk)
    assert body["prompt"] == prompt
    assert "messages" not in body


async def test_completions_stream_too(httpserver: HTTPServer) -> None:
    pieces = [sse({"choices": [{"text": text, "finish_reason": None}]}) for text in ("Hel", "lo")]
    end = sse({"choices": [{"text": "", "finish_reason": "length"}], "usage": {"prompt_tokens": 3}})
    answers(httpserver, streamed(*pieces, end, b"data: [DONE]\n\n"))
    definition: dict[str, Any] = {"id": "a:b", "url": httpserver.url_for("/x"), "modelName": "t", "inherit": "openai"}
    provider, name = resolve("a:b", custom=[definition | {"format": "completions"}])
    assert await events_of(provider, ChatRequest(name, TALK)) == [
        TextDelta("Hel"),
        TextDelta("lo"),
        Finished(StopReason.LENGTH, Usage(3, None)),
    ]


async def test_format_chat_is_the_usual_one(httpserver: HTTPServer) -> None:
    assert (await sent_body(httpserver, {"format": "chat"})).keys() == GENERATED
