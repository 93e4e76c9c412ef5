"""`studio diff`: what changed in meaning between two files, and which known scores move by it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.blueprint.conversation import conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, WrittenSource
from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, RunState, Store
from engine.study.file_places import beside
from studio.cli import main
from tests.studio.command_line import studio
from tests.studio.test_cli_run_judged import BLUEPRINT, Bench, bench, capitals, judge, verdict

__all__ = ["bench", "capitals"]

OLD = """\
title: Rent
---
# of the tenancy team
- id: rent
  prompt: When is the rent due?
  ideal: It is due on the 3rd, by the lease.
  should:
    - $contains: 3rd
    - $contains: lease
- id: gone
  prompt: Who is the mayor?
  should: [Names her]
"""
NEW = OLD.replace("    - $contains: 3rd\n", '    - $contains: "third"\n').partition("- id: gone")[0]
CASES = """\
version: 1
cases:
  - {prompt: rent, answer: 'On the 3rd, by the lease.', label: good, score: [80, 100]}
  - {prompt: rent, answer: 'By the lease.', label: bad, score: [0, 60]}
"""


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


def test_the_changes_are_one_block_for_each_prompt(files: tuple[Path, Path]) -> None:
    done = studio("diff", *files)
    assert done.exit_code == 0
    assert done.stdout == (
        f"{files[0]} → {files[1]}\n"
        "prompts: 1 changed, 1 removed\n"
        "the blueprint's score with its ideals: 100.0 → 50.0\n\n"
        "rent (line 4)\n"
        "  check changed: $contains: 3rd (50% of the score)\n"
        "    now $contains: third\n"
        "  the ideal scores 100.0 → 50.0\n\n"
        "gone (line 10 of the old file)\n"
        "  removed, with 1 point: it was 50% of the blueprint's score\n"
        "  the results of `gone` on Weval are not continued\n"
    )


TWO = """\
- id: a
  prompt: When?
  ideal: On the 3rd
  weight: 10
  should: [$contains: 3rd, $contains: lease]
- id: b
  prompt: Who?
  ideal: Nobody
  weight: 1
  should: [$contains: Nobody]
"""


def test_the_score_of_the_blueprint_moves_with_the_weight_of_a_prompt(files: tuple[Path, Path]) -> None:
    files[0].write_text(TWO, "utf-8")
    files[1].write_text(TWO.replace("weight: 10", "weight: 9.9"), "utf-8")
    assert studio("diff", *files).stdout.splitlines()[2] == "the blueprint's score with its ideals: 54.5 → 54.6"
    found = as_json(*files)
    assert found["score"] == {"before": [pytest.approx(6 / 11)] * 2, "after": [pytest.approx(5.95 / 10.9)] * 2}
    assert found["prompts"][0]["ideal"] is None


def test_a_score_that_moves_by_less_than_is_printed_says_so(files: tuple[Path, Path]) -> None:
    files[0].write_text(TWO, "utf-8")
    heavy = "should: [{point: a 3rd, fn: contains, fnArgs: 3rd, weight: 1.001}, $contains: lease]"
    files[1].write_text(TWO.replace("should: [$contains: 3rd, $contains: lease]", heavy), "utf-8")
    assert "  the ideal scores 50.0 → 50.0, less than 0.1 apart\n" in studio("diff", *files).stdout
    assert as_json(*files)["score"] is None


def test_a_score_that_moves_with_the_judges_has_a_block_of_its_own(capitals: Path, bench: Bench) -> None:
    bench.says["kind-1"] = verdict("ABSENT")
    judge(capitals)
    old = capitals.with_name("old.yml")
    old.write_text(BLUEPRINT, "utf-8")
    without = BLUEPRINT.partition("      - id: kind")
    capitals.write_text(f"{without[0]}---{without[2].partition('---')[2]}", "utf-8")
    done = studio("diff", old, capitals)
    assert done.stdout.splitlines()[1:-2] == [
        "the header changed",
        "the blueprint's score with its ideals: 63.0 → 75.0",
        "",
        "header",
        "  judges: removed openai:kind-1 (holistic) (the same answers can score differently)",
        "",
        "france (line 10)",
        "  the ideal scores 62.5 → 75.0",
    ]
    assert "Weval's content hash is the same for both" in done.stdout
    (prompt,) = as_json(old, capitals)["prompts"]
    assert (prompt["ideal"], prompt["fields"], prompt["points"]) == (
        {"before": [0.625, 0.625], "after": [0.75, 0.75], "carriedOver": 0},
        [],
        [],
    )


def test_equal_files_have_no_change(files: tuple[Path, Path]) -> None:
    done = studio("diff", files[0], files[0])
    assert (done.exit_code, done.stdout.splitlines()[1]) == (0, "No change in meaning.")


def test_quotes_comments_and_the_order_of_keys_change_nothing(files: tuple[Path, Path]) -> None:
    again = "".join(OLD.partition("- id: rent\n  prompt: When is the rent due?\n")[::2])
    moved = '- prompt: "When is the rent due?"  # a comment\n  id: rent\n'
    files[1].write_text(again.replace("  ideal:", f"{moved}  ideal:", 1), "utf-8")
    assert studio("diff", *files).stdout.endswith("\nNo change in meaning.\n")


def test_cases_that_come_out_differently_are_listed(files: tuple[Path, Path]) -> None:
    beside(files[1]).write_text(CASES, "utf-8")
    done = studio("diff", *files)
    assert "  case 1  rent  passed → failed: scored 100.0; now scores 50.0, not 80–100\n" in done.stdout
    assert "case 2" not in done.stdout


def test_the_ranking_of_good_and_bad_answers_is_compared(files: tuple[Path, Path]) -> None:
    beside(files[1]).write_text(CASES, "utf-8")
    pairs = as_json(*files)["cases"]["pairs"]
    assert (pairs["before"]["right"], pairs["after"]["tied"]) == (2, 2)


def test_a_case_follows_its_prompt_to_another_id(files: tuple[Path, Path]) -> None:
    files[1].write_text(OLD.replace("id: rent", "id: due"), "utf-8")
    beside(files[1]).write_text(CASES.replace("prompt: rent", "prompt: due"), "utf-8")
    found = as_json(*files)
    assert found["cases"]["changed"] == []


def test_a_case_of_the_old_id_is_orphaned(files: tuple[Path, Path]) -> None:
    files[1].write_text(OLD.replace("id: rent", "id: due"), "utf-8")
    beside(files[1]).write_text(CASES, "utf-8")
    states = {(each["before"]["state"], each["after"]["state"]) for each in as_json(*files)["cases"]["changed"]}
    assert states == {("passed", "orphaned")}


def test_stored_answers_that_score_differently_are_listed(files: tuple[Path, Path]) -> None:
    store_answer(files[1], "On the 3rd, by the lease.")
    [stored] = as_json(*files)["prompts"][0]["storedAnswers"]
    assert stored == {"answer": "your answer", "before": [1, 1], "after": [0.5, 0.5], "carriedOver": 0}


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


@pytest.mark.parametrize("place", [0, 1])
def test_one_version_can_be_standard_input(files: tuple[Path, Path], place: int) -> None:
    arguments = [str(each) for each in files]
    arguments[place] = "-"
    done = CliRunner().invoke(main, ["diff", *arguments], input=files[place].read_text("utf-8"))
    assert (done.exit_code, done.stdout.splitlines()[1]) == (0, "prompts: 1 changed, 1 removed")
    assert "standard input" in done.stdout.splitlines()[0]


@pytest.mark.parametrize("arguments", [("-", "-"), ("missing.yml", "missing.yml"), ("one.yml",)])
def test_what_cannot_be_compared_is_a_usage_or_input_error(arguments: tuple[str, ...]) -> None:
    assert studio("diff", *arguments).exit_code == 2


def test_an_empty_standard_input_is_an_input_error(files: tuple[Path, Path]) -> None:
    done = CliRunner().invoke(main, ["diff", "-", str(files[1])], input="")
    assert (done.exit_code, "Standard input is empty" in done.stderr) == (2, True)


def test_a_part_that_cannot_be_read_is_named(files: tuple[Path, Path]) -> None:
    files[1].write_text(OLD.replace("[Names her]", "[Names her"), "utf-8")
    done = studio("diff", *files)
    assert f"A part of {files[1]} cannot be read" in done.stdout
    assert as_json(*files)["new"]["readable"] is False


def test_weval_cannot_tell_versions_apart_that_differ_in_messages_alone(files: tuple[Path, Path]) -> None:
    files[0].write_text("models: [CORE]\n---\n- {id: a, prompt: When?, should: [Names it]}\n", "utf-8")
    files[1].write_text("models: [CORE]\n---\n- {id: a, prompt: Where?, should: [Names it]}\n", "utf-8")
    assert "Weval cannot tell the two versions apart" in studio("diff", *files).stdout
    found = as_json(*files)
    assert found["old"]["contentHash"] == found["new"]["contentHash"] is not None


def test_another_path_below_blueprints_is_another_blueprint(tmp_path: Path) -> None:
    old, new = tmp_path / "blueprints" / "a.yml", tmp_path / "blueprints" / "b" / "a.yml"
    new.parent.mkdir(parents=True)
    old.write_text(OLD, "utf-8")
    new.write_text(OLD, "utf-8")
    assert "comes from its path: `a` → `b__a`" in studio("diff", old, new).stdout


def test_values_that_json_lacks_are_written_as_weval_writes_them(files: tuple[Path, Path]) -> None:
    dated = OLD.replace("title: Rent", "title: Rent\ncontext: {when: 2024-01-01, most: .inf}")
    files[1].write_text(dated, "utf-8")
    [change] = as_json(*files)["header"]
    assert change["after"] == {"when": "2024-01-01T00:00:00.000Z", "most": None}


def test_a_database_that_cannot_be_read_is_reported_once(files: tuple[Path, Path]) -> None:
    for each in files:
        each.write_text(each.read_text("utf-8").replace("$contains: lease", "Names the lease"), "utf-8")
    Store().close()
    with sqlite3.connect(data_dir() / "studio.sqlite3") as connection:
        connection.execute("PRAGMA user_version = 9999")
    done = studio("diff", *files)
    assert (done.exit_code, done.stderr.count("Stored answers and verdicts cannot be read")) == (0, 1)
    assert "the ideal scores 50–100 → 0–50" in done.stdout


def test_hostile_texts_are_shown_and_not_obeyed(files: tuple[Path, Path]) -> None:
    files[1].write_text(OLD.replace("id: rent", 'id: "re\\e[31m\\nnt\\u202e"'), "utf-8")
    done = studio("diff", *files)
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "\nnt" not in done.stdout


def test_json_has_shares_and_lines(files: tuple[Path, Path]) -> None:
    [point] = as_json(*files)["prompts"][0]["points"]
    assert point["kinds"] == ["check-changed"]
    assert point["before"] == {
        "text": 'Function: contains("3rd")',
        "block": "should",
        "path": None,
        "weight": 1,
        "citation": None,
        "share": 0.5,
        "line": 8,
    }


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
    moved = "the ideal scores 100.0, between 50 and 100 (no judge could judge 1 point) → 50–100\n"
    assert moved in studio("diff", capitals, new).stdout


def test_a_score_as_on_weval_says_so(capitals: Path, bench: Bench) -> None:
    judge(capitals, "--judges-as", "weval")
    new = capitals.with_name("new.yml")
    new.write_text(BLUEPRINT.replace("- $contains: Paris", "- {$contains: Paris, weight: 2}"), "utf-8")
    moved = "the ideal scores 75.0 (judged as on Weval) → 80.0 (judged as on Weval)\n"
    assert moved in studio("diff", capitals, new, "--judges-as", "weval").stdout
