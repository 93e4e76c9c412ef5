"""A server on loopback that answers as models and as judges, for tests of runs in the studio."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.evaluation.sources import ModelSource

Said = Callable[[dict[str, Any]], str | int]
"""From the body of a request to the text of the answer, or to the status of an error."""


def is_for_a_judge(body: dict[str, Any]) -> bool:
    """Whether a request asks for a verdict."""
    return "examiner" in body["messages"][0]["content"]


def verdict(label: str, reflection: str = "As it says.") -> str:
    """A reply in the form that judges are asked for."""
    return f"<reflection>{reflection}</reflection>\n<classification>{label}</classification>"


class ModelServer:
    """Answers every request with what `said` makes of its body, and remembers the bodies.

    While `held` is set, an answer waits behind its first word until `release` is called. `finish` is the reason that
    answers end with, `finish_of` that of single models.
    """

    def __init__(self, server: HTTPServer, said: Said) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.held = False
        self.held_after: int | None = None
        self._in_turn = threading.Lock()
        self.finish = "stop"
        self.finish_of: dict[str, str] = {}
        self._go_on = threading.Event()
        self.said = said
        self._server = server
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._answer)

    @property
    def url(self) -> str:
        """Where the models are."""
        return self._server.url_for("/v1/chat/completions")

    def model(self, name: str) -> str:
        """A model of this server, as a blueprint defines it."""
        return f"{{id: 'own:{name}', url: '{self.url}', modelName: {name}, inherit: openai}}"

    def source(self, name: str = "tiny") -> ModelSource:
        """A model of this server, as an author chooses it by its address."""
        return ModelSource(name, self.url.removesuffix("/chat/completions"))

    def judging(self, approach: str = "standard") -> str:
        """The header of a blueprint that a model of this server judges."""
        judge = f"{{model: 'own:judge', approach: {approach}, id: first}}"
        return f"models: [{self.model('judge')}]\nevaluationConfig: {{llm-coverage: {{judges: [{judge}]}}}}\n---\n"

    def release(self) -> None:
        """Let what waits go on."""
        self.held, self.held_after = False, None
        self._go_on.set()

    def _answer(self, request: Request) -> Response:
        body = json.loads(request.data)
        with self._in_turn:
            self.bodies.append(body)
            number = len(self.bodies)
        text = self.said(body)
        if isinstance(text, int):
            return Response(json.dumps({"error": {"message": "out of order"}}), text, content_type="application/json")
        is_held = self.held or (self.held_after is not None and number > self.held_after)
        return Response(
            self._streamed(text, self.finish_of.get(body["model"], self.finish), is_held),
            content_type="text/event-stream",
        )

    def _streamed(self, text: str, finish: str, is_held: bool) -> Iterator[bytes]:
        first, space, rest = text.partition(" ")
        yield _event({"choices": [{"delta": {"content": first + space}}]})
        if is_held:
            self._go_on.wait(60)
        yield _event({"choices": [{"delta": {"content": rest}}]})
        yield _event({"choices": [{"delta": {}, "finish_reason": finish}]})
        yield b"data: [DONE]\n\n"


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"
