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
from tests.studio.command_line import studio
from tests.studio.test_cli_run_judged import BLUEPRINT, bench, capitals

__all__ = ["bench", "capitals"]


def reported(*arguments: object) -> Any:
    done = studio("report", *arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


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
