"""Which answers are read side by side without being run: those in files, in the prompt, and of the author's own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.evaluation.sources import AnswerSource, FixtureSource, StoredSource
from engine.parsing import parse
from engine.store import PromptPlace, Store
from studio.session import prompt_answers
from studio.session.prompt_answers import KnownAnswers, answers_to_read, newest_stored
from tests.stored_answers import RENT, answered

QUESTION = "How much notice must a landlord give before a rent increase?"
FIXTURES = """\
responses:
  rent:
    default: [A month., Two months.]
    byModel:
      openai:gpt-4o-mini: Three months.
      own:*: Ask a lawyer.
  visit:
    default: A day.
"""
SAVED = [
    (("saved answer",), "A month."),
    (("saved answer",), "Two months."),
    (("gpt-4o-mini, saved answer",), "Three months."),
    (("own:*, saved answer",), "Ask a lawyer."),
]
RESULT = "0a1b_2026-03-01T10-20-30-400Z_comparison.json"


def read(
    path: Path, text: str = RENT, *, prompt: int = 0, written: str = "", sources: Iterable[AnswerSource] = ()
) -> KnownAnswers:
    """The answers to a prompt of `text`, which is at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    blueprint = parse(text, path).blueprint
    of = blueprint.prompts[prompt]
    with closing(Store()) as store:
        stored = newest_stored(PromptPlace.of(path, of), store)
        return answers_to_read(path, blueprint, of, stored, written=written, sources=sources)


def names(answers: KnownAnswers) -> list[tuple[tuple[str, ...], str]]:
    """The labels and the text of each answer but the ideal."""
    return [(each.labels, each.subject) for each in answers.every if not each.is_ideal]


def put(path: Path, content: str = FIXTURES) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    return path


def result(path: Path, answers: dict[str, str], asked: str = QUESTION, **more: Any) -> Path:
    """A result file at `path` with these answers by model."""
    scores = {model: {"avgCoverageExtent": 0.5, "pointAssessments": [], **more} for model in answers}
    data = {
        "evaluationResults": {"llmCoverageScores": {"rent": scores}},
        "allFinalAssistantResponses": {"rent": answers},
        "promptContexts": {"rent": [{"role": "user", "content": asked}]},
    }
    return put(path, json.dumps(data))


@pytest.mark.parametrize(
    ("blueprint", "file"),
    [
        ("rent.yml", "fixtures.yml"),
        ("rent.yml", "rent.fixtures.yml"),
        ("rent.yml", "rent-answers.yaml"),
        ("rent.yml", "fixtures/rent.yml"),
        ("blueprints/law/rent.yml", "fixtures/rent.yml"),
    ],
)
def test_every_saved_answer_of_the_blueprint_s_fixtures_is_there(tmp_path: Path, blueprint: str, file: str) -> None:
    put(tmp_path / file)
    answers = read(tmp_path / blueprint)
    assert names(answers) == SAVED
    assert {each.file for each in answers.every if not each.is_ideal} == {Path(file).name}


def test_fixtures_may_be_json_on_one_line(tmp_path: Path) -> None:
    put(tmp_path / "rent.json", json.dumps({"version": 1, "responses": {"rent": {"default": "Yes."}}}))
    assert names(read(tmp_path / "rent.yml")) == [(("saved answer",), "Yes.")]


@pytest.mark.parametrize("file", ["rental.yml", "other.fixtures.yml", "fixtures/visit.yml"])
def test_fixtures_of_another_name_are_left_alone_unless_they_are_chosen(tmp_path: Path, file: str) -> None:
    other = put(tmp_path / file)
    assert names(read(tmp_path / "rent.yml")) == []
    assert names(read(tmp_path / "rent.yml", sources=[FixtureSource(other, "own:b")])) == SAVED


def test_a_blueprint_of_a_like_name_is_not_read_as_fixtures(tmp_path: Path) -> None:
    put(tmp_path / "rent-2.yml", RENT)
    answers = read(tmp_path / "rent.yml")
    assert (names(answers), answers.file_problems) == ([], ())


def test_an_answer_that_is_saved_and_was_run_is_one_with_its_model(tmp_path: Path) -> None:
    put(tmp_path / "fixtures.yml", "responses: {rent: {byModel: {'own:a': Yes., 'own:b': Yes.}}}")
    answered(tmp_path / "rent.yml", answers={"own:a": "Yes."})
    assert names(read(tmp_path / "rent.yml")) == [(("a, saved answer", "b, saved answer"), "Yes.")]


def test_a_case_of_a_saved_answer_names_its_model(tmp_path: Path) -> None:
    put(tmp_path / "fixtures.yml")
    models = [each.model for each in read(tmp_path / "rent.yml").every]
    assert models == [None, None, None, "openai:gpt-4o-mini", None]


def test_saved_turns_are_there_if_they_fit_the_conversation(tmp_path: Path) -> None:
    text = "- id: rent\n  messages:\n    - user: Hello\n    - assistant: null\n    - user: And now?\n"
    saved = "responses: {rent: {byModel: {'own:a': {turns: [Hi., Bye.]}, 'own:b': {turns: [Hi.]}}}}"
    put(tmp_path / "fixtures.yml", saved)
    answers = read(tmp_path / "rent.yml", text).every
    assert [(each.labels, each.turns) for each in answers] == [(("a, saved answer",), ("Hi.", "Bye."))]


def test_fixtures_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    put(tmp_path / "fixtures.yml", "responses: []\n")
    assert read(tmp_path / "rent.yml").file_problems == (
        "fixtures.yml: `responses` is missing, or is not a mapping from prompt ids to answers.",
    )


def test_published_answers_beside_the_blueprint_are_there(tmp_path: Path) -> None:
    result(tmp_path / RESULT, {"openai:gpt-4o": "Three months.", "IDEAL_MODEL_ID": "It depends."})
    answers = read(tmp_path / "rent.yml")
    assert names(answers) == [(("gpt-4o, published",), "Three months.")]
    assert answers.every[-1].file == "2026-03-01 10:20"


def test_published_answers_that_the_author_chose_are_there(tmp_path: Path) -> None:
    path = result(tmp_path / "elsewhere" / "result.json", {"openai:gpt-4o": "Three months."})
    answers = read(tmp_path / "rent.yml", sources=[StoredSource(path, "openai:gpt-4o")])
    assert names(answers) == [(("gpt-4o, published",), "Three months.")]


def test_a_result_of_ours_is_not_called_published(tmp_path: Path) -> None:
    result(tmp_path / RESULT, {"openai:gpt-4o": "Yes.", "ideal": "No.", "control:refusal": "Sorry."}, explanation={})
    assert names(read(tmp_path / "rent.yml")) == [(("gpt-4o",), "Yes.")]


def test_published_answers_to_another_question_are_left_out(tmp_path: Path) -> None:
    result(tmp_path / RESULT, {"openai:gpt-4o": "Three months."}, asked="How much notice must a tenant give?")
    assert names(read(tmp_path / "rent.yml")) == []


def test_of_many_results_the_newest_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_answers, "_MOST_RESULTS", 1)
    os.utime(result(tmp_path / "new_comparison.json", {"own:a": "New."}), (2e9, 2e9))
    result(tmp_path / "old_comparison.json", {"own:a": "Old."})
    assert names(read(tmp_path / "rent.yml")) == [(("a, published",), "New.")]


def test_a_result_that_is_too_large_to_read_unasked_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_answers, "_MOST_BYTES", 10)
    result(tmp_path / RESULT, {"own:a": "Yes."})
    assert names(read(tmp_path / "rent.yml")) == []


def test_a_broken_result_is_named(tmp_path: Path) -> None:
    put(tmp_path / RESULT, "{")
    (problem,) = read(tmp_path / "rent.yml").file_problems
    assert problem.startswith(f"{RESULT}: ")


def test_what_the_author_wrote_is_there_before_it_is_run(tmp_path: Path) -> None:
    assert names(read(tmp_path / "rent.yml", written="Mine.")) == [(("your answer",), "Mine.")]


def test_an_answer_that_ends_the_conversation_is_there(tmp_path: Path) -> None:
    text = "- id: rent\n  messages:\n    - user: Hello\n    - assistant: Hi.\n"
    assert names(read(tmp_path / "rent.yml", text)) == [(("written in the prompt",), "Hi.")]
