"""`studio check -`: standard input under the name of a file, whose project and folder count."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.text.text_limits import FILE_BYTES
from studio.cli import main
from tests.studio.command_line import studio
from tests.thoroughness import tried
from tests.world import CORPUS, corpus_files, needs_corpus

GOOD = "- id: a\n  prompt: Which article is it?\n  should: [Names the article]\n"
WRONG = (
    "- id: a\n  prompt: Which article is it?\n  should:\n    - \"$contains: 'Article 19'\"\n    - Names the treaty\n"
)
FIXED = WRONG.replace('"', "")
FLAGS = ("--diff", "--fix")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def piped(text: str | bytes, *arguments: object) -> Result:
    content = text if isinstance(text, bytes) else text.encode()
    return CliRunner().invoke(main, ["check", *map(str, arguments)], input=io.BytesIO(content))


def found(text: str, *arguments: object) -> list[tuple[str, str]]:
    return [(one["file"], one["slug"]) for one in json.loads(piped(text, "--format", "json", *arguments).stdout)]


def test_a_dash_reads_standard_input() -> None:
    result = piped(WRONG, "-")
    assert result.stdout.startswith("-:4:7: error quoted-function: ")
    assert result.stdout.endswith("1 error in 1 of 1 file. 1 can be fixed with --fix.\n")
    assert result.exit_code == 1


def test_problems_are_reported_under_the_name_that_is_given() -> None:
    assert found(WRONG, "-", "--stdin-filename", "blueprints/rights.yml") == [
        ("blueprints/rights.yml", "quoted-function")
    ]


def test_the_name_alone_is_enough() -> None:
    assert found(WRONG, "--stdin-filename", "rights.yml") == [("rights.yml", "quoted-function")]


def test_a_sound_text_has_no_problems() -> None:
    result = piped(GOOD, "-")
    assert (result.exit_code, result.stdout) == (0, "No problems in 1 file.\n")


def test_an_empty_input_is_reported_as_an_empty_file_is() -> None:
    Path("empty.yml").write_text("")
    file = studio("check", "empty.yml")
    result = piped("", "-", "--stdin-filename", "empty.yml")
    assert (result.stdout, result.exit_code) == (file.stdout, file.exit_code)


def test_the_ending_of_the_name_tells_json_from_yaml() -> None:
    text = '[{"id": "a", "prompt": "x", "should": ["b"],}]'
    assert found(text, "-", "--stdin-filename", "a.json") == [("a.json", "yaml-syntax")]
    assert found(text, "-", "--stdin-filename", "a.yml") == []


def test_the_settings_of_the_project_of_that_name_count() -> None:
    Path("deep").mkdir()
    Path("deep/blueprint-studio.toml").write_text('ignore = ["quoted-function"]\n')
    assert found(WRONG, "-", "--stdin-filename", "deep/new/a.yml") == []
    assert found(WRONG, "-") == [("-", "quoted-function")]


def test_the_settings_of_the_working_directory_count_without_a_name() -> None:
    Path("blueprint-studio.toml").write_text('ignore = ["quoted-function"]\n')
    assert found(WRONG, "-") == []


def test_the_collections_beside_that_name_count() -> None:
    text = f"title: T\nmodels: [MINE]\n---\n{GOOD}"
    Path("far/models").mkdir(parents=True)
    Path("far/models/MINE.json").write_text('["openai:gpt-4o"]')
    assert "MINE" in piped(text, "-", "--stdin-filename", "near/a.yml").stdout
    assert "MINE" not in piped(text, "-", "--stdin-filename", "far/a.yml").stdout


def test_a_rule_on_the_file_name_goes_by_the_name_that_is_given() -> None:
    assert [slug for _, slug in found(GOOD, "-", "--stdin-filename", "a_pr_b.yml")] == ["reserved-id"]


def test_the_file_of_that_name_is_neither_read_nor_written() -> None:
    Path("a.yml").write_text(GOOD)
    assert found(WRONG, "-", "--stdin-filename", "a.yml") == [("a.yml", "quoted-function")]
    piped(WRONG, "--fix", "-", "--stdin-filename", "a.yml")
    assert Path("a.yml").read_text() == GOOD


# --- --fix and --diff


def test_fix_writes_the_fixed_text_to_stdout_and_the_report_to_stderr() -> None:
    result = piped(WRONG, "--fix", "-", "--stdin-filename", "a.yml")
    assert result.stdout == FIXED
    assert result.stderr.startswith("a.yml: 1 fix applied\na.yml:4 quoted-function: make it a check\n")
    assert result.stderr.endswith("No problems in 1 file.\n")
    assert result.exit_code == 0


@pytest.mark.parametrize("layout", ["text", "json", "github", "sarif"])
def test_nothing_but_the_text_goes_to_stdout_in_any_form(layout: str) -> None:
    text = WRONG.replace("  should", "  shuold: [Names the year]\n  should")
    result = piped(text, "--fix", "--quiet", "--statistics", "--format", layout, "-")
    assert result.stdout == text.replace('"', "")
    assert "unknown-key" in result.stderr
    assert result.exit_code == 0


@pytest.mark.parametrize(
    "content",
    [
        GOOD.encode(),
        b"",
        b"kind: Service\nspec: {a: 1}\n",
        b"- id: a\n  prompt: caf\xe9\n",
        "- id: a\n  prompt: x\n".encode("utf-16"),
        b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode(),
        b"#" * (FILE_BYTES + 100_000),
    ],
    ids=["sound", "empty", "foreign", "latin-1", "utf-16", "windows", "too long"],
)
def test_a_text_that_is_not_fixed_comes_out_as_it_went_in(content: bytes) -> None:
    assert piped(content, "--fix", "-").stdout_bytes == content


def test_a_fix_keeps_the_byte_order_mark_and_the_line_ends() -> None:
    content = b"\xef\xbb\xbf" + WRONG.replace("\n", "\r\n").encode()
    assert piped(content, "--fix", "-").stdout_bytes == content.replace(b'"', b"")


def test_diff_shows_the_changes_under_the_name_that_is_given() -> None:
    result = piped(WRONG, "--diff", "-", "--stdin-filename", "a.yml")
    assert result.stdout.startswith("--- a.yml\n+++ a.yml\n")
    assert "+    - $contains: 'Article 19'\n" in result.stdout
    assert result.exit_code == 1


@needs_corpus
@pytest.mark.parametrize("flag", FLAGS)
def test_standard_input_is_treated_as_the_file_is(flag: str, tmp_path: Path) -> None:
    for path in corpus_files()[::25]:
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes())
        through = piped(path.read_bytes(), flag, "-", "--stdin-filename", copy.name)
        file = studio("check", flag, copy.name)
        expected = (
            (copy.read_text("utf-8"), file.stderr + file.stdout) if flag == "--fix" else (file.stdout, file.stderr)
        )
        assert (through.stdout, through.stderr, through.exit_code) == (*expected, file.exit_code)


@needs_corpus
def test_the_report_of_standard_input_is_that_of_the_file() -> None:
    path = sorted(CORPUS.rglob("*.yml"))[7]
    assert piped(path.read_bytes(), "-", "--stdin-filename", path).stdout == studio("check", path).stdout


@settings(max_examples=tried(10, 30), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.binary(max_size=60))
def test_any_bytes_are_checked_and_come_out_of_a_fix(content: bytes) -> None:
    result = piped(content, "--fix", "-")
    assert result.exit_code in (0, 1, 2)
    assert isinstance(result.exception, SystemExit | None)


# --- What cannot be read, and contradictions


def test_a_text_that_is_too_long_is_refused_as_a_file_is() -> None:
    result = piped(b"#" * (FILE_BYTES + 1), "-")
    assert (result.exit_code, "yaml-syntax" in result.stdout) == (2, True)


def test_a_text_that_is_not_utf_8_is_reported_by_its_line() -> None:
    result = piped(b"- id: a\n  prompt: caf\xe9\n", "-", "--stdin-filename", "a.yml")
    assert result.exit_code == 2
    assert result.stderr.startswith("a.yml: Line 2 is not UTF-8")


def test_by_force_an_excluded_name_is_not_checked_and_comes_out_as_it_went_in() -> None:
    options = ["--exclude", "drafts/", "--stdin-filename", "drafts/a.yml"]
    assert found(WRONG, "-", *options) == [("drafts/a.yml", "quoted-function")]
    assert found(WRONG, "-", *options, "--force-exclude") == []
    result = piped(WRONG, "--fix", "-", *options, "--force-exclude")
    assert (result.stdout, result.exit_code) == (WRONG, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "--stdin-filename", "."], "--stdin-filename needs the name of a file."),
        ([], "Missing argument 'PATH...'."),
    ],
)
def test_paths_that_do_not_go_together_are_refused(arguments: list[str], message: str) -> None:
    result = piped(WRONG, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(f"Error: {message}\n")


def test_a_file_called_dash_can_be_named_with_its_folder() -> None:
    Path("-").write_text(WRONG)
    assert found("", "./-") == [("-", "quoted-function")]
