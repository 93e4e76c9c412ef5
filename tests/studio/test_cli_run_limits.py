"""`--max-tokens`, and settings that a model does not take: what is sent, and what the result says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.studio.command_line import studio

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
def rivers(tmp_path: Path) -> Path:
    path = tmp_path / "rivers.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def run(path: Path, *more: object) -> Result:
    return studio("run", path, "--model", "openai:tiny", *more)


def settings(home: Path, **fields: object) -> None:
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "settings.json").write_text(json.dumps(fields))


def exported(path: Path, *more: object) -> dict[str, Any]:
    out = path.with_name("out.json")
    run(path, "--json", out, *more)
    return json.loads(out.read_text())["evaluationResults"]["llmCoverageScores"]["p1"]["openai:tiny"]


def test_an_answer_has_weval_s_limit_unless_told_otherwise(rivers: Path, server: Server) -> None:
    assert "tokens" not in run(rivers).stdout
    assert server.bodies[0]["max_tokens"] == 1500


def test_an_answer_may_have_more_tokens_and_the_result_says_so(rivers: Path, server: Server) -> None:
    done = run(rivers, "--max-tokens", 4000)
    assert server.bodies[0]["max_tokens"] == 4000
    assert "100.0, another token limit than Weval's 1,500" in done.stdout
    assert "The answer could have 4,000 tokens. Weval allows 1,500." in done.stdout


def test_the_settings_can_say_how_many_tokens_are_usual(rivers: Path, server: Server, clean_environment: Path) -> None:
    settings(clean_environment, max_tokens=3000)
    assert "The answer could have 3,000 tokens." in run(rivers).stdout


def test_the_option_wins_over_the_settings(rivers: Path, server: Server, clean_environment: Path) -> None:
    settings(clean_environment, max_tokens=3000)
    run(rivers, "--max-tokens", 1500)
    assert server.bodies[0]["max_tokens"] == 1500


def test_another_limit_is_another_request(rivers: Path, server: Server) -> None:
    run(rivers)
    run(rivers, "--max-tokens", 4000)
    done = run(rivers, "--max-tokens", 4000)
    assert len(server.bodies) == 2
    assert "The answer could have 4,000 tokens." in done.stdout


def test_a_dry_run_knows_which_of_the_limits_is_kept(rivers: Path, server: Server) -> None:
    run(rivers, "--max-tokens", 4000)
    kept = run(rivers, "--max-tokens", 4000, "--dry-run")
    assert "Nothing would be sent." in kept.stdout
    assert "Nothing would be sent" not in run(rivers, "--dry-run").stdout


def test_a_plan_reckons_with_the_limit(rivers: Path, server: Server) -> None:
    assert "back" in run(rivers, "--dry-run").stdout
    assert "(at most 1,500) back" in run(rivers, "--dry-run").stdout
    assert "(at most 9,000) back" in run(rivers, "--max-tokens", 9000, "--dry-run").stdout


def test_a_cap_reckons_with_the_limit(rivers: Path, server: Server, clean_environment: Path) -> None:
    settings(clean_environment, prices={"openai:tiny": {"input": 0, "output": 1000}})
    assert run(rivers, "--most-usd", 2).exit_code == 0
    capped = run(rivers, "--most-usd", 2, "--max-tokens", 4000)
    assert "The cap of $2.00 is reached" in capped.stdout
    assert len(server.bodies) == 1


@pytest.mark.parametrize("given", [0, -5, "many", 10_000_000])
def test_a_limit_is_a_number_of_tokens(rivers: Path, server: Server, given: object) -> None:
    assert run(rivers, "--max-tokens", given).exit_code == 2
    assert server.bodies == []


def test_a_limit_goes_with_a_model(rivers: Path) -> None:
    assert studio("run", rivers, "--ideal", "--max-tokens", 5).exit_code == 2


def test_a_model_of_the_blueprint_s_own_keeps_its_own_limit(rivers: Path, server: Server) -> None:
    url = f"{server.url}/chat/completions"
    own = f"{{id: own, url: '{url}', modelName: x, inherit: openai, parameters: {{max_tokens: 9}}}}"
    rivers.write_text(BLUEPRINT.replace("openai:tiny", own), "utf-8")
    done = studio("run", rivers, "--model", "own", "--max-tokens", 4000)
    assert server.bodies[0]["max_tokens"] == 9
    assert "4,000" not in done.stdout


def test_an_answer_that_is_cut_off_says_what_to_do(rivers: Path, server: Server) -> None:
    server.reason = "length"
    assert "Allow it more tokens: with --max-tokens" in run(rivers).stdout


def test_an_answer_that_is_cut_off_before_its_first_word_says_what_to_do(rivers: Path, server: Server) -> None:
    server.reason, server.text = "length", ""
    done = run(rivers)
    assert "Allow it more tokens: with --max-tokens" in done.stdout
    assert done.exit_code == 1


def test_a_temperature_that_was_not_used_is_told(rivers: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    done = run(rivers)
    assert "p1 · openai:tiny: 100.0, the model ignores temperature" in done.stdout
    assert "openai:tiny ignores temperature: the answer came at the model's own." in done.stdout
    assert done.exit_code == 0


def test_it_is_told_of_an_answer_that_is_kept_too(rivers: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    run(rivers)
    assert "openai:tiny ignores temperature" in run(rivers).stdout
    assert len(server.bodies) == 2


def test_it_stands_in_the_result(rivers: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    result = exported(rivers, "--max-tokens", 4000)
    assert (result["ignoredSettings"], result["tokenLimit"]) == (["temperature"], 4000)


def test_a_result_as_on_weval_says_nothing_of_it(rivers: Path, server: Server) -> None:
    assert not exported(rivers).keys() & {"ignoredSettings", "tokenLimit"}


def test_the_request_that_follows_a_refusal_is_counted(rivers: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    done = run(rivers)
    assert "Used: 2 requests" in done.stderr
    assert len(server.bodies) == 2


def test_the_cap_stops_the_request_that_follows_a_refusal(rivers: Path, server: Server) -> None:
    server.refuses = ("temperature",)
    done = run(rivers, "--most-requests", 1)
    assert "The cap of 1 request is reached" in done.stdout
    assert (len(server.bodies), done.exit_code) == (1, 1)
