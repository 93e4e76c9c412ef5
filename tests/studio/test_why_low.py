"""What "Why low" says of an ideal that was graded or drafted from; `command_cases/why_low.txt` has the rest."""

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
from tests.studio.test_cli_run_judged import BLUEPRINT, capitals

__all__ = ["capitals"]


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    path = tmp_path / "answer.txt"
    path.write_text("It is Lyon.", "utf-8")
    return path


def test_grades_of_the_ideal_count(capitals: Path, answer: Path) -> None:
    prompt = parse(BLUEPRINT).blueprint.prompts[0]
    store, place = Store(), PromptPlace.of(capitals, prompt)
    for text in ("Names the river", "Names the country"):
        store.grade(place, prompt.ideal or "", Criterion(Block.SHOULD, text), Grade.FULLY_PRESENT)
    done = studio("run", capitals, "--prompt", "france", "--response", answer)
    assert "why low: the ideal scores 75–100 on this rubric (3 of 4 criteria judged): no evidence on" in done.stdout


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
