"""Options of `studio check` on its output and its exit code: --quiet, --statistics, --exit-zero, and contradictions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.studio.command_line import studio

GOOD = "- id: a\n  prompt: Which article is it?\n  should: [Names the article]\n"
WRONG = (
    "- id: a\n  prompt: Which article is it?\n  should:\n    - \"$contains: 'Article 19'\" # why\n"
    "    - Names the treaty\n"
)
DOUBTFUL = "- id: b\n  prompt: Which treaty is it?\n  should: [Names the treaty]\n  shuold: [Names the year]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files with problems, one without, and one that is not a blueprint."""
    (tmp_path / "one.yml").write_text(WRONG)
    (tmp_path / "two.yml").write_text(WRONG + "    - \"$contains: 'Article 20'\"\n" + DOUBTFUL)
    (tmp_path / "three.yml").write_text(GOOD)
    (tmp_path / "tags.yml").write_text("- health\n")
    return tmp_path


# --- --statistics

TABLE = (
    "problems files fixable  level    rule\n"
    "       3     2       3  error    quoted-function\n"
    "       1     1       0  warning  unknown-key\n"
)


def test_statistics_follow_the_problems_as_a_table_by_rule(folder: Path) -> None:
    out = studio("check", "--statistics", folder).stdout
    assert "one.yml:4:7: error quoted-function" in out
    assert out.endswith(
        "3 errors and 1 warning in 2 of 3 files. 3 can be fixed with --fix.\n\n"
        f"{TABLE}1 YAML file is not a blueprint.\n"
    )


def test_without_statistics_there_is_no_table(folder: Path) -> None:
    assert "problems files" not in studio("check", folder).stdout


@pytest.mark.parametrize("layout", ["json", "github", "sarif"])
def test_statistics_stay_out_of_a_form_for_programs(folder: Path, layout: str) -> None:
    result = studio("check", "--statistics", "--format", layout, folder)
    assert result.stdout == studio("check", "--format", layout, folder).stdout
    assert TABLE in result.stderr


def test_without_problems_there_are_no_statistics(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    assert studio("check", "--statistics", tmp_path).stdout == "No problems in 1 file.\n"


# --- --quiet


def test_quiet_prints_the_problems_alone(folder: Path) -> None:
    result = studio("check", "--quiet", folder)
    loud = studio("check", folder).stdout
    assert result.stdout == loud[: loud.index("3 errors and 1 warning")]
    assert (result.stderr, result.exit_code) == ("", 1)


def test_quiet_prints_nothing_for_a_sound_file(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    result = studio("check", "-q", tmp_path)
    assert (result.output, result.exit_code) == ("", 0)


def test_quiet_prints_what_could_not_be_checked(tmp_path: Path) -> None:
    result = studio("check", "-q", tmp_path / "nowhere.yml")
    assert (result.stderr, result.exit_code) == (f"{tmp_path / 'nowhere.yml'}: There is no such file or folder.\n", 2)


def test_quiet_fixes_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text(WRONG)
    result = studio("check", "-q", "--fix", path)
    assert (result.output, result.exit_code) == ("", 0)
    assert path.read_text() != WRONG


@pytest.mark.parametrize("layout", ["json", "github", "sarif"])
def test_quiet_leaves_a_form_for_programs_as_it_is(folder: Path, layout: str) -> None:
    quiet = studio("check", "-q", "--format", layout, folder)
    assert (quiet.stdout, quiet.stderr) == (studio("check", "--format", layout, folder).stdout, "")


# --- --exit-zero


def test_exit_zero_reports_the_problems_all_the_same(folder: Path) -> None:
    result = studio("check", "--exit-zero", folder)
    assert (result.stdout, result.exit_code) == (studio("check", folder).stdout, 0)


def test_exit_zero_does_not_hide_what_could_not_be_checked(tmp_path: Path) -> None:
    assert studio("check", "--exit-zero", tmp_path / "nowhere.yml").exit_code == 2


# --- Contradictions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fix", "--diff"], "--fix writes the changes and --diff only shows them: give one of the two."),
        (["--diff", "--statistics"], "--diff shows changes and reports no problems: leave out --statistics."),
        (["--exit-zero", "--fail-on", "hint"], "--exit-zero exits with 0 whatever is found: leave out --fail-on."),
        (
            ["--select", "no-rubric,Y003", "--ignore", "quoted-function", "--ignore", "no-rubric"],
            "All rules of --select are in --ignore too: nothing would be checked.",
        ),
        (["--watch", "--fix"], "--watch only reports: leave out --fix."),
        (["--watch", "--diff"], "--watch reports problems: leave out --diff."),
        (["--watch", "--format", "json"], "--watch prints text: leave out --format."),
        (
            ["--watch", "--baseline", "k.json", "--write-baseline"],
            "--watch only reports: leave out --write-baseline.",
        ),
        (["--watch", "--fail-on", "hint"], "--watch ends with Ctrl+C and exits with 0: leave out --fail-on."),
        (["--watch", "--exit-zero"], "--watch ends with Ctrl+C and exits with 0: leave out --exit-zero."),
        (["--exit-zero", "--fail-on", "error"], "--exit-zero exits with 0 whatever is found: leave out --fail-on."),
    ],
)
def test_options_that_exclude_each_other_are_refused_in_a_sentence(
    folder: Path, options: list[str], message: str
) -> None:
    result = studio("check", *options, folder)
    assert result.exit_code == 2
    assert result.stderr.endswith(f"Error: {message}\n")
    assert result.stdout == ""


def test_json_stays_a_list_with_every_option_on_the_output(folder: Path) -> None:
    result = studio("check", "--format", "json", "--statistics", "--quiet", "--exit-zero", folder)
    assert len(json.loads(result.stdout)) == 4


@pytest.mark.parametrize("option", ["--select", "--ignore"])
@pytest.mark.parametrize("name", ["slow-regex", "F013", "slow-regex,no-rubric"])
def test_a_retired_rule_may_be_named(option: str, name: str, folder: Path) -> None:
    result = studio("check", option, name, folder / "three.yml")
    assert (result.exit_code, result.stdout) == (0, "No problems in 1 file.\n")
