"""Models of a blueprint's own: mistakes in their definitions, and keys that stay where they belong."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine import parse
from engine.blueprint.conversation import StopReason
from engine.evaluation.events import Scored
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import ModelSource
from engine.functions.v8 import JavaScript
from engine.models.chat import ChatRequest, Failure, Finished, ProviderError, TextDelta, Usage
from engine.models.custom import read_custom
from engine.models.definitions import variables_in
from engine.models.provider_registry import resolve
from tests.engine.provider_server import (
    SECRET,
    TALK,
    answers,
    events_of,
    failure_of,
    said,
    sse,
    streamed,
    text_of,
)

pytestmark = pytest.mark.usefixtures("own_connections")


def own(**fields: Any) -> dict[str, Any]:
    """The definition of a model; a field that is `...` is left out."""
    whole = {"id": "own:model", "url": "http://127.0.0.1/v1", "modelName": "tiny", "inherit": "openai", **fields}
    return {name: value for name, value in whole.items() if value is not ...}


def refused(**fields: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        resolve("own:model", custom=[own(**fields)])
    return caught.value


async def asked(**fields: Any) -> str:
    """The answer of a model that is defined so."""
    provider, name = resolve("own:model", custom=[own(**fields)])
    return await text_of(provider, ChatRequest(name, TALK))


def answering(text: str) -> Response:
    return said({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is not None:
        monkeypatch.setenv("OWN_KEY", value)
    error = refused(headers={"Authorization": "Bearer ${OWN_KEY}"})
    assert error.failure is Failure.MISSING_KEY
    assert error.title == "The model own:model: the variable OWN_KEY is not set"
    assert error.advice == "Set OWN_KEY and start again. It stands in `headers.Authorization`."


# What is wrong with a definition


def test_who_receives_the_text_is_its_host() -> None:
    definition = own(url="https://me:word@models.example:8443/v1?key=x")
    assert resolve("own:model", custom=[definition])[0].recipient == "models.example:8443"


# Keys stay where they belong


def test_a_definition_prints_without_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", SECRET)
    definition = own(url="http://h/${OWN_KEY}", headers={"X": "${OWN_KEY}"}, parameters={"k": "${OWN_KEY}"})
    assert SECRET not in repr(read_custom(definition))


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
    definition = own(url=httpserver.url_for("/x?k=${OWN_KEY}"), headers={"Authorization": "Bearer ${OWN_KEY}"})
    provider, name = resolve("own:model", custom=[definition])
    error = await failure_of(provider, ChatRequest(name, TALK))
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert error.failure is failure
    assert "***" in error.detail
    assert SECRET not in told + repr(vars(error)) + repr(vars(provider))


async def test_a_key_that_comes_back_is_in_no_answer(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", SECRET)
    monkeypatch.setenv("OWN_ORG", "42")
    answers(httpserver, answering(f"{SECRET} and 42"))
    headers = {"A": "${OWN_KEY}", "B": "${OWN_ORG}"}
    assert await asked(url=httpserver.url_for("/x"), headers=headers) == "*** and 42"


@pytest.mark.parametrize(
    ("headers", "failure", "advice"),
    [
        ({}, Failure.MISSING_KEY, "Write its key under `headers` of own:model, as in Authorization: Bearer ${MY_KEY}."),
        ({"X": "y"}, Failure.UNAUTHORISED, "Check `headers` of own:model in the blueprint."),
        (
            {"X": "${OWN_KEY}"},
            Failure.UNAUTHORISED,
            "Check `headers` of own:model in the blueprint, and the variables OWN_KEY.",
        ),
    ],
)
async def test_a_refused_key_says_where_to_look(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], failure: Failure, advice: str
) -> None:
    monkeypatch.setenv("OWN_KEY", SECRET)
    answers(httpserver, said({"error": "no"}, 401))
    provider, name = resolve("own:model", custom=[own(url=httpserver.url_for("/x"), headers=headers)])
    error = await failure_of(provider, ChatRequest(name, TALK))
    assert (error.failure, error.advice) == (failure, advice)


async def test_a_plain_word_from_a_variable_stays_in_an_answer(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODE", "streaming")
    monkeypatch.setenv("NAME", "llama-3.1-8b")
    answers(httpserver, answering("streaming llama-3.1-8b"))
    url = httpserver.url_for("/x")
    assert await asked(url=url, modelName="${NAME}", headers={"X": "${MODE}"}) == "streaming llama-3.1-8b"


def test_the_variables_of_a_definition_are_known_before_anything_is_sent() -> None:
    definition = {"url": "https://h/${A}", "headers": {"X": "${B} ${A}"}, "parameters": {"y": [{"z": "${C}"}, 3, None]}}
    assert variables_in(definition) == ("A", "B", "C")


async def test_an_evaluation_finds_the_models_of_its_blueprint(httpserver: HTTPServer) -> None:
    answers(httpserver, answering("Hi"))
    url = httpserver.url_for("/own")
    header = f"models: [{{id: 'own:one', url: '{url}', modelName: tiny, inherit: openai}}]"
    blueprint = parse(f"{header}\n---\n- prompt: Hello\n  should: [$contains: Hi]\n").blueprint
    with JavaScript() as javascript:
        events = evaluate(blueprint.prompts[0], blueprint, ModelSource("own:one"), javascript=javascript)
        last = [event async for event in events][-1]
    assert isinstance(last, Scored)
    assert last.explanation.score == 1.0


# format and promptFormat


async def test_completions_stream_too(httpserver: HTTPServer) -> None:
    pieces = [sse({"choices": [{"text": text, "finish_reason": None}]}) for text in ("Hel", "lo")]
    end = sse({"choices": [{"text": "", "finish_reason": "length"}], "usage": {"prompt_tokens": 3}})
    answers(httpserver, streamed(*pieces, end, b"data: [DONE]\n\n"))
    provider, name = resolve("own:model", custom=[own(url=httpserver.url_for("/x"), format="completions")])
    assert await events_of(provider, ChatRequest(name, TALK)) == [
        TextDelta("Hel"),
        TextDelta("lo"),
        Finished(StopReason.LENGTH, Usage(3, None)),
    ]
