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

from engine.parsing import parse
from engine.store import PastRuns, PromptPlace, RunState, Store
from tests.engine.provider_server import body_of
from tests.studio.command_line import studio
from tests.studio.text_files import text_file

# --- `studio run` loses nothing: answers are kept as they come, found again, and an interrupted run goes on


CACHE_BLUEPRINT = text_file("cli-run-plans.yml")


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
    assert done.stdout.startswith("france · openai:tiny: 50–100, 1 of 2 criteria judged")
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
        "50–100, 1 of 2 criteria judged",
    )
    answer = Store().past_response(model.number)
    assert answer is not None
    assert answer.subject == "Paris.\n\nOn the Seine."


def test_the_verdicts_of_a_run_are_kept_with_it(capitals: Path, speaker: Speaker) -> None:
    speaker.says = ["Paris.", "On the Seine.", "<classification>CLASS_ABSENT</classification>"]
    ask(capitals, "--judge", "configured")
    [run] = history(capitals)
    [judgement] = Store().past_judgements(run.number)
    assert judgement.verdict is not None
    assert judgement.verdict.extent == 0.0


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
    assert done.stdout.startswith("france · openai:tiny: 50–100, 1 of 2 criteria judged")
