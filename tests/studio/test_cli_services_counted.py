"""Calls of services in the plan, the cap and the time of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.studio.command_line import studio

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
