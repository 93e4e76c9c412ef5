"""What `studio check --fix` and `--diff` say of fixes: each change by its place, and what was left and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.studio.command_line import studio

TWO = (
    "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'Article 19'\" # why\n    - c\n"
    "- id: b\n  prompt: y\n  should: Says so\n"
)
LEFT = '- id: a\n  prompt: x\n  should:\n    - fn: contains\n      fnArgs: ""\n'
HINT = "- id: a\n  prompt: x\n  should:\n    - Names it # studio: ignore[stale-fact]\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "x.yml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("layout", ["text", "json", "github", "sarif"])
def test_each_change_is_told_by_its_place_on_stderr(tmp_path: Path, layout: str) -> None:
    path = written(tmp_path, TWO)
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
    path = written(tmp_path, TWO)
    assert json.loads(studio("check", "--fix", "--format", "json", path).stdout) == []


def test_what_does_not_cure_is_left_and_said(tmp_path: Path) -> None:
    path = written(tmp_path, LEFT)
    result = studio("check", "--fix", path)
    assert path.read_text() == LEFT
    assert "falsy-argument-lost: not applied, “write arg” brings a new warning: line 5: always-matches" in result.stderr


def test_after_a_fix_the_summary_offers_no_fix_that_was_left(tmp_path: Path) -> None:
    path = written(tmp_path, LEFT)
    assert "can be fixed" not in studio("check", "--fix", path).stdout


def test_a_diff_says_what_speaks_against_a_fix(tmp_path: Path) -> None:
    out = studio("check", "--diff", written(tmp_path, LEFT)).stdout
    assert "falsy-argument-lost: write arg (safe), brings a new warning: line 5: always-matches" in out
    assert "\n-" not in out


def test_the_safe_fix_of_a_hint_is_shown_and_not_applied(tmp_path: Path) -> None:
    path = written(tmp_path, HINT)
    assert "remove the comment (safe, of a hint)" in studio("check", "--diff", path).stdout
    studio("check", "--fix", path)
    assert path.read_text() == HINT


def test_fixing_twice_is_fixing_once(tmp_path: Path) -> None:
    path = written(tmp_path, TWO + LEFT.replace("id: a", "id: c"))
    studio("check", "--fix", path)
    once = path.read_text()
    studio("check", "--fix", path)
    assert path.read_text() == once


def test_control_characters_in_a_change_reach_no_terminal(tmp_path: Path) -> None:
    path = written(tmp_path, "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b\\e'\" # \x7f\n")
    assert "\x7f" not in studio("check", "--fix", path).stderr
