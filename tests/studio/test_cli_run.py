"""`studio run`: sources, what is printed where, what is written, refused files, tools, and exit codes."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.asking.planned import PlannedRuns, Wanted
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
from studio.session.run_queue import RunQueue, _Batch
from tests.studio.command_line import studio
from tests.world import CORPUS, corpus_files, needs_corpus

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
        (["--ideal", "--prompt", "italy"], "There is no prompt italy. There are: france, spain."),
        (["--response", "none.txt", "--prompt", "france"], "There is no file none.txt"),
        (["--fixtures", "none.json"], "There is no file none.json"),
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


# --- `studio run` begins with the blueprint's score and one line for each prompt; a reason is given once


LONG = (
    "Says that the notice must be in writing, and that a tenant may refuse a visit at an unreasonable hour of the day"
)
NO_IDEAL = "This prompt has no ideal answer. Write `ideal:`, or choose another source of answers."
OVERVIEW_BLUEPRINT = f"""\
title: Tenancy
---
- id: visit
  prompt: When may my landlord visit?
  ideal: After 24 hours notice.
  weight: 3
  should:
    - $contains: 24 hours
    - {LONG}
    - {LONG}
- prompt: May he raise the rent at will, whenever he likes, and by how much a year?
  ideal: "No."
  should:
    - $icontains: "no"
    - $icontains: covenant
- id: gone
  prompt: hm?
  should: [x]
"""


@pytest.fixture
def tenancy(tmp_path: Path) -> Path:
    path = tmp_path / "tenancy.yml"
    path.write_text(OVERVIEW_BLUEPRINT, "utf-8")
    return path


def test_the_score_of_the_blueprint_comes_first_and_each_prompt_has_a_line(tenancy: Path) -> None:
    lines = re.sub(r"hash-\w+", "hash", studio("run", tenancy, "--ideal").stdout).splitlines()
    assert lines == [
        "Tenancy · ideal: 37.3–87.5, 3 of 5 points judged, from 2 of 3 prompts",
        "  visit · ideal: 33.3–100, 1 of 3 points judged",
        "  hash “May he raise the rent at will, …” · ideal: 50.0",
        f"  gone · ideal: not scored: {NO_IDEAL}",
        "",
        "  --details shows why, point by point; --prompt ID does for one prompt.",
    ]


def test_details_follow_on_request(tenancy: Path) -> None:
    brief, details = (studio("run", tenancy, "--ideal", *more).stdout for more in ((), ("--details",)))
    assert details.startswith(brief.partition("\n\n")[0])
    assert details.count("severity  points") == 2
    assert "severity  points" not in brief


def test_one_prompt_has_its_details_at_once(tenancy: Path) -> None:
    done = studio("run", tenancy, "--ideal", "--prompt", "visit").stdout
    assert done.startswith("visit · ideal: 33.3–100, 1 of 3 points judged\n")
    assert done == studio("run", tenancy, "--ideal", "--prompt", "visit", "--details").stdout


@pytest.mark.parametrize("command", ["run", "explain"])
def test_criteria_are_whole(tenancy: Path, command: str) -> None:
    done = studio(command, tenancy, "--ideal", "--prompt", "visit")
    assert done.stdout.count(f"  “{LONG}”\n") == 2
    assert "…" not in done.stdout.partition("evidence")[0]


def test_criteria_are_whole_in_the_table_of_cases(tenancy: Path) -> None:
    tenancy.with_name("tenancy.yml.cases").write_text(
        "version: 1\ncases: [{prompt: visit, answer: x, label: bad}]\n", "utf-8"
    )
    assert f"  “{LONG}”\n" in studio("test", tenancy, "--points").stdout


def test_an_open_point_has_dashes_for_cost_and_gain(tenancy: Path) -> None:
    done = studio("run", tenancy, "--ideal", "--prompt", "visit").stdout
    assert f"   2     –      1     –     –     66.7  “{LONG}”\n" in done


def test_identical_points_say_that_they_go_together(tenancy: Path) -> None:
    tenancy.write_text(OVERVIEW_BLUEPRINT.replace("- prompt: May", "    - $contains: 24 hours\n- prompt: May"), "utf-8")
    done = studio("explain", tenancy, "--ideal", "--prompt", "visit").stdout
    assert "      the same criterion as point 3: graded together\n" in done
    assert "      the same criterion as point 2: graded together\n" in done
    assert "      the same check as point 4: met together\n" in done


@pytest.mark.parametrize("details", [[], ["--details"]])
def test_a_missing_key_is_said_once(tenancy: Path, monkeypatch: pytest.MonkeyPatch, details: list[str]) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = studio("run", tenancy, "--model", "openai:gpt-4o-mini", *details)
    assert done.stdout.startswith("Tenancy · openai:gpt-4o-mini: not scored, from 0 of 3 prompts\n")
    assert [stream.count("OPENAI_API_KEY") for stream in (done.stdout, done.stderr)] == [1, 1]
    assert done.stdout.count("not scored: as visit\n") == 2


@pytest.mark.parametrize("details", [[], ["--details"]])
def test_the_missing_key_of_judges_is_said_once(
    tenancy: Path, monkeypatch: pytest.MonkeyPatch, details: list[str]
) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    done = studio("run", tenancy, "--ideal", "--judge", "configured", *details)
    assert [stream.count("OPENROUTER_API_KEY") for stream in (done.stdout, done.stderr)] == [1, 1]


# --- `studio run` and `studio explain` on a file that Weval refuses: what can be run is run, and the exit code is 1


HEAD = "title: Two\n---\n- id: sound\n  prompt: x\n  ideal: It is y.\n  should:\n    - $icontains: y\n"

REFUSED = {
    "a weight out of range": "- id: b\n  prompt: x\n  ideal: y\n  should:\n    - {text: a, weight: 99}\n",
    "a key told twice": "- id: b\n  prompt: x\n  prompt: z\n  ideal: y\n",
    "three levels of lists": "- id: b\n  prompt: x\n  ideal: y\n  should:\n    - - - $icontains: y\n",
    "a number as a point": "- id: b\n  prompt: x\n  ideal: y\n  should:\n    - 42\n",
    "an open quote": '- id: b\n  prompt: x\n  ideal: y\n  should:\n    - $icontains: "y\n    - $icontains: z\n',
    "an open bracket": "- id: b\n  prompt: x\n  ideal: y\n  should: [a, b\n",
    "a tab as indentation": "- id: b\n  prompt: x\n  ideal: y\n  should:\n\t- a\n",
    "an item that cannot be read": "- id: [b\n",
    "numeric ids, refused by the loader": "- id: 5\n  prompt: x\n  ideal: y\n- id: 6\n  prompt: x\n  ideal: y\n",
    "a prompt without a text": "- id: b\n  ideal: y\n  should:\n    - $icontains: y\n",
}
"""Second prompts for which Weval refuses the whole file."""

CUT_OFF = ("an open quote", "an open bracket", "a tab as indentation")
"""Those of which a part of the rubric cannot be read."""


@pytest.fixture(params=REFUSED)
def refused(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "refused.yml"
    path.write_text(HEAD + REFUSED[request.param], "utf-8")
    return path


@pytest.fixture(params=CUT_OFF)
def cut_off(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "cut.yml"
    path.write_text(HEAD + REFUSED[request.param], "utf-8")
    return path


def test_the_refusal_is_told_with_its_place(refused: Path) -> None:
    refusal = parse(refused.read_text("utf-8"), refused).weval.refusal
    done = studio("run", refused, "--ideal")
    assert refusal is not None
    assert f"{refused}:" in done.stderr
    assert f"Weval refuses this file: {refusal.message}\n" in done.stderr


def test_what_can_be_run_is_run_and_the_exit_code_is_1(refused: Path) -> None:
    done = studio("run", refused, "--ideal", "--details")
    assert "\nsound · ideal: 100.0\n" in f"\n{done.stdout}"
    assert done.exit_code == 1


def test_also_where_only_a_sound_prompt_is_asked_for(refused: Path) -> None:
    done = studio("run", refused, "--ideal", "--prompt", "sound")
    assert done.stdout.startswith("sound · ideal: 100.0\n")
    assert done.exit_code == 1


def test_also_of_a_plan(refused: Path) -> None:
    assert studio("run", refused, "--ideal", "--dry-run").exit_code == 1


def test_the_result_of_what_was_run_is_written(refused: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    studio("run", refused, "--ideal", "--prompt", "sound", "--json", out)
    scores = json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]
    assert scores["sound"]["ideal"]["avgCoverageExtent"] == 1.0


def test_explain_does_so_too(refused: Path) -> None:
    done = studio("explain", refused, "--ideal", "--prompt", "sound")
    assert done.stdout.startswith("sound · ideal: 100.0\n")
    assert "Weval refuses this file" in done.stderr
    assert done.exit_code == 1


def test_a_prompt_that_is_cut_off_gets_no_score(cut_off: Path) -> None:
    done = studio("run", cut_off, "--ideal")
    assert "b: not run\n  Its rubric is cut off" in done.stdout
    assert "b · ideal" not in done.stdout + done.stderr


def test_the_place_that_cannot_be_read_is_told(cut_off: Path) -> None:
    assert "This part cannot be read: " in studio("run", cut_off, "--ideal").stderr


def test_explain_says_of_it_that_it_is_not_scored(cut_off: Path) -> None:
    done = studio("explain", cut_off, "--ideal", "--prompt", "b")
    assert done.stdout.startswith("b · ideal: not scored\n  Its rubric is cut off")
    assert done.exit_code == 1


LOST = "- [b\n"
"""An item that cannot be read at all."""


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    path = tmp_path / "lost.yml"
    path.write_text(HEAD + LOST, "utf-8")
    return path


def test_a_prompt_that_cannot_be_read_at_all_is_listed_by_its_line(lost: Path) -> None:
    done = studio("run", lost, "--ideal")
    assert "\nline 8: not run\n  This part of the file cannot be read, so a prompt is missing here" in done.stdout
    assert done.exit_code == 1


def test_a_prompt_behind_a_tab_is_listed_once(tmp_path: Path) -> None:
    path = tmp_path / "tab.yml"
    path.write_text(HEAD + "-\tid: b\n\tprompt: y\n", "utf-8")
    assert studio("run", path, "--ideal").stdout.count("not run") == 1


def test_it_is_not_listed_where_another_prompt_is_named(lost: Path) -> None:
    assert "line 8" not in studio("run", lost, "--ideal", "--prompt", "sound").stdout


def test_where_nothing_else_is_there_to_run_nothing_is_scored(tmp_path: Path) -> None:
    path = tmp_path / "only.yml"
    path.write_text(REFUSED["an open quote"], "utf-8")
    done = studio("run", path, "--ideal")
    assert done.stdout.startswith("b: not run\n")
    assert done.exit_code == 1


def test_where_no_prompt_can_be_read_at_all_the_file_is_unusable(tmp_path: Path) -> None:
    path = tmp_path / "none.yml"
    path.write_text("title: [a\n", "utf-8")
    done = studio("run", path, "--ideal")
    assert "Weval refuses this file" in done.stderr
    assert (done.exit_code, done.stdout) == (2, "")


@pytest.mark.parametrize("command", [("run",), ("explain", "--prompt", "sound")])
def test_a_file_that_weval_takes_is_exit_code_0(command: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "sound.yml"
    path.write_text(HEAD, "utf-8")
    assert studio(*command, path, "--ideal").exit_code == 0


@needs_corpus
def test_the_refused_files_of_the_corpus_are_exit_code_1() -> None:
    refused = [path for path in corpus_files() if parse(path.read_text("utf-8"), path).weval.refusal]
    for path in refused:
        done = studio("run", path, "--control", "empty", "--dry-run")
        assert "Weval refuses this file" in done.stderr
        assert done.exit_code == 1
    assert len(refused) >= 3


# --- `studio run` on tools: the trace and the policy below the arithmetic and in the result JSON, never in the score


TOOLS_BLUEPRINT = """\
tools:
  - name: calculator
toolUse: {maxSteps: 1}
---
- id: sum
  prompt: What is 312 * 49?
  prohibitedTools: [search]
  should:
    - $tool_called: calculator
- id: plain
  prompt: Hello?
  should:
    - $contains: hello
"""
ANSWER = """\
TOOL_CALL {"name": "calculator", "arguments": {"expression": "312*49"}}
TOOL_CALL {"name": "search"}
- TOOL_CALL {"name": "search"}
"""


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    path = tmp_path / "sums.yml"
    path.write_text(TOOLS_BLUEPRINT, "utf-8")
    (tmp_path / "answer.txt").write_text(ANSWER, "utf-8")
    return path


def test_tools_are_told_below_the_arithmetic_and_change_nothing_of_it(sums: Path) -> None:
    done = studio("run", sums, "--prompt", "sum", "--response", sums.parent / "answer.txt")
    assert done.stdout.startswith("sum · response: 100.0\n")
    assert done.stdout.endswith("""\
  tools: 2 calls, 1 line is not a call (beside the score, never in it)
    line 1: calculator {"expression": "312*49"}
      meets $tool_called: calculator
    line 2: search without arguments
      search is not among the tools of this blueprint
    line 3 is no call: the line begins with -, not with TOOL_CALL
    broken: prohibitedTools: search is called once, in line 2
    broken: maxSteps: 2 calls, of at most 1: too many from line 2 on
""")
    assert done.exit_code == 0


def test_the_result_has_the_trace_and_the_policy_beside_the_score(sums: Path) -> None:
    out = sums.parent / "out.json"
    studio("run", sums, "--prompt", "sum", "--response", sums.parent / "answer.txt", "--json", out)
    result = json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]["sum"]["response"]
    assert result["avgCoverageExtent"] == 1
    assert result["toolUse"]["calls"] == [
        {
            "line": 1,
            "name": "calculator",
            "declared": True,
            "checks": [{"index": 0, "meets": True, "isInverted": False}],
        },
        {"line": 2, "name": "search", "declared": False, "checks": []},
    ]
    assert [slip["line"] for slip in result["toolUse"]["slips"]] == [3]
    assert result["toolUse"]["rules"][0] == {
        "rule": "prohibitedTools",
        "tool": "search",
        "kept": False,
        "told": "search is called once, in line 2",
    }


def test_where_nothing_has_to_do_with_tools_nothing_is_said_of_them(sums: Path) -> None:
    out = sums.parent / "out.json"
    done = studio("run", sums, "--prompt", "plain", "--control", "echo", "--json", out)
    assert "tools" not in done.stdout
    scores = json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]["plain"]
    assert "toolUse" not in scores["control:echo"]


def test_explain_tells_of_tools_too(sums: Path) -> None:
    answer = sums.parent / "answer.txt"
    done = studio("explain", sums, "--prompt", "sum", "--response", answer)
    assert "    broken: prohibitedTools: search is called once, in line 2\n" in done.stdout
    (told,) = json.loads(studio("explain", sums, "--prompt", "sum", "--response", answer, "--format", "json").stdout)
    assert [call["name"] for call in told["toolUse"]["calls"]] == ["calculator", "search"]


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


def test_prompts_that_share_an_id_have_each_their_own_outcome(tmp_path: Path) -> None:
    text = "- {id: a, prompt: x, ideal: one, should: [$contains: one]}\n"
    path = file_at(tmp_path, text + text.replace("one", "two").replace("prompt: x", "prompt: y"))
    done = studio("run", path, "--ideal")
    assert done.stdout.splitlines()[:3] == ["a.yml · ideal: 100.0", "  a · ideal: 100.0", "  a#2 · ideal: 100.0"]


def test_a_dry_run_begins_nothing() -> None:
    approval = OptionsApproval(Limits(dry_run=True), Permissions())
    assert evaluate_all(launch_of(parse(IN_WORDS), "Paris"), approval, Counted()) is None


def test_an_interruption_before_anything_began_does_not_speak_of_answers() -> None:
    class Interrupted:
        async def approve(self, wanted: Wanted) -> PlannedRuns | None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_all(launch_of(parse(IN_WORDS), "Paris"), Interrupted(), Counted())


def test_an_interruption_ends_the_runs_before_the_loop_ends_what_they_began(monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled_by_the_loop: list[int] = []

    async def run() -> None:
        connecting = asyncio.create_task(asyncio.Event().wait())
        try:
            await asyncio.Event().wait()
        finally:
            cancelled_by_the_loop.append(connecting.cancelling())
            connecting.cancel()

    def start(queue: RunQueue, *_: object) -> None:
        interrupted = asyncio.current_task()
        assert interrupted is not None
        queue._batch = _Batch(1, 1)
        queue._tasks.start("runs", run())
        asyncio.get_running_loop().call_later(0.01, interrupted.cancel)

    monkeypatch.setattr(RunQueue, "start", start)
    with pytest.raises(asyncio.CancelledError):
        evaluate_all(launch_of(parse(IN_WORDS), "Paris"), OptionsApproval(Limits(), Permissions()), Counted())
    assert cancelled_by_the_loop == [0]


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


def test_where_no_point_was_open_the_judges_are_told_to_have_been_asked_nothing(tmp_path: Path) -> None:
    checked = "- {id: b, prompt: x, ideal: y, should: [$contains: y]}\n"
    done = studio("run", file_at(tmp_path, IN_WORDS + checked), "--ideal", "--judge", "configured", "--details")
    assert [line.strip() for line in done.stdout.splitlines()][-3:] == [
        "judges",
        "no judge was asked: no point was open",
        "agreement: unknown, as no point has two verdicts",
    ]
