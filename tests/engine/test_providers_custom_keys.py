"""A blueprint's own models: headers, variables, mistakes, and keys that stay where they belong."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine import parse
from engine.evaluation.events import Scored
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import ModelSource
from engine.functions.v8 import JavaScript
from engine.models.chat import ChatRequest, Failure
from engine.models.custom import read_custom
from engine.models.definitions import variables_in
from engine.models.provider_registry import resolve
from tests.engine.custom_models import CHAT, GENERATED, MESSAGE, refused, sent, sent_body
from tests.engine.provider_server import (
    SECRET,
    TALK,
    answers,
    body_of,
    failure_of,
    said,
    text_of,
)

# headers


async def test_a_header_replaces_the_one_that_would_be_sent(httpserver: HTTPServer) -> None:
    headers = {"Anthropic-Version": "2024-01-01", "user-agent": "mine", "X-Number": 3, "X-Flag": True}
    request = await sent(httpserver, {"inherit": "anthropic", "headers": headers}, MESSAGE)
    assert request.headers.getlist("anthropic-version") == ["2024-01-01"]
    assert request.headers.getlist("user-agent") == ["mine"]
    assert (request.headers["X-Number"], request.headers["X-Flag"]) == ("3", "true")


async def test_a_header_of_null_takes_one_away(httpserver: HTTPServer) -> None:
    headers = {"anthropic-version": None}
    request = await sent(httpserver, {"inherit": "anthropic", "headers": headers}, MESSAGE)
    assert "anthropic-version" not in request.headers


# ${VAR}


async def test_variables_stand_in_every_text(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASE", httpserver.url_for("/base"))
    monkeypatch.setenv("WORD", "tiny")
    monkeypatch.setenv("WIRE", "openai")
    definition = {
        "url": "${BASE}/chat?key=${WORD}",
        "modelName": "${WORD}-2",
        "inherit": "${WIRE}",
        "headers": {"X-Two": "${WORD} and ${WORD}"},
        "parameters": {"user": "${WORD}", "nested": [{"a": "${WORD}!"}]},
        "parameterMapping": {"temperature": "${WORD}_heat"},
    }
    request = await sent(httpserver, definition)
    body = body_of(request)
    assert request.full_path == "/base/chat?key=tiny"
    assert request.headers["X-Two"] == "tiny and tiny"
    assert (body["model"], body["user"], body["nested"]) == ("tiny-2", "tiny", [{"a": "tiny!"}])
    assert body["tiny_heat"] == 0.0


async def test_only_braces_make_a_variable(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTER", "${INNER}")
    body = await sent_body(httpserver, {"parameters": {"a": "$HOME", "b": "{HOME}", "c": "${}", "d": "${OUTER}"}})
    assert [body[name] for name in "abcd"] == ["$HOME", "{HOME}", "${}", "${INNER}"]


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is not None:
        monkeypatch.setenv("OWN_KEY", value)
    error = refused(headers={"Authorization": "Bearer ${OWN_KEY}"})
    assert error.failure is Failure.MISSING_KEY
    assert error.title == "The model own:model: the variable OWN_KEY is not set"
    assert error.advice == "Set OWN_KEY and start again. It stands in `headers.Authorization`."


# What is wrong with a definition


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        ({"url": ...}, "has no `url`"),
        ({"modelName": ""}, "has no `modelName`"),
        ({"inherit": ...}, "has no `inherit`"),
        ({"inherit": "cohere"}, "`inherit` cannot be cohere"),
        ({"url": 4}, "`url` must be text"),
        ({"url": "localhost:11434/v1"}, "must begin with http:// or https://"),
        ({"url": "http://"}, "`url` cannot be read"),
        ({"url": "http://host:port/"}, "`url` cannot be read"),
        ({"format": "text"}, "`format` cannot be text"),
        ({"promptFormat": "chatty"}, "`promptFormat` cannot be chatty"),
        ({"format": "completions", "inherit": "anthropic"}, "nothing that anthropic has"),
        ({"headers": "X: y"}, "`headers` must be a mapping"),
        ({"headers": {"X": ["y"]}}, "the header `X` must be text"),
        ({"headers": {"X": "a\nb"}}, "the header `X` cannot be sent"),
        ({"headers": {"X y": "a"}}, "the header `X y` cannot be sent"),
        ({"parameters": [1]}, "`parameters` must be a mapping"),
        ({"parameters": {"seed": float("nan")}}, "`parameters.seed` is no number"),
        ({"parameters": {"thinkingBudget": "much"}}, "`parameters.thinkingBudget` must be a whole number"),
        ({"parameters": {"reasoningEffort": 3}}, "`parameters.reasoningEffort` must be text"),
        ({"parameterMapping": {"topP": None}}, "`parameterMapping` gives no name to `topP`"),
    ],
)
def test_what_cannot_be_used_is_told_in_words(definition: dict[str, Any], words: str) -> None:
    error = refused(**definition)
    assert error.failure is Failure.MISCONFIGURED
    assert error.title.startswith("The model own:model: ")
    assert words in error.title
    assert error.advice


@pytest.mark.parametrize("field", ["format", "promptFormat", "headers", "parameters", "parameterMapping"])
async def test_an_optional_field_may_be_empty(httpserver: HTTPServer, field: str) -> None:
    assert (await sent_body(httpserver, {field: None})).keys() == GENERATED


def test_who_receives_the_text_is_its_host() -> None:
    own: dict[str, Any] = {
        "id": "a:b",
        "url": "https://me:word@models.example:8443/v1?key=x",
        "modelName": "t",
        "inherit": "openai",
    }
    assert resolve("a:b", custom=[own])[0].recipient == "models.example:8443"


# Keys stay where they belong


def test_a_definition_prints_without_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", SECRET)
    own: dict[str, Any] = {"id": "a:b", "url": "http://h/${OWN_KEY}", "modelName": "t", "inherit": "openai"}
    custom = read_custom({**own, "headers": {"X": "${OWN_KEY}"}, "parameters": {"k": "${OWN_KEY}"}})
    assert SECRET not in repr(custom)


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (said({"error": {"message": f"bad key {SECRET}"}}, 401), Failure.UNAUTHORISED),
        (said({"error": {"message": SECRET}}, 500), Failure.SERVER),
        (Response(SECRET, content_type="text/html"), Failure.NONSENSE),
    ],
)
async def test_a_key_that_comes_back_is_in_no_error(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, answer: Response, failure: Failure
) -> None:
    monkeypatch.setenv("OWN_KEY", SECRET)
    answers(httpserver, answer)
    own: dict[str, Any] = {
        "id": "a:b",
        "url": httpserver.url_for("/x?k=${OWN_KEY}"),
        "modelName": "t",
        "inherit": "openai",
    }
    provider, name = resolve("a:b", custom=[{**own, "headers": {"Authorization": "Bearer ${OWN_KEY}"}}])
    error = await failure_of(provider, ChatRequest(name, TALK))
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert error.failure is failure
    assert "***" in error.detail
    assert SECRET not in told + repr(vars(error)) + repr(vars(provider))


async def test_a_key_that_comes_back_is_in_no_answer(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", SECRET)
    monkeypatch.setenv("OWN_ORG", "42")
    answer = {"choices": [{"message": {"content": f"{SECRET} and 42"}, "finish_reason": "stop"}]}
    answers(httpserver, said(answer))
    own: dict[str, Any] = {"id": "a:b", "url": httpserver.url_for("/x"), "modelName": "t", "inherit": "openai"}
    provider, name = resolve("a:b", custom=[{**own, "headers": {"A": "${OWN_KEY}", "B": "${OWN_ORG}"}}])
    assert await text_of(provider, ChatRequest(name, TALK)) == "*** and 42"


@pytest.mark.parametrize(
    ("headers", "failure", "advice"),
    [
        ({}, Failure.MISSING_KEY, "Write its key under `headers` of a:b, as in Authorization: Bearer ${MY_KEY}."),
        ({"X": "y"}, Failure.UNAUTHORISED, "Check `headers` of a:b in the blueprint."),
        (
            {"X": "${OWN_KEY}"},
            Failure.UNAUTHORISED,
            "Check `headers` of a:b in the blueprint, and the variables OWN_KEY.",
        ),
    ],
)
async def test_a_refused_key_says_where_to_look(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], failure: Failure, advice: str
) -> None:
    monkeypatch.setenv("OWN_KEY", SECRET)
    answers(httpserver, said({"error": "no"}, 401))
    own: dict[str, Any] = {
        "id": "a:b",
        "url": httpserver.url_for("/x"),
        "modelName": "t",
        "inherit": "openai",
        "headers": headers,
    }
    provider, name = resolve("a:b", custom=[own])
    error = await failure_of(provider, ChatRequest(name, TALK))
    assert (error.failure, error.advice) == (failure, advice)


async def test_a_plain_word_from_a_variable_stays_in_an_answer(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODE", "streaming")
    monkeypatch.setenv("NAME", "llama-3.1-8b")
    answer = {"choices": [{"message": {"content": "streaming llama-3.1-8b"}, "finish_reason": "stop"}]}
    answers(httpserver, said(answer))
    own: dict[str, Any] = {"id": "a:b", "url": httpserver.url_for("/x"), "modelName": "${NAME}", "inherit": "openai"}
    provider, name = resolve("a:b", custom=[{**own, "headers": {"X": "${MODE}"}}])
    assert await text_of(provider, ChatRequest(name, TALK)) == "streaming llama-3.1-8b"


def test_the_variables_of_a_definition_are_known_before_anything_is_sent() -> None:
    definition = {"url": "https://h/${A}", "headers": {"X": "${B} ${A}"}, "parameters": {"y": [{"z": "${C}"}, 3, None]}}
    assert variables_in(definition) == ("A", "B", "C")


async def test_an_evaluation_finds_the_models_of_its_blueprint(httpserver: HTTPServer) -> None:
    answers(httpserver, said(CHAT))
    url = httpserver.url_for("/own")
    header = f"models: [{{id: 'own:one', url: '{url}', modelName: tiny, inherit: openai}}]"
    blueprint = parse(f"{header}\n---\n- prompt: Hello\n  should: [$contains: Hi]\n").blueprint
    with JavaScript() as javascript:
        events = evaluate(blueprint.prompts[0], blueprint, ModelSource("own:one"), javascript=javascript)
        last = [event async for event in events][-1]
    assert isinstance(last, Scored)
    assert last.explanation.score == 1.0


async def test_a_password_in_the_address_is_sent_as_one(httpserver: HTTPServer) -> None:
    url = httpserver.url_for("/x").replace("http://", "http://me:word@")
    request = await sent(httpserver, {"url": url})
    assert request.authorization is not None
    assert (request.authorization.username, request.authorization.password) == ("me", "word")
