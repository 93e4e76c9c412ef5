"""The models that can answer and judge: by a key, on a server of the author's, on this machine, or written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.evaluation.sources import ModelSource
from engine.files.user_settings import Settings
from engine.judging.panel import OneJudge
from engine.models.provider_registry import models_offered
from studio.session import run_configuration
from studio.session.host import AnswerQuestion, EnterText, JudgeChoice, JudgeQuestion, NotDone
from studio.session.run_configuration import AnswerChoice
from tests.session.faces import Author, at_work
from tests.studio.model_server import ModelServer, is_for_a_judge, verdict

RUBRIC = "- id: notice\n  prompt: What is the notice period?\n  ideal: It is 30 days.\n  should:\n    - Names it\n"


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    """Answers, judges, and lists two models."""
    listed = {"data": [{"id": "tiny"}, {"id": "large"}]}
    httpserver.expect_request("/v1/models").respond_with_json(listed)
    return ModelServer(httpserver, lambda body: verdict("CLASS_FULLY_PRESENT") if is_for_a_judge(body) else "30 days")


def address_of(server: ModelServer) -> str:
    return server.url.removesuffix("/chat/completions")


async def test_a_server_of_the_author_is_asked_for_its_models_and_stays_listed(
    tmp_path: Path, server: ModelServer
) -> None:
    author = Author(server.url, "large")
    source = await run_configuration.ask_for_server(author)
    assert source == ModelSource("large", address_of(server))
    assert [each.choices for each in author.asked if isinstance(each, EnterText)] == [(), ("tiny", "large")]
    async with at_work(tmp_path, RUBRIC, AnswerChoice((ModelSource("large", address_of(server)),)), None) as face:
        await face.runs.configuration.ask()
        assert Settings.load().servers == [address_of(server)]
        await face.runs.configuration.ask()
        asked = face.author.asked[-1]
        assert isinstance(asked, AnswerQuestion)
        offers = await run_configuration.on_servers(asked.servers)
        assert [(each.label, each.is_ready) for each in offers] == [("tiny", True), ("large", True)]


async def test_what_is_no_address_is_asked_for_again() -> None:
    author = Author("localhost:8080", None)
    with pytest.raises(NotDone):
        await run_configuration.ask_for_server(author)
    assert "http://" in author.asked[1].text  # pyright: ignore[reportAttributeAccessIssue]


async def test_a_server_without_a_list_takes_the_name_that_is_written(httpserver: HTTPServer) -> None:
    author = Author("tiny")
    at = f"http://127.0.0.1:{httpserver.port}/v1"
    assert await run_configuration.ask_for_model_of(author, at) == ModelSource("tiny", at)


async def test_a_key_that_is_refused_is_named(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/models").respond_with_data("no", status=401)
    author = Author(None)
    with pytest.raises(NotDone):
        await run_configuration.ask_for_model_of(author, f"http://127.0.0.1:{httpserver.port}/v1")
    assert "set BLUEPRINT_STUDIO_API_KEY" in author.asked[0].text  # pyright: ignore[reportAttributeAccessIssue]


async def test_an_address_with_a_password_is_not_remembered(tmp_path: Path) -> None:
    async with at_work(tmp_path, RUBRIC) as face:
        await face.choose(ModelSource("tiny", "http://me:secret@127.0.0.1:9/v1"))
        assert Settings.load().servers == []


async def test_a_server_that_does_not_answer_comes_with_what_cannot_answer() -> None:
    (offer,) = await run_configuration.on_servers(["http://127.0.0.1:9/v1"])
    assert (offer.is_ready, offer.detail) == (False, "does not answer")


def test_a_key_offers_all_models_of_its_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-of-a-test-123")
    assert [(each.label, each.choice) for each in run_configuration.offers(())] == [("Mistral …", "mistral")]


LISTS: dict[str, tuple[str, str, Any]] = {
    "openai": ("/v1/models", "Authorization", {"data": [{"id": "a"}, {"id": "b"}]}),
    "anthropic": ("/v1/models", "x-api-key", {"data": [{"id": "a"}, {"id": "b"}], "has_more": False}),
    "google": ("/v1beta/models", "x-goog-api-key", {"models": [{"name": "models/a"}, {"name": "models/b"}]}),
    "together": ("/models", "Authorization", [{"id": "a"}, {"id": "b"}]),
}


@pytest.mark.parametrize("provider", LISTS)
async def test_a_provider_lists_its_models_in_its_own_form(
    provider: str, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.models import provider_registry
    from engine.text.record import replace

    path, header, body = LISTS[provider]
    row = replace(provider_registry.HOSTED[provider], base_url=f"http://127.0.0.1:{httpserver.port}")
    monkeypatch.setitem(provider_registry.HOSTED, provider, row)
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "sk-of-a-test-123")
    seen: list[str | None] = []
    httpserver.expect_request(path).respond_with_handler(lambda request: _answer(seen, request, header, body))
    if provider == "openai":
        monkeypatch.setenv("OPENAI_BASE_URL", f"{row.base_url}/v1/")
    author = Author("b")
    assert await run_configuration.ask_for_model_of(author, provider) == ModelSource(f"{provider}:b")
    assert author.asked[0].choices == ("a", "b")  # pyright: ignore[reportAttributeAccessIssue]
    assert [value and value.removeprefix("Bearer ") for value in seen] == ["sk-of-a-test-123"]


def _answer(seen: list[str | None], request: Any, header: str, body: Any) -> Any:
    import json

    from werkzeug import Response

    seen.append(request.headers.get(header))
    return Response(json.dumps(body), content_type="application/json")


async def test_no_address_has_no_models() -> None:
    assert await models_offered("http://") is None


# --- One model judges


async def test_any_one_model_can_judge(tmp_path: Path, server: ModelServer) -> None:
    judge = OneJudge("large", address_of(server))
    async with at_work(tmp_path, RUBRIC, JudgeChoice(judge), at="notice") as face:
        assert await face.runs.configuration.ask_judges()
        asked = face.author.asked[-1]
        assert isinstance(asked, JudgeQuestion)
        await face.f5()
        assert face.score == 1
        assert [body["model"] for body in server.bodies] == ["large"]
        (given,) = [each for point in face.run.judgements.values() for each in point]
        assert (given.judge.id, given.judge.model, given.judge.base_url) == ("large", "large", judge.base_url)
        assert Settings.load().servers == [address_of(server)]
    async with at_work(tmp_path, RUBRIC, at="notice") as again:  # it is remembered, and so are its verdicts
        assert again.judges == judge
        await again.f5()
        assert again.score == 1
    assert len(server.bodies) == 1


async def test_a_judge_at_an_address_with_a_password_is_refused(tmp_path: Path) -> None:
    judge = OneJudge("large", "http://me:secret@127.0.0.1:9/v1")
    async with at_work(tmp_path, RUBRIC, JudgeChoice(judge)) as face:
        assert not await face.runs.configuration.ask_judges()
        assert face.judges is None
        assert "password" in face.author.messages[-1]


async def test_verdicts_of_one_judge_count_only_while_it_is_chosen(tmp_path: Path, server: ModelServer) -> None:
    here, elsewhere = OneJudge("large", address_of(server)), OneJudge("large", "http://127.0.0.1:9/v1")
    choices = [JudgeChoice(each) for each in (here, elsewhere, None, here)]
    async with at_work(tmp_path, RUBRIC, *choices, at="notice") as face:
        await face.runs.choose_judges()
        await face.f5()
        found: list[object] = []
        for _ in choices[1:]:
            await face.runs.choose_judges()
            await face.settled()
            found.append(face.extents[0])
        assert found == [None, None, 1]
