"""Files beyond the limits of size: the commands refuse them with one diagnostic, the studio shows them read-only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.text.text_limits import FILE_BYTES, LINES, VALUES
from tests.studio.command_line import studio

SMALL = "- id: a\n  prompt: Say it\n  should:\n    - Says it\n"
LARGE = {
    "bytes": SMALL + "# " + "x" * FILE_BYTES,
    "lines": SMALL + "# c\n" * LINES,
    "values": SMALL + "    - Says it\n" * VALUES,
}
PLACES = {"bytes": 1, "lines": LINES + 1, "values": VALUES - 4}

large = pytest.mark.parametrize("kind", LARGE)


def written(folder: Path, kind: str) -> Path:
    path = folder / "large.yml"
    path.write_text(LARGE[kind], "utf-8")
    return path


@large
def test_check_refuses_it_with_one_diagnostic_at_its_place(tmp_path: Path, kind: str) -> None:
    result = studio("check", "--format", "json", written(tmp_path, kind))
    (found,) = json.loads(result.stdout)
    assert (result.exit_code, found["slug"], found["line"]) == (2, "yaml-syntax", PLACES[kind])


@large
def test_check_says_what_to_do(tmp_path: Path, kind: str) -> None:
    assert "Split it into several files." in studio("check", written(tmp_path, kind)).stdout


@large
def test_parse_refuses_it(tmp_path: Path, kind: str) -> None:
    result = studio("parse", written(tmp_path, kind))
    line = json.loads(result.stdout)
    assert (result.exit_code, line["ok"], line["error"]["line"]) == (1, False, PLACES[kind])


@large
def test_run_refuses_it(tmp_path: Path, kind: str) -> None:
    result = studio("run", written(tmp_path, kind), "--ideal")
    assert (result.exit_code, "a blueprint may have up to" in result.stderr) == (2, True)


def test_a_large_file_that_was_found_is_no_blueprint(tmp_path: Path) -> None:
    (tmp_path / "small.yml").write_text(SMALL, "utf-8")
    (tmp_path / "data.json").write_text("[1]" + " " * FILE_BYTES, "utf-8")
    assert studio("check", tmp_path).exit_code == 0
