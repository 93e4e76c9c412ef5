"""The definition of the pre-commit hooks: what pre-commit needs of it, and that its entries work on files."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from studio.commands import COMMANDS

ROOT = Path(__file__).parents[2]
HOOKS: list[dict[str, Any]] = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
EXAMPLE = ROOT / "studio" / "example" / "tenants-rights.yml"
WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\"\n"


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
    wrong.write_text(WRONG)
    assert run(HOOKS[0], good).returncode == 0
    done = run(HOOKS[0], good, wrong, EXAMPLE)
    assert done.returncode == 1
    assert f"{wrong}:4:7: error quoted-function" in done.stdout
    assert f"{EXAMPLE}:" in done.stdout


def test_the_fixing_hook_mends_what_is_safe(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WRONG)
    assert run(HOOKS[1], wrong).returncode == 0
    assert wrong.read_text() == WRONG.replace('"', "")
