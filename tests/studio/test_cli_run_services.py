"""Services in `studio run`: which are allowed, and their calls in the plan, the cap and the time."""

from __future__ import annotations

import errno
import json
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.files.user_settings import Settings
from studio.cli import main, options
from studio.session.host import EnterText
from tests.broken_disk import refuse_writing
from tests.engine.provider_server import answers, said
from tests.engine.service_requests import found_at
from tests.studio.command_line import studio

BLUEPRINT = """\
title: Capitals
externalServices:
  facts:
    url: {url}
    headers: {{X-Key: "${{FACTS_KEY}}"}}
    max_retries: 0
---
- id: france
  prompt: What is the capital of France?
  ideal: It is Paris.
  should:
    - $contains: Paris
    - $call: {{service: facts, claim: "{{response}}"}}
"""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-of-a-test-99XyZ")


@pytest.fixture
def host(httpserver: HTTPServer) -> str:
    return f"127.0.0.1:{httpserver.port}"


@pytest.fixture
def capitals(tmp_path: Path, host: str) -> Path:
    path = tmp_path / "capitals.yml"
    path.write_text(BLUEPRINT.format(url=f"http://{host}/check"), "utf-8")
    return path


@pytest.fixture
def asked(httpserver: HTTPServer) -> list[Request]:
    return answers(httpserver, said({"score": 0.5, "explain": "Half of it is so."}))


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, answer: str, *arguments: object) -> Result:
    monkeypatch.setattr(options, "_is_at_a_terminal", lambda: True)
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=answer)


def test_an_allowed_host_is_asked_and_its_verdict_counts(capitals: Path, host: str, asked: list[Request]) -> None:
    result = studio("run", capitals, "--ideal", "--allow-host", host, "--allow-private")
    assert result.exit_code == 0, result.stderr
    assert "75.0" in result.stdout
    assert "FACTS_KEY" in result.stderr
    assert json.loads(asked[0].get_data())["claim"] == "It is Paris."
    assert asked[0].headers["X-Key"] == "sk-of-a-test-99XyZ"
    assert "sk-of-a-test" not in result.output


def test_what_a_service_says_stands_below_its_point_as_data(capitals: Path, host: str, httpserver: HTTPServer) -> None:
    answers(httpserver, said({"score": 1, "explain": "Two \x1b[2Jsources\nagree."}))
    result = studio("run", capitals, "--ideal", "--allow-host", host, "--allow-private")
    assert "        Two ␛[2Jsources\n        agree.\n" in result.stdout


def test_without_permission_nobody_is_asked_and_the_option_is_named(
    capitals: Path, host: str, asked: list[Request]
) -> None:
    result = studio("run", capitals, "--ideal")
    assert result.exit_code == 1
    assert (
        f"Not asked: the service facts on this machine ({host}); 1 point stays open. "
        f"--allow-host {host} --allow-private allows it. With it goes what is in FACTS_KEY."
    ) in result.stderr
    assert asked == []


def test_a_host_on_this_machine_needs_its_own_permission(capitals: Path, host: str, asked: list[Request]) -> None:
    result = studio("run", capitals, "--ideal", "--allow-host", "127.0.0.1")
    assert result.exit_code == 1
    assert (
        f"on this machine ({host}); 1 point stays open. "
        "--allow-private allows it, as that is on this machine or in its network."
    ) in result.stderr
    assert asked == []


def test_what_was_agreed_to_before_holds(capitals: Path, host: str, asked: list[Request]) -> None:
    Settings(consented=[f"service at this machine ({host}) (FACTS_KEY)"]).save()
    assert studio("run", capitals, "--ideal").exit_code == 0
    assert len(asked) == 1


def test_what_was_agreed_to_without_a_variable_does_not_hold_with_it(
    capitals: Path, host: str, asked: list[Request]
) -> None:
    Settings(consented=[f"service at this machine ({host})"]).save()
    assert studio("run", capitals, "--ideal").exit_code == 1
    assert asked == []


def test_at_a_terminal_the_question_is_put_and_the_answer_remembered(
    capitals: Path, host: str, asked: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = at_a_terminal(monkeypatch, "y\n", "run", capitals, "--ideal")
    assert result.exit_code == 0, result.stderr
    assert (
        f"The service facts on this machine ({host}) gets the answer, the ids of the model and the prompt, and "
        "the fields of the check. "
        "With it goes what is in FACTS_KEY."
    ) in result.stderr
    assert len(asked) == 1
    assert Settings.load().consented == [f"service at this machine ({host}) (FACTS_KEY)"]


def test_no_is_no_and_is_not_remembered(capitals: Path, asked: list[Request], monkeypatch: pytest.MonkeyPatch) -> None:
    result = at_a_terminal(monkeypatch, "n\n", "run", capitals, "--ideal")
    assert (result.exit_code, asked, Settings.load().consented) == (1, [], [])


def test_what_an_option_allows_is_not_remembered(capitals: Path, host: str, asked: list[Request]) -> None:
    studio("run", capitals, "--ideal", "--allow-host", host, "--allow-private")
    assert (len(asked), Settings.load().consented) == (1, [])


def test_an_agreement_that_cannot_be_written_holds_for_this_run(
    capitals: Path, asked: list[Request], clean_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_writing(monkeypatch, clean_environment / "config", errno.EROFS)
    result = at_a_terminal(monkeypatch, "y\n", "run", capitals, "--ideal")
    assert (result.exit_code, len(asked)) == (0, 1)
    assert "The settings cannot be saved in " in result.stderr


async def test_options_say_nothing_about_other_questions() -> None:
    host = options.OptionsHost(options.Permissions(("everywhere",), private=True), asks=False)
    assert await host.ask(EnterText("A title", "Where?")) is None


def test_a_name_that_leads_into_this_network_is_asked_about_apart(
    tmp_path: Path, httpserver: HTTPServer, asked: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", found_at("127.0.0.1"))
    path = tmp_path / "network.yml"
    path.write_text(BLUEPRINT.format(url=f"http://nas.example:{httpserver.port}/check"), "utf-8")
    name = f"nas.example:{httpserver.port}"
    assert at_a_terminal(monkeypatch, "y\nn\n", "run", path, "--ideal").exit_code == 1
    assert (asked, Settings.load().consented) == ([], [f"service at {name} (FACTS_KEY)"])
    result = at_a_terminal(monkeypatch, "y\n", "run", path, "--ideal")
    assert result.exit_code == 0, result.stderr
    assert f"{name} is on this machine or in its network." in result.stderr
    assert Settings.load().consented == [f"service at {name} (FACTS_KEY)", f"service at {name}, in this network"]
    assert len(asked) == 1


def test_a_dry_run_puts_no_question_and_asks_nobody(
    capitals: Path, asked: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = at_a_terminal(monkeypatch, "y\n", "run", capitals, "--ideal", "--dry-run")
    assert "Ask it" not in result.output
    assert asked == []


def test_an_option_that_names_nobody_is_told(capitals: Path) -> None:
    result = studio("run", capitals, "--ideal", "--allow-host", "fakts.example")
    assert "No check asks fakts.example, which --allow-host names." in result.stderr


def test_the_same_is_not_asked_twice_in_a_day(capitals: Path, host: str, asked: list[Request]) -> None:
    studio("run", capitals, "--ideal", "--allow-host", host, "--allow-private")
    result = studio("run", capitals, "--ideal", "--allow-host", host, "--allow-private", "--no-cache")
    assert (result.exit_code, len(asked)) == (0, 1)


def test_the_explanation_is_the_reflection_in_the_result(
    capitals: Path, host: str, asked: list[Request], tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    studio("run", capitals, "--ideal", "--allow-host", host, "--allow-private", "--json", out)
    scores = json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]["france"]["ideal"]
    assert scores["pointAssessments"][1]["coverageExtent"] == 0.5
    assert scores["pointAssessments"][1]["reflection"] == "Half of it is so."
    assert len(asked) == 1


def test_a_name_is_not_looked_up_before_it_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(*_: object, **__: object) -> None:
        raise AssertionError("looked up")

    monkeypatch.setattr("socket.getaddrinfo", look_up)
    path = tmp_path / "leaky.yml"
    path.write_text(BLUEPRINT.format(url='"https://leaky.facts.example/"'), "utf-8")
    result = studio("run", path, "--ideal")
    assert result.exit_code == 1
    assert "1 point stays open" in result.stderr


def test_a_variable_in_a_host_is_refused_and_its_value_is_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean_environment: Path
) -> None:
    def look_up(*_: object, **__: object) -> None:
        raise AssertionError("looked up")

    monkeypatch.setattr("socket.getaddrinfo", look_up)
    monkeypatch.setenv("FACTS_KEY", "s3cr3t")
    path, out = tmp_path / "leaky.yml", tmp_path / "out.json"
    path.write_text(BLUEPRINT.format(url='"https://${FACTS_KEY}.facts.example/"'), "utf-8")
    result = studio("run", path, "--ideal", "--json", out, "--allow-host", "s3cr3t.facts.example")
    kept = b"".join(file.read_bytes() for file in clean_environment.rglob("*") if file.is_file())
    assert "a variable is a part of the host in its `url`" in result.stdout
    assert "s3cr3t" not in f"{result.stdout}{out.read_text()}"
    assert b"s3cr3t" not in kept
    assert result.exit_code == 1


# Explained


def explain(path: Path, *more: object) -> Result:
    return studio("explain", path, "--prompt", "france", "--ideal", *more)


def test_an_explanation_asks_an_allowed_host_too(capitals: Path, host: str, asked: list[Request]) -> None:
    result = explain(capitals, "--allow-host", host, "--allow-private")
    assert "75.0" in result.stdout.splitlines()[0]
    assert (len(asked), result.exit_code) == (1, 0)


def test_an_explanation_says_who_was_not_asked_and_what_allows_it(
    capitals: Path, host: str, asked: list[Request]
) -> None:
    result = explain(capitals)
    assert f"--allow-host {host} --allow-private allows it" in result.stderr
    assert "1 point stays open" in result.stderr
    assert asked == []


def test_what_a_service_said_to_a_run_holds_for_the_explanation(
    capitals: Path, host: str, asked: list[Request]
) -> None:
    allowing = ("--allow-host", host, "--allow-private")
    studio("run", capitals, "--ideal", *allowing)
    result = explain(capitals, *allowing)
    assert "75.0" in result.stdout.splitlines()[0]
    assert len(asked) == 1


def test_a_published_result_asks_no_service(tmp_path: Path) -> None:
    file = tmp_path / "a_comparison.json"
    file.write_text('{"evaluationResults": {"llmCoverageScores": {}}}')
    result = studio("explain", file, "--allow-host", "facts.example")
    assert "Nothing is sent for a result file" in result.stderr
    assert result.exit_code == 2


# --- Calls of services in the plan, the cap and the time of a run


PROMPT = "- {{id: p{}, prompt: Say {}, ideal: Paris {}., should: [$call: {{service: facts, claim: '{{response}}'}}]}}\n"


class Service:
    """A service on this machine that fails `failures` times, each with `status`, before it answers."""

    def __init__(self, server: HTTPServer) -> None:
        self.failures = 0
        self.status = 500
        self.calls = 0
        self.host = f"127.0.0.1:{server.port}"
        server.expect_request("/check").respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        request.get_data()
        self.calls += 1
        if self.calls <= self.failures:
            return Response("{}", status=self.status, headers={"Retry-After": "0"})
        return Response(json.dumps({"score": 1}), content_type="application/json")


@pytest.fixture
def service(httpserver: HTTPServer) -> Service:
    return Service(httpserver)


def blueprint(folder: Path, service: Service, prompts: int, **fields: object) -> Path:
    path = folder / "facts.yml"
    definition = json.dumps({"url": f"http://{service.host}/check", "retry_backoff_ms": 1, **fields})
    text = f"externalServices: {{facts: {definition}}}\n---\n"
    path.write_text(text + "".join(PROMPT.format(number, number, number) for number in range(prompts)), "utf-8")
    return path


def run(path: Path, service: Service, *more: object) -> Result:
    return studio("run", path, "--ideal", "--allow-host", service.host, "--allow-private", *more)


def test_the_cap_counts_the_calls_of_services(tmp_path: Path, service: Service) -> None:
    done = run(blueprint(tmp_path, service, 4), service, "--most-requests", 2, "--details")
    assert service.calls == 2
    assert done.stdout.count("not called: the cap of 2 requests is reached") == 2
    assert done.exit_code == 1


def test_a_point_whose_call_the_cap_stopped_stays_open_and_is_not_scored_0(tmp_path: Path, service: Service) -> None:
    out = tmp_path / "out.json"
    run(blueprint(tmp_path, service, 1), service, "--most-requests", 0, "--json", out)
    result = json.loads(out.read_text())["evaluationResults"]["llmCoverageScores"]["p0"]["ideal"]
    assert (result["bounds"], service.calls) == ([0, 1], 0)


def test_a_cap_that_is_high_enough_changes_nothing(tmp_path: Path, service: Service) -> None:
    done = run(blueprint(tmp_path, service, 4), service, "--most-requests", 4)
    assert (done.exit_code, service.calls) == (0, 4)
    assert "Used: 4 requests" in done.stderr


def test_what_is_tried_again_is_counted(tmp_path: Path, service: Service) -> None:
    service.failures = 2
    done = run(blueprint(tmp_path, service, 1, max_retries=2), service)
    assert service.calls == 3
    assert "Used: 3 requests" in done.stderr


def test_the_cap_stops_what_would_be_tried_again(tmp_path: Path, service: Service) -> None:
    service.failures = 9
    done = run(blueprint(tmp_path, service, 1, max_retries=5), service, "--most-requests", 3)
    assert service.calls == 3
    assert "not called: the cap of 3 requests is reached" in done.stdout


def test_what_a_service_only_puts_off_is_counted_once(tmp_path: Path, service: Service) -> None:
    service.failures, service.status = 1, 429
    done = run(blueprint(tmp_path, service, 1), service)
    assert service.calls == 2
    assert "Used: 1 request" in done.stderr


@pytest.mark.parametrize("cap", [(), ("--most-requests", 2)], ids=["no cap", "a cap"])
def test_a_connection_that_is_refused_sends_nothing_and_is_not_counted(
    tmp_path: Path, service: Service, cap: tuple[object, ...]
) -> None:
    service.host = "127.0.0.1:1"
    done = run(blueprint(tmp_path, service, 2, max_retries=2), service, *cap, "--details")
    assert "Used:" not in done.stderr
    assert done.stdout.count("nobody answers there") == 2


def test_what_a_service_said_before_is_not_counted(tmp_path: Path, service: Service) -> None:
    path = blueprint(tmp_path, service, 2)
    run(path, service)
    done = run(path, service, "--most-requests", 0)
    assert (done.exit_code, service.calls) == (0, 2)


def test_the_plan_says_as_many_as_the_cap_counts(tmp_path: Path, service: Service) -> None:
    path = blueprint(tmp_path, service, 3, max_retries=1)
    assert "3 requests, at most 6" in run(path, service, "--dry-run").stdout
    service.failures = 99
    done = run(path, service)
    assert service.calls == 6
    assert "Used: 6 requests" in done.stderr


@pytest.mark.parametrize(
    ("fields", "most"),
    [
        ({"timeout_ms": 30_000, "max_retries": 0}, "(at most 30 s)"),
        ({"timeout_ms": 30_000, "max_retries": 2, "retry_backoff_ms": 1000}, "(at most 2 min)"),
        ({"timeout_ms": 600_000, "max_retries": 0}, "(at most 10 min)"),
        ({"timeout_ms": 10_000, "max_retries": 1, "retry_backoff_ms": 500_000}, "(at most 80 s)"),
    ],
)
def test_the_time_of_a_plan_counts_time_outs_and_retries(
    tmp_path: Path, service: Service, fields: dict[str, object], most: str
) -> None:
    assert most in run(blueprint(tmp_path, service, 2, **fields), service, "--dry-run").stdout


def test_more_calls_than_run_at_once_take_longer(tmp_path: Path, service: Service) -> None:
    path = blueprint(tmp_path, service, 65, timeout_ms=40_000, max_retries=0)
    assert "(at most 80 s)" in run(path, service, "--dry-run").stdout


def test_a_dry_run_needs_no_key_of_a_service(tmp_path: Path, service: Service) -> None:
    path = blueprint(tmp_path, service, 1, headers={"Authorization": "Bearer ${NOT_SET_HERE}"})
    done = run(path, service, "--dry-run")
    assert "the service facts checks: gets the answer" in done.stdout
    assert "the service facts needs NOT_SET_HERE, which is not set." in done.stdout
    assert service.calls == 0
