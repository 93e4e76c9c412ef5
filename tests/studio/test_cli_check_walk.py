"""The files of `studio check`: what is found, left out and named; and their case files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.study.file_places import beside, in_data_folder
from tests.engine.foreign_files import FOREIGN
from tests.studio.command_line import studio
from tests.studio.text_files import text_file
from tests.world import CORPUS, corpus_files, needs_corpus

GOOD = "- id: a\n  prompt: x\n  should: [b]\n"
WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\" # why\n    - c\n"


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder with every foreign file; the hidden ones under a name that a walk sees."""
    for name, text in FOREIGN.items():
        path = tmp_path / "foreign" / name.replace("/.", "/").lstrip(".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "foreign"


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_fixing_a_folder_leaves_every_foreign_file_alone(foreign: Path) -> None:
    (foreign / "blueprint.yml").write_text(WRONG)
    before = contents(foreign)
    result = studio("check", "--fix", foreign)
    changed = [path.name for path, content in contents(foreign).items() if before[path] != content]
    assert (result.exit_code, changed) == (0, ["blueprint.yml"])


@pytest.mark.parametrize("name", ["compose.yml", "tags.yml", "package.json", "fixtures.json", "objects.yml"])
def test_a_foreign_file_that_is_named_is_checked_and_not_fixed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(FOREIGN[name])
    result = studio("check", "--fix", path)
    assert path.read_text() == FOREIGN[name]
    assert f"{path}: Not fixed: this is not a blueprint." in result.stderr


@needs_corpus
def test_no_file_of_the_corpus_is_passed_over() -> None:
    result = studio("check", CORPUS, "--select", "yaml-syntax")
    assert f"of {len(corpus_files())} files" in result.stdout
    assert "no blueprint" not in result.output


# --- Below blueprints/


@pytest.mark.parametrize("name", ["tags.yml", "package.json", "fixtures.json", "compose.yml", "objects.json"])
def test_for_weval_a_file_below_blueprints_that_is_none_is_an_error(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "blueprints"
    folder.mkdir()
    (folder / "a.yml").write_text(GOOD)
    (folder / name).write_text(FOREIGN[name])
    assert studio("check", folder).exit_code == 0
    found = json.loads(studio("check", "--for", "weval", "--format", "json", folder).stdout)
    assert [(one["slug"] in ("not-a-blueprint", "bad-structure"), one["severity"]) for one in found] == [
        (True, "error")
    ]


# --- `studio check` and the case file of a blueprint: its problems, with places in that file, in every form


RUBRIC = text_file("cli-check-walk.yml")
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


def test_cases_in_the_data_folder_are_checked_too(rent: Path) -> None:
    beside(rent).unlink()
    in_data_folder(rent).parent.mkdir(parents=True)
    in_data_folder(rent).write_text(CASES, "utf-8")
    assert [slug for _, slug, _, _ in reports(rent)] == ["case-orphaned"]
