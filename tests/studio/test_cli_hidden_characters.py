"""The command line shows what was written on it, in its own messages and in those of click."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from studio.cli import main

HIDDEN = "\u200b\u2060\xad\u202e\u115f\u3164\uffa0\U000e0041\x1b[31m\x9b"


@pytest.mark.parametrize(
    "arguments",
    [
        [f"--x{HIDDEN}"],
        [f"x{HIDDEN}"],
        ["check", f"--x{HIDDEN}"],
        ["check", f"--format={HIDDEN}", "x.yml"],
        ["check", f"--select={HIDDEN}", "x.yml"],
        ["check", f"nowhere{HIDDEN}.yml"],
        ["run", f"nowhere{HIDDEN}.yml", "--ideal"],
        ["run", "x.yml", "--control", f"x{HIDDEN}"],
        ["run", "x.yml", "--ideal", "--prompt", f"x{HIDDEN}"],
        ["explain", f"nowhere{HIDDEN}.json"],
        ["rules", f"x{HIDDEN}"],
        ["functions", f"x{HIDDEN}"],
        ["models", f"x{HIDDEN}"],
        ["models", "install", f"x{HIDDEN}"],
        ["models", "install", "--from", f"nowhere{HIDDEN}"],
    ],
    ids=" ".join,
)
def test_no_message_repeats_a_hidden_character(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.yml").write_text("- id: a\n  prompt: b\n  ideal: c\n  should: [c]\n", "utf-8")
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert set(HIDDEN) - set("[31m") & set(result.output) == set()
