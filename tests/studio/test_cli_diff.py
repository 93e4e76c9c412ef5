"""`studio diff`: what changed in meaning between two files, and which known scores move by it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint.conversation import conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, WrittenSource
from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, RunState, Store
from tests.studio.command_line import studio
from tests.studio.test_cli_run_judged import BLUEPRINT, Bench, bench, capitals, judge
from tests.studio.text_files import text_file

__all__ = ["bench", "capitals"]

OLD = text_file("cli-diff-old.yml")
NEW = OLD.replace("    - $contains: 3rd\n", '    - $contains: "third"\n').partition("- id: gone")[0]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old.yml", tmp_path / "rent.yml"
    old.write_text(OLD, "utf-8")
    new.write_text(NEW, "utf-8")
    return old, new


def as_json(*arguments: object) -> Any:
    done = studio("diff", *arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_grades_of_stored_answers_count(files: tuple[Path, Path]) -> None:
    files[0].write_text(OLD.replace("$contains: lease", "Names the lease"), "utf-8")
    files[1].write_text(NEW.replace("$contains: lease", "Names the lease"), "utf-8")
    store_answer(files[1], "On the 3rd, by the lease.", graded="Names the lease")
    [stored] = as_json(*files)["prompts"][0]["storedAnswers"]
    assert (stored["before"], stored["after"]) == ([1, 1], [0.5, 0.5])


def store_answer(path: Path, answer: str, graded: str | None = None) -> None:
    parsed = parse(path.read_text("utf-8"), path)
    prompt = parsed.blueprint.prompts[0]
    place, candidate = PromptPlace.of(path, prompt), Candidate(WrittenSource(answer))
    response = Response(answer, conversation(prompt, parsed.blueprint.header).answered([answer]))
    store = Store()
    number = store.begin_run(place, candidate, "")
    store.save_run_answer(number, place, candidate, response)
    store.end_run(number, RunState.SCORED)
    if graded is not None:
        criterion = next(Criterion(rubric.block, graded) for rubric in prompt.rubrics)
        store.grade(place, answer, criterion, Grade.FULLY_PRESENT)
    store.close()


def test_a_database_that_cannot_be_read_is_reported_once(files: tuple[Path, Path]) -> None:
    for each in files:
        each.write_text(each.read_text("utf-8").replace("$contains: lease", "Names the lease"), "utf-8")
    Store().close()
    with sqlite3.connect(data_dir() / "studio.sqlite3") as connection:
        connection.execute("PRAGMA user_version = 9999")
    done = studio("diff", *files)
    assert (done.exit_code, done.stderr.count("Stored answers and verdicts cannot be read")) == (0, 1)
    assert "the ideal scores 50–100 → 0–50" in done.stdout


def test_each_version_has_the_score_that_run_gives_it(capitals: Path, bench: Bench) -> None:
    judge(capitals)
    old, new = capitals, capitals.with_name("new.yml")
    old.write_text(BLUEPRINT.replace("Names the river", "Names the stream"), "utf-8")
    new.write_text(old.read_text("utf-8").replace("Paris\n    - N", "Paris\n      weight: 2\n    - N"), "utf-8")
    before, after = (studio("run", each, "--ideal").stdout.splitlines()[0] for each in (old, new))
    assert [each.split(", ")[0] for each in (before, after)] == ["france · ideal: 50–75", "france · ideal: 50–90"]
    assert before.endswith("2 verdicts before this edit")
    assert "  the ideal scores 50–75 (2 verdicts before this edit) → 50–90\n" in studio("diff", old, new).stdout


def test_a_score_that_becomes_open_within_the_same_bounds_moves(capitals: Path, bench: Bench) -> None:
    capitals.write_text(BLUEPRINT.partition("    - Names the country")[0], "utf-8")
    bench.says["strict-1"] = bench.says["kind-1"] = 500
    judge(capitals)
    new = capitals.with_name("new.yml")
    new.write_text(capitals.read_text("utf-8").replace("Names the river", "Names the stream"), "utf-8")
    moved = "the ideal scores 100.0, between 50 and 100 (no judge could judge 1 criterion) → 50–100\n"
    assert moved in studio("diff", capitals, new).stdout


def test_a_score_as_on_weval_says_so(capitals: Path, bench: Bench) -> None:
    judge(capitals, "--judges-as", "weval")
    new = capitals.with_name("new.yml")
    new.write_text(BLUEPRINT.replace("- $contains: Paris", "- {$contains: Paris, weight: 2}"), "utf-8")
    moved = "the ideal scores 75.0 (judged as on Weval) → 80.0 (judged as on Weval)\n"
    assert moved in studio("diff", capitals, new, "--judges-as", "weval").stdout
