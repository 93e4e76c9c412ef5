"""`studio check`: what is told in which form, what is mended, options on the output, and exit codes."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft4Validator, Draft202012Validator, ValidationError
from ruamel.yaml import YAML

from engine.parsing import parse
from engine.rules import ALL, check
from engine.study.case_reader import CaseProblemKind
from engine.text.spans import LineIndex, Position, Span, TextEdit, apply_edits
from studio.cli import main
from studio.cli.check_files import CheckedFile
from studio.cli.check_formats import formatted, pieces
from studio.cli.check_options import Layout
from studio.commands import COMMANDS
from tests.studio.command_line import studio
from tests.world import CORPUS, needs_corpus

GOOD = "- id: a\n  prompt: x\n  should: [b]\n"
WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\" # why\n    - c\n"
MENDED = "- id: a\n  prompt: x\n  should:\n    - $contains: 'b' # why\n    - c\n"
HINTED = "- prompt: x\n  should: [b]\n"
DOUBTFUL = "- id: a\n  prompt: x\n  should: [b]\n  shuold: [c]\n"
FLAGGED = "- id: a\n  messages:\n    - user: x\n    - user: y\n  should: [b]\n"

Write = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(text: str, name: str = "blueprint.yml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return path

    return write


def checked(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


def as_json(*arguments: str | Path) -> list[dict[str, Any]]:
    return json.loads(checked("--format", "json", *arguments).stdout)


SOME = CORPUS / "benchmarks"
"""Fifty files with reports of most kinds."""


@pytest.fixture(scope="module")
def some_as_json(homes: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BLUEPRINT_STUDIO_HOME", str(homes / "check-json"))
        return checked("--format", "json", SOME).stdout


@pytest.fixture(scope="module")
def some_as_sarif(homes: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BLUEPRINT_STUDIO_HOME", str(homes / "check-sarif"))
        return json.loads(checked("--format", "sarif", SOME).stdout)


@pytest.mark.parametrize(
    ("text", "options", "exit_code"),
    [
        (GOOD, [], 0),
        (WRONG, [], 1),
        (DOUBTFUL, [], 0),
        (DOUBTFUL, ["--fail-on", "warning"], 1),
        (DOUBTFUL, ["--fail-on", "error"], 0),
        (DOUBTFUL, ["--exit-zero"], 0),
        (WRONG, ["--exit-zero"], 0),
        ("a: [", ["--exit-zero"], 0),
        (HINTED, [], 0),
        (HINTED, ["--fail-on", "warning"], 0),
        (HINTED, ["--fail-on", "hint"], 1),
        (HINTED, ["--fail-on", "hint", "--ignore", "unstable-prompt-id"], 0),
        (DOUBTFUL, ["--fail-on", "hint"], 1),
        (GOOD, ["--fail-on", "hint"], 0),
        (FLAGGED, [], 0),
        (FLAGGED, ["--for", "weval"], 1),
        (WRONG, ["--ignore", "quoted-function"], 0),
        (WRONG, ["--select", "unknown-key,Y003"], 1),
        (WRONG, ["--select", "unknown-key"], 0),
        (WRONG, ["--fix"], 0),
        (WRONG, ["--diff"], 1),
        ("a: [", [], 1),
    ],
)
def test_the_exit_code_tells_what_was_found(written: Write, text: str, options: list[str], exit_code: int) -> None:
    assert checked(written(text), *options).exit_code == exit_code


REFUSED = "title: 5  # studio: ignore[wrong-type] a year\n---\n- id: a\n  prompt: x\n  should: [b]\n"


@pytest.mark.parametrize(
    ("options", "slugs"),
    [([], []), (["--for", "weval"], ["refused-by-weval"]), (["--for", "weval", "--ignore", "S062"], [])],
)
def test_what_weval_refuses_is_told_for_weval_though_its_rule_is_silenced(
    written: Write, options: list[str], slugs: list[str]
) -> None:
    assert [one["slug"] for one in as_json(written(REFUSED), *options)] == slugs


@pytest.mark.parametrize(("name", "exit_code"), [("blueprint.json", 1), ("blueprint.yml", 0)])
def test_a_byte_order_mark_makes_json_unreadable_for_weval(written: Write, name: str, exit_code: int) -> None:
    path = written('\ufeff[{"id": "a", "prompt": "x", "should": ["b"]}]', name)
    assert (checked(path).exit_code, checked(path, "--for", "weval").exit_code) == (0, exit_code)


def test_a_path_that_is_not_there_is_told_and_the_others_are_checked(written: Write) -> None:
    result = checked(written(WRONG), "nowhere.yml")
    assert result.exit_code == 2
    assert result.stderr == "nowhere.yml: There is no such file or folder.\n"
    assert "quoted-function" in result.stdout


def test_an_unknown_rule_is_refused_with_a_suggestion(written: Write) -> None:
    result = checked(written(GOOD), "--select", "quoted-functions")
    assert result.exit_code == 2
    assert "Did you mean quoted-function" in result.stderr


def test_a_file_that_is_no_utf_8_is_told(written: Write) -> None:
    path = written("- id: a\n  prompt: caf\udce9\n")
    result = checked(path)
    assert result.exit_code == 2
    assert "Line 2 is not UTF-8" in result.stderr


def test_text_shows_the_line_and_marks_the_place(written: Write) -> None:
    path = written(WRONG)
    assert checked(path).stdout == (
        f"{path}:4:7: error quoted-function: \"$contains: 'b'\" is one unknown name: "
        "remove the quotes around it\n"
        "4 |     - \"$contains: 'b'\" # why\n"
        "  |       ^^^^^^^^^^^^^^^^\n"
        "  = why: The check never runs: it counts 0 here, and Weval leaves it out, "
        "so a wrong answer may still score 100.\n"
        "  = fix: make it a check\n"
        "\n"
        "1 error in 1 of 1 file. 1 can be fixed with --fix.\n"
    )


def test_a_sound_file_is_told_in_one_line(written: Write) -> None:
    assert checked(written(GOOD)).stdout == "No problems in 1 file.\n"


def test_the_mark_stands_under_wide_characters(written: Write) -> None:
    path = written("- id: a\n  prompt: x\n  should:\n    - {point: 東京, wieght: 2}\n")
    lines = checked(path).stdout.splitlines()
    assert lines[1:3] == ["4 |     - {point: 東京, wieght: 2}", f"  | {' ' * 20}^^^^^^"]


def test_control_characters_reach_no_terminal(written: Write) -> None:
    path = written("- id: a\n  prompt: x\n  should:\n    - \"$con\\e]0;x\\a: \u202e'b'\"\n")
    out = checked(path).stdout
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_json_has_the_documented_fields(written: Write) -> None:
    path = written(WRONG)
    assert as_json(path) == [
        {
            "file": str(path),
            "code": "Y003",
            "slug": "quoted-function",
            "severity": "error",
            "flagged": False,
            "line": 4,
            "column": 7,
            "end_line": 4,
            "end_column": 23,
            "message": "\"$contains: 'b'\" is one unknown name: remove the quotes around it",
            "why": "The check never runs: it counts 0 here, and Weval leaves it out, "
            "so a wrong answer may still score 100.",
            "related": [],
            "fixes": [
                {
                    "title": "make it a check",
                    "safe": True,
                    "edits": [{"line": 4, "column": 7, "end_line": 4, "end_column": 23, "text": "$contains: 'b'"}],
                }
            ],
        }
    ]


def test_the_edits_in_json_are_all_that_another_program_needs(written: Write) -> None:
    lines = LineIndex(WRONG)
    [edit] = as_json(written(WRONG))[0]["fixes"][0]["edits"]
    start = lines.offset(Position(edit["line"] - 1, edit["column"] - 1))
    end = lines.offset(Position(edit["end_line"] - 1, edit["end_column"] - 1))
    assert apply_edits(WRONG, [TextEdit(Span(start, end), edit["text"])]) == MENDED


def test_json_of_nothing_is_an_empty_list(written: Write) -> None:
    assert as_json(written(GOOD)) == []


def test_a_related_place_is_told(written: Write) -> None:
    twice = as_json(written("- id: a\n  prompt: x\n  should: [b]\n" * 2))
    assert [(one["line"], one["related"][0]["line"]) for one in twice] == [(4, 1)]


def test_flagged_is_a_warning_and_an_error_for_weval(written: Write) -> None:
    path = written(FLAGGED)
    assert [(one["severity"], one["flagged"]) for one in as_json(path)] == [("warning", True)]
    assert [(one["severity"], one["flagged"]) for one in as_json(path, "--for", "weval")] == [("error", True)]


def test_github_commands_escape_what_would_end_them(written: Write) -> None:
    path = written(WRONG, "a,b.yml")
    command = checked("--format", "github", path).stdout
    assert command.startswith(f"::error file={str(path).replace(',', '%2C')},line=4,col=7,endLine=4,endColumn=23,")
    assert command.endswith("so a wrong answer may still score 100.\n")


def test_sarif_names_the_rule_the_place_and_the_safe_fix(written: Write) -> None:
    log = json.loads(checked("--format", "sarif", written(WRONG)).stdout)
    [run] = log["runs"]
    [result] = run["results"]
    assert log["version"] == "2.1.0"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "Y003"
    assert run["columnKind"] == "unicodeCodePoints"
    assert result["level"] == "error"
    location = result["locations"][0]["physicalLocation"]
    assert location["region"] == {"startLine": 4, "startColumn": 7, "endLine": 4, "endColumn": 23}
    assert location["artifactLocation"]["uri"].startswith("file://")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["defaultConfiguration"]["level"] == "error"
    replacement = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert replacement["insertedContent"]["text"] == "$contains: 'b'"


def test_fix_writes_what_is_safe_and_tells_what_remains(written: Write) -> None:
    path = written(WRONG.replace("- c", "- {point: c, weight: 20}"))
    result = checked("--fix", path)
    assert path.read_text() == MENDED.replace("- c", "- {point: c, weight: 20}")
    assert "1 fix applied" in result.stderr
    assert "bad-weight" in result.stdout
    assert "quoted-function" not in result.stdout


def test_fix_keeps_the_mode_and_the_byte_order_mark(written: Write) -> None:
    path = written("\ufeff" + WRONG)
    path.chmod(0o640)
    checked("--fix", path)
    assert path.read_bytes() == b"\xef\xbb\xbf" + MENDED.encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_fix_leaves_a_sound_file_untouched(written: Write) -> None:
    path = written(GOOD)
    before = path.stat()
    checked("--fix", path)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_fix_leaves_out_what_is_ignored(written: Write) -> None:
    path = written(WRONG)
    checked("--fix", "--ignore", "quoted-function", path)
    assert path.read_text() == WRONG


def test_diff_shows_what_fix_would_change_and_writes_nothing(written: Write) -> None:
    path = written(WRONG)
    out = checked("--diff", path).stdout
    assert "-    - \"$contains: 'b'\" # why\n+    - $contains: 'b' # why\n" in out
    assert path.read_text() == WRONG


def test_a_folder_gives_its_blueprints_and_no_other_json(tmp_path: Path, written: Write) -> None:
    written(WRONG, "one.yml")
    written(WRONG, "deep/two.yaml")
    written('{"prompts": [{"id": "a", "prompt": "x", "should": ["$contains: b"]}]}', "three.json")
    written('{"scripts": {"prompts": 1}}', "package.json")
    written(WRONG, ".hidden/four.yml")
    written(WRONG, "notes.txt")
    names = [Path(found["file"]).name for found in as_json(tmp_path)]
    assert sorted(names) == ["one.yml", "three.json", "two.yaml"]


def test_a_file_named_twice_is_checked_once(tmp_path: Path, written: Write) -> None:
    assert len(as_json(written(WRONG), tmp_path)) == 1


# --- Settings of a project


def test_a_project_chooses_its_rules_and_their_levels(written: Write) -> None:
    path = written(WRONG)
    written('[severity]\nquoted-function = "hint"\n', "blueprint-studio.toml")
    assert [(one["slug"], one["severity"]) for one in as_json(path)] == [("quoted-function", "hint")]
    assert checked(path).exit_code == 0


def test_what_a_command_asks_for_comes_on_top_of_the_project(written: Write) -> None:
    path = written(WRONG)
    written('[tool.blueprint-studio]\nignore = ["quoted-function"]\n', "pyproject.toml")
    assert as_json(path) == []
    assert [one["slug"] for one in as_json(path, "--select", "Y003")] == ["quoted-function"]


def test_fix_leaves_out_what_the_project_ignores(written: Write) -> None:
    path = written(WRONG)
    written('ignore = ["quoted-function"]\n', "blueprint-studio.toml")
    checked("--fix", path)
    assert path.read_text() == WRONG


def test_a_mistake_in_the_settings_is_told_once_with_its_line_and_the_rest_goes_on(written: Write) -> None:
    paths = [written(WRONG, "one.yml"), written(WRONG, "two.yml")]
    settings = written('ignore = [\n  "quoted-functoin"]\n', "blueprint-studio.toml")
    result = checked(*paths)
    assert result.exit_code == 2
    assert result.stderr == f"{settings}:2: There is no rule “quoted-functoin”. Did you mean quoted-function?\n"
    assert result.stdout.count("error quoted-function") == 2


# --- Diffs


def test_an_unsafe_fix_is_shown_as_a_titled_comment_behind_the_patch(written: Write) -> None:
    text = WRONG + "- id: a\n  prompt: y\n  should: [z]\n"
    path = written(text)
    out = checked("--diff", path).stdout
    patch, _, rest = out.partition(f"# {path}:6:7 duplicate-prompt-id: call it a-2 (unsafe)\n")
    assert "+    - $contains: 'b' # why\n" in patch
    assert "a-2" not in patch
    assert "# -- id: a\n# +- id: a-2\n" in rest
    assert path.read_text() == text


def test_diff_tells_what_an_unsafe_fix_does_to_the_score_of_the_ideal(written: Write) -> None:
    path = written(
        "- id: p\n  prompt: q\n  ideal: Lagos is the largest.\n  should:\n    - $icontains: largest\n"
        "    - - $icontains: Lagos\n    - - $icontains: Cairo\n"
    )
    out = checked("--diff", path).stdout
    assert "all are needed: flatten (unsafe; the ideal: 100.0 → 66.7)" in out


def test_the_patch_of_a_diff_is_what_fix_does(written: Write, tmp_path: Path) -> None:
    if shutil.which("patch") is None:
        pytest.skip("the program patch is not installed")
    written(WRONG.rstrip("\n"), "blueprint.yml")
    shown = CliRunner().invoke(main, ["check", "--diff", str(tmp_path / "blueprint.yml")]).stdout
    subprocess.run(["patch", "-p0", "-d", "/"], input=shown, text=True, check=True, capture_output=True)
    assert (tmp_path / "blueprint.yml").read_text() == MENDED.rstrip("\n")


def test_a_fix_in_a_file_with_windows_line_ends_keeps_them(written: Write) -> None:
    path = written(WRONG.replace("\n", "\r\n"))
    checked("--fix", path)
    assert path.read_bytes() == MENDED.replace("\n", "\r\n").encode()


# --- For other programs


def test_github_is_told_no_columns_of_several_lines(written: Write) -> None:
    path = written(WRONG.replace("$contains: 'b'", "$contains:\n        'b'"))
    assert f"file={path},line=4,endLine=5,title=" in checked("--format", "github", path).stdout


def test_names_are_told_as_seen_from_here(written: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(WRONG, "a folder/50%.yml")
    monkeypatch.chdir(path.parents[1])
    assert "::error file=a folder/50%25.yml,line=4," in checked("--format", "github", path).stdout
    [run] = json.loads(checked("--format", "sarif", path).stdout)["runs"]
    location = run["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "a%20folder/50%25.yml"


@cache
def sarif_schema() -> Draft4Validator:
    schema = Path(__file__).parents[1] / "schemas" / "sarif-2.1.0-rtm.5.json"
    return Draft4Validator(json.loads(schema.read_text("utf-8")))


def test_sarif_of_nothing_is_valid(written: Write) -> None:
    sarif_schema().validate(json.loads(checked("--format", "sarif", written(GOOD)).stdout))


@needs_corpus
def test_sarif_of_a_folder_of_the_corpus_is_valid(some_as_sarif: Any) -> None:
    sarif_schema().validate(some_as_sarif)
    [run] = some_as_sarif["runs"]
    assert all(run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])


@needs_corpus
def test_two_processes_tell_what_one_tells_in_the_same_order(
    monkeypatch: pytest.MonkeyPatch, some_as_json: str
) -> None:
    from studio.cli import check_pool

    monkeypatch.setattr(check_pool, "_MANY", 10_000)
    assert checked("--format", "json", SOME).stdout == some_as_json


@needs_corpus
def test_a_folder_of_the_corpus_can_be_told_in_every_form(some_as_json: str, some_as_sarif: Any) -> None:
    found = json.loads(some_as_json)
    assert len({one["file"] for one in found}) > 30
    assert checked("--format", "github", SOME).stdout.count("\n") == len(found)
    assert len(some_as_sarif["runs"][0]["results"]) == len(found)


def test_collections_are_looked_for_in_the_folder_that_is_named(written: Write, tmp_path: Path) -> None:
    file = written("title: T\nmodels: [MINE]\n---\n- {id: a, prompt: x, should: [b]}\n")
    written('["openai:x"]', "lists/MINE.json")
    without = CliRunner().invoke(main, ["check", str(file)])
    named = CliRunner().invoke(main, ["check", str(file), "--collections", str(tmp_path / "lists")])
    assert "MINE" in without.stdout
    assert "MINE" not in named.stdout


# --- Options of `studio check` on its output and its exit code: --quiet, --statistics, --exit-zero, and contradictions


OPTIONS_GOOD = "- id: a\n  prompt: Which article is it?\n  should: [Names the article]\n"
OPTIONS_WRONG = (
    "- id: a\n  prompt: Which article is it?\n  should:\n    - \"$contains: 'Article 19'\" # why\n"
    "    - Names the treaty\n"
)
OPTIONS_DOUBTFUL = "- id: b\n  prompt: Which treaty is it?\n  should: [Names the treaty]\n  shuold: [Names the year]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files with problems, one without, and one that is not a blueprint."""
    (tmp_path / "one.yml").write_text(OPTIONS_WRONG)
    (tmp_path / "two.yml").write_text(OPTIONS_WRONG + "    - \"$contains: 'Article 20'\"\n" + OPTIONS_DOUBTFUL)
    (tmp_path / "three.yml").write_text(OPTIONS_GOOD)
    (tmp_path / "tags.yml").write_text("- health\n")
    return tmp_path


# --- --statistics

TABLE = (
    "problems files fixable  level    rule\n"
    "       4     2       3  all      all rules\n"
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
    (tmp_path / "a.yml").write_text(OPTIONS_GOOD)
    assert studio("check", "--statistics", tmp_path).stdout == "No problems in 1 file.\n"


# --- --quiet


def test_quiet_prints_the_problems_alone(folder: Path) -> None:
    result = studio("check", "--quiet", folder)
    loud = studio("check", folder).stdout
    assert result.stdout == loud[: loud.index("3 errors and 1 warning")]
    assert (result.stderr, result.exit_code) == ("", 1)


def test_quiet_prints_nothing_for_a_sound_file(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(OPTIONS_GOOD)
    result = studio("check", "-q", tmp_path)
    assert (result.output, result.exit_code) == ("", 0)


def test_quiet_prints_what_could_not_be_checked(tmp_path: Path) -> None:
    result = studio("check", "-q", tmp_path / "nowhere.yml")
    assert (result.stderr, result.exit_code) == (f"{tmp_path / 'nowhere.yml'}: There is no such file or folder.\n", 2)


def test_quiet_fixes_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text(OPTIONS_WRONG)
    result = studio("check", "-q", "--fix", path)
    assert (result.output, result.exit_code) == ("", 0)
    assert path.read_text() != OPTIONS_WRONG


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


# --- Rules


def test_rules_that_are_all_left_out_are_refused(folder: Path) -> None:
    options = ["--select", "no-rubric,Y003", "--ignore", "quoted-function", "--ignore", "no-rubric"]
    result = studio("check", *options, folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("All rules of --select are in --ignore too: nothing would be checked.\n")


def test_json_stays_a_list_with_every_option_on_the_output(folder: Path) -> None:
    result = studio("check", "--format", "json", "--statistics", "--quiet", "--exit-zero", folder)
    assert len(json.loads(result.stdout)) == 4


@pytest.mark.parametrize("option", ["--select", "--ignore"])
@pytest.mark.parametrize("name", ["slow-regex", "F013", "slow-regex,no-rubric"])
def test_a_retired_rule_may_be_named(option: str, name: str, folder: Path) -> None:
    result = studio("check", option, name, folder / "three.yml")
    assert (result.exit_code, result.stdout) == (0, "No problems in 1 file.\n")


# --- The published schema of `studio check --format json`, and the rules in SARIF


ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "studio" / "example" / "tenants-rights.yml"


@cache
def schema() -> Any:
    return json.loads(studio("check", "--schema").stdout)


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


def output(*arguments: object) -> Any:
    return json.loads(studio("check", "--format", "json", *arguments).stdout)


@cache
def example() -> Any:
    return output(EXAMPLE)


# --- The schema


def test_the_schema_is_a_schema_with_a_version() -> None:
    Draft202012Validator.check_schema(schema())
    assert re.fullmatch(r"urn:blueprint-studio:check-output:\d+\.\d+", schema()["$id"])


def test_the_schema_is_printed_without_files_to_check() -> None:
    result = studio("check", "--schema")
    assert (result.exit_code, result.stderr) == (0, "")


def test_the_page_names_the_version_of_the_schema() -> None:
    page = (ROOT / "docs" / "machine-readable.md").read_text("utf-8")
    assert f"the version, now {schema()['$id'].rpartition(':')[2]}:" in page


@needs_corpus
def test_the_output_for_a_folder_of_the_corpus_follows_the_schema() -> None:
    found = output("--for", "weval", CORPUS / "benchmarks")
    validator().validate(found)
    assert len({one["slug"] for one in found}) > 10


def test_the_output_for_the_cases_of_all_rules_follows_the_schema() -> None:
    found = output("--select", ",".join(rule.slug for rule in ALL), ROOT / "tests" / "engine" / "rule_cases")
    validator().validate(found)
    assert len({one["slug"] for one in found}) > len(ALL) // 2


def test_the_output_without_problems_follows_the_schema(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("- id: a\n  prompt: Which article is it?\n  should: [Names the article]\n")
    validator().validate(output(tmp_path))


def every_object(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all objects in `value`."""
    if isinstance(value, dict):
        yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from every_object(part, (*path, key))


def test_no_key_may_be_missing_or_unknown() -> None:
    for path in every_object(example()):
        copy = json.loads(json.dumps(example()))
        place = copy
        for step in path:
            place = place[step]
        for changed in [{**place, "else": 1}, *({k: v for k, v in place.items() if k != gone} for gone in place)]:
            place.clear()
            place.update(changed)
            with pytest.raises(ValidationError):
                validator().validate(copy)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("severity", "note"),
        ("line", 0),
        ("column", "1"),
        ("flagged", 0),
        ("code", "y3"),
        ("slug", "A b"),
        ("fixes", None),
    ],
)
def test_a_wrong_value_is_refused(key: str, value: object) -> None:
    [first, *_] = example()
    with pytest.raises(ValidationError):
        validator().validate([{**first, key: value}])


# --- Rules in SARIF


def test_a_log_has_the_pages_of_the_rules_that_it_reports_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text('- id: a\n  prompt: b\n  should:\n    - "$contains: c"\n    - "$icontains: d"\n')
    [run] = json.loads(studio("check", "--format", "sarif", path).stdout)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["name"] for rule in rules] == ["quoted-function"]
    assert "\nBad:\n" in rules[0]["help"]["markdown"]
    assert rules[0]["fullDescription"]["text"]


def test_problems_of_case_files_are_explained_on_the_page_of_cases() -> None:
    page = (ROOT / "docs" / "cases.md").read_text("utf-8")
    assert "## Problems of a case file" in page
    assert all(f"| `{kind.value}` |" in page for kind in CaseProblemKind)


@pytest.mark.parametrize("top", ["engine", "studio", "docs", "pyproject.toml", "README.md"])
def test_no_placeholder_address_reaches_a_user(top: str) -> None:
    root = ROOT / top
    files = [root] if root.is_file() else [path for path in root.rglob("*") if path.suffix in (".py", ".md", ".yml")]
    assert [path for path in files if "repository.example" in path.read_text("utf-8")] == []


# --- The JSON of `studio check`, which is written in pieces


def checked_pieces(text: str) -> CheckedFile:
    return CheckedFile(Path("a.yml"), text, check(parse(text)))


@pytest.mark.parametrize("count", [0, 1, 499, 500, 501, 1_200])
def test_the_pieces_are_one_list_with_an_indentation(count: int) -> None:
    written = formatted(Layout.JSON, [checked_pieces("- a\n" * count)] if count else [])
    assert len(json.loads(written)) == count
    assert written == json.dumps(json.loads(written), indent=2) + "\n"


def test_a_long_list_is_written_in_several_pieces() -> None:
    assert max(map(len, pieces(Layout.JSON, [checked_pieces("- a\n" * 2_000)]))) < 1_000_000


@pytest.mark.parametrize(
    "options", ["--format=text", "--format=json", "--format=github", "--format=sarif", "--diff", "--fix"]
)
def test_no_output_repeats_a_key_of_the_file(tmp_path: Path, options: str) -> None:
    key = "sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8xYz1cDe4g"
    checks = f"    - \"$contains: '{key}'\"\n    - $icontans: {key}\n    - $Contains: x # {key}\n"
    path = tmp_path / "key.yml"
    path.write_text(f"# {key}\n- id: a\n  prompt: b\n  should:\n{checks}", "utf-8")
    result = CliRunner().invoke(main, ["check", options, str(path)])
    assert "icontains" in result.output
    assert key[8:24] not in result.output


# --- What `studio check --fix` and `--diff` say of fixes: each change by its place, and what was left and why


TWO = (
    "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'Article 19'\" # why\n    - c\n"
    "- id: b\n  prompt: y\n  should: Says so\n"
)
LEFT = '- id: a\n  prompt: x\n  should:\n    - fn: contains\n      fnArgs: ""\n'
HINT = "- id: a\n  prompt: x\n  should:\n    - Names it # studio: ignore[stale-fact]\n"


def written_fixes(folder: Path, text: str) -> Path:
    path = folder / "x.yml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("layout", ["text", "json", "github", "sarif"])
def test_each_change_is_told_by_its_place_on_stderr(tmp_path: Path, layout: str) -> None:
    path = written_fixes(tmp_path, TWO)
    assert studio("check", "--fix", "--format", layout, path).stderr == (
        f"{path}: 2 fixes applied\n"
        f"{path}:4 quoted-function: make it a check\n"
        "  -     - \"$contains: 'Article 19'\" # why\n"
        "  +     - $contains: 'Article 19' # why\n"
        f"{path}:8 rubric-not-a-list: make it a list\n"
        "  -   should: Says so\n"
        "  +   should:\n"
        "  +     - Says so\n"
    )


def test_json_after_a_fix_is_the_list_of_what_remains(tmp_path: Path) -> None:
    path = written_fixes(tmp_path, TWO)
    assert json.loads(studio("check", "--fix", "--format", "json", path).stdout) == []


def test_what_does_not_cure_is_left_and_said(tmp_path: Path) -> None:
    path = written_fixes(tmp_path, LEFT)
    result = studio("check", "--fix", path)
    assert path.read_text() == LEFT
    assert "falsy-argument-lost: not applied, “write arg” brings a new warning: line 5: always-matches" in result.stderr


def test_after_a_fix_the_summary_offers_no_fix_that_was_left(tmp_path: Path) -> None:
    path = written_fixes(tmp_path, LEFT)
    assert "can be fixed" not in studio("check", "--fix", path).stdout


def test_a_diff_says_what_speaks_against_a_fix(tmp_path: Path) -> None:
    out = studio("check", "--diff", written_fixes(tmp_path, LEFT)).stdout
    assert "falsy-argument-lost: write arg (safe), brings a new warning: line 5: always-matches" in out
    assert "\n-" not in out


def test_the_safe_fix_of_a_hint_is_shown_and_not_applied(tmp_path: Path) -> None:
    path = written_fixes(tmp_path, HINT)
    assert "remove the comment (safe, of a hint)" in studio("check", "--diff", path).stdout
    studio("check", "--fix", path)
    assert path.read_text() == HINT


def test_fixing_twice_is_fixing_once(tmp_path: Path) -> None:
    path = written_fixes(tmp_path, TWO + LEFT.replace("id: a", "id: c"))
    studio("check", "--fix", path)
    once = path.read_text()
    studio("check", "--fix", path)
    assert path.read_text() == once


def test_control_characters_in_a_change_reach_no_terminal(tmp_path: Path) -> None:
    path = written_fixes(tmp_path, "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b\\e'\" # \x7f\n")
    assert "\x7f" not in studio("check", "--fix", path).stderr


# --- The definition of the pre-commit hooks: what pre-commit needs of it, and that its entries work on files


HOOKS: list[dict[str, Any]] = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
HOOKS_WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\"\n"


def run(hook: dict[str, Any], *files: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(hook["entry"])
    command = [str(Path(sys.executable).with_name(program)), *arguments, *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_has_what_pre_commit_needs(hook: dict[str, Any]) -> None:
    assert {"id", "name", "entry", "language"} <= hook.keys()
    assert shlex.split(hook["entry"])[:2] == ["studio", "check"]
    assert "check" in COMMANDS


def test_a_hook_checks_several_files_and_fails_where_one_is_wrong(tmp_path: Path) -> None:
    good, wrong = tmp_path / "good.yml", tmp_path / "wrong.yml"
    good.write_text("- id: a\n  prompt: x\n  should: [b]\n")
    wrong.write_text(HOOKS_WRONG)
    assert run(HOOKS[0], good).returncode == 0
    done = run(HOOKS[0], good, wrong, EXAMPLE)
    assert done.returncode == 1
    assert f"{wrong}:4:7: error quoted-function" in done.stdout
    assert f"{EXAMPLE}:" in done.stdout


def test_the_fixing_hook_mends_what_is_safe(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(HOOKS_WRONG)
    assert run(HOOKS[1], wrong).returncode == 0
    assert wrong.read_text() == HOOKS_WRONG.replace('"', "")
