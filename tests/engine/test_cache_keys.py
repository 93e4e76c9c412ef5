"""No cache answers for another request: what differs on the wire, or in who receives it, differs in the key."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import Role
from engine.blueprint.conversation import ThreadTurn
from engine.evaluation.answer_stream import answer_key
from engine.functions.point_function import Subject
from engine.judging.judge_prompt import questions
from engine.judging.judge_runner import JudgeAnswered, judge_points
from engine.judging.judgement import Judgement
from engine.judging.panel import FIVE_STEPS, TEN_STEPS, Approach, Panel, PanelJudge, Scale
from engine.models.chat import ChatRequest, ProviderError, Turn, request_key
from engine.models.definitions import service_call
from engine.models.provider_registry import answering_place, resolve
from engine.models.service_client import prepare
from engine.parsing import parse
from engine.yaml.nodes import Data
from tests.engine.builders import prompt, text
from tests.engine.short_cases import data_of
from tests.many_cases import every
from tests.thoroughness import one_in, tried

pytestmark = pytest.mark.usefixtures("own_connections")

ASKED = ChatRequest("m", (Turn(Role.SYSTEM, "Be brief."), Turn(Role.USER, "Why?")), 0.5, 700)
REPLY = {"choices": [{"message": {"content": "<classification>CLASS_ABSENT</classification>"}}]}


@dataclass
class Wire:
    """A server that notes each request as it came, but for what says only who asks, or how it was sent."""

    server: HTTPServer
    came: list[str]

    def note(self, request: Request) -> Response:
        aside = {"authorization", "x-api-key", "host", "content-length", "connection", "accept-encoding", "user-agent"}
        headers = {name.lower(): value for name, value in request.headers.items() if name.lower() not in aside}
        self.came.append(json.dumps([request.full_path, headers, request.get_data(as_text=True)], sort_keys=True))
        return Response(json.dumps(REPLY), content_type="application/json")

    def sent(self, definition: Mapping[str, Data], request: ChatRequest = ASKED) -> str:
        """What arrives where a model of this definition is asked."""
        asyncio.run(_ask(definition, request))
        return self.came[-1]


async def _ask(definition: Mapping[str, Data], request: ChatRequest) -> None:
    provider, name = resolve(str(definition["id"]), None, [dict(definition)])
    asked = replace(request, model=name)
    async with aclosing(provider.stream(asked)) as events:
        with suppress(ProviderError):  # what the server replies is no answer in every format
            async for _ in events:
                pass


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with HTTPServer(threaded=True) as server:
        wire = Wire(server, [])
        server.expect_request(re.compile(".*")).respond_with_handler(wire.note)
        yield wire


def definition(address: str, **more: Data) -> dict[str, Data]:
    return {"id": "custom:m", "url": f"{address}/chat", "modelName": "m", "inherit": "openai", **more}


CHANGES: list[dict[str, Data]] = data_of(
    (Path(__file__).parent / "wire_cases" / "changed_models.yml").read_text("utf-8")
)


def key(of: Mapping[str, Data], request: ChatRequest = ASKED) -> str:
    return request_key(answering_place("custom:m", None, [dict(of)]), request)


def changed(wire: Wire, changes: Iterable[dict[str, Data]]) -> dict[str, Data]:
    address = wire.server.url_for("").rstrip("/")
    whole = definition(address)
    for change in changes:
        whole |= {
            name: value.replace("{}", address) if isinstance(value, str) else value for name, value in change.items()
        }
    return whole


@every("change", CHANGES)
def test_a_changed_definition_or_variable_has_another_key(
    change: dict[str, Data], wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PART", "part-of-one")
    before = key(changed(wire, [change]))
    assert before != key(changed(wire, []))
    monkeypatch.setenv("PART", "part-of-two")
    assert (key(changed(wire, [change])) != before) is ("PART" in str(change))


@settings(
    max_examples=tried(20, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    one=st.lists(st.sampled_from(CHANGES), max_size=4),
    other=st.lists(st.sampled_from(CHANGES), max_size=4),
    values=st.tuples(st.sampled_from(["part-of-one", "part-of-two"]), st.sampled_from(["part-of-one", "part-of-two"])),
)
def test_what_differs_on_the_wire_differs_in_the_key(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, one: list[Any], other: list[Any], values: tuple[str, str]
) -> None:
    monkeypatch.setenv("PART", values[0])
    first, first_key = wire.sent(changed(wire, one)), key(changed(wire, one))
    monkeypatch.setenv("PART", values[1])
    second, second_key = wire.sent(changed(wire, other)), key(changed(wire, other))
    assert first == second or first_key != second_key


def test_another_key_of_the_author_is_the_same_model(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    with_key = definition("http://127.0.0.1:9", headers={"Authorization": "Bearer ${PART}"})
    monkeypatch.setenv("PART", "sk-before-4711")
    before = key(with_key)
    monkeypatch.setenv("PART", "sk-after-4711")
    assert key(with_key) == before


def test_no_secret_can_be_read_from_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PART", "very-secret-4711")
    place = answering_place(
        "custom:m",
        None,
        [definition("http://a/${PART}", headers={"X-A": "${PART}", "Authorization": "Bearer sk-4712"})],
    )
    assert [secret for secret in ("very-secret-4711", "sk-4712") if secret in str(place)] == []


requests = st.builds(
    ChatRequest,
    st.sampled_from(["m", "n"]),
    st.lists(st.builds(Turn, st.sampled_from(list(Role)), st.text(max_size=3)), max_size=3).map(tuple),
    st.sampled_from([None, 0.0, 0.5]),
    st.sampled_from([500, 1500]),
    st.sampled_from([None, "low"]),
    st.sampled_from([None, 0]),
)
places = st.sampled_from(
    [
        answering_place("openai:m"),
        answering_place("openrouter:m"),
        answering_place("embedded:m"),
        answering_place("m", "http://a/v1"),
        answering_place("m", "http://a/v2"),
        answering_place("m", "http://a/v1?x=1"),
    ]
)


@given(st.tuples(places, requests), st.tuples(places, requests))
def test_two_requests_share_a_key_only_where_they_are_the_same(one: tuple[Any, Any], other: tuple[Any, Any]) -> None:
    assert (request_key(*one) == request_key(*other)) == (one == other)
    assert (answer_key(one[0], "host", one[1]) == answer_key(other[0], "host", other[1])) == (one == other)


# Judges

THREAD = (ThreadTurn(Role.USER, "Why?", generated=False), ThreadTurn(Role.ASSISTANT, "So.", generated=True))
JUDGE = PanelJudge("j", "custom:m", Approach.STANDARD)


async def judged(
    header_models: list[Data], kept: dict[str, Judgement], judge: PanelJudge = JUDGE, scale: Scale = FIVE_STEPS
) -> Judgement:
    asked = questions(prompt([text("Says why")]), THREAD, "About reasons")
    events = judge_points(
        dict(asked),
        Panel((judge,), scale, custom=True),
        providers=lambda model, url: resolve(model, url, header_models),
        cached=kept.get,
        custom=header_models,
    )
    async with aclosing(events):
        return await anext(event.judgement async for event in events if isinstance(event, JudgeAnswered))


@pytest.mark.parametrize("change", one_in(4, CHANGES))
async def test_a_judge_that_is_defined_otherwise_is_asked_again(
    wire: Wire, change: dict[str, Data], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PART", "part-of-one")
    before = await judged([changed(wire, [])], {})
    after = await judged([changed(wire, [change])], {before.key: before})
    assert (before.verdict is not None, after.reused) == (True, False)


async def test_a_judge_that_is_defined_as_before_is_not_asked_again(wire: Wire) -> None:
    before = await judged([changed(wire, [])], {})
    after = await judged([changed(wire, [])], {before.key: before})
    assert after.reused


@pytest.mark.parametrize(
    ("judge", "scale"),
    [(PanelJudge("j", "custom:m", Approach.HOLISTIC), FIVE_STEPS), (JUDGE, TEN_STEPS)],
    ids=["approach", "scale"],
)
async def test_a_judge_that_would_be_asked_otherwise_is_asked_again(
    wire: Wire, judge: PanelJudge, scale: Scale
) -> None:
    before = await judged([changed(wire, [])], {})
    after = await judged([changed(wire, [])], {before.key: before}, judge, scale)
    assert not after.reused


# Services

SERVICE = """\
title: x
externalServices:
  facts: {{url: "{url}", method: {method}, headers: {headers}, timeout: 5}}
---
- prompt: x
  should:
    - $call: {{service: facts, claim: "{claim}"}}
"""


def service_key(answer: str = "a", **parts: str) -> str:
    usual = {"url": "http://a.example/x", "method": "POST", "headers": '{X-A: "1"}', "claim": "{response}"}
    blueprint = parse(SERVICE.format(**(usual | parts))).blueprint
    (point,) = blueprint.prompts[0].points()
    assert point.function is not None
    return prepare(service_call(point.function, blueprint.header), Subject(answer)).key


@every(
    "part",
    [
        {"url": "http://b.example/x"},
        {"url": "http://a.example/y"},
        {"url": "http://a.example/${PART}"},
        {"method": "PUT"},
        {"headers": '{X-A: "2"}'},
        {"headers": '{X-A: "${PART}"}'},
        {"claim": "Is it? {response}"},
        {"claim": "${PART}"},
        {"answer": "b"},
    ],
)
def test_a_changed_request_or_variable_of_a_service_has_another_key(
    part: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PART", "part-of-one")
    before = service_key(**part)
    assert before != service_key()
    monkeypatch.setenv("PART", "part-of-two")
    assert (service_key(**part) != before) is ("PART" in str(part))
