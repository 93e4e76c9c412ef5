"""`studio test`: cases beside a blueprint, judged on a real server where that is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.study.case_reader import read_cases
from engine.study.file_places import Publication, beside, default_case_path, first_write_text, publication
from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer, verdict
from tests.studio.text_files import text_file

RUBRIC = text_file("cli-test.yml")
CASES = text_file("cli-test.yml.cases")


def says(body: dict[str, Any]) -> str:
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
