"""The plan of `studio run`: told before anything is sent, alone with --dry-run, and a cap that stops the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

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
    assert "the price of the service at laws.example is unknown. Add --most-requests." in " ".join(done.stderr.split())
    assert done.exit_code == 2


@pytest.mark.parametrize("more", [("--most-usd", -1), ("--most-usd", "much"), ("--most-requests", -1)])
def test_a_cap_is_nothing_or_more(rivers: Path, more: tuple[object, ...]) -> None:
    assert run(rivers, *more).exit_code == 2
