"""`studio run --dry-run`: it needs no key, and tells what would be paid twice or is not answered any more."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.models.limits import ParameterSupport, model_key, remember
from engine.models.provider_registry import resolve
from engine.models.server import ChatServer
from tests.studio.command_line import studio

PROMPT = "- {id: p1, prompt: Which river flows through Paris?, should: [$contains: Seine, It names a river]}\n"


def blueprint(folder: Path, header: str = "", prompt: str = PROMPT) -> Path:
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
        "run", blueprint(tmp_path, prompt=PROMPT.replace("should", "ideal: The Seine., should")),
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
    path = blueprint(tmp_path, prompt=PROMPT.replace("should", "ideal: The Seine., should"))
    done = studio("run", path, "--ideal", "--judge", "configured", "--dry-run")
    said = (
        "anthropic:claude-3.5-haiku cannot be expected to answer: "
        "Anthropic withdrew claude-3-5-haiku-20241022 on 19 February 2026."
    )
    assert said in done.stdout


def test_a_gateway_of_one_s_own_may_still_have_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://gateway.example")
    path = blueprint(tmp_path, prompt=PROMPT.replace("should", "ideal: The Seine., should"))
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
