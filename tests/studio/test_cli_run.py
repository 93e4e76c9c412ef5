"""`studio run`: sources, what is printed where, what is written, refused files, tools, and exit codes."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.blueprint import Block
from engine.evaluation.sources import IdealSource, ModelSource, WrittenSource
from engine.files.user_settings import Settings
from engine.parsing import Parsed, parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, Store
from studio.cli import runs
from studio.cli.options import Counted, Limits, OptionsApproval, Permissions
from studio.cli.runs import evaluate_all, failed, is_for_judges, runs_of
from studio.session.evaluator import Launch
from studio.session.run_configuration import AnswerChoice
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
    return Launch(parsed.blueprint, runs_of(FILE, parsed, parsed.blueprint.prompts, sources), None)


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
    runs = runs_of(FILE, parsed, parsed.blueprint.prompts, [IdealSource(), WrittenSource("Paris")])
    assert [is_for_judges(run) for run in runs] == [False, True]


def test_an_answer_that_is_not_there_has_failed(tmp_path: Path) -> None:
    parsed = parse(IN_WORDS.replace("  ideal: Paris\n", ""))
    launch = Launch(parsed.blueprint, runs_of(FILE, parsed, parsed.blueprint.prompts, [IdealSource()]), None)
    evaluated = evaluate_all(launch, OptionsApproval(Limits(), Permissions()), Counted())
    assert evaluated is not None
    assert [failed(entry) for entry in evaluated.entries] == [True]
