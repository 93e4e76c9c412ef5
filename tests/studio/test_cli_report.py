"""`studio report`: stored answers, verdicts and grades of a blueprint, or a result file, as one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Block, Role
from engine.blueprint.conversation import ThreadTurn
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, ModelSource
from engine.files.user_settings import change_saved
from engine.models.chat import Usage
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, RunState, Store
from engine.study.file_places import beside
from tests.studio.command_line import studio
from tests.studio.test_cli_explain import PUBLISHED_RESULT
from tests.studio.test_cli_run_judged import BLUEPRINT, Bench, bench, capitals, judge, verdict

__all__ = ["bench", "capitals"]


def reported(*arguments: object) -> Any:
    done = studio("report", *arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_ideal_needs_no_run(capitals: Path) -> None:
    report = reported(capitals)
    (answer,) = report["prompts"][0]["answers"]
    assert (answer["key"], answer["text"]) == ("ideal", "It is Paris, on the Seine.")
    assert answer["score"] == {"bounds": [0.25, 1.0], "text": "25–100, 1 of 4 points judged"}
    assert report["judges"] == []


def test_stored_answers_are_scored_by_the_present_rubric(capitals: Path) -> None:
    assert studio("run", capitals, "--control", "refusal").exit_code == 0
    assert studio("run", capitals, "--control", "echo").exit_code == 0
    capitals.write_text(BLUEPRINT.replace("$contains: Paris", "$contains: France"), "utf-8")
    answers = {each["key"]: each for each in reported(capitals)["prompts"][0]["answers"]}
    assert list(answers) == ["ideal", "control:echo", "control:refusal"]
    assert [each["points"][0]["extent"] for each in answers.values()] == [0, 1, 0]


def test_answers_to_another_question_are_left_out(capitals: Path) -> None:
    answer = capitals.with_name("answer.txt")
    answer.write_text("It is Lyon.", "utf-8")
    studio("run", capitals, "--prompt", "france", "--response", answer)
    assert [each["key"] for each in reported(capitals)["prompts"][0]["answers"]] == ["ideal", "response"]
    capitals.write_text(BLUEPRINT.replace("capital of France", "capital of Spain"), "utf-8")
    assert [each["key"] for each in reported(capitals)["prompts"][0]["answers"]] == ["ideal"]


def test_verdicts_and_their_judges_are_told(capitals: Path, bench: Bench) -> None:
    judge(capitals)
    report = reported(capitals)
    points = report["prompts"][0]["answers"][0]["points"]
    assert points[1]["verdicts"] == [
        {"judge": "kind(openai:kind-1)", "verdict": "fully present", "reflection": "So it is."},
        {"judge": "strict(openai:strict-1)", "verdict": "fully present", "reflection": "So it is."},
    ]
    assert [(each["name"], each["verdicts"]) for each in report["judges"]] == [
        ("kind(openai:kind-1)", 3),
        ("strict(openai:strict-1)", 3),
    ]
    assert report["judges"][1]["about"].startswith("standard, by ")


def test_what_judges_quote_is_evidence(capitals: Path, bench: Bench) -> None:
    bench.says["strict-1", "Names the river"] = verdict("FULLY_PRESENT", "It names it: “on the Seine”.")
    judge(capitals)
    assert reported(capitals)["prompts"][0]["answers"][0]["points"][1]["evidence"] == [[13, 25]]


def test_a_verdict_is_carried_over_for_the_judge_that_saw_what_changed(capitals: Path, bench: Bench) -> None:
    judge(capitals)
    capitals.write_text(BLUEPRINT.replace("description: What", "description: Which"), "utf-8")
    (holistic, standard) = reported(capitals)["judges"]
    assert (holistic["carriedOver"], standard["carriedOver"]) == (3, 0)


def test_the_author_has_their_name_if_there_is_one(capitals: Path) -> None:
    place = PromptPlace.of(capitals, parse(BLUEPRINT).blueprint.prompts[0])
    criterion = Criterion(Block.SHOULD, "Names the river")
    Store().grade(place, parse(BLUEPRINT).blueprint.prompts[0].ideal or "", criterion, Grade.ABSENT)
    change_saved(None, [lambda settings: setattr(settings, "name", " Ahmed ")])
    assert reported(capitals)["graders"][0]["name"] == "Ahmed"


def test_grades_of_the_author_count_and_are_told(capitals: Path) -> None:
    prompt = parse(BLUEPRINT).blueprint.prompts[0]
    Store().grade(
        PromptPlace.of(capitals, prompt), prompt.ideal or "", Criterion(Block.SHOULD, "Names the river"),
        Grade.PARTIALLY_PRESENT,
    )  # fmt: skip
    report = reported(capitals)
    assert report["prompts"][0]["answers"][0]["points"][1]["extent"] == 0.5
    assert report["graders"][0] | {"about": ""} == {
        "name": "the author", "about": "", "verdicts": 1, "failures": 0, "carriedOver": 0,
    }  # fmt: skip


def test_cases_come_with_it(capitals: Path) -> None:
    beside(capitals).write_text(
        "version: 1\ncases:\n  - {prompt: france, answer: It is Lyon., label: bad, score: [0, 80]}\n", "utf-8"
    )
    assert reported(capitals)["cases"]["counts"] == {"passed": 1}


def test_a_result_file_is_reported_as_published(tmp_path: Path) -> None:
    path = tmp_path / "rights_comparison.json"
    path.write_text(json.dumps(PUBLISHED_RESULT), "utf-8")
    report = reported(path)
    assert report["title"] == "Rights"
    assert report["notes"] == ["Weval ran it at 2026-03-01T10:00:00.000Z."]
    assert [(each["key"], each["scored"], each["failed"]) for each in report["totals"]] == [
        ("openai:small", 2, 0),
        ("openai:large", 2, 1),
    ]
    assert reported(path, "--prompt", "assembly", "--model", "openai:small")["prompts"][0]["answers"][0]["key"] == (
        "openai:small"
    )


@pytest.mark.parametrize(
    ("name", "begins"),
    [("r.html", "<!doctype html>"), ("r.md", "# Capitals\n"), ("r.json", "{"), ("r.txt", "# Capitals\n")],
)
def test_the_name_of_the_file_decides_the_form(capitals: Path, name: str, begins: str) -> None:
    out = capitals.with_name(name)
    done = studio("report", capitals, "--out", out)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"The report is in {out}.\n"
    assert out.read_text("utf-8").startswith(begins)


def test_json_is_not_written_where_weval_would_run_it(tmp_path: Path) -> None:
    blueprint = tmp_path / "blueprints" / "x.yml"
    blueprint.parent.mkdir()
    blueprint.write_text(BLUEPRINT, "utf-8")
    done = studio("report", blueprint, "--out", blueprint.with_name("out.json"))
    assert done.exit_code == 2
    assert not blueprint.with_name("out.json").exists()


def test_nothing_to_report_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text("- id: a\n  prompt: Hi?\n  should: [Says hi]\n", "utf-8")
    done = studio("report", path)
    assert done.exit_code == 2
    assert "no ideal, and no stored answer" in done.stderr


def answered(path: Path, model: str, usage: Usage) -> None:
    """Store an answer of a model to the prompt `france`."""
    thread = (ThreadTurn(Role.USER, "What is the capital of France?", generated=False),)
    thread = (*thread, ThreadTurn(Role.ASSISTANT, "It is Paris.", generated=True))
    place, candidate = PromptPlace(str(path), "france"), Candidate(ModelSource(model))
    number = Store().begin_run(place, candidate, "")
    response = Response("It is Paris.", thread, model, 1.0, usage)
    Store().save_run_answer(number, place, candidate, response)
    Store().end_run(number, RunState.SCORED)


def test_money_is_named_where_a_price_is_known_else_tokens(capitals: Path) -> None:
    answered(capitals, "openai:gpt-4o-mini", Usage(1_000_000, 1_000_000))
    answered(capitals, "openai:of-my-own", Usage(1200, 300))
    spent = {each["name"]: each for each in reported(capitals)["spent"]}
    assert spent["openai:gpt-4o-mini"]["dollars"] == pytest.approx(0.75)
    assert spent["openai:of-my-own"]["dollars"] is None
    markdown = studio("report", capitals, "--format", "markdown").stdout.replace("\\$", "$")
    assert "gpt-4o-mini: 1 answer, $0.75" in markdown
    assert "1 answer, 1,200 tokens in and 300 out" in markdown
    assert "$0.75 in all, and 1,500 tokens without a known price." in markdown


def test_verdicts_without_a_count_of_tokens_are_called_so(capitals: Path, bench: Bench) -> None:
    judge(capitals)
    spent = {each["name"]: each for each in reported(capitals)["spent"]}
    assert (spent["kind(openai:kind-1)"]["number"], spent["kind(openai:kind-1)"]["uncounted"]) == (3, 3)
