"""`studio test`: cases beside a blueprint, judged on a real server where that is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.study.case_reader import read_cases
from engine.study.file_places import Publication, beside, default_case_path, first_write_text, publication
from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer, verdict

RUBRIC = """\
- id: rent
  prompt: When is the rent due?
  ideal: It is due on the 3rd, by the lease.
  should:
    - $contains: 3rd
    - Names the lease
"""
CASES = """\
version: 1
cases:
  # of the tenancy team
  - {prompt: rent, answer: 'On the 3rd, by the lease.', label: good, score: [80, 100]}
  - {prompt: rent, answer: Soon., label: bad, score: [0, 40], reason: No date, by: Maria}
"""


MIND = {"changed": False}


def says(body: dict[str, Any]) -> str:
    if MIND["changed"]:
        return verdict("CLASS_ABSENT")
    answer = body["messages"][1]["content"].rpartition("<criteria")[0]
    return verdict("CLASS_FULLY_PRESENT" if "by the lease" in answer else "CLASS_ABSENT")


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


@pytest.fixture
def rent(tmp_path: Path, server: ModelServer) -> Path:
    judges = "judges: [{model: 'own:judge', approach: holistic, id: first}]"
    header = f"models: [{server.model('judge')}]\nevaluationConfig: {{llm-coverage: {{{judges}}}}}"
    path = tmp_path / "rent.yml"
    path.write_text(f"{header}\n---\n{RUBRIC}", "utf-8")
    beside(path).write_text(CASES, "utf-8")
    return path


def test_without_judges_open_points_leave_cases_undecided(rent: Path, server: ModelServer) -> None:
    done = studio("test", rent)
    assert done.exit_code == 1
    assert "2 undecided" in done.stdout
    assert server.bodies == []


def test_judges_decide_what_is_open(rent: Path, server: ModelServer) -> None:
    done = studio("test", rent, "--judge", "configured")
    assert (done.exit_code, len(server.bodies)) == (0, 3)
    assert "scores 100.0, within 80–100" in done.stdout
    assert done.stdout.startswith("2 cases: 2 passed.\n\n")


def test_the_recipients_are_shown_before_judges_are_asked(rent: Path, server: ModelServer) -> None:
    done = studio("test", rent, "--judge", "configured", "--dry-run")
    assert "own:judge" in done.output
    assert server.bodies == []


def test_cached_verdicts_count_without_a_request(rent: Path, server: ModelServer) -> None:
    studio("test", rent, "--judge", "configured")
    done = studio("test", rent)
    assert (done.exit_code, len(server.bodies)) == (0, 3)


def test_recorded_verdicts_count_on_another_machine(
    rent: Path, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio("test", rent, "--judge", "configured", "--record")
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(tmp_path / "elsewhere"))
    done = studio("test", rent)
    assert (done.exit_code, len(server.bodies)) == (0, 3)
    assert "  # of the tenancy team\n" in beside(rent).read_text("utf-8")


def test_what_is_written_while_judges_are_asked_stays(rent: Path, httpserver: HTTPServer, tmp_path: Path) -> None:
    def says_and_writes(body: dict[str, Any]) -> str:
        text = beside(rent).read_text("utf-8")
        if "meanwhile" not in text:
            beside(rent).write_text(text.replace("cases:\n", f"cases:\n{ADDED}"), "utf-8")
        return says(body)

    httpserver.clear()
    models = ModelServer(httpserver, says_and_writes).model("judge")
    header, document = rent.read_text("utf-8").split("\n---\n")
    judges = header.partition("\n")[2]
    rent.write_text(f"models: [{models}]\n{judges}\n---\n{document}", "utf-8")
    assert studio("test", rent, "--judge", "configured", "--record").exit_code == 0
    added, *others = read_cases(beside(rent).read_text("utf-8"))[0].cases
    assert (added.reason, added.verdicts) == ("meanwhile", ())
    assert [len(each.verdicts) for each in others] == [1, 1]


ADDED = "  - {prompt: rent, answer: Never., label: bad, reason: meanwhile}\n"


def test_grades_spare_the_request_to_a_judge(rent: Path, server: ModelServer) -> None:
    graded = CASES.replace("by: Maria}", "grades: [{criterion: Names the lease, grade: absent}]}")
    beside(rent).write_text(graded, "utf-8")
    done = studio("test", rent, "--judge", "configured")
    assert (done.exit_code, len(server.bodies)) == (0, 2)


def test_a_case_that_fails_names_who_expects_otherwise(rent: Path) -> None:
    beside(rent).write_text(CASES.replace("answer: Soon.", "answer: 'On the 3rd, by the lease, soon.'"), "utf-8")
    done = studio("test", rent, "--judge", "configured")
    assert done.exit_code == 1
    assert "scores 100.0, not 0–40\n    “No date”, Maria\n" in done.stdout


def test_a_wrong_pair_fails_and_names_the_points(rent: Path) -> None:
    cases = "version: 1\ncases:\n  - {prompt: rent, answer: Soon., label: good}\n"
    beside(rent).write_text(f"{cases}  - {{prompt: rent, answer: On the 3rd., label: bad}}\n", "utf-8")
    done = studio("test", rent, "--judge", "configured")
    assert done.exit_code == 1
    assert "case 2, bad, scores 50.0; case 1, good, only 0.0" in done.stdout
    assert "points that favour the bad answer: $contains: 3rd" in done.stdout


def test_a_case_that_cannot_be_read_is_an_input_error(rent: Path) -> None:
    beside(rent).write_text(f"{CASES}  - {{prompt: rent, answer: 5, label: bad}}\n", "utf-8")
    done = studio("test", rent, "--judge", "configured")
    assert done.exit_code == 2
    assert f"{beside(rent)}:6:20: error[case-unusable]: this must be text. Put it in quotes." in done.stderr
    assert "2 passed" in done.stdout


def test_strict_fails_what_is_undecided(rent: Path) -> None:
    beside(rent).write_text(f"{CASES}  - {{prompt: rent, answer: On the 3rd., score: [50, 100]}}\n", "utf-8")
    studio("test", rent, "--judge", "configured")
    beside(rent).write_text(f"{CASES}  - {{prompt: gone, answer: x, label: bad}}\n", "utf-8")
    assert studio("test", rent).exit_code == 0
    assert studio("test", rent, "--strict").exit_code == 1


NOTHING_DECIDED = """\
version: 1
cases:
  - {prompt: rent, answer: 'On the 3rd, by the lease.', label: good}
  - {prompt: rent, answer: Ask a lawyer., fails: Is friendly}
"""
GRADED = "grades: [{criterion: Names the lease, grade: fully present}]"


def test_pairs_do_not_decide_for_cases_that_are_all_undecided(rent: Path) -> None:
    rent.write_text(RUBRIC.replace("Names the lease", "$contains: lease"), "utf-8")
    beside(rent).write_text(NOTHING_DECIDED, "utf-8")
    done = studio("test", rent)
    assert "ranks 2 of 2 good–bad pairs rightly" in done.stdout
    assert done.stdout.startswith("2 cases: 1 undecided, 1 labelled. None could be decided.\n\n")
    assert done.exit_code == 1


def test_pairs_decide_where_cases_have_labels_alone(rent: Path) -> None:
    good = f"  - {{prompt: rent, answer: On the 3rd., {GRADED}, label: good}}\n"
    beside(rent).write_text(f"version: 1\ncases:\n{good}", "utf-8")
    rent.write_text(RUBRIC.replace("  ideal: It is due on the 3rd, by the lease.\n", ""), "utf-8")
    assert studio("test", rent).exit_code == 1
    with beside(rent).open("a", encoding="utf-8") as file:
        file.write(f"  - {{prompt: rent, answer: Soon., {GRADED}, label: bad}}\n")
    assert studio("test", rent).exit_code == 0


def test_a_blueprint_without_cases_is_an_input_error(rent: Path) -> None:
    beside(rent).unlink()
    done = studio("test", rent)
    assert done.exit_code == 2
    assert f"{rent} has no cases: there is no {beside(rent)}." in done.stderr


def test_a_blueprint_without_cases_is_passed_over_beside_one_that_has_some(rent: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yml"
    other.write_text(RUBRIC, "utf-8")
    studio("test", rent, "--judge", "configured")
    assert studio("test", rent, other).exit_code == 0


def test_json_has_the_outcomes_and_the_pairs(rent: Path) -> None:
    (result,) = json.loads(studio("test", rent, "--judge", "configured", "--format", "json").stdout)
    assert [(each["state"], each["bounds"]) for each in result["cases"]] == [("passed", [1, 1]), ("passed", [0, 0])]
    assert result["counts"] == {"passed": 2, "failed": 0, "undecided": 0, "orphaned": 0, "labelled": 0}
    counts = {"right": 2, "wrong": 0, "tied": 0, "open": 0}
    assert result["pairs"] == {**counts, "openPairs": [], "wrongPairs": [], "wrongTestPairs": []}


# --- Test answers

REFUSED = """\
version: 1
cases:
  - {prompt: rent, answer: 'On the 3rd.', label: good}
  - {prompt: rent, answer: Soon., label: bad}
  - {prompt: rent, answer: 'I would rather not say, but not on the 3rd.', label: bad, test: refusal}
  - {prompt: rent, answer: ' ', label: bad}
"""


@pytest.fixture
def refused(tmp_path: Path) -> Path:
    path = tmp_path / "rent.yml"
    path.write_text("- id: rent\n  prompt: When is the rent due?\n  should:\n    - $contains: 3rd\n", "utf-8")
    beside(path).write_text(REFUSED, "utf-8")
    return path


def test_test_answers_are_listed_beside_the_pairs(refused: Path) -> None:
    done = studio("test", refused)
    assert "  ranks 1 of 1 good–bad pair rightly\n" in done.stdout
    assert "  test answer, in no count: case 3, refusal, bad, scores 100.0\n" in done.stdout
    assert "  test answer, in no count: case 4, empty, bad, scores 0.0\n" in done.stdout
    assert done.exit_code == 0


def test_a_test_answer_that_outranks_a_good_answer_fails(refused: Path) -> None:
    refused.write_text(refused.read_text("utf-8").replace("$contains", "$not_contains"), "utf-8")
    done = studio("test", refused)
    assert "    case 4, a test answer (empty), bad, scores 100.0; case 1, good, only 0.0\n" in done.stdout
    assert done.exit_code == 1


def test_json_names_test_answers_and_their_wrong_pairs(refused: Path) -> None:
    refused.write_text(refused.read_text("utf-8").replace("$contains", "$not_contains"), "utf-8")
    (result,) = json.loads(studio("test", refused, "--format", "json").stdout)
    assert [each["test"] for each in result["cases"]] == [None, None, "refusal", "empty"]
    assert [(each["good"], each["bad"]) for each in result["pairs"]["wrongTestPairs"]] == [(1, 4)]
    assert result["pairs"]["wrong"] == len(result["pairs"]["wrongPairs"]) == 1


# --- Where cases are


def test_cases_below_blueprints_are_in_the_data_folder(tmp_path: Path) -> None:
    path = tmp_path / "blueprints" / "rent.yml"
    path.parent.mkdir()
    path.write_text(RUBRIC, "utf-8")
    place = default_case_path(path)
    assert path.parent not in place.parents
    place.parent.mkdir(parents=True)
    place.write_text("version: 1\ncases: [{prompt: rent, answer: x, fails: 'Function: contains(\"3rd\")'}]", "utf-8")
    assert studio("test", path).exit_code == 0


@pytest.mark.parametrize(
    ("ignored", "expected", "text"),
    [
        ("*.log\n", Publication.PUBLISHED, "is published with the next commit"),
        ("*.cases\n", Publication.IGNORED, "Git ignores it"),
    ],
)
def test_the_first_write_says_whether_git_would_publish_the_file(
    tmp_path: Path, ignored: str, expected: Publication, text: str
) -> None:
    import subprocess

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text(ignored, "utf-8")
    path = beside(tmp_path / "rent.yml")
    assert publication(path) is expected
    assert text in first_write_text(path)


def test_a_folder_outside_repositories_is_none(tmp_path: Path) -> None:
    assert publication(beside(tmp_path / "rent.yml")) is Publication.NO_REPOSITORY


# --- What points are good for

GUARDED = """\
- id: rent
  prompt: When is the rent due?
  ideal: It is due on the 3rd, by the lease.
  should:
    - $contains: 3rd
    - Names the lease
    - - $contains: '3'
    - - $icontains: third
  should_not:
    - Advises to stop paying rent
    - $icontains: lawyer
"""
LABELLED = """\
version: 1
cases:
  - {prompt: rent, answer: 'On the 3rd, by the lease.', label: good}
  - {prompt: rent, answer: Soon., label: bad}
  - prompt: rent
    answer: On the 3rd, but do not pay.
    label: bad
    grades:
      - {criterion: Advises to stop paying rent, grade: fully present}
      - {criterion: Names the lease, grade: fully present}
  - {prompt: rent, answer: '', label: bad}
"""
TABLE = """
  what the points of rent are good for
    catches  fails good  unjudged       point
     2 of 2           –  2 good         any of them
     1 of 2      0 of 2                 $contains: 3rd
     0 of 1           –  1 bad, 2 good  “Names the lease”
     1 of 2      0 of 2                 the best of 2 paths
     1 of 1           –  1 bad, 2 good  not: “Advises to stop paying rent”
     0 of 2      0 of 2                 not: $icontains: lawyer (untested)
    all seen while wording
    test answer, counted nowhere: case 4, empty, bad: failed by $contains: 3rd and the best of 2 paths; 2 not judged
"""


@pytest.fixture
def guarded(tmp_path: Path) -> Path:
    path = tmp_path / "guarded.yml"
    path.write_text(GUARDED, "utf-8")
    beside(path).write_text(LABELLED, "utf-8")
    return path


def test_points_lists_what_each_point_is_good_for(guarded: Path) -> None:
    assert TABLE in studio("test", guarded, "--points").stdout


def test_the_table_is_shown_on_request_only(guarded: Path) -> None:
    assert "what the points" not in studio("test", guarded).stdout


def test_the_table_does_not_change_the_exit_code(guarded: Path) -> None:
    assert studio("test", guarded, "--points").exit_code == studio("test", guarded).exit_code


def test_json_has_the_counts_of_each_point(guarded: Path) -> None:
    (result,) = json.loads(studio("test", guarded, "--format", "json").stdout)
    (rent,) = result["points"]
    catches = [[each["catches"][name] for name in ("count", "of", "unjudged")] for each in rent["units"]]
    assert catches == [[1, 2, 0], [0, 1, 1], [1, 2, 0], [1, 1, 1], [0, 2, 0]]
    assert rent["units"][2]["points"][0] == {
        "text": 'Function: contains("3")',
        "block": "should",
        "pathId": "path_2",
        "untested": False,
    }
    assert rent["any"]["failsGood"] == {"count": 0, "of": 0, "unjudged": 2, "interval": None}
    assert rent["testAnswers"] == [
        {"case": 4, "kind": "empty", "label": "bad", "fails": [True, None, True, None, False]}
    ]


def test_each_prompt_with_cases_has_a_table(guarded: Path) -> None:
    guarded.write_text(f"{GUARDED}- id: other\n  prompt: Why?\n- id: third\n  prompt: How?\n", "utf-8")
    cases = "  - {prompt: other, answer: x, label: bad}\n  - {prompt: gone, answer: x, label: bad}\n"
    beside(guarded).write_text(LABELLED + cases, "utf-8")
    (result,) = json.loads(studio("test", guarded, "--format", "json").stdout)
    assert [each["prompt"] for each in result["points"]] == ["rent", "other"]
    assert "\n  other has no points\n" in studio("test", guarded, "--points").stdout


def test_verdicts_of_judges_count_in_the_table(rent: Path) -> None:
    done = studio("test", rent, "--points", "--judge", "configured")
    assert "     1 of 1      0 of 2            “Names the lease”\n" in done.stdout


def test_hostile_text_of_a_point_is_made_visible(guarded: Path) -> None:
    guarded.write_text(GUARDED.replace("Names the lease", '"Names \\e[31m it"'), "utf-8")
    assert "\x1b" not in studio("test", guarded, "--points").stdout


PAIR = """\
version: 1
cases:
  - {prompt: rent, answer: 'On the 3rd.', label: bad}
"""


def test_an_open_pair_says_why(rent: Path) -> None:
    beside(rent).write_text(PAIR, "utf-8")
    done = studio("test", rent)
    assert "1 open\n    open: the ideal, 50–100, 1 of 2 points judged: “Names the lease” (not judged)\n" in done.stdout
    (data,) = json.loads(studio("test", rent, "--format", "json").stdout)
    why = ["the ideal: “Names the lease” (not judged)", "case 1: “Names the lease” (not judged)"]
    assert data["pairs"]["openPairs"] == [{"prompt": "rent", "good": 0, "bad": 1, "why": why}]


def test_judges_are_asked_about_the_ideal_as_about_each_case(rent: Path, server: ModelServer) -> None:
    beside(rent).write_text(PAIR, "utf-8")
    done = studio("test", rent, "--judge", "configured")
    assert (done.exit_code, len(server.bodies)) == (0, 2)
    assert "ranks 1 of 1 good–bad pair rightly\n" in done.stdout


def test_a_clone_prints_what_was_recorded_of_the_ideal(
    rent: Path, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside(rent).write_text(PAIR, "utf-8")
    here = studio("test", rent, "--judge", "configured", "--record")
    once = beside(rent).read_text("utf-8")
    assert [each.model for each in read_cases(once)[0].ideals["rent"]] == ["own:judge"]
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(tmp_path / "elsewhere"))
    there = studio("test", rent)
    assert (there.stdout, there.exit_code, len(server.bodies)) == (here.stdout, 0, 2)
    studio("test", rent, "--record")
    assert beside(rent).read_text("utf-8") == once
    assert studio("check", rent).exit_code == 0


def test_a_grade_of_the_case_file_counts_for_the_same_answer_elsewhere(rent: Path) -> None:
    graded = "grades: [{criterion: Names the lease, grade: fully present}]"
    case = f"{{prompt: rent, answer: 'It is due on the 3rd, by the lease.', label: good, {graded}}}"
    beside(rent).write_text(f"version: 1\ncases:\n  - {case}\n", "utf-8")
    assert "good  scores 100.0\n" in studio("test", rent).stdout
    assert studio("run", rent, "--ideal", "--no-stored").stdout.startswith("rent · ideal: 100.0\n")
    assert "rent · ideal: 100.0\n" in studio("explain", rent, "--ideal", "--prompt", "rent").stdout


def test_a_recorded_verdict_on_another_ideal_does_not_count(rent: Path, server: ModelServer) -> None:
    beside(rent).write_text(PAIR, "utf-8")
    studio("test", rent, "--judge", "configured", "--record")
    rent.write_text(rent.read_text("utf-8").replace("ideal: It is due", "ideal: The rent is due"), "utf-8")
    assert "open: the ideal, 50–100" in studio("test", rent, "--no-stored").stdout


@pytest.fixture
def clone(rent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The blueprint and its recorded verdicts, all full, where nothing is stored; its judge changed its mind."""
    beside(rent).write_text(PAIR, "utf-8")
    studio("test", rent, "--judge", "configured", "--record")
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(tmp_path / "elsewhere"))
    return rent


@pytest.fixture
def mind(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def change() -> None:
        monkeypatch.setitem(MIND, "changed", True)

    return change


def scores(path: Path) -> set[str]:
    """What each face says of the ideal."""
    run = studio("run", path, "--ideal").stdout.splitlines()[0]
    explained = studio("explain", path, "--ideal", "--prompt", "rent").stdout.splitlines()[0]
    return {run, explained}


def test_what_is_recorded_is_not_asked_again(clone: Path, server: ModelServer, mind: Callable[[], None]) -> None:
    mind()
    server.bodies.clear()
    planned = studio("run", clone, "--ideal", "--judge", "configured", "--dry-run")
    assert "The only verdict is cached and not asked for" in planned.output
    assert studio("run", clone, "--ideal", "--judge", "configured").stdout.startswith("rent · ideal: 100.0\n")
    assert server.bodies == []


def test_the_newest_verdict_counts_on_every_face(clone: Path, mind: Callable[[], None]) -> None:
    mind()
    again = studio("run", clone, "--ideal", "--judge", "configured", "--judge-again")
    assert again.stdout.startswith("rent · ideal: 50.0\n")
    assert scores(clone) == {"rent · ideal: 50.0"}
    (data,) = json.loads(studio("test", clone, "--format", "json").stdout)
    assert (data["cases"][0]["bounds"], data["pairs"]["tied"]) == ([0.5, 0.5], 1)


def test_judges_that_are_asked_again_replace_what_is_recorded(
    clone: Path, server: ModelServer, mind: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind()
    once = beside(clone).read_text("utf-8")
    studio("test", clone, "--judge", "configured", "--record")
    assert beside(clone).read_text("utf-8") == once
    server.bodies.clear()
    studio("test", clone, "--judge", "configured", "--judge-again", "--record")
    assert len(server.bodies) == 2
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(tmp_path / "third"))
    assert scores(clone) == {"rent · ideal: 50.0"}


def test_judges_that_are_off_are_not_asked_again(rent: Path) -> None:
    done = studio("test", rent, "--judge-again")
    assert (done.exit_code, "--judge-again goes with --judge configured." in done.output) == (2, True)
