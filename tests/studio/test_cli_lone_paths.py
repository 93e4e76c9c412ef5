"""Lone paths and labelled answers: checks alone decide for `studio check`, verdicts too for `studio review`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.study.file_places import beside
from tests.studio.command_line import studio

CHECKS = "- id: p\n  prompt: Which?\n  should:\n    - - $contains: Lagos\n    - - $contains: Cairo\n"
WORDS = "- id: p\n  prompt: Which?\n  should:\n    - - Names Lagos\n    - - Names Cairo\n"
GOOD = "version: 1\ncases:\n  - prompt: p\n    answer: Lagos and Cairo.\n    label: good\n"
GRADES = (
    "    grades: [{criterion: Names Lagos, grade: fully present}, {criterion: Names Cairo, grade: majorly present}]\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "p.yml"
    beside(path).write_text(GOOD, "utf-8")
    return path


def levels(command: str, path: Path, *options: str) -> list[str]:
    done = studio(command, path, "--format", "json", *options)
    assert "Traceback" not in done.stderr
    page: Any = json.loads(done.stdout)
    found = page if command == "check" else page[0]["pitfalls"]
    return [each["severity"] for each in found if each["slug"] == "single-element-path"]


@pytest.mark.parametrize("command", ["check", "review"])
def test_checks_on_a_good_answer_are_evidence(file: Path, command: str) -> None:
    file.write_text(CHECKS, "utf-8")
    assert levels(command, file) == ["warning"]
    beside(file).unlink()
    assert levels(command, file) == ["hint"]


def test_they_are_it_while_fixing_too(file: Path) -> None:
    file.write_text(CHECKS, "utf-8")
    assert levels("check", file, "--fix") == ["warning"]


def test_verdicts_are_evidence_for_a_review_alone(file: Path) -> None:
    file.write_text(WORDS, "utf-8")
    beside(file).write_text(GOOD + GRADES, "utf-8")
    assert levels("check", file) == ["hint"]
    assert levels("review", file) == ["warning"]
