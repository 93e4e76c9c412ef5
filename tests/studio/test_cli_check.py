"""`studio check`: what it tells in which form, what it mends, and its exit codes."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft4Validator

from engine.text.spans import LineIndex, Position, Span, TextEdit, apply_edits
from studio.cli import main
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
        "1 error and 0 warnings in 1 of 1 file. 1 can be fixed with --fix.\n"
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
