"""`studio run --judge configured`: judges on a real server, what is told before and after, and what is kept."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.models import provider_registry
from tests.studio.command_line import studio

BLUEPRINT = """\
title: Capitals
description: What pupils should know.
evaluationConfig:
  llm-coverage:
    judges:
      - id: strict
        model: openai:strict-1
        approach: standard
      - id: kind
        model: openai:kind-1
        approach: holistic
---
- id: france
  prompt: What is the capital of France?
  ideal: It is Paris, on the Seine.
  should:
    - $contains: Paris
    - Names the river
    - Names the country
  should_not:
    - Tells a joke
"""
KEY = "sk-of-a-test-99XyZ"


@pytest.fixture
def capitals(tmp_path: Path) -> Path:
    path = tmp_path / "capitals.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def verdict(name: str, reflection: str = "So it is.") -> str:
    return f"<reflection>{reflection}</reflection><classification>CLASS_{name}</classification>"


def spoken(text: str) -> Response:
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return Response("".join([*lines, "data: [DONE]\n\n"]), content_type="text/event-stream")


class Bench:
    """An OpenAI-shaped server on which every model may sit. `says` is by model and criterion, or by model alone."""

    def __init__(self) -> None:
        self.says: dict[tuple[str, str] | str, str | int] = {}
        self.asked: list[dict[str, Any]] = []

    def answer(self, request: Request) -> Response:
        body = json.loads(request.data)
        self.asked.append(body)
        criteria = ("Names the river", "Names the country", "Tells a joke")
        last = body["messages"][-1]["content"]
        criterion = max(criteria, key=last.rfind)
        model = body["model"]
        said = self.says.get((model, criterion), self.says.get(model, verdict("FULLY_PRESENT")))
        if isinstance(said, int):
            return Response(json.dumps({"error": {"message": "out of order"}}), said, content_type="application/json")
        return spoken(said)

    def models(self) -> list[str]:
        return sorted(body["model"] for body in self.asked)


@pytest.fixture
def bench(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench()
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(bench.answer)
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return bench


def judge(path: Path, *more: object) -> Result:
    return studio("run", path, "--ideal", "--judge", "configured", *more)


def coverage_of(out: Path, key: str = "ideal") -> dict[str, Any]:
    return json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]["france"][key]


def test_judges_close_the_score(capitals: Path, bench: Bench) -> None:
    bench.says["kind-1", "Names the country"] = verdict("ABSENT")
    bench.says["strict-1", "Tells a joke"] = bench.says["kind-1", "Tells a joke"] = verdict("ABSENT")
    done = judge(capitals)
    assert done.stdout.startswith("france · ideal: 87.5\n")
    assert bench.models() == ["kind-1"] * 3 + ["strict-1"] * 3
    assert done.exit_code == 0


def test_what_is_kept_is_no_part_of_the_plan_unless_it_is_asked_for_again(capitals: Path, bench: Bench) -> None:
    judge(capitals)
    kept = judge(capitals, "--dry-run")
    again = judge(capitals, "--dry-run", "--judge-again")
    assert kept.stdout == "Cached    All 6 verdicts are cached and not asked for\nNothing would be sent.\n"
    assert "6 requests, at most 12" in again.stdout


def test_every_receiver_and_the_number_of_requests_are_told_before_anything_else(
    capitals: Path, bench: Bench, httpserver: HTTPServer
) -> None:
    bench.says["tiny"] = "It is Paris."
    done = studio("run", capitals, "--model", "openai:tiny", "--judge", "configured")
    here = f"this machine (localhost:{httpserver.port})"
    assert done.stderr.splitlines()[:5] == [
        f"To {here} go:",
        "  openai:tiny answers: gets the prompt's messages · 1 request",
        "  strict (openai:strict-1, standard) judges: gets the whole conversation with the answer and the criterion · "
        "3 requests, at most 6",
        "  kind (openai:kind-1, holistic) judges: gets the whole conversation with the answer, the criterion, the "
        "description of the blueprint and all criteria in words of the prompt · 3 requests, at most 6",
        "Requests  7 requests, at most 13 (up to 39 more for refused settings)",
    ]
    assert "Price     nothing: all of it stays on this machine" in done.stderr


def test_each_point_is_told_when_it_is_judged(capitals: Path, bench: Bench) -> None:
    done = judge(capitals)
    progress = [line for line in done.stderr.splitlines() if line.startswith("france · ideal · point")]
    assert [line.partition(":")[0] for line in progress] == [f"france · ideal · point {n} of 3" for n in (1, 2, 3)]
    assert any(
        line.endswith("“Names the river”: strict: fully present, kind: fully present; mean 1") for line in progress
    )
    assert done.stderr.splitlines()[-2:] == ["1 of 1: france · ideal · scored", "Used: 6 requests, $0."]


def test_the_result_says_which_judge_gave_which_verdict_and_how_far_they_agree(capitals: Path, bench: Bench) -> None:
    bench.says["kind-1", "Names the river"] = verdict("PARTIALLY_PRESENT")
    done = judge(capitals)
    assert "strict: fully present, kind: partially present; mean 0.75" in done.stdout
    assert "    strict (openai:strict-1, standard): 3 of 3 judged\n" in done.stdout
    assert "    kind (openai:kind-1, holistic): 3 of 3 judged\n" in done.stdout
    assert "    agreement: " in done.stdout


def test_the_result_says_why_each_judge_judged_so(capitals: Path, bench: Bench) -> None:
    bench.says["kind-1", "Names the river"] = verdict("ABSENT", "There is \x1b[31m no river.")
    done = judge(capitals)
    assert "        strict: So it is.\n        kind: There is ␛[31m no river.\n" in done.stdout


def test_a_judge_that_declines_is_told_and_its_verdict_is_not_made_up(capitals: Path, bench: Bench) -> None:
    bench.says["kind-1", "Names the river"] = "I'm sorry, but I can't help with that."
    done = judge(capitals)
    assert "strict: fully present; kind declined to judge" in done.stdout
    assert "    kind (openai:kind-1, holistic): 2 of 3 judged\n      1 point: declined to judge. " in done.stdout
    assert done.exit_code == 0


def test_a_point_that_nobody_judged_leaves_the_bounds_open_and_is_exit_code_1(capitals: Path, bench: Bench) -> None:
    for name in ("strict-1", "kind-1"):
        bench.says[name, "Names the river"] = "I'm sorry, but I can't help with that."
        bench.says[name, "Tells a joke"] = verdict("ABSENT")
    done = judge(capitals)
    assert done.stdout.startswith("france · ideal: 100.0, between 75 and 100, no judge could judge 1 point\n")
    assert "strict declined to judge; kind declined to judge" in done.stdout
    assert done.exit_code == 1


def test_a_judge_whose_server_fails_is_told_and_is_exit_code_1(capitals: Path, bench: Bench) -> None:
    bench.says["kind-1"] = 401
    done = judge(capitals)
    assert "kind (openai:kind-1, holistic): 0 of 3 judged" in done.stdout
    assert "strict (openai:strict-1, standard): 3 of 3 judged" in done.stdout
    assert done.exit_code == 1


def test_the_result_json_has_all_verdicts(capitals: Path, bench: Bench, tmp_path: Path) -> None:
    bench.says["kind-1", "Names the river"] = verdict("ABSENT", "No river.")
    judge(capitals, "--json", tmp_path / "out.json")
    coverage = coverage_of(tmp_path / "out.json")
    river = next(each for each in coverage["pointAssessments"] if each["keyPointText"] == "Names the river")
    assert river["coverageExtent"] == 0.5
    assert river["individualJudgements"] == [
        {"judgeModelId": "strict(openai:strict-1)", "coverageExtent": 1.0, "reflection": "So it is."},
        {"judgeModelId": "kind(openai:kind-1)", "coverageExtent": 0.0, "reflection": "No river."},
    ]
    assert coverage["judgeAgreement"]["numItems"] == 3
    assert coverage["bounds"][0] == coverage["bounds"][1]


def test_the_result_of_judges_is_explained_from_its_file(capitals: Path, bench: Bench, tmp_path: Path) -> None:
    bench.says["kind-1", "Names the river"] = verdict("ABSENT")
    done = judge(capitals, "--json", tmp_path / "out.json")
    again = studio("explain", tmp_path / "out.json")
    assert done.stdout.splitlines()[0] == "france · ideal: 62.5"
    assert again.stdout.splitlines()[0] == "france · ideal: 63.0 published; our reading 62.5"


def test_what_judges_said_is_not_asked_again(capitals: Path, bench: Bench) -> None:
    first = judge(capitals)
    asked = len(bench.asked)
    again = judge(capitals, "--no-cache")
    assert len(bench.asked) == asked == 6
    assert "3 of 3 judged (3 cached)" in again.stdout
    assert again.stdout.splitlines()[0] == first.stdout.splitlines()[0]


def test_a_criterion_that_changed_is_asked_again_and_only_that(capitals: Path, bench: Bench) -> None:
    capitals.write_text(BLUEPRINT.replace("approach: holistic", "approach: standard"), "utf-8")
    judge(capitals)
    capitals.write_text(capitals.read_text("utf-8").replace("the river", "the river by name"), "utf-8")
    judge(capitals)
    assert len(bench.asked) == 6 + 2


def test_a_judge_that_has_not_judged_is_asked_again_next_time(capitals: Path, bench: Bench) -> None:
    bench.says["kind-1"] = 401
    judge(capitals)
    del bench.says["kind-1"]
    bench.asked.clear()
    assert judge(capitals).exit_code == 0
    assert bench.models() == ["kind-1"] * 3


def test_no_key_is_kept_or_printed(capitals: Path, bench: Bench, tmp_path: Path, clean_environment: Path) -> None:
    done = judge(capitals, "--json", tmp_path / "out.json")
    kept = b"".join(path.read_bytes() for path in clean_environment.rglob("*") if path.is_file())
    assert b"Names the river" in kept
    assert KEY.encode() not in kept
    assert KEY not in done.stdout + done.stderr + (tmp_path / "out.json").read_text("utf-8")


def test_a_database_that_cannot_be_used_stops_no_run(capitals: Path, bench: Bench, clean_environment: Path) -> None:
    (clean_environment / "data").mkdir()
    with closing(sqlite3.connect(clean_environment / "data" / "studio.sqlite3")) as newer:
        newer.execute("PRAGMA user_version = 999999")
    done = judge(capitals)
    assert "Verdicts cannot be cached: " in done.stderr
    assert done.exit_code == 0


def test_a_data_folder_that_is_none_stops_no_run(capitals: Path, bench: Bench, clean_environment: Path) -> None:
    (clean_environment / "data").write_text("a file where a folder should be", "utf-8")
    done = judge(capitals)
    assert "data could not be used: it is not a folder" in done.stderr
    assert done.exit_code == 0


def test_a_judge_that_is_left_out_is_told(capitals: Path, bench: Bench) -> None:
    capitals.write_text(BLUEPRINT.replace("approach: holistic", "approach: gentle"), "utf-8")
    done = judge(capitals)
    assert "Left out: openai:kind-1 has the approach `gentle`; write one of " in done.stderr
    assert bench.models() == ["strict-1"] * 3


def test_where_no_named_judge_can_be_asked_nothing_is_sent_to_anybody(capitals: Path, bench: Bench) -> None:
    text = BLUEPRINT.replace("approach: holistic", "approach: gentle").replace("approach: standard", "approach: mild")
    capitals.write_text(text, "utf-8")
    done = studio("run", capitals, "--model", "openai:tiny", "--judge", "configured")
    assert "There is no judge to ask: openai:strict-1 has the approach `mild`" in done.stderr
    assert (done.exit_code, bench.asked) == (2, [])


def test_a_missing_key_is_told_before_anything_is_sent(capitals: Path) -> None:
    done = judge(capitals)
    before = done.stderr.splitlines()[0]
    assert before.startswith("strict (openai:strict-1, standard) cannot be asked: ")
    assert "Set the variable OPENAI_API_KEY to your key" in before
    assert done.exit_code == 1


def test_variables_that_go_to_a_judge_are_named(capitals: Path, bench: Bench, httpserver: HTTPServer) -> None:
    own = f"""\
models:
  - id: own:judge
    url: {httpserver.url_for("/v1/chat/completions")}
    modelName: strict-1
    inherit: openai
    headers:
      Authorization: Bearer ${{OPENAI_API_KEY}}
"""
    capitals.write_text(own + BLUEPRINT.replace("openai:strict-1", "own:judge"), "utf-8")
    done = judge(capitals)
    line = next(line for line in done.stderr.splitlines() if "strict (own:judge, standard) judges: " in line)
    assert ", and what is in OPENAI_API_KEY · " in line
    assert done.exit_code == 0


def test_without_points_in_words_no_judge_is_asked(tmp_path: Path, bench: Bench) -> None:
    path = tmp_path / "checks.yml"
    path.write_text("- id: a\n  prompt: x\n  ideal: y\n  should:\n    - $contains: y\n", "utf-8")
    done = judge(path)
    assert done.stderr.splitlines()[0] == "No point in words needs a judge: no judge is asked."
    assert (done.exit_code, bench.asked) == (0, [])


# The usual judges, moved to this machine


@pytest.fixture
def usual(bench: Bench, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes OpenRouter and Anthropic answer here, and takes the judges out of a blueprint."""
    row = provider_registry.HOSTED["openrouter"]
    here = {name: getattr(row, name) for name in ("label", "key_variable", "at_once")}
    monkeypatch.setitem(
        provider_registry.HOSTED, "openrouter", provider_registry.Row(base_url=httpserver.url_for("/v1"), **here)
    )
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    start, end = BLUEPRINT.index("evaluationConfig"), BLUEPRINT.index("---")

    def without_judges(path: Path) -> None:
        path.write_text(BLUEPRINT[:start] + BLUEPRINT[end:], "utf-8")

    return without_judges


@pytest.mark.parametrize(
    ("more", "models"),
    [
        ((), ["openai/gpt-oss-120b", "qwen/qwen3-30b-a3b-instruct-2507"]),
        (("--judges-as", "documented"), ["openai/gpt-oss-120b", "qwen/qwen3-30b-a3b-instruct-2507"]),
        (("--judges-as", "weval"), ["anthropic/claude-haiku-4.5", "google/gemini-2.5-flash", "openai/gpt-4.1-mini"]),
    ],
    ids=["unless given", "documented", "weval"],
)
def test_the_usual_judges_are_documented_or_those_of_today(
    more: tuple[str, ...], models: list[str], capitals: Path, bench: Bench, usual: Callable[[Path], None]
) -> None:
    usual(capitals)
    done = judge(capitals, *more)
    assert sorted(set(bench.models())) == models
    assert "only where " in done.stderr
    assert done.exit_code == 0


def test_the_backup_stands_in_where_no_usual_judge_judged(
    capitals: Path, bench: Bench, usual: Callable[[Path], None], httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual(capitals)
    content = [{"type": "text", "text": verdict("FULLY_PRESENT")}]
    message = {"type": "message", "content": content, "stop_reason": "end_turn", "usage": {"output_tokens": 1}}
    httpserver.expect_request("/v1/messages").respond_with_json(message)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", httpserver.url_for(""))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    bench.says["qwen/qwen3-30b-a3b-instruct-2507"] = bench.says["openai/gpt-oss-120b"] = "I cannot judge this."
    done = judge(capitals)
    assert "backup-claude-3-5-haiku (anthropic:claude-3.5-haiku, holistic): 3 of 3 judged" in done.stdout
