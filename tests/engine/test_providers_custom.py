"""Models of a blueprint's own: what each documented field does to the bytes on the wire (002 and 004)."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine import parse
from engine.blueprint import Role
from engine.blueprint.conversation import StopReason
from engine.evaluation.events import Scored
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import ModelSource
from engine.functions.v8 import JavaScript
from engine.models.chat import ChatRequest, Failure, Finished, TextDelta, Turn, Usage
from engine.models.custom import Inherit, read_custom
from engine.models.definitions import variables_in
from engine.models.provider_registry import resolve
from tests.engine.custom_models import CANDIDATE, CHAT, GENERATED, MESSAGE, TEXT, refused, sent, sent_body
from tests.engine.provider_server import (
    LONG_TALK,
    SECRET,
    TALK,
    answers,
    body_of,
    events_of,
    failure_of,
    said,
    sse,
    streamed,
    text_of,
)
from tests.many_cases import every

# Models of a blueprint's own: what each documented field does to the bytes on the wire (002 and 004)


# The examples of the documents, as blueprints


async def of_the_documents(httpserver: HTTPServer, definition: str, answer: Any = CHAT) -> Request:
    """What a definition written in a blueprint sends, with its server replaced by ours."""
    lines = "".join(f"    {line}\n" for line in definition.strip().splitlines())
    url = f"    url: '{httpserver.url_for('/own')}'\n"
    blueprint = parse(f"models:\n  - openai:gpt-4o-mini\n  -\n{lines}{url}---\n- prompt: Hello\n").blueprint
    [_, model] = blueprint.header.models
    assert isinstance(model, dict)
    requests = answers(httpserver, said(answer))
    provider, name = resolve(str(model["id"]), custom=blueprint.header.models)
    await events_of(provider, ChatRequest(name, TALK))
    return requests[0]


async def test_a_local_model_with_parameters(httpserver: HTTPServer) -> None:
    request = await of_the_documents(
        httpserver,
        """
id: 'local:llama3-8b'
modelName: 'llama3:instruct'
inherit: 'openai'
headers:
  Authorization: 'Bearer whatever-i-want'
parameters:
  max_tokens: 150      # Override system default
  stream: null         # Remove stream parameter entirely
""",
    )
    assert request.path == "/own"
    assert request.headers["Authorization"] == "Bearer whatever-i-want"
    assert body_of(request) == {
        "model": "llama3:instruct",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "temperature": 0.0,
        "max_tokens": 150,
    }


async def test_a_local_model_in_completions_format(httpserver: HTTPServer) -> None:
    request = await of_the_documents(
        httpserver,
        """
id: 'local:llama-completions'
modelName: 'llama-3-8b-instruct'
inherit: 'openai'
format: 'completions'
parameters:
  max_tokens: 100
  stream: null
  temperature: 0.7
""",
        TEXT,
    )
    assert body_of(request) == {
        "model": "llama-3-8b-instruct",
        "prompt": "Be brief.\n\nUser: Hello\nAssistant:",
        "temperature": 0.7,
        "max_tokens": 100,
    }


async def test_a_proxy_that_speaks_anthropic_s_format(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROXY_API_KEY", SECRET)
    request = await of_the_documents(
        httpserver,
        """
id: 'proxy:claude-sonnet'
modelName: 'claude-3-sonnet-20240229'
inherit: 'anthropic'
headers:
  X-API-Key: '${PROXY_API_KEY}'
  X-Custom-Header: 'value'
""",
        MESSAGE,
    )
    assert request.headers["x-api-key"] == SECRET
    assert request.headers["x-custom-header"] == "value"
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert body_of(request) == {
        "model": "claude-3-sonnet-20240229",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Hello"}],
        "temperature": 0.0,
        "max_tokens": 1500,
        "stream": True,
    }


async def test_controlled_parameters(httpserver: HTTPServer) -> None:
    request = await of_the_documents(
        httpserver,
        """
id: 'local:controlled-model'
modelName: 'custom-model'
inherit: 'openai'
parameters:
  max_tokens: 100
  temperature: 0.9
  stream: null
  stop: ['END', 'STOP']
  custom_param: 'value'
""",
    )
    body = body_of(request)
    assert body.keys() == {"model", "messages", "max_tokens", "temperature", "stop", "custom_param"}
    assert (body["max_tokens"], body["temperature"]) == (100, 0.9)
    assert (body["stop"], body["custom_param"]) == (["END", "STOP"], "value")


async def test_mapped_parameters(httpserver: HTTPServer) -> None:
    request = await of_the_documents(
        httpserver,
        """
id: 'custom:mapped-params'
modelName: 'special-model'
inherit: 'openai'
parameterMapping:
  temperature: 'heat'
  maxTokens: 'token_limit'
  topP: 'nucleus_sampling'
parameters:
  heat: 0.9
  token_limit: 200
  custom_param: 'value'
""",
    )
    body = body_of(request)
    assert body.keys() == {"model", "messages", "heat", "token_limit", "custom_param", "stream", "stream_options"}
    assert (body["heat"], body["token_limit"], body["custom_param"]) == (0.9, 200, "value")


async def test_variables_in_headers(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTERPRISE_API_KEY", SECRET)
    monkeypatch.setenv("ENTERPRISE_ORG_ID", "42")
    request = await of_the_documents(
        httpserver,
        """
id: 'private:enterprise-model'
modelName: 'enterprise-gpt'
inherit: 'openai'
headers:
  Authorization: 'Bearer ${ENTERPRISE_API_KEY}'
  X-Org-ID: '${ENTERPRISE_ORG_ID}'
""",
    )
    assert request.headers["Authorization"] == f"Bearer {SECRET}"
    assert request.headers["X-Org-ID"] == "42"


# inherit


async def test_who_inherits_from_mistral_does_not_ask_for_the_count_of_tokens(httpserver: HTTPServer) -> None:
    assert (await sent_body(httpserver, {"inherit": "mistral"})).keys() == GENERATED - {"stream_options"}


@pytest.mark.parametrize("inherit", ["openai", "together", "xai", "openrouter"])
async def test_who_speaks_openai_s_format_gets_messages(httpserver: HTTPServer, inherit: str) -> None:
    body = await sent_body(httpserver, {"inherit": inherit})
    assert body.keys() == GENERATED
    assert (body["model"], body["stream"]) == ("tiny", True)


async def test_who_speaks_google_s_format_gets_contents(httpserver: HTTPServer) -> None:
    url = httpserver.url_for("/models/own:generateContent")
    request = await sent(httpserver, {"inherit": "google", "url": url}, CANDIDATE)
    assert request.path == "/models/own:generateContent"
    assert body_of(request) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
        "generationConfig": {"temperature": 0.0, "maxOutputTokens": 1500},
    }


@pytest.mark.parametrize("inherit", list(Inherit))
async def test_no_key_but_its_own_is_sent_to_a_custom_address(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, inherit: Inherit
) -> None:
    monkeypatch.setenv(f"{inherit.upper()}_API_KEY", SECRET)
    monkeypatch.setenv("BLUEPRINT_STUDIO_API_KEY", SECRET)
    answer = {Inherit.ANTHROPIC: MESSAGE, Inherit.GOOGLE: CANDIDATE}.get(inherit, CHAT)
    request = await sent(httpserver, {"inherit": inherit.value}, answer)
    assert SECRET not in str(request.headers) + request.get_data(as_text=True) + request.url


async def test_an_own_model_named_like_a_reasoning_one_is_sent_what_is_documented(httpserver: HTTPServer) -> None:
    body = await sent_body(httpserver, {"modelName": "o1-local"})
    assert body.keys() == GENERATED


async def test_a_definition_wins_over_a_provider_of_its_name(httpserver: HTTPServer) -> None:
    requests = answers(httpserver, said(CHAT))
    own: dict[str, Any] = {
        "id": "openai:gpt-4o",
        "url": httpserver.url_for("/own"),
        "modelName": "mine",
        "inherit": "openai",
    }
    provider, name = resolve("openai:gpt-4o", custom=["openai:gpt-4o", own])
    assert await text_of(provider, ChatRequest(name, TALK)) == "Hi"
    assert (requests[0].path, body_of(requests[0])["model"]) == ("/own", "mine")


# A blueprint's own models: headers, variables, mistakes, and keys that stay where they belong


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


@every(
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


# A blueprint's own models: their parameters, the names of these, reasoning, and formats


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
