"""Which files `studio check` takes for blueprints, what it does with the others, and with paths that hold nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engine.foreign_files import FOREIGN
from tests.studio.command_line import studio
from tests.world import CORPUS, corpus_files, needs_corpus

GOOD = "- id: a\n  prompt: x\n  should: [b]\n"
WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\" # why\n    - c\n"
K8S = "apiVersion: v1\nkind: Service\nspec: {a: 1}\n"


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


def test_files_that_are_no_blueprints_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    (tmp_path / "b.yml").write_text("- health\n")
    (tmp_path / "c.yaml").write_text(K8S)
    (tmp_path / "package.json").write_text("{}")
    result = studio("check", tmp_path)
    assert result.stdout == "No problems in 1 file.\n2 YAML files and 1 JSON file are not blueprints.\n"
    assert result.exit_code == 0


def test_the_count_of_other_files_stays_out_of_json(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    (tmp_path / "b.yml").write_text("- health\n")
    result = studio("check", "--format", "json", tmp_path)
    assert (json.loads(result.stdout), result.stderr) == ([], "1 YAML file is not a blueprint.\n")


@pytest.mark.parametrize("name", ["compose.yml", "tags.yml", "package.json", "fixtures.json", "objects.yml"])
def test_a_foreign_file_that_is_named_is_checked_and_not_fixed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(FOREIGN[name])
    result = studio("check", "--fix", path)
    assert path.read_text() == FOREIGN[name]
    assert f"{path}: Not fixed: this is not a blueprint." in result.stderr


def test_a_header_that_is_named_is_fixed_though_it_has_no_prompts_yet(tmp_path: Path) -> None:
    path = tmp_path / "draft.yml"
    path.write_text("title: T\nmodels: [Openai:gpt-4o]\n")
    studio("check", "--fix", path)
    assert path.read_text() == "title: T\nmodels: [openai:gpt-4o]\n"


def test_a_collection_of_models_in_a_folder_is_checked_as_such(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "MINE.json").write_text('["openai: gpt-4o"]')
    assert "model-format" in studio("check", tmp_path).stdout


def test_a_blueprint_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("- id: a\n  prompt: 'x\n  should:\n    - b\n")
    result = studio("check", tmp_path)
    assert (result.exit_code, "yaml-syntax" in result.stdout) == (1, True)


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


def test_for_weval_other_files_elsewhere_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    (tmp_path / "tags.yml").write_text("- health\n")
    result = studio("check", "--for", "weval", tmp_path)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "1 YAML file is not a blueprint.")


# --- Paths that hold nothing


def test_a_path_that_is_not_there_is_no_success(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.yml"
    result = studio("check", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{path}: There is no such file or folder.\n"


def test_of_several_paths_the_missing_one_is_named_and_the_others_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    result = studio("check", tmp_path / "a.yml", tmp_path / "nowhere.yml")
    assert result.exit_code == 2
    assert "nowhere.yml: There is no such file" in result.stderr
    assert result.stdout == "No problems in 1 file. Not everything could be checked.\n"


@pytest.mark.parametrize("pattern", ["blueprints/*.yml", "blueprints/[a-c].yml", "b?.yml"])
def test_a_pattern_that_matches_nothing_is_named_as_one(tmp_path: Path, pattern: str) -> None:
    result = studio("check", tmp_path / pattern)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{tmp_path / pattern}: This pattern matches no file.\n"


@pytest.mark.parametrize("layout", ["json", "github", "sarif"])
def test_a_missing_path_leaves_other_forms_whole(tmp_path: Path, layout: str) -> None:
    result = studio("check", "--format", layout, tmp_path / "nowhere.yml")
    assert result.exit_code == 2
    assert json.loads(result.stdout or "[]") is not None


def test_an_empty_folder_holds_no_blueprint(tmp_path: Path) -> None:
    result = studio("check", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{tmp_path}: There is no blueprint in this folder.\n"


def test_a_folder_of_other_files_holds_no_blueprint(tmp_path: Path) -> None:
    (tmp_path / "tags.yml").write_text("- health\n")
    result = studio("check", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{tmp_path}: There is no blueprint in this folder. 1 YAML file is not a blueprint.\n"


def test_a_folder_whose_only_blueprint_was_named_before_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    assert studio("check", tmp_path / "a.yml", tmp_path).exit_code == 0
