"""What providers send and what they make of answers, over a transport without a line, and the cases of `wire_cases`.

In `requests.txt` a case is named by its model and has the settings of the request in YAML; `talk` are its turns. The
model `own` is defined by its text, with the settings under `asked`. In `answers.txt` a case is named by its provider,
perhaps with a status and the header `Retry-After`, and has the body; each line of a stream ends its event.
"""

from __future__ import annotations

import asyncio
import json
import re
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from textwrap import indent
from typing import Any

import httpx
import pytest

from engine.blueprint import Role
from engine.models.chat import ChatRequest, Finished, Provider, ProviderError, TextDelta, Turn, Usage
from engine.models.provider_registry import HOSTED, resolve
from engine.parsing import parse
from engine.yaml.nodes import Data
from tests.engine.provider_server import SECRET, TALK
from tests.engine.short_cases import data_of

MODELS = {"openai": "openai:tiny", "anthropic": "anthropic:claude-x", "google": "google:gemini-x"}
OWN: dict[str, Data] = {"id": "own:model", "url": "https://own.example/v1/x", "modelName": "tiny", "inherit": "openai"}
OWN_MODELS: dict[str, dict[str, Data]] = {
    "own": {"url": "https://own.example/v1/x?k=${OWN_KEY}", "headers": {"X": "${OWN_KEY}", "Y": "${OWN_ORG}"}},
    "own-without-headers": {},
    "own-with-a-plain-header": {"headers": {"X": "y"}},
    "own-with-plain-variables": {"modelName": "${WORD}", "headers": {"X": "${MODE}"}},
    "own-completions": {"format": "completions"},
}
"""Models of a blueprint's own, by what they are called in `answers.txt`."""
VARIABLES = {
    "OWN_ORG": "42",
    "MODE": "streaming",
    "WORD": "tiny",
    "WIRE": "openai",
    "BASE": "https://own.example/base",
    "OUTER": "${INNER}",
    "OWN_KEY": SECRET,
}
WHOLE: dict[str, Any] = {
    "choices": [{"message": {"content": "Hi"}, "text": "Hi", "finish_reason": "stop"}],
    "type": "message",
    "content": [{"type": "text", "text": "Hi"}],
    "stop_reason": "end_turn",
    "candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}],
}
"""A whole answer in every wire format at once."""
UNCHANGED = {"model", "messages", "contents", "system", "systemInstruction"}
_USUAL = {"host", "accept", "accept-encoding", "connection", "content-length", "content-type"}


Reply = Callable[[httpx.Request], httpx.Response]


class Line:
    """Keeps what is sent, and answers each request with `reply`, or with what that makes of the request."""

    def __init__(self, reply: httpx.Response | Reply) -> None:
        self.requests: list[httpx.Request] = []
        self._reply = reply

    @asynccontextmanager
    async def client(self, host: str, *, direct: bool) -> AsyncIterator[httpx.AsyncClient]:
        del host, direct
        async with httpx.AsyncClient(transport=httpx.MockTransport(self._answer)) as client:
            yield client

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self._reply(request) if callable(self._reply) else self._reply
        return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)


Connect = Callable[[httpx.Response | Reply], Line]


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Connect:
    """Puts all providers on a line that answers so. Each has a key, and nothing is waited for."""
    for row in HOSTED.values():
        monkeypatch.setenv(row.key_variable or "NONE", SECRET)
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("engine.models.server._TOO_MANY", ())
    monkeypatch.setattr("engine.models.server._PAUSE_AFTER_FAILURE", 0)

    def connected(reply: httpx.Response | Reply) -> Line:
        line = Line(reply)
        monkeypatch.setattr("engine.models.server.shared_client", line.client)
        return line

    return connected


def outcome_of(provider: Provider, request: ChatRequest) -> tuple[list[str], Finished | ProviderError]:
    """The pieces of text of an answer, and how it ended."""
    return asyncio.run(_outcome_of(provider, request))


async def _outcome_of(provider: Provider, request: ChatRequest) -> tuple[list[str], Finished | ProviderError]:
    pieces: list[str] = []
    try:
        async for event in provider.stream(request):
            match event:
                case TextDelta(text):
                    pieces.append(text)
                case Finished():
                    return pieces, event
                case _:
                    pass
    except ProviderError as error:
        return pieces, error
    raise AssertionError("no end")


def sent(connect: Connect, mark: str, text: str) -> Iterator[str]:
    """What is sent for a case of `requests.txt`."""
    (fields,) = parse(f"models:\n  -\n{indent(text, '    ')}---\n- prompt: x\n").blueprint.header.models
    assert isinstance(fields, dict)
    settings: Any = fields.pop("asked", {}) if mark == "own" else fields
    definition = {**OWN, **fields}
    provider, name = resolve(str(definition["id"]) if mark == "own" else mark, custom=[definition])
    talk = tuple(Turn(Role(role), said) for each in settings.pop("talk", ()) for role, said in each.items())
    line = connect(httpx.Response(200, json=WHOLE))
    assert outcome_of(provider, ChatRequest(name, talk or TALK, **settings))[0] == ["Hi"]
    yield from shown(line.requests[0])


def shown(request: httpx.Request) -> Iterator[str]:
    """Where a request goes, its headers but those of every request, and its body."""
    yield str(request.url)
    for name, value in request.headers.items():
        if name not in _USUAL and not value.startswith("python-httpx"):
            yield f"{name}: {value}"
    yield json.dumps(json.loads(request.content), ensure_ascii=False)


def adapted(connect: Connect, mark: str, text: str) -> Iterator[str]:
    """The fields of each request to a server that `refuses` some in turn with what it `says`, and how that ends."""
    case = data_of(text)

    def answer(request: httpx.Request) -> httpx.Response:
        sent_fields = {**json.loads(request.content), **json.loads(request.content).get("generationConfig", {})}
        refused = next((field for field in case["refuses"] if field in sent_fields), None)
        if refused is None:
            return httpx.Response(200, json=WHOLE)
        message = f"Unsupported parameter: '{refused}' is not supported with this model."
        error = {"error": {"message": message, "param": refused, "code": "unsupported_parameter"}}
        return httpx.Response(case.get("status", 400), json=case.get("says", error))

    provider, name = resolve("own:model" if mark == "own" else mark, custom=[{**OWN, **case.get("written", {})}])
    line = connect(answer)
    _, end = outcome_of(provider, ChatRequest(name, TALK, **case.get("asked", {})))
    for request in line.requests:
        fields = {key: value for key, value in json.loads(request.content).items() if key not in UNCHANGED}
        yield json.dumps(fields, ensure_ascii=False)
    if isinstance(end, ProviderError):
        yield f"{end.failure}: {end.detail}"
    else:
        yield f"ignored: {', '.join(end.ignored) or 'nothing'}"


def made(connect: Connect, mark: str, text: str) -> Iterator[str]:
    """What is made of a case of `answers.txt`."""
    which, status, wait = (*mark.split(), *("200", "")[mark.count(" ") :])
    body = re.sub(r"^((data)?:.*)", r"\1\n", text, flags=re.MULTILINE)
    connect(httpx.Response(int(status), headers={"Retry-After": wait} if wait else {}, text=body))
    own = OWN_MODELS.get(which)
    provider, name = resolve(MODELS.get(which, "own:model"), custom=[] if own is None else [{**OWN, **own}])
    pieces, end = outcome_of(provider, ChatRequest(name, TALK))
    if pieces:
        yield " ".join(f"“{each}”" for each in pieces)
    if isinstance(end, ProviderError):
        told = "".join(traceback.TracebackException.from_exception(end, capture_locals=True).format())
        assert SECRET not in f"{told} {vars(end)!r} {vars(provider)!r}"
        yield f"{end.failure}: {end.title}"
        yield from filter(None, (end.detail, end.advice))
        end = end.finished
    if end is not None:
        yield "; ".join(_facts(end))


def _facts(end: Finished) -> Iterator[str]:
    yield f"{end.stop_reason.value}: {end.word}" if end.word else end.stop_reason.value
    if end.usage != Usage():
        yield f"{end.usage.input_tokens} in, {end.usage.output_tokens} out"
    if end.model is not None:
        yield end.model
