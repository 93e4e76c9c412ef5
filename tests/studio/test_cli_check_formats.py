"""The JSON of `studio check`, which is written in pieces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.parsing import parse
from engine.rules import check
from studio.cli import main
from studio.cli.check_formats import formatted, pieces
from studio.cli.check_options import Layout
from studio.cli.checked_file import CheckedFile


def checked(text: str) -> CheckedFile:
    return CheckedFile(Path("a.yml"), text, check(parse(text)))


@pytest.mark.parametrize("count", [0, 1, 499, 500, 501, 1_200])
def test_the_pieces_are_one_list_with_an_indentation(count: int) -> None:
    written = formatted(Layout.JSON, [checked("- a\n" * count)] if count else [])
    assert len(json.loads(written)) == count
    assert written == json.dumps(json.loads(written), indent=2) + "\n"


def test_a_long_list_is_written_in_several_pieces() -> None:
    assert max(map(len, pieces(Layout.JSON, [checked("- a\n" * 2_000)]))) < 1_000_000


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
