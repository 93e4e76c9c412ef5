"""What `studio check` leaves out of a folder: `exclude` in the settings, --exclude, and --force-exclude."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.studio.command_line import studio

WRONG = (
    "- id: a\n  prompt: Which article is it?\n  should:\n    - \"$contains: 'Article 19'\"\n    - Names the treaty\n"
)
FILES = ("a.yml", "drafts/b.yml", "drafts/deep/c.yml", "x/e.old.yml", "x/drafts/d.yml")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(WRONG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reported(*arguments: object) -> list[str]:
    found = json.loads(studio("check", "--format", "json", *arguments).stdout)
    return [Path(one["file"]).as_posix() for one in found]


def excluding(folder: Path, *patterns: str) -> Path:
    settings = folder / "blueprint-studio.toml"
    settings.write_text(f"exclude = {json.dumps(patterns)}\n")
    return settings


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (["drafts/"], ["a.yml", "x/e.old.yml"]),
        (["/drafts"], ["a.yml", "x/e.old.yml", "x/drafts/d.yml"]),
        (["drafts/*.yml"], ["a.yml", "x/e.old.yml", "x/drafts/d.yml"]),
        (["*.old.yml", "drafts/deep"], ["a.yml", "drafts/b.yml", "x/drafts/d.yml"]),
        (["x/"], ["a.yml", "drafts/b.yml", "drafts/deep/c.yml"]),
        ([], list(FILES)),
    ],
)
@pytest.mark.usefixtures("project")
def test_a_pattern_leaves_files_and_folders_out(patterns: list[str], left: list[str]) -> None:
    assert reported(".", *(word for each in patterns for word in ("--exclude", each))) == left
    excluding(Path(), *patterns)
    assert reported(".") == left


def test_patterns_are_relative_to_the_folder_of_the_settings(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    excluding(project, "/drafts", "x/drafts")
    monkeypatch.chdir(project / "x")
    assert reported(".") == ["e.old.yml"]
    assert reported("..") == ["../a.yml", "../x/e.old.yml"]


def test_the_nearest_settings_decide(project: Path) -> None:
    excluding(project, "*.yml")
    excluding(project / "drafts", "deep/")
    assert reported(".") == ["drafts/b.yml"]


def test_settings_in_an_excluded_folder_do_not_bring_it_back(project: Path) -> None:
    excluding(project, "drafts/")
    excluding(project / "drafts", "deep/")
    assert reported(".") == ["a.yml", "x/e.old.yml"]


def test_a_file_that_is_named_is_checked_all_the_same(project: Path) -> None:
    excluding(project, "drafts/")
    assert reported("drafts/b.yml") == ["drafts/b.yml"]


def test_a_folder_that_is_named_is_checked_all_the_same_without_what_is_excluded_in_it(project: Path) -> None:
    excluding(project, "drafts/", "deep/")
    assert reported("drafts") == ["drafts/b.yml"]


def test_by_force_what_is_excluded_is_left_out_though_it_is_named(project: Path) -> None:
    excluding(project, "drafts/", "a.yml")
    result = studio("check", "--force-exclude", "a.yml", "drafts/deep/c.yml", "drafts", "x/e.old.yml")
    assert result.stdout.startswith("x/e.old.yml:4:7: error quoted-function")
    assert result.stderr == "3 paths that you named are excluded.\n"
    assert result.exit_code == 1


def test_by_force_nothing_left_is_no_failure(project: Path) -> None:
    excluding(project, "drafts/")
    result = studio("check", "--force-exclude", "drafts/b.yml")
    assert (result.exit_code, result.stderr) == (0, "1 path that you named is excluded.\n")
    assert json.loads(studio("check", "--force-exclude", "--format", "json", "drafts/b.yml").stdout) == []


def test_a_pattern_of_the_command_holds_below_the_working_directory_only(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "drafts")
    assert reported("--force-exclude", "--exclude", "drafts", "--exclude", ".*", "b.yml") == ["b.yml"]


def test_a_folder_of_excluded_files_holds_no_blueprint_and_the_message_says_why(project: Path) -> None:
    excluding(project, "*.yml")
    result = studio("check", "drafts")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "drafts: There is no blueprint in this folder. Files or folders in it are excluded.\n"


@pytest.mark.usefixtures("project")
def test_a_pattern_that_can_match_nothing_is_refused() -> None:
    result = studio("check", "--exclude", "[z-a]", ".")
    assert result.exit_code == 2
    assert "--exclude: “[z-a]” is not a valid pattern: bad character range z-a." in result.stderr


def test_a_mistake_in_the_setting_is_reported_with_its_line_and_the_rest_holds(project: Path) -> None:
    settings = project / "blueprint-studio.toml"
    settings.write_text('exclude = [\n  "drafts/",\n  "./",\n]\n')
    result = studio("check", ".")
    assert (result.exit_code, result.stderr.splitlines()[0]) == (
        2,
        f"{settings}:3: “./” is not a pattern for a file or a folder.",
    )
    assert "drafts" not in result.stdout


@pytest.mark.usefixtures("project")
def test_a_fix_leaves_what_is_excluded_untouched() -> None:
    excluding(Path(), "drafts/")
    studio("check", "--fix", ".")
    assert [name for name in FILES if Path(name).read_text() == WRONG] == [name for name in FILES if "drafts" in name]
