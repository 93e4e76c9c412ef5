"""A law: whatever a server refuses, a run takes no more requests than its plan says, and never more than its cap."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.asking.exchanges import Job
from engine.asking.planner import plan
from engine.asking.spending import Cap, Spending
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.sources import ModelSource
from engine.files.own_files import state_dir
from engine.functions.v8 import JavaScript
from engine.models import limits
from engine.models.provider_registry import anthropic_name, resolve
from engine.parsing import parse
from tests.thoroughness import tried
from tests.world import CORPUS, needs_corpus

FIELDS = ("stream_options", "max_tokens", "max_completion_tokens", "temperature", "stream", "model")


class Refusing:
    """OpenAI on this machine, which refuses the fields of `refuses`, one at a time."""

    def __init__(self, server: HTTPServer) -> None:
        self.refuses: frozenset[str] = frozenset()
        self.asked = 0
        server.expect_request("/v1/chat/completions").respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        self.asked += 1
        body: dict[str, Any] = json.loads(request.get_data())
        for field in FIELDS:
            if field in body and field in self.refuses:
                error = {
                    "message": f"Unsupported parameter: '{field}'",
                    "param": field,
                    "code": "unsupported_parameter",
                }
                return Response(json.dumps({"error": error}), status=400, content_type="application/json")
        choice = {"index": 0, "message": {"content": "The Seine."}, "finish_reason": "stop"}
        return Response(json.dumps({"choices": [choice]}), content_type="application/json")


@pytest.fixture
def refusing(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Refusing:
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    return Refusing(httpserver)


async def _run_all(text: str, spending: Spending, javascript: JavaScript) -> None:
    from engine.models.http import close_clients

    blueprint = parse(text).blueprint
    providers = spending.guarded(resolve)

    async def one(number: int) -> None:
        prompt = blueprint.prompts[number]
        source = ModelSource("openai:gpt-new")
        async for _ in evaluate(prompt, blueprint, source, javascript=javascript, providers=providers):
            pass

    await asyncio.gather(*map(one, range(len(blueprint.prompts))))
    await close_clients()


def _forget() -> None:
    """Nothing is known of any model."""
    (state_dir() / "parameter-support.json").unlink(missing_ok=True)
    limits._memories.clear()  # pyright: ignore[reportPrivateUsage]


@settings(max_examples=tried(8, 25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    refuses=st.frozensets(st.sampled_from(FIELDS)),
    prompts=st.integers(1, 5),
    cap=st.none() | st.integers(0, 12),
)
def test_a_run_takes_no_more_requests_than_its_plan_and_its_cap(
    refusing: Refusing, javascript: JavaScript, refuses: frozenset[str], prompts: int, cap: int | None
) -> None:
    _forget()
    refusing.refuses = refuses
    text = "".join(
        f"- {{id: p{number}, prompt: Hello {number}, should: [$contains: x]}}\n" for number in range(prompts)
    )
    parsed = parse(text).blueprint
    for _ in range(2):  # the second time, the model is known
        refusing.asked = 0
        jobs = [Job(prompt, ModelSource("openai:gpt-new")) for prompt in parsed.prompts]
        planned = plan(parsed, jobs, providers=resolve)
        spending = Spending(Cap(requests=cap), price_of=lambda *_: None)
        asyncio.run(_run_all(text, spending, javascript))
        assert refusing.asked == spending.requests
        assert refusing.asked <= planned.requests.most + planned.resent
        assert cap is None or refusing.asked <= cap


def test_a_model_that_answered_once_takes_exactly_what_its_plan_says(
    refusing: Refusing, javascript: JavaScript
) -> None:
    refusing.refuses = frozenset({"stream_options", "max_tokens", "temperature"})
    text = "".join(f"- {{id: p{number}, prompt: Hello {number}, should: [$contains: x]}}\n" for number in range(4))
    asyncio.run(_run_all(text, Spending(price_of=lambda *_: None), javascript))
    refusing.asked = 0
    parsed = parse(text).blueprint
    planned = plan(parsed, [Job(prompt, ModelSource("openai:gpt-new")) for prompt in parsed.prompts], providers=resolve)
    asyncio.run(_run_all(text, Spending(price_of=lambda *_: None), javascript))
    assert (refusing.asked, planned.resent) == (planned.requests.most, 0)


@needs_corpus
def test_every_model_of_anthropic_in_the_corpus_is_called_by_a_name_that_its_api_has() -> None:
    named = {
        model.removeprefix("anthropic:")
        for path in sorted(Path(CORPUS).rglob("*.y*ml"))
        for model in parse(path.read_text("utf-8"), path).blueprint.header.models
        if isinstance(model, str) and model.startswith("anthropic:")
    }
    assert named
    assert [name for name in map(anthropic_name, named) if "." in name or not name.startswith("claude-")] == []
