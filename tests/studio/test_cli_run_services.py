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
from tests.broken_disk import refuse_writing
from tests.engine.provider_server import answers, said
from tests.engine.service_requests import found_at
from tests.studio.command_line import studio
from tests.studio.text_files import text_file

BLUEPRINT = text_file("cli-run-services.yml")


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


def test_a_name_is_not_looked_up_before_it_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(*_: object, **__: object) -> None:
        raise AssertionError("looked up")

    monkeypatch.setattr("socket.getaddrinfo", look_up)
    path = tmp_path / "leaky.yml"
    path.write_text(BLUEPRINT.format(url='"https://leaky.facts.example/"'), "utf-8")
    result = studio("run", path, "--ideal")
    assert result.exit_code == 1
    assert "1 criterion stays open" in result.stderr


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


def test_what_a_service_only_puts_off_is_counted_once(tmp_path: Path, service: Service) -> None:
    service.failures, service.status = 1, 429
    done = run(blueprint(tmp_path, service, 1), service)
    assert service.calls == 2
    assert "Used: 1 request" in done.stderr
