"""What "Why low" says of the ideal: with all verdicts and grades on it, or that it is not known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.blueprint import Block
from engine.files.user_settings import Settings
from engine.judging.judge_prompt import drafted_digest
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, Store
from tests.studio.command_line import studio
from tests.studio.test_cli_run_judged import BLUEPRINT, Bench, bench, capitals, judge, verdict

__all__ = ["bench", "capitals"]


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    path = tmp_path / "answer.txt"
    path.write_text("It is Lyon.", "utf-8")
    return path


def why_low(path: Path, answer: Path, command: str = "run") -> str:
    """The line of an answer that says how the ideal does."""
    done = studio(command, path, "--prompt", "france", "--response", answer)
    return next(line for line in done.stdout.splitlines() if "why low" in line).strip()


@pytest.mark.parametrize("command", ["run", "explain"])
def test_without_verdicts_the_bounds_of_the_ideal_are_told(capitals: Path, answer: Path, command: str) -> None:
    assert why_low(capitals, answer, command) == (
        "why low: the ideal scores 25–100 on this rubric (1 of 4 criteria judged): no evidence on the rubric or the "
        "answer until all criteria of both are judged"
    )


@pytest.mark.parametrize("command", ["run", "explain"])
def test_verdicts_on_the_ideal_count(capitals: Path, answer: Path, bench: Bench, command: str) -> None:
    bench.says["strict-1", "Tells a joke"] = bench.says["kind-1", "Tells a joke"] = verdict("ABSENT")
    judge(capitals)
    assert why_low(capitals, answer, command) == (
        "why low: evidence: look at the answer, as the ideal scores 100.0 on this rubric"
    )


def test_grades_of_the_ideal_count(capitals: Path, answer: Path) -> None:
    prompt = parse(BLUEPRINT).blueprint.prompts[0]
    store, place = Store(), PromptPlace.of(capitals, prompt)
    for text in ("Names the river", "Names the country"):
        store.grade(place, prompt.ideal or "", Criterion(Block.SHOULD, text), Grade.FULLY_PRESENT)
    assert why_low(capitals, answer) == (
        "why low: the ideal scores 75–100 on this rubric (3 of 4 criteria judged): no evidence on the rubric or the "
        "answer until all criteria of both are judged"
    )


def test_explain_counts_the_verdicts_that_a_run_has_on_the_answer(capitals: Path, bench: Bench) -> None:
    bench.says["strict-1", "Names the river"] = verdict("FULLY_PRESENT", "It names it: “on the Seine”.")
    judge(capitals)
    asked = len(bench.asked)
    done = studio("explain", capitals, "--prompt", "france", "--ideal")
    assert done.stdout.startswith("france · ideal: 75.0\n")
    assert "    “Names the river”\n      quoted: “on the Seine”\n" in done.stdout
    assert len(bench.asked) == asked


def test_explain_leaves_verdicts_on_another_answer_out(capitals: Path, answer: Path, bench: Bench) -> None:
    judge(capitals)
    done = studio("explain", capitals, "--prompt", "france", "--response", answer)
    assert done.stdout.startswith("france · response: 0–75, 1 of 4 criteria judged\n")


@pytest.fixture
def drafted(capitals: Path) -> Path:
    """The capitals, whose three criteria were drafted from the ideal."""
    prompt = parse(BLUEPRINT).blueprint.prompts[0]
    texts = [point.text for point in prompt.points() if point.text is not None]
    Settings(drafted=[drafted_digest(prompt, text) for text in texts]).save()
    return capitals


CIRCULAR = "circular: 3 of 4 criteria were drafted from the ideal, so its score says little about the rubric"


@pytest.mark.parametrize("command", ["run", "explain"])
def test_a_rubric_drafted_from_its_ideal_is_called_circular(drafted: Path, answer: Path, command: str) -> None:
    done = studio(command, drafted, "--prompt", "france", "--response", answer)
    assert f"are judged\n    {CIRCULAR}\n" in done.stdout


def test_a_report_calls_it_circular_too(drafted: Path) -> None:
    report = json.loads(studio("report", drafted, "--format", "json").stdout)
    assert CIRCULAR in report["prompts"][0]["answers"][0]["notes"]


def test_the_json_calls_it_circular_too(drafted: Path) -> None:
    done = studio("explain", drafted, "--prompt", "france", "--ideal", "--format", "json")
    assert json.loads(done.stdout)[0]["circular"] == CIRCULAR


def test_verdicts_on_an_ideal_that_was_written_otherwise_do_not_count(
    capitals: Path, answer: Path, bench: Bench
) -> None:
    judge(capitals)
    capitals.write_text(BLUEPRINT.replace("It is Paris, on", "Paris, on"), "utf-8")
    assert "(1 of 4 criteria judged)" in why_low(capitals, answer)


def test_verdicts_on_the_ideal_that_are_carried_over_are_told(capitals: Path, answer: Path, bench: Bench) -> None:
    judge(capitals)
    capitals.write_text(BLUEPRINT.replace("description: What pupils should know.", "description: Other."), "utf-8")
    assert "on this rubric (3 verdicts before this edit)" in why_low(capitals, answer)
