"""`studio run`: the sources, what is printed where, what is written, and the exit codes."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.evaluation.sources import ModelSource
from engine.files.user_settings import Settings
from engine.parsing import parse
from studio.session.run_configuration import AnswerChoice
from tests.studio.command_line import studio

BLUEPRINT = """\
title: Capitals
temperatures: [0, 0.7]
---
- id: france
  prompt: What is the capital of France?
  ideal: It is Paris.
  should:
    - $contains: Paris
    - Says that it lies on the Seine
- id: spain
  prompt: What is the capital of Spain?
  should:
    - $contains: Madrid
"""


@pytest.fixture
def capitals(tmp_path: Path) -> Path:
    path = tmp_path / "capitals.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def test_a_result_goes_to_stdout_and_progress_to_stderr(capitals: Path) -> None:
    done = studio("run", capitals, "--prompt", "france", "--ideal")
    assert done.stdout.startswith("france · ideal: 50–100, 1 of 2 points judged\n")
    assert done.stderr == "1 of 1: france · ideal · scored\n"
    assert done.exit_code == 0


def test_without_prompt_all_are_run(capitals: Path) -> None:
    done = studio("run", capitals, "--control", "empty")
    assert [line for line in done.stdout.splitlines() if "·" in line] == [
        "Capitals · control:empty: 0–25, 2 of 3 points judged",
        "  france · control:empty: 0–50, 1 of 2 points judged",
        "  spain · control:empty: 0.0",
    ]


def test_a_prompt_that_cannot_be_answered_is_exit_code_1(capitals: Path) -> None:
    done = studio("run", capitals, "--ideal")
    assert "  spain · ideal: not scored: This prompt has no ideal answer. Write `ideal:`" in done.stdout
    assert done.exit_code == 1


def test_a_check_that_cannot_run_is_exit_code_1(tmp_path: Path) -> None:
    path = tmp_path / "broken.yml"
    path.write_text("- id: a\n  prompt: x\n  ideal: y\n  should:\n    - $contians: y\n", "utf-8")
    assert studio("run", path, "--ideal").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Say where answers come from"),
        (["--ideal", "--control", "empty"], "Name one source of answers"),
        (["--ideal", "--model", "openai:x"], "Name one source of answers"),
        (["--ideal", "--prompt", "italy"], "There is no prompt italy. There are: france, spain."),
        (["--response", "none.txt", "--prompt", "france"], "none.txt cannot be read"),
        (["--fixtures", "none.json"], "There is no file none.json"),
        (["--ideal", "--base-url", "http://127.0.0.1"], "--base-url goes with --model"),
    ],
)
def test_unusable_arguments_are_exit_code_2(arguments: list[str], message: str, capitals: Path) -> None:
    done = studio("run", capitals, *arguments)
    assert message in done.stderr
    assert (done.exit_code, done.stdout) == (2, "")


def test_a_missing_file_is_exit_code_2(tmp_path: Path) -> None:
    assert studio("run", tmp_path / "none.yml", "--ideal").exit_code == 2


def test_a_response_needs_one_prompt(capitals: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("Paris", "utf-8")
    assert studio("run", capitals, "--response", answer).exit_code == 2
    assert studio("run", capitals, "--response", answer, "--prompt", "france").exit_code == 0


def test_the_result_is_written_as_wevals_json(capitals: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    studio("run", capitals, "--prompt", "france", "--ideal", "--json", out)
    result = json.loads(out.read_text("utf-8"))
    scores = result["evaluationResults"]["llmCoverageScores"]["france"]["ideal"]
    assert (scores["keyPointsCount"], scores["avgCoverageExtent"], scores["bounds"]) == (2, 1.0, [0.5, 1.0])
    assert result["config"]["title"] == "Capitals"


def test_an_output_without_a_folder_is_refused_before_anything_runs(capitals: Path, tmp_path: Path) -> None:
    done = studio("run", capitals, "--control", "empty", "--json", tmp_path / "none" / "out.json")
    assert (done.exit_code, done.stdout) == (2, "")


def test_recorded_answers_give_the_same_result_again(capitals: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    first = studio("run", capitals, "--control", "stuffing", "--record", saved)
    again = studio("run", capitals, "--fixtures", saved)
    assert "france · fixtures: 50–100, 1 of 2 points judged" in again.stdout
    assert first.exit_code == again.exit_code == 0


def test_prompts_that_share_an_id_are_told_and_kept_apart(tmp_path: Path) -> None:
    path, out = tmp_path / "twice.yml", tmp_path / "out.json"
    path.write_text("- id: a\n  prompt: x\n  should: [p]\n- id: a\n  prompt: y\n  should: [q]\n", "utf-8")
    done = studio("run", path, "--control", "empty", "--json", out)
    assert "2 prompts share the id a" in done.stderr
    assert json.loads(out.read_text("utf-8"))["promptIds"] == ["a", "a#2"]


def test_control_characters_of_a_blueprint_are_made_visible(tmp_path: Path) -> None:
    path = tmp_path / "odd.yml"
    path.write_text('- id: "a\\e[31m"\n  prompt: x\n  should:\n    - "red \\e[31m"\n', "utf-8")
    done = studio("run", path, "--control", "empty")
    assert "\x1b" not in done.stdout + done.stderr
    assert "a␛[31m" in done.stdout


def spoken(*pieces: str) -> Response:
    """A streamed answer in the OpenAI-shaped format."""
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return Response("".join([*lines, "data: [DONE]\n\n"]), content_type="text/event-stream")


def test_a_model_is_asked_once_for_each_variant(capitals: Path, httpserver: HTTPServer) -> None:
    asked: list[float] = []

    def answer(request: Request) -> Response:
        asked.append(json.loads(request.data)["temperature"])
        return spoken("It is ", "Paris.")

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(answer)
    url = httpserver.url_for("/v1")
    done = studio("run", capitals, "--prompt", "france", "--model", "openai:tiny", "--base-url", url)
    assert sorted(asked) == [0, 0.7]
    assert "france · openai:tiny[temp:0]: 50–100, 1 of 2 points judged" in done.stdout
    assert "france · openai:tiny[temp:0.7]: 50–100, 1 of 2 points judged" in done.stdout
    assert done.exit_code == 0


@pytest.mark.parametrize(
    ("written", "listed", "sent"),
    [
        ("vllm:llama3", ["llama3"], "llama3"),
        ("vllm:llama3", ["vllm:llama3", "llama3"], "vllm:llama3"),
        ("vllm:llama3", ["another"], "vllm:llama3"),
        ("vllm:llama3", None, "vllm:llama3"),
        ("openai:gpt", ["openai:gpt", "gpt"], "openai:gpt"),
        ("openai:gpt", ["gpt"], "gpt"),
        ("openai:gpt", None, "gpt"),
        ("llama3:8b", ["llama3:8b"], "llama3:8b"),
        ("llama3:8b", ["8b"], "llama3:8b"),
    ],
)
def test_the_list_of_the_server_decides_whether_a_provider_is_part_of_the_name(
    written: str, listed: list[str] | None, sent: str, capitals: Path, httpserver: HTTPServer
) -> None:
    asked: set[str] = set()

    def answer(request: Request) -> Response:
        asked.add(json.loads(request.data)["model"])
        return spoken("Paris.")

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(answer)
    models = None if listed is None else {"object": "list", "data": [{"id": name} for name in listed]}
    page = Response("", status=404) if models is None else Response(json.dumps(models))
    httpserver.expect_request("/v1/models").respond_with_response(page)
    command = ["run", capitals, "--prompt", "france", "--model", written, "--base-url", httpserver.url_for("/v1")]
    assert studio(*command, "--dry-run").exit_code == 0
    assert httpserver.log == []
    assert studio(*command).exit_code == 0
    assert asked == {sent}


def test_a_recording_says_how_prompts_that_share_an_id_stand_in_it(tmp_path: Path) -> None:
    path, saved = tmp_path / "twins.yml", tmp_path / "saved.json"
    path.write_text("- {id: p, prompt: One?, ideal: A, should: [$contains: A]}\n- {id: p, prompt: Two?, ideal: B}\n")
    done = studio("run", path, "--ideal", "--record", saved)
    assert "In saved.json the first one is called p, the others p#2" in done.stderr
    responses = json.loads(saved.read_text("utf-8"))["responses"]
    assert {key: each["default"] for key, each in responses.items()} == {"p": "A", "p#2": "B"}


def test_recorded_answers_of_a_model_are_given_again_for_each_variant(
    capitals: Path, tmp_path: Path, httpserver: HTTPServer
) -> None:
    def answer(request: Request) -> Response:
        return spoken("Paris" if json.loads(request.data)["temperature"] == 0 else "Lyon")

    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(answer)
    url, saved = httpserver.url_for("/v1"), tmp_path / "saved.json"
    studio("run", capitals, "--prompt", "france", "--model", "openai:tiny", "--base-url", url, "--record", saved)
    again = studio("run", capitals, "--prompt", "france", "--fixtures", saved, "--model", "openai:tiny")
    assert "france · openai:tiny[temp:0]: 50–100, 1 of 2 points judged" in again.stdout
    assert "france · openai:tiny[temp:0.7]: 0–50, 1 of 2 points judged" in again.stdout


def test_the_recipient_is_named_before_anything_is_sent(capitals: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(lambda _request: spoken("Paris"))
    url = httpserver.url_for("/v1")
    done = studio("run", capitals, "--prompt", "france", "--model", "openai:tiny", "--base-url", url)
    assert done.stderr.splitlines()[:2] == [
        f"To this machine (localhost:{httpserver.port}) go:",
        "  openai:tiny answers: gets the prompt's messages · 2 requests",
    ]


@pytest.fixture
def two_models(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """`openai:tiny` and `openai:small`, both served on this machine."""
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(lambda _request: spoken("Paris"))
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "of-a-test")


@pytest.mark.usefixtures("two_models")
@pytest.mark.parametrize("options", [(), ("--collections", "models")], ids=["found above the file", "named"])
def test_the_models_of_a_collection_are_asked_one_by_one(
    options: tuple[str, ...], capitals: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "TEAM.json").write_text('["openai:tiny", "openai:small"]', "utf-8")
    out = tmp_path / "out.json"
    studio("run", capitals, "--prompt", "france", "--model", "TEAM", "--json", out, *options)
    keys = [f"openai:{name}[temp:{temperature}]" for name in ("tiny", "small") for temperature in ("0", "0.7")]
    assert json.loads(out.read_text("utf-8"))["effectiveModels"] == keys


def test_a_collection_that_is_not_there_cannot_be_used(capitals: Path) -> None:
    done = studio("run", capitals, "--model", "NOWHERE")
    assert "There is no collection NOWHERE: no models/NOWHERE.json" in done.stderr
    assert done.exit_code == 2


def test_a_run_is_labelled_by_the_content_of_the_blueprint(capitals: Path, tmp_path: Path) -> None:
    def label(text: str) -> str:
        capitals.write_text(text, "utf-8")
        studio("run", capitals, "--control", "empty", "--json", tmp_path / "out.json")
        return json.loads((tmp_path / "out.json").read_text("utf-8"))["runLabel"]

    assert label(BLUEPRINT) != label(BLUEPRINT.replace("Madrid", "Toledo"))
    system = "system: [null, Be brief.]\n"
    assert label(f"{system}{BLUEPRINT}") == label(
        f"{system.replace('system', 'systems')}{BLUEPRINT}"
    )  # as Weval loads it


def test_a_run_with_a_collection_that_nobody_knows_has_no_label(capitals: Path, tmp_path: Path) -> None:
    capitals.write_text(f"models: [NOSUCH, openai:gpt-4o]\n{BLUEPRINT}", "utf-8")
    done = studio("run", capitals, "--control", "empty", "--json", tmp_path / "out.json")
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert (data["runLabel"], sorted(data["config"]["models"])) == ("run", ["NOSUCH", "openai:gpt-4o"])
    assert "The run has no label. There is no collection NOSUCH" in done.stderr


def test_the_settings_say_how_long_an_answer_may_take(capitals: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(lambda _: time.sleep(1) or spoken("Paris."))
    command = ["run", capitals, "--prompt", "france", "--model", "m", "--base-url", httpserver.url_for("/v1")]
    Settings(answer_seconds=0.2).save()
    assert "no whole answer within 0.2 seconds" in studio(*command).stdout
    (found,) = AnswerChoice((ModelSource("a:b"),)).candidates(parse("title: t\n").blueprint.header, seconds=90)
    assert isinstance(found.source, ModelSource)
    assert found.source.seconds == 90


def test_a_server_that_fails_is_told_and_is_exit_code_1(capitals: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_json({"error": {"message": "no such model"}}, 404)
    url = httpserver.url_for("/v1")
    done = studio("run", capitals, "--prompt", "france", "--model", "openai:tiny", "--base-url", url)
    assert "not scored" in done.stdout
    assert done.exit_code == 1


@pytest.mark.parametrize("command", ["run", "explain"])
@pytest.mark.parametrize(
    ("content", "told"),
    [(b"\n", "is empty"), (b"a\0b", "is not a text file"), (b"title: x\n", "There is no prompt in")],
)
def test_a_file_that_is_no_blueprint_is_told_in_one_line(
    tmp_path: Path, command: str, content: bytes, told: str
) -> None:
    path = tmp_path / "x.yml"
    path.write_bytes(content)
    done = studio(command, path, "--ideal")
    assert told in done.stderr
    assert "Usage:" not in done.stderr
    assert (done.stdout, done.exit_code) == ("", 2)


@pytest.mark.parametrize("command", ["run", "explain"])
def test_a_file_that_is_not_there_is_told_before_anything_else_is_asked_for(tmp_path: Path, command: str) -> None:
    done = studio(command, tmp_path / "none.json")
    assert "There is no such file" in done.stderr
    assert done.exit_code == 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "The file is empty."),
        ("[]", "It has no `responses`"),
        ('{"responses": {"france": {"default": 4}}}', "The answer to france (default) must be text"),
        ('{"responses": {"france": 4}}', "`france` must be a mapping"),
        ('{"strategy": "any", "responses": {}}', "`strategy` is one of first, seeded, round-robin"),
        ('{"responses": ', "It is not JSON, or damaged in line 1"),
    ],
)
def test_saved_answers_that_cannot_be_used_are_told_before_anything_runs(
    capitals: Path, tmp_path: Path, content: str, told: str
) -> None:
    saved = tmp_path / "saved.json"
    saved.write_text(content)
    done = studio("run", capitals, "--fixtures", saved)
    assert told in done.stderr
    assert (done.stdout, done.exit_code) == ("", 2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--ideal", "--record", "."], ". is a folder: give --record the name of a file in it."),
        (["--fixtures", "."], ". is a folder, not a file."),
        (["--ideal", "--collections", "none"], "There is no folder none for collections of models."),
    ],
)
def test_a_folder_in_the_place_of_a_file_is_told_before_anything_runs(
    capitals: Path, options: list[str], told: str
) -> None:
    done = studio("run", capitals, *options)
    assert told in done.stderr
    assert (done.stdout, done.exit_code) == ("", 2)


def test_there_is_no_estimated_score(capitals: Path) -> None:
    done = studio("run", capitals, "--ideal", "--judge", "estimate")
    assert done.exit_code == 2
    assert "'estimate' is not one of 'off', 'configured'" in done.stderr
