"""What `studio check` reads: files that are found or named, case files, standard input, and what is too large."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.study.file_places import beside, in_data_folder
from engine.text.text_limits import FILE_BYTES, LINES, VALUES
from studio.cli import main
from tests.engine.foreign_files import FOREIGN
from tests.studio.command_line import studio
from tests.studio.text_files import text_file
from tests.thoroughness import THOROUGH, tried
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
    folder = CORPUS if THOROUGH else CORPUS / "compass"
    result = studio("check", folder, "--select", "yaml-syntax")
    assert f"{sum(each.is_relative_to(folder) for each in corpus_files())} files" in result.stdout
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


# --- `studio check -`: standard input under the name of a file, whose project and folder count


SOUND = "- id: a\n  prompt: Which article is it?\n  should: [Names the article]\n"
QUOTED_CHECK = (
    "- id: a\n  prompt: Which article is it?\n  should:\n    - \"$contains: 'Article 19'\"\n    - Names the treaty\n"
)
FLAGS = ("--diff", "--fix")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def piped(text: str | bytes, *arguments: object) -> Result:
    content = text if isinstance(text, bytes) else text.encode()
    return CliRunner().invoke(main, ["check", *map(str, arguments)], input=io.BytesIO(content))


def test_an_empty_input_is_reported_as_an_empty_file_is() -> None:
    Path("empty.yml").write_text("")
    file = studio("check", "empty.yml")
    result = piped("", "-", "--stdin-filename", "empty.yml")
    assert (result.stdout, result.exit_code) == (file.stdout, file.exit_code)


# --- --fix and --diff


@pytest.mark.parametrize(
    "content",
    [
        SOUND.encode(),
        b"",
        b"kind: Service\nspec: {a: 1}\n",
        b"- id: a\n  prompt: caf\xe9\n",
        "- id: a\n  prompt: x\n".encode("utf-16"),
        b"\xef\xbb\xbf" + SOUND.replace("\n", "\r\n").encode(),
        b"#" * (FILE_BYTES + 100_000),
    ],
    ids=["sound", "empty", "foreign", "latin-1", "utf-16", "windows", "too long"],
)
def test_a_text_that_is_not_fixed_comes_out_as_it_went_in(content: bytes) -> None:
    assert piped(content, "--fix", "-").stdout_bytes == content


def test_a_fix_keeps_the_byte_order_mark_and_the_line_ends() -> None:
    content = b"\xef\xbb\xbf" + QUOTED_CHECK.replace("\n", "\r\n").encode()
    assert piped(content, "--fix", "-").stdout_bytes == content.replace(b'"', b"")


@needs_corpus
@pytest.mark.parametrize("flag", FLAGS)
def test_standard_input_is_treated_as_the_file_is(flag: str, tmp_path: Path) -> None:
    for path in corpus_files()[::60]:
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


# --- Files beyond the limits of size: the commands refuse them with one diagnostic, the studio shows them read-only


SMALL = "- id: a\n  prompt: Say it\n  should:\n    - Says it\n"
LARGE = {
    "bytes": SMALL + "# " + "x" * FILE_BYTES,
    "lines": SMALL + "# c\n" * LINES,
    "values": SMALL + "    - Says it\n" * VALUES,
}
PLACES = {"bytes": 1, "lines": LINES + 1, "values": VALUES - 4}


@pytest.mark.parametrize("kind", LARGE)
def test_each_command_refuses_it_with_its_place_and_check_says_what_to_do(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "large.yml"
    path.write_text(LARGE[kind], "utf-8")
    done = studio("check", "--format", "json", path)
    (found,) = json.loads(done.stdout)
    assert (done.exit_code, found["slug"], found["line"]) == (2, "yaml-syntax", PLACES[kind])
    assert "Split it into several files." in studio("check", path).stdout
    done = studio("parse", path)
    line = json.loads(done.stdout)
    assert (done.exit_code, line["ok"], line["error"]["line"]) == (1, False, PLACES[kind])
    done = studio("run", path, "--ideal")
    assert (done.exit_code, "a blueprint may have up to" in done.stderr) == (2, True)


def test_a_large_file_that_was_found_is_no_blueprint(tmp_path: Path) -> None:
    (tmp_path / "small.yml").write_text(SMALL, "utf-8")
    (tmp_path / "data.json").write_text("[1]" + " " * FILE_BYTES, "utf-8")
    assert studio("check", tmp_path).exit_code == 0
