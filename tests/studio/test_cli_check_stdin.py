"""`studio check -`: standard input under the name of a file, whose project and folder count."""

from __future__ import annotations

import io
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
