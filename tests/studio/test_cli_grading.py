"""`studio grading`: the rate of agreement, and a sheet that goes out and comes back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.scoring.assessment import Grade
from engine.store import HUMAN, PromptPlace, Store
from engine.store.grades import BlindGrade, blueprint_key
from engine.study.judged_pairs import COLUMNS
from studio.tui.action import Place
from studio.tui.actions import at
from tests.engine.judged import save_answer
from tests.session.test_judged_runs import blueprint as judged_blueprint
from tests.session.test_judged_runs import says
from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file

TEXT = text_file("cli-grading.yml")

KEYS = {action.id: action.keys for action in at(Place.CRITERION)}


@pytest.fixture
def rent(tmp_path: Path) -> Path:
    """A file with three judged answers; the judges pass each on the first criterion alone."""
    path = tmp_path / "rent.yml"
    path.write_text(TEXT, "utf-8")
    blueprint = parse(TEXT, path).blueprint
    store = Store(data_dir() / "studio.sqlite3")
    for number in range(3):
        answer = f"=Answer {number}."
        save_answer(store, blueprint, blueprint.prompts[0], answer, [[1.0], [0.0]], f"own:m{number}", file=path)
    store.close()
    return path


def grading(path: Path, *options: object) -> dict[str, Any]:
    result = studio("grading", path, "--format", "json", *options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def rows_of(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def graded(path: Path, sheet: Path, *grades: str) -> Path:
    """The sheet as a colleague sends it back, with these grades from its first row on."""
    assert studio("grading", path, "--sheet", sheet, "--seed", 1).exit_code == 0
    rows = rows_of(sheet)
    header = rows.index(list(COLUMNS))
    for row, grade in zip(rows[header + 1 :], grades, strict=False):
        row[4] = grade
    back = sheet.with_name("back.csv")
    with back.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    return back


def test_a_sheet_has_the_sample_without_verdicts_and_models(rent: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    result = studio("grading", rent, "--sheet", sheet)
    assert result.exit_code == 0
    assert "6 rows with conversations, answers and criteria, without verdicts" in result.stderr
    rows = rows_of(sheet)
    answers = sorted(row[2] for row in rows[rows.index(list(COLUMNS)) + 1 :])
    assert answers == sorted(2 * [f"'=Answer {number}." for number in range(3)])
    assert [text for text in ("own:", "strict", "m0") if text in sheet.read_text("utf-8-sig")] == []


def test_before_anybody_graded_the_key_that_grades_blind_is_named(rent: Path) -> None:
    assert f"grade in the studio ({KEYS['grade_blind']} in all answers)" in studio("grading", rent).stdout


def test_a_sheet_is_never_written_over(rent: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("grades", "utf-8")
    result = studio("grading", rent, "--sheet", sheet)
    assert (result.exit_code, sheet.read_text("utf-8")) == (2, "grades")
    assert "exists, and may hold grades" in result.stderr


def test_grades_come_back_under_a_name(rent: Path, tmp_path: Path) -> None:
    back = graded(rent, tmp_path / "sheet.csv", "5", "5", "1", "1", "", "3")
    result = studio("grading", rent, "--read", back, "--by", "Maria  Ruiz")
    assert (result.exit_code, result.stderr) == (0, "Read 5 grades by Maria Ruiz, and 1 row without a grade.\n")
    (grader,) = grading(rent)["graders"]
    assert (grader["name"], grader["graded"], grader["skipped"], grader["waiting"]) == ("Maria Ruiz", 5, 1, 0)


def test_grades_of_a_colleague_do_not_count_in_scores(rent: Path, tmp_path: Path) -> None:
    studio("grading", rent, "--read", graded(rent, tmp_path / "sheet.csv", "5", "5", "5"), "--by", "Maria")
    store = Store(data_dir() / "studio.sqlite3")
    place = PromptPlace.of(rent, parse(TEXT, rent).blueprint.prompts[0])
    found = [store.grades(place, f"=Answer {number}.") for number in range(3)]
    store.close()
    assert found == [{}, {}, {}]


def test_the_rate_is_in_words_with_the_disagreements(rent: Path, tmp_path: Path) -> None:
    back = graded(rent, tmp_path / "sheet.csv", "1", "1", "1", "1", "1", "1")
    result = studio("grading", rent, "--read", back, "--by", "Maria", "--reveal")
    assert result.stdout.splitlines()[:7] == [
        f"{rent}: a sample of 6 of 6 judged pairs, seed 1",
        "",
        "Maria",
        "  The judges agree with Maria on 3 of 6 pairs (50%).",
        "  The pairs are of 3 answers; verdicts on one answer are alike.",
        "  A judge that calls every criterion met would agree on 0 (0%).",
        "  3 false passes: the judges pass what Maria fails. 0 false failures: the judges fail what Maria passes.",
    ]
    assert result.stdout.count("false pass: rent: Names the day\n      graded absent, judged 100.0\n") == 3


def test_verdicts_that_the_author_has_yet_to_grade_stay_hidden(rent: Path, tmp_path: Path) -> None:
    back = graded(rent, tmp_path / "sheet.csv", "1", "1", "1", "1", "1", "1")
    result = studio("grading", rent, "--read", back, "--by", "Maria")
    assert "judged 100.0" not in result.stdout
    assert "The verdicts on 3 pairs that you have not graded are hidden; --reveal shows them." in result.stdout
    assert grading(rent)["graders"][0]["disagreements"] == []
    assert len(grading(rent, "--reveal")["graders"][0]["disagreements"]) == 3


def test_what_the_author_has_graded_is_shown(rent: Path, tmp_path: Path) -> None:
    back = graded(rent, tmp_path / "sheet.csv", "1", "1", "1", "1", "1", "1")
    studio("grading", rent, "--read", back, "--by", "Maria")
    store = Store(data_dir() / "studio.sqlite3")
    pairs = store.sampled_pairs(blueprint_key(rent))
    store.save_blind_grades(blueprint_key(rent), HUMAN, {pair: BlindGrade(Grade.FULLY_PRESENT) for pair in pairs})
    store.close()
    kinds = {
        each["name"]: [(found["kind"], found["criterion"]) for found in each["disagreements"]]
        for each in grading(rent)["graders"]
    }
    assert kinds == {
        "Maria": 3 * [("false-pass", "Names the day")],
        HUMAN: 3 * [("false-failure", "Names the lease")],
    }


def test_an_empty_row_does_not_take_a_grade_back(rent: Path, tmp_path: Path) -> None:
    back = graded(rent, tmp_path / "sheet.csv", "1", "2", "3")
    studio("grading", rent, "--read", back, "--by", "Maria")
    again = graded(rent, tmp_path / "second.csv", "", "", "", "5", "5", "5")
    studio("grading", rent, "--read", again, "--by", "Maria")
    (grader,) = grading(rent)["graders"]
    assert (grader["graded"], grader["skipped"]) == (6, 0)


def test_rows_that_cannot_be_used_are_named_and_the_others_read(rent: Path, tmp_path: Path) -> None:
    back = graded(rent, tmp_path / "sheet.csv", "5", "nine", "1")
    result = studio("grading", rent, "--read", back, "--by", "Maria")
    assert result.exit_code == 1
    assert "row 9: 'nine' is no grade: write a number from 1 to 5." in result.stderr
    assert "Read 2 grades by Maria, and 3 rows without a grade." in result.stderr


def test_a_seed_draws_the_same_sample_again(rent: Path) -> None:
    first = grading(rent, "--seed", 7, "--size", 2)["sample"]
    assert (first["size"], first["drawnFrom"], first["seed"]) == (2, 6, 7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--read", "rent.yml", "--by", "human"], "is the name of your own grades"),
        (["--read", "missing.csv", "--by", "Maria"], "There is no file missing.csv."),
        (["--read", "rent.yml", "--by", "Maria"], "No row names the columns key and grade"),
        (["--sheet", "nowhere/sheet.csv"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_refused(
    options: list[str], message: str, rent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rent.parent)
    result = studio("grading", rent, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_without_verdicts_there_is_nothing_to_compare(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(TEXT, "utf-8")
    result = studio("grading", path)
    assert result.exit_code == 2
    assert "run prompts of" in result.stderr


def test_verdicts_of_a_real_run_can_be_graded(tmp_path: Path, httpserver: HTTPServer) -> None:
    path = tmp_path / "x.yml"
    path.write_text(judged_blueprint(ModelServer(httpserver, says)), "utf-8")
    assert studio("run", path, "--ideal", "--judge", "configured").exit_code == 0
    assert grading(path)["judgedPairs"] == 2
