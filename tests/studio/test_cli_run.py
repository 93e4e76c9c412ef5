"""`studio run`: sources, what is printed where, what is written, refused files, tools, and exit codes."""

from __future__ import annotations

import errno
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import Block
from engine.evaluation.sources import IdealSource, ModelSource, WrittenSource
from engine.files.user_settings import Settings
from engine.parsing import Parsed, parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PastRuns, PromptPlace, RunState, Store
from studio.cli import main, options, runs
from studio.cli.options import Counted, Limits, OptionsApproval, Permissions
from studio.cli.runs import evaluate_all, failed, is_for_judges, runs_of
from studio.session.evaluator import Launch
from studio.session.run_configuration import AnswerChoice
from tests.broken_disk import refuse_writing
from tests.engine.provider_server import answers, body_of, said
from tests.engine.service_requests import found_at
from tests.studio.command_line import studio
from tests.studio.text_files import text_file
from tests.world import CORPUS, corpus_files, needs_corpus

BLUEPRINT = text_file("cli-run.yml")


@pytest.fixture
def capitals(tmp_path: Path) -> Path:
    path = tmp_path / "capitals.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def spoken(*pieces: str) -> Response:
    """A streamed answer in the OpenAI-shaped format."""
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return Response("".join([*lines, "data: [DONE]\n\n"]), content_type="text/event-stream")


def test_the_settings_say_how_long_an_answer_may_take(capitals: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(lambda _: time.sleep(1) or spoken("Paris."))
    command = ["run", capitals, "--prompt", "france", "--model", "m", "--base-url", httpserver.url_for("/v1")]
    Settings(answer_seconds=0.2).save()
    assert "no whole answer within 0.2 seconds" in studio(*command).stdout
    (found,) = AnswerChoice((ModelSource("a:b"),)).candidates(parse("title: t\n").blueprint.header, seconds=90)
    assert isinstance(found.source, ModelSource)
    assert found.source.seconds == 90


# --- `studio run` and `studio explain` on a file that Weval refuses: what can be run is run, and the exit code is 1


@needs_corpus
def test_the_refused_files_of_the_corpus_are_exit_code_1() -> None:
    refused = [path for path in corpus_files() if parse(path.read_text("utf-8"), path).weval.refusal]
    for path in refused:
        done = studio("run", path, "--control", "empty", "--dry-run")
        assert "Weval refuses this file" in done.stderr
        assert done.exit_code == 1
    assert len(refused) >= 3


# --- `studio run` on tools: the trace and the policy below the arithmetic and in the result JSON, never in the score


@needs_corpus
def test_a_tool_blueprint_of_the_corpus_tells_of_every_prompt() -> None:
    done = studio("run", CORPUS / "tool-use-test.yml", "--control", "empty", "--details")
    _, *details = done.stdout.split("\n\n")
    prompts = sum("control:empty: " in each for each in details)
    assert done.stdout.count("tools: no call (beside the score, never in it)") == prompts > 0
    assert "kept: maxSteps: 0 calls, of at most 4" in done.stdout


# --- Commands run prompts by the parts of the session; what they do apart from the studio


FILE = Path("a.yml")
IN_WORDS = "- id: a\n  prompt: Where?\n  ideal: Paris\n  should:\n    - $contains: Paris\n    - Names the river\n"
GRADED = Criterion(Block.SHOULD, "Names the river")


def file_at(folder: Path, text: str = IN_WORDS) -> Path:
    path = folder / "a.yml"
    path.write_text(text, "utf-8")
    return path


def graded(path: Path, answer: str, grade: Grade) -> None:
    [prompt] = parse(path.read_text("utf-8")).blueprint.prompts
    Store().grade(PromptPlace.of(path, prompt), answer, GRADED, grade)


def launch_of(parsed: Parsed, *answers: str) -> Launch:
    sources = [WrittenSource(answer) for answer in answers]
    return Launch(parsed.blueprint, runs_of(parsed, parsed.blueprint.prompts, sources), None)


def test_the_author_s_grades_of_an_answer_count(tmp_path: Path) -> None:
    path = file_at(tmp_path)
    (tmp_path / "answer.txt").write_text("Paris", "utf-8")
    graded(path, "Paris", Grade.FULLY_PRESENT)
    done = studio("run", path, "--prompt", "a", "--response", tmp_path / "answer.txt")
    assert done.stdout.splitlines()[0].endswith(": 100.0")


def test_the_author_s_grades_of_an_ideal_tell_what_it_scores(tmp_path: Path) -> None:
    path = file_at(tmp_path)
    graded(path, "Paris", Grade.ABSENT)
    done = studio("run", path, "--control", "refusal")
    assert "the ideal scores 50.0 on this rubric" in done.stdout


def test_outcomes_stand_in_the_order_of_the_prompts_and_sources() -> None:
    parsed = parse("".join(f"- {{id: p{number}, prompt: x, should: [$contains: a]}}\n" for number in range(40)))
    evaluated = evaluate_all(launch_of(parsed, "a", "b"), OptionsApproval(Limits(), Permissions()), Counted())
    assert evaluated is not None
    assert [entry.prompt_key for entry in evaluated.entries] == [f"p{number // 2}" for number in range(80)]


def test_a_fault_of_the_program_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "answer_marks", lambda _response: [][0])
    with pytest.raises(IndexError):
        evaluate_all(launch_of(parse(IN_WORDS), "Paris", "Lyon"), OptionsApproval(Limits(), Permissions()), Counted())


def test_a_prompt_without_an_ideal_has_nothing_of_it_to_judge() -> None:
    parsed = parse(IN_WORDS.replace("  ideal: Paris\n", ""))
    runs = runs_of(parsed, parsed.blueprint.prompts, [IdealSource(), WrittenSource("Paris")])
    assert [is_for_judges(run) for run in runs] == [False, True]


def test_an_answer_that_is_not_there_has_failed(tmp_path: Path) -> None:
    parsed = parse(IN_WORDS.replace("  ideal: Paris\n", ""))
    launch = Launch(parsed.blueprint, runs_of(parsed, parsed.blueprint.prompts, [IdealSource()]), None)
    evaluated = evaluate_all(launch, OptionsApproval(Limits(), Permissions()), Counted())
    assert evaluated is not None
    assert [failed(entry) for entry in evaluated.entries] == [True]


# --- What `studio run` plans, limits and keeps: dry runs, caps, limits of tokens, and cached answers


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
def two_turns(tmp_path: Path) -> Path:
    path = tmp_path / "two_turns.yml"
    path.write_text(CACHE_BLUEPRINT, "utf-8")
    return path


def ask(path: Path, *more: object) -> Result:
    return studio("run", path, "--model", "openai:tiny", *more)


def history(path: Path) -> PastRuns:
    return Store().past_runs(PromptPlace.of(path, parse(path.read_text("utf-8")).blueprint.prompts[0]))


def test_a_run_that_is_killed_goes_on_at_the_turn_that_it_lacked(two_turns: Path, speaker: Speaker) -> None:
    speaker.waits_at = 2
    command = [sys.executable, "-c", "from studio.cli import main; main()", "run", str(two_turns)]
    program = subprocess.Popen([*command, "--model", "openai:tiny"], stderr=subprocess.DEVNULL)
    assert speaker.reached.wait(60)
    program.send_signal(signal.SIGKILL)
    program.wait()
    [interrupted] = history(two_turns)
    assert interrupted.state is RunState.INTERRUPTED
    speaker.says.append("On the Seine.")
    done = ask(two_turns)
    assert done.stdout.startswith("france · openai:tiny: 50–100, 1 of 2 criteria judged")
    assert speaker.turns == [1, 3, 3]
    assert [run.state for run in history(two_turns)] == [RunState.SCORED, RunState.INTERRUPTED]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--model=openai:tiny", "Answers so far are cached: run it again to continue from here."),
        ("--no-cache", "Answers so far are in the history. The next run sends all requests again."),
    ],
)
def test_a_run_that_is_stopped_by_its_author_says_how_it_goes_on(
    option: str, message: str, two_turns: Path, speaker: Speaker
) -> None:
    speaker.waits_at = 2
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # whoever tests may ignore it
    command = [sys.executable, "-c", f"{heard}; from studio.cli import main; main()", "run", str(two_turns)]
    arguments = [*command, *dict.fromkeys(("--model=openai:tiny", option))]
    program = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
    assert speaker.reached.wait(60)
    program.send_signal(signal.SIGINT)
    told = program.communicate(timeout=60)[1]
    assert told.endswith(f"\nStopped. {message}\n")
    assert program.returncode == 1
    assert [run.state for run in history(two_turns)] == [RunState.STOPPED]


def test_each_run_is_kept_with_its_score_and_answer(two_turns: Path, speaker: Speaker) -> None:
    ask(two_turns)
    studio("run", two_turns, "--control", "refusal")
    control, model = history(two_turns)
    assert (control.candidate.key, control.score) == ("control:refusal", 0.0)
    assert (model.candidate.key, model.score, str(model.headline)) == (
        "openai:tiny",
        1.0,
        "50–100, 1 of 2 criteria judged",
    )
    answer = Store().past_response(model.number)
    assert answer is not None
    assert answer.subject == "Paris.\n\nOn the Seine."


def test_the_verdicts_of_a_run_are_kept_with_it(two_turns: Path, speaker: Speaker) -> None:
    speaker.says = ["Paris.", "On the Seine.", "<classification>CLASS_ABSENT</classification>"]
    ask(two_turns, "--judge", "configured")
    [run] = history(two_turns)
    [judgement] = Store().past_judgements(run.number)
    assert judgement.verdict is not None
    assert judgement.verdict.extent == 0.0


def test_no_key_enters_the_database(two_turns: Path, speaker: Speaker, tmp_path: Path) -> None:
    ask(two_turns, "--judge", "configured")
    from engine.files.own_files import data_dir

    kept = b"".join(path.read_bytes() for path in data_dir().iterdir())
    assert b"On the Seine." in kept
    assert b"99XyZ" not in kept


def test_where_nothing_can_be_kept_that_is_told_once_and_all_are_asked(
    two_turns: Path, speaker: Speaker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(tmp_path / "file"))
    done = ask(two_turns)
    assert done.stderr.count("Answers cannot be cached, so the next run sends all requests again") == 1
    assert done.stdout.startswith("france · openai:tiny: 50–100, 1 of 2 criteria judged")


# --- Services in `studio run`: which are allowed, and their calls in the plan, the cap and the time


WITH_SERVICE = text_file("cli-run-services.yml")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTS_KEY", "sk-of-a-test-99XyZ")


@pytest.fixture
def host(httpserver: HTTPServer) -> str:
    return f"127.0.0.1:{httpserver.port}"


@pytest.fixture
def facts(tmp_path: Path, host: str) -> Path:
    path = tmp_path / "facts.yml"
    path.write_text(WITH_SERVICE.format(url=f"http://{host}/check"), "utf-8")
    return path


@pytest.fixture
def asked(httpserver: HTTPServer) -> list[Request]:
    return answers(httpserver, said({"score": 0.5, "explain": "Half of it is so."}))


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, answer: str, *arguments: object) -> Result:
    monkeypatch.setattr(options, "_is_at_a_terminal", lambda: True)
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=answer)


def test_at_a_terminal_the_question_is_put_and_the_answer_remembered(
    facts: Path, host: str, asked: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = at_a_terminal(monkeypatch, "y\n", "run", facts, "--ideal")
    assert result.exit_code == 0, result.stderr
    assert (
        f"The service facts on this machine ({host}) gets the answer, the ids of the model and the prompt, and "
        "the fields of the check. "
        "With it goes what is in FACTS_KEY."
    ) in result.stderr
    assert len(asked) == 1
    assert Settings.load().consented == [f"service at this machine ({host}) (FACTS_KEY)"]


def test_no_is_no_and_is_not_remembered(facts: Path, asked: list[Request], monkeypatch: pytest.MonkeyPatch) -> None:
    result = at_a_terminal(monkeypatch, "n\n", "run", facts, "--ideal")
    assert (result.exit_code, asked, Settings.load().consented) == (1, [], [])


def test_what_an_option_allows_is_not_remembered(facts: Path, host: str, asked: list[Request]) -> None:
    studio("run", facts, "--ideal", "--allow-host", host, "--allow-private")
    assert (len(asked), Settings.load().consented) == (1, [])


def test_an_agreement_that_cannot_be_written_holds_for_this_run(
    facts: Path, asked: list[Request], clean_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_writing(monkeypatch, clean_environment / "config", errno.EROFS)
    result = at_a_terminal(monkeypatch, "y\n", "run", facts, "--ideal")
    assert (result.exit_code, len(asked)) == (0, 1)
    assert "The settings cannot be saved in " in result.stderr


def test_a_name_that_leads_into_this_network_is_asked_about_apart(
    tmp_path: Path, httpserver: HTTPServer, asked: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", found_at("127.0.0.1"))
    path = tmp_path / "network.yml"
    path.write_text(WITH_SERVICE.format(url=f"http://nas.example:{httpserver.port}/check"), "utf-8")
    name = f"nas.example:{httpserver.port}"
    assert at_a_terminal(monkeypatch, "y\nn\n", "run", path, "--ideal").exit_code == 1
    assert (asked, Settings.load().consented) == ([], [f"service at {name} (FACTS_KEY)"])
    result = at_a_terminal(monkeypatch, "y\n", "run", path, "--ideal")
    assert result.exit_code == 0, result.stderr
    assert f"{name} is on this machine or in its network." in result.stderr
    assert Settings.load().consented == [f"service at {name} (FACTS_KEY)", f"service at {name}, in this network"]
    assert len(asked) == 1


def test_a_dry_run_puts_no_question_and_asks_nobody(
    facts: Path, asked: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = at_a_terminal(monkeypatch, "y\n", "run", facts, "--ideal", "--dry-run")
    assert "Ask it" not in result.output
    assert asked == []


def test_a_name_is_not_looked_up_before_it_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(*_: object, **__: object) -> None:
        raise AssertionError("looked up")

    monkeypatch.setattr("socket.getaddrinfo", look_up)
    path = tmp_path / "leaky.yml"
    path.write_text(WITH_SERVICE.format(url='"https://leaky.facts.example/"'), "utf-8")
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
    path.write_text(WITH_SERVICE.format(url='"https://${FACTS_KEY}.facts.example/"'), "utf-8")
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
