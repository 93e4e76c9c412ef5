"""`studio check` and the case file of a blueprint: its problems, with places in that file, in every form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.study.file_places import beside, in_data_folder
from tests.studio.command_line import studio

RUBRIC = """\
- id: rent
  prompt: When is the rent due?
  ideal: It is due on the 3rd.
  should:
    - $contains: 3rd
    - Names the lease
"""
CASES = """\
version: 1
cases:
  - {prompt: rent, answer: 'On the 3rd, by the lease.', label: good}
  - {prompt: gone, answer: Soon., label: bad}
"""


@pytest.fixture
def rent(tmp_path: Path) -> Path:
    path = tmp_path / "rent.yml"
    path.write_text(RUBRIC, "utf-8")
    beside(path).write_text(CASES, "utf-8")
    return path


def reports(path: Path, *options: str) -> list[tuple[str, str, int, int]]:
    """File name, slug, line and column of each report."""
    done = json.loads(studio("check", path, "--format", "json", *options).stdout)
    return [(Path(each["file"]).name, each["slug"], each["line"], each["column"]) for each in done]


PROBLEMS = {
    "case-unreadable": ("cases: [1, }\n", 1),
    "case-unusable": ("version: 1\ncases:\n  - {prompt: rent, answer: a, label: fine}\n", 3),
    "case-orphaned": (CASES, 4),
    "case-uncounted": ("version: 1\ncases:\n  - {prompt: rent, answer: a, fails: Names the tenant}\n", 3),
    "case-misquoted": ("version: 1\ncases:\n  - {prompt: rent, answer: a, label: bad, quote: b}\n", 3),
    "case-repeated": (f"{CASES.replace('gone', 'rent')}  - {{prompt: rent, answer: Soon., label: bad}}\n", 5),
}


@pytest.mark.parametrize("slug", PROBLEMS)
def test_a_problem_is_reported_at_its_place_in_the_case_file(rent: Path, slug: str) -> None:
    text, line = PROBLEMS[slug]
    beside(rent).write_text(text, "utf-8")
    found = [(file, line) for file, name, line, _ in reports(rent) if name == slug]
    assert ("rent.yml.cases", line) in found


def test_a_case_file_without_problems_is_silent(rent: Path) -> None:
    beside(rent).write_text(CASES.replace("gone", "rent"), "utf-8")
    assert reports(rent) == []


def test_cases_in_the_data_folder_are_checked_too(rent: Path) -> None:
    beside(rent).unlink()
    in_data_folder(rent).parent.mkdir(parents=True)
    in_data_folder(rent).write_text(CASES, "utf-8")
    assert [slug for _, slug, _, _ in reports(rent)] == ["case-orphaned"]


def test_the_text_shows_the_line_of_the_case_file(rent: Path) -> None:
    done = studio("check", rent)
    assert "rent.yml.cases:4:14: warning case-orphaned: there is no prompt `gone` in the blueprint" in done.stdout
    assert "- {prompt: gone, answer: Soon., label: bad}" in done.stdout


def test_github_annotates_the_case_file(rent: Path) -> None:
    done = studio("check", rent, "--format", "github")
    assert "rent.yml.cases,line=4,col=14" in done.stdout
    assert "title=case-orphaned (C003)" in done.stdout


def test_sarif_lists_the_kinds_of_problems(rent: Path) -> None:
    run = json.loads(studio("check", rent, "--format", "sarif").stdout)["runs"][0]
    result = run["results"][0]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], rule["name"], result["level"]) == ("C003", "case-orphaned", "warning")
    region = result["locations"][0]["physicalLocation"]
    assert (region["artifactLocation"]["uri"].endswith("rent.yml.cases"), region["region"]["startLine"]) == (True, 4)


@pytest.mark.parametrize(("level", "code"), [("error", 0), ("warning", 1)])
def test_the_exit_code_counts_them_at_their_level(rent: Path, level: str, code: int) -> None:
    assert studio("check", rent, "--fail-on", level).exit_code == code


def test_a_case_file_that_cannot_be_read_is_unusable(rent: Path) -> None:
    beside(rent).write_bytes(b"\xff\xfe")
    done = studio("check", rent)
    assert (done.exit_code, "rent.yml.cases: It is not UTF-8 text." in done.stderr) == (2, True)


def test_a_prompt_that_a_yaml_error_hides_orphans_no_case(rent: Path) -> None:
    rent.write_text(RUBRIC.replace("- id: rent", "- id: 'rent"), "utf-8")
    assert "case-orphaned" not in [slug for _, slug, _, _ in reports(rent)]


def test_a_fix_that_rewords_a_point_is_seen_by_its_cases(rent: Path) -> None:
    rent.write_text(RUBRIC.replace("$contains: 3rd", "\"$contains: '3rd'\""), "utf-8")
    fails = "version: 1\ncases:\n  - {prompt: rent, answer: a, fails: 'Function: contains(\"3rd\")'}\n"
    beside(rent).write_text(fails, "utf-8")
    assert [slug for _, slug, _, _ in reports(rent)] == ["quoted-function", "case-uncounted"]
    assert reports(rent, "--fix") == []


def test_a_baseline_knows_problems_of_cases(rent: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    studio("check", rent, "--baseline", known, "--write-baseline")
    assert reports(rent, "--baseline", str(known)) == []
    beside(rent).write_text(CASES.replace("gone", "lost"), "utf-8")
    assert [slug for _, slug, _, _ in reports(rent, "--baseline", str(known))] == ["case-orphaned"]


def test_with_chosen_rules_only_these_are_reported(rent: Path) -> None:
    assert reports(rent, "--select", "quoted-function") == []
