"""What `studio run` plans, limits and keeps: dry runs, caps, limits of tokens, and cached answers."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.models.limits import ParameterSupport, model_key, remember
from engine.models.provider_registry import resolve
from engine.models.server import ChatServer
from engine.parsing import parse
from engine.store import PastRuns, PromptPlace, RunState, Store
from tests.engine.provider_server import body_of
from tests.studio.command_line import studio

PROMPT = "- {{id: p{}, prompt: Which river flows through Paris?, should: [$contains: Seine]}}\n"


@pytest.fixture
def rivers(tmp_path: Path) -> Path:
    path = tmp_path / "rivers.yml"
    path.write_text("".join(map(PROMPT.format, range(4))), "utf-8")
    return path


@pytest.fixture
def asked(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What OpenAI is sent, which is on this machine now."""
    bodies: list[Any] = []

    def answer(request: Request) -> Response:
        bodies.append(json.loads(request.get_data()))
        choice = {"index": 0, "message": {"role": "assistant", "content": "The Seine."}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 100}
        whole = {"object": "chat.completion", "choices": [choice], "usage": usage}
        return Response(json.dumps(whole), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(answer)
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    return bodies


@pytest.fixture
def dear(clean_environment: Path) -> None:
    """`openai:tiny` costs five cents for each token that is sent: 50 cents by the server's count, 95 at most."""
    file = clean_environment / "config" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"prices": {"openai:tiny": {"input": 50_000, "output": 0}}}))


def run(path: Path, *more: object) -> Result:
    return studio("run", path, "--model", "openai:tiny", "--no-cache", *more)


def test_a_dry_run_tells_the_plan_and_sends_nothing(
    rivers: Path, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    done = studio("run", rivers, "--model", "openai:gpt-4o-mini", "--dry-run")
    told = done.stdout.splitlines()
    assert told[:3] == [
        "To api.openai.com go:",
        "  openai:gpt-4o-mini answers: gets the prompt's messages · 4 requests",
        "Requests  4 requests (up to 12 more for refused settings)",
    ]
    assert told[5] == "Price     less than $0.001, at most $0.0037 · list prices of 10 October 2026"
    assert [line[:10] for line in told[3:]] == ["Tokens    ", "          ", "Price     ", "Time      "]
    assert (done.stderr, done.exit_code, asked) == ("", 0, [])


def test_a_dry_run_counts_only_what_is_not_kept(rivers: Path, asked: list[Any]) -> None:
    studio("run", rivers, "--prompt", "p1", "--model", "openai:tiny")
    rivers.write_text(rivers.read_text("utf-8").replace("Paris?", "Rouen?", 2), "utf-8")
    done = studio("run", rivers, "--model", "openai:tiny", "--dry-run")
    sent_anew = studio("run", rivers, "--model", "openai:tiny", "--dry-run", "--no-cache")
    assert "Requests  2 requests" in done.stdout
    assert "Cached    2 of 4 answers are cached and not sent\n" in done.stdout
    assert "Requests  4 requests" in sent_anew.stdout
    assert "kept" not in sent_anew.stdout
    assert len(asked) == 1


def test_a_dry_run_of_what_is_kept_says_that_nothing_is_sent(rivers: Path, asked: list[Any]) -> None:
    studio("run", rivers, "--model", "openai:tiny")
    done = studio("run", rivers, "--model", "openai:tiny", "--dry-run")
    assert done.stdout == "Cached    All 4 answers are cached and not sent\nNothing would be sent.\n"


def test_a_dry_run_that_asks_nobody_says_so(rivers: Path) -> None:
    done = studio("run", rivers, "--control", "empty", "--dry-run")
    assert (done.stdout, done.exit_code) == ("Nothing would be sent.\n", 0)


def test_a_cap_of_requests_stops_the_run(rivers: Path, asked: list[Any]) -> None:
    done = run(rivers, "--most-requests", 2)
    assert "The run stops before it exceeds 2 requests." in done.stderr
    assert len(asked) == 2
    assert done.stdout.count("The cap of 2 requests is reached") == 1
    assert "Raise the cap, and run again." in done.stdout
    assert done.exit_code == 1


def test_a_cap_of_money_stops_the_run_and_says_what_it_took(rivers: Path, asked: list[Any], dear: None) -> None:
    done = run(rivers, "--most-usd", "1.9")
    assert len(asked) == 2
    assert "The cap of $1.90 is reached; " in done.stdout
    assert done.stderr.splitlines()[-1] == "Used: 2 requests, $1.00."
    assert done.exit_code == 1


def test_a_cap_that_is_high_enough_changes_nothing(rivers: Path, asked: list[Any], dear: None) -> None:
    done = run(rivers, "--most-usd", 10, "--most-requests", 10)
    assert (done.exit_code, len(asked)) == (0, 4)


def test_a_cap_of_money_needs_a_price(rivers: Path, asked: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    done = studio("run", rivers, "--model", "openai:gpt-99", "--most-usd", 1)
    assert "--most-usd cannot be enforced: the price of openai:gpt-99 is unknown. " in done.stderr
    assert (done.exit_code, asked) == (2, [])


def test_a_cap_of_money_does_not_bound_a_service(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text("- {id: a, prompt: b, ideal: c, should: [{$call: {url: 'https://laws.example', body: x}}]}\n")
    given = ("run", path, "--ideal", "--allow-host", "laws.example", "--most-usd", 1)
    done = studio(*given)
    assert "the price of laws.example is unknown. Add --most-requests." in " ".join(done.stderr.split())
    assert done.exit_code == 2


@pytest.mark.parametrize("more", [("--most-usd", -1), ("--most-usd", "much"), ("--most-requests", -1)])
def test_a_cap_is_nothing_or_more(rivers: Path, more: tuple[object, ...]) -> None:
    assert run(rivers, *more).exit_code == 2


# --- `studio run --dry-run`: it needs no key, and tells what would be paid twice or is not answered any more


DRY_PROMPT = "- {id: p1, prompt: Which river flows through Paris?, should: [$contains: Seine, It names a river]}\n"


def blueprint(folder: Path, header: str = "", prompt: str = DRY_PROMPT) -> Path:
    path = folder / "rivers.yml"
    path.write_text(f"title: Rivers\n{header}\n---\n{prompt}", "utf-8")
    return path


# No key


@pytest.mark.parametrize(
    ("model", "variable", "host"),
    [
        ("openai:gpt-4o-mini", "OPENAI_API_KEY", "api.openai.com"),
        ("anthropic:claude-haiku-4-5", "ANTHROPIC_API_KEY", "api.anthropic.com"),
        ("google:gemini-2.5-flash", "GOOGLE_API_KEY", "generativelanguage.googleapis.com"),
        ("mistral:mistral-small-latest", "MISTRAL_API_KEY", "api.mistral.ai"),
        ("xai:grok-3", "XAI_API_KEY", "api.x.ai"),
        ("openrouter:openai/gpt-4o", "OPENROUTER_API_KEY", "openrouter.ai"),
        ("together:meta/llama", "TOGETHER_API_KEY", "api.together.xyz"),
    ],
)
def test_a_dry_run_needs_no_key(tmp_path: Path, model: str, variable: str, host: str) -> None:
    done = studio("run", blueprint(tmp_path), "--model", model, "--dry-run")
    assert f"To {host} go:" in done.stdout
    assert f"{model} answers: gets the prompt's messages · 1 request" in done.stdout
    assert f"{model} needs {variable}, which is not set." in done.stdout
    assert done.exit_code == 0


def test_a_dry_run_without_a_key_costs_what_it_costs_with_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = blueprint(tmp_path)
    without = studio("run", path, "--model", "openai:gpt-4o-mini", "--dry-run").stdout.splitlines()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    with_one = studio("run", path, "--model", "openai:gpt-4o-mini", "--dry-run").stdout.splitlines()
    assert [line for line in without if "is not set" not in line] == with_one


def test_a_dry_run_needs_no_key_of_a_judge(tmp_path: Path) -> None:
    done = studio("run", blueprint(tmp_path), "--ideal", "--judge", "configured", "--dry-run")
    done_with_ideal = studio(
        "run", blueprint(tmp_path, prompt=DRY_PROMPT.replace("should", "ideal: The Seine., should")),
        "--ideal", "--judge", "configured", "--dry-run",
    )  # fmt: skip
    assert done.exit_code == 0
    assert "To openrouter.ai go:" in done_with_ideal.stdout
    assert "needs OPENROUTER_API_KEY, which is not set." in done_with_ideal.stdout


def test_a_dry_run_needs_no_variable_of_a_model_s_headers(tmp_path: Path) -> None:
    own = (
        "models: [{id: 'own:x', url: 'https://models.example/v1', modelName: x, inherit: openai, "
        "headers: {Authorization: 'Bearer ${NOT_SET_HERE}'}, parameters: {user: '${NOR_THIS}'}}]"
    )
    done = studio("run", blueprint(tmp_path, own), "--model", "own:x", "--dry-run")
    assert "To models.example go:" in done.stdout
    assert "own:x needs NOT_SET_HERE and NOR_THIS, which are not set." in done.stdout


def test_without_the_variable_of_its_address_nobody_knows_where_it_goes(tmp_path: Path) -> None:
    own = "models: [{id: 'own:x', url: '${NOT_SET_HERE}/v1', modelName: x, inherit: openai}]"
    done = studio("run", blueprint(tmp_path, own), "--model", "own:x", "--dry-run")
    assert "own:x cannot be asked: The model own:x: the variable NOT_SET_HERE is not set." in done.stdout
    assert done.exit_code == 0


def test_a_run_itself_needs_the_key(tmp_path: Path) -> None:
    done = studio("run", blueprint(tmp_path), "--model", "openai:gpt-4o-mini")
    assert "Set the variable OPENAI_API_KEY to your key" in done.stdout
    assert done.exit_code == 1


def test_the_host_in_a_variable_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE_IT_IS", "https://there.example/s3cr3t/v1?k=s3cr3t")
    own = "models: [{id: 'own:x', url: '${WHERE_IT_IS}', modelName: x, inherit: openai}]"
    done = studio("run", blueprint(tmp_path, own), "--model", "own:x", "--dry-run")
    assert "To there.example go:" in done.stdout
    assert "s3cr3t" not in done.output


def test_a_variable_in_a_host_is_refused_in_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "s3cr3t")
    own = "models: [{id: 'own:x', url: 'http://${A_SECRET}.example/v1', modelName: x, inherit: openai}]"
    out = tmp_path / "out.json"
    done = studio("run", blueprint(tmp_path, own), "--model", "own:x", "--json", out)
    assert "a variable is a part of the host in its `url`" in done.stdout
    assert "s3cr3t" not in f"{done.output}{out.read_text()}"
    assert done.exit_code == 1


# The backup


def test_the_documented_backup_is_called_as_its_provider_calls_it_and_told_to_be_withdrawn(tmp_path: Path) -> None:
    path = blueprint(tmp_path, prompt=DRY_PROMPT.replace("should", "ideal: The Seine., should"))
    done = studio("run", path, "--ideal", "--judge", "configured", "--dry-run")
    said = (
        "anthropic:claude-3.5-haiku cannot be expected to answer: "
        "Anthropic withdrew claude-3-5-haiku-20241022 on 19 February 2026."
    )
    assert said in done.stdout


def test_a_gateway_of_one_s_own_may_still_have_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://gateway.example")
    path = blueprint(tmp_path, prompt=DRY_PROMPT.replace("should", "ideal: The Seine., should"))
    done = studio("run", path, "--ideal", "--judge", "configured", "--dry-run")
    assert "To gateway.example go:" in done.stdout
    assert "withdrew" not in done.stdout


# Temperatures


@pytest.mark.parametrize(
    "model", ["openai:o1", "openai:o3-mini", "openai:gpt-5", "openai:gpt-5.1-mini", "openrouter:openai/gpt-5"]
)
def test_temperatures_that_a_family_ignores_are_told(tmp_path: Path, model: str) -> None:
    done = studio("run", blueprint(tmp_path, "temperatures: [0, 0.5, 1]"), "--model", model, "--dry-run")
    said = f"{model} ignores temperature: at 0, 0.5 and 1 it is sent the same requests, and all 3 are paid for."
    assert said in done.stdout
    assert f"{model} answers: gets the prompt's messages · 3 requests" in done.stdout


def test_temperatures_that_are_taken_are_not_spoken_of(tmp_path: Path) -> None:
    path = blueprint(tmp_path, "temperatures: [0, 0.5, 1]")
    assert "ignores" not in studio("run", path, "--model", "openai:gpt-4o-mini", "--dry-run").stdout


def test_one_temperature_is_paid_once(tmp_path: Path) -> None:
    path = blueprint(tmp_path, "temperatures: [0.5]")
    assert "ignores" not in studio("run", path, "--model", "openai:gpt-5", "--dry-run").stdout


def test_temperatures_that_a_model_refused_before_are_told(tmp_path: Path) -> None:
    provider, name = resolve("openai:gpt-new", keyless=True)
    assert isinstance(provider, ChatServer)
    remember(model_key(provider.place, name), ParameterSupport(frozenset({"temperature"})))
    done = studio("run", blueprint(tmp_path, "temperatures: [0, 1]"), "--model", "openai:gpt-new", "--dry-run")
    assert "openai:gpt-new ignores temperature: at 0 and 1 it is sent the same requests" in done.stdout


def test_temperatures_over_which_a_definition_has_its_own_are_told(tmp_path: Path) -> None:
    own = (
        "temperatures: [0, 1]\nmodels: [{id: 'own:x', url: 'https://models.example/v1', modelName: x, inherit: openai, "
        "parameters: {temperature: 0.3}}]"
    )
    done = studio("run", blueprint(tmp_path, own), "--model", "own:x", "--dry-run")
    assert "own:x ignores temperature: at 0 and 1" in done.stdout


def test_it_is_told_before_a_run_too_and_no_variant_is_dropped(
    tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = {"index": 0, "message": {"content": "The Seine."}, "finish_reason": "stop"}
    httpserver.expect_request("/v1/chat/completions").respond_with_json({"choices": [choice]})
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    done = studio("run", blueprint(tmp_path, "temperatures: [0, 1]"), "--model", "openai:gpt-5")
    assert "openai:gpt-5 ignores temperature: at 0 and 1" in done.stderr
    assert len(httpserver.log) == 2
    assert done.stdout.count("the model ignores temperature") == 2


# What may follow a refusal


def test_a_model_that_never_answered_may_take_more_requests(tmp_path: Path) -> None:
    done = studio("run", blueprint(tmp_path), "--model", "openai:gpt-4o-mini", "--dry-run")
    assert "Requests  1 request (up to 3 more for refused settings)\n" in done.stdout


def test_a_model_that_answered_takes_what_it_is_sent(tmp_path: Path) -> None:
    provider, name = resolve("openai:gpt-4o-mini", keyless=True)
    assert isinstance(provider, ChatServer)
    remember(model_key(provider.place, name), ParameterSupport())
    done = studio("run", blueprint(tmp_path), "--model", "openai:gpt-4o-mini", "--dry-run")
    assert "Requests  1 request\n" in done.stdout


# --- `--max-tokens`, and settings that a model does not take: what is sent, and what the result says of it


BLUEPRINT = """\
title: Rivers
models: [openai:tiny]
---
- id: p1
  prompt: Which river flows through Paris?
  should: [$contains: Seine]
"""


class Server:
    """OpenAI on this machine: refuses the fields of `refuses`, and ends its answers for `reason`."""

    def __init__(self, server: HTTPServer) -> None:
        self.refuses: tuple[str, ...] = ()
        self.reason = "stop"
        self.text = "The Seine."
        self.bodies: list[dict[str, Any]] = []
        self.url = server.url_for("/v1")
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        body = json.loads(request.get_data())
        self.bodies.append(body)
        for field in self.refuses:
            if field in body:
                error = {
                    "message": f"Unsupported parameter: '{field}'",
                    "param": field,
                    "code": "unsupported_parameter",
                }
                return Response(json.dumps({"error": error}), status=400, content_type="application/json")
        choice = {"index": 0, "message": {"content": self.text}, "finish_reason": self.reason}
        return Response(json.dumps({"choices": [choice]}), content_type="application/json")


@pytest.fixture
def server(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server(httpserver)
    monkeypatch.setenv("OPENAI_BASE_URL", made.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    return made


@pytest.fixture
def rivers_limits(tmp_path: Path) -> Path:
    path = tmp_path / "rivers.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def run_limits(path: Path, *more: object) -> Result:
    return studio("run", path, "--model", "openai:tiny", *more)


def settings(home: Path, **fields: object) -> None:
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "settings.json").write_text(json.dumps(fields))


def exported(path: Path, *more: object) -> dict[str, Any]:
    out = path.with_name("out.json")
    run_limits(path, "--json", out, *more)
    return json.loads(out.read_text())["evaluationResults"]["llmCoverageScores"]["p1"]["openai:tiny"]


def test_an_answer_has_weval_s_limit_unless_told_otherwise(rivers_limits: Path, server: Server) -> None:
    assert "tokens" not in run_limits(rivers_limits).stdout
    assert server.bodies[0]["max_tokens"] == 1500


def test_an_answer_may_have_more_tokens_and_the_result_says_so(rivers_limits: Path, server: Server) -> None:
    done = run_limits(rivers_limits, "--max-tokens", 4000)
    assert server.bodies[0]["max_tokens"] == 4000
    assert "100.0, another token limit than Weval's 1,500" in done.stdout
    assert "The answer could have 4,000 tokens. Weval allows 1,500." in done.stdout


def test_the_settings_can_say_how_many_tokens_are_usual(
    rivers_limits: Path, server: Server, clean_environment: Path
) -> None:
    settings(clean_environment, max_tokens=3000)
    assert "The answer could have 3,000 tokens." in run_limits(rivers_limits).stdout


def test_the_option_wins_over_the_settings(rivers_limits: Path, server: Server, clean_environment: Path) -> None:
    settings(clean_environment, max_tokens=3000)
    run_limits(rivers_limits, "--max-tokens", 1500)
    assert server.bodies[0]["max_tokens"] == 1500


def test_another_limit_is_another_request(rivers_limits: Path, server: Server) -> None:
    run_limits(rivers_limits)
    run_limits(rivers_limits, "--max-tokens", 4000)
    done = run_limits(rivers_limits, "--max-tokens", 4000)
    assert len(server.bodies) == 2
    assert "The answer could have 4,000 tokens." in done.stdout


def test_a_dry_run_knows_which_of_the_limits_is_kept(rivers_limits: Path, server: Server) -> None:
    run_limits(rivers_limits, "--max-tokens", 4000)
    kept = run_limits(rivers_limits, "--max-tokens", 4000, "--dry-run")
    assert "Nothing would be sent." in kept.stdout
    assert "Nothing would be sent" not in run_limits(rivers_limits, "--dry-run").stdout


def test_a_plan_reckons_with_the_limit(rivers_limits: Path, server: Server) -> None:
    assert "back" in run_limits(rivers_limits, "--dry-run").stdout
    assert "(at most 1,500) back" in run_limits(rivers_limits, "--dry-run").stdout
    assert "(at most 9,000) back" in run_limits(rivers_limits, "--max-tokens", 9000, "--dry-run").stdout


def test_a_cap_reckons_with_the_limit(rivers_limits: Path, server: Server, clean_environment: Path) -> None:
    settings(clean_environment, prices={"openai:tiny": {"input": 0, "output": 1000}})
    assert run_limits(rivers_limits, "--most-usd", 2).exit_code == 0
    capped = run_limits(rivers_limits, "--most-usd", 2, "--max-tokens", 4000)
    assert "The cap of $2.00 is reached" in capped.stdout
    assert len(server.bodies) == 1


@pytest.mark.parametrize("given", [0, -5, "many", 10_000_000])
def test_a_limit_is_a_number_of_tokens(rivers_limits: Path, server: Server, given: object) -> None:
    assert run_limits(rivers_limits, "--max-tokens", given).exit_code == 2
    assert server.bodies == []


def test_a_limit_goes_with_a_model(rivers_limits: Path) -> None:
    assert studio("run", rivers_limits, "--ideal", "--max-tokens", 5).exit_code == 2


def test_a_model_of_the_blueprint_s_own_keeps_its_own_limit(rivers_limits: Path, server: Server) -> None:
    url = f"{server.url}/chat/completions"
    own = f"{{id: own, url: '{url}', modelName: x, inherit: openai, parameters: {{max_tokens: 9}}}}"
    rivers_limits.write_text(BLUEPRINT.replace("openai:tiny", own), "utf-8")
    done = studio("run", rivers_limits, "--model", "own", "--max-tokens", 4000)
    assert server.bodies[0]["max_tokens"] == 9
    assert "4,000" not in done.stdout


def test_an_answer_that_is_cut_off_says_what_to_do(rivers_limits: Path, server: Server) -> None:
    server.reason = "length"
    assert "Allow it more tokens: with --max-tokens" in run_limits(rivers_limits).stdout


def test_an_answer_that_is_cut_off_before_its_first_word_says_what_to_do(rivers_limits: Path, server: Server) -> None:
    server.reason, server.text = "length", ""
    done = run_limits(rivers_limits)
    assert "Allow it more tokens: with --max-tokens" in done.stdout
    assert done.exit_code == 1


def test_a_temperature_that_was_not_used_is_told(rivers_limits: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    done = run_limits(rivers_limits)
    assert "p1 · openai:tiny: 100.0, the model ignores temperature" in done.stdout
    assert "openai:tiny ignores temperature: the answer came at the model's own." in done.stdout
    assert done.exit_code == 0


def test_it_is_told_of_an_answer_that_is_kept_too(rivers_limits: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    run_limits(rivers_limits)
    assert "openai:tiny ignores temperature" in run_limits(rivers_limits).stdout
    assert len(server.bodies) == 2


def test_it_stands_in_the_result(rivers_limits: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    result = exported(rivers_limits, "--max-tokens", 4000)
    assert (result["ignoredSettings"], result["tokenLimit"]) == (["temperature"], 4000)


def test_a_result_as_on_weval_says_nothing_of_it(rivers_limits: Path, server: Server) -> None:
    assert not exported(rivers_limits).keys() & {"ignoredSettings", "tokenLimit"}


def test_the_request_that_follows_a_refusal_is_counted(rivers_limits: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    done = run_limits(rivers_limits)
    assert "Used: 2 requests" in done.stderr
    assert len(server.bodies) == 2


def test_the_cap_stops_the_request_that_follows_a_refusal(rivers_limits: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    done = run_limits(rivers_limits, "--most-requests", 1)
    assert "The cap of 1 request is reached" in done.stdout
    assert (len(server.bodies), done.exit_code) == (1, 1)


# --- `studio run` loses nothing: answers are kept as they come, found again, and an interrupted run goes on


CACHE_BLUEPRINT = """\
evaluationConfig:
  llm-coverage:
    judges:
      - id: strict
        model: openai:strict-1
        approach: standard
---
- id: france
  messages:
    - user: What is the capital of France?
    - assistant: null
    - user: And where does it lie?
  should:
    - $contains: Seine
    - Names the river
"""


class Speaker:
    """Says `says[n]` to the n-th request, the last again and again, and may wait for `go_on` in the middle of one."""

    def __init__(self, server: HTTPServer) -> None:
        self.says = ["Paris.", "On the Seine."]
        self.requests: list[Request] = []
        self.waits_at: int | None = None
        self.reached = threading.Event()
        self.go_on = threading.Event()
        self.url = server.url_for("/v1")
        server.expect_request(re.compile(".*")).respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        request.get_data()
        self.requests.append(request)
        number = len(self.requests)
        return Response(self._pieces(number), content_type="text/event-stream")

    def _pieces(self, number: int) -> Iterator[str]:
        text = self.says[min(number, len(self.says)) - 1]
        yield _chunk({"delta": {"content": text[:2]}})
        if number == self.waits_at:
            self.reached.set()
            self.go_on.wait(60)
        yield _chunk({"delta": {"content": text[2:]}})
        yield _chunk({"delta": {}, "finish_reason": "stop"})

    @property
    def turns(self) -> list[int]:
        """How many turns each request had."""
        return [len(body_of(request)["messages"]) for request in self.requests]


def _chunk(choice: dict[str, Any]) -> str:
    return f"data: {json.dumps({'choices': [choice]})}\n\n"


@pytest.fixture
def speaker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Speaker]:
    with HTTPServer(threaded=True) as server:
        speaker = Speaker(server)
        monkeypatch.setenv("OPENAI_BASE_URL", speaker.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test-99XyZ")
        yield speaker
        speaker.go_on.set()


@pytest.fixture
def capitals(tmp_path: Path) -> Path:
    path = tmp_path / "capitals.yml"
    path.write_text(CACHE_BLUEPRINT, "utf-8")
    return path


def ask(path: Path, *more: object) -> Result:
    return studio("run", path, "--model", "openai:tiny", *more)


def history(path: Path) -> PastRuns:
    return Store().past_runs(PromptPlace.of(path, parse(path.read_text("utf-8")).blueprint.prompts[0]))


def test_what_was_answered_before_is_not_asked_again_and_that_is_said(capitals: Path, speaker: Speaker) -> None:
    first = ask(capitals)
    again = ask(capitals)
    assert speaker.turns == [1, 3]
    assert again.stdout == first.stdout
    assert "france · openai:tiny · scored\n" in first.stderr
    assert "france · openai:tiny · scored · cached answer, 0 requests\n" in again.stderr


def test_no_cache_asks_anew_and_keeps_what_is_said(capitals: Path, speaker: Speaker) -> None:
    ask(capitals)
    speaker.says = ["x", "x", "Lyon.", "On the Rhône."]
    anew = ask(capitals, "--no-cache")
    kept = ask(capitals)
    assert speaker.turns == [1, 3, 1, 3]
    assert "openai:tiny: 100.0" not in anew.stdout
    assert kept.stdout == anew.stdout


def test_a_prompt_with_no_cache_is_asked_anew(capitals: Path, speaker: Speaker) -> None:
    capitals.write_text(CACHE_BLUEPRINT + "  noCache: true\n", "utf-8")
    ask(capitals)
    ask(capitals)
    assert speaker.turns == [1, 3, 1, 3]


def test_a_run_that_is_killed_goes_on_at_the_turn_that_it_lacked(capitals: Path, speaker: Speaker) -> None:
    speaker.waits_at = 2
    command = [sys.executable, "-c", "from studio.cli import main; main()", "run", str(capitals)]
    program = subprocess.Popen([*command, "--model", "openai:tiny"], stderr=subprocess.DEVNULL)
    assert speaker.reached.wait(60)
    program.send_signal(signal.SIGKILL)
    program.wait()
    [interrupted] = history(capitals)
    assert interrupted.state is RunState.INTERRUPTED
    speaker.says.append("On the Seine.")
    done = ask(capitals)
    assert done.stdout.startswith("france · openai:tiny: 50–100, 1 of 2 points judged")
    assert speaker.turns == [1, 3, 3]
    assert [run.state for run in history(capitals)] == [RunState.SCORED, RunState.INTERRUPTED]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--model=openai:tiny", "Answers so far are cached: run it again to continue from here."),
        ("--no-cache", "Answers so far are in the history. The next run sends all requests again."),
    ],
)
def test_a_run_that_is_stopped_by_its_author_says_how_it_goes_on(
    option: str, message: str, capitals: Path, speaker: Speaker
) -> None:
    speaker.waits_at = 2
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # whoever tests may ignore it
    command = [sys.executable, "-c", f"{heard}; from studio.cli import main; main()", "run", str(capitals)]
    arguments = [*command, *dict.fromkeys(("--model=openai:tiny", option))]
    program = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
    assert speaker.reached.wait(60)
    program.send_signal(signal.SIGINT)
    told = program.communicate(timeout=60)[1]
    assert told.endswith(f"\nStopped. {message}\n")
    assert program.returncode == 1
    assert [run.state for run in history(capitals)] == [RunState.STOPPED]


def test_each_run_is_kept_with_its_score_and_answer(capitals: Path, speaker: Speaker) -> None:
    ask(capitals)
    studio("run", capitals, "--control", "refusal")
    control, model = history(capitals)
    assert (control.candidate.key, control.score) == ("control:refusal", 0.0)
    assert (model.candidate.key, model.score, str(model.headline)) == (
        "openai:tiny",
        1.0,
        "50–100, 1 of 2 points judged",
    )
    answer = Store().past_response(model.number)
    assert answer is not None
    assert answer.subject == "Paris.\n\nOn the Seine."


def test_judges_are_asked_anew_only_where_that_is_said(capitals: Path, speaker: Speaker) -> None:
    speaker.says = ["Paris.", "On the Seine.", "<classification>CLASS_ABSENT</classification>"]
    judged = "--judge", "configured"
    first = ask(capitals, *judged)
    ask(capitals, *judged)
    assert speaker.turns == [1, 3, 2]
    speaker.says.append("<classification>CLASS_FULLY_PRESENT</classification>")
    anew = ask(capitals, *judged, "--judge-again")
    assert speaker.turns == [1, 3, 2, 2]
    assert first.stdout.startswith("france · openai:tiny: 50.0\n")
    assert anew.stdout.startswith("france · openai:tiny: 100.0\n")
    assert ask(capitals, *judged).stdout.startswith("france · openai:tiny: 100.0\n")


def test_the_verdicts_of_a_run_are_kept_with_it(capitals: Path, speaker: Speaker) -> None:
    speaker.says = ["Paris.", "On the Seine.", "<classification>CLASS_ABSENT</classification>"]
    ask(capitals, "--judge", "configured")
    [run] = history(capitals)
    [judgement] = Store().past_judgements(run.number)
    assert judgement.verdict is not None
    assert judgement.verdict.extent == 0.0


def test_judge_again_goes_with_judges(capitals: Path) -> None:
    assert "--judge-again goes with --judge configured." in ask(capitals, "--judge-again").stderr


def test_no_key_enters_the_database(capitals: Path, speaker: Speaker, tmp_path: Path) -> None:
    ask(capitals, "--judge", "configured")
    from engine.files.own_files import data_dir

    kept = b"".join(path.read_bytes() for path in data_dir().iterdir())
    assert b"On the Seine." in kept
    assert b"99XyZ" not in kept


def test_where_nothing_can_be_kept_that_is_told_once_and_all_are_asked(
    capitals: Path, speaker: Speaker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(tmp_path / "file"))
    done = ask(capitals)
    assert done.stderr.count("Answers cannot be cached, so the next run sends all requests again") == 1
    assert done.stdout.startswith("france · openai:tiny: 50–100, 1 of 2 points judged")
